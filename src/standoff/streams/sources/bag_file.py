"""What the formats of bags have in common: topics, blocks of messages, and compressed chunks, which
are unpacked up to a limit: a few bytes could otherwise ask for any amount of memory, and of time.
"""

from __future__ import annotations

import bz2
import io
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from standoff.errors import missing_package
from standoff.streams.decoders import Decode, Topic
from standoff.streams.limits import (
    MAX_STREAM_CHUNK,
    MAX_STREAM_MESSAGE,
    MAX_STREAM_TOPICS,
    STREAM_BLOCK,
)
from standoff.streams.wire import GarbledError

#: How whatever is compressed by Zstandard begins; no message in CDR and no JSON does.
ZSTD: Final = b"\x28\xb5\x2f\xfd"

#: Bytes that a bag may unpack to for each of its own, beside MAX_STREAM_CHUNK, [-]. Readings
#: shrink to a third, images of a simulated camera to a hundredth.
_RATIO: Final = 1000

#: Records that a bag may have beside one for each of its bytes, [-]: the time of a message alone
#: needs more, however well it is compressed.
_RECORDS: Final = 100_000

#: Records that a chunk may have, [-]: those of MAX_STREAM_CHUNK bytes with 64 each. They are kept
#: in memory together.
_CHUNK_RECORDS: Final = 1 << 20


#: How much earlier than one before it a message of the same topic may be recorded, and still be put
#: into order, [ns]: threads of a recorder overtake each other by less, and a robot of 2 m/s goes on
#: by 20 cm.
_LATE: Final = 100_000_000


class Budget:
    """What one reading of a bag may cost, which follows from its size alone: a small one that
    unpacks to gigabytes, or to millions of records, is read up to here.

    Args:
        size: of all its files together, [bytes].
    """

    def __init__(self, size: int) -> None:
        self._most_bytes = self._bytes = MAX_STREAM_CHUNK + _RATIO * size
        self._most_records = self._records = _RECORDS + size

    @property
    def left(self) -> int:
        """Bytes that may still be unpacked."""
        return self._bytes

    def spend(self, size: int) -> None:
        """So many bytes are to be unpacked.

        Raises:
            GarbledError: the bag has unpacked to too many.
        """
        if size > self._bytes:
            raise GarbledError(
                f"not unpacked: a bag of this size may unpack to at most {self._most_bytes} bytes"
            )
        self._bytes -= size

    def counted(self) -> Iterator[None]:
        """Once for each record of a chunk.

        Raises:
            GarbledError: the chunk or the bag has too many.
        """
        for _ in range(_CHUNK_RECORDS):
            if not self._records:
                raise GarbledError(
                    f"more than the {self._most_records} records that a bag of this size may have"
                )
            self._records -= 1
            yield
        raise GarbledError(f"a chunk of more than {_CHUNK_RECORDS} records")


def unpacked(data: bytes, compression: str, size: int, budget: Budget) -> bytes:
    """``data`` unpacked, which must be ``size`` bytes then.

    Raises:
        GarbledError: it is not what it says, is too much, or needs a package that is not installed.
    """
    if size > MAX_STREAM_CHUNK:
        raise GarbledError(f"a chunk of {size} bytes unpacked; at most {MAX_STREAM_CHUNK} are read")
    if compression in ("", "none"):
        found = data
    else:
        budget.spend(size)
        try:
            found = _unpack(data, compression, size + 1)
        except ImportError as error:
            raise GarbledError(_missing(compression)) from error
        except GarbledError:
            raise
        except Exception as error:  # zstandard's own errors derive from nothing better
            raise GarbledError(f"not {compression}: {str(error)[:100]}") from error
    if len(found) != size:
        raise GarbledError(f"unpacks to {len(found)} bytes or more, not to {size}")
    return found


def _unpack(data: bytes, compression: str, most: int) -> bytes:
    """At most so many bytes of it, taken piece by piece: what is claimed gets no memory before it
    is there."""
    if compression == "bz2":
        return bz2.BZ2Decompressor().decompress(data, most)
    if compression == "lz4":
        from lz4.frame import LZ4FrameDecompressor

        frame: Any = LZ4FrameDecompressor()

        def more(size: int) -> bytes:
            nonlocal data
            given, data = data, b""
            ended = frame.eof or (frame.needs_input and not given)
            return b"" if ended else bytes(frame.decompress(given, max_length=size))

        return _pieces(more, most)
    if compression == "zstd":
        import zstandard

        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)) as stream:
            return _pieces(stream.read, most)
    raise GarbledError(f"compression {compression[:20]!r} is not read")


def _missing(compression: str) -> str:
    package = {"zstd": "zstandard"}.get(compression, compression)
    return missing_package(package, "standoff[streams]", f"what is compressed by {compression}")


def _pieces(more: Callable[[int], bytes], most: int) -> bytes:
    found: list[bytes] = []
    left = most
    while left > 0 and (piece := more(min(left, MAX_STREAM_MESSAGE))):
        found.append(piece)
        left -= len(piece)
    return b"".join(found)


def unpacked_message(data: bytes, budget: Budget) -> bytes:
    """A single message that a recorder compressed by zstd, up to where it is too long."""
    try:
        found = _unpack(data, "zstd", min(MAX_STREAM_MESSAGE, budget.left) + 1)
    except ImportError as error:
        raise GarbledError(_missing("zstd")) from error
    except Exception as error:
        raise GarbledError(f"not zstd: {str(error)[:100]}") from error
    budget.spend(len(found))
    return found


class Channel(NamedTuple):
    """Where a message belongs to, and what reads it."""

    topic: str
    decode: Decode


#: Time of recording [ns], channel and bytes; without a channel, what was wrong there.
Entry = tuple[int, Channel | None, Any]

#: Whether a topic is wanted: its channel, or None.
Choose = Callable[[Topic], Channel | None]

_TIME = itemgetter(0)


class BagFile(Protocol):
    """One file of a bag, open. Read from front to back: what the index at its end says is believed
    in nothing but the list of topics, so that a file whose recorder was killed is read as far as it
    goes. ``budget`` is that of the reading that goes on, of all files of the bag."""

    size: int
    read: int
    budget: Budget

    def topics(self) -> list[Topic]:
        """All topics, also those that nobody can read; raises `StreamError` or `OSError`."""

    def blocks(self, choose: Choose) -> Iterator[list[Entry]]:
        """The messages of the chosen topics, a chunk at a time; raises `OSError` alone."""

    def close(self) -> None:
        """More than once does no harm."""


class RecordFile:
    """What `BagFile` says, of a format in which records follow one another.

    Args:
        reading: what its records are put into.
    """

    def __init__(self, path: Path, reading: Callable[[Choose, Budget], Reading]) -> None:
        self._file = path.open("rb")
        self._reading = reading
        self.size = os.fstat(self._file.fileno()).st_size
        self.read = 0
        self.budget = Budget(self.size)

    def close(self) -> None:
        self._file.close()

    def topics(self) -> list[Topic]:
        found: dict[Topic, None] = {}

        def note(topic: Topic) -> None:
            found[topic] = None

        if not self._index(self._reading(note, self.budget)) or not found:
            found.clear()
            for _ in self.blocks(note):
                pass
        self.read = 0
        return [*found]

    def blocks(self, choose: Choose) -> Iterator[list[Entry]]:
        reading = self._reading(choose, self.budget)
        # A topic is described in the chunk with its first message, and again at the end: where that
        # chunk is spoilt, the others can still be read.
        self._index(reading)
        reading.begin()
        for chunk in self._records(reading):
            if chunk or len(reading.block) >= STREAM_BLOCK:
                yield reading.taken()
        yield reading.taken()
        self.read = self.size

    def _index(self, reading: Any) -> bool:
        """Take in the topics that are listed at the end; False where they cannot be read."""
        raise NotImplementedError

    def _records(self, reading: Any) -> Iterator[bool]:
        """Read record by record; whether it was a chunk."""
        raise NotImplementedError


class Reading:
    """Topics described so far, and the messages since the last block.

    Attributes:
        channels: of the topics that are wanted, by the number that messages have.
        changes: how often a topic was described, or described anew.
    """

    def __init__(self, choose: Choose, budget: Budget, called: Callable[[Any], str]) -> None:
        self._choose, self._budget, self._called = choose, budget, called
        self.channels: dict[Any, Channel] = {}
        self._described: dict[Any, Topic | None] = {}
        self.changes = 0
        self.block: list[Entry] = []
        self._last = 0

    def begin(self) -> None:
        """Keep what is described, and forget the rest."""
        self.block.clear()
        self._described = {n: topic for n, topic in self._described.items() if topic}

    def taken(self) -> list[Entry]:
        """The messages since this was last asked."""
        block, self.block = self.block, []
        if block:
            self._last = block[-1][0]
        return block

    def wrong(self, text: str) -> None:
        """Something here cannot be read."""
        self.block.append((self.block[-1][0] if self.block else self._last, None, text))

    def unknown(self, number: Any) -> None:
        """A message of a topic that is not wanted, or that nobody described: that is told once, as
        it could be a wanted one."""
        if number not in self._described and len(self._described) <= MAX_STREAM_TOPICS:
            self._described[number] = None
            self.wrong(f"has messages of {self._called(number)}, which it does not describe")

    def describe(self, number: Any, topic: Topic) -> None:
        """A topic, by the number that its messages have."""
        if self._described.get(number) == topic:
            return
        self.changes += 1
        self._described[number] = topic
        chosen = self._choose(topic)
        if chosen is None:
            self.channels.pop(number, None)
        else:
            self.channels[number] = chosen


def in_order(blocks: Iterable[list[Entry]]) -> Iterator[Entry]:
    """The entries in order of time. Recorders write chunks that overlap a little, so each block is
    merged with the next one; what is late by more than that stays late. So does a topic whose time
    runs back by more than _LATE: its clock was set back, and readings from before and after it must
    not be mixed."""
    held: list[Entry] = []
    for back, block in _runs(blocks):
        if back:
            yield from held
            held = []
        block.sort(key=_TIME)
        if held and block[0][0] < held[-1][0]:
            merged = sorted(held + block, key=_TIME)
            cut = bisect_right(merged, held[-1][0], key=_TIME)
            yield from merged[:cut]
            held = merged[cut:]
        else:
            yield from held
            held = block
    yield from held


def _runs(blocks: Iterable[list[Entry]]) -> Iterator[tuple[bool, list[Entry]]]:
    """The blocks, cut where the time of a topic runs back by more than _LATE; and whether it does
    at the beginning of each."""
    newest: dict[str, int] = {}
    for block in blocks:
        back, start = False, 0
        for k, (time, channel, _) in enumerate(block):
            if channel is None:
                continue
            before = newest.get(channel.topic, time)
            if time < before - _LATE:
                if k > start:
                    yield back, block[start:k]
                back, start = True, k
                newest.clear()
                before = time
            newest[channel.topic] = max(time, before)
        if block:
            yield back, block[start:]
