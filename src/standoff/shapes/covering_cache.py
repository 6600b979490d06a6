"""Coverings found before, kept beside the compiled kernels.

Fitting capsules to a robot takes a second, and the answer to the same points is always the same.
A file is named after everything the answer depends on: the body, the number of capsules, the seed,
and the sources of the search. One that cannot be read is searched anew; each that is read is
checked to hold its body like a fresh one.
"""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np

from standoff.kernels.jit import CACHE_DIR
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Capsule
from standoff.shapes.shape import frozen
from standoff.shapes.soup import Soup

Placed = tuple[tuple[Capsule, Array], ...]

_SOURCES = ("covering.py", "capsule_search.py", "soup.py", "soup_input.py", "hull.py")


@functools.cache
def _sources() -> bytes:
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in _SOURCES)).digest()


def key_of(soup: Soup, faced: bool, count: int, seed: int) -> str:
    digest = hashlib.sha256(_sources())
    for part in (soup.balls, soup.faces):
        digest.update(f"{part.shape} {part.dtype}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    digest.update(f"{faced} {count} {seed}".encode())
    return digest.hexdigest()


def packed(capsules: Placed, volume: float, hull_volume: float) -> Array:
    """One row a capsule (radius, length, pose), after one of the volumes."""
    rows = np.zeros((len(capsules) + 1, 18))
    rows[0, :2] = volume, hull_volume
    for row, (capsule, pose) in zip(rows[1:], capsules, strict=True):
        row[:2] = capsule.radius, capsule.length
        row[2:] = pose.ravel()
    return rows


def unpacked(rows: Array) -> tuple[Placed, float, float]:
    capsules = tuple(
        (Capsule(float(row[0]), float(row[1])), frozen(row[2:].reshape(4, 4).copy()))
        for row in rows[1:]
    )
    return capsules, float(rows[0, 0]), float(rows[0, 1])


def read(key: str) -> Array | None:
    try:
        rows = np.load(_path(key), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    whole = rows.ndim == 2 and rows.shape[1] == 18 and len(rows) > 1 and np.isfinite(rows).all()
    return rows if whole and rows.dtype == np.float64 else None


def write(key: str, rows: Array) -> None:
    """Whole or not at all; a cache that cannot be written to is no reason to fail."""
    try:
        path = _path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            np.save(file, rows, allow_pickle=False)
        os.replace(name, path)
    except OSError:
        return


def _path(key: str) -> Path:
    return CACHE_DIR / "coverings" / f"{key}.npy"
