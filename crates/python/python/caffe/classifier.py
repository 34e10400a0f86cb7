"""A net that classifies images."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence

import numpy as np

from . import io
from ._image import center_box
from .proto.caffe_pb2 import TEST
from .pycaffe import Net


class Classifier(Net):
    """A net with one image input and one output of class scores.

    Images are resized to `image_dims` and crops of the input's size are taken from them; without
    `image_dims` the whole image is the crop. The other options are steps of `io.Transformer`.
    """

    def __init__(
        self,
        model_file: str,
        pretrained_file: str,
        image_dims: Optional[Sequence[int]] = None,
        mean: Optional[np.ndarray] = None,
        input_scale: Optional[float] = None,
        raw_scale: Optional[float] = None,
        channel_swap: Optional[Sequence[int]] = None,
    ) -> None:
        Net.__init__(self, model_file, TEST, weights=pretrained_file)
        self.transformer = image_transformer(self, mean, input_scale, raw_scale, channel_swap)
        self.crop_dims = np.array(self.blobs[self.inputs[0]].shape[2:])
        self.image_dims = self.crop_dims if image_dims is None else np.array(image_dims)

    def predict(self, inputs: Sequence[np.ndarray], oversample: bool = True) -> np.ndarray:
        """Class scores of images (height x width x channels), one row per image.

        With `oversample` a row is the mean over ten crops, else it is that of the centre crop.
        """
        images = np.stack([io.resize_image(image, self.image_dims) for image in inputs])
        if oversample:
            crops = io.oversample(images, self.crop_dims)
        else:
            top, left, bottom, right = center_box(self.image_dims, self.crop_dims)
            crops = images[:, top:bottom, left:right]
        scores = predict_crops(self, crops)
        if oversample:
            scores = scores.reshape((len(images), 10, -1)).mean(axis=1)
        return scores


def image_transformer(
    net: Net,
    mean: Optional[np.ndarray],
    input_scale: Optional[float],
    raw_scale: Optional[float],
    channel_swap: Optional[Sequence[int]],
) -> io.Transformer:
    """The transformer from images to the first input of a net; None leaves a step out."""
    if not net.inputs:
        raise ValueError(
            "this net has no input blob to put images in: use its deploy prototxt, with an Input "
            "layer instead of a data layer"
        )
    name = net.inputs[0]
    transformer = io.Transformer({name: tuple(net.blobs[name].shape)})
    transformer.set_transpose(name, (2, 0, 1))
    steps: list[tuple[Any, Any]] = [
        (transformer.set_mean, mean),
        (transformer.set_input_scale, input_scale),
        (transformer.set_raw_scale, raw_scale),
        (transformer.set_channel_swap, channel_swap),
    ]
    for set_step, value in steps:
        if value is not None:
            set_step(name, value)
    return transformer


def predict_crops(net: Any, crops: Iterable[np.ndarray]) -> np.ndarray:
    """The first output for each of the crops, which the net's transformer resizes."""
    name = net.inputs[0]
    data = np.stack([net.transformer.preprocess(name, crop) for crop in crops])
    return net.forward_all(**{name: data})[net.outputs[0]]
