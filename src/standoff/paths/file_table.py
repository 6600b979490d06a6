"""What a path file holds before it is known to fit a cell: columns, rows, and where each stood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from standoff.errors import PathError
from standoff.shapes.pose import Array

#: A number as files write it; Python itself would also take 1_000 and the digits of other scripts.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.A | re.I)


@dataclass(frozen=True, eq=False)
class PathTable:
    """The content of a path file, unchecked but for its outer form.

    Attributes:
        names: of the columns; None where the file names none.
        header: where the names stand, for messages.
        rows: one a waypoint, of texts or numbers, or an array.
        places: where each row stands, for messages: ``line 7``, ``waypoints[3]``.
        lines: number of the line of each row, from 1; None where the format has no lines.
        times: one a row, where they stand apart from the rows, [s].
    """

    names: Sequence[str] | None
    header: str
    rows: Sequence[Sequence[Any]] | Array
    places: Sequence[str]
    lines: tuple[int, ...] | None = None
    times: Sequence[Any] | None = None


def is_number(text: str) -> bool:
    """Whether a text is a number as files write it; ``nan`` and ``inf`` count."""
    return _NUMBER.fullmatch(text) is not None


def as_number(value: Any, file: Path, place: str, what: str) -> float:
    """A number, finite or not; ``place`` and ``what`` say where it stands."""
    element = f"{place}, {what}"
    if isinstance(value, str):
        text = value.strip()
        if not text:
            raise PathError("no number", file=file, element=element, allowed="a number")
        if is_number(text):
            return float(text)
    elif isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, complex)):
        try:
            return float(value)
        except (OverflowError, TypeError, ValueError):
            pass
    raise PathError("not a number", file=file, element=element, value=value, allowed="a number")
