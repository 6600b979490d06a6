"""Compiling ahead of time, in processes of its own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """
import os, time
from standoff.compiled import build

def slow(name):
    os.write(1, b"%d\\n" % os.getpid())  # whole, whatever the other one writes
    time.sleep(600.0)

def wait():
    build.entry_names = lambda: ["one", "other"]
    build.build = slow
    for _ in build.build_all(2):
        pass

if __name__ == "__main__":
    wait()
"""


def running(pid):
    """Whether there is such a process, other than as a line that nobody has read."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def started_by(pid):
    """The processes that a process has started and that are still there."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux tells who runs")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_processes_that_compile_end_with_the_command_that_is_interrupted(tmp_path, how):
    """They went on for a minute and more, and nobody could see what they belonged to."""
    script = tmp_path / "compiling.py"
    script.write_text(SCRIPT)
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        first = int(process.stdout.readline())
        workers = started_by(process.pid)  # the second one may still be on its way
        assert first in workers and all(map(running, workers))
        os.kill(process.pid, how)
        process.wait()
    end = time.monotonic() + 300.0
    while any(map(running, workers)) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(map(running, workers))
