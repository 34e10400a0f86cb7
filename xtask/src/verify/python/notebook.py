"""Converts a notebook of BVLC Caffe to Python 3 and runs it in its folder.

    python notebook.py NOTEBOOK

Cells that download are left out, magics are run as plain code, and `lib2to3` does the rest, but for
the lines listed below: at most 15 for each notebook, found as they are after the conversion.
"""

import json
import os
import re
import sys
from lib2to3 import refactor
from pathlib import Path

# The package is installed; what lies in the checkout was not built.
NO_PATH = ("sys.path.insert(0, caffe_root + 'python')", "")

PATCHES = {
    "00-classification": [
        NO_PATH,
        # The cell that is left out for its download imports it.
        ("import sys", "import os, sys"),
    ],
    "01-learning-lenet": [
        NO_PATH,
        # A division of integers was one in Python 2.
        ("test_interval = niter / 10", "test_interval = niter // 10"),
    ],
    "net_surgery": [NO_PATH],
    "brewing-logreg": [
        ("sys.path.insert(0, './python')", ""),
        # Names of scikit-learn before its version 1.
        ("loss='log', n_iter=1000", "loss='log_loss', max_iter=1000"),
    ],
}
LINES_MAX = 15

DOWNLOADS = ("download_model_binary", "get_mnist.sh", "my_image_url")


def main(path):
    notebook = Path(path)
    text = convert(json.loads(notebook.read_text()), PATCHES[notebook.stem])
    script = notebook.with_suffix(".converted.py")
    script.write_text(text)
    os.chdir(notebook.parent)
    import matplotlib

    matplotlib.use("Agg")
    exec(compile(text, str(script), "exec"), {"__name__": "__main__"})
    print(f"{notebook.stem}: ran to its end")


def convert(notebook, patch):
    cells = notebook.get("cells") or notebook["worksheets"][0]["cells"]
    cells = [cell for cell in cells if cell["cell_type"] == "code"]
    sources = ["".join(cell.get("source", cell.get("input"))) for cell in cells]
    kept = [source for source in sources if not any(word in source for word in DOWNLOADS)]
    text = "".join(cell(source) for source in kept)
    fixers = refactor.get_fixers_from_package("lib2to3.fixes")
    text = str(refactor.RefactoringTool(fixers).refactor_string(text, "notebook"))
    lines = 0
    for old, new in patch:
        assert old in text, f"{old!r} is not there to be patched"
        lines += text.count(old)
        text = text.replace(old, new)
    assert lines <= LINES_MAX, f"a patch of {lines} lines"
    return text


def cell(source):
    """A cell as plain code. What `%%timeit` runs has names of its own, as in a function."""
    lines = [plain(line) for line in source.splitlines()]
    if source.startswith("%%timeit"):
        lines = ["def timed():", *(f"    {line}" for line in lines), "timed()"]
    return "\n".join(lines) + "\n"


def plain(line):
    """A line without IPython's magics: what is to be timed is run once, `!` goes to a shell."""
    if line.startswith(("%matplotlib", "%%time")):
        return ""
    line = re.sub(r"^(\s*)%timeit ", r"\1", line)
    return re.sub(r"^(\s*)!(.*)$", r"\1__import__('os').system(r'''\2''')", line)


main(sys.argv[1])
