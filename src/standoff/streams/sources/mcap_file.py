"""MCAP files, record by record: `mcap.dev/spec`."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from struct import Struct
from typing import Final

from standoff.errors import StreamError
from standoff.streams.decoders import Topic, plain_type
from standoff.streams.limits import (
    MAX_STREAM_CHUNK,
    MAX_STREAM_MESSAGE,
    MAX_STREAM_TOPICS,
    STREAM_BLOCK,
)
from standoff.streams.sources.bag_file import Channel, Choose, Entry
from standoff.streams.sources.unpacking import Budget, unpacked
from standoff.streams.wire import GarbledError

MAGIC: Final = b"\x89MCAP0\r\n"
_FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _DATA_END = 2, 3, 4, 5, 6, 15
_RECORD: Final = Struct("<BQ")
#: A record and, where it is a message, its channel, number, time of recording and of publishing.
_MESSAGE_RECORD: Final = Struct("<BQHIQQ")
_MESSAGE_HEAD: Final = Struct("<HIQQ")
_CHUNK_HEAD: Final = Struct("<QQQI")
_IDS: Final = Struct("<HH")
_U16: Final = Struct("<H")
_U32: Final = Struct("<I")
_U64: Final = Struct("<Q")
_FOOTER_SIZE: Final = 9 + 20 + len(MAGIC)


class McapFile:
    """See `BagFile`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("rb")
        self.size = os.fstat(self._file.fileno()).st_size
        self.read = 0
        self.budget = Budget(self.size)
        if self._file.read(len(MAGIC)) != MAGIC:
            self._file.close()
            raise StreamError("not an MCAP file", file=path, allowed="a file that begins with MCAP")

    def close(self) -> None:
        self._file.close()

    def topics(self) -> list[Topic]:
        found: dict[Topic, None] = {}

        def note(topic: Topic) -> None:
            found[topic] = None

        if not self._summary(_Reading(note, self.budget)) or not found:
            found.clear()
            for _ in self.blocks(note):
                pass
            self.read = 0
        return [*found]

    def _summary(self, reading: _Reading) -> bool:
        """Types and channels of the section at the end; False where there is none to be read."""
        if self.size < len(MAGIC) + _FOOTER_SIZE:
            return False
        self._file.seek(self.size - _FOOTER_SIZE)
        footer = self._file.read(_FOOTER_SIZE)
        op, length = _RECORD.unpack_from(footer)
        start = _U64.unpack_from(footer, 9)[0]
        end = self.size - _FOOTER_SIZE
        if (op, length, footer[29:]) != (_FOOTER, 20, MAGIC) or not 0 < start < end:
            return False
        self._file.seek(start)
        section = self._file.read(min(end - start, MAX_STREAM_CHUNK))
        try:
            reading.chunk(section)
        except GarbledError:
            return False
        return not reading.block

    def blocks(self, choose: Choose) -> Iterator[list[Entry]]:
        self.budget = Budget(self.size)
        reading = _Reading(choose, self.budget)
        # A channel is described once, in the chunk that has its first message. Where that is spoilt
        # the others can still be read by what the end of the file says.
        self._summary(reading)
        reading.begin()
        at = len(MAGIC)
        while True:
            self.read = at
            self._file.seek(at)
            head = self._file.read(_RECORD.size)
            if len(head) < _RECORD.size:
                reading.wrong(f"ends at byte {at} without its closing record")
                break
            op, length = _RECORD.unpack(head)
            at += _RECORD.size
            if op in (_DATA_END, _FOOTER):
                break
            if length > self.size - at:
                reading.wrong(f"ends within a record of {length} bytes at byte {at}")
                break
            try:
                self._record(op, length, reading)
            except GarbledError as error:
                reading.wrong(f"the record at byte {at} is {error}")
            at += length
            if op == _CHUNK or len(reading.block) >= STREAM_BLOCK:
                yield reading.taken()
        yield reading.taken()
        self.read = self.size

    def _record(self, op: int, length: int, reading: _Reading) -> None:
        if op == _CHUNK:
            if length > MAX_STREAM_CHUNK:
                raise GarbledError(f"a chunk of {length} bytes; {MAX_STREAM_CHUNK} are read")
            reading.chunk(_unpacked_chunk(self._file.read(length), self.budget))
        elif op == _MESSAGE:
            head = self._file.read(min(length, _MESSAGE_HEAD.size))
            if len(head) < _MESSAGE_HEAD.size:
                raise GarbledError("a message without its time")
            number, _, time, _ = _MESSAGE_HEAD.unpack(head)
            channel = reading.channels.get(number)
            if channel is None:
                reading.unknown(number)
            else:
                size = length - _MESSAGE_HEAD.size
                if size > MAX_STREAM_MESSAGE:
                    raise GarbledError(f"a message of {size} bytes; {MAX_STREAM_MESSAGE} are read")
                reading.message(time, channel, self._file.read(size))
        elif op in (_SCHEMA, _CHANNEL):
            if length > MAX_STREAM_CHUNK:
                raise GarbledError(f"a description of {length} bytes")
            reading.describe(op, self._file.read(length))


class _Reading:
    """Types and channels seen so far, and the messages since the last block."""

    def __init__(self, choose: Choose | Callable[[Topic], None], budget: Budget) -> None:
        self._choose, self._budget = choose, budget
        self._types: dict[int, str] = {}
        self.channels: dict[int, Channel] = {}
        self._described: dict[int, Topic | None] = {}
        #: How often a topic or a type was described, or described anew.
        self._changes = 0
        self.block: list[Entry] = []
        self._last = 0

    def begin(self) -> None:
        """Keep what is described, and forget the rest."""
        self.block.clear()
        self._described = {n: topic for n, topic in self._described.items() if topic}

    def taken(self) -> list[Entry]:
        block, self.block = self.block, []
        if block:
            self._last = block[-1][0]
        return block

    def wrong(self, text: str) -> None:
        self.block.append((self.block[-1][0] if self.block else self._last, None, text))

    def unknown(self, number: int) -> None:
        """A message of a channel that is not wanted, or that nobody described: that is told once,
        as it could be a wanted one."""
        if number not in self._described:
            self._described[number] = None
            self.wrong(f"has messages of channel {number}, which it does not describe")

    def message(self, time: int, channel: Channel, data: bytes) -> None:
        self.block.append((time, channel, data))

    def chunk(self, data: bytes) -> None:
        """The records of an unpacked chunk."""
        at, end = 0, len(data)
        channels, append, unpack = self.channels, self.block.append, _MESSAGE_RECORD.unpack_from
        head, whole = _RECORD.size, _MESSAGE_RECORD.size
        for _ in self._budget.counted():
            if at + whole > end:
                break
            op, length, number, _, time, _ = unpack(data, at)
            begin = at + whole
            at += head + length
            if at > end:
                raise GarbledError("a chunk with a record that is longer than itself")
            if op == _MESSAGE:
                channel = channels.get(number)
                if channel is None:
                    self.unknown(number)
                elif length < whole - head:
                    raise GarbledError("a message without its time")
                else:
                    append((time, channel, data[begin:at]))
            elif op in (_SCHEMA, _CHANNEL):
                self.describe(op, data[at - length : at])
        while at < end:  # what is shorter than the least message
            if at + head > end:
                raise GarbledError("a chunk that ends within a record")
            op, length = _RECORD.unpack_from(data, at)
            at += head + length
            if at > end:
                raise GarbledError("a chunk with a record that is longer than itself")
            if op == _MESSAGE:
                raise GarbledError("a message without its time")
            if op in (_SCHEMA, _CHANNEL):
                self.describe(op, data[at - length : at])

    def describe(self, op: int, data: bytes) -> None:
        """A type or a channel."""
        if self._changes > MAX_STREAM_TOPICS:
            raise GarbledError(f"one of more than {MAX_STREAM_TOPICS} topics and types")
        try:
            if op == _SCHEMA:
                name, _ = _text(data, 2)
                number, kind = _U16.unpack_from(data)[0], plain_type(name)
                self._changes += self._types.get(number) != kind
                self._types[number] = kind
                return
            number, schema = _IDS.unpack_from(data)
            topic, at = _text(data, 4)
            encoding, _ = _text(data, at)
        except (struct.error, UnicodeDecodeError) as error:
            raise GarbledError("a topic that cannot be read") from error
        described = Topic(topic, self._types.get(schema, ""), encoding)
        if self._described.get(number) == described:
            return
        self._changes += 1
        self._described[number] = described
        chosen = self._choose(described)
        if chosen is None:
            self.channels.pop(number, None)
        else:
            self.channels[number] = chosen


def _text(data: bytes, at: int) -> tuple[str, int]:
    end = at + 4 + _U32.unpack_from(data, at)[0]
    if end > len(data):
        raise GarbledError("a topic that ends too early")
    return data[at + 4 : end].decode("utf-8"), end


def _unpacked_chunk(data: bytes, budget: Budget) -> bytes:
    try:
        _, _, size, crc = _CHUNK_HEAD.unpack_from(data)
        compression, at = _text(data, _CHUNK_HEAD.size)
        length = _U64.unpack_from(data, at)[0]
    except (struct.error, UnicodeDecodeError) as error:
        raise GarbledError("a chunk without its head") from error
    if at + 8 + length != len(data):
        raise GarbledError("a chunk of another length than it says")
    found = unpacked(data[at + 8 :], compression, size, budget)
    if crc and zlib.crc32(found) != crc:
        raise GarbledError("a chunk that does not add up to its checksum")
    return found
