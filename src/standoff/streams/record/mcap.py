"""MCAP files of ours, chunk by chunk: https://mcap.dev/spec. Chunks are closed when the writer says
so, and not when they are large, so that little is lost with the process.

After each chunk and its indexes stands a seal, a record of our own that others pass over: where it
is, and the checksum of everything before it. So a file that was torn is proven up to its last seal,
as a whole one is by the checksum of its data.

A reader hands out no message before the seal behind it was found right; and the end of the file is
none before the checksums of its data and of its summary were, and nothing comes after it.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct

from standoff.errors import StreamError, reason_of
from standoff.streams.record.spool import Spool

#: Chunks that the index of a record lists, [-]: a day, and 15 MB. A longer one has no index, and is
#: read from its start.
RECORD_INDEXED = 4 * 86_400


MAGIC = b"\x89MCAP0\r\n"
(
    HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX, _, _, STATISTICS,
    METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END,
) = range(1, 16)  # fmt: skip

#: The first number that MCAP leaves to those who write the file.
SEAL = 0x80

RECORD = Struct("<BQ")
SEALED = Struct("<QI")
MESSAGE_HEAD = Struct("<HIQQ")
_U16, _U32, _U64 = Struct("<H"), Struct("<I"), Struct("<Q")
_ENTRY = Struct("<QQ")
_PLACE = Struct("<HQ")
_TIMES = Struct("<QQQI")


class McapWriter:
    """Schemas, channels and metadata first, then messages. Nothing is on the disk before `flush`.

    Raises:
        StreamError: the file cannot be made.
    """

    def __init__(self, path: str | Path, library: str) -> None:
        self.spool = Spool(path)
        self._summary: dict[int, list[bytes]] = {SCHEMA: [], CHANNEL: [], METADATA_INDEX: []}
        self._chunk: list[bytes] = []
        self._length = 0
        self._index: dict[int, list[bytes]] = {}
        self._span: list[int] = []
        self._chunks: list[bytes] = []
        self._chunk_count = 0
        self._counts: dict[int, int] = {}
        self._all: list[int] = []
        self._closed = False
        self._crc = 0
        self._add(MAGIC + _record(HEADER, _text("") + _text(library)))

    def schema(self, name: str, encoding: str, data: bytes) -> int:
        """A new schema; its number."""
        number = len(self._summary[SCHEMA]) + 1
        content = _U16.pack(number) + _text(name) + _text(encoding) + _U32.pack(len(data)) + data
        self._declare(SCHEMA, content)
        return number

    def channel(self, topic: str, encoding: str, schema: int = 0) -> int:
        """A new channel; its number."""
        number = len(self._summary[CHANNEL]) + 1
        content = _U16.pack(number) + _U16.pack(schema) + _text(topic) + _text(encoding) + _map({})
        self._declare(CHANNEL, content)
        return number

    def _declare(self, kind: int, content: bytes) -> None:
        record = _record(kind, content)
        self._summary[kind].append(record)
        self._add(record)

    def metadata(self, name: str, values: Mapping[str, str]) -> None:
        """Texts about the file."""
        record = _record(METADATA, _text(name) + _map(values))
        entry = _ENTRY.pack(self.spool.size, len(record)) + _text(name)
        self._summary[METADATA_INDEX].append(_record(METADATA_INDEX, entry))
        self._add(record)

    def _add(self, *parts: bytes, sealed: bool = False) -> None:
        """In one piece, with a seal at its end or none."""
        for part in parts:
            self._crc = zlib.crc32(part, self._crc)
        if sealed:
            where = self.spool.size + sum(map(len, parts))
            seal = _record(SEAL, SEALED.pack(where, self._crc))
            self._crc = zlib.crc32(seal, self._crc)
            parts = (*parts, seal)
        self.spool.add(b"".join(parts))

    def message(self, channel: int, time: int, data: bytes) -> None:
        """One message at a time in nanoseconds."""
        count = self._counts.get(channel, 0)
        record = _record(MESSAGE, MESSAGE_HEAD.pack(channel, count & 0xFFFFFFFF, time, time) + data)
        self._index.setdefault(channel, []).append(_ENTRY.pack(time, self._length))
        self._span = [min(self._span[0], time), max(self._span[1], time)] if self._span else [
            time, time]  # fmt: skip
        self._counts[channel] = count + 1
        self._chunk.append(record)
        self._length += len(record)

    def flush(self) -> None:
        """Close the chunk and write all that waits.

        Raises:
            OSError: what a full disk did not take waits for the next time.
        """
        self._close_chunk()
        self.spool.flush()

    def _close_chunk(self) -> None:
        if not self._chunk:
            return
        data, (first, last) = b"".join(self._chunk), self._span
        start = self.spool.size
        chunk = _record(
            CHUNK,
            _TIMES.pack(first, last, len(data), zlib.crc32(data)) + _text("")
            + _U64.pack(len(data)) + data,
        )  # fmt: skip
        places, indexes, at = [], [], start + len(chunk)
        for channel, entries in self._index.items():
            table = b"".join(entries)
            record = _record(MESSAGE_INDEX, _U16.pack(channel) + _U32.pack(len(table)) + table)
            places.append(_PLACE.pack(channel, at))
            indexes.append(record)
            at += len(record)
        where, length = b"".join(places), at - start - len(chunk)
        entry = (
            Struct("<QQQQ").pack(first, last, start, len(chunk)) + _U32.pack(len(where)) + where
            + _U64.pack(length) + _text("") + _ENTRY.pack(len(data), len(data))
        )  # fmt: skip
        self._chunk_count += 1
        if self._chunk_count <= RECORD_INDEXED:
            self._chunks.append(_record(CHUNK_INDEX, entry))
        else:
            # An index of a part would hide the rest; without one, all of it is read.
            self._chunks.clear()
        # In one piece: the file ends with a chunk, its indexes and their seal, or before them all.
        self._add(chunk, *indexes, sealed=True)
        self._all = [min(self._all[0], first), max(self._all[1], last)] if self._all else [
            first, last]  # fmt: skip
        self._chunk, self._length, self._index, self._span = [], 0, {}, []

    def close(self) -> None:
        """The summary, and the end of the file; more than once does no harm.

        Raises:
            OSError: the disk is full; the file can be read all the same, up to there.
        """
        if self._closed:
            return
        self._closed = True
        try:
            self._close_chunk()
            self.spool.add(_record(DATA_END, _U32.pack(self._crc)))
            self.spool.add(self._ending())
            self.spool.flush()
        finally:
            self.spool.close()

    def _ending(self) -> bytes:
        start = self.spool.size
        groups = {**self._summary, STATISTICS: [self._statistics()], CHUNK_INDEX: self._chunks}
        body, offsets = b"", b""
        for kind, records in groups.items():
            data = b"".join(records)
            if data:
                place = bytes([kind]) + _ENTRY.pack(start + len(body), len(data))
                offsets += _record(SUMMARY_OFFSET, place)
                body += data
        footer = RECORD.pack(FOOTER, 20) + _ENTRY.pack(start, start + len(body))
        summed = body + offsets + footer
        return summed + _U32.pack(zlib.crc32(summed)) + MAGIC

    def _statistics(self) -> bytes:
        counts = b"".join(_PLACE.pack(channel, n) for channel, n in self._counts.items())
        first, last = self._all or (0, 0)
        return _record(
            STATISTICS,
            Struct("<QHIIIIQQ").pack(
                sum(self._counts.values()), len(self._summary[SCHEMA]),
                len(self._summary[CHANNEL]), 0, len(self._summary[METADATA_INDEX]),
                self._chunk_count, first, last,
            )
            + _U32.pack(len(counts)) + counts,
        )  # fmt: skip


def _record(kind: int, content: bytes) -> bytes:
    return RECORD.pack(kind, len(content)) + content


def _text(text: str) -> bytes:
    data = text.encode()
    return _U32.pack(len(data)) + data


def _map(values: Mapping[str, str]) -> bytes:
    data = b"".join(_text(key) + _text(value) for key, value in values.items())
    return _U32.pack(len(data)) + data


#: Largest record of an MCAP file that is taken for one of ours, [bytes].
RECORD_LARGEST = 256 * 2**20


#: What our summaries have, besides a footer.
_SUMMARY = {SCHEMA, CHANNEL, METADATA_INDEX, STATISTICS, CHUNK_INDEX, SUMMARY_OFFSET}

#: Topic, time in nanoseconds, content.
_Message = tuple[str, int, memoryview]

_IDS = Struct("<HH")
#: First and last time, size, checksum, how long the name of the compression is, size once more.
_CHUNK_HEAD = Struct("<QQQIIQ")
_INDEX_HEAD = Struct("<HI")
_FOOTER = Struct("<QQI")

#: Of records that are all of one length.
_LENGTHS = {SEAL: SEALED.size, DATA_END: _U32.size, FOOTER: _FOOTER.size}


@dataclass
class McapReader:
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
            raise StreamError(f"cannot be read: {reason_of(error)}", file=self.path) from error
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
                self.channels[number] = _read_text(data, start + _IDS.size)[0]
            elif kind == METADATA:
                name, where = _read_text(data, start)
                self.metadata[name] = _read_map(data, where)
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


def _read_text(data: memoryview, at: int) -> tuple[str, int]:
    (length,) = _U32.unpack_from(data, at)
    start = at + _U32.size
    if start + length > len(data):
        raise _DamageError("a text is longer than the file")
    return bytes(data[start : start + length]).decode(), start + length


def _read_map(data: memoryview, at: int) -> dict[str, str]:
    (length,) = _U32.unpack_from(data, at)
    at, end = at + _U32.size, at + _U32.size + length
    found = {}
    while at < end:
        key, at = _read_text(data, at)
        found[key], at = _read_text(data, at)
    return found
