"""Messages and bags as others write them: by the writers of rosbags."""

import numpy as np
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

ROS1 = get_typestore(Stores.ROS1_NOETIC)
ROS2 = get_typestore(Stores.ROS2_HUMBLE)
JOINT_STATE = "sensor_msgs/msg/JointState"
POSE = "geometry_msgs/msg/PoseStamped"
TF = "tf2_msgs/msg/TFMessage"
TEXT = "std_msgs/msg/String"
NAMES = tuple(f"{side}_j{k}" for side in ("left", "right") for k in range(7))
START = 1_700_000_000 * 10**9

#: How each format is asked for below.
FORMATS = ("ros1", "sqlite", "mcap")


def header(store, seconds, nanoseconds, frame=""):
    time = store.types["builtin_interfaces/msg/Time"](seconds, nanoseconds)
    kind = store.types["std_msgs/msg/Header"]
    return kind(7, time, frame) if store is ROS1 else kind(time, frame)


def joint_state(store, names, position, velocity=(), effort=(), stamp=(5, 6), frame=""):
    kind = store.types[JOINT_STATE]
    numbers = [np.array(values, dtype=np.float64) for values in (position, velocity, effort)]
    return kind(header(store, *stamp, frame), list(names), *numbers)


def pose_stamped(store, position, wxyz, frame="world", stamp=(5, 6)):
    return store.types[POSE](header(store, *stamp, frame), _pose(store, position, wxyz))


def transforms(store, *items, stamp=(5, 6)):
    """Of (parent, child, position, wxyz) each."""
    found = []
    for parent, child, position, (w, x, y, z) in items:
        moved = store.types["geometry_msgs/msg/Transform"](
            store.types["geometry_msgs/msg/Vector3"](*map(float, position)),
            store.types["geometry_msgs/msg/Quaternion"](x, y, z, w),
        )
        kind = store.types["geometry_msgs/msg/TransformStamped"]
        found.append(kind(header(store, *stamp, parent), child, moved))
    return (tf_store(store)).types[TF](found)


def tf_store(store):
    if TF not in store.types:
        from rosbags.typesys import get_types_from_msg

        text = "geometry_msgs/TransformStamped[] transforms"
        store.register(get_types_from_msg(text, TF))
    return store


def text(store, words):
    return store.types[TEXT](words)


def _pose(store, position, wxyz):
    w, x, y, z = wxyz
    return store.types["geometry_msgs/msg/Pose"](
        store.types["geometry_msgs/msg/Point"](*map(float, position)),
        store.types["geometry_msgs/msg/Quaternion"](x, y, z, w),
    )


def store_of(kind):
    return tf_store(ROS1 if kind == "ros1" else ROS2)


def raw(store, message, kind, little=True):
    if store is ROS1:
        return bytes(store.serialize_ros1(message, kind))
    return bytes(store.serialize_cdr(message, kind, little_endian=little))


def write_bag(path, kind, messages, compression=None):
    """A bag of (time [ns], topic, type, message) each; the path of what was written."""
    store = store_of(kind)
    if kind == "ros1":
        path = path.with_suffix(".bag")
        writer = Writer1(path)
        if compression:
            writer.set_compression(Writer1.CompressionFormat[compression])
    else:
        plugin = StoragePlugin.SQLITE3 if kind == "sqlite" else StoragePlugin.MCAP
        writer = Writer(path, version=8, storage_plugin=plugin)
        if compression:
            writer.set_compression(CompressionMode[compression], CompressionFormat.ZSTD)
    with writer:
        topics = {}
        for time, topic, type_, message in messages:
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, type_, typestore=store)
            writer.write(topics[topic], time, raw(store, message, type_))
    return path


def readings(store, count, names=NAMES, topic="/joint_states", seed=0):
    """Messages for `write_bag`, and the positions in them."""
    q = np.random.default_rng(seed).normal(size=(count, len(names)))
    messages = [
        (
            START + k * 10_000_000,
            topic,
            JOINT_STATE,
            joint_state(store, names, q[k], -q[k], stamp=divmod(START + k * 10_000_000 + 5, 10**9)),
        )
        for k in range(count)
    ]
    return messages, q


def bag_file(path):
    """The one file of a bag."""
    if path.is_file():
        return path
    return next(f for f in path.iterdir() if f.suffix in (".db3", ".mcap"))
