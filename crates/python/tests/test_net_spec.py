"""Nets written in Python: what `to_proto` writes."""

import copy
import pickle

import numpy as np
import pytest
from google.protobuf import text_format

import caffe
from caffe import layers as L
from caffe import params as P
from caffe.net_spec import assign_proto, param_name_dict
from caffe.proto import caffe_pb2


def check(net, want):
    """Compares with the text of the expected `NetParameter`."""
    assert text_format.MessageToString(net) == text_format.MessageToString(
        text_format.Parse(want, caffe_pb2.NetParameter())
    )


def test_assigned_tops_name_blobs_and_layers():
    n = caffe.NetSpec()
    n.data, n.label = L.Data(
        source="db", backend=P.Data.LMDB, batch_size=8, ntop=2, transform_param=dict(scale=0.5)
    )
    n.conv = L.Convolution(
        n.data, kernel_size=5, num_output=20, pad=[1, 2], weight_filler=dict(type="xavier"),
        param=[dict(lr_mult=1), dict(lr_mult=2)],
    )
    n["relu"] = L.ReLU(n["conv"], in_place=True)
    n.pool = L.Pooling(n.relu, kernel_size=2, pool=P.Pooling.AVE)
    n.loss = L.SoftmaxWithLoss(n.pool, n.label, loss_weight=3, include=dict(phase=caffe.TRAIN))
    check(
        n.to_proto(),
        """
        layer { name: "data" type: "Data" top: "data" top: "label" transform_param { scale: 0.5 }
          data_param { source: "db" batch_size: 8 backend: LMDB } }
        layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
          param { lr_mult: 1 } param { lr_mult: 2 }
          convolution_param { num_output: 20 pad: 1 pad: 2 kernel_size: 5
            weight_filler { type: "xavier" } } }
        layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
        layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool"
          pooling_param { pool: AVE kernel_size: 2 } }
        layer { name: "loss" type: "SoftmaxWithLoss" bottom: "pool" bottom: "label" top: "loss"
          loss_weight: 3 include { phase: TRAIN } }
        """,
    )


def test_other_tops_are_named_for_the_type_and_counted():
    data, label = L.DummyData(shape=[dict(dim=[1, 2]), dict(dim=1)], ntop=2)
    ip = L.InnerProduct(L.ReLU(L.InnerProduct(data, num_output=3), in_place=True), num_output=2)
    want = """
        layer { name: "DummyData1" type: "DummyData" top: "DummyData1" top: "DummyData2"
          dummy_data_param { shape { dim: 1 dim: 2 } shape { dim: 1 } } }
        layer { name: "InnerProduct1" type: "InnerProduct" bottom: "DummyData1"
          top: "InnerProduct1" inner_product_param { num_output: 3 } }
        layer { name: "ReLU1" type: "ReLU" bottom: "InnerProduct1" top: "InnerProduct1" }
        layer { name: "InnerProduct2" type: "InnerProduct" bottom: "InnerProduct1"
          top: "InnerProduct2" inner_product_param { num_output: 2 } }
        """
    check(ip.to_proto(), want)
    silence = L.Silence(label, ntop=0)
    last = 'layer { name: "Silence1" type: "Silence" bottom: "DummyData2" }'
    check(caffe.to_proto(ip, silence), want + last)


def test_name_keyword_names_the_layer_and_not_its_top():
    n = caffe.NetSpec()
    n.data = L.Input(name="in", shape=dict(dim=[1, 2]))
    check(
        n.to_proto(),
        'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 } } }',
    )


# Layer type, keywords, and what the layer has after its name, type and top.
LAYERS = [
    ("Deconvolution", dict(num_output=1), "convolution_param { num_output: 1 }"),
    ("Deconvolution", dict(convolution_param=dict(stride=2)), "convolution_param { stride: 2 }"),
    ("LSTM", dict(num_output=4), "recurrent_param { num_output: 4 }"),
    ("Reshape", dict(shape=dict(dim=(0, -1))), "reshape_param { shape { dim: 0 dim: -1 } }"),
    ("Eltwise", dict(operation=P.Eltwise.MAX), "eltwise_param { operation: MAX }"),
    ("Python", dict(module="m", layer="l", param_str="{}"),
     'python_param { module: "m" layer: "l" param_str: "{}" }'),
    ("Permute", dict(order=[0, 2, 1]), "permute_param { order: 0 order: 2 order: 1 }"),
    ("Concat", dict(concat_param={}), "concat_param { }"),
    ("Concat", dict(propagate_down=[]), ""),
    ("Crop", dict(offset=list(np.array([1, 2]))), "crop_param { offset: 1 offset: 2 }"),
    ("Dropout", dict(dropout_ratio=np.float32(0.5)), "dropout_param { dropout_ratio: 0.5 }"),
    ("Scale", dict(bias_term=True, filler=caffe_pb2.FillerParameter(value=2)),
     "scale_param { bias_term: true filler { value: 2 } }"),
    ("DetectionOutput", dict(nms_param=dict(top_k=4)),
     "detection_output_param { nms_param { top_k: 4 } }"),
    ("Softmax", dict(phase=caffe.TEST), "phase: TEST"),
]


@pytest.mark.parametrize("kind, keywords, want", LAYERS)
def test_keywords(kind, keywords, want):
    net = getattr(L, kind)(**keywords).to_proto()
    check(net, f'layer {{ name: "{kind}1" type: "{kind}" top: "{kind}1" {want} }}')


def test_errors():
    tops = L.DummyData(ntop=2)
    with pytest.raises(TypeError, match=r"Silence input 0 is not a Top \(type is <class 'tuple'>"):
        L.Silence(tops, ntop=0)
    with pytest.raises(AttributeError, match="type `ReLU` has no parameter `slope`"):
        L.ReLU(slope=1).to_proto()
    with pytest.raises(AttributeError, match="no blob `data`"):
        caffe.NetSpec().data
    with pytest.raises(AttributeError, match="no `FooParameter`"):
        P.Foo
    with pytest.raises(KeyError):
        caffe.NetSpec()["data"]


def test_a_deep_net_and_shared_inputs():
    top = first = L.Input()
    for _ in range(3000):
        top = L.Eltwise(top, first)
    net = top.to_proto()
    assert len(net.layer) == 3001
    assert list(net.layer[-1].bottom) == ["Eltwise2999", "Input1"]


def test_a_spec_can_be_copied_and_pickled():
    n = caffe.NetSpec()
    n.data = L.Input()
    for again in (copy.deepcopy(n), pickle.loads(pickle.dumps(n))):
        assert again.to_proto() == n.to_proto()


def test_param_name_dict_has_the_fields_of_layer_parameter():
    names = param_name_dict()
    want = {"Convolution": "convolution", "HDF5Data": "hdf5_data", "TanH": "tanh", "LRN": "lrn",
            "PReLU": "prelu", "Transformation": "transform", "Normalize": "norm"}
    assert {kind: names[kind] for kind in want} == want


def test_assign_proto_adds_to_repeated_messages():
    layer = caffe_pb2.LayerParameter()
    assign_proto(layer, "param", dict(lr_mult=1))
    assign_proto(layer, "param", [caffe_pb2.ParamSpec(lr_mult=2)])
    assert [param.lr_mult for param in layer.param] == [1, 2]
