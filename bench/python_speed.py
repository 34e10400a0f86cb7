"""Speed of the Python package beside the command line's, taking turns.

    python python_speed.py FIRECAFFE FOLDER TURNS

Prints a JSON list: for each measurement its name and the seconds of every turn, of the command and
of Python. Training, whose turns are long, takes a quarter of the turns. The package is imported
from the environment that runs this; FOLDER takes small files.
"""

import json
import pathlib
import re
import subprocess
import sys
import time

import caffe

ROOT = pathlib.Path(__file__).resolve().parent
FORWARDS = 3
# Net, batch and iterations per turn.
TRAINED = [("alexnet_b32", 32, 4), ("lenet_b64", 64, 300)]


def log_of(command):
    """What a command logs; both streams, since `time` reports on either."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def turns(count, command, python):
    """Seconds of each, turn by turn; the first turn warms caches and does not count."""
    pairs = [(command(), python()) for _ in range(count + 1)][1:]
    return [list(seconds) for seconds in zip(*pairs)]


def forward(program, folder, batch, count):
    text = (ROOT.parent / "examples/alexnet/deploy.prototxt").read_text()
    model = folder / f"alexnet_{batch}.prototxt"
    model.write_text(re.sub(r"dim: \d+", f"dim: {batch}", text, count=1))
    net = caffe.Net(str(model), caffe.TEST)
    timed = [program, "time", "--model", str(model), "--phase", "TEST"]
    timed += ["--iterations", str(FORWARDS)]

    def command():
        return float(re.search(r"Average Forward pass: ([\d.]+) ms", log_of(timed))[1]) / 1e3

    def python():
        begin = time.perf_counter()
        for _ in range(FORWARDS):
            net.forward()
        return (time.perf_counter() - begin) / FORWARDS

    return turns(count, command, python)


def solver_file(folder, net, iterations):
    path = folder / f"{net}_{iterations}.prototxt"
    path.write_text(
        f'net: "{ROOT}/models/{net}.prototxt" base_lr: 1e-6 lr_policy: "fixed" momentum: 0.9 '
        f"weight_decay: 0.0005 max_iter: {iterations} snapshot_after_train: false\n"
    )
    return str(path)


def seconds_per_image(command):
    """Of a training command, from the speed at the end of its log."""
    return 1 / float(re.findall(r"firecaffe:\d+\] ([\d.]+) images/s", log_of(command))[-1])


def training(program, folder, net, batch, iterations, count):
    """Of `Solver.step` and of `caffe.train`."""
    short = solver_file(folder, net, iterations)
    solver = caffe.get_solver(solver_file(folder, net, 1_000_000))
    script = f"import caffe; caffe.train({short!r})"

    def command():
        return seconds_per_image([program, "train", "--solver", short])

    def step():
        begin = time.perf_counter()
        solver.step(iterations)
        return (time.perf_counter() - begin) / (iterations * batch)

    def train():
        return seconds_per_image([sys.executable, "-c", script])

    return turns(count, command, step), turns(count, command, train)


def main():
    program, folder, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    rows = []
    for batch in [1, 32]:
        rows.append((f"forward, AlexNet, batch {batch}", forward(program, folder, batch, count)))
    for net, batch, iterations in TRAINED:
        step, train = training(program, folder, net, batch, iterations, max(count // 4, 1))
        rows += [(f"Solver.step, {net}", step), (f"caffe.train, {net}", train)]
    print(json.dumps([[name, *seconds] for name, seconds in rows]))


main()
