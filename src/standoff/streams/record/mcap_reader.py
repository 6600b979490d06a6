"""The messages of an MCAP file of ours, from its start to its end or to where it was torn.

None of them is handed out before the seal behind it was found right; and the end of the file is
none before the checksums of its data and of its summary were, and nothing comes after it.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct

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
    SEAL,
    SEALED,
    STATISTICS,
    SUMMARY_OFFSET,
)

#: Largest record of an MCAP file that is taken for one of ours, [bytes].
RECORD_LARGEST = 256 * 2**20


#: What our summaries have, besides a footer.
_SUMMARY = {SCHEMA, CHANNEL, METADATA_INDEX, STATISTICS, CHUNK_INDEX, SUMMARY_OFFSET}

#: Topic, time in nanoseconds, content.
_Message = tuple[str, int, memoryview]

_U32 = Struct("<I")
_IDS = Struct("<HH")
#: First and last time, size, checksum, how long the name of the compression is, size once more.
_CHUNK_HEAD = Struct("<QQQIIQ")
_INDEX_HEAD = Struct("<HI")
_FOOTER = Struct("<QQI")

#: Of records that are all of one length.
_LENGTHS = {SEAL: SEALED.size, DATA_END: _U32.size, FOOTER: _FOOTER.size}


@dataclass
class McapFile:
    """Attributes:
    channels: topic by number, as far as the file has been read.
    metadata: texts by name, likewise; nothing proves them before the first message.
    torn: that whoever wrote the file did not come to its end; empty where they did.
    damaged: what in it is not as it was written; empty where all is.
    progress: how much of it has been read, 0 to 1.
    """

    path: Path
    channels: dict[int, str] = field(default_factory=dict)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    torn: str = ""
    damaged: str = ""
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
        begun = data[: len(MAGIC)] == MAGIC
        # Whoever came to the end of it wrote this last; no part of such a file is missing.
        whole = len(data) > 2 * len(MAGIC) and data[-len(MAGIC) :] == MAGIC
        if not (begun or whole):
            raise StreamError("not an MCAP file", file=self.path, allowed="a record of standoff")
        try:
            if not begun:
                raise _DamageError("it does not begin as an MCAP file")
            yield from self._records(data)
        except _TornError as error:
            if whole:
                self.damaged = str(error)
            else:
                self.torn = str(error)
        except (struct.error, UnicodeDecodeError, _DamageError) as error:
            self.damaged = str(error)
        self.progress = 1.0

    def _records(self, data: memoryview) -> Iterator[_Message]:
        at, proven, crc = len(MAGIC), 0, 0
        chunks: list[memoryview] = []
        while True:
            kind, start, after = _frame(data, at)
            if kind in (SEAL, DATA_END):
                crc = zlib.crc32(data[proven:at], crc)
                seal = SEALED.pack(at, crc) if kind == SEAL else _U32.pack(crc)
                if data[start:after] != seal:
                    raise _DamageError(f"bytes {proven} to {after} are not what was written")
                proven = at
            if kind == CHUNK:
                chunks.append(data[start + _CHUNK_HEAD.size : after])
            elif kind == SEAL:
                self.progress = at / len(data)
                for chunk in chunks:
                    yield from self._chunk(chunk)
                chunks.clear()
            elif kind == DATA_END:
                if chunks:
                    raise _DamageError("a chunk has no seal")
                _check_end(data, after)
                return
            elif proven and kind != MESSAGE_INDEX:
                raise _DamageError(f"a record of kind {kind} after its first chunk")
            elif kind == CHANNEL:
                number, _ = _IDS.unpack_from(data, start)
                self.channels[number] = _text(data, start + _IDS.size)[0]
            elif kind == METADATA:
                name, where = _text(data, start)
                self.metadata[name] = _map(data, where)
            elif kind not in (HEADER, SCHEMA, MESSAGE_INDEX):
                raise _DamageError(f"a record of kind {kind}, which is none of ours")
            at = after

    def _chunk(self, records: memoryview) -> Iterator[_Message]:
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
            yield self.channels[channel], time, records[start + MESSAGE_HEAD.size : position]


def _frame(data: memoryview, at: int) -> tuple[int, int, int]:
    """Kind of the record there, where its content starts, and where the next one does."""
    start, end = at + RECORD.size, len(data)
    if at == end:
        raise _TornError("the file has no end: whoever wrote it did not come to it")
    if start > end:
        raise _TornError("the file ends in the middle of a record")
    kind, length = RECORD.unpack_from(data, at)
    # A length that was altered must not pass for a file that was torn.
    if length > RECORD_LARGEST or not _fits(data, kind, start, length):
        raise _DamageError(f"a record of kind {kind} is not as long as it says")
    if start + length > end:
        raise _TornError("the file ends in the middle of a record")
    return kind, start, start + length


def _fits(data: memoryview, kind: int, start: int, length: int) -> bool:
    """Whether a record is as long as its content says, where that is in the file."""
    if kind in _LENGTHS:
        return length == _LENGTHS[kind]
    if kind == CHUNK and start + _CHUNK_HEAD.size <= len(data):
        _, _, size, _, compressed, again = _CHUNK_HEAD.unpack_from(data, start)
        return not compressed and bool(size == again == length - _CHUNK_HEAD.size)
    if kind == MESSAGE_INDEX and start + _INDEX_HEAD.size <= len(data):
        _, size = _INDEX_HEAD.unpack_from(data, start)
        return bool(size == length - _INDEX_HEAD.size)
    return True


def _check_end(data: memoryview, summary: int) -> None:
    """What comes after the data: a summary, a footer with its checksum, and nothing else."""
    at, kind = summary, DATA_END
    while kind != FOOTER:
        kind, _, at = _frame(data, at)
        if kind != FOOTER and kind not in _SUMMARY:
            raise _DamageError(f"a record of kind {kind} in its summary")
    crc = at - _U32.size
    if data[crc:at] != _U32.pack(zlib.crc32(data[summary:crc])):
        raise _DamageError("its summary is not what was written")
    rest = bytes(data[at : at + 2 * len(MAGIC)])
    if rest != MAGIC and MAGIC.startswith(rest):
        raise _TornError("the file ends within its last bytes")
    if rest != MAGIC:
        raise _DamageError("there is more after its end")


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
