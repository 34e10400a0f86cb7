"""Maps between the coordinates of blobs, and the crops that follow from them."""

import numpy as np
import pytest

from caffe import layers as L
from caffe.coord_map import (
    AxisMismatchException,
    UndefinedMapException,
    compose,
    coord_map,
    coord_map_from_to,
    crop,
    inverse,
)

# A layer, and its map from input to output: axis, scale, shift. A window of odd size k centred on
# input i with padding p becomes output (i + p - (k - 1) / 2) / stride.
MAPS = [
    (L.Convolution(kernel_size=3), (1, [1], [-1])),
    (L.Convolution(kernel_size=3, pad=1), (1, [1], [0])),
    (L.Convolution(kernel_size=3, dilation=2, pad=2), (1, [1], [0])),
    (L.Convolution(kernel_size=5, stride=2, pad=0), (1, [1 / 2], [-1])),
    (L.Convolution(kernel_size=[3, 5], stride=[1, 2]), (1, [1, 1 / 2], [-1, -1])),
    (L.Convolution(kernel_h=3, kernel_w=5, pad_h=1, pad_w=2), (1, [1], [0, 0])),
    (L.Convolution(convolution_param=dict(kernel_size=1, axis=2)), (2, [1], [0])),
    (L.Pooling(kernel_size=2, stride=2), (1, [1 / 2], [-1 / 4])),
    (L.Pooling(pooling_param=dict(kernel_size=3, stride=3)), (1, [1 / 3], [-1 / 3])),
    (L.Im2col(kernel_size=3), (1, [1], [-1])),
    (L.Deconvolution(kernel_size=4, stride=2, pad=1), (1, [2], [1 / 2])),
    (L.Crop(axis=2, offset=3), (1, [1], [-3])),
    (L.Crop(crop_param=dict(axis=3)), (2, [1], [0])),
    (L.ReLU(), (None, [1], [0])),
    (L.Eltwise(), (None, [1], [0])),
    (L.InnerProduct(num_output=1), UndefinedMapException),
    (L.Pooling(global_pooling=True), UndefinedMapException),
]


@pytest.mark.parametrize("top, want", MAPS)
def test_map_of_a_layer(top, want):
    if want is UndefinedMapException:
        with pytest.raises(want, match=top.fn.type_name):
            coord_map(top.fn)
        return
    axis, scale, shift = coord_map(top.fn)
    assert axis == want[0]
    np.testing.assert_allclose(np.atleast_1d(scale), want[1])
    np.testing.assert_allclose(np.atleast_1d(shift), want[2])


def test_compose_and_inverse():
    first, second = (1, 2.0, 3.0), (None, 5.0, 7.0)
    # 2 (5 i + 7) + 3
    assert compose(first, second) == (1, 10.0, 17.0)
    assert compose(first, inverse(first)) == (1, 1.0, 0.0)
    with pytest.raises(AxisMismatchException, match="axes 1 and 2"):
        compose(first, (2, 1, 0))


def encoder_decoder(pool=2, dpad=0, kernel=3):
    """Input, 3 x 3 convolution, pooling, and a deconvolution that undoes the pooling."""
    data = L.Input()
    down = L.Pooling(L.Convolution(data, kernel_size=kernel), kernel_size=pool, stride=pool)
    return data, L.Deconvolution(down, kernel_size=2 * pool, stride=pool, pad=dpad)


# Pooling, padding of the deconvolution, and the offset of the crop; p / 2 - 1 without padding.
@pytest.mark.parametrize("pool, dpad, offset", [(2, 0, 0), (4, 0, 1), (8, 0, 3), (8, 2, 1)])
def test_crop(pool, dpad, offset):
    data, up = encoder_decoder(pool, dpad)
    cropped = crop(up, data)
    assert cropped.fn.inputs == (up, data)
    assert cropped.fn.params == {"crop_param": {"axis": 2, "offset": [offset]}}
    assert cropped.to_proto().layer[-1].crop_param.offset == [offset]
    axis, scale, shift = coord_map_from_to(cropped, data)
    assert (axis, scale, shift) == (1, 1, 0)


def test_crop_through_pointwise_layers_only():
    data = L.Input()
    assert crop(L.ReLU(data), data).fn.params == {"crop_param": {"axis": 2, "offset": [0]}}


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(dpad=10), "offset .* is negative"),
        (dict(kernel=4), "offset .* not a whole number"),
    ],
)
def test_crop_errors(options, message):
    data, up = encoder_decoder(**{"pool": 4, **options})
    with pytest.raises(AssertionError, match=message):
        crop(up, data)


def test_crop_of_another_scale():
    data = L.Input()
    with pytest.raises(AssertionError, match="scales"):
        crop(L.Pooling(data, kernel_size=2, stride=2), data)


def test_blobs_without_a_map_between_them():
    data = L.Input()
    for top in (L.Input(), L.InnerProduct(data, num_output=1)):
        with pytest.raises(RuntimeError, match="no map between these blobs"):
            coord_map_from_to(top, data)


def test_many_paths_take_no_exponential_time():
    data = top = L.Input()
    for _ in range(100):
        top = L.Eltwise(top, L.Convolution(top, kernel_size=3, pad=1))
    _, scale, shift = coord_map_from_to(top, data)
    assert (scale, shift) == (1, 0)
