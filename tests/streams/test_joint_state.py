"""JointState to and from bytes, against the codec of rosbags."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.errors import StreamError
from standoff.streams.ros_messages import JointStateDecoder, JointStateEncoder
from standoff.streams.wire import GarbledError
from tests.worlds.stream_bags import JOINT_STATE, NAMES, ROS1, ROS2, joint_state, raw

names = st.lists(
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=20),
    min_size=1, max_size=20, unique=True,
)  # fmt: skip
real = st.floats(width=64)


@st.composite
def states(draw):
    found = draw(names)
    columns = [draw(st.lists(real, min_size=len(found), max_size=len(found)))]
    for _ in range(2):
        count = draw(st.sampled_from((0, len(found))))
        columns.append(draw(st.lists(real, min_size=count, max_size=count)))
    stamp = (draw(st.integers(0, 2**31 - 1)), draw(st.integers(0, 10**9 - 1)))
    return found, columns, stamp, draw(st.text(st.characters(codec="utf-8"), max_size=9))


def check(found, given_):
    names_, (position, velocity, _), (seconds, nano), _ = given_
    assert found.names == tuple(names_)
    assert found.positions.tobytes() == np.array(position).tobytes()
    assert found.positions.flags.aligned and found.positions.dtype == np.float64
    if velocity:
        assert found.velocities.tobytes() == np.array(velocity).tobytes()
    else:
        assert found.velocities is None
    if seconds or nano:
        assert found.stamp == (seconds * 10**9 + nano) / 1e9
    else:
        assert np.isnan(found.stamp)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(st.lists(states(), min_size=1, max_size=4), st.sampled_from(("little", "big", "ros1")))
def test_what_rosbags_writes_is_read(given_, how):
    """Also by a decoder that has seen other messages, each of them twice: from the layout it kept,
    and after others."""
    decode = JointStateDecoder(cdr=how != "ros1")
    store = ROS1 if how == "ros1" else ROS2
    for one in given_ + given_:
        message = joint_state(store, one[0], *one[1], stamp=one[2], frame=one[3])
        data = raw(store, message, JOINT_STATE, how == "little")
        check(decode(data), one)
        check(decode(data), one)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(states())
def test_what_is_written_is_read_by_rosbags(given_):
    found, (position, velocity, _), (seconds, _), frame = given_
    data = JointStateEncoder(found, frame)(seconds, position, velocity or None)
    message = ROS2.deserialize_cdr(data, JOINT_STATE)
    assert tuple(message.name) == tuple(found) and message.header.frame_id == frame
    assert message.position.tobytes() == np.array(position).tobytes()
    assert message.velocity.tobytes() == np.array(velocity).tobytes()
    assert message.effort.size == 0 and message.header.stamp.sec == seconds
    assert data == raw(ROS2, message, JOINT_STATE)


def test_the_stamp_is_written_to_the_nanosecond_it_can_have():
    data = JointStateEncoder(("a",))(1.25, [0.5])
    assert JointStateDecoder()(data).stamp == 1.25
    assert np.isnan(JointStateDecoder()(JointStateEncoder(("a",))(float("nan"), [0.5])).stamp)
    with pytest.raises(StreamError, match="cannot write"):
        JointStateEncoder(("a",))(1e10, [0.5])
    with pytest.raises(StreamError, match="one for each joint"):
        JointStateEncoder(("a",))(1.0, [0.5, 0.5])


@pytest.mark.parametrize("cdr", [True, False])
def test_the_same_names_are_the_same_object_even_if_publishers_take_turns(cdr):
    store = ROS2 if cdr else ROS1
    decode = JointStateDecoder(cdr)
    arm = raw(store, joint_state(store, NAMES, np.arange(14)), JOINT_STATE)
    hand = raw(store, joint_state(store, ("finger",), [1.0], [2.0]), JOINT_STATE)
    seen = [decode(data).names for data in (arm, hand, arm, hand)]
    assert seen[0] is seen[2] and seen[1] is seen[3]


@pytest.mark.parametrize("how", ["little", "big", "ros1"])
def test_a_message_that_is_cut_anywhere_is_refused(how):
    store = ROS1 if how == "ros1" else ROS2
    data = raw(store, joint_state(store, NAMES, np.arange(14), np.arange(14)), JOINT_STATE,
               how == "little")  # fmt: skip
    decode = JointStateDecoder(how != "ros1")
    decode(data)
    for end in range(len(data)):
        for fresh in (decode, JointStateDecoder(how != "ros1")):
            with pytest.raises(GarbledError):
                fresh(data[:end])


def patched(at, word):
    """A message with another number in the place of one, by the offset behind a name."""
    data = bytearray(raw(ROS2, joint_state(ROS2, ("a", "b"), [1, 2], [3, 4]), JOINT_STATE))
    data[at : at + 4] = struct.pack("<I", word)
    return bytes(data)


#: Of the message above: frame (length, zero), names, then three lists.
FRAME, COUNT, FIRST = 12, 20, 24
POSITIONS = 24 + 8 + 8
VELOCITIES = POSITIONS + 4 + 16


@pytest.mark.parametrize("at", [FRAME, COUNT, FIRST, POSITIONS, VELOCITIES])
@pytest.mark.parametrize("word", [0xFFFFFFFF, 0x7FFFFFFF, 0x10000000, 5])
def test_lengths_that_are_claimed_are_not_believed(at, word):
    decode = JointStateDecoder()
    with pytest.raises(GarbledError):
        decode(patched(at, word))
    decode(raw(ROS2, joint_state(ROS2, ("a", "b"), [1, 2], [3, 4]), JOINT_STATE))
    with pytest.raises(GarbledError):
        decode(patched(at, word))


@pytest.mark.parametrize(
    ("names_", "position", "velocity", "words"),
    [
        ((), [], [], "no joint"),
        (("a", "b"), [], [1.0, 2.0], "no positions"),
        (("a", "b"), [1.0], [], "2 names and 1 positions"),
        (("a", "b"), [1.0, 2.0], [1.0], "2 names and 1 velocities"),
        (("a", "a"), [1.0, 2.0], [], "'a' stands twice"),
        (("a", ""), [1.0, 2.0], [], "not a name"),
        (("a", "b\x1b[31m"), [1.0, 2.0], [], "not a name"),
        (("a" * 300,), [1.0], [], "not a name"),
        (tuple(map(str, range(1001))), range(1001), [], "at most 1000"),
    ],
)
@pytest.mark.parametrize("store", [ROS1, ROS2], ids=["ros1", "ros2"])
def test_readings_that_make_no_sense_say_why(store, names_, position, velocity, words):
    data = raw(store, joint_state(store, names_, position, velocity), JOINT_STATE)
    with pytest.raises(GarbledError, match=words):
        JointStateDecoder(store is ROS2)(data)


def test_other_bytes_are_refused():
    good = raw(ROS2, joint_state(ROS2, ("a",), [1.0]), JOINT_STATE)
    decode = JointStateDecoder()
    decode(good)
    for data, words in (
        (b"", "no CDR"),
        (b"\x00\x07" + good[2:], "no CDR"),
        (b'{"joints": {}}', "no CDR"),
        (good + bytes(8), "too many"),
        (good[:8] + struct.pack("<I", 10**9) + good[12:], "nanoseconds"),
        (good.replace(b"a\0", b"\xff\0"), "UTF-8"),
        (good.replace(b"a\0", b"ab"), "end"),
        (b"\0\1\0\0" + bytes(1 << 21), "at most"),
    ):
        with pytest.raises(GarbledError, match=words):
            decode(data)
    assert decode(good).positions == [1.0]
