"""Caffe's messages and enums: `NetParameter`, `LayerParameter`, `Datum`, `TRAIN`, and so on.

The module has the names that `protoc` would generate from Caffe's `caffe.proto`, plus the fields
of forks that FireCaffe knows (their numbers begin at 1001). The classes are made at import time
from the tables that `_schema` reads.

The descriptors live in a pool of their own. A program may therefore also import another
`caffe_pb2`, such as one that came with a fork, without a clash of names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from . import _schema

_POOL = descriptor_pool.DescriptorPool()
_POOL.Add(_schema.build_file(Path(__file__).parent))

DESCRIPTOR = _POOL.FindFileByName("caffe.proto")


def _names() -> dict[str, Any]:
    """Every top-level name of the module: message classes, enums and the values of enums."""
    names: dict[str, Any] = {}
    for name, message in DESCRIPTOR.message_types_by_name.items():
        names[name] = message_factory.GetMessageClass(message)
        names[name].__module__ = __name__  # where `pickle` looks for the class
    for name, enum in DESCRIPTOR.enum_types_by_name.items():
        names[name] = EnumTypeWrapper(enum)
        names.update((value.name, value.number) for value in enum.values)
    return names


globals().update(_names())
__all__ = ["DESCRIPTOR", *_names()]
