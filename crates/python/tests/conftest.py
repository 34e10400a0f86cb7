"""Imports `caffe` from the source tree; without a built native module, a stand-in takes its place.

The tests beside this file are about the Python side and pass in both cases.
"""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

sys.path.insert(0, str(HERE.parent / "python"))
sys.path.insert(0, str(HERE))

import fake_caffe  # noqa: E402

try:
    import caffe  # noqa: F401
except ImportError:
    for name in [name for name in sys.modules if name.split(".")[0] == "caffe"]:
        del sys.modules[name]
    sys.modules["caffe._caffe"] = fake_caffe

from caffe import pycaffe  # noqa: E402

pycaffe.attach(fake_caffe.Net)


@pytest.fixture
def root() -> Path:
    """The root of the repository, for its prototxts and recorded models."""
    return HERE.parents[2]


@pytest.fixture
def net() -> fake_caffe.Net:
    """The stand-in net, with the methods of `pycaffe`."""
    return fake_caffe.Net("net.prototxt", 1)
