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
    CHUNK_INDEX,
    DATA_END,
    FOOTER,
    HEADER,
    MAGIC,
    MESSAGE,
    MESSAGE_HEAD,
    MESSAGE_INDEX,
    METADATA,
    METADATA_INDEX,
    RECORD,
    SCHEMA,
    STATISTICS,
    SUMMARY_OFFSET,
)

#: What else our summaries have.
_SUMMARY = {SCHEMA, CHANNEL, METADATA_INDEX, CHUNK_INDEX, SUMMARY_OFFSET}

#: Topic, time in nanoseconds, content.
_Message = tuple[str, int, memoryview]

_U32, _U64 = Struct("<I"), Struct("<Q")
_IDS = Struct("<HH")
_CHUNK_HEAD = Struct("<QQQI")
_INDEX_HEAD = Struct("<HI")
_STATISTICS = Struct("<QHIIIIQQ")
_COUNT = Struct("<HQ")


@dataclass
class McapFile:
    """Attributes:
    channels: topic by number, as far as the file has been read.
    metadata: texts by name, likewise.
    torn: that whoever wrote the file did not come to its end; empty where they did.
    damaged: what in it is not as it was written; empty where all is.
    progress: how much of it has been read, 0 to 1.
    """

    path: Path
    channels: dict[int, str] = field(default_factory=dict)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    torn: str = ""
    damaged: str = ""
    _counts: dict[int, int] = field(default_factory=dict)
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
        # Whoever came to the end of it wrote this last; no part of such a file is missing.
        whole = len(data) > 2 * len(MAGIC) and data[-len(MAGIC) :] == MAGIC
        try:
            yield from self._records(data, len(MAGIC), len(data) - whole * len(MAGIC))
        except _TornError as error:
            if whole:
                self.damaged = str(error)
            else:
                self.torn = str(error)
        except (struct.error, UnicodeDecodeError, _DamageError) as error:
            self.damaged = str(error)
        self.progress = 1.0

    def _records(self, data: memoryview, at: int, end: int) -> Iterator[_Message]:
        summary = False
        while at < end:
            if at + RECORD.size > end:
                raise _TornError("the file ends in the middle of a record")
            kind, length = RECORD.unpack_from(data, at)
            start, at = at + RECORD.size, at + RECORD.size + length
            if at > end or length > RECORD_LARGEST:
                raise _TornError("the file ends in the middle of a record")
            if summary:
                if kind == STATISTICS:
                    self._hold_against(data[start:at])
                elif kind == FOOTER:
                    return
                elif kind not in _SUMMARY:
                    raise _DamageError(f"a record of kind {kind} in its summary")
            elif kind == CHUNK:
                self.progress = start / len(data)
                yield from self._chunk(data[start:at])
            elif kind == CHANNEL:
                number, _ = _IDS.unpack_from(data, start)
                self.channels[number] = _text(data, start + _IDS.size)[0]
            elif kind == METADATA:
                name, where = _text(data, start)
                self.metadata[name] = _map(data, where)
            elif kind == MESSAGE_INDEX:
                _, size = _INDEX_HEAD.unpack_from(data, start)
                if size != length - _INDEX_HEAD.size:
                    raise _DamageError("an index is damaged")
            elif kind == DATA_END:
                summary = True
            elif kind not in (HEADER, SCHEMA):
                raise _DamageError(f"a record of kind {kind}, which is none of ours")
        raise _TornError("the file has no end: whoever wrote it did not come to it")

    def _hold_against(self, data: memoryview) -> None:
        """Are there as many messages as the statistics of the file say?"""
        (size,) = _U32.unpack_from(data, _STATISTICS.size)
        at = _STATISTICS.size + _U32.size
        if at + size != len(data) or size % _COUNT.size:
            raise _DamageError("its statistics are damaged")
        counts = dict(_COUNT.unpack_from(data, k) for k in range(at, len(data), _COUNT.size))
        if counts != self._counts:
            raise _DamageError("messages are missing")

    def _chunk(self, data: memoryview) -> Iterator[_Message]:
        _, _, size, crc = _CHUNK_HEAD.unpack_from(data, 0)
        compression, at = _text(data, _CHUNK_HEAD.size)
        records = data[at + _U64.size :]
        if compression:
            raise _DamageError("a chunk is compressed: not one of ours")
        if len(records) != size or (crc and zlib.crc32(records) != crc):
            raise _DamageError("a chunk is damaged")
        position, end = 0, len(records)
        while position < end:
            kind, length = RECORD.unpack_from(records, position)
            start = position + RECORD.size
            position = start + length
            if kind != MESSAGE or position > end:
                raise _DamageError("a chunk is damaged")
            channel, _, time, _ = MESSAGE_HEAD.unpack_from(records, start)
            if channel not in self.channels:
                raise _DamageError(f"a message of channel {channel}, which there is none of")
            self._counts[channel] = self._counts.get(channel, 0) + 1
            yield self.channels[channel], time, records[start + MESSAGE_HEAD.size : position]


class _TornError(Exception):
    """The file ends."""


class _DamageError(Exception):
    """What is there is not what was written."""


def _text(data: memoryview, at: int) -> tuple[str, int]:
    (length,) = _U32.unpack_from(data, at)
    start = at + _U32.size
    if start + length > len(data):
        raise _DamageError("a text is longer than the file")
    return bytes(data[start : start + length]).decode(), start + length


def _map(data: memoryview, at: int) -> dict[str, str]:
    (length,) = _U32.unpack_from(data, at)
    at, end = at + _U32.size, at + _U32.size + length
    found = {}
    while at < end:
        key, at = _text(data, at)
        found[key], at = _text(data, at)
    return found
