"""Lengths, places and numbers in words."""

from __future__ import annotations

from standoff.cell import Cell
from standoff.geometry.pose import Array


def mm(distance: float) -> str:
    """Such as ``3.2 mm``."""
    return f"{1e3 * distance:.4g} mm"


def counted(count: int, noun: str) -> str:
    """Such as ``1 segment`` and ``2 segments``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def not_watched(cell: Cell) -> dict[str, str]:
    """The links and robots that are not watched, as a fact with its name; empty where all are."""
    bare, robots = cell.unwatched, cell.unwatched_robots
    words = [f"links without collision geometry ({', '.join(bare)})"] if bare else []
    if robots:
        words.append(f"robots without a watched pair ({', '.join(robots)})")
    return {"not watched": "; ".join(words)} if words else {}


def at_point(point: Array) -> str:
    """A point in the world."""
    return "at " + ", ".join(f"{x:.4f}" for x in point) + " m"
