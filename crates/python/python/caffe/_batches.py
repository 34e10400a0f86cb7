"""Passes over arrays of any length, in batches of the net's size.

The last batch is filled up with zeros, and the rows that belong to them are dropped from the
result.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence

import numpy as np

from ._caffe import Net

Arrays = dict[str, np.ndarray]


def forward_all(self: Net, blobs: Optional[Sequence[str]] = None, **kwargs: Any) -> Arrays:
    """As `forward`, for arrays of any length; the result has as many rows."""
    length = _length(kwargs)
    passes = [_copied(self.forward(blobs=blobs, **batch)) for batch in self._batch(kwargs)]
    return _join(passes, _batch_size(self), length)


def backward_all(self: Net, diffs: Optional[Sequence[str]] = None, **kwargs: Any) -> Arrays:
    """As `backward`, for output diffs of any length; the result has as many rows.

    Every batch goes back through what the last forward left in the net, so several batches need a
    net whose gradient does not depend on its values; else use `forward_backward_all`.
    """
    length = _length(kwargs)
    passes = [_copied(self.backward(diffs=diffs, **batch)) for batch in self._batch(kwargs)]
    return _join(passes, _batch_size(self), length)


def forward_backward_all(
    self: Net,
    blobs: Optional[Sequence[str]] = None,
    diffs: Optional[Sequence[str]] = None,
    **kwargs: Any,
) -> tuple[Arrays, Arrays]:
    """Forward and backward for arrays of any length; gives all data and all diffs.

    Keywords are inputs, outputs or both. Without inputs the net's own data layers feed it, and
    without output diffs its losses do.
    """
    length = _length(kwargs)
    forwards = self._batch({name: kwargs[name] for name in self.inputs if name in kwargs})
    backwards = self._batch({name: kwargs[name] for name in self.outputs if name in kwargs})
    unknown = [name for name in kwargs if name not in [*self.inputs, *self.outputs]]
    if unknown:
        raise ValueError(f"{listed(unknown)} is neither an input nor an output of this net")
    data_passes, diff_passes = [], []
    data: dict[str, Any]
    diff: dict[str, Any]
    for data, diff in zip_longest(forwards, backwards, fillvalue={}):
        data_passes.append(_copied(self.forward(blobs=blobs, **data)))
        diff_passes.append(_copied(self.backward(diffs=diffs, **diff)))
    size = _batch_size(self)
    return _join(data_passes, size, length), _join(diff_passes, size, length)


def listed(names: Iterable[str]) -> str:
    """Names for a message, in backticks."""
    return ", ".join(f"`{name}`" for name in names) or "no blob"


def _copied(arrays: Arrays) -> Arrays:
    return {name: np.array(values, ndmin=1) for name, values in arrays.items()}


def _join(passes: Sequence[Arrays], batch_size: int, length: int) -> Arrays:
    """Concatenates the batches. Arrays with a row per image lose the rows of the padding."""
    joined = {}
    for name, first in passes[0].items():
        rows = np.concatenate([arrays[name] for arrays in passes])
        joined[name] = rows[:length] if len(first) == batch_size else rows
    return joined


def _length(arrays: Mapping[str, Any]) -> int:
    """How many rows each of the arrays has."""
    lengths = {name: len(values) for name, values in arrays.items()}
    if not lengths or min(lengths.values()) == 0:
        raise ValueError("at least one array with at least one row is needed")
    if len(set(lengths.values())) > 1:
        rows = ", ".join(f"`{name}` {length}" for name, length in lengths.items())
        raise ValueError(f"the arrays have different numbers of rows: {rows}")
    return next(iter(lengths.values()))


def _batch_size(net: Net) -> int:
    """The first blob's first size."""
    return next(iter(net.blobs.values())).shape[0]


def split_batches(self: Net, blobs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Splits arrays into batches of the net's size; zeros fill up the last one."""
    if not blobs:
        return
    size = _batch_size(self)
    arrays = {name: np.asarray(values) for name, values in blobs.items()}
    for begin in range(0, _length(arrays), size):
        yield {name: _padded(rows[begin:begin + size], size) for name, rows in arrays.items()}


def _padded(rows: np.ndarray, size: int) -> np.ndarray:
    missing = size - len(rows)
    if missing == 0:
        return rows
    return np.concatenate([rows, np.zeros((missing, *rows.shape[1:]), dtype=rows.dtype)])
