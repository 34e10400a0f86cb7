"""Graphs of nets. Images need Graphviz; the graph itself needs only pydot."""

import shutil
import sys

import pytest
from google.protobuf import text_format

from caffe import draw
from caffe.proto import caffe_pb2

NET = """
name: "net: a/b"
layer { name: "data" type: "Data" top: "data" top: "label" data_param { batch_size: 8 }
  include { phase: TRAIN } }
layer { name: "data" type: "Input" top: "data" include { phase: TEST } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv/out"
  convolution_param { num_output: 20 kernel_size: 5 stride: 2 } }
layer { name: "relu" type: "ReLU" bottom: "conv/out" top: "conv/out" }
layer { name: "pool|1" type: "Pooling" bottom: "conv/out" top: "pool"
  pooling_param { pool: AVE global_pooling: true } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "pool" bottom: "label" top: "loss"
  exclude { phase: TEST } }
layer { name: "any" type: "Silence" bottom: "pool" include { stage: "deploy" } }
"""


def net(text=NET):
    return text_format.Parse(text, caffe_pb2.NetParameter())


def layer(text):
    return net(f"layer {{ {text} }}").layer[0]


# A layer, the direction, and the label with factors on the learning rate.
LABELS = [
    ('name: "a" type: "ReLU"', "LR", r"a\n(ReLU)"),
    ('name: "a" type: "ReLU"', "TB", "a (ReLU)"),
    ('name: "a|b" type: "ReLU"', "TB", r"a\|b (ReLU)"),
    ('name: "a" type: "Pooling" pooling_param { pool: MAX kernel_size: 3 stride: 2 pad: 1 }',
     "BT", "a (Pooling MAX) kernel size: 3 stride: 2 pad: 1"),
    ('name: "a" type: "Pooling" pooling_param { pool: AVE global_pooling: true }',
     "TB", "a (Pooling AVE) kernel size: global stride: 1 pad: 0"),
    ('name: "a" type: "Convolution" convolution_param { kernel_size: 3 kernel_size: 5 }',
     "TB", "a (Convolution) kernel size: 3 x 5 stride: 1 pad: 0 lr mult: 1.0, 1.0"),
    ('name: "a" type: "Deconvolution" convolution_param { kernel_h: 1 kernel_w: 2 stride: 2 }',
     "TB", "a (Deconvolution) kernel size: 1 x 2 stride: 2 pad: 0 lr mult: 1.0, 1.0"),
    ('name: "a" type: "InnerProduct" param { lr_mult: 0.5 }',
     "TB", "a (InnerProduct) lr mult: 0.5, 1.0"),
    ('name: "a" type: "InnerProduct" param { lr_mult: 0 } param { lr_mult: 0 }',
     "TB", "a (InnerProduct)"),
]


@pytest.mark.parametrize("text, rankdir, want", LABELS)
def test_layer_label(text, rankdir, want):
    assert draw.get_layer_label(layer(text), rankdir, display_lrm=True) == f'"{want}"'


EDGES = [
    ('type: "Data" data_param { batch_size: 8 }', "Batch 8"),
    ('type: "Convolution" convolution_param { num_output: 3 }', "3"),
    ('type: "InnerProduct" inner_product_param { num_output: 4 }', "4"),
    ('type: "ReLU"', '""'),
]


@pytest.mark.parametrize("text, want", EDGES)
def test_edge_label(text, want):
    assert draw.get_edge_label(layer(text)) == want


def test_colors_and_names():
    assert draw.choose_color_by_layertype("Pooling") == "#FF9900"
    assert draw.choose_color_by_layertype("ReLU") == "#6495ED"
    assert draw.get_pooling_types_dict() == {0: "MAX", 1: "AVE", 2: "STOCHASTIC"}


def test_lr_mult_errors():
    with pytest.raises(ValueError, match="`ReLU` has no weights"):
        draw.get_layer_lr_mult(layer('type: "ReLU"'))
    with pytest.raises(ValueError, match="3 params given"):
        draw.get_layer_lr_mult(layer('type: "InnerProduct" param {} param {} param {}'))


# A phase, and the layers that remain.
PHASES = [
    (None, ["data_Data_0", "data_Input_1", "conv_Convolution_2", "relu_ReLU_3", "pool|1_Pooling_4",
            "loss_SoftmaxWithLoss_5", "any_Silence_6"]),
    (caffe_pb2.TRAIN, ["data_Data_0", "conv_Convolution_2", "relu_ReLU_3", "pool|1_Pooling_4",
                       "loss_SoftmaxWithLoss_5", "any_Silence_6"]),
    (caffe_pb2.TEST, ["data_Input_1", "conv_Convolution_2", "relu_ReLU_3", "pool|1_Pooling_4",
                      "any_Silence_6"]),
]


@pytest.mark.parametrize("phase, want", PHASES)
def test_phase(phase, want):
    pytest.importorskip("pydot")
    graph = draw.get_pydot_graph(net(), "LR", phase=phase)
    nodes = [node.get_name().strip('"') for node in graph.get_nodes()]
    assert [name for name in nodes if not name.endswith("_blob")] == want
    for edge in graph.get_edges():
        assert {edge.get_source().strip('"'), edge.get_destination().strip('"')} <= set(nodes)


def test_include_and_exclude_exclude_each_other():
    pytest.importorskip("pydot")
    both = net('layer { name: "a" include { phase: TEST } exclude { phase: TRAIN } }')
    with pytest.raises(ValueError, match="layer `a` has both"):
        draw.get_pydot_graph(both, "LR", phase=caffe_pb2.TEST)


def test_styles():
    pytest.importorskip("pydot")
    raw = draw.draw_net(net(), "LR", "raw").decode()
    (relu,) = [line for line in raw.splitlines() if "relu_ReLU_3" in line and "label" in line
               and "->" not in line]
    assert "#90EE90" in relu
    assert draw.LAYER_STYLE_DEFAULT["fillcolor"] == "#6495ED"  # drawing leaves it as it was
    assert "Batch 8" in raw
    assert "Batch 8" not in draw.get_pydot_graph(net(), "LR", label_edges=False).to_string()


def test_missing_tools_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    if pytest.importorskip("pydot"):
        with pytest.raises(FileNotFoundError, match="install the package `graphviz`"):
            draw.draw_net(net(), "LR")
    monkeypatch.setitem(sys.modules, "pydot", None)
    with pytest.raises(ImportError, match="pip install pydot"):
        draw.draw_net(net(), "LR")


def test_raw_file(tmp_path):
    pytest.importorskip("pydot")
    draw.draw_net_to_file(net(), str(tmp_path / "net.raw"))
    assert (tmp_path / "net.raw").read_text().startswith('digraph "net: a/b"')


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
@pytest.mark.parametrize("name, start", [("net.png", b"\x89PNG"), ("net.svg", b"<?xml")])
def test_image_file(tmp_path, name, start):
    pytest.importorskip("pydot")
    draw.draw_net_to_file(net(), str(tmp_path / name), rankdir="TB", display_lrm=True)
    assert (tmp_path / name).read_bytes().startswith(start)
