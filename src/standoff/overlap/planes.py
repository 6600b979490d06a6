"""The planes that parts are projected on: normals, well spread, and a basis for each."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import InterferenceError
from standoff.geometry.pose import Array

#: How near to one another two normals may be and count as one plane, [rad].
SAME_PLANE = 1e-9

#: Most planes of one comparison, [-]; beyond some tens they find hardly anything more.
MAX_PLANES = 1024


_ALLOWED = f"a number of planes, 1 to {MAX_PLANES}, or their normals (n, 3), finite and not 0"

#: Directions to choose further planes from.
_CHOICE = 4096


def plane_normals(planes: int | ArrayLike) -> Array:
    """Unit normals (n, 3) of planes in the world frame.

    A number n asks for the first n of one fixed sequence, so that n + 1 planes hold the n: the
    three coordinate planes (normals z, x, y), the four across the diagonals of a cube, the six
    across the diagonals of its faces, and from then on whichever normal is farthest from all
    before. Normals of one's own may have any length; of those that are one plane (opposite ones
    included, within 1e-9 rad) only the first is kept.
    """
    if isinstance(planes, (int, np.integer)) and not isinstance(planes, bool):
        if not 1 <= planes <= MAX_PLANES:
            raise InterferenceError(
                "not a number of planes", element="planes", value=planes, allowed=_ALLOWED
            )
        return np.array(_spread(int(planes)))
    return _given(planes)


def plane_bases(normals: Array) -> Array:
    """Rows of nine: two unit vectors that span the plane of each normal, and the normal. Those of
    a coordinate plane are axes, so that its projections are coordinates, bit for bit."""
    rows = np.empty((len(normals), 9))
    for row, normal in zip(rows, normals):
        helper = np.zeros(3)
        helper[(int(np.argmax(np.abs(normal))) + 1) % 3] = 1.0
        u = helper - (helper @ normal) * normal
        u /= math.sqrt(float(u @ u))
        row[:3], row[3:6], row[6:] = u, np.cross(normal, u), normal
    return rows


def _given(planes: Any) -> Array:
    try:
        if isinstance(planes, (bool, str, bytes)) or np.asarray(planes).dtype.kind not in "iuf":
            raise TypeError("not numbers")
        normals = np.array(planes, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InterferenceError(
            "not planes", element="planes", value=planes, allowed=_ALLOWED
        ) from error
    if normals.ndim != 2 or normals.shape[1] != 3 or len(normals) == 0:
        raise InterferenceError(
            "not normals", element="planes", value=normals.shape, allowed=_ALLOWED
        )
    if len(normals) > MAX_PLANES:
        raise InterferenceError(
            "too many planes", element="planes", value=len(normals), allowed=_ALLOWED
        )
    kept: list[Array] = []
    for k, normal in enumerate(normals):
        largest = float(np.abs(normal).max())
        if not 0.0 < largest < math.inf:
            raise InterferenceError(
                "not a normal", element=f"planes[{k}]", value=normal.tolist(), allowed=_ALLOWED
            )
        unit = normal / largest  # so that no square overflows or vanishes
        unit /= math.sqrt(float(unit @ unit))
        if all(float(np.linalg.norm(np.cross(unit, other))) > SAME_PLANE for other in kept):
            kept.append(unit)
    return np.array(kept)


@cache
def _spread(count: int) -> tuple[tuple[float, float, float], ...]:
    """The first ``count`` normals of the sequence."""
    first = [(0, 0, 1), (1, 0, 0), (0, 1, 0)]
    first += [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1)]
    first += [(1, 1, 0), (1, 0, 1), (0, 1, 1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1)]
    chosen = [np.array(n, dtype=float) / math.sqrt(sum(c * c for c in n)) for n in first[:count]]
    if count > len(first):
        # Points along a spiral over half the sphere, evenly dense: each a step of the golden angle.
        steps = np.arange(_CHOICE)
        z = (steps + 0.5) / _CHOICE
        turn = steps * math.pi * (3.0 - math.sqrt(5.0))
        r = np.sqrt(1.0 - z * z)
        x, y = r * np.cos(turn), r * np.sin(turn)
        nearest = np.zeros(_CHOICE)
        while len(chosen) < count:
            for n in chosen if not nearest.any() else chosen[-1:]:
                nearest = np.maximum(nearest, np.abs(x * n[0] + y * n[1] + z * n[2]))
            k = int(np.argmin(nearest))
            unit = np.array([x[k], y[k], z[k]])
            chosen.append(unit / math.sqrt(float((unit * unit).sum())))
    return tuple((float(n[0]), float(n[1]), float(n[2])) for n in chosen)
