"""``sensor_msgs/msg/JointState`` in CDR, so that everything that reads ROS 2 shows the robots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from struct import Struct

from standoff.shapes.pose import Array

SCHEMA_NAME = "sensor_msgs/msg/JointState"
_LINE = "=" * 80
SCHEMA = f"""\
std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
{_LINE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{_LINE}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""

_LITTLE_ENDIAN = b"\x00\x01\x00\x00"
_STAMP = Struct("<iI")
_U32 = Struct("<I")


class JointStates:
    """Messages of always the same joints."""

    def __init__(self, names: Sequence[str]) -> None:
        body = bytearray(_STAMP.size)
        _put_text(body, "")
        _align(body, 4)
        body += _U32.pack(len(names))
        for name in names:
            _put_text(body, name)
        _align(body, 4)
        body += _U32.pack(len(names))
        if names:
            _align(body, 8)
        self._middle = bytes(body[_STAMP.size :])
        #: No velocities, no efforts.
        self._end = _U32.pack(0) + _U32.pack(0)

    def message(self, time: float, positions: Array) -> bytes:
        """The joints at a time, [s]."""
        whole = math.floor(time)
        part = min(int((time - whole) * 1e9), 999_999_999)
        head = _STAMP.pack(max(-(2**31), min(whole, 2**31 - 1)), part)
        numbers = positions.astype("<f8").tobytes()
        return b"".join((_LITTLE_ENDIAN, head, self._middle, numbers, self._end))


def _align(body: bytearray, size: int) -> None:
    body.extend(bytes(-len(body) % size))


def _put_text(body: bytearray, text: str) -> None:
    _align(body, 4)
    data = text.encode() + b"\0"
    body += _U32.pack(len(data)) + data
