"""Runs BVLC Caffe's `examples/pycaffe`: a net specification, and a loss layer in Python.

    python examples.py CHECKOUT
"""

import os
import runpy
import sys
import tempfile

import caffe
import numpy as np
from caffe.proto import caffe_pb2
from google.protobuf import text_format

folder = os.path.abspath(os.path.join(sys.argv[1], "examples/pycaffe"))
sys.path.insert(0, os.path.join(folder, "layers"))

with tempfile.TemporaryDirectory() as here:
    os.chdir(here)
    runpy.run_path(os.path.join(folder, "caffenet.py"), run_name="__main__")
    for name, layers in [("train", 23), ("test", 24)]:
        with open(f"{name}.prototxt") as file:
            net = text_format.Parse(file.read(), caffe_pb2.NetParameter())
        assert len(net.layer) >= layers - 2, f"{name}: {len(net.layer)} layers"
    print("caffenet.py: ran to its end")

    linreg = os.path.join(folder, "linreg.prototxt")
    with open("solver.prototxt", "w") as file:
        file.write(
            f'net: "{linreg}" base_lr: 0.001 lr_policy: "fixed" momentum: 0.9 random_seed: 1 '
            'max_iter: 100 snapshot_prefix: "linreg"'
        )
    solver = caffe.SGDSolver("solver.prototxt")
    losses = []
    for _ in range(100):
        solver.step(1)
        losses.append(solver.net.blobs["loss"].data.item())
    assert np.mean(losses[-20:]) < 0.5 * np.mean(losses[:20]), losses
    one = caffe.train("solver.prototxt", replicas=2, quiet=True)["hash"]
    two = caffe.train("solver.prototxt", workers=2, threads=1, quiet=True)["hash"]
    assert one == two, (one, two)
    print("linreg.prototxt with pyloss.py: learned; 2 workers have the hash of 1")
