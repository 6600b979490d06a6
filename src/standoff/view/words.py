"""Lengths and places in words."""

from __future__ import annotations

from standoff.shapes.pose import Array


def mm(distance: float) -> str:
    """Such as ``3.2 mm``."""
    return f"{1e3 * distance:.4g} mm"


def at_point(point: Array) -> str:
    """A point in the world."""
    return "at " + ", ".join(f"{x:.4f}" for x in point) + " m"
