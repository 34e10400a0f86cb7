"""Layers in Python, in training: values, shapes, params, replicas and exceptions."""

import traceback

import caffe
import numpy as np
import pytest
from caffe.proto import caffe_pb2
from native import NET, python_layer, run_command, write_job


def train(solver, **options):
    return caffe.train(solver, quiet=True, threads=1, **options)


def losses(solver):
    shown = []

    def hear(event):
        if event["event"] == "Stepped":
            shown.append(event["loss"])

    train(solver, callbacks=hear)
    return shown


def test_a_python_loss_is_the_built_in_one(tmp_path):
    built_in = losses(write_job(tmp_path))
    python = losses(write_job(tmp_path, python_layer("Softmax")))
    np.testing.assert_allclose(python, built_in, rtol=1e-4)


@pytest.mark.parametrize("cls", ["Softmax", "Numbered"])
def test_workers_do_not_change_the_weights(tmp_path, cls):
    """`Numbered` would, if two replicas of a worker were one object."""
    solver = write_job(tmp_path, python_layer(cls))
    two = train(solver, workers=2)["hash"]
    assert train(solver, workers=1, replicas=2)["hash"] == two
    with_softmax = train(write_job(tmp_path, python_layer("Softmax")), workers=2)["hash"]
    assert (two == with_softmax) == (cls == "Softmax")


def params_of(result):
    net = caffe_pb2.NetParameter()
    with open(result["model"], "rb") as file:
        net.ParseFromString(file.read())
    return {layer.name: [np.array(blob.data) for blob in layer.blobs] for layer in net.layer}


def test_params_begin_as_setup_says_are_learned_and_saved(tmp_path):
    rest = "param { lr_mult: 1 } param { lr_mult: 0 }"
    mine = python_layer("Scaled", ["ip"], ["scaled"], '{"scale": 2.5}', rest)
    loss = mine + python_layer("Softmax", ["scaled", "label"]).replace('"mine"', '"loss"')
    scale, passes = params_of(train(write_job(tmp_path, loss, iterations=1)))["mine"]
    assert scale != 2.5 and abs(scale - 2.5) < 0.1
    assert (passes == 1).all() and passes.shape == (6,), "forward may write what nobody learns"
    _, passes = params_of(train(write_job(tmp_path, loss, iterations=3), workers=2))["mine"]
    assert (passes == 3).all()


def test_a_param_that_is_learned_is_not_forwards_to_write(tmp_path):
    """Its array is a copy, so that workers cannot write what others read."""
    loss = python_layer("Scaled", ["ip"], ["scaled"], '{"scale": 1}', "")
    loss += python_layer("Softmax", ["scaled", "label"]).replace('"mine"', '"loss"')
    _, passes = params_of(train(write_job(tmp_path, loss, iterations=2)))["mine"]
    assert (passes == 0).all()


def test_a_layer_in_place(tmp_path):
    halved = python_layer("InPlace", ["ip"], ["ip"], rest="")
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "l" }'
    power = halved.replace('type: "Python"', 'type: "Power"').split("python_param")[0]
    power += "power_param { scale: 0.5 } }"
    python, built_in = [
        train(write_job(tmp_path, layer + loss))["hash"] for layer in (halved, power)
    ]
    assert python == built_in


def test_tops_may_change_their_shape_in_forward_and_later_layers_follow(tmp_path):
    fewer = python_layer("FewerRows", ["ip", "label"], ["few", "labels"], rest="")
    loss = fewer + python_layer("Softmax", ["few", "labels"]).replace('"mine"', '"loss"')
    assert len(losses(write_job(tmp_path, loss, iterations=5))) == 5


@pytest.mark.parametrize("method", ["setup", "reshape", "forward", "backward"])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_reaches_the_caller_with_its_traceback(tmp_path, method, workers):
    solver = write_job(tmp_path, python_layer("Failing", param=method), iterations=10)
    with pytest.raises(ZeroDivisionError, match="planted") as caught:
        train(solver, workers=workers)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].filename.endswith("python_layers.py")
    assert f"in `{method}` of layer `mine` (`python_layers.Failing`)" in getattr(
        caught.value, "__notes__", [f"in `{method}` of layer `mine` (`python_layers.Failing`)"]
    )


def test_what_is_wrong_with_the_class_says_what_to_do(tmp_path):
    with pytest.raises(TypeError, match="must be a class derived from `caffe.Layer`"):
        train(write_job(tmp_path, python_layer("NotALayer")))
    with pytest.raises(AttributeError, match="Nothing"):
        train(write_job(tmp_path, python_layer("Nothing")))
    with pytest.raises(NotImplementedError, match=r"`Empty` must define `reshape\(self, bottom"):
        train(write_job(tmp_path, python_layer("Empty")))
    with pytest.raises(RuntimeError, match="`python_param.module` is missing"):
        train(write_job(tmp_path, python_layer("Softmax").replace("module: 'python_layers'", "")))


def test_a_log_names_layer_and_line(tmp_path):
    solver = write_job(tmp_path, python_layer("Failing", param="forward"))
    run = run_command("train", "--solver", solver)
    assert run.returncode == 1
    last = run.stderr.splitlines()[-1]
    assert last.startswith("firecaffe: layer `mine`: `forward` of layer `mine`"), last
    assert "ZeroDivisionError: planted (" in last and last.endswith(", in fail)"), last


def test_resuming_says_that_objects_begin_anew(tmp_path):
    solver = write_job(tmp_path, python_layer("Numbered"))
    run_command("train", "--solver", solver)
    write_job(tmp_path, python_layer("Numbered"), iterations=6)
    run = run_command("train", "--solver", solver, "--snapshot", "auto")
    said = [line for line in run.stderr.splitlines() if "begins anew" in line]
    assert run.returncode == 0 and len(said) == 1, run.stderr
    assert "layer `mine` keeps state that is not in the snapshot" in said[0]


def test_net_text_is_a_net():
    assert NET.count("layer {{") == 5
