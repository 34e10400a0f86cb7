"""Trains the LeNet demo with `caffe.train` and with the command: the weights' hashes are equal.

    python demo.py EXAMPLE DATABASES FIRECAFFE

EXAMPLE is our `examples/lenet`; DATABASES begins the paths of the train and test databases. One
worker trains the whole demo; two train its first iterations, with two replicas.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import caffe

# Workers, and iterations; None is what the solver says.
RUNS = [(1, None), (2, 300)]


def write_job(example, databases, folder, iterations):
    """The example's solver with paths of this machine."""
    net = (example / "net.prototxt").read_text()
    net, changed = re.subn(r"examples/lenet/(train|test)_lmdb", rf"{databases}\1_lmdb", net)
    assert changed == 2, "the example's net has two databases"
    (folder / "net.prototxt").write_text(net)
    solver = (example / "solver.prototxt").read_text().replace("examples/lenet", str(folder))
    if iterations is not None:
        solver = re.sub(r"max_iter: \d+", f"max_iter: {iterations}", solver)
    (folder / "solver.prototxt").write_text(solver)
    return folder / "solver.prototxt"


def main(example, databases, program):
    for workers, iterations in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            solver = write_job(pathlib.Path(example), databases, pathlib.Path(folder), iterations)
            result = caffe.train(solver, workers=workers, quiet=True)
            run = [program, "train", "--solver", str(solver), "--workers", str(workers)]
            log = subprocess.run(run, capture_output=True, text=True, check=True).stderr
        steps, command = re.findall(r"weights after (\d+) steps: ([0-9a-f]{16})", log)[-1]
        assert int(steps) == result["iterations"], (steps, result)
        assert command == result["hash"], (command, result)
        print(f"LeNet, {steps} iterations, {workers} workers: {command}, from Python too")


main(*sys.argv[1:])
