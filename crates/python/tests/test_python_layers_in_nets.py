"""Layers in Python, in `caffe.Net` and in Python's solvers: objects, params, shapes, exceptions."""

import traceback

import numpy as np
import pytest

import caffe
import python_layers
from native import python_layer, write_job

NET = """
force_backward: true
layer {{ name: "in" type: "Input" top: "x" input_param {{ shape {{ dim: 2 dim: 3 }} }} }}
{mine}
"""
LEARNED = "param { lr_mult: 1 } param { lr_mult: 0 }"


def scaled(cls="Scaled", scale=2, rest=LEARNED):
    return python_layer(cls, ["x"], ["y"], f'{{"scale": {scale}}}', rest)


@pytest.fixture
def make(tmp_path):
    """Makes nets whose second layer is given."""

    def make(mine=None, phase=caffe.TRAIN):
        path = tmp_path / f"net{len(list(tmp_path.iterdir()))}.prototxt"
        path.write_text(NET.format(mine=mine or scaled()))
        return caffe.Net(str(path), phase)

    return make


def job(folder, iterations=4):
    """A solver whose net scales its scores by a param in Python."""
    mine = python_layer("Scaled", ["ip"], ["scaled"], '{"scale": 2}', LEARNED)
    loss = mine + softmax("scaled")
    return str(write_job(folder, loss, iterations))


def softmax(scores):
    ends = f'bottom: "{scores}" bottom: "label" top: "loss"'
    return f'layer {{ name: "loss" type: "SoftmaxWithLoss" {ends} }}'


def test_the_layer_is_the_scripts_object_and_its_params_are_the_nets(make):
    net = make()
    layer = net.layers[1]
    assert type(layer) is python_layers.Scaled and layer is net.layer_dict["mine"]
    assert [blob.shape for blob in layer.blobs] == [(1,), (2, 3)]
    scale, passes = (blob.data for blob in net.params["mine"])
    net.blobs["x"].data[...] = 3
    assert (net.forward()["y"] == 6).all() and (passes == 1).all()
    scale[0] = 5
    assert (net.forward()["y"] == 15).all() and (passes == 2).all()
    layer.blobs[0].data[0] = 7
    assert (net.forward()["y"] == 21).all() and scale[0] == 7


def test_diffs_of_params_add_up_and_can_be_set(make):
    net = make()
    net.blobs["x"].data[...] = 3
    net.forward()
    diff = net.params["mine"][0].diff
    net.blobs["y"].diff[...] = 1
    for times in (1, 2):
        net.backward()
        assert diff[0] == times * 18 and (net.blobs["x"].diff == 2).all()
    diff[0] = 1
    net.backward()
    assert diff[0] == 19
    net.clear_param_diffs()
    assert diff[0] == 0
    net.backward()
    assert diff[0] == 18


def test_a_layer_may_write_its_learned_params_in_a_pass(make, tmp_path):
    net = make(scaled("Writing"))
    net.blobs["x"].data[...] = 1
    assert (net.forward()["y"] == 2).all()
    assert net.params["mine"][0].data[0] == 3
    assert (net.forward()["y"] == 3).all()
    net.backward()
    net.save(str(tmp_path / "w.caffemodel"))
    other = make()
    other.copy_from(str(tmp_path / "w.caffemodel"))
    assert other.params["mine"][0].data[0] == net.params["mine"][0].data[0] == 14
    assert (other.params["mine"][1].data == 2).all()


def test_shared_params_are_the_other_nets(make):
    first, second = make(), make(scaled(scale=9))
    second.blobs["x"].data[...] = first.blobs["x"].data[...] = 1
    second.share_with(first)
    assert second.params["mine"][0].data[0] == 2
    assert (second.forward()["y"] == 2).all()
    first.params["mine"][0].data[0] = 4
    first.forward()
    assert (second.forward()["y"] == 4).all()
    second.params["mine"][0].data[0] = 6
    second.forward()
    assert (first.forward()["y"] == 6).all()


def test_the_layer_follows_shapes(make):
    net = make()
    for shape in [(4, 3), (1, 2, 5), (2, 3)]:
        net.blobs["x"].reshape(*shape)
        net.reshape()
        assert net.blobs["y"].shape == shape
        net.blobs["x"].data[...] = 1
        assert (net.forward()["y"] == 2).all() and net.layers[1].blobs[0].shape == (1,)


def test_a_layer_keeps_its_object_when_the_net_is_compiled_again(make):
    mine = scaled() + 'layer { name: "prob" type: "Softmax" bottom: "y" top: "prob" }'
    net = make(mine)
    layer = net.layers[1]
    net.params["mine"][0].data[0] = 3
    net.blobs["x"].reshape(2, 3, 4, 4)
    net.blobs["x"].data[...] = 1
    net.forward()
    assert (net.blobs["y"].data == 3).all() and net.layers[1] is layer
    assert (layer.blobs[1].data == 1).all(), "the object that runs is the one that is shown"


@pytest.mark.parametrize("method", ["reshape", "forward", "backward"])
def test_an_exception_reaches_the_caller_and_the_net_goes_on(tmp_path, method):
    net = caffe.Net(write_net(tmp_path), caffe.TRAIN)
    layer = net.layer_dict["mine"]
    layer.param_str = method
    layer.count = 2
    with pytest.raises(ZeroDivisionError, match="planted") as caught:
        net.forward()
        net.backward()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].filename.endswith("python_layers.py")
    layer.param_str = ""
    assert np.isfinite(net.forward()["loss"])
    net.backward()


def write_net(folder):
    write_job(folder, python_layer("Failing"))
    return str(folder / "net.prototxt")


@pytest.mark.parametrize("what, message", [
    ("enlarge", r"`self.blobs\[0\]` has the shape 3 \(3\) and had 2 \(2\) after `setup`"),
    ("shrink", r"`self.blobs\[0\]` has the shape 1 \(1\) and had 2 \(2\) after `setup`"),
    ("remove", "`self.blobs` has 0 params and had 1"),
])
def test_params_keep_number_and_shape(tmp_path, make, what, message):
    mine = python_layer("Careless", ["ip"], ["scaled"], what, "")
    loss = mine + softmax("scaled")
    with pytest.raises(ValueError, match=message):
        caffe.train(write_job(tmp_path, loss), quiet=True, threads=1)
    with pytest.raises((ValueError, AttributeError)):
        make(python_layer("Careless", ["x"], ["y"], what, "")).forward()


def test_a_solver_trains_and_shows_a_layers_params(tmp_path):
    solver = caffe.get_solver(job(tmp_path))
    layer = solver.net.layer_dict["mine"]
    scale, diff, passes = layer.blobs[0].data, layer.blobs[0].diff, layer.blobs[1].data
    for step in range(1, 4):
        before = scale.copy()
        solver.step(1)
        assert (passes == step).all() and diff[0] != 0
        assert np.array_equal(scale, before - diff)
    weights = [blob.data.copy() for blobs in solver.net.params.values() for blob in blobs]
    result = caffe.train(job(tmp_path, 3), quiet=True, threads=1)
    trained = caffe.Net(str(tmp_path / "net.prototxt"), caffe.TRAIN, weights=result["model"])
    for blobs in trained.params.values():
        for blob in blobs:
            assert np.array_equal(blob.data, weights.pop(0))


def test_callbacks_may_change_a_layers_diff(tmp_path):
    solver = caffe.get_solver(job(tmp_path))
    scale, diff = solver.net.params["mine"][0].data, solver.net.params["mine"][0].diff
    solver.add_callback(lambda: None, lambda: diff.fill(0))
    solver.step(2)
    assert scale[0] == 2
    diff[...] = 1
    solver.apply_update()
    assert scale[0] == np.float32(2 - 0.01)


def test_an_exception_in_backward_leaves_a_solver_usable(tmp_path):
    solver = caffe.get_solver(str(write_job(tmp_path, python_layer("Failing", param="backward"))))
    solver.step(2)
    with pytest.raises(ZeroDivisionError, match="planted"):
        solver.step(1)
    solver.step(1)
    assert solver.iter == 3


def test_a_layer_may_ask_for_the_iteration_and_is_told_what_is_running(make, tmp_path, monkeypatch):
    mine = python_layer("Calling", ["ip"], ["passed"], rest="")
    loss = mine + softmax("passed")
    solver = caffe.get_solver(str(write_job(tmp_path, loss)))
    asked, refused = [], []

    def call():
        asked.append(solver.iter)
        for use in (lambda: solver.step(1), lambda: solver.net.forward(), solver.apply_update,
                    lambda: solver.net.blobs["conv"].data):
            with pytest.raises(RuntimeError, match="running in another call"):
                use()
            refused.append(use)

    monkeypatch.setattr(python_layers.Calling, "call", staticmethod(call))
    solver.step(3)
    assert asked == [0, 1, 2] and len(refused) == 12


def test_restore_says_that_objects_begin_anew(tmp_path, capfd):
    solver = caffe.get_solver(job(tmp_path))
    solver.step(1)
    solver.snapshot()
    capfd.readouterr()
    solver.restore(str(tmp_path / "snap_iter_1.solverstate"))
    said = [line for line in capfd.readouterr().err.splitlines() if "begins anew" in line]
    assert len(said) == 1 and "layer `mine` keeps state that is not in the snapshot" in said[0]
