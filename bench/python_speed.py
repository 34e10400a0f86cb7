"""Speed of the Python package beside the command line's, taking turns.

    python python_speed.py FIRECAFFE FOLDER TURNS

Prints a JSON list: for each measurement its name and the seconds of every turn, of the command and
of Python; for accesses, which the command does not have, of Python alone. Start-up is left out
everywhere: interpreter, imports, making nets and opening databases. `forward` and `step` are timed
around the calls; `time` reports its passes, and both trainings log their speed over the iterations.
The package is imported from the environment that runs this; FOLDER takes small files.
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
ACCESSES = 100_000
# Net, batch and iterations per turn.
TRAINED = [("alexnet_b32", 32, 4), ("lenet_b64", 64, 300)]


def log_of(command):
    """What a command logs; both streams, since `time` reports on either."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def turns(count, *measured):
    """Seconds of each, turn by turn; the first turn warms caches and does not count."""
    rounds = [[measure() for measure in measured] for _ in range(count + 1)][1:]
    return [list(seconds) for seconds in zip(*rounds)]


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
        net.forward()  # the command warms up too: another program has used cores and caches
        begin = time.perf_counter()
        for _ in range(FORWARDS):
            net.forward()
        return (time.perf_counter() - begin) / FORWARDS

    return turns(count, command, python)


def accesses(folder, count):
    model = folder / "input.prototxt"
    shape = "shape { dim: 32 dim: 3 dim: 227 dim: 227 }"
    model.write_text(
        f'layer {{ name: "in" type: "Input" top: "x" input_param {{ {shape} }} }}'
    )
    net = caffe.Net(str(model), caffe.TEST)

    def python():
        begin = time.perf_counter()
        for _ in range(ACCESSES):
            net.blobs["x"].data
        return time.perf_counter() - begin

    return turns(count, python)[0]


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
    """Of the command, `Solver.step` and `caffe.train`: seconds per image."""
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

    return turns(count, command, step, train)


def main():
    program, folder, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    rows = []
    for batch in [1, 32]:
        rows.append((f"forward, AlexNet, batch {batch}", forward(program, folder, batch, count)))
    for net, batch, iterations in TRAINED:
        command, step, train = training(program, folder, net, batch, iterations, count)
        rows.append((f"Solver.step, {net}, per image", (command, step)))
        rows.append((f"caffe.train, {net}, per image", (command, train)))
    rows.append((f"{ACCESSES:,} accesses of a blob", ([], accesses(folder, count))))
    print(json.dumps([[name, *seconds] for name, seconds in rows]))


main()
