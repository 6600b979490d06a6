"""Files of what was computed before, kept beside the compiled kernels.

A file is named after everything its content depends on, and begins with a digest of that name and
of what it holds: one that a disk or a hand has changed, or that was made for something else, is no
file at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np

from standoff.compiled.jit import CACHE_DIR, source_digest
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

#: Bytes of a digest.
_DIGEST = hashlib.sha256().digest_size


def path_of(folder: str, source: str, said: str, *arrays: Array | IntArray) -> Path:
    """Where is kept what the file ``source``, with all that it imports, makes of some arrays;
    ``said`` is what else it depends on."""
    digest = hashlib.sha256(f"{source_digest(Path(source))} {said}".encode())
    for array in arrays:
        digest.update(f"{array.shape} {array.dtype.str}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return CACHE_DIR / folder / f"{digest.hexdigest()}.bin"


def read(path: Path) -> bytes | None:
    """What was written there, whole and unchanged, or nothing."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    data = content[_DIGEST:]
    return data if _digest(path, data) == content[:_DIGEST] else None


def write(path: Path, data: bytes) -> None:
    """Whole or not at all; a folder that cannot be written to is no reason to fail."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(path, data))
            file.write(data)
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(part)


def _digest(path: Path, data: bytes) -> bytes:
    digest = hashlib.sha256(path.name.encode())
    digest.update(data)
    return digest.digest()
