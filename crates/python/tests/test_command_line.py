"""The command line of the package, and the program's hand-over to it."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from native import environment, hash_in, python_layer, run_command, write_job

PROGRAM = os.environ.get("FIRECAFFE", "")
needs_program = pytest.mark.skipif(not PROGRAM, reason="FIRECAFFE does not name the program")


def test_it_is_the_programs():
    run = run_command("--version")
    assert run.returncode == 0 and run.stdout.startswith("firecaffe ")
    assert run_command("train").returncode == 2


def test_other_commands_take_python_layers_too(tmp_path):
    write_job(tmp_path, python_layer("Softmax"))
    run = run_command("check", tmp_path / "net.prototxt")
    assert run.returncode == 0, run.stderr
    run = run_command("time", "--model", tmp_path / "net.prototxt", "--iterations", 2)
    assert run.returncode == 0, run.stderr


def with_python(folder):
    """An environment whose `python3` is this one, with `folder` before the installed packages."""
    found = environment()
    found["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{found['PATH']}"
    if folder is not None:
        found["PYTHONPATH"] = f"{folder}{os.pathsep}{found['PYTHONPATH']}"
    return found


@needs_program
def test_the_program_hands_over_nets_with_python_layers(tmp_path):
    solver = write_job(tmp_path, python_layer("Softmax"))
    words = ("train", "-solver", solver, "--workers", 2, "--threads", 1)
    run = run_command(*words, program=[PROGRAM], env=with_python(None))
    assert run.returncode == 0, run.stderr
    assert hash_in(run.stderr) == hash_in(run_command(*words).stderr)


@needs_program
def test_a_package_of_another_version_is_refused(tmp_path):
    solver = write_job(tmp_path, python_layer("Softmax"))
    other = tmp_path / "other" / "caffe"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("__version__ = '1.0.0'\n")
    found = with_python(other.parent)
    run = run_command("train", "--solver", solver, program=[PROGRAM], env=found)
    assert run.returncode == 1
    assert "is of version 1.0.0, not " in run.stderr
    assert "run `pip install ./crates/python`" in run.stderr
    (other / "__init__.py").write_text("import nothing_here\n")
    run = run_command("train", "--solver", solver, program=[PROGRAM], env=found)
    assert run.returncode == 1
    assert "(ModuleNotFoundError: No module named 'nothing_here')" in run.stderr


@needs_program
def test_a_net_without_python_layers_stays(tmp_path):
    """Nothing is started: there is no python3."""
    solver = write_job(tmp_path)
    run = run_command("train", "--solver", solver, program=[PROGRAM], env={"PATH": ""})
    assert run.returncode == 0, run.stderr


@needs_program
@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")
def test_ranks_of_an_mpi_job_hand_over_too(tmp_path):
    solver = write_job(tmp_path, python_layer("Softmax"))
    words = ("train", "--solver", solver, "--threads", 1)
    mpirun = ["mpirun", "-n", "2", "--oversubscribe", "--allow-run-as-root", PROGRAM]
    run = run_command(*words, program=mpirun, env=with_python(None))
    assert run.returncode == 0, run.stderr
    two_workers = run_command(*words, "--workers", 2).stderr
    assert hash_in(run.stderr) == hash_in(two_workers)
