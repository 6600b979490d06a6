"""Readings as people give them, made readable for kernels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from standoff.predict.report import BodyFault
from standoff.shapes.pose import Array

#: A reading without a row.
NOBODY = np.zeros((0, 3))


def as_rows(element: str, given: Any, count: int, faults: list[BodyFault]) -> Array:
    """The rows that are there, (k, 3); what is wrong with them is added to ``faults``."""
    try:
        rows = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.zeros(0)
    if rows.ndim != 2 or rows.shape[1] != 3:
        what = getattr(given, "shape", None) or type(given).__name__
        faults.append(BodyFault("input", None, f"{element}: {what}", f"({count}, 3) numbers"))
        return NOBODY
    if len(rows) != count:
        kind: Literal["missing", "input"] = "missing" if len(rows) < count else "input"
        body = min(len(rows), count)
        faults.append(BodyFault(kind, body, f"{len(rows)} {element}", f"{count} rows"))
    return rows
