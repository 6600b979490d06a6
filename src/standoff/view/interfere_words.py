"""Depths and distances of pairs of parts, in words."""

from __future__ import annotations

from standoff.interference.exact import AT_LEAST
from standoff.interference.findings import Gap, Overlap
from standoff.view.words import mm


def length(distance: float) -> str:
    """In millimetres, or in metres from 10 m on."""
    return mm(distance) if abs(distance) < 10.0 else f"{distance:,.5g} m"


def overlap_words(overlap: Overlap) -> str:
    """How deep, or how near where a clearance makes it an overlap."""
    distance = overlap.distance
    if distance is None:
        return "–"
    if overlap.touching:
        return "touching"
    if distance == 0.0 and overlap.certain:
        return "depth unknown"
    if distance < 0.0:
        bound = "≥ " if AT_LEAST in overlap.evidence else ""
        return f"{bound}{length(-distance)} deep"
    return "0 mm" if distance == 0.0 else length(distance)


def gap_words(gap: Gap) -> str:
    """How far apart, or how far at least."""
    return f"{'' if gap.exact else '≥ '}{length(gap.distance)}"
