"""Numbers and texts as ROS puts them into bytes: CDR (ROS 2) and the plain rows of ROS 1."""

from __future__ import annotations

from struct import Struct
from typing import Final

import numpy as np

from standoff.geometry.pose import Array
from standoff.names import NAME_RULE, is_name
from standoff.streams.limits import MAX_STREAM_MESSAGE

_U32: Final = {"<": Struct("<I"), ">": Struct(">I")}
_I32: Final = {"<": Struct("<i"), ">": Struct(">i")}

#: Representations of CDR that are read, by the second byte of a message: the byte order of each.
#: The others (parameter lists, XCDR 2) are laid out differently, and no ROS message comes in them.
_ORDERS: Final = {0: ">", 1: "<"}


class GarbledError(ValueError):
    """Bytes that are not the message they should be."""


class Wire:
    """One message, read from front to back; every length is checked before it is believed.

    Args:
        data: the whole message.
        cdr: CDR with its four bytes of encapsulation, in which numbers are aligned and texts end
            in a zero; else ROS 1: little-endian, one after another.
    """

    __slots__ = ("_aligned", "_at", "_base", "_data", "order")

    def __init__(self, data: bytes, cdr: bool) -> None:
        if len(data) > MAX_STREAM_MESSAGE:
            raise GarbledError(f"{len(data)} bytes; at most {MAX_STREAM_MESSAGE} are read")
        self._data = data
        self._aligned = cdr
        self._base = self._at = 4 if cdr else 0
        self.order = "<"
        if cdr:
            if len(data) < 4 or data[0] != 0 or data[1] not in _ORDERS:
                raise GarbledError(f"begins with {data[:4].hex(' ') or 'nothing'}, which is no CDR")
            self.order = _ORDERS[data[1]]

    @property
    def at(self) -> int:
        """Where the next byte is read."""
        return self._at

    def u32(self) -> int:
        return int(_U32[self.order].unpack_from(self._data, self._take(4, 4))[0])

    def i32(self) -> int:
        return int(_I32[self.order].unpack_from(self._data, self._take(4, 4))[0])

    def reals(self, count: int) -> Array:
        """So many float64, as a copy."""
        at = self._take(8 * count, 8) if count else self._at
        return np.frombuffer(self._data, self.order + "f8", count, at).astype(np.float64)

    def text(self) -> str:
        length = self.u32()
        at = self._take(length, 1)
        raw = self._data[at : at + length]
        if self._aligned and length:
            if raw[-1] != 0:
                raise GarbledError("a text without its end")
            raw = raw[:-1]
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise GarbledError(f"a text that is not UTF-8: {error.reason}") from error

    def count(self, most: int, what: str) -> int:
        """The length of a list."""
        count = self.u32()
        if count > most:
            raise GarbledError(f"{count} {what}; at most {most} are read")
        return count

    def stamp(self) -> float:
        """A time, [s]; NaN where it is 0, which is how ROS says that there is none."""
        seconds = self.i32() if self._aligned else self.u32()
        nanoseconds = self.u32()
        return seconds_of(seconds, nanoseconds)

    def end(self) -> None:
        """There is nothing more, but for what CDR may be filled up with."""
        left = len(self._data) - self._at
        if left > (3 if self._aligned else 0):
            raise GarbledError(f"{left} bytes too many")

    def _take(self, size: int, align: int) -> int:
        at = self._at
        if self._aligned:
            at += -(at - self._base) % align
        if size > len(self._data) - at:
            raise GarbledError(f"ends after {len(self._data)} bytes, before what it announces")
        self._at = at + size
        return at


def seconds_of(seconds: int, nanoseconds: int) -> float:
    """A time of ROS as one number, rounded once; NaN for 0."""
    if not 0 <= nanoseconds < 1_000_000_000:
        raise GarbledError(f"a time with {nanoseconds} nanoseconds")
    if not seconds and not nanoseconds:
        return float("nan")
    return (seconds * 1_000_000_000 + nanoseconds) / 1e9


def checked_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, if each can be shown and none stands twice."""
    for name in names:
        if not is_name(name):
            raise GarbledError(f"not a name: {name[:40]!r}; allowed: text without {NAME_RULE}")
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise GarbledError(f"{twice!r} stands twice")
    return names
