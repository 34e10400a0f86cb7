"""README's lines on Python, as they are written there, on the example with a small database."""

import re
import shutil

import numpy as np
from native import ROOT

LINES = re.compile(r"## From Python\n.*?```python\n(.*?)```", re.DOTALL)
FEWER = [
    (r"examples/lenet/(train|test)_lmdb", str(ROOT / "testdata/golden/data/fashion512_lmdb")),
    (r"max_iter: \d+", "max_iter: 20"),
    (r"test_iter: \d+", "test_iter: 2"),
]


def test_the_lines_on_python_run(tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "examples/lenet", tmp_path / "examples/lenet")
    for file in (tmp_path / "examples/lenet").glob("*.prototxt"):
        text = file.read_text()
        for pattern, value in FEWER:
            text = re.sub(pattern, value, text)
        file.write_text(text)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(LINES.search((ROOT / "README.md").read_text())[1], "README.md", "exec"), names)
    assert names["result"]["iterations"] == 20 and names["solver"].iter == 10
    assert not names["net"].params["conv1"][0].data[0].any()
    assert (tmp_path / "without_filter.caffemodel").exists()
    digit, loss = capsys.readouterr().out.splitlines()
    assert 0 <= int(digit) < 10 and np.isfinite(float(loss.split()[0]))
