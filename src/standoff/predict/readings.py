"""Readings as people give them, made readable for kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.geometry.pose import Array
from standoff.predict.report import BodyFault

#: A reading without a row.
NOBODY = np.zeros((0, 3))
_NONE = np.zeros(0)


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
