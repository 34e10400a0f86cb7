"""Layers in Python, as the tests' nets name them."""

import json

import caffe
import numpy as np


class Softmax(caffe.Layer):
    """Softmax and cross entropy of class scores, mean over the batch."""

    def setup(self, bottom, top):
        if len(bottom) != 2:
            raise ValueError("needs scores and labels")

    def reshape(self, bottom, top):
        top[0].reshape()

    def forward(self, bottom, top):
        scores = bottom[0].data - bottom[0].data.max(axis=1, keepdims=True)
        exp = np.exp(scores)
        self.prob = exp / exp.sum(axis=1, keepdims=True)
        self.rows = np.arange(len(scores))
        self.labels = bottom[1].data.astype(int)
        top[0].data[...] = -np.log(self.prob[self.rows, self.labels]).mean()

    def backward(self, top, propagate_down, bottom):
        assert propagate_down[0]
        diff = self.prob.copy()
        diff[self.rows, self.labels] -= 1
        bottom[0].diff[...] = diff * (top[0].diff / len(diff))


class Failing(Softmax):
    """Raises in the method that `param_str` names; in backward, in the third iteration."""

    count = 0

    def setup(self, bottom, top):
        self.fail("setup")

    def reshape(self, bottom, top):
        self.fail("reshape")
        super().reshape(bottom, top)

    def forward(self, bottom, top):
        self.fail("forward")
        super().forward(bottom, top)

    def backward(self, top, propagate_down, bottom):
        self.count += 1
        if self.count == 3:
            self.fail("backward")
        super().backward(top, propagate_down, bottom)

    def fail(self, method):
        if self.param_str == method:
            raise ZeroDivisionError("planted")


class Numbered(Softmax):
    """A loss that grows with every forward of its replica."""

    def setup(self, bottom, top):
        self.passes = 0

    def forward(self, bottom, top):
        super().forward(bottom, top)
        self.passes += 1
        top[0].data[...] *= self.passes

    def backward(self, top, propagate_down, bottom):
        super().backward(top, propagate_down, bottom)
        bottom[0].diff[...] *= self.passes


class Scaled(caffe.Layer):
    """Multiplies by a param that it learns, and counts passes in one that it does not."""

    def setup(self, bottom, top):
        self.blobs.add_blob(1)
        self.blobs.add_blob(2, 3)
        self.blobs[0].data[0] = json.loads(self.param_str)["scale"]

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data * self.blobs[0].data[0]
        if self.phase == caffe.TRAIN:
            self.blobs[1].data[...] += 1

    def backward(self, top, propagate_down, bottom):
        self.blobs[0].diff[0] += (top[0].diff * bottom[0].data).sum()
        if propagate_down[0]:
            bottom[0].diff[...] = top[0].diff * self.blobs[0].data[0]


class InPlace(caffe.Layer):
    """Halves its bottom where it is."""

    def reshape(self, bottom, top):
        assert bottom[0] is top[0]

    def forward(self, bottom, top):
        top[0].data[...] *= 0.5

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] *= 0.5


class FewerRows(caffe.Layer):
    """Passes on one row less in every pass, and decides so within forward."""

    def setup(self, bottom, top):
        self.rows = len(bottom[0].data)

    def reshape(self, bottom, top):
        for blob, out in zip(bottom, top):
            out.reshape(*blob.shape)

    def forward(self, bottom, top):
        self.rows -= 1
        for blob, out in zip(bottom, top):
            out.reshape(self.rows, *blob.shape[1:])
            out.data[...] = blob.data[: self.rows]

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = 0
        bottom[0].diff[: self.rows] = top[0].diff


class NotALayer:
    pass


class Empty(caffe.Layer):
    pass


class Careless(Scaled):
    """Does to its params in `forward` what `param_str` says."""

    def setup(self, bottom, top):
        self.blobs.add_blob(2)

    def forward(self, bottom, top):
        {"enlarge": lambda: self.blobs[0].reshape(3), "shrink": lambda: self.blobs[0].reshape(1),
         "remove": lambda: self.blobs.pop()}[self.param_str]()
        top[0].data[...] = bottom[0].data

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff


class Calling(caffe.Layer):
    """Passes its bottom on, and calls a function of the test's."""

    call = staticmethod(lambda: None)

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data
        type(self).call()

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff


class Writing(Scaled):
    """Sets its learned param in every pass."""

    def forward(self, bottom, top):
        super().forward(bottom, top)
        self.blobs[0].data[...] += 1

    def backward(self, top, propagate_down, bottom):
        super().backward(top, propagate_down, bottom)
        self.blobs[0].data[...] += 10
