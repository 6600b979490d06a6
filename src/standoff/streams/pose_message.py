"""Poses of moving bodies: ``geometry_msgs/PoseStamped`` and ``tf2_msgs/TFMessage``."""

from __future__ import annotations

from standoff.errors import Error
from standoff.geometry.pose import Array, pose
from standoff.streams.limits import MAX_STREAM_NAMES
from standoff.streams.messages import BodyPose
from standoff.streams.wire import GarbledError, Wire, checked_names


def body_of_topic(topic: str) -> str:
    """The body whose pose a topic has: ``/cart`` and ``/cart/pose`` are those of ``cart``."""
    return topic.strip("/").removesuffix("/pose") or topic


class PoseDecoder:
    """``geometry_msgs/PoseStamped``: the pose of one body in the world.

    Args:
        body: whose.
        world: the frame that is the world; a pose in another one is refused, since taking it for
            one in the world would put the body elsewhere. An empty frame is the world too.
    """

    def __init__(self, body: str, world: str, cdr: bool = True) -> None:
        checked_names((body,))
        self._body, self._world, self._cdr = body, world, cdr

    def __call__(self, data: bytes) -> BodyPose:
        wire = Wire(data, self._cdr)
        if not self._cdr:
            wire.u32()
        stamp = wire.stamp()
        frame = wire.text()
        if frame.lstrip("/") not in ("", self._world):
            raise GarbledError(
                f"a pose in frame {frame[:40]!r}, and the world is {self._world!r}; "
                "?world=FRAME says so where it is another"
            )
        where = _pose(wire)
        wire.end()
        return BodyPose(stamp, self._body, where)


class TransformDecoder:
    """``tf2_msgs/TFMessage``: the frames that stand directly in the world frame, each a body of its
    name. Those that hang on other frames are left out: a body that is given by a chain of them is
    never heard of, which the watch says."""

    def __init__(self, world: str, cdr: bool = True) -> None:
        self._world, self._cdr = world, cdr

    def __call__(self, data: bytes) -> tuple[BodyPose, ...]:
        wire = Wire(data, self._cdr)
        found = []
        for _ in range(wire.count(MAX_STREAM_NAMES, "transforms")):
            if not self._cdr:
                wire.u32()
            stamp = wire.stamp()
            parent = wire.text().lstrip("/")
            child = wire.text().lstrip("/")
            where = _pose(wire)
            if parent == self._world:
                checked_names((child,))
                found.append(BodyPose(stamp, child, where))
        wire.end()
        return tuple(found)


def _pose(wire: Wire) -> Array:
    numbers = wire.reals(7)
    x, y, z, w = numbers[3:]
    try:
        return pose(numbers[:3], (w, x, y, z))
    except Error as error:
        raise GarbledError(str(error)) from error
