"""Real-time scheduling: had or refused, and said."""

import os
import subprocess
import sys

import pytest

from standoff.streams import realtime
from tests.test_watch_command import called, write_csv
from tests.watch_worlds import task

CODE = """
import os, subprocess, sys, threading
from standoff.streams.realtime import ask_for_realtime, ordinary
end = threading.Event()
before = threading.Thread(target=end.wait); before.start()
why = ask_for_realtime()
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
    assert "root" in realtime.ask_for_realtime()
    monkeypatch.setattr(realtime, "_TASKS", realtime.Path("/no/such/folder"))
    assert "none" in realtime.ask_for_realtime()


def test_files_do_not_need_it(tmp_path):
    source = write_csv(tmp_path / "run.csv", task(1)[:20])
    result = called("watch", "testbed", "--from", source, "--realtime")
    assert result.exit_code == 0 and "files do not need it" in result.output
