"""Warnings and states over Zenoh: on loopback, without a router, none lost."""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from standoff.errors import StreamError
from standoff.streams import zenoh_session
from standoff.streams.limits import HEARTBEAT
from standoff.streams.open_stream import open_sink
from standoff.streams.outbox import Outbox
from standoff.streams.report import State
from standoff.streams.sinks import zenoh_topics
from standoff.streams.sinks.zenoh_topics import ZenohTopics
from standoff.streams.zenoh_session import STATE_PERIOD, Lease, Link, open_session
from tests.worlds.stream_reports import hit, report

zenoh = pytest.importorskip("zenoh")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Heard:
    """A subscriber of its own session, that connects to the sink."""

    def __init__(self, address, key, slow=0.0):
        self.samples, self._slow = [], slow
        self.open = threading.Event()
        self.open.set()
        self.keys = 2 if "*" in key else 1
        self.session = open_session(Link(connect=(address,)))
        self.subscriber = self.session.declare_subscriber(key, self._take)

    def _take(self, sample):
        self.open.wait()
        if self._slow:
            time.sleep(self._slow)
        self.samples.append((str(sample.key_expr), json.loads(sample.payload.to_bytes())))

    def of(self, key):
        return [value for k, value in list(self.samples) if k == key]

    def close(self):
        self.subscriber.undeclare()
        self.session.close()


def until(condition):
    """Whether it came true, on a busy machine too: the limit is there to end a test that failed."""
    end = time.monotonic() + 300.0
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return found  # not asked again: what is unread is read from tables that may leave it out once


def reached(sink, heard):
    """Until what is published arrives: who joins is not there from the first moment on."""

    def arrived():
        for publisher in sink._waiting:
            publisher.put(b"{}")
        return len({key for key, _ in heard.samples}) == heard.keys

    assert until(arrived)
    for publisher in sink._waiting:
        publisher.put(b'"last"')
    # Nothing overtakes: those that were under way have come before it.
    assert until(lambda: [value for _, value in heard.samples].count("last") == heard.keys)
    heard.samples.clear()


@pytest.fixture
def linked():
    """A sink and somebody who hears it."""
    address = f"tcp/127.0.0.1:{free_port()}"
    sink = ZenohTopics("cell/standoff", Link(listen=(address,)))
    heard = Heard(address, "cell/standoff/**")
    reached(sink, heard)
    yield sink, heard
    sink.close()
    sink.close()
    heard.close()


def test_warnings_and_states_arrive_as_json(linked):
    sink, heard = linked
    sink.put(report(1, 0.0))
    sink.put(report(2, 0.001))  # quiet, and just said
    sink.put(report(3, 0.002, hit(0.01, 0, 1, closing=0.2), changed=True))
    sink.put(report(4, 0.003, hit(0.009, 0, 1, closing=0.2)))
    sink.put(report(5, 0.004, changed=True))
    for k in range(100):
        sink.put(report(6 + k, 0.005 + 0.001 * k))
    assert until(lambda: any(v["number"] >= 94 for v in heard.of("cell/standoff/state")))
    warnings = heard.of("cell/standoff/warnings")
    assert [w["number"] for w in warnings] == [3, 4]
    assert warnings[0]["state"] == "WARNING" and warnings[0]["warnings"][0]["distance"] == 0.01
    states = heard.of("cell/standoff/state")
    assert [s["state"] for s in states[:4]] == ["SAFE", "WARNING", "WARNING", "SAFE"]
    assert all("warnings" not in s for s in states)
    times = [s["time"] for s in states]
    assert (
        max(b - a for a, b in itertools.pairwise(times)) < 0.0111
    )  # it can be heard that it lives


def test_no_two_states_are_farther_apart_than_the_page_says():
    """However seldom a robot speaks: there is a cycle every HEARTBEAT at least."""
    random = np.random.default_rng(0)
    sink = ZenohTopics("cell/standoff", Link(listen=(f"tcp/127.0.0.1:{free_port()}",)))
    told = []
    sink._publish = lambda report, warnings, state: told.append(report.time)
    for longest in (0.001, STATE_PERIOD, 0.05, HEARTBEAT):
        told.clear()
        times = np.cumsum(random.uniform(0.0, longest, 2000))
        for k, now in enumerate(times):
            sink.put(report(k + 1, float(now), changed=k == 0))
        gaps = np.diff(told)
        assert gaps.min() >= STATE_PERIOD - 1e-12 and gaps.max() <= STATE_PERIOD + longest
    sink.close()
    page = (Path(__file__).parents[2] / "docs" / "watch-outputs.md").read_text()
    most = STATE_PERIOD + HEARTBEAT
    assert f"{most:.2f} s apart" in page and f"number for {3 * most:.2f} s" in page


def test_a_change_of_the_speed_scale_is_told_at_once(linked):
    sink, heard = linked
    for k, scale in enumerate((1.0, 1.0, 0.5, 0.5)):
        sink.put(report(k + 1, 0.0001 * k, scale=scale))
    assert until(lambda: len(heard.of("cell/standoff/state")) >= 2)
    assert [s["scale"] for s in heard.of("cell/standoff/state")] == [1.0, 0.5]


def test_no_warning_is_lost_between_offers_and_puts(monkeypatch):
    """A subscriber that stops for a while: offers fail, the queues fill up, and empty again. Where
    the machine is busy, more of them fail, and it takes more until enough have not."""
    monkeypatch.setattr(zenoh_session, "OUTBOX_DEPTH", 400_000)  # no link is closed in between
    address = f"tcp/127.0.0.1:{free_port()}"
    sinks = [ZenohTopics(f"cell/{name}", Link(listen=(address,))) for name in ("one", "other")]
    heard = Heard(address, "cell/*/warnings")
    heard.keys = 1
    reached(sinks[0], heard)
    told, offered = [], []
    for sink in sinks:
        sink.offer = lambda r, sink=sink: offered.append(ZenohTopics.offer(sink, r)) or offered[-1]
    boxes = [Outbox(sink, lambda *words: told.append(words), depth=100_000) for sink in sinks]
    many = [hit(0.01, k, k + 1) for k in range(3)] * 40
    published = 0

    def empty():
        return not any(box._items or box._busy for box in boxes)

    def publish(enough):
        nonlocal published
        while not enough():
            published += 1
            one = report(published, 0.001 * published, *many)
            for box in boxes:
                box.put(one)
            if heard.open.is_set():  # or a queue that once began might never be empty again
                assert until(empty)

    for _ in range(2):
        publish(lambda: offered.count(True) > 20)
        offered.clear()
        heard.open.clear()
        publish(lambda: all(len(box._items) > 5 for box in boxes))
        assert False in offered
        heard.open.set()
        assert until(empty)
        offered.clear()
    publish(lambda: offered.count(True) > 20)
    for name in ("one", "other"):
        key = f"cell/{name}/warnings"
        assert until(lambda key=key: len({v["number"] for v in heard.of(key)}) == published)
        numbers = [value["number"] for value in heard.of(key)]
        assert {*numbers} == {*range(1, published + 1)}
        assert numbers == sorted(numbers)
    assert not told and not any(box.close() or box.lost for box in boxes)
    heard.close()


def test_no_warning_is_dropped_where_a_subscriber_is_slow():
    address = f"tcp/127.0.0.1:{free_port()}"
    sink = ZenohTopics("cell/standoff", Link(listen=(address,)))
    heard = Heard(address, "cell/standoff/warnings", slow=0.0002)
    reached(sink, heard)
    many = [hit(0.001 * k, 0, 1) for k in range(1, 4)] + [hit(0.01, k, k + 1) for k in range(3)]

    def publish():
        for k in range(3000):
            sink.put(report(k + 1, 0.001 * k, *many))

    thread = threading.Thread(target=publish)
    thread.start()
    thread.join(300.0)
    assert not thread.is_alive()
    assert until(lambda: len(heard.samples) >= 3000)
    assert [v["number"] for _, v in heard.samples] == list(range(1, 3001))
    sink.close()
    heard.close()


SUBSCRIBER = """
import json, sys, zenoh
from standoff.streams.zenoh_session import Link, session_config
config = session_config(Link(connect=(sys.argv[1],)), client=True)
config.insert_json5("transport/link/tx/lease", "600000")  # or it is given up while it is stopped
session = zenoh.open(config)
def take(sample):
    print(json.loads(sample.payload.to_bytes())["number"], flush=True)
told = take if "tell" in sys.argv else lambda sample: None
heard = session.declare_subscriber("cell/standoff/warnings", told)
print("ready", flush=True)
if sys.stdin.readline().strip() == "leave":
    session.close()
"""


def filled(box):
    """Publish until reports wait for good; how many."""
    many = [hit(0.01, k, k + 1) for k in range(3)] * 40
    for number in itertools.count(1):
        box.put(report(number, 0.01 * number, *many))
        if len(box._items) > 200:
            return number
        time.sleep(0.001)


def printed(process, last):
    """0 and the numbers that a subscriber received, up to the last: some perhaps twice."""
    end = threading.Timer(300.0, process.kill)  # of a test that failed: no more lines come
    end.start()
    numbers = [0]
    while numbers[-1] < last and (line := process.stdout.readline()):
        numbers.append(int(line))
    end.cancel()
    return numbers


@pytest.fixture(params=[""])
def elsewhere(request, monkeypatch):
    """A sink with its queue, what it told, and a process that subscribes to it."""
    monkeypatch.setattr(zenoh_session, "OUTBOX_DEPTH", 400_000)  # no link is closed by Zenoh
    usual = zenoh_session.session_config

    def patient(*args, **options):
        config = usual(*args, **options)
        # Or the subscriber, stopped for longer than this, gives the sink up as it goes on.
        config.insert_json5("transport/link/tx/lease", "600000")
        return config

    monkeypatch.setattr(zenoh_session, "session_config", patient)
    address = f"tcp/127.0.0.1:{free_port()}"
    sink = ZenohTopics("cell/standoff", Link(listen=(address,)))
    told = []
    box = Outbox(sink, lambda *words: told.append(words), depth=100_000)
    with subprocess.Popen(
        [sys.executable, "-c", SUBSCRIBER, address, request.param],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline().strip() == "ready"
        assert until(lambda: sink._waiting[0].matching_status.matching)
        yield box, told, process
        process.kill()
    sink.close()


def test_a_subscriber_that_dies_while_reports_wait_for_it_is_told(elsewhere):
    """Zenoh lets those who wait go on as if all had been sent."""
    box, told, process = elsewhere
    os.kill(process.pid, signal.SIGSTOP)
    filled(box)
    process.kill()
    assert until(lambda: [kind for kind, _ in told] == ["sink", "back"])
    assert "may have missed" in told[0][1]
    assert "may have missed" in box.close()


@pytest.mark.parametrize("elsewhere", ["tell"], indirect=True)
def test_a_sink_is_not_closed_before_its_last_reports_were_read(elsewhere, monkeypatch):
    """They were in the buffers of the system, and lost there: 39 of 40."""
    box, told, process = elsewhere
    monkeypatch.setattr(zenoh_topics, "SINK_PATIENCE", 300.0)
    os.kill(process.pid, signal.SIGSTOP)
    for number in range(1, 41):
        box.put(report(number, 0.01 * number, hit(0.01, 0, 1)))
    assert until(lambda: box.sink._session.unread)
    settle = box.sink._settle

    def settled(session):
        threading.Timer(0.5, os.kill, (process.pid, signal.SIGCONT)).start()
        settle(session)

    box.sink._settle = settled
    assert box.close() == "" and not told
    assert sorted({*printed(process, 40)}) == list(range(41))


def test_reports_that_nobody_read_before_the_end_are_told(elsewhere, monkeypatch):
    box, _, process = elsewhere
    monkeypatch.setattr(zenoh_topics, "SINK_PATIENCE", 0.1)
    os.kill(process.pid, signal.SIGSTOP)
    for number in range(1, 41):
        box.put(report(number, 0.01 * number, hit(0.01, 0, 1)))
    assert until(lambda: not box._items and not box._busy)
    assert "not everything that was published was taken" in box.close()


def test_a_link_that_closes_while_the_sink_is_closed_is_told(linked, monkeypatch):
    """It is no longer there to be unread, and Zenoh's event came after the last look for one."""
    sink, heard = linked
    sink.put(report(1, 0.0, hit(0.01, 0, 1)))
    sink._link_changed = lambda event: None
    unread = Lease.unread.fget

    def gone(session):
        heard.session.close()
        assert until(lambda: not session.links)
        return unread(session)

    monkeypatch.setattr(Lease, "unread", property(gone))
    with pytest.raises(StreamError, match="went away at the end"):
        sink.close()


def test_a_table_of_the_system_that_leaves_out_a_line_once_ends_no_wait(linked, monkeypatch):
    """Such tables are not read in one piece: a link that it leaves out has bytes all the same."""
    sink, _ = linked
    looks = itertools.count()
    monkeypatch.setattr(zenoh_topics, "SINK_PATIENCE", 0.1)
    unread = property(lambda session: {(1, 2)} if next(looks) else set())
    monkeypatch.setattr(Lease, "unread", unread)
    with pytest.raises(StreamError, match="not everything"):
        sink.close()


def test_a_subscriber_that_leaves_is_no_trouble(elsewhere, monkeypatch):
    box, told, process = elsewhere
    for module in (zenoh_session, zenoh_topics):  # a pause of this process is no slow subscriber
        monkeypatch.setattr(module, "OFFER_WAIT", 600.0)
    for number in range(1, 50):
        box.put(report(number, 0.01 * number, hit(0.01, 0, 1)))
    process.communicate("leave\n", timeout=300.0)
    assert until(lambda: not box.sink._waiting[0].matching_status.matching)
    for number in range(50, 100):
        box.put(report(number, 0.01 * number, hit(0.01, 0, 1)))
    assert until(lambda: not box._items and not box._busy)  # nobody is waited for
    assert box.close() == "" and not told


def test_a_subscriber_that_was_cut_off_and_is_back_is_told():
    """Nothing waited for it when its link broke, but what was published meanwhile it has missed."""
    address = f"tcp/127.0.0.1:{free_port()}"
    sink = ZenohTopics("cell/standoff", Link(listen=(address,)))
    event = SimpleNamespace(
        kind=zenoh.SampleKind.PUT, transport=SimpleNamespace(zid="abc", whatami="peer")
    )
    sink._link_changed(event)
    assert sink.offer(report(1, 0.0))
    event.kind = zenoh.SampleKind.DELETE
    sink._link_changed(event)
    assert sink.offer(report(2, 1.0))
    event.kind = zenoh.SampleKind.PUT
    sink._link_changed(event)
    assert not sink.offer(report(3, 2.0))
    with pytest.raises(StreamError, match="abc is back"):
        sink.put(report(3, 2.0))
    assert sink.offer(report(4, 3.0))
    sink.close()


@pytest.mark.parametrize("elsewhere", ["tell"], indirect=True)
def test_a_subscriber_that_takes_nothing_for_some_seconds_misses_nothing(elsewhere):
    """Left to itself, Zenoh closes its link after five; we wait for it as long as a sink has room,
    which is longer here, as on a busy machine it takes its time to stop."""
    box, told, process = elsewhere
    os.kill(process.pid, signal.SIGSTOP)
    last = filled(box)
    time.sleep(6.0)
    os.kill(process.pid, signal.SIGCONT)
    numbers = printed(process, last)
    assert sorted({*numbers}) == list(range(last + 1))
    assert box.close() == "" and not told


def test_a_sink_after_its_end_says_so(linked):
    sink, _ = linked
    sink.flush()
    sink.close()
    with pytest.raises(StreamError, match="closed"):
        sink.put(report(1, 0.0, state=State.FAULT))


@pytest.mark.parametrize(
    "options",
    ["listen=tcp/0.0.0.0:7999", "listen=tcp/192.168.0.1:7999", "connect=tcp/example.org:7447",
     "listen=nonsense", "listen=", "scout=1", "listen=tcp/127.0.0.1:99999"],
)  # fmt: skip
def test_nothing_beyond_this_machine_is_opened_unless_asked_for(options):
    with pytest.raises(StreamError):
        open_sink(f"zenoh:cell/standoff?{options}")


def test_a_taken_address_is_told():
    address = f"tcp/127.0.0.1:{free_port()}"
    sink = open_sink(f"zenoh:cell/standoff?listen={address}")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        with pytest.raises(StreamError, match="cannot be opened"):
            open_sink(f"zenoh:x?listen=tcp/127.0.0.1:{s.getsockname()[1]}")
    sink.close()


def test_no_scouting_is_going_on():
    link = Link(listen=(f"tcp/127.0.0.1:{free_port()}",))
    session = open_session(link)
    other = open_session(Link())
    time.sleep(0.5)
    assert not list(session.info.peers_zid()) and not list(other.info.peers_zid())
    session.close()
    other.close()
