"""Lengths, places and numbers in words."""

from __future__ import annotations

from standoff.shapes.pose import Array


def mm(distance: float) -> str:
    """Such as ``3.2 mm``."""
    return f"{1e3 * distance:.4g} mm"


def counted(count: int, noun: str) -> str:
    """Such as ``1 segment`` and ``2 segments``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def at_point(point: Array) -> str:
    """A point in the world."""
    return "at " + ", ".join(f"{x:.4f}" for x in point) + " m"
