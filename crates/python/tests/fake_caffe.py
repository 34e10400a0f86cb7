"""Stands in for the native module `caffe._caffe`, so that the Python side is tested alone.

The net is fixed: input `data` of 4 x 3 x 6 x 8 goes through layer `double`, which writes `twice`,
and layer `sum`, which writes `prob`, one sum per channel. `double` has a weight, the factor 2.
"""

import numpy as np

__version__ = "0.0.0"


class Blob:
    def __init__(self, *shape):
        self.data = np.zeros(shape, dtype=np.float32)
        self.diff = np.zeros(shape, dtype=np.float32)

    @property
    def shape(self):
        return self.data.shape


class Layer:
    def __init__(self, type_="", blobs=()):
        self.type = type_
        self.blobs = list(blobs)


class Net:
    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)

    def __init__(self, network_file, phase, level=0, stages=None, weights=None):
        self.opened = (network_file, phase, weights)
        self.passes = []
        self._blob_names = ["data", "twice", "prob"]
        self._blobs = [Blob(4, 3, 6, 8), Blob(4, 3, 6, 8), Blob(4, 3)]
        self._blob_loss_weights = [0.0, 0.0, 1.0]
        self._layer_names = ["input", "double", "sum"]
        weight = Blob(1)
        weight.data[...] = 2
        self.layers = [Layer("Input"), Layer("Scale", [weight]), Layer("Reduction")]
        self._inputs = [0]
        self._outputs = [2]

    def _top_ids(self, layer):
        return [[0], [1], [2]][layer]

    def _bottom_ids(self, layer):
        return [[], [0], [1]][layer]

    def _forward(self, start, end):
        self.passes.append(("forward", start, end))
        data, twice, prob = self._blobs
        if start <= 1 <= end:
            twice.data[...] = 2 * data.data
        if start <= 2 <= end:
            prob.data[...] = twice.data.sum(axis=(2, 3))

    def _backward(self, start, end):
        self.passes.append(("backward", start, end))
        data, twice, prob = self._blobs
        twice.diff[...] = prob.diff[:, :, None, None]
        data.diff[...] = 2 * twice.diff

    def _set_input_arrays(self, data, labels):
        self.arrays = (data, labels)


class Solver:
    pass


class SGDSolver(Solver):
    pass


NesterovSolver = AdaGradSolver = RMSPropSolver = AdaDeltaSolver = AdamSolver = SGDSolver


class NCCL:
    pass


class Timer:
    pass


def _unused(*args):
    raise NotImplementedError


get_solver = has_nccl = init_log = layer_type_list = log = set_device = _unused
set_mode_cpu = set_mode_gpu = set_multiprocess = set_random_seed = _unused
set_solver_count = set_solver_rank = solver_count = solver_rank = _unused
_train = _command_line = _unused
