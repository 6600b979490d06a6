"""Who looks at a message, and when: the thread that brings it, or that of the watch."""

import itertools
import math
import sys
import threading
import time

import numpy as np
import pytest

from standoff.streams import live_run
from standoff.streams.live_run import INBOX_DEPTH, LiveRun
from standoff.streams.messages import End, Joints, Trouble
from standoff.streams.options import WatchOptions

NOBODY = np.zeros(0)


class Engine:
    """Stands for one: silence is due when it says."""

    options = WatchOptions(max_age=0.5)
    at = math.inf

    def due(self):
        return self.at


class Source:
    """Brings what its script yields, on a thread of its own."""

    def __init__(self, script=()):
        self.script = script
        self.thread = None

    def start(self, put):
        self.put = put
        self.thread = threading.Thread(target=self._bring)
        self.thread.start()

    def _bring(self):
        for wait, message in self.script:
            if wait:
                time.sleep(wait)
            self.put(message)


class Looked:
    """What was looked at: times, messages, on which thread; never two at a time."""

    def __init__(self, takes=0.0):
        self.takes, self.cycles, self._at_it = takes, [], threading.Lock()

    def __call__(self, now, inputs, arrived):
        assert self._at_it.acquire(blocking=False), "two cycles at a time"
        if self.takes:
            time.sleep(self.takes)
        self.cycles.append((now, [message for _, message in inputs], threading.current_thread()))
        self._at_it.release()

    def messages(self, kind=Joints):
        return [m for _, inputs, _ in self.cycles for m in inputs if type(m) is kind]


def joints(k):
    return Joints(float(k), ("x",), NOBODY)


def run(scripts, looked, engine=None):
    sources = [Source(script) for script in scripts]
    live = LiveRun(engine or Engine(), looked, sources)
    live.run()
    for source in sources:
        source.thread.join()
    return live, sources


def test_a_message_is_looked_at_where_it_comes():
    looked = Looked()
    script = [(0.01, joints(k)) for k in range(20)] + [(0.01, End())]
    _, (source,) = run([script], looked)
    assert [m.stamp for m in looked.messages()] == list(range(20))
    by = [thread for _, inputs, thread in looked.cycles if inputs]
    assert source.thread in by  # not all of them: a busy machine brings some late, and so together
    times = [now for now, _, _ in looked.cycles]
    assert all(a < b for a, b in itertools.pairwise(times))


def test_more_than_can_be_looked_at_shows_in_the_inbox():
    """And does not pile up before the thread that brings it."""
    looked = Looked(takes=0.002)
    count = 2 * INBOX_DEPTH
    script = [(0.0, joints(k)) for k in range(count)] + [(0.0, End())]
    run([script], looked)
    seen = [m.stamp for m in looked.messages()]
    assert seen == sorted(seen) and seen[-1] == count - 1 and len(seen) < count
    told = [trouble for trouble in looked.messages(Trouble) if trouble.kind == "flood"]
    assert sum(int(trouble.text.split()[0]) for trouble in told) == count - len(seen)


def test_messages_of_a_source_stay_in_their_order_whoever_looks():
    looked = Looked(takes=0.0002)
    rng = np.random.default_rng(3)

    def script(n):
        for k in range(300):
            yield (0.0, 0.0, 0.0005, 0.001)[rng.integers(4)], Joints(float(k), (n,), NOBODY)
        yield 0.0, End()

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        run([script("a"), script("b"), script("c")], looked)
    finally:
        sys.setswitchinterval(before)
    for n in "abc":
        seen = [m.stamp for m in looked.messages() if m.names == (n,)]
        assert seen == sorted(seen) and seen[-1] == 299.0


def test_a_failure_on_any_thread_ends_the_run():
    def look(now, inputs, arrived):
        if inputs:
            raise MemoryError("no room")

    forever = ((0.02, joints(k)) for k in range(100))
    with pytest.raises(MemoryError, match="no room"):
        run([forever], look)


def test_silence_that_comes_sooner_than_was_thought_is_noticed(monkeypatch):
    """A reading looked at elsewhere may bring silence nearer: who sleeps is woken."""
    monkeypatch.setattr(live_run, "HEARTBEAT", 60.0)
    engine, looked = Engine(), Looked()
    due = []

    def look(now, inputs, arrived):
        looked(now, inputs, arrived)
        engine.at = math.inf
        if looked.messages() and not due:
            due.append(now + 0.02)
            engine.at = due[0]

    def noticed():
        return any(now >= due[0] and not inputs for now, inputs, _ in looked.cycles if due)

    def script():
        yield 0.03, joints(0)
        end = time.monotonic() + 30.0
        while not noticed() and time.monotonic() < end:
            time.sleep(0.01)
        yield 0.0, End()

    run([script()], look, engine)
    assert noticed()


def test_after_the_end_nothing_is_looked_at():
    looked = Looked()
    _, (source,) = run([[(0.01, joints(0)), (0.01, End())]], looked)
    count = len(looked.cycles)
    source.put(joints(1))
    assert len(looked.cycles) == count
    stopped = LiveRun(Engine(), looked, [Source([(0.0, joints(0))] * 3)])
    stopped.stop()
    stopped.run()
    assert len(looked.cycles) <= count + 1


def test_a_message_that_waited_before_it_was_handed_over_is_behind():
    looked = Looked()

    class Late(Source):
        def _bring(self):
            self.put(joints(0), time.monotonic_ns() - 10**9)
            self.put(End())

    source = Late()
    LiveRun(Engine(), looked, [source]).run()
    source.thread.join()
    assert [t.kind for t in looked.messages(Trouble)] == ["behind"]


def test_what_comes_after_the_process_was_stopped_is_not_fresh(monkeypatch):
    """For 1.5 s nobody looked (kill -STOP): what had waited in a pipe meanwhile was SAFE."""

    class Clock:
        ahead, time_ns = 0, staticmethod(time.time_ns)

        def monotonic_ns(self):
            return time.monotonic_ns() + self.ahead

    clock = Clock()
    monkeypatch.setattr(live_run, "time", clock)
    looked = Looked()

    def script():
        yield 0.0, joints(0)
        clock.ahead = 10**10
        yield 0.0, joints(1)
        yield 0.0, End()

    run([script()], looked)
    (after,) = (inputs for _, inputs, _ in looked.cycles if joints(1).stamp in stamps(inputs))
    assert [m.kind for m in after if type(m) is Trouble] == ["behind"]


def stamps(inputs):
    return [m.stamp for m in inputs if type(m) is Joints]
