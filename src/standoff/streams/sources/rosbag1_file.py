"""Bags of ROS 1, format 2.0, record by record."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import Final

from standoff.streams.decoders import Topic, plain_type
from standoff.streams.limits import (
    MAX_STREAM_CHUNK,
    MAX_STREAM_MESSAGE,
    MAX_STREAM_TOPICS,
)
from standoff.streams.sources.bag_file import Budget, Choose, Reading, RecordFile, unpacked
from standoff.streams.wire import GarbledError

MAGIC: Final = b"#ROSBAG V2.0\n"
_MESSAGE, _CHUNK, _CONNECTION = b"\x02", b"\x05", b"\x07"
_U32: Final = Struct("<I")
_U64: Final = Struct("<Q")
_TIME: Final = Struct("<II")

#: Fields of a header, [-], at most: a connection has seven. A small chunk may unpack
#: to millions of them.
_FIELDS: Final = 100


class Rosbag1File(RecordFile):
    """See `BagFile`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _Reading)

    def _index_at(self) -> int | None:
        """Where the connections are listed; None where the recorder did not get so far."""
        try:
            self._file.seek(len(MAGIC))
            (length,) = _U32.unpack(self._file.read(4))
            fields = _fields(self._file.read(min(length, MAX_STREAM_MESSAGE)))
            (start,) = _U64.unpack(fields.get(b"index_pos", b""))
        except (struct.error, GarbledError):
            return None
        return start if len(MAGIC) < start < self.size else None

    def _index(self, reading: _Reading) -> bool:
        start = self._index_at()
        if start is None:
            return False
        for _ in self._records(reading, start):
            reading.block.clear()
        return not reading.taken()

    def _records(self, reading: _Reading, at: int = len(MAGIC)) -> Iterator[bool]:
        while at < self.size:
            self.read = at
            self._file.seek(at)
            try:
                header, at = self._part(at, MAX_STREAM_MESSAGE, "header")
                fields = _fields(header)
                op = fields.get(b"op", b"")
                most = MAX_STREAM_CHUNK if op in (_CHUNK, _CONNECTION, _MESSAGE) else -1
                data, at = self._part(at, most, "record")
            except GarbledError as error:
                # Where the next one begins is not known, so this is the end of the file.
                reading.wrong(f"{error} at byte {at}")
                break
            try:
                reading.record(op, fields, data)
            except GarbledError as error:
                reading.wrong(f"the record before byte {at} is {error}")
            yield op == _CHUNK

    def _part(self, at: int, most: int, what: str) -> tuple[bytes, int]:
        """A length and as many bytes, which are passed over where there are more than ``most``."""
        head = self._file.read(4)
        if len(head) < 4:
            raise GarbledError(f"ends before a {what}")
        (length,) = _U32.unpack(head)
        end = at + 4 + length
        if end > self.size:
            raise GarbledError(f"ends within a {what} of {length} bytes")
        if length > most:
            if what == "header":
                raise GarbledError(f"has a header of {length} bytes")
            self._file.seek(end)
            return b"", end
        return self._file.read(length), end


class _Reading(Reading):
    def __init__(self, choose: Choose, budget: Budget) -> None:
        super().__init__(choose, budget, lambda number: f"connection {number.hex()}")

    def record(self, op: bytes, fields: dict[bytes, bytes], data: bytes) -> None:
        if op == _CHUNK:
            try:
                (size,) = _U32.unpack(fields.get(b"size", b""))
                compression = fields.get(b"compression", b"").decode("ascii")
            except (struct.error, UnicodeDecodeError) as error:
                raise GarbledError("a chunk without its size") from error
            self._chunk(unpacked(data, compression, size, self._budget))
        elif op == _CONNECTION:
            self._connection(fields, data)
        elif op == _MESSAGE:
            self._message(fields, data)

    def _chunk(self, data: bytes) -> None:
        at, end, u32 = 0, len(data), _U32.unpack_from
        for _ in self._budget.counted():
            if at == end:
                break
            if at + 8 > end:
                raise GarbledError("a chunk that ends within a record")
            body = at + 4 + u32(data, at)[0]
            if body + 4 > end:
                raise GarbledError("a chunk with a header that is longer than itself")
            stop = body + 4 + u32(data, body)[0]
            if stop > end:
                raise GarbledError("a chunk with a record that is longer than itself")
            fields = _fields(data[at + 4 : body])
            op = fields.get(b"op", b"")
            if op == _CONNECTION:
                self._connection(fields, data[body + 4 : stop])
            elif op == _MESSAGE:
                self._message(fields, data[body + 4 : stop])
            at = stop

    def _message(self, fields: dict[bytes, bytes], data: bytes) -> None:
        channel = self.channels.get(fields.get(b"conn", b""))
        time = fields.get(b"time", b"")
        if len(time) != 8:
            raise GarbledError("a message without its time")
        if channel is None:
            self.unknown(fields.get(b"conn", b""))
        else:
            seconds, nanoseconds = _TIME.unpack(time)
            self.block.append((seconds * 1_000_000_000 + nanoseconds, channel, data))

    def _connection(self, fields: dict[bytes, bytes], data: bytes) -> None:
        number = fields.get(b"conn", b"")
        if len(number) != 4:
            raise GarbledError("a connection without its number")
        if self.changes > MAX_STREAM_TOPICS:
            raise GarbledError(f"one of more than {MAX_STREAM_TOPICS} connections")
        try:
            name = fields.get(b"topic", b"").decode("utf-8")
            kind = _fields(data).get(b"type", b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise GarbledError("a connection whose name is not UTF-8") from error
        self.describe(number, Topic("/" + name.strip("/"), plain_type(kind), "ros1"))


def _fields(header: bytes) -> dict[bytes, bytes]:
    """The fields of a header: a length each, a name, ``=`` and the value."""
    found: dict[bytes, bytes] = {}
    at, end = 0, len(header)
    for _ in range(_FIELDS + 1):
        if at == end:
            return found
        if at + 4 > end:
            raise GarbledError("has a header that ends within a field")
        stop = at + 4 + _U32.unpack_from(header, at)[0]
        if stop > end:
            raise GarbledError("has a field that is longer than its header")
        name, mark, value = header[at + 4 : stop].partition(b"=")
        if not mark:
            raise GarbledError("has a field without a name")
        found[name] = value
        at = stop
    raise GarbledError(f"has a header of more than {_FIELDS} fields")
