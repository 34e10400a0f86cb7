"""Nets written in Python.

`layers` and `params`, usually imported as `L` and `P`, have every layer type and every enum:

    n = NetSpec()
    n.data = L.Input(shape=dict(dim=[1, 3, 32, 32]))
    n.conv = L.Convolution(n.data, kernel_size=3, num_output=16)
    n.pool = L.Pooling(n.conv, kernel_size=2, stride=2, pool=P.Pooling.MAX)
    n.relu = L.ReLU(n.pool, in_place=True)
    print(n.to_proto())

The attribute of the `NetSpec` is the name of the blob and of the layer. A blob that was not
assigned to one is named for its layer type and a count (`Convolution1`). Keywords are fields of
the layer's own parameters (`convolution_param`), or else of `LayerParameter` (`name`,
`loss_weight`, `param`, `include`). Two are ours to handle: `ntop`, the number of tops, and
`in_place`.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any, Callable, Iterable, Union

from google.protobuf.message import Message

from .proto import caffe_pb2

# Layer types that take another type's parameters.
_SHARED_PARAMS = {
    "Deconvolution": "convolution",
    "Im2col": "convolution",
    "LSTM": "recurrent",
    "RNN": "recurrent",
}


def param_name_dict() -> dict[str, str]:
    """Layer type to the name of its parameters without `_param`: `InnerProduct: inner_product`."""
    names = {}
    for field in caffe_pb2.LayerParameter.DESCRIPTOR.fields:
        if field.name.endswith("_param"):
            layer_type = field.message_type.name[:-len("Parameter")]
            names[layer_type] = field.name[:-len("_param")]
    return names


_param_names = param_name_dict()


def to_proto(*tops: Union[Top, Function]) -> Any:
    """A `NetParameter` with the layers that compute `tops`; all blobs get automatic names."""
    return _net(tops, {})


def assign_proto(proto: Message, name: str, val: Any) -> None:
    """Sets a field from a Python value: a dict is a message, a list a repeated field.

    A single value for a repeated field counts as a list of one.
    """
    target = getattr(proto, name)
    if hasattr(target, "extend"):
        for item in val if isinstance(val, (list, tuple)) else [val]:
            if isinstance(item, dict):
                _assign_dict(target.add(), item)
            else:
                target.append(item)
    elif isinstance(val, dict):
        target.SetInParent()  # an empty dict is a message that is present
        _assign_dict(target, val)
    elif isinstance(val, Message):
        target.CopyFrom(val)
    else:
        setattr(proto, name, val)


def _assign_dict(proto: Message, values: dict[str, Any]) -> None:
    for name, val in values.items():
        assign_proto(proto, name, val)


class Top:
    """One output blob of a layer: number `n` of the tops of `fn`."""

    def __init__(self, fn: Function, n: int) -> None:
        self.fn = fn
        self.n = n

    def to_proto(self) -> Any:
        """A `NetParameter` with the layers that compute this blob."""
        return to_proto(self)


class Function:
    """A layer: its type, its inputs, which are tops of other layers, and its parameters."""

    def __init__(self, type_name: str, inputs: Iterable[Top], params: dict[str, Any]) -> None:
        self.type_name = type_name
        self.inputs = tuple(inputs)
        for index, bottom in enumerate(self.inputs):
            if not isinstance(bottom, Top):
                raise TypeError(
                    f"{type_name} input {index} is not a Top (type is {type(bottom)})"
                )
        self.params = dict(params)
        self.ntop: int = self.params.pop("ntop", 1)
        self.in_place: bool = self.params.pop("in_place", False)
        self.tops = tuple(Top(self, n) for n in range(self.ntop))

    @property
    def fn(self) -> Function:
        """The layer itself, so that one without tops can stand where a `Top` can."""
        return self

    def _assign_params(self, layer: Any) -> None:
        own_name = _SHARED_PARAMS.get(self.type_name, _param_names.get(self.type_name))
        field = layer.DESCRIPTOR.fields_by_name.get(f"{own_name}_param")
        own_fields = field.message_type.fields_by_name if field else {}
        for name, val in self.params.items():
            in_layer = name in layer.DESCRIPTOR.fields_by_name
            if name in own_fields and not (in_layer and name.endswith("param")):
                assign_proto(getattr(layer, field.name), name, val)
            elif in_layer:
                assign_proto(layer, name, val)
            else:
                raise AttributeError(f"layer type `{self.type_name}` has no parameter `{name}`")


class NetSpec:
    """A net under construction: assign tops to attributes or items to name them."""

    tops: OrderedDict[str, Union[Top, Function]]

    def __init__(self) -> None:
        super().__setattr__("tops", OrderedDict())

    def __setattr__(self, name: str, value: Union[Top, Function]) -> None:
        self.tops[name] = value

    def __getattr__(self, name: str) -> Any:
        # `copy` and `pickle` ask for attributes before `tops` exists.
        tops = self.__dict__.get("tops", {})
        if name not in tops:
            raise AttributeError(f"this net has no blob `{name}`")
        return tops[name]

    def __setitem__(self, key: str, value: Union[Top, Function]) -> None:
        self.tops[key] = value

    def __getitem__(self, item: str) -> Any:
        return self.tops[item]

    def to_proto(self) -> Any:
        """A `NetParameter` with the layers that compute the assigned blobs."""
        return _net(self.tops.values(), {top: name for name, top in self.tops.items()})


class Layers:
    """Has a function per layer type, `Layers().ReLU(bottom)`, that gives the layer's tops.

    One top is given as such, several as a tuple. Without tops the `Function` itself is given.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def layer_fn(*args: Top, **kwargs: Any) -> Any:
            fn = Function(name, args, kwargs)
            if fn.ntop == 0:
                return fn
            return fn.tops[0] if fn.ntop == 1 else fn.tops

        return layer_fn


class Parameters:
    """Has the messages of layer types, for their enums: `Parameters().Pooling.MAX`."""

    def __getattr__(self, name: str) -> Any:
        message = getattr(caffe_pb2, name + "Parameter", None)
        if message is None:
            raise AttributeError(f"there is no `{name}Parameter`")
        return message


layers = Layers()
params = Parameters()


def _net(tops: Iterable[Union[Top, Function]], names: dict[Any, str]) -> Any:
    """Writes the layers that `tops` need; `names` has those the user chose, and gets the others."""
    counts: Counter[str] = Counter()

    def name(thing: Union[Top, Function]) -> str:
        if thing not in names:
            type_name = thing.fn.type_name
            counts[type_name] += 1
            names[thing] = f"{type_name}{counts[type_name]}"
        return names[thing]

    written: dict[Function, Any] = {}
    for fn in _inputs_first(top.fn for top in tops):
        layer = caffe_pb2.LayerParameter(type=fn.type_name)
        layer.bottom.extend(written[bottom.fn].top[bottom.n] for bottom in fn.inputs)
        layer.top.extend(layer.bottom if fn.in_place else [name(top) for top in fn.tops])
        layer.name = name(fn.tops[0] if fn.tops else fn)
        fn._assign_params(layer)
        written[fn] = layer
    return caffe_pb2.NetParameter(layer=written.values())


def _inputs_first(functions: Iterable[Function]) -> Iterable[Function]:
    """All layers that are needed, each after its inputs, depth first.

    The stack is explicit because deep nets exceed Python's limit on recursion.
    """
    done: dict[Function, None] = {}
    for function in functions:
        stack = [function]
        while stack:
            fn = stack[-1]
            pending = next((top.fn for top in fn.inputs if top.fn not in done), None)
            if pending is not None:
                stack.append(pending)
                continue
            done.setdefault(fn)
            stack.pop()
    return done
