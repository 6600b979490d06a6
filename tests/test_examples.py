"""Each example runs as it stands and says what its words promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

#: What each prints, one pattern after another. Those of other tests are looked at there.
SAYS = {
    "02_watch_two_arms": [
        r"unsafe\n +left/panda_\w+ – right/panda_\w+: 0\.05\d+ m \(<= 0\.0600\), approaching",
        r"parting\n", r"s: safe\n", r"nearest that was warned of: [12]\d\.\d mm",
    ],
    "03_plan_and_prove": [r"waypoints, .* edges", r"\d+ to \d.* shortcuts", r"\nverified\n"],
    "04_stop_in_time": [
        r"total +S_p +at 0\.6 m/s +0\.0780", r"table: .* into the stop",
        r"free at every instant: True", r"nearest by samples: [1-9]",
    ],
    "05_a_cell_of_your_own": [
        r"8 joints, 44 pairs to watch", r"33 pairs can never", r"left/link4 and right/link4",
    ],
    "06_watch_a_swarm": [r"may touch within \d", r"pairs of 19900 alarmed, \d+ tests a step"],
}  # fmt: skip


@pytest.mark.parametrize("name", SAYS)
def test_the_example_runs_and_says_what_it_promises(name, tmp_path):
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert re.search(".*".join(SAYS[name]), run.stdout, re.S), run.stdout


def test_the_live_page_is_served_and_ends_by_itself(tmp_path):
    """What a browser sees of it is for the tests of the page."""
    pytest.importorskip("viser")
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "10_drive_a_cell.py", "1"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "The page is at http://127.0.0.1:" in run.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_is_run_by_some_test_and_tells_how_to_run_it(path):
    tests = "".join(p.read_text() for p in (ROOT / "tests").rglob("test_*.py"))
    assert path.stem in tests
    assert f"python examples/{path.name}" in path.read_text()
