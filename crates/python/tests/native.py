"""What tests of the native module share: small training jobs, and layers for them in Python."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[3]
RECORDS = ROOT / "testdata/golden/data/fashion128_lmdb"


SOLVER = """
net: "{folder}/net.prototxt" base_lr: 0.01 lr_policy: "fixed" momentum: 0.9 random_seed: 3
max_iter: {iterations} display: 2 snapshot_prefix: "{folder}/snap"
"""

NET = """
name: "small"
layer {{ name: "data" type: "Data" top: "data" top: "label"
        transform_param {{ scale: 0.00390625 mirror: true }}
        data_param {{ source: "{records}" batch_size: 16 backend: LMDB }} }}
layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv"
        convolution_param {{ num_output: 4 kernel_size: 5 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "relu" type: "ReLU" bottom: "conv" top: "conv" }}
layer {{ name: "pool" type: "Pooling" bottom: "conv" top: "pool"
        pooling_param {{ kernel_size: 4 stride: 4 }} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "pool" top: "ip"
        inner_product_param {{ num_output: 10 weight_filler {{ type: "xavier" }} }} }}
{loss}
"""

SOFTMAX = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }'


def python_layer(cls, bottoms=("ip", "label"), tops=("loss",), param="", rest="loss_weight: 1"):
    """A layer whose class is in `python_layers.py`."""
    ends = [f'bottom: "{name}"' for name in bottoms] + [f'top: "{name}"' for name in tops]
    options = f"module: 'python_layers' layer: '{cls}' param_str: '{param}'"
    return (
        f'layer {{ name: "mine" type: "Python" {" ".join(ends)} {rest} '
        f"python_param {{ {options} }} }}"
    )


def write_job(folder, loss=SOFTMAX, iterations=4):
    """A solver in `folder`; its path."""
    (folder / "net.prototxt").write_text(NET.format(records=RECORDS, loss=loss))
    solver = folder / "solver.prototxt"
    solver.write_text(SOLVER.format(folder=folder, iterations=iterations))
    return solver


def environment():
    """One in which subprocesses find the layers of the tests."""
    folders = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}


def run_command(*words, program=(sys.executable, "-m", "caffe"), **options):
    """Runs `python3 -m caffe WORDS`."""
    options.setdefault("env", environment())
    run = [*program, *map(str, words)]
    return subprocess.run(run, capture_output=True, text=True, timeout=300, **options)


def hash_in(log):
    """The weights' hash that a run has logged."""
    return re.findall(r"weights after \d+ steps: ([0-9a-f]{16})", log)[-1]


def elsewhere(call):
    """Calls on a thread of its own, and waits."""
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def refusal(call):
    """Whether a call raises since its net is running."""
    try:
        call()
    except RuntimeError as error:
        return "running in another call" in str(error)
    return False
