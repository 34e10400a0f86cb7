"""A net that classifies windows of images, as R-CNN does (Girshick et al., CVPR 2014)."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence

import numpy as np

from . import io
from .classifier import image_transformer, predict_crops
from .proto.caffe_pb2 import TEST
from .pycaffe import Net


class Detector(Net):
    """A net with one image input and one output of class scores, for windows of images.

    With `context_pad`, a border of that many pixels of the net's input shows what surrounds the
    window. The other options are steps of `io.Transformer`.
    """

    def __init__(
        self,
        model_file: str,
        pretrained_file: str,
        mean: Optional[np.ndarray] = None,
        input_scale: Optional[float] = None,
        raw_scale: Optional[float] = None,
        channel_swap: Optional[Sequence[int]] = None,
        context_pad: Optional[int] = None,
    ) -> None:
        Net.__init__(self, model_file, TEST, weights=pretrained_file)
        self.transformer = image_transformer(self, mean, input_scale, raw_scale, channel_swap)
        self.configure_crop(context_pad)

    def detect_windows(
        self, images_windows: Iterable[tuple[str, Iterable[Sequence[int]]]]
    ) -> list[dict[str, Any]]:
        """Class scores of windows (ymin, xmin, ymax, xmax) in image files.

        Gives a dict per window, with `window`, `prediction` and `filename`.
        """
        detections, crops = [], []
        for filename, windows in images_windows:
            image = io.load_image(filename)
            for window in windows:
                crops.append(self.crop(image, window))
                detections.append({"window": window, "prediction": None, "filename": filename})
        if crops:
            for detection, scores in zip(detections, predict_crops(self, crops)):
                detection["prediction"] = scores
        return detections

    def detect_selective_search(self, image_fnames: Iterable[str]) -> list[dict[str, Any]]:
        """Not offered: it needs MATLAB code that is not a part of Caffe."""
        raise NotImplementedError(
            "selective search is not included: compute the windows with a tool of your choice, "
            "such as OpenCV's cv2.ximgproc.segmentation, and pass them to detect_windows"
        )

    def crop(self, im: np.ndarray, window: Sequence[int]) -> np.ndarray:
        """A window (ymin, xmin, ymax, xmax) of an image, with context if configured."""
        corners = np.asarray(window, dtype=int)
        if not self.context_pad:
            return im[corners[0]:corners[2], corners[1]:corners[3]]
        size = np.array(self.crop_dims[:2])

        # The window grows so that, at the net's input, the border is `context_pad` wide.
        half = (corners[2:] - corners[:2] + 1) / 2
        center = corners[:2] + half
        reach = half * (size / (size - 2 * self.context_pad))
        box = np.round(np.concatenate([center - reach, center + reach]))
        zoom = size / (box[2:] - box[:2] + 1)

        # What lies outside of the image is left at the mean.
        limits = np.tile(im.shape[:2], 2)
        inside = np.clip(box, 0, limits).astype(int)
        offset = np.round(np.maximum(0, -box[:2]) * zoom).astype(int)
        extent = np.round((inside[2:] - inside[:2] + 1) * zoom).astype(int)
        extent = np.minimum(extent, size - offset)
        patch = im[inside[0]:inside[2], inside[1]:inside[3]]
        if patch.size == 0:
            raise ValueError(f"window {corners.tolist()} lies outside of an image of {im.shape}")
        crop = np.ones(self.crop_dims, dtype=np.float32) * self.crop_mean
        top, left = offset
        bottom, right = offset + extent
        crop[top:bottom, left:right] = io.resize_image(patch, extent)
        return crop.astype(np.float32)

    def configure_crop(self, context_pad: Optional[int]) -> None:
        """Sets the width of the border around windows, and what fills it outside of the image.

        That is the mean as it would be in an image, before any step of the transformer, so that
        the net sees zeros there.
        """
        name = self.inputs[0]
        channels, *size = self.blobs[name].shape[1:]
        self.crop_dims = np.array([*size, channels])
        self.context_pad = context_pad
        if context_pad and 2 * context_pad >= min(size):
            raise ValueError(f"a border of {context_pad} leaves nothing of an input of {size}")
        mean = self.transformer.mean.get(name)
        if mean is None:
            self.crop_mean = np.zeros(self.crop_dims, dtype=np.float32)
            return
        crop_mean = np.array(mean, dtype=np.float32)
        if name in self.transformer.raw_scale:
            crop_mean /= self.transformer.raw_scale[name]
        if name in self.transformer.channel_swap and len(crop_mean) == channels:
            crop_mean = crop_mean[np.argsort(self.transformer.channel_swap[name])]
        self.crop_mean = crop_mean.transpose((1, 2, 0))
