"""Topics of Zenoh over loopback: what comes, from whom, and when they are gone."""

import itertools
import json
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from standoff.errors import StreamError
from standoff.streams.limits import MAX_STREAM_MESSAGE
from standoff.streams.live_run import INBOX_DEPTH
from standoff.streams.messages import BodyPose, Grasp, Joints, Trouble
from standoff.streams.open_stream import open_source
from standoff.streams.protocols import Live
from standoff.streams.ros_messages import JointStateEncoder
from standoff.streams.sinks import zenoh_topics
from standoff.streams.sinks.zenoh_topics import ZenohTopics
from standoff.streams.sources.zenoh_topic import ZenohTopic
from standoff.streams.zenoh_session import Link, open_session, session_config
from tests.worlds.stream_bags import POSE, ROS2, TEXT, pose_stamped, raw, text
from tests.worlds.stream_reports import report

zenoh = pytest.importorskip("zenoh", reason="the extra 'streams' is not installed")

#: How long a message may take before a test gives up, [s]: on a busy machine, too, it failed then.
PATIENCE = 300.0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Heard:
    """What a source hands over, waited for."""

    def __init__(self, source):
        self._found = []
        self._more = threading.Condition()
        assert isinstance(source, Live)
        self.source = source
        source.start(self._put)

    def _put(self, message, arrived=None):
        with self._more:
            self._found.append(message)
            self._more.notify_all()

    def until(self, wanted, count=1):
        """The messages so far, once so many fit; they are forgotten then."""
        with self._more:
            enough = self._more.wait_for(
                lambda: sum(map(wanted, self._found)) >= count, timeout=PATIENCE
            )
            found, self._found = self._found, []
        assert enough, found
        return found


def trouble(kind):
    return lambda m: type(m) is Trouble and m.kind == kind


def joints(message):
    return type(message) is Joints


@pytest.fixture
def pair():
    """A source that listens, with two topics, and a session that is connected to it."""
    port = free_port()
    heard = Heard(open_source(f"zenoh:cell/*/joints?topic=0/**&listen=tcp/127.0.0.1:{port}"))
    other = open_session(Link(connect=(f"tcp/127.0.0.1:{port}",)))
    yield heard, other
    other.close()
    heard.source.close()


def test_no_thread_of_a_source_outlives_it(monkeypatch):
    """One that came back from Zenoh while Python was shutting down aborted the command."""
    listen = ZenohTopic._listen

    def late(*arguments):
        listen(*arguments)
        time.sleep(0.5)

    monkeypatch.setattr(ZenohTopic, "_listen", late)
    source = open_source(f"zenoh:cell/joints?topic=0/**&listen=tcp/127.0.0.1:{free_port()}")
    source.start(lambda message: None)
    names = [t.name for t in threading.enumerate() if t.name.startswith(source.name)]
    source.close()
    assert len(names) == 2 and not {t.name for t in threading.enumerate()} & {*names}


def publish(heard, session, key, payload, wanted, count=1):
    """Until it is heard: a subscription needs a moment to get around."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        session.put(key, payload)
        with heard._more:
            if heard._more.wait_for(lambda: sum(map(wanted, heard._found)) >= count, timeout=0.05):
                return heard.until(wanted, count)
    pytest.fail(f"{key} was not heard")


def test_readings_in_cdr_and_in_json_are_heard(pair):
    heard, other = pair
    encode = JointStateEncoder(("a", "b"))
    (first, *_) = publish(heard, other, "cell/left/joints", encode(2.5, [1, 2], [3, 4]), joints)
    assert first.names == ("a", "b") and first.stamp == 2.5
    assert first.positions.tolist() == [1, 2] and first.velocities.tolist() == [3, 4]
    said = json.dumps({"stamp": 3.5, "joints": {"c": 1.5}, "detach": "box"})
    found = publish(heard, other, "cell/right/joints", said, lambda m: type(m) is Grasp)
    (second, *_) = filter(lambda m: joints(m) and m.names == ("c",), found)
    assert second.stamp == 3.5 and second.positions.tolist() == [1.5]


def test_topics_of_rmw_zenoh_tell_their_types(pair):
    heard, other = pair
    pose = raw(ROS2, pose_stamped(ROS2, (1, 2, 3), (1, 0, 0, 0)), POSE)
    key = "0/cart/pose/geometry_msgs::msg::dds_::PoseStamped_/RIHS01_x"
    (found, *_) = publish(heard, other, key, pose, lambda m: type(m) is BodyPose)
    assert found.body == "cart" and found.pose[:3, 3].tolist() == [1, 2, 3]
    event = raw(ROS2, text(ROS2, '{"detach": "box"}'), TEXT)
    key = "0/events/std_msgs::msg::dds_::String_/RIHS01_x"
    (found, *_) = publish(heard, other, key, event, lambda m: type(m) is Grasp)
    assert found.body == "box" and found.link is None
    key = "0/camera/sensor_msgs::msg::dds_::Image_/RIHS01_x"
    (found, *_) = publish(heard, other, key, b"\0\1\0\0", trouble("garbled"))
    assert "type are not read" in found.text


def test_messages_of_a_fast_stream_come_once_and_in_order_or_a_flood_is_told(pair):
    heard, other = pair
    encode = JointStateEncoder(("a",))
    publish(heard, other, "cell/x/joints", encode(1.0, [-1.0]), joints)  # perhaps several times
    publisher = other.declare_publisher(
        "cell/x/joints", congestion_control=zenoh.CongestionControl.BLOCK
    )
    for k in range(2000):
        publisher.put(encode(1.0 + k, [k]))
    found = heard.until(lambda m: joints(m) and m.positions[0] == 1999.0)
    readings = [m for m in found if joints(m) and m.positions[0] >= 0.0]
    values = [float(m.positions[0]) for m in readings]
    assert all(a < b for a, b in itertools.pairwise(values))
    assert len(values) == 2000 or any(map(trouble("flood"), found))
    assert len({id(m.names) for m in readings}) == 1


def test_what_is_no_message_is_told_and_does_no_harm(pair):
    heard, other = pair
    encode = JointStateEncoder(("a",))
    for payload, said in (
        (b"", "no CDR"),
        (b"{", "not JSON"),
        (b"\0\1\0\0" + b"\xff" * 100, "nanoseconds"),
        (encode(1.0, [1.0])[:-9], "ends after"),
        (b"{" + bytes(MAX_STREAM_MESSAGE), "at most"),
    ):
        (found, *_) = publish(heard, other, "cell/x/joints", payload, trouble("garbled"))
        assert said in found.text and "cell/x/joints" in found.text
    publish(heard, other, "cell/x/joints", encode(1.0, [1.0]), joints)


PEER = """
import sys, time
from standoff.streams.ros_messages import JointStateEncoder
from standoff.streams.zenoh_session import Link, open_session
session = open_session(Link(**{sys.argv[1]: (sys.argv[2],)}))
encode = JointStateEncoder(("a",))
while True:
    session.put("cell/joints", encode(time.time(), [1.0]))
    time.sleep(0.005)
"""


@pytest.mark.parametrize("peer_does", ["connect", "listen"])
def test_a_peer_that_is_killed_and_comes_back_is_told(peer_does):
    """Whichever of the two dials: it is looked for until it is there again."""
    address = f"tcp/127.0.0.1:{free_port()}"
    we_do = "listen" if peer_does == "connect" else "connect"
    heard = Heard(open_source(f"zenoh:cell/joints?{we_do}={address}"))
    try:
        for times in range(3):
            peer = subprocess.Popen([sys.executable, "-c", PEER, peer_does, address])
            try:
                told = [m.kind for m in heard.until(joints, 5) if type(m) is Trouble]
                assert told == ["back"] * (times > 0)
            finally:
                peer.kill()
                peer.wait()
            heard.until(trouble("lost"))
    finally:
        heard.source.close()
        heard.source.close()


ROUTER = """
import json, sys, zenoh
config = zenoh.Config()
for key, value in {"mode": "router", "listen/endpoints": [sys.argv[1]],
                   "scouting/multicast/enabled": False, "scouting/gossip/enabled": False}.items():
    config.insert_json5(key, json.dumps(value))
session = zenoh.open(config)
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def router(address):
    """A process that routes, and is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", ROUTER, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            yield
        finally:
            process.kill()


def test_a_publisher_behind_a_router_is_heard_and_a_router_that_dies_is_told():
    address = f"tcp/127.0.0.1:{free_port()}"
    encode = JointStateEncoder(("a",))
    link = Link(connect=(address,))
    with router(address):
        heard = Heard(open_source("zenoh:cell/joints", link=link))
        # Not the session that the source has, which is shared by all of one link.
        other = zenoh.open(session_config(link, client=True))
        publish(heard, other, "cell/joints", encode(1.0, [1.0]), joints)
    for _ in range(2):
        heard.until(trouble("lost"))
        with router(address):
            found = publish(heard, other, "cell/joints", encode(1.0, [1.0]), joints)
            assert [m.kind for m in found if type(m) is Trouble] == ["back"]
    heard.until(trouble("lost"))
    other.close()
    heard.source.close()


def test_a_subscriber_behind_a_router_hears_the_sink_and_a_router_that_comes_back_is_told():
    address = f"tcp/127.0.0.1:{free_port()}"
    link = Link(connect=(address,))
    came, told, numbers = threading.Event(), [], itertools.count(1)

    def put_until(enough):
        end = time.monotonic() + PATIENCE
        while not enough():
            assert time.monotonic() < end
            number = next(numbers)
            try:
                sink.put(report(number, float(number), changed=True))
            except StreamError as error:
                told.append(str(error))
            came.wait(0.05)

    with router(address):
        other = zenoh.open(session_config(link, client=True))
        subscriber = other.declare_subscriber("cell/standoff/state", lambda sample: came.set())
        sink = ZenohTopics("cell/standoff", link)
        put_until(came.is_set)
        assert not told
    # What is published now reaches nobody, and nobody waits for it.
    put_until(lambda: told)
    assert "went away" in told[0] and f"nobody answers at {address}" in told[0]
    assert not sink.offer(report(next(numbers), 0.0, changed=True))
    with pytest.raises(StreamError, match="nobody answers"):
        sink.flush()
    with router(address):
        put_until(lambda: sink._peers)
        came.clear()
        told.clear()
        put_until(came.is_set)
        assert not told
        sink.close()
    subscriber.undeclare()
    other.close()


def test_a_router_that_starts_after_the_sink_is_told(monkeypatch):
    """The sink is a peer then, and peers behind the router never hear it: it said nothing."""
    monkeypatch.setattr(zenoh_topics, "_CONNECTING", 0.0)
    address = f"tcp/127.0.0.1:{free_port()}"
    sink = ZenohTopics("cell/standoff", Link(connect=(address,)))
    end = time.monotonic() + PATIENCE
    with router(address):
        while not sink._peers:
            assert time.monotonic() < end
            time.sleep(0.01)
        with pytest.raises(StreamError, match="router answers that did not at the start"):
            sink.flush()
        sink.flush()
        sink.close()


def test_a_sink_that_nobody_answers_says_so_at_its_end(monkeypatch):
    monkeypatch.setattr(zenoh_topics, "_CONNECTING", 0.0)
    sink = ZenohTopics("cell/standoff", Link(connect=(f"tcp/127.0.0.1:{free_port()}",)))
    assert not sink.offer(report(1, 0.0, changed=True))
    with pytest.raises(StreamError, match="nobody answers"):
        sink.close()


def test_several_addresses_are_all_connected_to():
    """A client would be connected to the first that answers, and nobody hear of the others."""
    addresses = [f"tcp/127.0.0.1:{free_port()}" for _ in range(2)]
    others = [open_session(Link(listen=(address,))) for address in addresses]
    heard = Heard(open_source("zenoh:cell/*?" + "&".join(f"connect={a}" for a in addresses)))
    encode = JointStateEncoder(("a",))
    for k, other in enumerate(others):
        publish(heard, other, f"cell/{k}", encode(1.0, [k]),
                lambda m, k=k: joints(m) and m.positions[0] == k)  # fmt: skip
    heard.source.close()
    for other in others:
        other.close()


def test_sources_of_one_link_share_it(tmp_path):
    """Two could not listen at one address."""
    port = free_port()
    link = Link(listen=(f"tcp/127.0.0.1:{port}",))
    left, right = (Heard(open_source(f"zenoh:{key}", link=link)) for key in ("left", "right"))
    other = open_session(Link(connect=link.listen))
    encode = JointStateEncoder(("a",))
    publish(left, other, "left", encode(1.0, [1.0]), joints)
    left.source.close()
    publish(right, other, "right", encode(1.0, [2.0]), joints)
    right.source.close()
    other.close()
    with socket.socket() as probe:  # closed with the last of them
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))


def test_nothing_is_open_to_the_network():
    """The one socket that a source listens on is at the address that it was given."""
    address = f"tcp/127.0.0.1:{free_port()}"
    config = json.loads(str(session_config(Link(listen=(address,)))))
    assert config["listen"]["endpoints"] == [address] and config["connect"]["endpoints"] == []
    assert json.loads(str(session_config(Link())))["listen"]["endpoints"] == []
    assert config["scouting"]["multicast"]["enabled"] is False
    assert config["scouting"]["gossip"]["enabled"] is False
    assert config["transport"]["link"]["rx"]["max_message_size"] <= 4 * MAX_STREAM_MESSAGE


def test_a_source_that_is_closed_cannot_be_started():
    source = open_source(f"zenoh:a?listen=tcp/127.0.0.1:{free_port()}")
    source.close()
    with pytest.raises(StreamError, match="closed"):
        source.start(print)


def test_an_address_that_is_taken_says_so():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(StreamError, match="cannot be opened"):
            open_source(f"zenoh:a?listen=tcp/127.0.0.1:{taken.getsockname()[1]}")


def test_a_peer_that_is_not_there_yet_is_no_error():
    source = open_source(f"zenoh:a?connect=tcp/127.0.0.1:{free_port()}")
    source.start(lambda message, arrived=None: None)
    source.close()


def test_positions_are_copies_that_stay(pair):
    heard, other = pair
    encode = JointStateEncoder(("a",))
    (first, *_) = publish(heard, other, "cell/x/joints", encode(1.0, [1.0]), joints)
    publish(heard, other, "cell/x/joints", encode(1.0, [2.0]),
            lambda m: joints(m) and m.positions[0] == 2.0)  # fmt: skip
    assert np.array_equal(first.positions, [1.0])


def test_what_waits_at_a_subscriber_is_bounded_and_the_newest_wins():
    """At 900 Hz data was 4.3 s old and SAFE: it waited in a queue without end."""
    port, found = free_port(), []
    busy, go_on, last = threading.Event(), threading.Event(), threading.Event()

    def put(message, arrived=None):
        found.append((message, arrived))
        if joints(message):
            busy.set()
            go_on.wait(PATIENCE)
            if message.positions[0] == 1e6:
                last.set()

    source = open_source(f"zenoh:joints?listen=tcp/127.0.0.1:{port}")
    source.start(put)
    other = open_session(Link(connect=(f"tcp/127.0.0.1:{port}",)))
    block = zenoh.CongestionControl.BLOCK
    at, end = (other.declare_publisher(k, congestion_control=block) for k in ("joints", "end"))
    began, came = threading.Event(), threading.Event()

    def ended(sample):
        (came if sample.payload.to_bytes() == b"last" else began).set()

    source._session.declare_subscriber("end", ended)
    until = time.monotonic() + PATIENCE
    while not (busy.wait(0.05) and began.is_set()) and time.monotonic() < until:
        at.put(json.dumps({"joints": {"a": -1.0}}))
        end.put("")
    for k in range(4 * INBOX_DEPTH):
        at.put(json.dumps({"joints": {"a": k}}))
    at.put(json.dumps({"joints": {"a": 1e6}}))
    end.put("last")
    assert came.wait(PATIENCE)  # nothing overtakes: all of it has come by then, and waits
    sent = time.monotonic_ns()
    go_on.set()
    assert last.wait(PATIENCE)
    readings = [(m, arrived) for m, arrived in found if joints(m)]
    assert len(readings) <= INBOX_DEPTH + 2
    assert all(arrived <= sent for _, arrived in readings)
    assert any(trouble("flood")(m) for m, _ in found)
    source.close()
    other.close()
