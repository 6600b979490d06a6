"""Sizes, places and joint values of a cell that look like another unit; see `standoff.units`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from standoff.cell.body import Body
from standoff.cell.model import placed_ball
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.robots.description import Robot
from standoff.robots.mounted import MountedRobot
from standoff.robots.tree import Tree
from standoff.units import warn_body, warn_far, warn_gap, warn_joints

if TYPE_CHECKING:
    from standoff.cell.cell import Cell

#: How far a cell is across, as a multiple of what it is at rest, [-]: an arm reaches that much
#: farther when it is stretched out.
_REACHES = 1.5

#: What a cell with bodies whose poses are given is across at least, [m]: they may go anywhere.
_ROAMS = 10.0


def warn_gaps(cell: Cell, gaps: Mapping[str, Any]) -> None:
    """Warn of buffers, clearances and thresholds [m] that are larger than the cell, by argument:
    each a number, or a mapping of them."""
    for element, given in gaps.items():
        named = given.items() if isinstance(given, Mapping) else [(None, given)]
        for name, gap in named:
            whose = " and ".join(map(str, name)) if isinstance(name, tuple) else name
            what = element if whose is None else f"{element} of {whose}"
            warn_gap(what, gap, lambda metres: _is_across(cell, metres))


def _is_across(cell: Cell, metres: float) -> bool:
    """Whether the cell is at least so large across: what is in it, and how far joints slide."""
    if cell.moving and metres < _ROAMS:
        return True
    tree = cell.tree
    slides = [unit == "m" for unit in tree.units]
    span = (tree.upper - tree.lower)[slides].sum()
    low, high = np.full(3, math.inf), np.full(3, -math.inf)
    state = cell.state()
    for shape, at in chain.from_iterable(state.placed(name) for name in state.model.names):
        if shape.bounded:
            *centre, radius = placed_ball(shape, at).tolist()
            low, high = (
                np.minimum(low, np.subtract(centre, radius)),
                np.maximum(high, np.add(centre, radius)),
            )
            if _REACHES * np.linalg.norm(high - low) + span >= metres:
                return True
    return False


def warn_shape(name: str, shape: Shape) -> None:
    """Warn of a body as large as only one in millimetres is."""
    if shape.bounded:
        remedy = "; so.Mesh.load(path, scale=0.001) reads millimetres"
        warn_body(f"body {name!r}", *shape.bounds(), remedy if isinstance(shape, Mesh) else "")


def warn_links(name: str, robot: Robot) -> None:
    """Warn of links as large as only those in millimetres are."""
    remedy = '; scale="0.001 0.001 0.001" of a <mesh> reads millimetres'
    for link in robot.links.values():
        for element in link.elements:
            if element.shape.bounded:
                warn_body(f"link {name}/{link.name}", *element.shape.bounds(), remedy)


def warn_place(
    element: str, at: Array, robots: Mapping[str, MountedRobot], bodies: dict[str, Body], *,
    but: str = "",
) -> None:  # fmt: skip
    """Warn of a place that is far from all robots, and from all bodies but one."""
    # The last body first: in a long row it is the nearest.
    others = (bodies[name].pose[:3, 3] for name in reversed(bodies) if name != but)
    warn_far(element, at[:3, 3], [m.base[:3, 3] for m in robots.values()], others)


def warn_values(tree: Tree, q: Any, element: str) -> None:
    """Warn of joint values (…, joints) that look like another unit."""
    warn_joints(element, q, tree.lower, tree.upper, tree.units)
