"""`caffe.train`: the command's result, its options as keywords, events, and ways to stop."""

import os
import signal

import caffe
import pytest
from native import hash_in, run_command, write_job


def test_the_hash_is_the_command_lines(tmp_path):
    solver = write_job(tmp_path)
    log = run_command("train", "--solver", solver, "--threads", 1).stderr
    assert caffe.train(solver, threads=1, quiet=True)["hash"] == hash_in(log)
    two = caffe.train(solver, workers=2, threads=1, quiet=True)["hash"]
    log = run_command("train", "--solver", solver, "--workers", 2, "--threads", 1).stderr
    assert two == hash_in(log)
    assert caffe.train(solver, workers=1, replicas=2, quiet=True)["hash"] == two


def test_a_solver_in_python_writes_the_same_model(tmp_path):
    """`solve` with every array of the net looked at, `caffe.train`, and the command line."""
    from caffe.proto import caffe_pb2

    models = []

    def keep():
        text = (tmp_path / "snap_iter_4.caffemodel").read_bytes()
        models.append(caffe_pb2.NetParameter.FromString(text))
        for file in tmp_path.glob("snap_iter_*"):
            file.unlink()

    file = str(write_job(tmp_path))
    solver = caffe.get_solver(file)
    views = [part for blob in solver.net.blobs.values() for part in (blob.data, blob.diff)]
    params = [blob for blobs in solver.net.params.values() for blob in blobs]
    views += [part for blob in params for part in (blob.data, blob.diff)]
    solver.solve()
    keep()
    assert all(view.any() for view in views[-len(params):])
    caffe.train(file, quiet=True)
    keep()
    assert run_command("train", "--solver", file).returncode == 0
    keep()
    assert models[1] == models[2]
    for model in models:
        model.state.ClearField("level")  # the command line sets it, as Caffe's does
    assert models[0] == models[1] and len(models[0].layer[1].blobs[0].data) == 100


def test_events_are_dictionaries_and_the_result_sums_them_up(tmp_path):
    events = []
    result = caffe.train(write_job(tmp_path), callbacks=events.append, quiet=True)
    names = [event["event"] for event in events]
    assert names[0] == "SolverInitialised" and names[-1] == "Finished"
    shown = [event for event in events if event["event"] == "Displayed"]
    assert [event["iter"] for event in shown] == [0, 2]
    assert shown[0]["rate"] == pytest.approx(0.01)
    assert [event["done"] for event in events if event["event"] == "Stepped"] == [1, 2, 3, 4]
    assert result["iterations"] == 4 and not result["stopped"]
    assert result["model"] == f"{tmp_path}/snap_iter_4.caffemodel"
    assert os.path.exists(result["model"]) and os.path.exists(result["state"])


def test_a_solver_may_be_a_message(tmp_path):
    from caffe.proto import caffe_pb2
    from google.protobuf import text_format

    text = write_job(tmp_path).read_text()
    solver = text_format.Parse(text, caffe_pb2.SolverParameter())
    assert caffe.train(solver, quiet=True)["iterations"] == 4
    solver.ClearField("snapshot_prefix")
    with pytest.raises(ValueError, match="has no `snapshot_prefix`"):
        caffe.train(solver)


def test_what_is_wrong_is_an_exception_with_our_message(tmp_path):
    with pytest.raises(RuntimeError, match="cannot read nothing.prototxt"):
        caffe.train("nothing.prototxt", quiet=True)
    with pytest.raises(RuntimeError, match="unexpected argument '--speed'"):
        caffe.train(write_job(tmp_path), speed=11, quiet=True)


class Stop(Exception):
    pass


@pytest.mark.parametrize("raised, ends", [(StopIteration, "result"), (Stop, "exception")])
def test_a_callback_stops_the_run_after_a_snapshot(tmp_path, raised, ends):
    def stop(event):
        if event["event"] == "Stepped" and event["done"] == 2:
            raise raised()

    solver = write_job(tmp_path, iterations=100_000)
    if ends == "result":
        result = caffe.train(solver, callbacks=[stop], quiet=True)
        assert result["stopped"] and result["iterations"] < 1000
    else:
        with pytest.raises(Stop):
            caffe.train(solver, callbacks=[stop], quiet=True)
    assert list(tmp_path.glob("snap_iter_*.solverstate"))


def test_ctrl_c_ends_the_run_after_a_snapshot(tmp_path):
    def interrupt(event):
        if event["event"] == "Stepped" and event["done"] == 2:
            os.kill(os.getpid(), signal.SIGINT)

    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match="stopped after [0-9]+ iterations"):
        caffe.train(write_job(tmp_path, iterations=100_000), callbacks=interrupt, quiet=True)
    assert list(tmp_path.glob("snap_iter_*.solverstate"))
    assert signal.getsignal(signal.SIGINT) == handler
    again = caffe.train(write_job(tmp_path, iterations=100_000), snapshot="auto", quiet=True,
                        callbacks=stop_at_once)
    assert again["iterations"] > 2


def stop_at_once(event):
    if event["event"] == "Stepped":
        raise StopIteration
