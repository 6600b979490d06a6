"""MCAP files, record by record: `mcap.dev/spec`."""

from __future__ import annotations

import struct
import zlib
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

MAGIC: Final = b"\x89MCAP0\r\n"
_FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _DATA_END = 2, 3, 4, 5, 6, 15
_RECORD: Final = Struct("<BQ")
#: Channel, number, time of recording and of publishing.
_MESSAGE_HEAD: Final = Struct("<HIQQ")
_CHUNK_HEAD: Final = Struct("<QQQI")
_IDS: Final = Struct("<HH")
_U16: Final = Struct("<H")
_U32: Final = Struct("<I")
_U64: Final = Struct("<Q")
_FOOTER_SIZE: Final = 9 + 20 + len(MAGIC)


class McapFile(RecordFile):
    """See `BagFile`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _Reading)

    def _index(self, reading: _Reading) -> bool:
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

    def _records(self, reading: _Reading) -> Iterator[bool]:
        at = len(MAGIC)
        while True:
            self.read = at
            self._file.seek(at)
            head = self._file.read(_RECORD.size)
            if len(head) < _RECORD.size:
                reading.wrong(f"ends at byte {at} without its closing record")
                return
            op, length = _RECORD.unpack(head)
            at += _RECORD.size
            if op in (_DATA_END, _FOOTER):
                return
            if length > self.size - at:
                reading.wrong(f"ends within a record of {length} bytes at byte {at}")
                return
            try:
                self._record(op, length, reading)
            except GarbledError as error:
                reading.wrong(f"the record at byte {at} is {error}")
            at += length
            yield op == _CHUNK

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
                reading.block.append((time, channel, self._file.read(size)))
        elif op in (_SCHEMA, _CHANNEL):
            if length > MAX_STREAM_CHUNK:
                raise GarbledError(f"a description of {length} bytes")
            reading.described(op, self._file.read(length))


class _Reading(Reading):
    def __init__(self, choose: Choose, budget: Budget) -> None:
        super().__init__(choose, budget, "channel {}".format)
        self._types: dict[int, str] = {}

    def chunk(self, data: bytes) -> None:
        """The records of an unpacked chunk."""
        at, end = 0, len(data)
        channels, append, unpack = self.channels, self.block.append, _RECORD.unpack_from
        message_head, head, least = _MESSAGE_HEAD.unpack_from, _RECORD.size, _MESSAGE_HEAD.size
        for _ in self._budget.counted():
            if at == end:
                return
            if at + head > end:
                raise GarbledError("a chunk that ends within a record")
            op, length = unpack(data, at)
            begin = at + head
            at = begin + length
            if at > end:
                raise GarbledError("a chunk with a record that is longer than itself")
            if op == _MESSAGE:
                if length < least:
                    raise GarbledError("a message without its time")
                number, _, time, _ = message_head(data, begin)
                channel = channels.get(number)
                if channel is None:
                    self.unknown(number)
                else:
                    append((time, channel, data[begin + least : at]))
            elif op in (_SCHEMA, _CHANNEL):
                self.described(op, data[begin:at])

    def described(self, op: int, data: bytes) -> None:
        """A type or a channel."""
        if self.changes > MAX_STREAM_TOPICS:
            raise GarbledError(f"one of more than {MAX_STREAM_TOPICS} topics and types")
        try:
            if op == _SCHEMA:
                name, _ = _text(data, 2)
                number, kind = _U16.unpack_from(data)[0], plain_type(name)
                self.changes += self._types.get(number) != kind
                self._types[number] = kind
                return
            number, schema = _IDS.unpack_from(data)
            topic, at = _text(data, 4)
            encoding, _ = _text(data, at)
        except (struct.error, UnicodeDecodeError) as error:
            raise GarbledError("a topic that cannot be read") from error
        self.describe(number, Topic(topic, self._types.get(schema, ""), encoding))


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
