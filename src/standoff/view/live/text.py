"""Words that come from elsewhere (names of links, files), made fit for HTML and for node names."""

from __future__ import annotations

import html
import math
import re


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
