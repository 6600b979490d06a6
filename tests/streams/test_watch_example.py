"""The example of two robots and a watch beside them runs, and its recording says the same again."""

import subprocess
import sys
from pathlib import Path

import pytest

import standoff as so
from standoff.streams.record.replay import Replay

pytest.importorskip("zenoh")
pytest.importorskip("mcap")

EXAMPLE = Path(__file__).parents[2] / "examples" / "09_watch_two_robots.py"


def test_two_robots_over_zenoh(tmp_path):
    run = subprocess.run(
        [sys.executable, EXAMPLE, tmp_path, "3"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert "SAFE -> WARNING" in run.stdout, run.stdout
    assert "the closest: panda/panda_link6 and irb/link_4" in run.stdout
    assert set(so.Cell.load(tmp_path / "cell.toml").robots) == {"panda", "irb"}
    page = (tmp_path / "near-misses.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2 and "irb/link_4" in page
    replayed = Replay(tmp_path / "run.mcap").run(verify=True)
    assert replayed.difference is None and replayed.compared > 300
    assert replayed.summary.warned > 0


@pytest.mark.parametrize(
    ("name", "package"), [("09_watch_two_robots", "zenoh"), ("10_drive_a_cell", "viser")]
)
def test_an_example_without_its_extra_says_so_in_one_line(tmp_path, name, package):
    code = (
        f"import runpy, sys; sys.modules[{package!r}] = None; sys.argv = ['example']; "
        f"runpy.run_path({str(EXAMPLE.parent / name) + '.py'!r}, run_name='__main__')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert run.returncode == 1 and "Traceback" not in run.stderr, run.stderr
    last = run.stderr.splitlines()[-1]
    assert "pip install" in last and "standoff[" in last
