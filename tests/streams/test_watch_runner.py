"""The watch as it runs: live sources, slow sinks, the end of it."""

import itertools
import math
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest

from standoff.errors import StreamError
from standoff.streams import outbox
from standoff.streams.files import merged
from standoff.streams.history import History
from standoff.streams.live_run import Inbox
from standoff.streams.messages import BodyPose, End, Grasp, Joints, Trouble
from standoff.streams.options import WatchOptions
from standoff.streams.outbox import Outbox
from standoff.streams.record.recorder import Recorder
from standoff.streams.record.replay import Replay
from standoff.streams.report import Report, State
from standoff.streams.runner import Watch, _unique_names
from tests.worlds.watch_worlds import (
    OPTIONS,
    Kept,
    Memory,
    Pipe,
    engine,
    new_cell,
    readings,
    run,
    task,
)

#: How long anything may take before a test gives up, [s]: on a busy machine, too, it failed then.
PATIENCE = 300.0

LIVE = WatchOptions(buffer=OPTIONS.buffer, period=0.05, max_age=0.3)


JOINTS = new_cell().joints


def reading(q):
    return Joints(time.time(), JOINTS, q)


def test_a_live_watch_goes_through_silence_and_is_replayed(tmp_path):
    Q = task(1)[:30]

    def script():
        for q in Q[:15]:
            yield 0.01, reading(q)
        yield 0.6, Trouble("lost", "gone")
        for q in Q[15:]:
            yield 0.01, reading(q)
        yield 0.0, End()

    kept = Kept()
    path = tmp_path / "live.mcap"
    watch = Watch(new_cell(), [Pipe(script())], [Recorder(path), kept], LIVE)
    summary = watch.run()
    assert {"silent", "lost"} <= {*summary.kinds} and summary.troubled
    assert kept.reports[-1].number == summary.cycles and kept.closed
    ages = [r.ages["pipe"] for r in kept.reports if r.state is State.STALE and r.cycle is not None]
    assert ages and max(ages) >= 0.3
    done = Replay(path).run(verify=True)
    assert done.difference is None and done.compared == summary.cycles


def got_from(inbox, timeout=0.0):
    return inbox.pop() if inbox.wait(timeout) else None


def test_a_flood_keeps_the_newest_and_is_told():
    names, q = new_cell().joints, task(1)[0]
    inbox = Inbox(1, depth=8)
    put = partial(inbox.put, 0, 0)
    for k in range(20):
        put(Joints(float(k), names, q))
    got = [got_from(inbox) for _ in range(9)]
    assert [a[2].stamp for a in got[:8]] == [12.0 + k for k in range(8)] and got[8] is None
    assert inbox.take_dropped(0) == (12, 0) == (12, inbox.take_dropped(0)[0])

    def script():
        yield 0.0, reading(q)
        for _ in range(5000):
            yield 0.0, reading(q)
        for _ in range(20):
            yield 0.01, reading(q)
        yield 0.0, End()

    kept = Kept()
    watch = Watch(new_cell(), [Pipe(script())], [kept], LIVE)
    summary = watch.run()
    if "flood" in summary.kinds:  # unless this machine kept up with it
        told = next(r for r in kept.reports if any(x.kind == "flood" for x in r.reasons))
        assert told.state is State.FAULT and "dropped" in str(told.reasons)
    assert summary.cycles > 20


def test_a_slow_sink_misses_what_nobody_misses_and_tells_the_rest():
    told, gate = [], threading.Event()

    class Slow(Kept):
        def put(self, report):
            gate.wait(PATIENCE)
            super().put(report)

    sink = Slow()
    outbox = Outbox(sink, lambda kind, text: told.append((kind, text)), depth=10)

    def report(number, state):
        return Report(number, float(number), state, False, (), None, 1.0, {})

    time.sleep(0.05)
    for k in range(50):
        outbox.put(report(k, State.SAFE))
    assert outbox.thinned and not outbox.lost and not told
    for k in range(50, 55):
        outbox.put(report(k, State.WARNING))
    assert not outbox.lost and not told
    for k in range(55, 80):
        outbox.put(report(k, State.WARNING))
    assert outbox.lost and told[0][0] == "sink" and "too slow" in told[0][1]
    gate.set()
    limit = time.monotonic() + PATIENCE
    while len(told) < 2 and time.monotonic() < limit:
        time.sleep(0.01)
    assert told[1] == ("back", "")
    outbox.close()
    numbers = [r.number for r in sink.reports]
    assert numbers == sorted(numbers) and {*range(50, 55)} <= {*numbers}


def test_a_sink_that_raises_is_a_fault_until_it_does_not():
    kept, bad = Kept(), Kept("bad")
    bad.broken = OSError(28, "No space left on device")

    class Script(Memory):
        def messages(self):
            for k, pair in enumerate(self._all):
                if k == 60:
                    limit = time.monotonic() + PATIENCE
                    while not watch._outboxes[1]._trouble and time.monotonic() < limit:
                        time.sleep(0.01)
                    bad.broken = None
                if k == 70:
                    while watch._outboxes[1]._trouble and time.monotonic() < limit:
                        time.sleep(0.01)
                yield pair

    Q = np.repeat(task(1)[:1], 200, axis=0)
    watch = Watch(new_cell(), [Script(readings(Q))], [kept, bad], OPTIONS, speed=100.0)
    watch.run()
    told = [r for r in kept.reports if r.state is State.FAULT]
    assert told and told[0].reasons[0].element == "bad"
    assert kept.reports[-1].state is State.SAFE and bad.reports


def test_a_sink_of_somebody_else_may_raise_what_it_likes():
    bad = Kept("bad")
    bad.broken = ZeroDivisionError("of theirs")
    summary = Watch(new_cell(), [Memory(readings(task(1)[:50]))], [bad], OPTIONS).run()
    assert summary.cycles == 50 and "ZeroDivisionError" in summary.sinks["bad"]


def test_a_source_of_somebody_else_may_raise_what_it_likes():
    class Bad(Memory):
        def messages(self):
            yield from super().messages()
            raise RuntimeError("of theirs")

    kept = Kept()
    Watch(new_cell(), [Bad(readings(task(1)[:50]))], [kept], OPTIONS).run()
    assert kept.reports[-1].state is State.STALE
    assert "RuntimeError: of theirs" in kept.reports[-1].reasons[0].text


def test_gaps_of_a_file_are_stale_from_when_they_were():
    messages = readings(task(1)[:60])
    late = [(now + 2.0 * (k >= 30), Joints(np.nan, m.names, m.positions))
            for k, (now, m) in enumerate(messages)]  # fmt: skip
    kept = Kept()
    Watch(new_cell(), [Memory(late)], [kept], OPTIONS).run()
    stale = [r for r in kept.reports if r.state is State.STALE]
    assert [r.time for r in stale] == [messages[29][0] + OPTIONS.age, late[30][0]]


def test_it_ends_when_it_is_told_to():
    def script():
        for k in itertools.count():
            if k == 50:
                watch.stop()
            yield 0.01, reading(task(1)[0])

    watch = Watch(new_cell(), [Pipe(script())], [], LIVE)
    assert watch.run().cycles > 3
    slow = Watch(new_cell(), [Memory(readings(task(1)[:5], period=100.0))], [], speed=1.0)
    threading.Timer(0.3, slow.stop).start()
    assert slow.run().cycles < 5


def test_slow_cycles_are_counted():
    options = WatchOptions(period=1e-9, max_age=0.2)
    summary = Watch(new_cell(), [Memory(readings(task(1)[:5]))], [], options).run()
    assert summary.slow >= 1 and summary.slowest > 0.0


def test_files_and_live_sources_do_not_mix():
    with pytest.raises(StreamError, match="together"):
        Watch(new_cell(), [Memory(()), Pipe(())])
    with pytest.raises(StreamError, match="no source"):
        Watch(new_cell(), [])
    with pytest.raises(StreamError, match="speed"):
        Watch(new_cell(), [Memory(())], speed=-1.0)


def test_a_flood_leaves_no_message_without_its_turn():
    inbox = Inbox(1, depth=16)
    put, most = partial(inbox.put, 0, 0), 60_000

    def flood():
        for _ in range(most):
            put(Joints(math.nan, ("x",), np.zeros(1)))
        put(End())

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread = threading.Thread(target=flood)
        thread.start()
        got, last = 0, None
        while type(last) is not End:
            arrival = got_from(inbox, PATIENCE)
            assert arrival is not None
            got, last = got + 1, arrival[2]
        thread.join()
    finally:
        sys.setswitchinterval(before)
    assert got_from(inbox) is None and got + inbox.take_dropped(0)[0] == most + 1


def test_a_flood_drops_no_event():
    inbox = Inbox(1, depth=16)
    put = partial(inbox.put, 0, 0)
    put(Grasp(math.nan, "box", "a/hand"))
    for _ in range(100):
        put(Joints(math.nan, ("x",), np.zeros(1)))
    got = [got_from(inbox)[2] for _ in range(16)]
    assert type(got[0]) is Grasp and got_from(inbox) is None
    assert inbox.take_dropped(0) == (85, 0)
    for k in range(20):
        put(Grasp(math.nan, f"box{k}", "a/hand"))
    assert inbox.take_dropped(0) == (4, 4)
    # Who was told so never is sure again.
    watch = engine()
    messages = readings(task(1)[:20])
    watch.cycle(messages[0][0], ((0, messages[0][1]), (0, Trouble("grasp", "4 events"))))
    assert {r.state for r in run(watch, messages[1:])} == {State.FAULT}


def test_an_instant_has_an_end():
    def flood():
        for _ in range(5000):
            yield 1.0, BodyPose(1.0, "nobody", np.eye(4))
        yield 1.0, Grasp(1.0, "box", "a/hand")

    found = [*merged([Memory(flood())])]
    assert len(found) == 1 and len(found[0][1]) < 2000
    kinds = [m.kind for _, m in found[0][1] if type(m) is Trouble]
    assert kinds == ["flood"] and any(type(m) is Grasp for _, m in found[0][1])


def test_times_that_are_none_are_garbled():
    message = readings(task(1)[:1])[0][1]
    for times in ([-1e308, 1e308], [0.0, 1e300], [1e308, -1e308, 1.0]):
        history = History()
        source = Memory([(t, message) for t in times])
        summary = Watch(new_cell(), [source], [], OPTIONS, history=history).run()
        assert summary.kinds["garbled"] >= 1


def test_sinks_of_one_name_are_unique_names():
    """One that is well again ended the fault of the other."""
    assert _unique_names(["a", "b", "a", "a", "a (2)"]) == ["a", "b", "a (2)", "a (3)", "a (2) (2)"]


def test_a_watch_that_is_to_end_waits_for_no_sink(monkeypatch):
    """Each report waited for room anew, long after somebody had asked for the end."""
    stuck = threading.Event()

    class Sink:
        name = "stuck"

        def put(self, report):
            stuck.wait()

        def flush(self):
            pass

        close = flush

    monkeypatch.setattr(outbox, "SINK_PATIENCE", 3600.0)
    box = Outbox(Sink(), lambda *words: None, patient=True, depth=2)
    box.hurry()
    thread = threading.Thread(target=lambda: [box.do(stuck.wait, 1) for _ in range(20)])
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive() and box.lost >= 17
    stuck.set()
    box.close()
