"""`caffe.train`: the command `firecaffe train` from Python."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator, Optional, Union

from google.protobuf import text_format

from ._caffe import _train
from .proto.caffe_pb2 import SolverParameter

Event = dict[str, Any]
Callback = Callable[[Event], Any]


def train(
    solver: Union[str, os.PathLike[str], SolverParameter],
    workers: int = 1,
    threads: Optional[int] = None,
    callbacks: Union[Callback, Iterable[Callback]] = (),
    quiet: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Trains what a solver describes, as `firecaffe train` does, with all of its options.

    `solver` is a prototxt or a `SolverParameter`. Options of the command are keywords:
    `weights="a.caffemodel"` is `--weights a.caffemodel`, `shuffle=True` is `--shuffle`.

    Each of `callbacks` is called with every event: a dictionary whose "event" is the event's name,
    such as "Displayed", "Tested" or "Stepped". A callback that raises StopIteration ends the run
    after the iteration; any other exception does so too, and is raised here. Ctrl-C ends the run
    after the iteration and raises KeyboardInterrupt. Runs that end early write a snapshot, from
    which `snapshot="auto"` goes on.

    Returns a dictionary: "iterations", "loss" and "hash" at the end, the last snapshot's "model"
    and "state", and whether the run was "stopped".
    """
    on_event = _EventDispatcher(callbacks)
    words = _words({"workers": workers, "threads": threads, **options})
    with _solver_file(solver) as file, _Interrupts() as interrupts:
        run = [f"--solver={file}", *words]
        stops = lambda: interrupts.any or on_event.stopped  # noqa: E731
        result = _train(run, on_event if on_event.callbacks else None, stops, quiet)
    if interrupts.any:
        raise KeyboardInterrupt(f"training was stopped after {result['iterations']} iterations")
    return result


def _words(options: dict[str, Any]) -> list[str]:
    """Options as the command line writes them."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words.append(f"{flag}={','.join(str(one) for one in value)}")
        elif value is not None and value is not False:
            words.append(f"{flag}={value}")
    return words


@contextmanager
def _solver_file(solver: Union[str, os.PathLike[str], SolverParameter]) -> Iterator[str]:
    """The solver's file, or one that is made of a message."""
    if not isinstance(solver, SolverParameter):
        yield os.fspath(solver)
        return
    if not solver.HasField("snapshot_prefix"):
        raise ValueError(
            "the SolverParameter has no `snapshot_prefix`, and no file after which snapshots could "
            "be named: set it"
        )
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "solver.prototxt")
        with open(file, "w") as out:
            out.write(text_format.MessageToString(solver))
        yield file


class _EventDispatcher:
    """Hands events to callbacks."""

    def __init__(self, callbacks: Union[Callback, Iterable[Callback]]) -> None:
        self.callbacks = [callbacks] if callable(callbacks) else list(callbacks)
        self.stopped = False

    def __call__(self, text: str) -> None:
        event = _dictionary(json.loads(text))
        for callback in self.callbacks:
            try:
                callback(event)
            except StopIteration:
                self.stopped = True


def _dictionary(event: Any) -> Event:
    """An event as the engine writes it, `{name: fields}` or a name, as one dictionary."""
    if isinstance(event, str):
        return {"event": event}
    ((name, fields),) = event.items()
    return {"event": name, **(fields if isinstance(fields, dict) else {"value": fields})}


class _Interrupts:
    """Notes Ctrl-C while a run lasts, so that it ends no iteration in its middle."""

    def __init__(self) -> None:
        self.any = False

    def __enter__(self) -> _Interrupts:
        self._previous = None
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _note(self, *_: Any) -> None:
        self.any = True
