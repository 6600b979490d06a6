"""Coverings found before, kept beside the compiled kernels.

Fitting capsules to a robot takes a second, and the answer to the same points is always the same.
The answer depends on the body, the number of capsules, the seed, and the sources of the search. One
that a disk or a hand has changed is searched anew (see `kept_file`), and each that is read is
checked to hold its body's points, too.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import numpy as np

from standoff.compiled.jit import CACHE_DIR, source_digest
from standoff.geometry import kept_file
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Capsule
from standoff.geometry.shape import frozen
from standoff.geometry.soup import Soup

Placed = tuple[tuple[Capsule, Array], ...]


@functools.cache
def _sources() -> bytes:
    """The search, and all that it imports: its kernels among it."""
    return source_digest(Path(__file__).with_name("covering.py")).encode()


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
    """What was written under a key, whole and unchanged, or nothing."""
    data = kept_file.read(_path(key))
    return None if data is None else np.frombuffer(data, dtype=np.float64).reshape(-1, 18)


def write(key: str, rows: Array) -> None:
    kept_file.write(_path(key), rows.tobytes())


def _path(key: str) -> Path:
    return CACHE_DIR / "coverings" / f"{key}.bin"
