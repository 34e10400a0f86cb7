"""Solvers of the native module: steps, updates, callbacks, test nets, snapshots."""

import gc
import multiprocessing
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import caffe
import python_layers
from native import elsewhere, refusal

NET = """
name: "points" force_backward: true
layer { name: "in" type: "MemoryData" top: "x" top: "y"
        memory_data_param { batch_size: 4 channels: 3 height: 1 width: 1 } }
layer { name: "hidden" type: "InnerProduct" bottom: "x" top: "h"
        inner_product_param { num_output: 6 weight_filler { type: "xavier" } } }
layer { name: "bend" type: "TanH" bottom: "h" top: "h" }
layer { name: "ip" type: "InnerProduct" bottom: "h" top: "ip"
        inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "y" top: "loss" }
"""
SOLVER = """
net: "{net}" base_lr: 0.1 lr_policy: "step" stepsize: 3 gamma: 0.5
weight_decay: 0.01 max_iter: 7 random_seed: 5 snapshot_prefix: "{folder}/s" {more}
"""
DATA = np.random.default_rng(1).standard_normal((8, 3, 1, 1)).astype(np.float32)
LABELS = DATA[:, 0, 0, 0] > 0


@pytest.fixture
def make(tmp_path):
    """Makes solvers of a small net, with data."""
    count = iter(range(100))

    def make(more="", solver=caffe.SGDSolver, net=NET):
        number = next(count)
        net_file = tmp_path / f"net{number}.prototxt"
        net_file.write_text(net)
        file = tmp_path / f"solver{number}.prototxt"
        if solver is not caffe.get_solver:
            more = "momentum: 0.9 " + more
        file.write_text(SOLVER.format(net=net_file, folder=tmp_path, more=more))
        made = solver(str(file))
        for net in [made.net, *made.test_nets]:
            if net.layers[0].type == "MemoryData":
                net.set_input_arrays(DATA, LABELS)
        return made

    return make


def weights(net):
    return [blob.data.copy() for blobs in net.params.values() for blob in blobs]


def same(left, right):
    return all(np.array_equal(a, b) for a, b in zip(left, right))


def test_steps_learn_and_count(make):
    solver = make()
    assert (solver.iter, solver.lr) == (0, np.float32(0.1))
    solver.step(1)
    first = solver.net.blobs["loss"].data.copy()
    for _ in range(20):
        solver.step(3)
    assert solver.iter == 61 and solver.net.blobs["loss"].data < first / 2
    assert solver.param.max_iter == 7 and solver.param.display == 0
    assert isinstance(solver.param.layer_wise_reduce, bool)


def test_views_do_not_change_the_weights(make):
    plain, viewed = make(), make()
    arrays = [blob.data for blob in viewed.net.blobs.values()]
    arrays += [blob.diff for blob in viewed.net.blobs.values()]
    arrays += [blob.diff for blobs in viewed.net.params.values() for blob in blobs]
    plain.step(5)
    viewed.step(5)
    assert same(weights(plain.net), weights(viewed.net))
    assert all(np.isfinite(array).all() for array in arrays)


@pytest.mark.parametrize("kind", ["SGD", "Nesterov", "AdaGrad", "RMSProp", "AdaDelta", "Adam"])
def test_after_a_step_param_diffs_are_what_was_subtracted(make, kind):
    options = {"SGD": "momentum: 0.9", "Nesterov": "momentum: 0.9", "AdaGrad": "",
               "AdaDelta": "momentum: 0.9 delta: 1e-6", "RMSProp": "rms_decay: 0.9",
               "Adam": "momentum: 0.9 momentum2: 0.99"}[kind]
    solver = make(f'type: "{kind}" {options}', caffe.get_solver)
    assert type(solver) is getattr(caffe, f"{kind}Solver")
    for _ in range(3):
        before = weights(solver.net)
        solver.step(1)
        diffs = [blob.diff for blobs in solver.net.params.values() for blob in blobs]
        for old, new, diff in zip(before, weights(solver.net), diffs):
            assert np.array_equal(old - diff, new) and diff.any()


def test_a_loop_of_ones_own_has_the_bits_of_step(make):
    one, own = make(), make()
    one.step(1)
    own.net.clear_param_diffs()
    own.net.forward()
    own.net.backward()
    own.apply_update()
    assert same(weights(one.net), weights(own.net)) and own.iter == 0


def test_update_of_diffs_that_were_set(make):
    solver = make()
    data, diff = solver.net.params["ip"][0].data, solver.net.params["ip"][0].diff
    data[...], diff[...] = 0, 1
    solver.apply_update()
    np.testing.assert_allclose(data, -0.1, rtol=1e-6)


def test_the_rate_can_be_set(make):
    solver = make()
    solver.param.base_lr = 0.02
    assert solver.lr == np.float32(0.02) and solver.param.base_lr == np.float32(0.02)
    with pytest.raises(RuntimeError):
        solver.param.base_lr = float("nan")


def test_callbacks_see_gradients_before_the_update(make):
    solver, seen = make(), []
    diff = solver.net.params["ip"][0].diff

    def start():
        seen.append(("start", solver.iter, bool(diff.any())))

    def ready():
        seen.append(("ready", solver.iter, bool(diff.any())))
        diff[...] = 0

    solver.add_callback(start, ready)
    before = solver.net.params["ip"][0].data.copy()
    solver.step(2)
    assert seen == [("start", 0, False), ("ready", 0, True), ("start", 1, False), ("ready", 1, True)]
    decayed = solver.net.params["ip"][0].data
    assert not np.array_equal(decayed, before) and np.allclose(decayed, before, rtol=0.01)
    with pytest.raises(RuntimeError, match="caffe.train"):
        solver.add_callback(object())
    with pytest.raises(TypeError):
        solver.add_callback(1, 2)

    def fail():
        raise KeyError("mine")

    solver.add_callback(start, fail)
    with pytest.raises(KeyError, match="mine"):
        solver.step(1)


REENTRANT = """
import sys, caffe
import numpy as np
solver, calls = caffe.SGDSolver(sys.argv[1]), []
solver.net.set_input_arrays(np.ones((4, 3, 1, 1)), np.zeros(4))
late = lambda: calls.append("late")
solver.add_callback(lambda: calls or solver.add_callback(late, late), lambda: calls.append("ready"))
solver.step(2)
assert calls == ["ready", "late", "late", "ready", "late"], calls
"""


def test_a_callback_may_add_a_callback(make, tmp_path):
    make()
    run = [sys.executable, "-c", REENTRANT, str(tmp_path / "solver0.prototxt")]
    subprocess.run(run, check=True, timeout=120)  # a deadlock would hold the interpreter's lock


def test_other_threads_are_refused_between_the_passes_of_a_step(make, tmp_path):
    solver = make("test_iter: 2 test_interval: 2")
    solver.snapshot()
    (test,) = solver.test_nets
    model, state = (str(tmp_path / f"s_iter_0.{kind}") for kind in ("caffemodel", "solverstate"))
    calls = [
        lambda: solver.step(1),
        solver.solve,
        solver.apply_update,
        solver.snapshot,
        lambda: solver.restore(state),
        lambda: setattr(solver.param, "base_lr", 1),
        lambda: solver.lr,
        solver.net.forward,
        solver.net.reshape,
        lambda: solver.net.copy_from(model),
        test.forward,
    ]
    refused, iters = [], []

    def start():
        elsewhere(lambda: refused.extend(map(refusal, calls)))
        elsewhere(lambda: iters.append(solver.iter))

    solver.add_callback(start, lambda: None)
    solver.step(2)
    assert refused == 2 * [True] * len(calls) and iters == [0, 1]
    elsewhere(lambda: solver.step(1))
    assert solver.iter == 3


def test_another_threads_pass_keeps_the_solver_out(make):
    solver = make("test_iter: 2 test_interval: 2")
    (test,) = solver.test_nets
    refused = []
    calls = [lambda: solver.step(1), solver.apply_update, solver.snapshot, solver.net.forward]
    test.before_forward(lambda _: elsewhere(lambda: refused.extend(map(refusal, calls))))
    test.forward()
    assert refused and all(refused)


def test_a_solver_with_callbacks_that_refer_to_it_is_freed(make):
    solver = make()
    solver.add_callback(lambda solver=solver: solver.iter, lambda solver=solver: solver.net)
    solver.net.after_backward(lambda layer, solver=solver: solver.iter)
    solver.step(1)
    alive = weakref.ref(solver)
    del solver
    gc.collect()
    assert alive() is None


def test_hooks_run_in_steps(make):
    solver, seen = make(), []
    solver.net.after_backward(seen.append)
    solver.step(2)
    assert seen == [4, 3, 2, 1, 0] * 2


def test_test_nets_share_weights_and_are_scored(make):
    solver = make("test_iter: 2 test_interval: 2")
    (test,) = solver.test_nets
    assert test.params["ip"][0].data.ctypes.data == solver.net.params["ip"][0].data.ctypes.data
    test.share_with(solver.net)
    solver.step(3)
    first = float(test.forward()["loss"])
    for blob in solver.net.params["ip"]:
        blob.data[...] = 0
    assert float(test.forward()["loss"]) == pytest.approx(np.log(2), rel=1e-5) != first


def test_another_net_can_use_a_solvers_weights(make, tmp_path):
    solver = make()
    (tmp_path / "own.prototxt").write_text(NET)
    net = caffe.Net(str(tmp_path / "own.prototxt"), caffe.TEST)
    solver.share_weights(net)
    solver.step(1)
    assert same(weights(net), weights(solver.net))
    with pytest.raises(RuntimeError, match="share_weights"):
        solver.net.share_with(net)
    del solver
    assert all(np.isfinite(array).all() for array in weights(net))


@pytest.fixture
def sharing(make, tmp_path):
    """A solver, and a net that uses its weights and has a layer in Python between its others."""
    mine = """layer { name: "mine" type: "Python" bottom: "h" top: "h2"
        python_param { module: "python_layers" layer: "Calling" } }"""
    own = NET.replace('layer { name: "ip"', mine + 'layer { name: "ip"').replace(
        'bottom: "h" top: "ip"', 'bottom: "h2" top: "ip"')
    solver = make()
    (tmp_path / "own.prototxt").write_text(own)
    net = caffe.Net(str(tmp_path / "own.prototxt"), caffe.TEST)
    net.set_input_arrays(DATA, LABELS)
    solver.share_weights(net)
    return solver, net


def test_weights_in_use_by_another_net_are_not_updated_or_loaded(sharing, tmp_path, monkeypatch):
    solver, net = sharing
    net.save(str(tmp_path / "w.caffemodel"))
    refused = []

    def call():
        for change in (solver.apply_update, lambda: solver.step(1),
                       lambda: solver.net.copy_from(str(tmp_path / "w.caffemodel"))):
            with pytest.raises(RuntimeError, match="has the weights that this net shares"):
                elsewhere_raising(change)
            refused.append(change)
        solver.net.forward()

    monkeypatch.setattr(python_layers.Calling, "call", staticmethod(call))
    net.forward()
    assert len(refused) == 3
    monkeypatch.undo()
    solver.step(1)
    assert same(weights(net), weights(solver.net)) and np.isfinite(net.forward()["loss"])


def elsewhere_raising(call):
    """As `elsewhere`; what the call raises is raised here."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(call).result()


def test_snapshots_continue_to_the_bit(make, tmp_path):
    whole = make()
    whole.step(5)
    half = make()
    half.step(2)
    half.snapshot()
    assert (tmp_path / "s_iter_2.caffemodel").exists()
    resumed = make()
    resumed.restore(str(tmp_path / "s_iter_2.solverstate"))
    assert resumed.iter == 2
    resumed.step(3)
    for left, right in zip(weights(whole.net), weights(resumed.net)):
        assert np.array_equal(left, right)
    with pytest.raises(RuntimeError, match="nowhere"):
        resumed.restore("nowhere.solverstate")


def test_solve_runs_to_the_end_and_saves(make, tmp_path):
    solver, stepped = make("display: 2 test_iter: 1 test_interval: 3"), make()
    solver.solve()
    stepped.step(7)
    assert solver.iter == 7 and same(weights(solver.net), weights(stepped.net))
    assert (tmp_path / "s_iter_7.caffemodel").exists()
    again = make()
    again.solve(str(tmp_path / "s_iter_7.solverstate"))
    assert again.iter == 7 and same(weights(again.net), weights(solver.net))


def test_passes_add_up(make):
    two = make("iter_size: 2")
    net = make().net
    two.step(1)
    net.clear_param_diffs()
    for _ in range(2):
        net.forward()
        net.backward()
    gradient = net.params["ip"][1].diff / 2
    np.testing.assert_allclose(two.net.params["ip"][1].diff, 0.1 * gradient, rtol=1e-4)


def test_divergence_is_told(make):
    solver = make()
    solver.net.params["ip"][0].data[...] = np.nan
    with pytest.raises(RuntimeError, match="not finite|nan|NaN"):
        solver.step(1)


def child(solver, queue):
    try:
        solver.step(1)
        queue.put("stepped")
    except RuntimeError as error:
        queue.put(str(error))


@pytest.mark.skipif(sys.platform != "linux", reason="fork")
def test_a_forked_process_is_told_what_to_do(make):
    solver = make()
    solver.step(1)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(solver, queue))
    process.start()
    assert "after the fork" in queue.get(timeout=60)
    process.join()


def test_nets_outlive_their_solver(make):
    solver = make("test_iter: 2 test_interval: 2")
    nets = [solver.net, *solver.test_nets]
    del solver
    for net in nets:
        net.forward()
        assert all(np.isfinite(array).all() for array in weights(net))
