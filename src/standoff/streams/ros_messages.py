"""``sensor_msgs/JointState`` to and from bytes, in CDR (ROS 2) and as ROS 1 writes it; and the
poses of moving bodies, ``geometry_msgs/PoseStamped`` and ``tf2_msgs/TFMessage``.

Readings of one publisher differ in the time and the numbers alone. So the first one is taken apart
field by field, and of the next ones everything between the time and the positions is compared with
it as one piece: some 2.5 µs a message of 14 joints, and 19 field by field.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import Error, StreamError
from standoff.geometry.pose import Array, pose_of
from standoff.streams.limits import MAX_STREAM_NAMES
from standoff.streams.messages import BodyPose, Joints
from standoff.streams.wire import GarbledError, Wire, checked_names

#: Where the time is, in both: behind the encapsulation of CDR, behind the count of ROS 1.
_STAMP: Final = 4
#: Where frame, names and the rest begin.
_REST: Final = 12

_STAMPS: Final = {"<": Struct("<iI"), ">": Struct(">iI"), "1": Struct("<II")}
_COUNT: Final = Struct("<I")
_NANO: Final = 1_000_000_000
_NAN: Final = float("nan")
#: Layouts and lists of names that are kept; a topic has as many as it has publishers.
_KEPT: Final = 16

#: What a type description of the message looks like, for files that want one beside the bytes.
DEFINITION: Final = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""


class _Layout:
    """Where everything is in a message of a size, and what must be the same for it to hold."""

    __slots__ = (
        "effort_count", "efforts", "head", "kind", "names", "positions", "same", "stamp",
        "velocities", "velocity_count",
    )  # fmt: skip

    def __init__(
        self, data: bytes, wire: Wire, cdr: bool, names: tuple[str, ...], places: Sequence[int]
    ) -> None:
        before, self.velocities, self.efforts = places
        self.positions = before + 4
        if cdr:  # aligned to eight, counted from behind the encapsulation
            self.positions += -(self.positions - 4) % 8
        self.names = names
        self.head = data[:2]
        self.same = data[_REST : self.positions]
        self.velocity_count = data[self.velocities : self.velocities + 4]
        self.effort_count = data[self.efforts : self.efforts + 4]
        self.stamp = _STAMPS[wire.order if cdr else "1"]
        self.kind = np.dtype(wire.order + "f8")


class JointStateDecoder:
    """Bytes in, `Joints` out; one for each topic, as it remembers the layouts it has seen.

    Velocities are None where the message has none. Raises `GarbledError`, and nothing else, for
    what is no reading: a field that is cut off or longer than the message, positions that are not
    one for each name, a name twice.
    """

    def __init__(self, cdr: bool = True) -> None:
        self._cdr = cdr
        self._layouts: dict[int, _Layout] = {}
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}

    def __call__(self, data: bytes) -> Joints:
        layout = self._layouts.get(len(data))
        if layout is None:
            return self._anew(data)
        at, v, e = layout.positions, layout.velocities, layout.efforts
        if (
            data[_REST:at] != layout.same
            or data[v : v + 4] != layout.velocity_count
            or data[e : e + 4] != layout.effort_count
            or (self._cdr and data[:2] != layout.head)
        ):
            return self._anew(data)
        seconds, nanoseconds = layout.stamp.unpack_from(data, _STAMP)
        if nanoseconds >= _NANO:
            raise GarbledError(f"a time with {nanoseconds} nanoseconds")
        nano = seconds * _NANO + nanoseconds
        names = layout.names
        count = len(names)
        stamp = nano / 1e9 if nano else _NAN
        if e - v == 4:
            positions = np.frombuffer(data, layout.kind, count, at).astype(np.float64)
            return Joints(stamp, names, positions)
        if self._cdr:
            # Between the two lists are a length and its filling, as large as one number.
            both = np.frombuffer(data, layout.kind, 2 * count + 1, at).astype(np.float64)
            return Joints(stamp, names, both[:count], both[count + 1 :])
        positions = np.frombuffer(data, layout.kind, count, at).astype(np.float64)
        velocities = np.frombuffer(data, layout.kind, count, v + 4).astype(np.float64)
        return Joints(stamp, names, positions, velocities)

    def _anew(self, data: bytes) -> Joints:
        """Field by field; the layout is kept."""
        wire = Wire(data, self._cdr)
        if not self._cdr:
            wire.u32()
        stamp = wire.stamp()
        wire.text()
        count = wire.count(MAX_STREAM_NAMES, "names")
        names = self._kept(tuple([wire.text() for _ in range(count)]))
        positions, before = _column(wire, count, "positions")
        if positions is None:
            raise GarbledError(f"{count} names and no positions")
        velocities, velocity_count = _column(wire, count, "velocities")
        _, effort_count = _column(wire, count, "efforts")
        wire.end()
        if len(self._layouts) >= _KEPT:
            self._layouts.clear()
        places = (before, velocity_count, effort_count)
        self._layouts[len(data)] = _Layout(data, wire, self._cdr, names, places)
        return Joints(stamp, names, positions, velocities)

    def _kept(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The very tuple that was handed out for these names before."""
        kept = self._names.get(names)
        if kept is None:
            if not names:
                raise GarbledError("a reading of no joint")
            checked_names(names)
            if len(self._names) >= _KEPT:
                self._names.clear()
            kept = self._names[names] = names
        return kept


def _column(wire: Wire, count: int, what: str) -> tuple[Array | None, int]:
    """The numbers of a field, None where it is empty, and where its length stands."""
    length = wire.u32()
    place = wire.at - 4
    if length not in (0, count):
        raise GarbledError(f"{count} names and {length} {what}")
    return (wire.reals(length) if length else None), place


class JointStateEncoder:
    """Readings of the same joints to CDR, little-endian.

    Args:
        names: of the joints; at most 1,000.
        frame: the frame of the header.
    """

    def __init__(self, names: Sequence[str], frame: str = "") -> None:
        if len(names) > MAX_STREAM_NAMES:
            raise StreamError("too many joints", value=len(names), allowed=f"{MAX_STREAM_NAMES}")
        self._count = len(names)
        rest = bytearray()
        _put_text(rest, frame)
        rest += _COUNT.pack(self._count)
        for name in names:
            _put_text(rest, name)
        rest += _COUNT.pack(self._count)
        # Behind the time, 8 bytes into the message, so that its own alignment is that of the whole.
        if self._count:
            rest += bytes(-len(rest) % 8)
        self._rest = bytes(rest)

    def __call__(
        self, stamp: float, positions: ArrayLike, velocities: ArrayLike | None = None
    ) -> bytes:
        """The message; ``stamp`` in seconds, 0 where it is NaN."""
        nano = 0 if stamp != stamp else round(stamp * 1e9)
        seconds, nanoseconds = divmod(nano, _NANO)
        if not -(1 << 31) <= seconds < 1 << 31:
            raise StreamError("a time that ROS cannot write", value=stamp, allowed="±2³¹ s")
        parts = [b"\0\1\0\0", _STAMPS["<"].pack(seconds, nanoseconds), self._rest]
        parts.append(self._column(positions))
        parts.append(_COUNT.pack(0 if velocities is None else self._count))
        if velocities is not None and self._count:
            parts += (bytes(4), self._column(velocities))
        parts.append(_COUNT.pack(0))
        return b"".join(parts)

    def _column(self, values: ArrayLike) -> bytes:
        column = np.asarray(values, dtype="<f8")
        if column.shape != (self._count,):
            raise StreamError(
                "not one for each joint", value=column.shape, allowed=f"{self._count}"
            )
        return column.tobytes()


def _put_text(out: bytearray, text: str) -> None:
    raw = text.encode("utf-8") + b"\0"
    out += bytes(-len(out) % 4) + _COUNT.pack(len(raw)) + raw
    out += bytes(-len(out) % 4)


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
    never received, which the watch says."""

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
        return pose_of(numbers[:3], (w, x, y, z))
    except Error as error:
        raise GarbledError(str(error)) from error
