"""Real-time scheduling: had or refused, and said."""

import os
import subprocess
import sys

import pytest

from standoff.streams import realtime
from tests.cli.test_watch_command import called, write_csv
from tests.worlds.watch_worlds import task

CODE = """
import os, subprocess, sys, threading
from standoff.streams.realtime import in_real_time, ordinary
end = threading.Event()
before = threading.Thread(target=end.wait); before.start()
with in_real_time() as refused:
    pass
why = "".join(text for text in refused if "scheduling" in text)
after = threading.Thread(target=end.wait); after.start()
tasks = [os.sched_getscheduler(int(t)) for t in os.listdir("/proc/self/task")]
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
ordinary(child.pid)
print(why or "had", {*tasks} == {os.SCHED_FIFO}, os.sched_getscheduler(child.pid))
child.communicate(b"\\n"); end.set()
"""


@pytest.mark.skipif(not hasattr(os, "SCHED_FIFO"), reason="a system of another kind")
def test_all_threads_have_it_and_no_other_process_does():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    *why, threads, child = run.stdout.split()
    assert int(child) == os.SCHED_OTHER
    assert threads == str(why == ["had"]), run.stdout


def test_where_it_is_refused_that_is_said(monkeypatch):
    def refused(*given):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(realtime.os, "sched_setscheduler", refused, raising=False)
    monkeypatch.setattr(realtime.os, "open", refused)
    with realtime.in_real_time() as why:
        assert len(why) == 2 and all("root may" in text for text in why)
    monkeypatch.undo()
    monkeypatch.setattr(realtime, "_TASKS", realtime.Path("/no/such/folder"))
    monkeypatch.setattr(realtime, "_LATENCY", realtime.Path("/no/such/file"))
    with realtime.in_real_time() as why:
        assert "none that is known" in why[0] and "No such file" in why[1]


def test_processors_are_kept_awake_for_as_long_as_it_lasts(monkeypatch, tmp_path):
    file = tmp_path / "latency"
    file.write_bytes(b"")
    monkeypatch.setattr(realtime, "_LATENCY", file)
    monkeypatch.setattr(realtime, "_TASKS", tmp_path / "none")
    held = []
    close = realtime.os.close
    monkeypatch.setattr(realtime.os, "close", lambda f: held.append(f) or close(f))
    with realtime.in_real_time() as why:
        assert len(why) == 1 and "scheduling" in why[0] and not held
        assert file.read_bytes() == bytes(4)
    assert len(held) == 1


def test_files_do_not_need_it(tmp_path):
    source = write_csv(tmp_path / "run.csv", task(1)[:20])
    result = called("watch", "testbed", "--from", source, "--realtime")
    assert result.exit_code == 0 and "files do not need it" in result.output
