"""Which decoder reads which type of message."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from standoff.streams.json_message import JsonDecoder
from standoff.streams.messages import Message
from standoff.streams.ros_messages import (
    JointStateDecoder,
    PoseDecoder,
    TransformDecoder,
    body_of_topic,
)
from standoff.streams.wire import GarbledError, Wire

#: Bytes to one message or several; raises `GarbledError` alone.
Decode = Callable[[bytes], Message | tuple[Message, ...]]

JOINT_STATE: Final = "sensor_msgs/JointState"
_POSE: Final = "geometry_msgs/PoseStamped"
_TRANSFORMS: Final = ("tf2_msgs/TFMessage", "tf/tfMessage")
_TEXT: Final = "std_msgs/String"

#: Types of messages that are read.
TYPES: Final = (JOINT_STATE, _POSE, *_TRANSFORMS, _TEXT)

#: How the encodings of topics of ours begin that only a replay reads.
OWN_ENCODING: Final = "standoff-"

#: The frame that is the world where nothing else is said.
WORLD: Final = "world"


class Topic(NamedTuple):
    """Attributes:
    name: ``/joint_states``.
    kind: type of its messages, as ROS 1 writes it: ``sensor_msgs/JointState``.
    encoding: ``cdr``, ``ros1`` or ``json``.
    """

    name: str
    kind: str
    encoding: str


def plain_type(kind: str) -> str:
    """The type as ROS 1 writes it: ``sensor_msgs/msg/JointState`` and ``sensor_msgs::msg::dds_::
    JointState_`` are the same."""
    if "::" in kind:
        kind = kind.replace("::dds_::", "::").replace("::", "/").removesuffix("_")
    return kind.replace("/msg/", "/")


def decoder_of(topic: Topic, world: str = WORLD) -> Decode | None:
    """What reads the messages of a topic; None where nothing does."""
    if topic.encoding == "json":
        return _json_decoder(bytes)
    if topic.encoding not in ("cdr", "ros1"):
        return None
    cdr = topic.encoding == "cdr"
    if topic.kind == JOINT_STATE:
        return JointStateDecoder(cdr)
    if topic.kind == _POSE:
        try:
            return PoseDecoder(body_of_topic(topic.name), world, cdr)
        except GarbledError:  # a topic whose name cannot be that of a body
            return None
    if topic.kind in _TRANSFORMS:
        return TransformDecoder(world, cdr)
    if topic.kind == _TEXT:
        return _json_decoder(partial(_string, cdr=cdr))
    return None


def _json_decoder(text: Callable[[bytes], bytes]) -> Decode:
    """What reads an object of `json_message` out of a message; its time is left out, as the
    transport has one."""
    decode = JsonDecoder()
    return lambda data: decode(text(data)).messages


def _string(data: bytes, cdr: bool) -> bytes:
    """``std_msgs/String``."""
    wire = Wire(data, cdr)
    text = wire.text()
    wire.end()
    return text.encode("utf-8")
