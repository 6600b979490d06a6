"""Modules of the folder that a command is run in are none of its own: `calendar.py` there is a file
like any other, and never run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from standoff.cli import COMMANDS

BIN = Path(sys.executable).parent
FOREIGN = ("calendar", "http", "numpy", "rich", "site", "standoff", "multiprocessing", "viser")


@pytest.fixture
def folder(tmp_path):
    """One with modules that leave a trace when they are run."""
    there = tmp_path / "there"
    there.mkdir()
    for name in FOREIGN:
        (there / f"{name}.py").write_text(f"open('ran-{name}', 'w')\nraise SystemExit(99)\n")
    return there


def run(folder, *command):
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    result = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, env=env
    )
    assert not [*folder.glob("ran-*")], result.stderr
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_runs_modules_of_the_folder(folder, command):
    assert command in run(folder, BIN / "standoff", command, "--help")


def test_a_command_that_reads_a_robot_does_not(folder):
    assert "panda" in run(folder, BIN / "standoff", "info", "builtin:panda")


def test_the_process_of_the_live_page_does_not(folder, tmp_path):
    pytest.importorskip("viser")
    script = tmp_path / "page.py"
    script.write_text(
        "from standoff.view.live import LivePage\n"
        "with LivePage(port=0) as page:\n    print(page.address)\n"
    )
    assert "http://127.0.0.1" in run(folder, sys.executable, script)


def test_the_processes_that_compile_do_not(folder, tmp_path):
    script = tmp_path / "compiling.py"
    script.write_text(
        "import sys\nfrom standoff.cli import main\nfrom standoff.compiled import build\n"
        "build.entry_names = lambda: ['motion.kernels.bound.joint_magnitudes',"
        " 'interference.kernels.region_leaves.union_leaves']\n"
        "if __name__ == '__main__':\n"
        "    sys.argv = ['standoff', 'compile', '--jobs', '2']\n    main()\n"
    )
    assert "2 kernels ready" in run(folder, sys.executable, script)
