"""Spoilt input of every kind: each gives messages or an error of ours, in little memory.

`make soak` spoils 10,000 files for each reader; the suite takes a seeded part.
"""

import json
import os
import random
import resource
import sys
import tracemalloc

import numpy as np
import pytest

from standoff.errors import StreamError
from standoff.streams.decoders import Topic, decoder_of
from standoff.streams.messages import BodyPose, Grasp, Joints, Trouble
from standoff.streams.open_stream import open_source
from standoff.streams.ros_messages import JointStateEncoder
from standoff.streams.wire import GarbledError
from tests.worlds.stream_bags import (
    JOINT_STATE,
    POSE,
    ROS1,
    ROS2,
    START,
    TEXT,
    TF,
    bag_file,
    joint_state,
    pose_stamped,
    raw,
    readings,
    store_of,
    text,
    tf_store,
    transforms,
    write_bag,
)

SOAK = bool(os.environ.get("STANDOFF_SOAK"))
CASES = 10_000 if SOAK else 500

#: Largest memory that reading one of the small files below may take, [bytes]. What is claimed in
#: them goes up to 2⁶⁴.
MOST = 16 << 20

#: By how much the process may grow over all of them, [bytes]: libraries take memory of their own.
GROWTH = 128 << 20

WORDS = (
    b"\xff\xff\xff\xff", b"\xff" * 8, b"\x00" * 4, b"\x00\x00\x00\x7f", b"\x00\x00\x00\x10",
    b"\x01", b"\x80", b"NaN", b"-", b"1e999", b",", b";", b"\n", b"\r", b'"', b"{", b"}", b"[",
    b"\xef\xbb\xbf", b"\xc3", b"time", b"null", b"9" * 30, b"\x00\x00\x00\x00\x01\x00\x00\x00",
)  # fmt: skip


def spoil(data, rng):
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not out:
            break
        at = rng.randrange(len(out))
        kind = rng.randrange(7)
        if kind == 0:
            out[at] = rng.randrange(256)
        elif kind == 1:
            word = rng.choice(WORDS)
            out[at : at + len(word)] = word
        elif kind == 2:
            out[at:at] = rng.choice(WORDS)
        elif kind == 3:
            del out[at : at + rng.choice((1, 4, 30))]
        elif kind == 4:
            end = at + rng.randrange(1, 60)
            out[end:end] = out[at:end]
        elif kind == 5 and rng.random() < 0.3:
            del out[at:]
        else:
            out[at] ^= 1 << rng.randrange(8)
    return bytes(out)


def check(message):
    """A message that the engine can take without looking twice."""
    assert type(message) in (Joints, BodyPose, Grasp, Trouble)
    if type(message) is Joints:
        assert len(message.names) == len(message.positions) > 0
        assert len(set(message.names)) == len(message.names)
        assert all(name.isprintable() for name in message.names)
        assert message.positions.dtype == np.float64
        assert message.velocities is None or len(message.velocities) == len(message.names)
    elif type(message) is BodyPose:
        assert message.pose.shape == (4, 4) and np.isfinite(message.pose).all()
    elif type(message) is Trouble:
        assert message.kind in ("garbled", "lost") and len(message.text) < 1000


def samples(folder):
    """A small file of each kind."""
    rows = ["time,stamp,a,b,pose:c.x,pose:c.y,pose:c.z,pose:c.qw,pose:c.qx,pose:c.qy,pose:c.qz"]
    rows += [f"{k},{k},{k / 7!r},-1e-3,1,2,3,1,0,0,0" for k in range(8)]
    lines = [
        {"time": 1, "joints": {"a": 0.5, "b": 1}, "velocities": {"a": 1, "b": 2}},
        {"time": 2, "name": ["a"], "position": [1], "header": {"stamp": {"sec": 1, "nanosec": 2}}},
        {"time": 3, "poses": {"c": {"position": [1, 2, 3], "quaternion": [1, 0, 0, 0]}}},
        {"time": 4, "attach": {"body": "c", "link": "l", "touch": ["t"]}, "detach": "d"},
    ]
    yield "csv", "\n".join(rows).encode()
    yield "csv", b"time,a,b\r\n" + b"".join(b"%d,0.25,1\r\n" % k for k in range(9))
    yield "jsonl", "\n".join(map(json.dumps, lines)).encode()
    for kind, compression in (
        ("ros1", None), ("ros1", "BZ2"), ("ros1", "LZ4"), ("mcap", None), ("mcap", "STORAGE"),
        ("sqlite", None), ("sqlite", "MESSAGE"),
    ):  # fmt: skip
        store = store_of(kind)
        messages, _ = readings(store, 6, ("a", "b"))
        if compression != "MESSAGE":
            pose = pose_stamped(store, (1, 2, 3), (1, 0, 0, 0))
            messages.append((START + 10**9, "/box", POSE, pose))
        path = write_bag(folder / f"{kind}-{compression}", kind, messages, compression)
        yield "bag", bag_file(path).read_bytes()


@pytest.mark.soak
@pytest.mark.parametrize("which", range(10))
def test_spoilt_files_give_messages_or_an_error_of_ours(tmp_path, which):
    kind, good = list(samples(tmp_path))[which]
    rng = random.Random(which)
    path = tmp_path / "spoilt"
    outcomes = {"refused": 0, "told": 0, "read": 0}
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    try:
        for case in range(CASES):
            data = spoil(good, rng) if case else good
            path.write_bytes(data)
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            try:
                source = open_source(f"{kind}:{path}")
            except StreamError as error:
                outcomes["refused"] += 1
                assert "spoilt" in str(error)
            else:
                told = False
                for time, message in source.messages():
                    assert np.isfinite(time)
                    check(message)
                    told = told or type(message) is Trouble
                outcomes["told" if told else "read"] += 1
                assert 0.0 <= source.progress() <= 1.0
                source.close()
            assert tracemalloc.get_traced_memory()[1] - before < MOST, data
    finally:
        tracemalloc.stop()
    unit = 1 if sys.platform == "darwin" else 1024
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - largest) * unit
    assert grown < GROWTH
    assert sum(outcomes.values()) == CASES
    assert outcomes["read"] and outcomes["refused"] + outcomes["told"] > CASES // 20, outcomes


def payloads():
    """A message of each type and coding, with the topic that it comes on."""
    for store, encoding in ((ROS1, "ros1"), (ROS2, "cdr")):
        tf_store(store)
        state = joint_state(store, ("a", "b", "c"), [1, 2, 3], [4, 5, 6])
        frames = transforms(store, ("world", "c", (1, 2, 3), (1, 0, 0, 0)))
        for type_, message in (
            (JOINT_STATE, state),
            (POSE, pose_stamped(store, (1, 2, 3), (1, 0, 0, 0))),
            (TF, frames),
            (TEXT, text(store, '{"detach": "box"}')),
        ):
            plain = type_.replace("/msg/", "/")
            yield Topic("/t", plain, encoding), raw(store, message, type_)
    yield Topic("/t", "sensor_msgs/JointState", "cdr"), raw(ROS2, state, JOINT_STATE, little=False)
    yield Topic("/t", "", "json"), b'{"time": 1, "joints": {"a": 0.5, "b": [1]}}'


@pytest.mark.soak
def test_spoilt_messages_give_messages_or_are_garbled():
    """As they come from a network; a good one in between must still be read."""
    rng = random.Random(0)
    for topic, good in payloads():
        decode = decoder_of(topic)
        garbled = 0
        for _ in range(CASES):
            try:
                found = decode(spoil(good, rng))
            except GarbledError as error:
                garbled += 1
                assert len(str(error)) < 500
            else:
                for message in found if type(found) is tuple else (found,):
                    check(message)
            if topic.encoding != "json":
                decode(good)
        assert garbled > CASES // 10, topic


def test_what_the_layout_kept_reads_is_what_a_fresh_decoder_reads():
    """A decoder that remembers must not take for a reading what one without a memory refuses, nor
    read anything else."""
    rng = random.Random(1)
    encode = JointStateEncoder(("a", "b", "c"), "frame")
    good = encode(5.5, [1, 2, 3], [4, 5, 6])
    topic = Topic("/t", "sensor_msgs/JointState", "cdr")
    kept = decoder_of(topic)
    same = 0
    for _ in range(20 * CASES):
        kept(good)
        data = spoil(good, rng)
        answers = []
        for decode in (kept, decoder_of(topic)):
            try:
                m = decode(data)
                rates = None if m.velocities is None else m.velocities.tobytes()
                stamp = np.float64(m.stamp).tobytes()
                answers.append((m.names, m.positions.tobytes(), rates, stamp))
            except GarbledError:
                answers.append("garbled")
        assert answers[0] == answers[1], data
        same += answers[0] != "garbled"
    assert same > CASES
