"""The README does what it says."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_python_example_runs_as_it_stands():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    printed = io.StringIO()
    names = {}
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    first, *_ = printed.getvalue().splitlines()
    assert first.split()[0] == "left/panda_joint1" and first.endswith("adjacent")
    assert np.isclose(names["d"].value, 1 - 0.135 - 0.06 - 0.05)


def test_every_file_it_points_to_is_there():
    root = Path(__file__).parent.parent
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (root / link).is_file(), link
