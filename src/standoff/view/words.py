"""Lengths, places and numbers in words."""

from __future__ import annotations

from standoff.cell import Cell
from standoff.shapes.pose import Array


def mm(distance: float) -> str:
    """Such as ``3.2 mm``."""
    return f"{1e3 * distance:.4g} mm"


def counted(count: int, noun: str) -> str:
    """Such as ``1 segment`` and ``2 segments``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def not_watched(cell: Cell) -> dict[str, str]:
    """What of the robots cannot be watched, as a fact with its name; empty where all is."""
    bare, robots = cell.unwatched, cell.unwatched_robots
    words = [f"no collision geometry: {', '.join(bare)}"] if bare else []
    if robots:
        words.append(f"no pair with any link of {', '.join(robots)}")
    return {"not watched": "; ".join(words)} if words else {}


def at_point(point: Array) -> str:
    """A point in the world."""
    return "at " + ", ".join(f"{x:.4f}" for x in point) + " m"
