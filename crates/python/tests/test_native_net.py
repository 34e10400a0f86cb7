"""Nets of the native module: views, passes, ranges, reshape, hooks, weights, misuse."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

import caffe
from native import elsewhere, refusal

NET = """
name: "small" force_backward: true
layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 dim: 6 dim: 6 } } }
layer { name: "conv" type: "Convolution" bottom: "x" top: "conv"
        convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool"
        pooling_param { pool: MAX kernel_size: 2 stride: 2 } }
layer { name: "ip" type: "InnerProduct" bottom: "pool" top: "ip"
        inner_product_param { num_output: 5 weight_filler { type: "xavier" } } }
layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" }
"""


@pytest.fixture
def make(tmp_path):
    """Makes nets of prototxts."""

    def make(text=NET, phase=caffe.TEST, **options):
        path = tmp_path / f"net{len(list(tmp_path.iterdir()))}.prototxt"
        path.write_text(text)
        return caffe.Net(str(path), phase, **options)

    return make


def random(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_views_show_what_passes_write_and_layers_see_what_views_write(make):
    net = make()
    x, conv, prob = (net.blobs[name].data for name in ("x", "conv", "prob"))
    assert x.flags.c_contiguous and x.flags.writeable and x.dtype == np.float32
    x[...] = random(x.shape)
    first = net.forward()["prob"].copy()
    assert (conv >= 0).all() and conv.any()
    np.testing.assert_allclose(prob.sum(axis=1), 1, rtol=1e-5)
    x.reshape(-1)[:] = random(x.size, 1)
    net.forward()
    assert not np.array_equal(prob, first)
    x.ravel()[:] = random(x.size)
    net.forward()
    assert np.array_equal(prob, first)


def test_views_outlive_their_net(make):
    net = make()
    net.blobs["x"].data[...] = 3
    weights = net.params["conv"][0].data
    arrays = [blob.data for blob in net.blobs.values()] + [weights]
    before = [array.copy() for array in arrays]
    blob = net.blobs["prob"]
    del net
    gc.collect()
    for array, want in zip(arrays, before):
        assert np.array_equal(array, want)
        array[...] = 1
    assert blob.shape == (2, 5) and (blob.data == 1).all() and not blob.diff.any()


def test_a_range_starts_from_what_is_in_a_blob(make):
    net = make()
    net.blobs["x"].data[...] = random((2, 3, 6, 6))
    net.forward()
    conv = random((2, 4, 4, 4), 1)
    net.blobs["conv"].data[...] = conv
    got = net.forward(start="pool", end="pool")["pool"]
    assert np.array_equal(got, conv.reshape(2, 4, 2, 2, 2, 2).max(axis=(3, 5)))
    np.testing.assert_array_equal(net.blobs["conv"].data, conv)


def test_backward_uses_diffs_and_values_that_were_set(make):
    net = make()
    x = net.blobs["x"].data
    x[...] = random(x.shape)
    net.forward()
    weights = net.params["ip"][0].data
    diff = random((2, 5), 2)
    net.blobs["ip"].diff[...] = diff
    got = net.backward(start="ip", end="ip")["pool"]
    np.testing.assert_allclose(got.reshape(2, -1), diff @ weights, rtol=1e-4, atol=1e-6)
    net.blobs["pool"].data[...] = pooled = random((2, 4, 2, 2), 3)
    net.clear_param_diffs()
    net.backward(start="ip", end="ip")
    want = diff.T @ pooled.reshape(2, -1)
    np.testing.assert_allclose(net.params["ip"][0].diff, want, rtol=1e-4, atol=1e-6)
    net.backward(start="ip", end="ip")
    np.testing.assert_allclose(net.params["ip"][0].diff, 2 * want, rtol=1e-4, atol=1e-6)


def test_values_set_before_backward_count_in_other_memory_orders_too(make):
    net = make()
    x, weights = net.blobs["x"].data, net.params["conv"][0]
    x[...] = random(x.shape)
    net.forward()
    x[...] = 0
    net.blobs["conv"].diff[...] = 1
    net.backward(start="conv", end="conv")
    assert not weights.diff.any(), "the gradient of weights is a product with the bottom"
    assert (net.params["conv"][1].diff == 2 * 16).all()


def test_gradients_are_those_of_differences(make):
    net = make()
    x = net.blobs["x"].data
    x[...] = random(x.shape)
    net.forward()
    net.backward(prob=np.eye(2, 5, dtype=np.float32))
    diff, eps = net.blobs["x"].diff.copy(), 1e-2
    for at in [(0, 0, 2, 2), (1, 2, 3, 1)]:
        sums = []
        for sign in (1, -1):
            x[at] += sign * eps
            sums.append((net.forward()["prob"] * np.eye(2, 5)).sum())
            x[at] -= sign * eps
        assert (sums[0] - sums[1]) / (2 * eps) == pytest.approx(diff[at], rel=0.05, abs=1e-4)


def test_output_diffs_are_kept_and_losses_begin_with_their_weight(make):
    loss = """layer { name: "label" type: "Input" top: "label" input_param { shape { dim: 2 } } }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss"
            loss_weight: 3 }"""
    net = make(NET.replace('layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" }', loss))
    assert net.blobs["loss"].diff == 3
    assert net.blobs["label"].diff.shape == (2,) and net.blobs["loss"].data.shape == ()
    net.blobs["x"].data[...] = random((2, 3, 6, 6))
    net.forward()
    net.backward()
    diff = net.blobs["ip"].diff.copy()
    net.blobs["loss"].diff[...] = 6
    net.backward()
    assert net.blobs["loss"].diff == 6
    np.testing.assert_allclose(net.blobs["ip"].diff, 2 * diff, rtol=1e-6)


def test_reshape_is_in_force_at_once_and_propagates(make):
    net = make()
    weights = net.params["ip"][0].data.copy()
    net.blobs["x"].reshape(7, 3, 6, 6)
    assert net.blobs["x"].data.shape == (7, 3, 6, 6)
    assert net.blobs["prob"].shape == (2, 5)
    net.reshape()
    assert net.blobs["prob"].shape == (7, 5)
    net.blobs["x"].data[...] = random((7, 3, 6, 6))
    out = net.forward()["prob"].copy()
    assert out.shape == (7, 5)
    net.blobs["x"].reshape(1, 3, 6, 6)
    net.blobs["x"].data[...] = random((7, 3, 6, 6))[:1]
    np.testing.assert_allclose(net.forward()["prob"], out[:1], rtol=1e-5)
    assert np.array_equal(net.params["ip"][0].data, weights)
    net.blobs["x"].reshape(1, 3, 8, 8)
    with pytest.raises(RuntimeError, match="param 0"):
        net.forward()
    net.blobs["x"].reshape(2, 3, 6, 6)
    assert net.forward()["prob"].shape == (2, 5)
    net.blobs["ip"].reshape(1)
    assert net.forward()["prob"].shape == (2, 5), "a layer gives its top its shape again"


def test_reshape_changes_the_number_of_axes(make):
    net = make("""
    layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 dim: 4 } } }
    layer { name: "double" type: "Power" bottom: "x" top: "y" power_param { scale: 2 } }
    layer { name: "prob" type: "Softmax" bottom: "y" top: "prob" }""")
    for shape in [(2, 3, 4), (2, 3, 4, 5), (3, 2), (1, 2, 3, 4, 5), (2, 3, 4, 5), (6,)]:
        if len(shape) < 2:
            continue
        net.blobs["x"].reshape(*shape)
        net.blobs["x"].data[...] = x = random(shape)
        prob = net.forward()["prob"]
        want = np.exp(2 * x) / np.exp(2 * x).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(prob, want, rtol=1e-4)


def test_a_net_of_images_takes_other_axes(make):
    net = make("""
    layer { name: "in" type: "Input" top: "x"
            input_param { shape { dim: 2 dim: 3 dim: 4 dim: 5 } } }
    layer { name: "lrn" type: "LRN" bottom: "x" top: "y" }
    layer { name: "sum" type: "Power" bottom: "y" top: "z" power_param { shift: 1 } }
    layer { name: "prob" type: "Softmax" bottom: "z" top: "prob" }""")
    net.blobs["x"].data[...] = random((2, 3, 4, 5))
    want = net.forward()["prob"].copy()
    net.blobs["x"].reshape(2, 3, 20)
    with pytest.raises(RuntimeError):
        net.forward()
    net.blobs["x"].reshape(2, 3, 4, 5)
    assert np.array_equal(net.forward()["prob"], want)


def test_hooks_see_every_layer_and_may_look_and_change(make):
    net, seen = make(), []
    net.before_forward(lambda layer: seen.append(("before", layer)))
    net.after_forward(lambda layer: seen.append(("after", layer)))
    net.before_backward(lambda layer: seen.append(("back", layer)))

    def clear(layer):
        if net._layer_names[layer] == "pool":
            net.blobs["pool"].data[...] = 0

    net.after_forward(clear)
    net.blobs["x"].data[...] = random((2, 3, 6, 6))
    prob = net.forward()["prob"]
    assert seen == [(when, layer) for layer in range(6) for when in ("before", "after")]
    np.testing.assert_allclose(prob, 0.2)
    net.backward()
    assert seen[-6:] == [("back", layer) for layer in range(5, -1, -1)]
    with pytest.raises(TypeError, match="a function"):
        net.after_backward(3)

    class Stop(Exception):
        pass

    def stop(layer):
        raise Stop(layer)

    net.before_forward(stop)
    with pytest.raises(Stop):
        net.forward()


def test_a_net_with_hooks_that_refer_to_it_is_freed(make):
    net = make()
    net.after_forward(lambda layer, net=net: net.blobs["x"].data)
    net.forward()
    alive = weakref.ref(net)
    gc.collect()
    assert alive() is net and net.forward()["prob"].shape == (2, 5)
    del net
    gc.collect()
    assert alive() is None


def test_splits_and_names_are_caffes(make):
    net = make("""
    layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 } } }
    layer { name: "a" type: "Power" bottom: "x" top: "a" }
    layer { name: "b" type: "Power" bottom: "x" top: "b" }
    layer { name: "s" type: "Silence" bottom: "a" }""")
    assert list(net._layer_names) == ["in", "x_in_0_split", "a", "b", "s"]
    assert list(net.blobs) == ["x", "x_in_0_split_0", "x_in_0_split_1", "a", "b"]
    assert net.layers[1].type == "Split" and net.outputs == ["b"] and net.inputs == ["x"]
    net.blobs["x"].data[...] = 5
    assert (net.blobs["x_in_0_split_1"].data == 5).all(), "splits share memory"


def test_weights_are_saved_loaded_and_shared(make, tmp_path):
    first, second = make(), make()
    names = [("conv", 0), ("conv", 1), ("ip", 0)]
    value = lambda net, layer, index: net.params[layer][index].data  # noqa: E731
    assert not np.array_equal(value(first, "conv", 0), value(second, "conv", 0))
    for save, load, file in [("save", "copy_from", "w.caffemodel"), ("save_hdf5", "load_hdf5", "w.h5")]:
        value(first, "conv", 1)[...] = random(4, len(file))
        getattr(first, save)(str(tmp_path / file))
        getattr(second, load)(str(tmp_path / file))
        for name in names:
            assert np.array_equal(value(first, *name), value(second, *name))
    third = make(weights=str(tmp_path / "w.caffemodel"))
    assert np.array_equal(value(third, "ip", 0), value(first, "ip", 0))
    third.share_with(first)
    value(first, "ip", 0)[...] = 7
    assert (value(third, "ip", 0) == 7).all()
    third.blobs["x"].data[...] = first.blobs["x"].data[...] = random((2, 3, 6, 6))
    assert np.array_equal(first.forward()["prob"], third.forward()["prob"])
    third.blobs["prob"].diff[...] = 1
    third.backward()
    assert not first.params["ip"][0].diff.any(), "diffs are each net's own"
    del first
    gc.collect()
    assert np.isfinite(third.forward()["prob"]).all()
    with pytest.raises(RuntimeError, match="no.such.caffemodel"):
        third.copy_from("no_such.caffemodel")


def test_running_statistics_are_params(make):
    net = make("""
    layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 4 dim: 2 dim: 3 dim: 3 } } }
    layer { name: "bn" type: "BatchNorm" bottom: "x" top: "y" }""", caffe.TRAIN)
    mean, _, factor = (blob.data for blob in net.params["bn"])
    net.blobs["x"].data[...] = x = random((4, 2, 3, 3)) + 5
    net.forward()
    np.testing.assert_allclose(mean, x.mean(axis=(0, 2, 3)), rtol=1e-4)
    assert factor[0] == 1
    factor[0] = 3
    net.forward()
    np.testing.assert_allclose(factor[0], 1 + 0.999 * 3, rtol=1e-6)


def test_dummy_constants_belong_to_the_script(make):
    net = make("""
    layer { name: "in" type: "DummyData" top: "x" top: "y" dummy_data_param {
      shape { dim: 2 dim: 3 } data_filler { value: 4 } data_filler { type: "uniform" max: 1 } } }
    """)
    assert (net.blobs["x"].data == 4).all() and not net.blobs["y"].data.any()
    net.blobs["x"].data[...] = 9
    net.forward()
    assert (net.blobs["x"].data == 9).all() and net.blobs["y"].data.any()


def test_native_layout_shows_the_same_values(make):
    caffe.set_random_seed(3)
    net = make()
    net.blobs["x"].data[...] = random((2, 3, 6, 6))
    net.forward()
    want = net.blobs["conv"].data.copy()
    caffe.set_random_seed(3)
    net = make()
    net.blobs["x"].data[...] = random((2, 3, 6, 6))
    net.forward()
    caffe.set_layout("native")
    try:
        conv = net.blobs["conv"].data
    finally:
        caffe.set_layout("caffe")
    assert np.array_equal(conv, want)
    conv[...] = 0
    assert np.allclose(net.forward(start="pool")["prob"], 0.2, atol=0.2)
    with pytest.raises(TypeError, match="`native`"):
        caffe.set_layout("rows")


def test_seeds_repeat_a_net(make):
    def weights():
        return [make().params["conv"][0].data for _ in range(2)]

    caffe.set_random_seed(7)
    first = weights()
    caffe.set_random_seed(7)
    again = weights()
    assert np.array_equal(first[0], again[0]) and np.array_equal(first[1], again[1])
    assert not np.array_equal(first[0], first[1])


def test_other_threads_are_refused_between_layers_too(make, tmp_path):
    net = make()
    net.save(str(tmp_path / "w.caffemodel"))
    net.blobs["conv"].data
    calls = [
        net.forward,
        net.backward,
        net.reshape,
        net.clear_param_diffs,
        lambda: net.blobs["x"].reshape(1, 3, 6, 6),
        lambda: net.blobs["pool"].data,
        lambda: net.copy_from(str(tmp_path / "w.caffemodel")),
        lambda: net.save(str(tmp_path / "again.caffemodel")),
        lambda: net.share_with(other),
        lambda: other.share_with(net),
    ]
    other, refused = make(), []

    def hook(layer):
        if not refused:
            elsewhere(lambda: refused.extend(map(refusal, calls)))
            elsewhere(lambda: looked.append((net.blobs["conv"].data.shape, net.blobs["x"].shape)))

    looked = []
    net.before_forward(hook)
    net.forward()
    assert refused == [True] * len(calls)
    assert looked == [((2, 4, 4, 4), (2, 3, 6, 6))]
    elsewhere(net.forward)


MISUSE = [
    (lambda net: net._forward(0, 99), IndexError, "counted from 0"),
    (lambda net: net._backward(-1, 0), IndexError, "counted from 0"),
    (lambda net: net.blobs["x"].reshape(-1), ValueError, "size -1"),
    (lambda net: net.blobs["x"].reshape(1 << 20, 1 << 20), ValueError, "more than"),
    (lambda net: net.blobs["x"].reshape("a"), TypeError, ""),
    (lambda net: net.params["ip"][0].reshape(1), ValueError, "param"),
    (lambda net: net.params["ip"][9], IndexError, "blob 9 of 2"),
    (lambda net: net.set_input_arrays(np.zeros((1, 1, 1, 1)), np.zeros(1)), RuntimeError, "MemoryData"),
    (lambda net: setattr(net.blobs["x"], "data", 1), AttributeError, ""),
    (lambda net: net.share_with(3), TypeError, ""),
    (lambda net: caffe.Net("nowhere.prototxt", caffe.TEST), RuntimeError, "nowhere.prototxt"),
    (lambda net: caffe.Net("a", 7), TypeError, "caffe.TRAIN or caffe.TEST"),
    (lambda net: caffe.Net("a"), TypeError, "phase is missing"),
    (lambda net: caffe.Net("a", 1, weight="b"), TypeError, "keyword"),
    (lambda net: caffe.Net.__new__(caffe.Net).forward(), RuntimeError, "__init__"),
    (lambda net: caffe.NCCL(None, "x"), RuntimeError, "caffe.train"),
    (lambda net: caffe.get_solver("nowhere.prototxt"), RuntimeError, "nowhere.prototxt"),
]


@pytest.mark.parametrize("call, error, message", MISUSE)
def test_misuse_raises(make, call, error, message):
    net = make()
    with pytest.raises(error, match=message or None):
        call(net)
    assert net.forward()["prob"].shape == (2, 5)


def test_memory_data(make):
    net = make("""
    layer { name: "in" type: "MemoryData" top: "x" top: "y"
            memory_data_param { batch_size: 2 channels: 3 height: 1 width: 1 } }
    layer { name: "p" type: "Power" bottom: "x" top: "p" power_param { scale: 2 } }
    layer { name: "s" type: "Silence" bottom: "y" }""")
    with pytest.raises(RuntimeError):
        net.forward()
    net.set_input_arrays(np.arange(12).reshape(4, 3, 1, 1), np.arange(4))
    for batch in (0, 6, 0):
        got = net.forward()
        np.testing.assert_array_equal(got["p"].ravel(), 2 * np.arange(batch, batch + 6))
    with pytest.raises(RuntimeError):
        net.set_input_arrays(np.zeros((3, 3, 1, 1)), np.zeros(3))


def test_old_constructor_still_opens(make, tmp_path):
    net = make()
    net.save(str(tmp_path / "w.caffemodel"))
    (tmp_path / "n.prototxt").write_text(NET)
    with pytest.warns(DeprecationWarning, match="weights="):
        old = caffe.Net(str(tmp_path / "n.prototxt"), str(tmp_path / "w.caffemodel"), caffe.TEST)
    assert np.array_equal(old.params["ip"][0].data, net.params["ip"][0].data)


def test_stages_and_levels(make):
    text = NET + """layer { name: "extra" type: "Power" bottom: "prob" top: "extra"
                            include { stage: "more" min_level: 2 } }"""
    assert make(text).outputs == ["prob"]
    assert make(text, level=2, stages=["more"]).outputs == ["extra"]


def test_a_path_may_be_a_path(tmp_path):
    path = Path(tmp_path) / "net.prototxt"
    path.write_text(NET)
    assert caffe.Net(path, phase=caffe.TEST).outputs == ["prob"]
