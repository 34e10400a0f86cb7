"""The names come from tables at import time, so a type checker accepts any."""

from typing import Any

from google.protobuf.descriptor import FileDescriptor

DESCRIPTOR: FileDescriptor
TRAIN: int
TEST: int

def __getattr__(name: str) -> Any: ...
