"""Colours of the page, red, green, blue from 0 to 255 (red is kept for what is wrong); and words
that come from elsewhere (names of links, files), made fit for HTML and for node names.
"""

from __future__ import annotations

import html
import math
import re

import numpy as np
from numpy.typing import NDArray

from standoff.view.live.seen import State


def safe(text: str) -> str:
    """For HTML: markup in a name is shown and not obeyed."""
    return html.escape(text, quote=True)


def node_name(number: int, name: str) -> str:
    """A name in the page's tree of nodes: one level, unique by its number, readable."""
    return f"{number:03d} {re.sub('[^A-Za-z0-9_.-]+', ' ', name).strip()}"


def length(metres: float) -> str:
    """``12.3 mm``, ``0.85 m``; ``–`` where it is not known."""
    if math.isnan(metres):
        return "–"
    if math.isinf(metres):
        return "far"
    return f"{1e3 * metres:z.1f} mm" if abs(metres) < 0.1 else f"{metres:.2f} m"


def minus(text: str) -> str:
    """With the sign that is printed for a minus."""
    return text.replace("-", "−")


Colour = tuple[int, int, int]

BRAND: Colour = (38, 110, 190)

#: Of robots, in the order of the cell.
ROBOTS: tuple[Colour, ...] = (
    (52, 122, 196), (232, 148, 44), (110, 84, 168), (28, 150, 140), (176, 122, 80), (90, 130, 60),
)  # fmt: skip
ROOT: Colour = (96, 102, 112)
STILL: Colour = (201, 197, 188)
MOVER: Colour = (96, 168, 110)
HELD: Colour = (214, 184, 60)
ALARM: Colour = (214, 40, 40)
PALE_ALARM: Colour = (226, 134, 124)
UNSURE: Colour = (140, 144, 150)
EXTENDED: Colour = (120, 170, 225)
FLOOR: Colour = (238, 240, 243)

#: Of a sign that can promise nothing.
AMBER = "#b26a00"

STATES: dict[State, str] = {
    "SAFE": "#1d8a4a",
    "WARNING": "#c92a2a",
    "FAULT": "#8b1fa9",
    "STALE": "#6b7280",
    "NOT WATCHED": "#6b7280",
    "NOT CERTIFIED": AMBER,
    "ENDED": "#475569",
}

#: From few to many, from calm to urgent: dark blue, teal, yellow, orange, red.
_RAMP = np.array(
    [[46, 84, 160], [34, 150, 160], [110, 190, 90], [240, 190, 50], [235, 110, 40], [205, 30, 40]],
    dtype=float,
)


def ramp(share: NDArray[np.float64]) -> NDArray[np.uint8]:
    """(n, 3) for numbers from 0 to 1 (n,)."""
    place = np.clip(np.nan_to_num(share), 0.0, 1.0) * (len(_RAMP) - 1)
    low = np.minimum(place.astype(np.int64), len(_RAMP) - 2)
    part = (place - low)[:, None]
    return np.asarray(_RAMP[low] + part * (_RAMP[low + 1] - _RAMP[low])).astype(np.uint8)
