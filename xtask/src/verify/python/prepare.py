"""Makes what the notebooks of BVLC Caffe download: models with random weights, and label names.

    python prepare.py CHECKOUT
"""

import os
import sys

import caffe
import numpy as np

os.chdir(sys.argv[1])
rng = np.random.default_rng(1701)

model = "models/bvlc_reference_caffenet/"
net = caffe.Net(model + "deploy.prototxt", caffe.TEST)
for blobs in net.params.values():
    for blob in blobs:
        scale = np.sqrt(2.0 / max(np.prod(blob.data.shape[1:]), 1)) if blob.data.ndim > 1 else 0.1
        blob.data[...] = rng.normal(0, scale, blob.data.shape)
net.save(model + "bvlc_reference_caffenet.caffemodel")

names = [f"n{index:08}\tclass {index}" for index in range(1000)]
with open("data/ilsvrc12/synset_words.txt", "w") as file:
    file.write("\n".join(names) + "\n")
