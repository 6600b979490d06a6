"""How fast links can be, and how far they get: from the joints' own limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.kernels import motion as kernels
from standoff.monitor.slots import Primitive
from standoff.robots.motion import MotionBound
from standoff.robots.moving_body import MovingBody
from standoff.shapes.pose import Array


@dataclass(frozen=True, eq=False)
class Reaches:
    """The motion bound of all primitives that joints move.

    Attributes:
        bound: with one body for each of them, named after its place among the primitives.
        rows: place of each in the bound; 0 for a primitive that no joint moves.
        fastest: highest speed of any of its points, every joint at its highest, [m/s]; infinite
            where a joint has no limit.
        farthest: farthest any of its points gets from the world's origin, [m].
    """

    bound: MotionBound
    rows: Sequence[int]
    fastest: Array
    farthest: Array


def measure_reaches(cell: Cell, primitives: Sequence[Primitive]) -> Reaches:
    """Reaches and speeds of the primitives on the frames of the cell's tree."""
    tree = cell.tree
    bodies: list[MovingBody] = []
    rows: list[int] = []
    for k, p in enumerate(primitives):
        jointed = 0 < p.frame < tree.frames
        rows.append(len(bodies) + 1 if jointed else 0)
        if jointed:
            bodies.append(MovingBody.of_shape(str(k), p.frame, p.shape, p.local))
    bound = MotionBound(tree, bodies)
    speed = np.empty(tree.frames)
    kernels.joint_magnitudes(tree.reals, tree.ints, tree.velocity.copy(), speed)
    fastest, farthest = np.zeros(len(primitives)), np.zeros(len(primitives))
    for k, row in enumerate(rows):
        if row:
            pair = bound.pair(bound.names[row])
            fastest[k] = kernels.path_length(bound.chain, bound.reach, *pair.chain_a, speed)
            frame = primitives[k].frame
            radius = float(primitives[k].shape.core()[1]) if primitives[k].shape.bounded else 0.0
            farthest[k] = bound.extent[frame] + bound.size[row] + radius
    return Reaches(bound, rows, fastest, farthest)
