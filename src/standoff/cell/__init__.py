"""The world: robots, bodies, who may touch whom, grasped bodies, cell files."""

from standoff.cell.allowed import AllowedPair
from standoff.cell.body import Body
from standoff.cell.cell import Cell

__all__ = ["AllowedPair", "Body", "Cell"]
