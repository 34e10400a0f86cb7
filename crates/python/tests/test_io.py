"""Arrays to and from messages, and images to and from input blobs."""

import sys

import numpy as np
import pytest

import caffe
from caffe.proto import caffe_pb2

RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (1, 2, 3, 4, 5)])
def test_blob_round_trip(shape):
    data, diff = RANDOM.random(shape).astype("f4"), RANDOM.random(shape).astype("f4")
    blob = caffe.io.array_to_blobproto(data, diff)
    np.testing.assert_array_equal(caffe.io.blobproto_to_array(blob), data)
    np.testing.assert_array_equal(caffe.io.blobproto_to_array(blob, return_diff=True), diff)
    (again,) = caffe.io.blobprotovector_str_to_arraylist(
        caffe.io.arraylist_to_blobprotovector_str([data])
    )
    np.testing.assert_array_equal(again, data)


# Fields of a blob, and the shape of the array or the error.
BLOBS = [
    (dict(data=[1, 2], num=1, channels=2, height=1, width=1), (1, 2, 1, 1)),
    (dict(double_data=[1, 2], shape=dict(dim=[2])), (2,)),
    (dict(data=[1]), ()),
    (dict(data=[1, 2]), "shape () cannot have 2 values"),
    (dict(data=[1, 2], shape=dict(dim=[3])), "shape (3,) cannot have 2 values"),
]


@pytest.mark.parametrize("fields, want", BLOBS)
def test_blob_shape(fields, want):
    blob = caffe_pb2.BlobProto(**fields)
    if isinstance(want, tuple):
        assert caffe.io.blobproto_to_array(blob).shape == want
        return
    with pytest.raises(ValueError) as error:
        caffe.io.blobproto_to_array(blob)
    assert want in str(error.value)


@pytest.mark.parametrize("dtype, field", [("uint8", "data"), ("float32", "float_data")])
def test_datum_round_trip(dtype, field):
    pixels = (RANDOM.random((3, 4, 5)) * 255).astype(dtype)
    datum = caffe.io.array_to_datum(pixels, label=np.int64(7))
    assert (datum.channels, datum.height, datum.width, datum.label) == (3, 4, 5, 7)
    assert len(getattr(datum, field)) == 60
    again = caffe.io.datum_to_array(datum)
    np.testing.assert_array_equal(again, pixels)
    again[...] = 0  # writable


def test_datum_errors():
    with pytest.raises(ValueError, match="three axes"):
        caffe.io.array_to_datum(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="encoded"):
        caffe.io.datum_to_array(caffe_pb2.Datum(data=b"x", encoded=True))


def transformer(shape=(1, 3, 4, 5)):
    return caffe.io.Transformer({"data": shape})


def test_preprocess_applies_all_steps_and_deprocess_undoes_them():
    t = transformer()
    t.set_transpose("data", (2, 0, 1))
    t.set_channel_swap("data", (2, 1, 0))
    t.set_raw_scale("data", 255)
    t.set_mean("data", np.array([10.0, 20.0, 30.0]))
    t.set_input_scale("data", 0.5)
    image = RANDOM.random((4, 5, 3)).astype("f4")
    before = image.copy()
    blob = t.preprocess("data", image)
    want = (image.transpose(2, 0, 1)[::-1] * 255 - np.array([10, 20, 30])[:, None, None]) * 0.5
    np.testing.assert_allclose(blob, want, rtol=1e-5)
    assert blob.dtype == np.float32
    np.testing.assert_array_equal(image, before)
    np.testing.assert_allclose(t.deprocess("data", blob[np.newaxis]), image, rtol=1e-5, atol=1e-6)


def test_deprocess_of_one_channel():
    blob = np.ones((1, 1, 4, 5), dtype=np.float32)
    t = transformer((1, 1, 4, 5))
    assert t.deprocess("data", blob).shape == (4, 5)
    t.set_transpose("data", (2, 0, 1))
    assert t.deprocess("data", blob).shape == (4, 5, 1)


MEANS = [((3,), (3, 1, 1)), ((3, 4, 5), (3, 4, 5)), ((3, 8, 9), (3, 4, 5)), ((8, 9), (1, 4, 5))]


@pytest.mark.parametrize("shape, want", MEANS)
def test_mean_fits_the_input(shape, want):
    t = transformer()
    t.set_mean("data", np.full(shape, 7.0))
    assert t.mean["data"].shape == want
    assert (t.mean["data"] == 7).all()


ERRORS = [
    ("set_raw_scale", "labels", 1, "`labels` is not an input of this net; its inputs: `data`"),
    ("preprocess", "labels", np.zeros(1), "`labels` is not an input"),
    ("deprocess", "labels", np.zeros(1), "`labels` is not an input"),
    ("set_transpose", "data", (1, 0), "2 axes given, an image has 3"),
    ("set_channel_swap", "data", (0, 1), "2 channels given, the input has 3"),
    ("set_mean", "data", np.zeros(4), "4 channels given, the input has 3"),
    ("set_mean", "data", np.zeros((2, 4, 5)), "2 channels given, the input has 3"),
    ("set_mean", "data", np.zeros((1, 3, 4, 5)), "has 4 axes"),
]


@pytest.mark.parametrize("method, name, value, message", ERRORS)
def test_transformer_errors(method, name, value, message):
    with pytest.raises(ValueError) as error:
        getattr(transformer(), method)(name, value)
    assert message in str(error.value)


SIZES = [((7, 9), (14, 20)), ((7, 9), (3, 4)), ((5, 5), (5, 9)), ((6, 1), (2, 3)), ((4, 4), (1, 1))]


@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("old, new", SIZES)
def test_resize_agrees_with_the_libraries_of_pycaffe(old, new, channels, order):
    ndimage = pytest.importorskip("scipy.ndimage")
    transform = pytest.importorskip("skimage.transform")
    image = RANDOM.random((*old, channels)) * 300 - 100
    if channels in (1, 3):
        low, high = image.min(), image.max()
        unit = (image - low) / (high - low)
        unit = transform.resize(unit, new, order=order, mode="constant", anti_aliasing=False)
        want = unit * (high - low) + low
    else:
        want = ndimage.zoom(image, (new[0] / old[0], new[1] / old[1], 1), order=order)
    got = caffe.io.resize_image(image, new, interp_order=order)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, want, atol=1e-3)


def test_resize_of_a_constant_image():
    assert (caffe.io.resize_image(np.full((2, 2, 3), 5.0), (4, 3)) == 5).all()


@pytest.mark.parametrize("size, center", [((8, 10), (2, 3)), ((7, 9), (1, 2))])
def test_oversample(size, center):
    images = RANDOM.random((2, *size, 3)).astype("f4")
    crops = caffe.io.oversample(images, (4, 4))
    assert crops.shape == (20, 4, 4, 3)
    bottom, right = size[0] - 4, size[1] - 4
    corners = [(0, 0), (0, right), (bottom, 0), (bottom, right), center]
    for i, (y, x) in enumerate(corners):
        want = images[1, y:y + 4, x:x + 4]
        np.testing.assert_array_equal(crops[10 + i], want)
        np.testing.assert_array_equal(crops[15 + i], want[:, ::-1])
    with pytest.raises(ValueError, match="does not fit"):
        caffe.io.oversample(images, (20, 4))


# Modes of the file: grey or colour, without and with alpha.
@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
@pytest.mark.parametrize("color, channels", [(True, 3), (False, 1)])
def test_load_image(tmp_path, mode, color, channels):
    pytest.importorskip("skimage")
    pil = pytest.importorskip("PIL.Image")
    path = tmp_path / "image.png"
    pil.new(mode, (6, 5), 255 if mode == "L" else (255,) * len(mode)).save(path)
    image = caffe.io.load_image(str(path), color=color)
    assert (image.shape, image.dtype) == ((5, 6, channels), np.float32)
    np.testing.assert_allclose(image, 1, rtol=1e-6)


def test_load_image_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage", None)
    with pytest.raises(ImportError, match="pip install scikit-image"):
        caffe.io.load_image("image.png")
