"""The command that a warning runs: once, without a shell, never waited for, no zombie left."""

import contextlib
import os
import sys
import time
from pathlib import Path

import pytest

from standoff.errors import StreamError
from standoff.streams.on_warning import OnWarning
from standoff.streams.report import Reason, State
from tests.worlds.stream_reports import hit, report

PYTHON = sys.executable


def until(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def writes(path, text="'x'"):
    """A command that adds a line to a file."""
    code = f"import os; open({str(path)!r}, 'a').write(str({text}) + chr(10))"
    return f'{PYTHON} -c "{code}"'


def ended(command):
    """No run of it is under way."""
    return command._running is None or not command._running.is_alive()


def test_it_runs_once_for_one_encounter_and_again_after_a_safe_while(tmp_path):
    path = tmp_path / "ran"
    command = OnWarning(writes(path), again_after=1.0)
    near = hit(0.01, 0, 1)
    said = [(0.0, ()), (0.1, (near,)), (0.2, (near,)), (0.3, ()), (0.9, (near,)), (1.0, ())]
    for k, (at, hits) in enumerate(said):
        command.put(report(k + 1, at, *hits))
        until(lambda: ended(command))
    assert command.runs == 1
    command.put(report(7, 1.9))
    command.put(report(8, 1.95, near))  # SAFE for 0.9 s only
    assert command.runs == 1
    for k, at in enumerate((2.0, 2.5, 3.1)):
        command.put(report(9 + k, at))
    command.put(report(12, 3.2, near))
    assert command.runs == 2 and until(lambda: ended(command))
    command.close()
    assert path.read_text() == "x\nx\n"


def test_safe_and_stale_and_faults_alone_run_nothing_but_a_fault_hides_no_warning(tmp_path):
    command = OnWarning(writes(tmp_path / "ran"))
    stale = (Reason(State.STALE, "silent", "x", "x is silent"),)
    command.put(report(1, 0.0))
    command.put(report(2, 0.1, state=State.STALE, reasons=stale, no_cycle=True))
    command.put(report(3, 0.2, state=State.FAULT, reasons=()))
    assert command.runs == 0
    command.put(report(4, 0.3, hit(0.01, 0, 1), state=State.FAULT, reasons=()))
    assert command.runs == 1 and until(lambda: ended(command))


def test_no_shell_sees_it_and_names_reach_it_as_they_can_be_shown(tmp_path):
    path = tmp_path / "told"
    told = "[os.environ[k] for k in ('STANDOFF_A', 'STANDOFF_B', 'STANDOFF_DISTANCE')]"
    command = OnWarning(writes(path, told) + " $(touch hacked) ; touch hacked | `id` > hacked")
    command.put(report(1, 0.0, hit(0.01, 0, 1), names=("x\0\x1b$(touch hacked)", "b")))
    assert until(lambda: ended(command))
    command.put(report(2, 0.1))
    assert path.read_text() == "['x\\\\x00\\\\x1b$(touch hacked)', 'b', '0.01']\n"
    assert not Path("hacked").exists() and not (tmp_path / "hacked").exists()


def test_nobody_waits_for_it_and_one_run_is_under_way_at_a_time():
    command = OnWarning(f'{PYTHON} -c "import time; time.sleep(60)"', again_after=0.0)
    near = hit(0.01, 0, 1)
    for k in range(20):
        command.put(report(k + 1, 0.1 * k, *([near] if k % 4 == 3 else [])))
    assert command.runs == 1 and not ended(command)
    command.flush()
    command.close()  # it goes on
    os.kill(command.pid, 9)
    assert until(lambda: ended(command))


def test_its_failure_is_told_once_and_the_next_warning_tries_again(tmp_path):
    go = tmp_path / "go"
    waiting = f"[time.sleep(0.01) for _ in iter(lambda: os.path.exists({str(go)!r}), True)]"
    code = f"import os, time; {waiting}; raise SystemExit(3)"
    command = OnWarning(f'{PYTHON} -c "{code}"', again_after=0.0)
    command.put(report(1, 0.0, hit(0.01, 0, 1)))
    go.touch()
    assert until(lambda: ended(command))
    with pytest.raises(StreamError, match="status 3"):
        command.put(report(2, 0.1))
    command.put(report(3, 0.2))
    with contextlib.suppress(StreamError):  # where this run has ended already
        command.put(report(4, 0.3, hit(0.01, 0, 1)))
    assert command.runs == 2 and until(lambda: ended(command))


def test_a_program_that_has_gone_is_told(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    command = OnWarning(str(program))
    program.unlink()
    with pytest.raises(StreamError, match="could not be started"):
        command.put(report(1, 0.0, hit(0.01, 0, 1)))
    command.put(report(2, 0.1, hit(0.01, 0, 1)))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc to look for zombies in")
def test_no_zombie_is_left():
    command = OnWarning(f'{PYTHON} -c "pass"')
    command.put(report(1, 0.0, hit(0.01, 0, 1)))
    pid = command.pid
    assert until(lambda: not Path(f"/proc/{pid}").exists())  # a zombie still has its place there


@pytest.mark.parametrize(
    "text", ["", "  ", "'open", "/no/such/program -x", "no-such-program-at-all"]
)
def test_what_cannot_be_run_is_refused_at_the_start(text):
    with pytest.raises(StreamError, match="--on-warning"):
        OnWarning(text)
