"""How the coordinates of one blob relate to those of another, to crop and align feature maps.

A coordinate map is `(axis, scale, shift)`: input coordinate `i` of a layer becomes output
coordinate `scale * i + shift`. Scale and shift are arrays with one element for all spatial axes,
or one for each. `axis` is the axis before the first spatial one (1 for N x C x H x W), or None for
layers that work on any axis; the identity is `(None, 1, 0)`.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Iterator, Mapping, Optional, Union

import numpy as np

from .net_spec import Function, Top
from .net_spec import layers as L

Number = Union[float, np.ndarray]
CoordMap = tuple[Optional[int], Number, Number]

IDENTITY: CoordMap = (None, 1, 0)

# Layers whose output has a value where each input has one.
PASS_THROUGH_LAYERS = [
    "AbsVal", "BatchNorm", "Bias", "BNLL", "Clip", "Dropout", "ELU", "Eltwise", "Exp", "Log",
    "LRN", "MVN", "Power", "PReLU", "ReLU", "ReLU6", "Scale", "Sigmoid", "Split", "Swish", "TanH",
    "Threshold",
]


class UndefinedMapException(Exception):
    """Coordinates cannot be mapped through a layer of this type."""


class AxisMismatchException(Exception):
    """Two maps are about different axes and cannot be composed."""


def _spatial(params: Mapping[str, Any], name: str, stem: str, default: int) -> np.ndarray:
    """A spatial parameter as an array, written as `name` or as `<stem>_h` and `<stem>_w`."""
    if f"{stem}_h" in params or f"{stem}_w" in params:
        return np.array([params.get(f"{stem}_h", default), params.get(f"{stem}_w", default)])
    return np.array(params.get(name, default), ndmin=1)


def conv_params(fn: Function) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Axis, stride, kernel and padding of a layer with a window; the kernel includes dilation."""
    params = fn.params
    for message in ("convolution_param", "pooling_param"):
        params = fn.params.get(message, params)
    kernel = _spatial(params, "kernel_size", "kernel", 0)
    if not kernel.all():
        raise UndefinedMapException(f"a layer of type `{fn.type_name}` has no kernel size")
    kernel = (kernel - 1) * np.array(params.get("dilation", 1), ndmin=1) + 1
    stride = _spatial(params, "stride", "stride", 1)
    pad = _spatial(params, "pad", "pad", 0)
    return params.get("axis", 1), stride, kernel, pad


def crop_params(fn: Function) -> tuple[int, np.ndarray]:
    """Axis and offset of a Crop layer."""
    params = fn.params.get("crop_param", fn.params)
    return params.get("axis", 2), np.array(params.get("offset", 0), ndmin=1)


def coord_map(fn: Function) -> CoordMap:
    """The map of one layer, from its bottoms to its tops."""
    if fn.type_name in PASS_THROUGH_LAYERS:
        return IDENTITY
    if fn.type_name in ("Convolution", "Pooling", "Im2col"):
        axis, stride, kernel, pad = conv_params(fn)
        return axis, 1 / stride, (pad - (kernel - 1) / 2) / stride
    if fn.type_name == "Deconvolution":
        axis, stride, kernel, pad = conv_params(fn)
        return axis, stride, (kernel - 1) / 2 - pad
    if fn.type_name == "Crop":
        axis, offset = crop_params(fn)
        return axis - 1, 1, -offset
    raise UndefinedMapException(f"layer type `{fn.type_name}` has no coordinate map")


def compose(base_map: CoordMap, next_map: CoordMap) -> CoordMap:
    """The map that applies `next_map` and then `base_map`."""
    base_axis, base_scale, base_shift = base_map
    next_axis, next_scale, next_shift = next_map
    if base_axis is not None and next_axis is not None and base_axis != next_axis:
        raise AxisMismatchException(f"maps of axes {base_axis} and {next_axis} do not compose")
    axis = next_axis if base_axis is None else base_axis
    return axis, base_scale * next_scale, base_scale * next_shift + base_shift


def inverse(coord_map: CoordMap) -> CoordMap:
    """The map from output coordinates to input coordinates."""
    axis, scale, shift = coord_map
    return axis, 1 / scale, -shift / scale


def _ancestors(top: Top) -> Iterator[tuple[Top, CoordMap]]:
    """Every blob from which `top` can be mapped, nearest first, with the map from it to `top`.

    Where several paths lead to a blob, all have the same map if the net fits together, and the
    shortest counts.
    """
    maps = {top: IDENTITY}
    queue = deque([top])
    while queue:
        top = queue.popleft()
        yield top, maps[top]
        try:
            step = coord_map(top.fn)
        except UndefinedMapException:
            continue
        # The second bottom of Crop gives only the size.
        bottoms = top.fn.inputs[:1] if top.fn.type_name == "Crop" else top.fn.inputs
        for bottom in bottoms:
            if bottom not in maps:
                maps[bottom] = compose(maps[top], step)
                queue.append(bottom)


def coord_map_from_to(top_from: Top, top_to: Top) -> CoordMap:
    """The map from coordinates of `top_from` to those of `top_to`, through a common ancestor."""
    from_maps = dict(_ancestors(top_from))
    for top, to_map in _ancestors(top_to):
        if top in from_maps:
            return compose(to_map, inverse(from_maps[top]))
    raise RuntimeError(
        "there is no map between these blobs: no ancestor that both have is connected to them by "
        "layers with a coordinate map"
    )


def crop(top_from: Top, top_to: Top) -> Top:
    """A Crop layer that cuts `top_from` to the part that `top_to` covers.

    Raises AssertionError, which callers of pycaffe expect, if cropping cannot align the two.
    """
    axis, scale, shift = coord_map_from_to(top_from, top_to)
    scale, shift = np.atleast_1d(scale), np.atleast_1d(shift)
    if not (scale == 1).all():
        raise AssertionError(f"cannot crop: the scales of the blobs differ by {scale}")
    if not (shift <= 0).all():
        raise AssertionError(f"cannot crop: the offset {-shift} is negative")
    if not (np.round(shift) == shift).all():
        raise AssertionError(f"cannot crop: the offset {-shift} is not a whole number")
    first_axis = 2 if axis is None else axis + 1
    offset = [int(-x) for x in shift]
    return L.Crop(top_from, top_to, crop_param=dict(axis=first_axis, offset=offset))
