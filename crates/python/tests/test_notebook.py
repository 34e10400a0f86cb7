"""The example's notebook, run from its first cell to its last."""

import json
import os

import pytest
from native import ROOT


def test_the_notebook_trains_plots_and_classifies(monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    notebook = ROOT / "examples/notebook/lenet.ipynb"
    monkeypatch.chdir(notebook.parent)
    names = {}
    for index, cell in enumerate(json.loads(notebook.read_text())["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {index}", "exec"), names)
    assert len(names["losses"]) == 100
    assert names["losses"][-1][1] < 0.7 * names["losses"][0][1]
    assert names["right"] > 0.7
    assert os.path.exists(names["result"]["model"])
