"""The Python side of `Net`: blobs and params by name, and forward and backward with arrays.

The methods are attached to the native class instead of a subclass, so that the nets of a solver
have them too. Dictionaries are in the order of the net and made once per net. Blobs keep their
identity when a net is reshaped, so the dictionaries stay valid.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ._batches import (
    Arrays,
    backward_all,
    forward_all,
    forward_backward_all,
    listed,
    split_batches,
)
from ._caffe import (
    NCCL,
    AdaDeltaSolver,
    AdaGradSolver,
    AdamSolver,
    NesterovSolver,
    Net,
    RMSPropSolver,
    SGDSolver,
    Timer,
)

__all__ = [
    "AdaDeltaSolver",
    "AdaGradSolver",
    "AdamSolver",
    "NCCL",
    "NesterovSolver",
    "Net",
    "RMSPropSolver",
    "SGDSolver",
    "Timer",
]


def _cached(net_class: Any, build: Callable[[Any], Any]) -> cached_property[Any]:
    """An attribute that is computed once per object, and quick to reach from then on."""
    attribute = cached_property(build)
    attribute.__set_name__(net_class, build.__name__)
    return attribute


def blobs(self: Net) -> OrderedDict[str, Any]:
    """Blobs by name, from input to output."""
    return OrderedDict(zip(self._blob_names, self._blobs))


def blob_loss_weights(self: Net) -> OrderedDict[str, float]:
    """Weight of each blob in the loss, by name; zero for blobs that are not losses."""
    return OrderedDict(zip(self._blob_names, self._blob_loss_weights))


def layer_dict(self: Net) -> OrderedDict[str, Any]:
    """Layers by name, from input to output."""
    return OrderedDict(zip(self._layer_names, self.layers))


def params(self: Net) -> OrderedDict[str, Any]:
    """The learnable blobs of each layer that has any, by layer name: weights first, then bias."""
    layers = zip(self._layer_names, self.layers)
    return OrderedDict((name, layer.blobs) for name, layer in layers if len(layer.blobs) > 0)


def inputs(self: Net) -> list[str]:
    """Names of the blobs that the caller fills."""
    names = list(self._blob_names)
    return [names[i] for i in self._inputs]


def outputs(self: Net) -> list[str]:
    """Names of the blobs that no layer reads."""
    names = list(self._blob_names)
    return [names[i] for i in self._outputs]


def top_names(self: Net) -> OrderedDict[str, list[str]]:
    """Names of each layer's tops, by layer name."""
    return _names_by_layer(self, self._top_ids)


def bottom_names(self: Net) -> OrderedDict[str, list[str]]:
    """Names of each layer's bottoms, by layer name."""
    return _names_by_layer(self, self._bottom_ids)


def _names_by_layer(
    net: Net, ids: Callable[[int], Sequence[int]]
) -> OrderedDict[str, list[str]]:
    names = list(net._blob_names)
    layers = enumerate(net._layer_names)
    return OrderedDict((layer, [names[id] for id in ids(i)]) for i, layer in layers)


def _layer_index(net: Net, name: str) -> int:
    names = list(net._layer_names)
    if name not in names:
        raise ValueError(f"this net has no layer `{name}`; its layers: {', '.join(names)}")
    return names.index(name)


def _fill(net: Net, kind: str, wanted: Sequence[str], given: Mapping[str, Any]) -> None:
    """Copies arrays into the data of a net's inputs or the diff of its outputs."""
    if set(given) != set(wanted):
        raise ValueError(
            f"{kind} arrays must be given for {listed(wanted)}, and were for {listed(given)}"
        )
    for name, value in given.items():
        blob = net.blobs[name]
        target, value = getattr(blob, kind), np.asarray(value)
        if value.shape[:1] != target.shape[:1]:
            raise ValueError(
                f"`{name}`: {kind} of shape {value.shape} is not one batch of {target.shape}; "
                "forward_all splits arrays into batches"
            )
        try:
            target[...] = value
        except ValueError:
            raise ValueError(
                f"`{name}`: {kind} of shape {value.shape} does not fit {target.shape}"
            ) from None


def _pick(net: Net, kind: str, names: Sequence[str]) -> Arrays:
    """The data or diff of blobs; the arrays are views, which the next pass overwrites."""
    unknown = [name for name in names if name not in net.blobs]
    if unknown:
        raise ValueError(f"this net has no blob {listed(unknown)}")
    return {name: getattr(net.blobs[name], kind) for name in names}


def forward(
    self: Net,
    blobs: Optional[Sequence[str]] = None,
    start: Optional[str] = None,
    end: Optional[str] = None,
    **kwargs: Any,
) -> Arrays:
    """Runs layers `start` to `end`, both included, by default all of them.

    Keywords give arrays for the inputs: all or none. The result has the data of the net's outputs,
    or of the tops of `end`, and of the `blobs` named.
    """
    first = 0 if start is None else _layer_index(self, start)
    last = len(self.layers) - 1 if end is None else _layer_index(self, end)
    if kwargs:
        _fill(self, "data", self.inputs, kwargs)
    self._forward(first, last)
    names = self.outputs if end is None else self.top_names[end]
    return _pick(self, "data", [*names, *(blobs or [])])


def backward(
    self: Net,
    diffs: Optional[Sequence[str]] = None,
    start: Optional[str] = None,
    end: Optional[str] = None,
    **kwargs: Any,
) -> Arrays:
    """Runs layers `start` down to `end`, both included, by default all of them.

    Keywords give diffs for the outputs: all or none. The result has the diffs of the net's inputs,
    or of the bottoms of `end`, and of the blobs named by `diffs`.
    """
    first = len(self.layers) - 1 if start is None else _layer_index(self, start)
    last = 0 if end is None else _layer_index(self, end)
    if kwargs:
        _fill(self, "diff", self.outputs, kwargs)
    self._backward(first, last)
    names = self.inputs if end is None else self.bottom_names[end]
    return _pick(self, "diff", [*names, *(diffs or [])])


def set_input_arrays(self: Net, data: np.ndarray, labels: np.ndarray) -> None:
    """Gives a net whose first layer is MemoryData its images (N x C x H x W) and labels (N)."""
    data = np.ascontiguousarray(data, dtype=np.float32)
    labels = np.ascontiguousarray(labels, dtype=np.float32)
    if labels.ndim == 1:
        labels = labels.reshape((-1, 1, 1, 1))
    if data.ndim != 4 or labels.shape != (len(data), 1, 1, 1):
        raise ValueError(
            f"want data of N x C x H x W and N labels, and got {data.shape} and {labels.shape}"
        )
    self._set_input_arrays(data, labels)


def attach(net_class: Any) -> None:
    """Gives a native net class the properties and methods of this module."""
    properties = (
        blobs, blob_loss_weights, layer_dict, params, inputs, outputs, top_names, bottom_names,
    )
    for build in properties:
        setattr(net_class, build.__name__, _cached(net_class, build))
    methods = (
        forward, backward, forward_all, backward_all, forward_backward_all, set_input_arrays,
    )
    for method in methods:
        setattr(net_class, method.__name__, method)
    net_class._batch = split_batches


attach(Net)
