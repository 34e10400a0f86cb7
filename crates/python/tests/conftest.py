"""Tests the package `caffe` that is installed (`cargo xtask test python`).

Without one, tests of the Python side run on the source tree, with a stand-in for the native module;
those of the native module are skipped.
"""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

sys.path.insert(0, str(HERE))

import fake_caffe  # noqa: E402

try:
    import caffe._caffe
except ImportError:
    for name in [name for name in sys.modules if name.split(".")[0] == "caffe"]:
        del sys.modules[name]
    sys.path.insert(0, str(HERE.parent / "python"))
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
