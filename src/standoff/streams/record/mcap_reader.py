"""The messages of an MCAP file of ours, from its start to its end or to where it was torn."""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct

from standoff.constants import RECORD_LARGEST
from standoff.errors import StreamError
from standoff.streams.record.mcap_writer import (
    CHANNEL,
    CHUNK,
    DATA_END,
    MAGIC,
    MESSAGE,
    MESSAGE_HEAD,
    METADATA,
    RECORD,
)

#: Topic, time in nanoseconds, content.
_Message = tuple[str, int, memoryview]

_U32, _U64 = Struct("<I"), Struct("<Q")
_IDS = Struct("<HH")
_CHUNK_HEAD = Struct("<QQQI")


@dataclass
class McapFile:
    """Attributes:
    channels: topic by number, as far as the file has been read.
    metadata: texts by name, likewise.
    torn: why reading ended before the end of the file; empty where it did not.
    progress: how much of it has been read, 0 to 1.
    """

    path: Path
    channels: dict[int, str] = field(default_factory=dict)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    torn: str = ""
    progress: float = 0.0

    def messages(self) -> Iterator[_Message]:
        """Topic, time in nanoseconds, and content of each.

        Raises:
            StreamError: no such file, or not an MCAP file.
        """
        try:
            with open(self.path, "rb") as file:
                data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise StreamError(f"cannot be read: {why}", file=self.path) from error
        if data[: len(MAGIC)] != MAGIC:
            raise StreamError("not an MCAP file", file=self.path, allowed="a record of standoff")
        try:
            yield from self._records(data, len(MAGIC), len(data))
        except (struct.error, UnicodeDecodeError, _TornError) as error:
            self.torn = str(error)
        self.progress = 1.0

    def _records(self, data: memoryview, at: int, end: int) -> Iterator[_Message]:
        while at < end:
            kind, length = RECORD.unpack_from(data, at)
            start, at = at + RECORD.size, at + RECORD.size + length
            if at > end or length > RECORD_LARGEST:
                raise _TornError("the file ends in the middle of a record")
            if kind == CHUNK:
                self.progress = start / len(data)
                yield from self._chunk(data[start:at])
            elif kind == MESSAGE:
                channel, _, time, _ = MESSAGE_HEAD.unpack_from(data, start)
                if channel in self.channels:
                    yield self.channels[channel], time, data[start + MESSAGE_HEAD.size : at]
            elif kind == CHANNEL:
                number, _ = _IDS.unpack_from(data, start)
                self.channels[number] = _text(data, start + _IDS.size)[0]
            elif kind == METADATA:
                name, where = _text(data, start)
                self.metadata[name] = _map(data, where)
            elif kind == DATA_END:
                return
        raise _TornError("the file has no end: whoever wrote it did not come to it")

    def _chunk(self, data: memoryview) -> Iterator[_Message]:
        _, _, size, crc = _CHUNK_HEAD.unpack_from(data, 0)
        compression, at = _text(data, _CHUNK_HEAD.size)
        records = data[at + _U64.size :]
        if compression:
            return  # not one of ours
        if len(records) != size or (crc and zlib.crc32(records) != crc):
            raise _TornError("a chunk is damaged")
        position, end = 0, len(records)
        while position < end:
            kind, length = RECORD.unpack_from(records, position)
            start = position + RECORD.size
            position = start + length
            if kind == MESSAGE:
                channel, _, time, _ = MESSAGE_HEAD.unpack_from(records, start)
                topic = self.channels.get(channel)
                if topic is not None:
                    yield topic, time, records[start + MESSAGE_HEAD.size : position]


class _TornError(Exception):
    pass


def _text(data: memoryview, at: int) -> tuple[str, int]:
    (length,) = _U32.unpack_from(data, at)
    start = at + _U32.size
    if start + length > len(data):
        raise _TornError("a text is longer than the file")
    return bytes(data[start : start + length]).decode(), start + length


def _map(data: memoryview, at: int) -> dict[str, str]:
    (length,) = _U32.unpack_from(data, at)
    at, end = at + _U32.size, at + _U32.size + length
    found = {}
    while at < end:
        key, at = _text(data, at)
        found[key], at = _text(data, at)
    return found
