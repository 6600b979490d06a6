"""Bags of ROS 1 and ROS 2 that rosbags wrote, whole and damaged."""

import itertools
import json
import shutil
import sqlite3
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from mcap import writer as mcap_writer
from mcap.writer import CompressionType

import standoff as so
from standoff.errors import StreamError
from standoff.streams.messages import BodyPose, Grasp, Joints, Trouble
from standoff.streams.open_stream import open_source
from standoff.streams.protocols import Recorded
from standoff.streams.ros_messages import DEFINITION, JointStateEncoder
from standoff.streams.sources import bag_file as bag_files
from standoff.streams.sources.bag import Bag
from tests.worlds.stream_bags import (
    FORMATS,
    JOINT_STATE,
    NAMES,
    POSE,
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
    transforms,
    write_bag,
)
from tests.worlds.watch_worlds import sliders

HALF = 0.5**0.5


def read(path, *topics, **more):
    bag = Bag(path, topics, **more)
    try:
        return list(bag.messages())
    finally:
        bag.close()


@pytest.mark.parametrize(
    ("kind", "compression"),
    [
        ("ros1", None), ("ros1", "BZ2"), ("ros1", "LZ4"), ("sqlite", None), ("sqlite", "MESSAGE"),
        ("mcap", None), ("mcap", "STORAGE"), ("mcap", "MESSAGE"),
    ],
)  # fmt: skip
def test_readings_come_out_as_they_went_in(tmp_path, kind, compression):
    messages, q = readings(store_of(kind), 300)
    path = write_bag(tmp_path / "run", kind, messages, compression)
    bag = open_source(str(path))
    assert isinstance(bag, Recorded) and bag.progress() == 0.0
    found = list(bag.messages())
    assert bag.progress() == 1.0 and len(found) == 300
    for k, (time, message) in enumerate(found):
        assert type(message) is Joints
        assert time == (START + k * 10_000_000) / 1e9
        assert message.stamp == (START + k * 10_000_000 + 5) / 1e9
        assert message.names is found[0][1].names and message.names == NAMES
        assert np.array_equal(message.positions, q[k])
        assert np.array_equal(message.velocities, -q[k])
    assert [t for t, _ in bag.messages()] == [t for t, _ in found]  # it can be read again
    bag.close()
    bag.close()


@pytest.mark.parametrize("kind", FORMATS)
def test_poses_and_grasps_come_with_the_joints(tmp_path, kind):
    store = store_of(kind)
    event = json.dumps({"attach": {"body": "box", "link": "left/hand", "touch": ["table"]}})
    tf = transforms(
        store,
        ("world", "cart", (1, 2, 3), (HALF, 0, 0, HALF)),
        ("base", "link1", (9, 9, 9), (1, 0, 0, 0)),
        ("/world", "/pallet", (4, 5, 6), (1, 0, 0, 0)),
    )
    messages = [
        (START, "/joint_states", JOINT_STATE, joint_state(store, ("a",), [0.5])),
        (START + 1, "/tf", TF, tf),
        (START + 2, "/box/pose", POSE, pose_stamped(store, (7, 8, 9), (1, 0, 0, 0))),
        (START + 3, "/events", TEXT, text(store, event)),
        (START + 4, "/events", TEXT, text(store, '{"detach": "box"}')),
        (START + 5, "/events", TEXT, text(store, "hello")),
        (START + 6, "/other", TEXT, text(store, "never read")),
    ]
    path = write_bag(tmp_path / "run", kind, messages)
    every = ("/joint_states", "/tf", "box/pose", "events")
    found = [message for _, message in read(path, *every)]
    joints, cart, pallet, box, taken, let_go, wrong = found
    assert type(joints) is Joints
    assert (cart.body, pallet.body, box.body) == ("cart", "pallet", "box")
    assert np.allclose(cart.pose[:2, :3], [[0, -1, 0], [1, 0, 0]]) and cart.pose[2, 3] == 3
    assert np.array_equal(box.pose[:3, 3], (7, 8, 9)) and type(box) is BodyPose
    assert box.stamp == 5.000000006
    assert (taken.body, taken.link, taken.touch) == ("box", "left/hand", ("table",))
    assert type(let_go) is Grasp and let_go.link is None
    assert type(wrong) is Trouble and "/events: not JSON" in wrong.text
    asked = f"bag:{path}?topic=/tf&topic=/joint_states"
    assert [type(m) for _, m in open_source(asked).messages()] == [Joints, BodyPose, BodyPose]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_pose_in_another_frame_is_not_taken_for_one_in_the_world(tmp_path, kind):
    store = store_of(kind)
    messages = [
        (START, "/box", POSE, pose_stamped(store, (7, 8, 9), (1, 0, 0, 0), frame="camera")),
        (START + 1, "/box", POSE, pose_stamped(store, (7, 8, 9), (0.5, 0, 0, 0), frame="camera")),
        (START + 2, "/box", POSE, pose_stamped(store, (np.nan, 8, 9), (1, 0, 0, 0), frame="")),
    ]
    path = write_bag(tmp_path / "run", kind, messages)
    first, *_ = (message for _, message in read(path, "/box"))
    assert type(first) is Trouble and "'camera'" in first.text
    found = [message for _, message in read(path, "/box", world="camera")]
    assert [type(m) for m in found] == [BodyPose, Trouble, Trouble]
    assert "length 0.5" in found[1].text and "finite" in found[2].text


@pytest.mark.parametrize("kind", FORMATS)
def test_which_topic_is_asked_for_where_there_are_several(tmp_path, kind):
    store = store_of(kind)
    left, _ = readings(store, 3, topic="/left/joint_states")
    right, _ = readings(store, 3, topic="/right/joint_states")
    path = write_bag(tmp_path / "two", kind, left + right)
    with pytest.raises(StreamError, match=r"2 topics of joint states.*/left/joint_states.*/right"):
        read(path)
    assert len(read(path, "/left/joint_states")) == 3
    with pytest.raises(StreamError, match=r"no topic '/joints'.*/left/joint_states"):
        read(path, "/joints")
    path = write_bag(tmp_path / "none", kind, [(START, "/said", TEXT, text(store, "{}"))])
    with pytest.raises(StreamError, match=r"no topics of joint states.*/said"):
        read(path)
    odd = "std_msgs/msg/Bool"
    path = write_bag(tmp_path / "odd", kind, [(START, "/on", odd, store.types[odd](True))])
    with pytest.raises(StreamError, match="messages that are not read; got 'std_msgs/Bool'"):
        read(path, "/on")


@pytest.mark.parametrize("kind", FORMATS)
def test_garbled_messages_are_told_and_the_rest_is_read(tmp_path, kind):
    store = store_of(kind)
    messages, _ = readings(store, 5)
    messages.insert(2, (START + 15_000_000, "/joint_states", JOINT_STATE,
                        joint_state(store, ("a", "b"), [1.0])))  # fmt: skip
    path = write_bag(tmp_path / "run", kind, messages)
    found = [message for _, message in read(path)]
    assert [type(m) for m in found] == [Joints, Joints, Trouble, Joints, Joints, Joints]
    assert "/joint_states: 2 names and 1 positions" in found[2].text


@pytest.mark.parametrize("kind", FORMATS)
def test_messages_out_of_order_are_put_into_order(tmp_path, kind):
    messages, _ = readings(store_of(kind), 50)
    messages[10], messages[11] = messages[11], messages[10]
    times = [time for time, _ in read(write_bag(tmp_path / "run", kind, messages))]
    assert times == sorted(times) and len(times) == 50


@pytest.mark.parametrize("kind", FORMATS)
def test_a_clock_that_was_set_back_is_not_sorted_away(tmp_path, kind):
    """Readings from before and after were mixed by their times: a slow robot was SAFE all along."""
    store, times = (
        store_of(kind),
        [0.01 * k for k in range(200)] + [1.5 + 0.01 * k for k in range(99)],
    )
    cell, messages = sliders("a"), []
    for k, time in enumerate(times):
        at = START + round(1e9 * time) + k
        state = joint_state(store, ("a/x",), [0.0001 * k], stamp=divmod(at, 10**9))
        messages.append((at, "/joint_states", JOINT_STATE, state))
    path = write_bag(tmp_path / "run", kind, messages)
    assert [m.positions[0] for _, m in read(path)] == [0.0001 * k for k in range(len(times))]
    summary = so.Watch(cell, [open_source(str(path))]).run()
    assert summary.status == 3 and summary.kinds["backwards"] >= 50


def test_a_topic_that_was_written_behind_another_is_put_into_order(tmp_path):
    """That it begins earlier is no clock that was set back."""
    store = store_of("mcap")
    messages = []
    for k, topic in enumerate(("/right", "/left")):
        messages += readings(store, 50, names=(f"{k}",), topic=topic)[0]
    path = write_bag(tmp_path / "run", "mcap", messages)
    times = [time for time, _ in read(path, "/left", "/right")]
    assert times == sorted(times) and len(times) == 100


def test_a_database_whose_index_lacks_rows_is_read_whole(tmp_path):
    """Rows that a damaged index left out were missing in silence."""
    messages, _ = readings(store_of("sqlite"), 50)
    path = bag_file(write_bag(tmp_path / "run", "sqlite", messages))
    base = sqlite3.connect(path)
    base.executescript(
        "DROP INDEX IF EXISTS timestamp_idx;"
        f"CREATE INDEX timestamp_idx ON messages(timestamp) WHERE timestamp < {messages[30][0]};"
        "PRAGMA writable_schema = ON;"
        "UPDATE sqlite_master SET sql = 'CREATE INDEX timestamp_idx ON messages(timestamp)'"
        " WHERE name = 'timestamp_idx';"
    )
    base.commit()
    base.close()
    assert len(read(path)) == 50


def test_blocks_that_overlap_are_merged_with_the_next_one():
    def block(*times):
        return [(t, None, "") for t in times]

    found = bag_files.in_order([block(1, 5, 3), [], block(4, 9), block(8, 10), block(11)])
    assert [t for t, _, _ in found] == [1, 3, 4, 5, 8, 9, 10, 11]


@pytest.mark.parametrize("kind", ["ros1", "mcap"])
def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path, kind):
    """As a recorder leaves it that is killed: without the index at the end."""
    messages, q = readings(store_of(kind), 20_000, NAMES[:2])
    path = bag_file(write_bag(tmp_path / "run", kind, messages))
    whole = path.read_bytes()
    cut = tmp_path / f"cut{path.suffix}"
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    found = [message for _, message in read(cut)]
    assert type(found[-1]) is Trouble and "ends within" in found[-1].text
    assert 5_000 < len(found) < 20_000
    for k, message in enumerate(found[:-1]):
        assert np.array_equal(message.positions, q[k])


def test_a_database_that_is_cut_off_is_told(tmp_path):
    messages, _ = readings(store_of("sqlite"), 2000)
    path = bag_file(write_bag(tmp_path / "run", "sqlite", messages))
    cut = tmp_path / "cut.db3"
    cut.write_bytes(path.read_bytes()[:200_000])
    try:
        found = [message for _, message in read(cut)]
    except StreamError as error:
        assert "cut.db3" in str(error)
    else:
        assert type(found[-1]) is Trouble and "any further" in found[-1].text


def test_a_spoilt_chunk_is_told_and_the_next_ones_are_read(tmp_path):
    encode = JointStateEncoder(NAMES)
    path = tmp_path / "run.mcap"
    with path.open("wb") as stream:
        writer = mcap_writer.Writer(stream, chunk_size=50_000, compression=CompressionType.LZ4)
        writer.start()
        schema = writer.register_schema(
            "sensor_msgs/msg/JointState", "ros2msg", DEFINITION.encode()
        )
        channel = writer.register_channel("/joint_states", "cdr", schema)
        for k in range(1000):
            writer.add_message(channel, k, encode(k, np.full(14, float(k))), k)
        writer.finish()
    whole = [message for _, message in read(path)]
    assert [m.stamp for m in whole[1:]] == list(range(1, 1000))
    data = bytearray(path.read_bytes())
    data[data.find(b"left_j0") + 30] ^= 1
    path.write_bytes(data)
    found = [message for _, message in read(path)]
    assert type(found[0]) is Trouble and ("checksum" in found[0].text or "lz4" in found[0].text)
    assert len(found) > 500 and all(type(m) is Joints for m in found[1:])


def test_messages_that_could_be_wanted_are_not_dropped_in_silence(tmp_path):
    """A chunk that described a channel is gone, and the file was not closed in order."""
    encode = JointStateEncoder(("a",))
    good, lost = (
        (5, struct.pack("<HIQQ", number, 0, 10**9, 0) + encode(1.0, [1.0])) for number in (1, 2)
    )
    path = tmp_path / "run.mcap"
    path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, good, lost, good, lost))
    found = [m for _, m in read(path)]
    assert [type(m) for m in found] == [Joints, Trouble, Joints, Trouble]
    assert "channel 2, which it does not describe" in found[1].text


def test_a_split_bag_is_read_in_the_order_it_was_written(tmp_path):
    folder = tmp_path / "all"
    folder.mkdir()
    messages, _ = readings(store_of("mcap"), 33)
    for part in range(11):
        made = write_bag(tmp_path / f"p{part}", "mcap", messages[3 * part : 3 * part + 3])
        bag_file(made).rename(folder / f"run_{part}.mcap")
    *found, last = open_source(str(folder)).messages()
    assert [time for time, _ in found] == [m[0] / 1e9 for m in messages]
    assert "no metadata.yaml" in last[1].text  # so nobody knows whether there was a twelfth


def split_bag(tmp_path, kind, parts=3):
    """A recording of three splits, ten readings each, with its metadata; the folder."""
    messages, _ = readings(store_of(kind), 10 * parts)
    whole = write_bag(tmp_path / "run", kind, messages)
    suffix = bag_file(whole).suffix
    bag_file(whole).unlink()
    names = [f"run_{part}{suffix}" for part in range(parts)]
    for part, name in enumerate(names):
        made = write_bag(tmp_path / f"p{part}", kind, messages[10 * part : 10 * part + 10])
        bag_file(made).rename(whole / name)
    about = (whole / "metadata.yaml").read_text()
    listed = "".join(f"  - run/{name}\n" for name in names)  # with the folder, as in version 3
    about = about.replace(f"  - run{suffix}\n", listed)
    (whole / "metadata.yaml").write_text(about)
    return whole


@pytest.mark.parametrize("kind", ["sqlite", "mcap"])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_split_that_is_listed_and_missing_is_not_passed_over(tmp_path, kind, part):
    folder = split_bag(tmp_path, kind)
    assert [type(m) for _, m in open_source(str(folder)).messages()] == [Joints] * 30
    (gone,) = folder.glob(f"run_{part}.*")
    gone.unlink()
    with pytest.raises(StreamError, match=f"missing.*{gone.name}"):
        open_source(str(folder))
    gone.mkdir()  # a folder is no split
    with pytest.raises(StreamError, match=f"missing.*{gone.name}"):
        open_source(str(folder))


@pytest.mark.parametrize("kind", ["sqlite", "mcap"])
def test_a_split_that_is_not_listed_is_not_passed_over(tmp_path, kind):
    folder = split_bag(tmp_path, kind)
    (last,) = folder.glob("run_2.*")
    shutil.copy(last, folder / f"run_3{last.suffix}")
    with pytest.raises(StreamError, match="run_3"):
        open_source(str(folder))


def test_a_split_with_other_messages_than_the_metadata_has_is_told(tmp_path):
    folder = split_bag(tmp_path, "sqlite")
    base = sqlite3.connect(folder / "run_1.db3")
    base.execute("DELETE FROM messages WHERE id > 6")
    base.commit()
    base.close()
    *found, last = (m for _, m in open_source(str(folder)).messages())
    assert [type(m) for m in found] == [Joints] * 26 and type(last) is Trouble
    assert "/joint_states: 26 messages were read, metadata.yaml lists 30" in last.text


@pytest.mark.parametrize("kind", ["sqlite", "mcap"])
def test_a_split_that_is_cut_off_is_told(tmp_path, kind):
    folder = split_bag(tmp_path, kind)
    (file,) = folder.glob("run_2.*")
    file.write_bytes(file.read_bytes()[: file.stat().st_size * 2 // 3])
    try:
        found = [m for _, m in open_source(str(folder)).messages()]
    except StreamError as error:
        assert file.name in str(error)
    else:
        assert any(type(m) is Trouble and "metadata.yaml lists 30" in m.text for m in found)


def test_an_unpacked_split_is_found_under_its_packed_name(tmp_path):
    folder = split_bag(tmp_path, "sqlite")
    about = folder / "metadata.yaml"
    about.write_text(about.read_text().replace(".db3\n", ".db3.zstd\n"))
    assert [type(m) for _, m in open_source(str(folder)).messages()] == [Joints] * 30


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "without files"), ("a: b", "without files"), ("[" * 5000, "not YAML"), ("\0", "YAML"),
        ("rosbag2_bagfile_information: {relative_file_paths: [run.mcap]}", "without files"),
        ("rosbag2_bagfile_information: {relative_file_paths: [], topics_with_message_count: []}",
         "does not list"),
        ("x" * (1 << 20) + "x", "more than"),
        ("rosbag2_bagfile_information: {relative_file_paths: [run.mcap], "
         "topics_with_message_count: []}", "without topics"),
        # A list that has another ten times, which has another: 10^10 words for a few hundred bytes.
        ("a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
            f"{b}: &{b} [{','.join(10 * ['*' + a])}]\n" for a, b in itertools.pairwise("abcdefghi")
         ) + "rosbag2_bagfile_information: {relative_file_paths: [*i]}", "without files"),
    ],
)  # fmt: skip
def test_metadata_that_is_none_is_refused(tmp_path, text, said):
    messages, _ = readings(store_of("mcap"), 3)
    folder = write_bag(tmp_path / "run", "mcap", messages)
    (folder / "metadata.yaml").write_text(text)
    with pytest.raises(StreamError, match=said) as caught:
        open_source(str(folder))
    assert "metadata.yaml" in str(caught.value)


@pytest.mark.parametrize("kind", ["sqlite", "mcap"])
def test_joint_states_that_the_metadata_does_not_list_are_told(tmp_path, kind):
    """A topic that is not listed was held against no count at all."""
    messages, _ = readings(store_of(kind), 3)
    folder = write_bag(tmp_path / "run", kind, messages)
    metadata = folder / "metadata.yaml"
    metadata.write_text(metadata.read_text().replace("/joint_states", "/others"))
    source = open_source(str(folder))
    found = [message for _, message in source.messages()]
    source.close()
    assert type(found[-1]) is Trouble and "metadata.yaml lists 0" in found[-1].text


def mcap(*records, magic=b"\x89MCAP0\r\n"):
    out = magic
    for op, data in records:
        out += struct.pack("<BQ", op, len(data)) + data
    return out


def words(*texts):
    return b"".join(struct.pack("<I", len(t)) + t.encode() for t in texts)


SCHEMA = (3, struct.pack("<H", 1) + words("sensor_msgs/msg/JointState", "ros2msg", ""))
CHANNEL = (4, struct.pack("<HH", 1, 1) + words("/joint_states", "cdr", ""))


def chunk(records, size=None, crc=0, compression="", length=None):
    return (6, struct.pack("<QQQI", 0, 0, len(records) if size is None else size, crc)
            + words(compression)
            + struct.pack("<Q", len(records) if length is None else length) + records)  # fmt: skip


def test_an_mcap_file_without_chunks_and_index_is_read(tmp_path):
    encode = JointStateEncoder(("a",))
    records = [
        (5, struct.pack("<HIQQ", 1, k, 10**9 + k, 0) + encode(1.0, [k])) for k in range(3000)
    ]
    json_channel = (4, struct.pack("<HH", 2, 0) + words("/events", "json", ""))
    event = (5, struct.pack("<HIQQ", 2, 0, 2 * 10**9, 0) + b'{"detach": "box"}')
    path = tmp_path / "plain.mcap"
    path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, json_channel, *records, event,
                          (15, bytes(4))))  # fmt: skip
    found = [m for _, m in read(path)]
    assert [float(m.positions[0]) for m in found] == list(range(3000))
    assert [type(m) for _, m in read(path, "/events")] == [Grasp]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (chunk(b"", size=1 << 40), "unpacked"),
        (chunk(b"x" * 50, size=50, crc=zlib.crc32(b"y" * 50)), "checksum"),
        (chunk(b"x" * 50, compression="rar"), "'rar' is not read"),
        (chunk(b"x" * 50, compression="zstd"), "not zstd"),
        (chunk(b"x" * 50, compression="lz4"), "not lz4"),
        (chunk(b"x" * 50, length=49), "another length"),
        (chunk(struct.pack("<BQ", 5, 1 << 62) + bytes(60)), "longer than itself"),
        (chunk(struct.pack("<BQ", 5, 3) + bytes(3)), "without its time"),
        ((6, b"abc"), "head"),
        ((5, b"abc"), "without its time"),
        ((4, b"abc"), "topic"),
        ((3, struct.pack("<HI", 1, 1 << 31)), "too early"),
        ((5, struct.pack("<HIQQ", 1, 0, 0, 0) + bytes(1 << 21)), "2097152 bytes"),
    ],
)
def test_records_of_an_mcap_file_that_make_no_sense_are_told(tmp_path, bad, said):
    path = tmp_path / "bad.mcap"
    path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, bad, (15, bytes(4))))
    (found,) = (message for _, message in read(path))
    assert type(found) is Trouble and said in found.text


def test_a_small_chunk_that_unpacks_to_a_large_one_is_refused(tmp_path):
    import lz4.frame
    import zstandard

    bomb = bytes(50_000_000)
    for name, packed in (("lz4", lz4.frame.compress(bomb)),
                         ("zstd", zstandard.ZstdCompressor().compress(bomb))):  # fmt: skip
        path = tmp_path / f"{name}.mcap"
        one = chunk(packed, size=1000, compression=name)
        path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, one, (15, bytes(4))))
        (found,) = (message for _, message in read(path))
        assert "unpacks to 1001 bytes or more" in found.text


def counted_read(path):
    """Messages of each type, and the last text."""
    bag, kinds, text = Bag(path, ["/joint_states"]), {}, ""
    for _, message in bag.messages():
        kinds[type(message)] = kinds.get(type(message), 0) + 1
        text = getattr(message, "text", text)
    bag.close()
    return kinds, text


RECORDS = {
    "messages": struct.pack("<BQHIQQ", 5, 22, 1, 0, 5, 5),
    "others": struct.pack("<BQ", 99, 0),
    "channels": b"".join(
        struct.pack("<BQHH", 4, 4 + len(name), 1, 1) + name
        for name in (words(f"/{k}", "cdr", "") for k in range(20_000))
    ),
}


@pytest.mark.parametrize("what", RECORDS)
def test_a_few_bytes_that_unpack_to_millions_of_records_are_read_up_to_a_bound(tmp_path, what):
    import zstandard

    records = RECORDS[what] * (4_000_000 // len(RECORDS[what]))
    packed = zstandard.ZstdCompressor().compress(records)
    one = chunk(packed, size=len(records), compression="zstd")
    path = tmp_path / "bomb.mcap"
    path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, *[one] * 4, (15, bytes(4))))
    kinds, text = counted_read(path)
    assert sum(kinds.values()) <= 100_000 + path.stat().st_size + 4
    assert ("topics and types" if what == "channels" else "records that a bag of this") in text


def test_a_few_bytes_that_unpack_to_gigabytes_are_read_up_to_a_bound(tmp_path):
    """Each chunk is fine by itself."""
    import zstandard

    large = struct.pack("<BQ", 99, (32 << 20) - 9) + bytes((32 << 20) - 9)
    one = chunk(zstandard.ZstdCompressor().compress(large), size=len(large), compression="zstd")
    path = tmp_path / "bomb.mcap"
    path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, *[one] * 20, (15, bytes(4))))
    size = path.stat().st_size
    whole = ((64 << 20) + 1000 * size) // len(large)
    kinds, text = counted_read(path)
    assert whole < 20 and kinds == {Trouble: 20 - whole}
    assert "may unpack to" in text


def test_messages_that_unpack_within_chunks_that_unpack_count_too(tmp_path):
    import zstandard

    pack = zstandard.ZstdCompressor().compress
    message = pack(bytes(1 << 20))
    record = struct.pack("<BQHIQQ", 5, 22 + len(message), 1, 0, 5, 5) + message
    records = record * 2000
    one = chunk(pack(records), size=len(records), compression="zstd")
    path = tmp_path / "bomb.mcap"
    path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, one, (15, bytes(4))))
    kinds, text = counted_read(path)
    assert kinds == {Trouble: 2000} and "may unpack to" in text


def test_many_small_files_of_a_bag_do_not_cost_what_each_of_them_may(tmp_path):
    """A folder of 20 files of 946 bytes each took 183 s."""
    import zstandard

    record = struct.pack("<BQHIQQ", 5, 22, 1, 0, 5, 5)
    records = record * 60_000
    one = chunk(zstandard.ZstdCompressor().compress(records), size=len(records), compression="zstd")
    for k in range(3):
        path = tmp_path / f"run_{k}.mcap"
        path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, one, (15, bytes(4))))
    kinds, _ = counted_read(tmp_path)
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert sum(kinds.values()) <= 100_000 + size + 4


def ros1_record(data, **fields):
    head = b"".join(
        struct.pack("<I", len(k) + 1 + len(v)) + k.encode() + b"=" + v for k, v in fields.items()
    )
    return struct.pack("<I", len(head)) + head + struct.pack("<I", len(data)) + data


def ros1_chunk(records, compression):
    import bz2

    import lz4.frame

    packed = bz2.compress(records) if compression == "BZ2" else lz4.frame.compress(records)
    size = struct.pack("<I", len(records))
    return ros1_record(packed, op=b"\5", compression=compression.lower().encode(), size=size)


ROS1_CONNECTION = ros1_record(
    struct.pack("<I", 27) + b"type=sensor_msgs/JointState",
    op=b"\7", conn=bytes(4), topic=b"/joint_states",
)  # fmt: skip


@pytest.mark.parametrize("compression", ["BZ2", "LZ4"])
def test_a_chunk_of_ros1_that_unpacks_to_millions_of_records_is_read_up_to_a_bound(
    tmp_path, compression
):
    empty = ros1_record(b"", op=b"\2", conn=bytes(4), time=bytes(8))
    one = ros1_chunk(ROS1_CONNECTION + empty * (4_000_000 // len(empty)), compression)
    path = tmp_path / "bomb.bag"
    path.write_bytes(b"#ROSBAG V2.0\n" + one * 4)
    kinds, text = counted_read(path)
    assert sum(kinds.values()) <= 100_000 + path.stat().st_size + 4
    assert "records that a bag of this size may have" in text


def test_a_chunk_of_ros1_that_unpacks_to_millions_of_fields_is_not_read_to_its_end(tmp_path):
    """A bag of 61 kB took some 15 s."""
    field = struct.pack("<I", 4) + b"op=\2"
    head = field * 100_000
    record = struct.pack("<I", len(head)) + head + struct.pack("<I", 0)
    path = tmp_path / "bomb.bag"
    path.write_bytes(b"#ROSBAG V2.0\n" + ROS1_CONNECTION + ros1_chunk(record * 20, "BZ2") * 3)
    kinds, text = counted_read(path)
    assert kinds == {Trouble: 3} and "more than 100 fields" in text
    # As many as a recorder writes, and some that it does not, are read.
    more = {f"x{k}": b"1" for k in range(50)}
    one = ros1_record(b"", op=b"\2", conn=bytes(4), time=bytes(8), **more)
    path.write_bytes(b"#ROSBAG V2.0\n" + ROS1_CONNECTION + ros1_chunk(one, "LZ4"))
    kinds, text = counted_read(path)
    assert kinds == {Trouble: 1} and "fields" not in text


def test_a_database_whose_rows_are_computed_is_refused(tmp_path):
    path = tmp_path / "bomb.db3"
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name, type, serialization_format);"
        "INSERT INTO topics VALUES(1, '/joint_states', 'sensor_msgs/msg/JointState', 'cdr');"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp,"
        " data BLOB AS (zeroblob(1000000)));"
        "INSERT INTO messages(topic_id, timestamp) VALUES(1, 5), (1, 6);"
    )
    base.close()
    with pytest.raises(StreamError, match=r"no tables.*bomb.db3|bomb.db3.*no tables"):
        open_source(str(path))


def test_a_database_that_has_one_page_many_times_is_read_up_to_its_size(tmp_path):
    """Interior pages whose children are all the same leaf: rows without end in a small file."""
    messages, _ = readings(store_of("sqlite"), 300)
    path = bag_file(write_bag(tmp_path / "run", "sqlite", messages))
    base = sqlite3.connect(path)
    base.execute("DROP INDEX IF EXISTS timestamp_idx")
    base.commit()
    (root,) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = 'messages'").fetchone()
    (page,) = base.execute("PRAGMA page_size").fetchone()
    base.execute("VACUUM")
    base.close()
    data = bytearray(path.read_bytes())
    base = sqlite3.connect(path)
    (root,) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = 'messages'").fetchone()
    base.close()
    at = (root - 1) * page
    assert data[at] == 5  # an interior page of a table
    cells = struct.unpack_from(">H", data, at + 3)[0]
    first = struct.unpack_from(">H", data, at + 12)[0]
    child = data[at + first : at + first + 4]
    content = page - 6  # one cell, that all point to: a child and a key
    data[at + content : at + content + 6] = child + b"\x81\x00"
    many = (content - 12) // 2
    struct.pack_into(">HHB", data, at + 3, many, content, 0)
    data[at + 12 : at + 12 + 2 * many] = struct.pack(">H", content) * many
    assert cells < many
    path.write_bytes(data)
    found = [m for _, m in read(path)]
    assert type(found[-1]) is Trouble
    assert "fit into its size" in found[-1].text or "any further" in found[-1].text
    assert len(found) * 100 < path.stat().st_size


@pytest.mark.parametrize("name", ["lz4", "zstd"])
def test_a_size_that_is_claimed_gets_no_memory_before_it_is_there(tmp_path, name):
    import lz4.frame
    import zstandard

    pack = lz4.frame.compress if name == "lz4" else zstandard.ZstdCompressor().compress
    one = chunk(pack(bytes(1000)), size=60 << 20, compression=name)
    path = tmp_path / "run.mcap"
    path.write_bytes(mcap((1, words("", "")), SCHEMA, CHANNEL, one, (15, bytes(4))))
    tracemalloc.start()
    try:
        (found,) = (message for _, message in read(path))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert "unpacks to 1000 bytes" in found.text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.bag", b"", "empty"),
        ("text.bag", b"hello world, this is no bag", "not a bag"),
        ("old.bag", b"#ROSBAG V1.2\n", "not a bag"),
        ("head.bag", b"#ROSBAG V2.0\n", "no topics"),
        ("long.bag", b"#ROSBAG V2.0\n" + b"\xff" * 8, "no topics"),
        ("head.mcap", b"\x89MCAP0\r\n", "no topics"),
        ("cut.db3", b"SQLite format 3\0", "cut.db3"),
        ("text.mcap", "µ".encode() * 100, "not a bag"),
    ],
)
def test_files_that_are_no_bags_are_refused(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(StreamError, match=said) as caught:
        open_source(str(tmp_path / name))
    assert name in str(caught.value)


def test_databases_that_are_no_bags_are_refused(tmp_path):
    for name, script in {
        "none": "CREATE TABLE a(b)",
        "views": "CREATE VIEW messages AS SELECT 1; CREATE VIEW topics AS SELECT 1",
        "columns": "CREATE TABLE messages(a); CREATE TABLE topics(b)",
    }.items():  # fmt: skip
        path = tmp_path / f"{name}.db3"
        base = sqlite3.connect(path)
        base.executescript(script)
        base.close()
        with pytest.raises(StreamError, match=f"{name}.db3"):
            open_source(str(path))


def test_what_a_killed_recorder_left_beside_the_database_is_read(tmp_path):
    messages, _ = readings(store_of("sqlite"), 50)
    path = bag_file(write_bag(tmp_path / "run", "sqlite", messages))
    odd = tmp_path / "what? #1 50%.db3"
    path.rename(odd)
    base = sqlite3.connect(odd)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("INSERT INTO messages SELECT id + 100, topic_id, timestamp, data FROM messages")
    base.commit()
    left = tmp_path / "left.db3"
    for end in ("", "-wal"):
        shutil.copy(f"{odd}{end}", f"{left}{end}")
    base.close()
    assert len(read(left)) == len(read(odd)) == 100


def test_rows_of_other_types_are_told(tmp_path):
    messages, _ = readings(store_of("sqlite"), 3)
    path = bag_file(write_bag(tmp_path / "run", "sqlite", messages))
    base = sqlite3.connect(path)
    base.execute("UPDATE messages SET data = 'text' WHERE id = 1")
    base.execute("UPDATE messages SET timestamp = 'noon' WHERE id = 2")
    base.execute("INSERT INTO messages VALUES(9, 1, 5, zeroblob(1))")
    base.commit()
    base.close()
    kinds = [type(m) for _, m in read(path)]
    assert sorted(k.__name__ for k in kinds) == ["Joints", "Trouble", "Trouble", "Trouble"]


@pytest.mark.parametrize("kind", ["sqlite", "mcap"])
def test_a_message_that_is_too_long_is_told_and_the_next_is_read(tmp_path, kind):
    messages, _ = readings(store_of(kind), 3)
    if kind == "sqlite":
        path = bag_file(write_bag(tmp_path / "run", kind, messages))
        base = sqlite3.connect(path)
        base.execute("UPDATE messages SET data = zeroblob(?) WHERE id = 2", (6 << 20,))
        base.commit()
        base.close()
    else:
        from mcap.writer import Writer

        path = tmp_path / "run.mcap"
        with path.open("wb") as file:
            writer = Writer(file, use_chunking=False)
            writer.start()
            schema = writer.register_schema("sensor_msgs/msg/JointState", "ros2msg", b"")
            channel = writer.register_channel("/joint_states", "cdr", schema)
            for k, (nano, _, kind_, message) in enumerate(messages):
                data = bytes(6 << 20) if k == 1 else raw(store_of(kind), message, kind_)
                writer.add_message(channel, nano, data, nano)
            writer.finish()
    found = [m for _, m in read(path)]
    assert [type(m).__name__ for m in found] == ["Joints", "Trouble", "Joints"]
    assert f"{6 << 20} bytes" in found[1].text


def test_a_message_that_unpacks_to_too_much_is_told(tmp_path):
    import zstandard

    messages, _ = readings(store_of("sqlite"), 3)
    path = bag_file(write_bag(tmp_path / "run", "sqlite", messages))
    base = sqlite3.connect(path)
    packed = zstandard.ZstdCompressor().compress(bytes(64 << 20))
    base.execute("UPDATE messages SET data = ? WHERE id = 2", (packed,))
    base.execute("UPDATE messages SET data = ? WHERE id = 3", (packed[:20],))
    base.commit()
    base.close()
    assert [type(m).__name__ for _, m in read(path)] == ["Joints", "Trouble", "Trouble"]


def test_a_folder_without_a_bag_says_so(tmp_path):
    with pytest.raises(StreamError, match="without a bag"):
        open_source(str(tmp_path))
    (tmp_path / "run_0.db3.zstd").write_bytes(b"")
    with pytest.raises(StreamError, match="zstd -d"):
        open_source(str(tmp_path))
    with pytest.raises(StreamError, match="No such file"):
        open_source(f"bag:{tmp_path}/none.bag")
