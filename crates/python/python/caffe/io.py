"""Arrays to and from Caffe's messages, and images to and from a network's input.

Blobs and datums are converted with `blobproto_to_array`, `array_to_blobproto`, `array_to_datum`
and `datum_to_array`. A `Transformer` turns an image into what an input blob expects.
`load_image`, `resize_image` and `oversample` are in `_image`.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy as np

from ._image import load_image, oversample, resize_image
from .proto import caffe_pb2

__all__ = [
    "Transformer",
    "array_to_blobproto",
    "array_to_datum",
    "arraylist_to_blobprotovector_str",
    "blobproto_to_array",
    "blobprotovector_str_to_arraylist",
    "datum_to_array",
    "load_image",
    "oversample",
    "resize_image",
]


def blobproto_to_array(blob: Any, return_diff: bool = False) -> np.ndarray:
    """The data of a `BlobProto`, or its diff, as a float64 array of the blob's shape.

    A blob of an old file has four sizes instead of a shape. One with neither is a scalar.
    """
    single, double = (
        (blob.diff, blob.double_diff) if return_diff else (blob.data, blob.double_data)
    )
    values = np.array(double if len(double) else single, dtype=np.float64)
    if any(blob.HasField(size) for size in ("num", "channels", "height", "width")):
        shape = (blob.num, blob.channels, blob.height, blob.width)
    else:
        shape = tuple(blob.shape.dim)
    if values.size != np.prod(shape, dtype=np.int64):
        raise ValueError(f"a blob of shape {shape} cannot have {values.size} values")
    return values.reshape(shape)


def array_to_blobproto(arr: np.ndarray, diff: Optional[np.ndarray] = None) -> Any:
    """A `BlobProto` with the values of `arr`, and those of `diff` if given."""
    blob = caffe_pb2.BlobProto()
    blob.shape.dim.extend(arr.shape)
    blob.data.extend(arr.astype(float).ravel().tolist())
    if diff is not None:
        if diff.shape != arr.shape:
            raise ValueError(f"the diff has shape {diff.shape} and the data {arr.shape}")
        blob.diff.extend(diff.astype(float).ravel().tolist())
    return blob


def arraylist_to_blobprotovector_str(arraylist: Iterable[np.ndarray]) -> bytes:
    """Serializes arrays as a `BlobProtoVector`."""
    blobs = [array_to_blobproto(arr) for arr in arraylist]
    return caffe_pb2.BlobProtoVector(blobs=blobs).SerializeToString()


def blobprotovector_str_to_arraylist(str: bytes) -> list[np.ndarray]:
    """The arrays of a serialized `BlobProtoVector`."""
    vector = caffe_pb2.BlobProtoVector.FromString(str)
    return [blobproto_to_array(blob) for blob in vector.blobs]


def array_to_datum(arr: np.ndarray, label: Optional[int] = None) -> Any:
    """A `Datum` of a channels x height x width array: bytes if it is uint8, else floats."""
    if arr.ndim != 3:
        raise ValueError(f"a datum has three axes, and the array has {arr.ndim}: {arr.shape}")
    datum = caffe_pb2.Datum()
    datum.channels, datum.height, datum.width = arr.shape
    if arr.dtype == np.uint8:
        datum.data = arr.tobytes()
    else:
        datum.float_data.extend(arr.astype(float).ravel().tolist())
    if label is not None:
        datum.label = int(label)
    return datum


def datum_to_array(datum: Any) -> np.ndarray:
    """The pixels of a `Datum`, channels x height x width: uint8 if it has bytes, else float64."""
    if datum.encoded:
        raise ValueError("the datum holds an encoded image (JPEG or PNG): decode `datum.data`")
    if len(datum.data):
        values = np.frombuffer(datum.data, dtype=np.uint8).copy()  # a buffer is read-only
    else:
        values = np.array(datum.float_data, dtype=np.float64)
    return values.reshape((datum.channels, datum.height, datum.width))


class Transformer:
    """Turns images into what input blobs expect, and back.

    `inputs` maps the name of an input blob to its shape (batch, channels, height, width). Each step
    below happens only if it was set. Images are height x width x channels until the transpose.
    """

    def __init__(self, inputs: Mapping[str, Sequence[int]]) -> None:
        self.inputs = {name: tuple(shape) for name, shape in inputs.items()}
        self.transpose: dict[str, Sequence[int]] = {}
        self.channel_swap: dict[str, Sequence[int]] = {}
        self.raw_scale: dict[str, float] = {}
        self.mean: dict[str, np.ndarray] = {}
        self.input_scale: dict[str, float] = {}

    def _shape(self, in_: str) -> tuple[int, ...]:
        if in_ not in self.inputs:
            names = ", ".join(f"`{name}`" for name in self.inputs)
            raise ValueError(f"`{in_}` is not an input of this net; its inputs: {names}")
        return self.inputs[in_]

    def preprocess(self, in_: str, data: np.ndarray) -> np.ndarray:
        """An image as input `in_` expects it, float32; `data` stays as it is.

        Resize, transpose, swap channels, times `raw_scale`, minus `mean`, times `input_scale`.
        """
        size = self._shape(in_)[2:]
        result = data.astype(np.float32)
        if result.shape[:2] != size:
            result = resize_image(result, size)
        if in_ in self.transpose:
            result = result.transpose(self.transpose[in_])
        if in_ in self.channel_swap:
            result = result[list(self.channel_swap[in_])]
        if in_ in self.raw_scale:
            result *= self.raw_scale[in_]
        if in_ in self.mean:
            result -= self.mean[in_]
        if in_ in self.input_scale:
            result *= self.input_scale[in_]
        return result

    def deprocess(self, in_: str, data: np.ndarray) -> np.ndarray:
        """Undoes `preprocess`, except for the resize. A batch of one image counts as an image.

        Without a transpose, axes of length one are dropped, as plotting wants it.
        """
        axes = len(self._shape(in_)) - 1
        result = np.array(data, dtype=np.result_type(data, np.float32))
        while result.ndim > axes and result.shape[0] == 1:
            result = result[0]
        if in_ in self.input_scale:
            result /= self.input_scale[in_]
        if in_ in self.mean:
            result += self.mean[in_]
        if in_ in self.raw_scale:
            result /= self.raw_scale[in_]
        if in_ in self.channel_swap:
            result = result[np.argsort(self.channel_swap[in_])]
        if in_ in self.transpose:
            return result.transpose(np.argsort(self.transpose[in_]))
        return result.squeeze()

    def set_transpose(self, in_: str, order: Sequence[int]) -> None:
        """The order of axes; (2, 0, 1) makes height x width x channels what Caffe expects."""
        axes = len(self._shape(in_)) - 1
        if len(order) != axes:
            raise ValueError(f"transpose of `{in_}`: {len(order)} axes given, an image has {axes}")
        self.transpose[in_] = order

    def set_channel_swap(self, in_: str, order: Sequence[int]) -> None:
        """The order of channels, which are the first axis by then; (2, 1, 0) makes RGB BGR."""
        channels = self._shape(in_)[1]
        if len(order) != channels:
            raise ValueError(
                f"channel swap of `{in_}`: {len(order)} channels given, the input has {channels}"
            )
        self.channel_swap[in_] = order

    def set_raw_scale(self, in_: str, scale: float) -> None:
        """A factor before the mean is subtracted, such as 255 for images in [0, 1]."""
        self._shape(in_)
        self.raw_scale[in_] = scale

    def set_mean(self, in_: str, mean: np.ndarray) -> None:
        """What to subtract: one value per channel, or an image, which is resized if necessary."""
        channels, *size = self._shape(in_)[1:]
        if mean.ndim not in (1, 2, 3):
            raise ValueError(f"mean of `{in_}`: {mean.shape} has {mean.ndim} axes, want 1 to 3")
        if mean.ndim == 1:
            mean = mean[:, np.newaxis, np.newaxis]
            allowed = {channels}
        else:
            mean = mean.reshape((-1,) + mean.shape[-2:])
            allowed = {1, channels}  # one channel is subtracted from all
            if mean.shape[1:] != tuple(size):
                mean = resize_image(mean.transpose((1, 2, 0)), size).transpose((2, 0, 1))
        if mean.shape[0] not in allowed:
            raise ValueError(
                f"mean of `{in_}`: {mean.shape[0]} channels given, the input has {channels}"
            )
        self.mean[in_] = mean

    def set_input_scale(self, in_: str, scale: float) -> None:
        """A factor after the mean is subtracted."""
        self._shape(in_)
        self.input_scale[in_] = scale
