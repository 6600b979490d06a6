"""Compressed chunks of bags, unpacked up to a limit: a few bytes could otherwise ask for any
amount of memory."""

from __future__ import annotations

import bz2
import io
from collections.abc import Callable
from typing import Any, Final

from standoff.constants import MAX_STREAM_MESSAGE
from standoff.errors import missing_package
from standoff.streams.wire import GarbledError

#: How whatever is compressed by Zstandard begins; no message in CDR and no JSON does.
ZSTD: Final = b"\x28\xb5\x2f\xfd"


def unpacked(data: bytes, compression: str, size: int) -> bytes:
    """``data`` unpacked, which must be ``size`` bytes then.

    Raises:
        GarbledError: it is not what it says, or needs a package that is not installed.
    """
    if compression in ("", "none"):
        found = data
    else:
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


def unpacked_message(data: bytes, most: int) -> bytes:
    """A single message that a recorder compressed by zstd, at most so many bytes of it."""
    try:
        return _unpack(data, "zstd", most)
    except ImportError as error:
        raise GarbledError(_missing("zstd")) from error
    except Exception as error:
        raise GarbledError(f"not zstd: {str(error)[:100]}") from error
