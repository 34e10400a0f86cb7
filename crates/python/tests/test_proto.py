"""The message classes that are made from the schema tables."""

import copy
import pickle
from pathlib import Path

import pytest
from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor

from caffe.proto import _schema, caffe_pb2

# Message, field, number, C++ type, default; written from Caffe 1.0's caffe.proto.
FIELDS = [
    ("BlobProto", "data", 5, "FLOAT", []),
    ("BlobProto", "num", 1, "INT32", 0),
    ("BlobShape", "dim", 1, "INT64", []),
    ("Datum", "label", 5, "INT32", 0),
    ("Datum", "data", 4, "STRING", b""),
    ("Datum", "encoded", 7, "BOOL", False),
    ("NetParameter", "layer", 100, "MESSAGE", None),
    ("NetParameter", "layers", 2, "MESSAGE", None),
    ("LayerParameter", "convolution_param", 106, "MESSAGE", None),
    ("LayerParameter", "loss_weight", 5, "FLOAT", []),
    ("ConvolutionParameter", "bias_term", 2, "BOOL", True),
    ("ConvolutionParameter", "kernel_size", 4, "UINT32", []),
    ("PoolingParameter", "pool", 1, "ENUM", 0),
    ("BatchNormParameter", "moving_average_fraction", 2, "FLOAT", 0.999),
    ("FillerParameter", "type", 1, "STRING", "constant"),
    ("HingeLossParameter", "norm", 1, "ENUM", 1),
    ("SolverParameter", "solver_mode", 17, "ENUM", 1),
    ("SolverParameter", "type", 40, "STRING", "SGD"),
    ("SolverParameter", "delta", 31, "FLOAT", 1e-8),
    ("LayerParameter", "permute_param", 1006, "MESSAGE", None),
]

# Where a value is, and its number.
ENUMS = [
    ("TRAIN", 0),
    ("TEST", 1),
    ("Phase.TEST", 1),
    ("PoolingParameter.AVE", 1),
    ("PoolingParameter.PoolMethod.STOCHASTIC", 2),
    ("EltwiseParameter.MAX", 2),
    ("DataParameter.LMDB", 1),
    ("LossParameter.NONE", 3),
    ("LossParameter.PRE_FIXED", 1001),
    ("SolverParameter.ADAM", 5),
    ("V1LayerParameter.CONVOLUTION", 4),
    ("AnnotatedDatum.BBOX", 0),
]


@pytest.mark.parametrize("message, name, number, kind, default", FIELDS)
def test_field(message, name, number, kind, default):
    field = getattr(caffe_pb2, message).DESCRIPTOR.fields_by_name[name]
    assert field.number == number
    assert field.cpp_type == getattr(FieldDescriptor, f"CPPTYPE_{kind}")
    if default is not None:
        value = getattr(getattr(caffe_pb2, message)(), name)
        assert (list(value) if default == [] else value) == pytest.approx(default)


@pytest.mark.parametrize("path, number", ENUMS)
def test_enum(path, number):
    value = caffe_pb2
    for name in path.split("."):
        value = getattr(value, name)
    assert value == number


def test_every_row_of_the_tables_is_a_field_or_an_enum():
    messages = caffe_pb2.DESCRIPTOR.message_types_by_name
    for row in _schema.read_rows(Path(caffe_pb2.__file__).parent):
        if row.number:
            field = messages[row.message].fields_by_name[row.name]
            assert (field.number, field.has_default_value) == (int(row.number), row.default != "")
        elif "." in row.message:
            message, enum = row.message.split(".")
            values = messages[message].enum_types_by_name[enum].values_by_name
            assert {value.split("=")[0] for value in row.default.split()} <= set(values)


def test_package_is_caffe_and_repeated_numbers_are_packed_on_the_wire():
    assert caffe_pb2.NetParameter.DESCRIPTOR.full_name == "caffe.NetParameter"
    # Field 5 as one length-delimited record of eight bytes; stride is not packed in Caffe.
    assert caffe_pb2.BlobProto(data=[0, 0]).SerializeToString() == b"\x2a\x08" + bytes(8)
    assert caffe_pb2.ConvolutionParameter(stride=[1, 2]).SerializeToString() == b"\x30\x01\x30\x02"


def prototxts(root):
    folders = ("examples", "testdata", "crates/caffe-format/test_data/legacy")
    return [path for folder in folders for path in sorted((root / folder).rglob("*.prototxt"))]


def test_prototxts_of_the_repository_print_as_they_were_read(root):
    paths = prototxts(root)
    assert len(paths) > 20
    for path in paths:
        solver = "solver" in path.name
        kind = caffe_pb2.SolverParameter if solver else caffe_pb2.NetParameter
        message = text_format.Merge(path.read_text(), kind())
        assert text_format.Parse(text_format.MessageToString(message), kind()) == message, path


@pytest.mark.parametrize(
    "pattern, kind", [("*.caffemodel", "NetParameter"), ("*.solverstate", "SolverState")]
)
def test_files_written_by_caffe_serialize_to_the_same_bytes(root, pattern, kind):
    paths = sorted((root / "testdata").rglob(pattern))[:10]
    assert paths
    for path in paths:
        content = path.read_bytes()
        message = getattr(caffe_pb2, kind).FromString(content)
        assert message.SerializeToString() == content, path


def test_messages_can_be_copied_and_pickled():
    net = caffe_pb2.NetParameter(name="net", layer=[caffe_pb2.LayerParameter(type="ReLU")])
    assert copy.deepcopy(net) == net
    assert pickle.loads(pickle.dumps(net)) == net
