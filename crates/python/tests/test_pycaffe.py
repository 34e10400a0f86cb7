"""What `pycaffe` adds to a net, and the nets for images."""

import re

import numpy as np
import pytest

import caffe

SHAPE = (4, 3, 6, 8)
# Twice the image, by a param that is 2, and its sum per channel.
NET = """
force_backward: true
layer { name: "input" type: "Input" top: "data"
        input_param { shape { dim: 4 dim: 3 dim: 6 dim: 8 } } }
layer { name: "double" type: "Scale" bottom: "data" top: "twice"
        scale_param { axis: 0 num_axes: 0 filler { type: "constant" value: 2 } } }
layer { name: "sum" type: "Reduction" bottom: "twice" top: "prob" loss_weight: 1
        reduction_param { axis: 2 } }
"""


@pytest.fixture
def net(tmp_path):
    """The net; its `passes` are the layers that ran, which hooks add."""
    (tmp_path / "net.prototxt").write_text(NET)
    net = caffe.Net(str(tmp_path / "net.prototxt"), caffe.TEST)
    net.passes = []
    net.before_forward(net.passes.append)
    net.before_backward(net.passes.append)
    return net


def test_dictionaries(net):
    assert list(net.blobs) == ["data", "twice", "prob"]
    assert net.blobs is net.blobs
    assert list(net.layer_dict) == ["input", "double", "sum"]
    assert list(net.params) == ["double"]
    assert net.params["double"][0].data == 2
    assert (net.inputs, net.outputs) == (["data"], ["prob"])
    assert dict(net.top_names) == {"input": ["data"], "double": ["twice"], "sum": ["prob"]}
    assert dict(net.bottom_names) == {"input": [], "double": ["data"], "sum": ["twice"]}
    assert dict(net.blob_loss_weights) == {"data": 0, "twice": 0, "prob": 1}


# Arguments of forward, the layers that run, and the blobs that are returned.
FORWARDS = [
    (dict(), [0, 1, 2], ["prob"]),
    (dict(blobs=["twice"]), [0, 1, 2], ["prob", "twice"]),
    (dict(start="double"), [1, 2], ["prob"]),
    (dict(start="double", end="double"), [1], ["twice"]),
    (dict(data=np.ones(SHAPE)), [0, 1, 2], ["prob"]),
]


@pytest.mark.parametrize("arguments, layers, names", FORWARDS)
def test_forward(net, arguments, layers, names):
    result = net.forward(**arguments)
    assert net.passes == layers
    assert list(result) == names
    if "data" in arguments:
        assert (result["prob"] == 96).all()


BACKWARDS = [
    (dict(), [2, 1, 0], ["data"]),
    (dict(diffs=["twice"]), [2, 1, 0], ["data", "twice"]),
    (dict(start="sum", end="sum"), [2], ["twice"]),
    (dict(prob=np.ones((4, 3))), [2, 1, 0], ["data"]),
]


@pytest.mark.parametrize("arguments, layers, names", BACKWARDS)
def test_backward(net, arguments, layers, names):
    result = net.backward(**arguments)
    assert net.passes == layers
    assert list(result) == names
    if "prob" in arguments:
        assert (result["data"] == 2).all()


ERRORS = [
    ("forward", dict(start="conv"), "no layer `conv`; its layers: input, double, sum"),
    ("forward", dict(blobs=["conv"]), "no blob `conv`"),
    ("forward", dict(image=1), "data arrays must be given for `data`, and were for `image`"),
    ("forward", dict(data=np.zeros((2, 3, 6, 8))), "not one batch of (4, 3, 6, 8)"),
    ("forward", dict(data=np.zeros((4, 1, 5, 8))), "`data`: data of shape (4, 1, 5, 8) does not"),
    ("backward", dict(data=np.zeros(SHAPE)), "diff arrays must be given for `prob`"),
    ("forward_all", dict(), "at least one array"),
    ("forward_all", dict(data=np.zeros((0, 3, 6, 8))), "at least one row"),
    ("backward_all", dict(), "at least one array"),
    ("backward_all", dict(data=np.zeros(SHAPE)), "diff arrays must be given for `prob`"),
    ("forward_backward_all", dict(data=np.zeros(SHAPE), prob=np.zeros((2, 3))),
     "different numbers of rows: `data` 4, `prob` 2"),
    ("forward_backward_all", dict(twice=np.zeros(SHAPE)), "`twice` is neither an input"),
    ("set_input_arrays", dict(data=np.zeros(SHAPE), labels=np.zeros(3)), "N labels"),
]


@pytest.mark.parametrize("method, arguments, message", ERRORS)
def test_errors(net, method, arguments, message):
    with pytest.raises(ValueError) as error:
        getattr(net, method)(**arguments)
    assert message in str(error.value)


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 8, 11])
def test_arrays_of_any_length(net, rows):
    data = np.random.default_rng(rows).random((rows, *SHAPE[1:]), dtype=np.float32)
    want = 2 * data.sum(axis=(2, 3))
    outputs = net.forward_all(data=data, blobs=["twice"])
    np.testing.assert_allclose(outputs["prob"], want, rtol=1e-5)
    np.testing.assert_array_equal(outputs["twice"], 2 * data)
    assert len(net.passes) == 3 * -(-rows // 4)
    diff = np.arange(3 * rows).reshape((rows, 3))
    outputs, diffs = net.forward_backward_all(data=data, prob=diff)
    np.testing.assert_allclose(outputs["prob"], want, rtol=1e-5)
    np.testing.assert_array_equal(diffs["data"][:, :, 5, 7], 2 * diff)
    back = net.backward_all(prob=diff, diffs=["twice"])
    np.testing.assert_array_equal(back["data"], diffs["data"])
    assert back["twice"].shape == (rows, *SHAPE[1:])


@pytest.fixture
def image_net(tmp_path, net):
    """Makes a `Classifier` or `Detector` of the net, whose params are in a file."""
    net.save(str(tmp_path / "x.caffemodel"))
    files = [str(tmp_path / name) for name in ("net.prototxt", "x.caffemodel")]
    return lambda cls, **options: cls(*files, **options)


@pytest.mark.parametrize("oversample", [True, False])
def test_classifier(image_net, oversample):
    net = image_net(caffe.Classifier, image_dims=(8, 10), raw_scale=10, input_scale=0.5,
                    mean=np.array([1.0, 2.0, 3.0]), channel_swap=(2, 1, 0))
    images = np.random.default_rng(2).random((3, 8, 10, 3))
    corners = [(0, 0), (0, 2), (2, 0), (2, 2), (1, 1)] if oversample else [(1, 1)]
    crops = np.stack([images[:, y:y + 6, x:x + 8] for y, x in corners])
    # The net gives twice the sum over the pixels of each channel, which a mirror does not change.
    want = (2 * 0.5 * (10 * crops[..., ::-1] - [1, 2, 3])).sum(axis=(2, 3)).mean(axis=0)
    np.testing.assert_allclose(net.predict(images, oversample=oversample), want, rtol=1e-4)


def test_classifier_resizes_to_the_input_by_default(image_net):
    net = image_net(caffe.Classifier)
    scores = net.predict([np.ones((20, 30, 3)), np.zeros((5, 5, 3))])
    np.testing.assert_allclose(scores, [[96, 96, 96], [0, 0, 0]])


def test_classifier_of_a_net_without_inputs(image_net, tmp_path):
    data = 'type: "DummyData" top: "data" dummy_data_param { shape { dim: 1 dim: 3 } } }'
    text = re.sub(r'type: "Input".*?\n.*', data, NET).replace("axis: 2", "axis: 1")
    (tmp_path / "net.prototxt").write_text(text)
    with pytest.raises(ValueError, match="deploy prototxt"):
        image_net(caffe.Classifier)


def test_detector(image_net, tmp_path):
    pytest.importorskip("skimage")
    pil = pytest.importorskip("PIL.Image")
    path = str(tmp_path / "image.png")
    pil.new("RGB", (20, 16), (255, 0, 255)).save(path)
    net = image_net(caffe.Detector)
    windows = [(0, 0, 6, 8), (2, 2, 8, 10), (4, 0, 10, 8), (0, 4, 6, 12), (0, 0, 12, 16)]
    found = net.detect_windows(iter([(path, windows)]))
    assert [detection["window"] for detection in found] == windows
    assert found[0]["filename"] == path
    np.testing.assert_allclose(found[0]["prediction"], [96, 0, 96])
    assert net.detect_windows([]) == []
    with pytest.raises(NotImplementedError, match="detect_windows"):
        net.detect_selective_search([path])


def test_detector_shows_the_mean_where_the_image_ends(image_net):
    mean = np.array([1.0, 2.0, 3.0])
    net = image_net(caffe.Detector, context_pad=1, mean=mean, raw_scale=2, channel_swap=(2, 1, 0))
    image = np.full((20, 20, 3), 9.0)
    assert net.crop(image, (5, 5, 15, 15)).shape == (6, 8, 3)
    assert (net.crop(image, (5, 5, 15, 15)) == 9).all()
    crop = net.crop(image, (0, 0, 10, 10))
    np.testing.assert_allclose(crop[0, 0], [1.5, 1.0, 0.5])
    assert (crop[2:, 2:] == 9).all()
    blob = net.transformer.preprocess("data", crop)
    np.testing.assert_allclose(blob[:, 0, 0], 0, atol=1e-6)
    with pytest.raises(ValueError, match="outside"):
        net.crop(image, (50, 50, 60, 60))
    with pytest.raises(ValueError, match="leaves nothing"):
        net.configure_crop(3)
