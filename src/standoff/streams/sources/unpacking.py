"""Compressed chunks of bags, unpacked up to a limit: a few bytes could otherwise ask for any
amount of memory, and of time.
"""

from __future__ import annotations

import bz2
import io
from collections.abc import Callable, Iterator
from typing import Any, Final

from standoff.errors import missing_package
from standoff.streams.limits import MAX_STREAM_CHUNK, MAX_STREAM_MESSAGE
from standoff.streams.wire import GarbledError

#: How whatever is compressed by Zstandard begins; no message in CDR and no JSON does.
ZSTD: Final = b"\x28\xb5\x2f\xfd"

#: Bytes that a file may unpack to for each of its own, beside MAX_STREAM_CHUNK, [-]. Readings
#: shrink to a third, images of a simulated camera to a hundredth.
_RATIO: Final = 1000

#: Records that a file may have beside one for each of its bytes, [-]: the time of a message alone
#: needs more, however well it is compressed.
_RECORDS: Final = 100_000

#: Records that a chunk may have, [-]: those of MAX_STREAM_CHUNK bytes with 64 each. They are kept
#: in memory together.
_CHUNK_RECORDS: Final = 1 << 20


class Budget:
    """What one reading of a file may cost, which follows from its size alone: a small file that
    unpacks to gigabytes, or to millions of records, is read up to here.

    Args:
        size: of the file, [bytes].
    """

    def __init__(self, size: int) -> None:
        self._most_bytes = self._bytes = MAX_STREAM_CHUNK + _RATIO * size
        self._most_records = self._records = _RECORDS + size

    def spend(self, size: int) -> None:
        """So many bytes are to be unpacked.

        Raises:
            GarbledError: the file has unpacked to too many.
        """
        if size > self._bytes:
            raise GarbledError(
                f"not unpacked: a file of this size may unpack to at most {self._most_bytes} bytes"
            )
        self._bytes -= size

    def counted(self) -> Iterator[None]:
        """Once for each record of a chunk.

        Raises:
            GarbledError: the chunk or the file has too many.
        """
        for _ in range(_CHUNK_RECORDS):
            if not self._records:
                raise GarbledError(
                    f"more than the {self._most_records} records that a file of this size may have"
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
    budget.spend(0)
    try:
        found = _unpack(data, "zstd", MAX_STREAM_MESSAGE + 1)
    except ImportError as error:
        raise GarbledError(_missing("zstd")) from error
    except Exception as error:
        raise GarbledError(f"not zstd: {str(error)[:100]}") from error
    budget.spend(len(found))
    return found
