"""Which links are the ends of a robot: what a hand would take hold of."""

from __future__ import annotations

from standoff.cell import Cell
from standoff.robots.tree import WORLD, Tree


def tips(cell: Cell) -> dict[str, str]:
    """The end links, each with its robot. A link that carries nothing but single joints side by
    side (the fingers of a gripper) is an end itself; without such, the ends of the chains are."""
    tree = cell.tree
    children: dict[int, list[int]] = {}
    for frame in range(1, tree.frames):
        children.setdefault(int(tree.parent[frame]), []).append(frame)
    found: dict[str, str] = {}
    for frame in range(1, tree.frames):
        below = children.get(frame, [])
        fingers = len(below) > 1 and not any(child in children for child in below)
        beside = children[int(tree.parent[frame])]
        finger = (
            not below
            and len(beside) > 1
            and int(tree.parent[frame]) != WORLD
            and not any(child in children for child in beside)
        )
        if fingers or (not below and not finger):
            link = _last_link(tree, frame)
            found[link] = link.partition("/")[0]
    return found


def _last_link(tree: Tree, frame: int) -> str:
    """Of the links that a frame carries rigidly, the one written last: a flange or a hand."""
    return [name for name in tree.links if tree.link(name)[0] == frame][-1]
