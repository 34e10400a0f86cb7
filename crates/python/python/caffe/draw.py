"""Draws a net as a graph, with pydot and Graphviz.

Layers are boxes and blobs octagons. A layer that works in place is green. Both tools are needed
only when a graph is made: `pip install pydot`, and Graphviz from the system's packages.
"""

from __future__ import annotations

import os
import re
from typing import Any, Optional

from .proto import caffe_pb2

LAYER_STYLE_DEFAULT: dict[str, Any] = {"shape": "record", "fillcolor": "#6495ED", "style": "filled"}
NEURON_LAYER_STYLE: dict[str, Any] = {"shape": "record", "fillcolor": "#90EE90", "style": "filled"}
BLOB_STYLE: dict[str, Any] = {"shape": "octagon", "fillcolor": "#E0E0E0", "style": "filled"}

_COLORS = {
    "Convolution": "#FF5050",
    "Deconvolution": "#FF5050",
    "Pooling": "#FF9900",
    "InnerProduct": "#CC33FF",
}

_LEARNING_LAYERS = ("Convolution", "Deconvolution", "InnerProduct")


def get_pooling_types_dict() -> dict[int, str]:
    """Number to name of the pooling methods."""
    return {number: name for name, number in caffe_pb2.PoolingParameter.PoolMethod.items()}


def get_edge_label(layer: Any) -> str:
    """What stands at the arrow to a layer's top: its batch size or number of outputs."""
    if layer.type == "Data":
        return f"Batch {layer.data_param.batch_size}"
    if layer.type in ("Convolution", "Deconvolution"):
        return str(layer.convolution_param.num_output)
    if layer.type == "InnerProduct":
        return str(layer.inner_product_param.num_output)
    return '""'


def get_layer_lr_mult(layer: Any) -> tuple[float, float]:
    """Factors on the learning rate of the weights and of the bias; 1 where none is given."""
    if layer.type not in _LEARNING_LAYERS:
        raise ValueError(f"layer `{layer.name}`: type `{layer.type}` has no weights to learn")
    if len(layer.param) > 2:
        raise ValueError(f"layer `{layer.name}`: {len(layer.param)} params given, it has two")
    weights, bias = ([param.lr_mult for param in layer.param] + [1.0, 1.0])[:2]
    return weights, bias


def get_layer_label(layer: Any, rankdir: str, display_lrm: bool = False) -> str:
    """The quoted text of a layer's node: name, type, and window or learning rates if it has them.

    The text goes in the direction in which `rankdir` leaves room.
    """
    separator = " " if rankdir in ("TB", "BT") else r"\n"
    words = [_escape(layer.name)]
    if layer.type == "Pooling":
        method = get_pooling_types_dict()[layer.pooling_param.pool]
        words.append(f"({layer.type} {method})")
    else:
        words.append(f"({_escape(layer.type)})")
    window = _window(layer)
    if window:
        words += [f"{name}: {size}" for name, size in zip(("kernel size", "stride", "pad"), window)]
    if display_lrm and layer.type in _LEARNING_LAYERS:
        weights, bias = get_layer_lr_mult(layer)
        if weights or bias:
            words.append(f"lr mult: {weights:.1f}, {bias:.1f}")
    return f'"{separator.join(words)}"'


def _window(layer: Any) -> Optional[tuple[str, str, str]]:
    """Kernel, stride and padding as text (`3`, `3 x 5`, `global`), or None without a window."""
    if layer.type == "Pooling":
        param = layer.pooling_param
    elif layer.type in ("Convolution", "Deconvolution"):
        param = layer.convolution_param
    else:
        return None

    def size(name: str, stem: str, default: int) -> str:
        if param.HasField(f"{stem}_h") or param.HasField(f"{stem}_w"):
            return f"{getattr(param, f'{stem}_h')} x {getattr(param, f'{stem}_w')}"
        value = getattr(param, name)
        if isinstance(value, int):
            return str(value)
        return " x ".join(map(str, value or [default]))

    pools_all = layer.type == "Pooling" and param.global_pooling
    kernel = "global" if pools_all else size("kernel_size", "kernel", 1)
    return kernel, size("stride", "stride", 1), size("pad", "pad", 0)


def choose_color_by_layertype(layertype: str) -> str:
    """The colour of a layer's node."""
    return _COLORS.get(layertype, LAYER_STYLE_DEFAULT["fillcolor"])


def _escape(text: str) -> str:
    """Text for a record's label, in which braces, bars and angle brackets make fields."""
    return re.sub(r'([\\{}|<>"])', r"\\\1", text)


def _quote(text: str) -> str:
    """A Graphviz identifier; unquoted, a colon or slash in a blob's name would mean something."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _in_phase(layer: Any, phase: int) -> bool:
    """Whether the include and exclude rules keep a layer in this phase, whatever level or stage."""
    if layer.include and layer.exclude:
        raise ValueError(f"layer `{layer.name}` has both include and exclude rules")
    if layer.include:
        return any(not rule.HasField("phase") or rule.phase == phase for rule in layer.include)
    return not any(rule.HasField("phase") and rule.phase == phase for rule in layer.exclude)


def get_pydot_graph(
    caffe_net: Any,
    rankdir: str,
    label_edges: bool = True,
    phase: Optional[int] = None,
    display_lrm: bool = False,
) -> Any:
    """The graph of a `NetParameter`, or of its layers in one phase.

    `rankdir` is the direction in which data flows: `LR`, `TB` or `BT`.
    """
    try:
        import pydot
    except ImportError as error:
        raise ImportError("drawing a net needs pydot: pip install pydot") from error
    graph = pydot.Dot(_quote(caffe_net.name or "Net"), graph_type="digraph", rankdir=rankdir)
    blobs = set()

    def blob_node(name: str) -> str:
        node = _quote(f"{name}_blob")
        if name not in blobs:
            blobs.add(name)
            graph.add_node(pydot.Node(node, label=_quote(name), **BLOB_STYLE))
        return node

    for index, layer in enumerate(caffe_net.layer):
        if phase is not None and not _in_phase(layer, phase):
            continue
        style = dict(LAYER_STYLE_DEFAULT, fillcolor=choose_color_by_layertype(layer.type))
        if len(layer.top) == 1 and list(layer.bottom) == list(layer.top):
            style = NEURON_LAYER_STYLE
        # Two layers may have one name if they belong to different phases, so the index is added.
        node = _quote(f"{layer.name}_{layer.type}_{index}")
        label = get_layer_label(layer, rankdir, display_lrm=display_lrm)
        graph.add_node(pydot.Node(node, label=label, **style))
        for bottom in layer.bottom:
            graph.add_edge(pydot.Edge(blob_node(bottom), node, label='""'))
        edge_label = _quote(get_edge_label(layer).strip('"') if label_edges else "")
        for top in layer.top:
            graph.add_edge(pydot.Edge(node, blob_node(top), label=edge_label))
    return graph


def draw_net(
    caffe_net: Any,
    rankdir: str,
    ext: str = "png",
    phase: Optional[int] = None,
    display_lrm: bool = False,
) -> bytes:
    """An image of a net in a format of Graphviz (`png`, `svg`, `pdf`), or `raw` for its input."""
    graph = get_pydot_graph(caffe_net, rankdir, phase=phase, display_lrm=display_lrm)
    if ext == "raw":
        return graph.to_string().encode()
    try:
        return graph.create(format=ext)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            "drawing a net needs Graphviz, and `dot` was not found: install the package "
            "`graphviz`, or write a `.raw` file"
        ) from error


def draw_net_to_file(
    caffe_net: Any,
    filename: Any,
    rankdir: str = "LR",
    phase: Optional[int] = None,
    display_lrm: bool = False,
) -> None:
    """Draws a net into a file, whose extension is the format; see `draw_net`."""
    ext = os.path.splitext(filename)[1][1:]
    image = draw_net(caffe_net, rankdir, ext, phase, display_lrm)
    with open(filename, "wb") as file:
        file.write(image)
