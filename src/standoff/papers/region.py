"""How many leaves the region octree of a world has, as paper 000 counts them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from standoff.cell import Cell
from standoff.geometry.pose import Array
from standoff.interference.parts import Part
from standoff.interference.region_tree import RegionTree


@dataclass(frozen=True)
class Leaves:
    """How many leaves, and how many of them hold something."""

    total: int
    filled: int


def parts_at(cell: Cell, q: Array, names: Collection[str] | None = None) -> list[Part]:
    """The parts of all bodies of a cell at ``q``, or of the bodies named."""
    world = cell.world
    frames = cell.tree.forward(q)
    return [
        Part(name, shape, frames[frame] @ local)
        for name, parts, frame in zip(world.names, world.parts, world.frame)
        if names is None or name in names
        for shape, local in parts
    ]


def region_leaves(
    parts: Sequence[Part], root: tuple[Sequence[float], float], levels: int
) -> Leaves:
    """Count the leaves of the region octree with its smallest nodes ``levels`` below the root. What
    only touches a node is not in it, or a table would fill the nodes beside it."""
    tree = RegionTree.of_parts(parts, root=root, levels=levels, touching=False)
    return Leaves(len(tree) + tree.white, len(tree))
