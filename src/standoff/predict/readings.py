"""What a step was given, made readable for kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from standoff.geometry.pose import Array
from standoff.predict.from_cell import CellSpheres
from standoff.predict.report import BodyFault

#: A reading without a row.
NOBODY = np.zeros((0, 3))
_NONE = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Reading:
    """What a step was given.

    Attributes:
        positions, velocities: as far as there are any, (k, 3).
        rotations: as they were given to `Predictor.step`.
        q: joint values, as they were given to `Predictor.step_cell`; None otherwise.
        spheres: of the cell that the bodies belong to; None: there is none.
    """

    positions: Array
    velocities: Array
    rotations: Any = None
    q: Any = None
    spheres: CellSpheres | None = None


def as_rows(element: str, given: Any, count: int, faults: list[BodyFault]) -> Array:
    """The rows that are there, (k, 3); what is wrong with them is added to ``faults``. What is
    masked is not there: NaN."""
    rows = _numbers(given)
    if rows.ndim != 2 or rows.shape[1] != 3:
        what = getattr(given, "shape", None) or type(given).__name__
        if getattr(given, "dtype", None) is not None and rows is _NONE:
            what = f"{what} of {given.dtype}"
        faults.append(BodyFault("input", None, f"{element}: {what}", f"({count}, 3) numbers"))
        return NOBODY
    if len(rows) < count:
        faults.append(BodyFault("missing", len(rows), f"{len(rows)} {element}", f"{count} rows"))
    elif len(rows) > count:  # nobody knows whose they are
        faults.append(BodyFault("input", None, f"{len(rows)} {element}", f"{count} rows"))
    return rows


def _numbers(given: Any) -> Array:
    """A float64 array; none at all for what holds no real numbers."""
    try:
        found: Any = np.asanyarray(given)
        if found.dtype.kind not in "biufO":
            return _NONE
        if isinstance(found, np.ma.MaskedArray):
            found = np.ma.filled(found.astype(np.float64), np.nan)
        rows: Array = np.ascontiguousarray(found, dtype=np.float64)
    except Exception:  # whatever the array of somebody else raises: a step reports it
        return _NONE
    return rows


def finite(time: Any) -> float:
    """A time as a number; NaN where it is none."""
    try:
        given = math.nan if time is np.ma.masked else float(time)
    except Exception:  # whatever somebody else's number raises: a step reports it
        return math.nan
    return given if math.isfinite(given) else math.nan
