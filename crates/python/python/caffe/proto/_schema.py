"""Reads FireCaffe's schema tables into a protobuf file description.

The Rust program and this package take every message from the same two tables: `schema.tsv` has
what Caffe 1.0 has, `extensions.tsv` what FireCaffe and forks of Caffe added. In the source tree
both are symbolic links to `crates/caffe-format`; a wheel holds copies. No `.proto` file and no
`protoc` are needed.

A row is a field (message, number, name, label, type, packed, default) or an enum (name, an empty
number, values such as `MAX=0 AVE=1`). A second row of an enum adds values. Lines that begin with
`#` are comments.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, NamedTuple

from google.protobuf import descriptor_pb2

TABLES = ("schema.tsv", "extensions.tsv")

_Field = descriptor_pb2.FieldDescriptorProto

_LABELS = {
    "optional": _Field.LABEL_OPTIONAL,
    "required": _Field.LABEL_REQUIRED,
    "repeated": _Field.LABEL_REPEATED,
}

_SCALARS = {
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "uint32": _Field.TYPE_UINT32,
    "uint64": _Field.TYPE_UINT64,
    "float": _Field.TYPE_FLOAT,
    "double": _Field.TYPE_DOUBLE,
    "bool": _Field.TYPE_BOOL,
    "string": _Field.TYPE_STRING,
    "bytes": _Field.TYPE_BYTES,
}


class Row(NamedTuple):
    """One line of a table, as written."""

    message: str
    number: str
    name: str
    label: str
    kind: str
    packed: str
    default: str


def read_rows(directory: Path) -> Iterator[Row]:
    """The rows of both tables, Caffe's first."""
    for table in TABLES:
        lines = (directory / table).read_text(encoding="utf-8").splitlines()
        for line in lines[1:]:
            if line and not line.startswith("#"):
                yield Row(*line.split("\t"))


def build_file(directory: Path) -> descriptor_pb2.FileDescriptorProto:
    """Describes package `caffe` as `protoc` would, fields in the order of the tables."""
    file = descriptor_pb2.FileDescriptorProto(name="caffe.proto", package="caffe", syntax="proto2")
    messages: dict[str, descriptor_pb2.DescriptorProto] = {}
    enums: dict[str, descriptor_pb2.EnumDescriptorProto] = {}

    def message(name: str) -> descriptor_pb2.DescriptorProto:
        if name not in messages:
            messages[name] = file.message_type.add(name=name)
        return messages[name]

    for row in read_rows(directory):
        if row.number:
            _add_field(message(row.message), row)
            continue
        if row.message not in enums:
            parent, _, name = row.message.rpartition(".")
            owner = message(parent) if parent else file
            enums[row.message] = owner.enum_type.add(name=name)
        for value in row.default.split(" "):
            name, number = value.split("=")
            enums[row.message].value.add(name=name, number=int(number))
    return file


def _add_field(message: descriptor_pb2.DescriptorProto, row: Row) -> None:
    field = message.field.add(name=row.name, number=int(row.number), label=_LABELS[row.label])
    if row.kind in _SCALARS:
        field.type = _SCALARS[row.kind]
    elif row.kind.startswith("enum "):
        field.type = _Field.TYPE_ENUM
        field.type_name = ".caffe." + row.kind[len("enum "):]
    else:
        field.type = _Field.TYPE_MESSAGE
        field.type_name = ".caffe." + row.kind
    if row.packed == "packed":
        field.options.packed = True
    if row.default:
        # The tables write `True` and `False`; a description wants lower case.
        field.default_value = row.default.lower() if row.kind == "bool" else row.default
