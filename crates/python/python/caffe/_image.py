"""Images as arrays: read, resize, crop. `caffe.io` offers these functions.

An image is an array of height x width x channels. Linear resizing needs only numpy and follows
what pycaffe obtained from its libraries, so that a network sees the same pixels: scikit-image
without smoothing for one or three channels, `scipy.ndimage.zoom` for any other number. They place
the pixels differently, see `_sample_points`.
"""

from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np

# Sizes: height and width.
Dims = Union[Sequence[int], np.ndarray]

_NEED = "{what} needs scikit-image: pip install scikit-image"


def load_image(filename: Any, color: bool = True) -> np.ndarray:
    """Reads an image as float32 in [0, 1]: height x width x 3 as RGB, or x 1 if not `color`."""
    try:
        import skimage.color
        import skimage.io
        import skimage.util
    except ImportError as error:
        raise ImportError(_NEED.format(what="load_image")) from error
    image = skimage.util.img_as_float(skimage.io.imread(filename)).astype(np.float32)
    if image.ndim == 2:
        image = image[:, :, np.newaxis]
    if image.shape[2] in (2, 4):
        image = image[:, :, :-1]  # the last channel is alpha
    if color and image.shape[2] == 1:
        image = np.repeat(image, 3, axis=2)
    elif not color and image.shape[2] == 3:
        image = skimage.color.rgb2gray(image)[:, :, np.newaxis]
    return np.ascontiguousarray(image, dtype=np.float32)


def resize_image(im: np.ndarray, new_dims: Dims, interp_order: int = 1) -> np.ndarray:
    """Resizes an image to `new_dims`, height and width; gives float32.

    Order 1 is linear. Other orders are those of scikit-image and need it.
    """
    height, width = (int(size) for size in new_dims)
    aligned = im.shape[-1] not in (1, 3)
    low, high = im.min(), im.max()
    if low == high:
        return np.full((height, width, im.shape[-1]), low, dtype=np.float32)
    if interp_order != 1:
        return _resize_other(im, (height, width), interp_order, aligned)
    # Outside of the image lies its lowest value, which is zero after this subtraction.
    resized = im.astype(np.float64) - low
    resized = _resize_axis(resized, 0, height, aligned)
    resized = _resize_axis(resized, 1, width, aligned)
    return (resized + low).astype(np.float32)


def _sample_points(size: int, new_size: int, aligned: bool) -> np.ndarray:
    """Where the new pixels lie among the old ones, along one axis.

    Aligned, the first and last pixels coincide. Otherwise pixels have an area, and the outer edges
    of the images coincide; enlarging then samples up to half a pixel outside of the image.
    """
    points = np.arange(new_size, dtype=np.float64)
    if aligned:
        return points * ((size - 1) / (new_size - 1) if new_size > 1 else 0.0)
    return (points + 0.5) * (size / new_size) - 0.5


def _resize_axis(im: np.ndarray, axis: int, new_size: int, aligned: bool) -> np.ndarray:
    size = im.shape[axis]
    points = _sample_points(size, new_size, aligned)
    before = np.floor(points).astype(int)
    fraction = points - before
    result = np.zeros(im.shape[:axis] + (new_size,) + im.shape[axis + 1:])
    for index, weight in ((before, 1 - fraction), (before + 1, fraction)):
        weight = np.where((index >= 0) & (index < size), weight, 0.0)
        weight = weight.reshape((-1,) + (1,) * (im.ndim - axis - 1))
        result += weight * np.take(im, np.clip(index, 0, size - 1), axis=axis)
    return result


def _resize_other(
    im: np.ndarray, new_dims: tuple[int, int], order: int, aligned: bool
) -> np.ndarray:
    """Nearest neighbour or splines, by the libraries that pycaffe uses."""
    try:
        from scipy.ndimage import zoom
        from skimage.transform import resize
    except ImportError as error:
        raise ImportError(_NEED.format(what=f"resize_image of order {order}")) from error
    if aligned:
        scale = (new_dims[0] / im.shape[0], new_dims[1] / im.shape[1], 1)
        return zoom(im, scale, order=order).astype(np.float32)
    low, high = im.min(), im.max()
    unit = (im - low) / (high - low)
    unit = resize(unit, new_dims, order=order, mode="constant", anti_aliasing=False)
    return (unit * (high - low) + low).astype(np.float32)


def center_box(dims: Dims, crop_dims: Dims) -> tuple[int, int, int, int]:
    """Top, left, bottom and right of a crop in the middle; half pixels round down."""
    top = (int(dims[0]) - int(crop_dims[0])) // 2
    left = (int(dims[1]) - int(crop_dims[1])) // 2
    return top, left, top + int(crop_dims[0]), left + int(crop_dims[1])


def oversample(
    images: Union[Sequence[np.ndarray], np.ndarray], crop_dims: Dims
) -> np.ndarray:
    """Ten crops per image: the corners and the centre, then the same five mirrored.

    All images have the size of the first. The result is 10N x height x width x channels, float32.
    """
    height, width = (int(size) for size in crop_dims)
    im_height, im_width, channels = images[0].shape
    if height > im_height or width > im_width:
        raise ValueError(
            f"a crop of {height} x {width} does not fit in an image of {im_height} x {im_width}"
        )
    corners = [(y, x) for y in (0, im_height - height) for x in (0, im_width - width)]
    corners.append(center_box((im_height, im_width), (height, width))[:2])
    crops = np.empty((len(images), 10, height, width, channels), dtype=np.float32)
    for image, ten in zip(images, crops):
        for crop, (y, x) in zip(ten, corners):
            crop[...] = image[y:y + height, x:x + width]
        ten[5:] = ten[:5, :, ::-1]
    return crops.reshape((-1, height, width, channels))
