"""Tests the package `caffe` that is installed (`cargo xtask test python`)."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

sys.path.insert(0, str(HERE))


@pytest.fixture
def root() -> Path:
    """The root of the repository, for its prototxts and recorded models."""
    return HERE.parents[2]
