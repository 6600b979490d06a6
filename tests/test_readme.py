"""The README does what it says."""

import contextlib
import io
import re
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_python_example_runs_as_it_stands():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    printed = io.StringIO()
    names = {}
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    assert names["cycle"].warnings and not names["cycle"].faults
    pair = names["cycle"].warnings[0]
    assert {pair.a.split("/")[0], pair.b.split("/")[0]} == {"left", "right"}
    assert 0.0 < pair.distance <= 0.06 and pair.approaching
    assert str(pair) in printed.getvalue()


def test_every_file_it_points_to_is_there():
    root = Path(__file__).parent.parent
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (root / link).is_file(), link
