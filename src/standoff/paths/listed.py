"""The pairs of a path check that are listed one by one, and those that are not tested at all.

A ball around each primitive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.cell.allowed import Pair, ordered
from standoff.geometry.narrowphase import layout
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray, Shape
from standoff.robots.kernels import kinematics
from standoff.tolerances import BOX_ROUNDING, EPS

#: Number of the body that a ball around many movers belongs to.
NOBODY = -1


@dataclass(frozen=True, eq=False)
class Primitive:
    """One shape of a body.

    Attributes:
        body: number of its body in the world.
        part: which of the body's shapes it is.
        frame: frame that carries it; 0 is the world.
        pose: in that frame.
    """

    body: int
    part: int
    frame: int
    shape: Shape
    pose: Array


@dataclass(frozen=True, eq=False)
class Listed:
    """See `paths.kernels.layout`.

    Attributes:
        links: two movers, or a mover and a static with a clearance of their own; team by team.
        clearances: of each link.
        teams: links of one pair of frames and one clearance, with the balls that stand for them.
        skipped, skips: for each mover the statics that it does not test: they may touch, or are
            among the links.
    """

    links: IntArray
    clearances: Array
    teams: IntArray
    skipped: IntArray
    skips: IntArray


def list_pairs(
    cell: Cell,
    primitives: Sequence[Primitive],
    single: int,
    clearances: Mapping[Pair, float],
    usual: float,
    gliding: bool = True,
) -> Listed:
    """The pairs of a cell. The first ``single`` primitives are movers, their crowds follow. Pairs
    of bodies that no joint carries are among them where ``gliding``."""
    world, tree, reasons = cell.world, cell.tree, cell.pairs.reasons
    of_body: dict[int, list[int]] = {}
    crowd: dict[int, int] = {}
    for k, primitive in enumerate(primitives):
        if primitive.body == NOBODY:
            crowd[primitive.frame] = k
        else:
            of_body.setdefault(primitive.body, []).append(k)
    members: dict[tuple[int, int, int, int, float], list[tuple[int, int]]] = {}

    def link(x: int, y: int, clearance: float) -> None:
        fa, fb = primitives[x].frame, primitives[y].frame
        if not (primitives[x].shape.convex and primitives[y].shape.convex):
            clearance = max(clearance, 0.0)
        common = tree.common(fa, fb) if max(fa, fb) < tree.frames else 0
        first, second = crowd.get(fa, x), crowd.get(fb, y)
        if fb == 0:
            first, second = x, y
        depth = int(tree.ints[common, kinematics.DEPTH])
        members.setdefault((first, second, common, depth, clearance), []).append((x, y))

    moving = sorted({primitive.body for primitive in primitives[:single]})
    for i, a in enumerate(moving):
        for b in moving[i + 1 :]:
            names = ordered(world.names[a], world.names[b])
            if not gliding and min(world.frame[a], world.frame[b]) >= tree.frames:
                continue
            if world.frame[a] != world.frame[b] and names not in reasons:
                for x in of_body[a]:
                    for y in of_body[b]:
                        link(x, y, clearances.get(names, usual))
    skipped: dict[int, list[int]] = {}
    for names in {**reasons, **clearances}:
        a, b = (world.index.get(n, -1) for n in names)
        if min(a, b) < 0:
            continue
        if world.frame[a] == 0:
            a, b = b, a
        if world.frame[a] == 0 or world.frame[b] != 0:
            continue
        if not gliding and world.frame[a] >= tree.frames:
            continue
        for x in of_body[a]:
            for y in of_body[b]:
                skipped.setdefault(x, []).append(y)
                if names not in reasons:
                    link(x, y, clearances[names])
    links: list[tuple[int, int, int, int]] = []
    own: list[float] = []
    teams: list[tuple[int, ...]] = []
    for (first, second, common, depth, clearance), pairs in members.items():
        meshed = any(not primitives[k].shape.convex for pair in pairs for k in pair)
        end = len(links) + len(pairs)
        teams.append((first, second, common, depth, len(links), end, int(meshed)))
        links += [(x, y, common, depth) for x, y in pairs]
        own += [clearance] * len(pairs)
    flat: list[int] = []
    skips = np.zeros((single, 2), dtype=np.int64)
    for mover in range(single):
        those = skipped.get(mover, [])
        skips[mover] = len(flat), len(flat) + len(those)
        flat += those
    return Listed(
        links=np.array(links, dtype=np.int64).reshape(-1, 4),
        clearances=np.array(own),
        teams=np.array(teams, dtype=np.int64).reshape(-1, 7),
        skipped=np.array(flat, dtype=np.int64),
        skips=skips,
    )


#: Steps towards the smallest ball around many points; 100 leave it 1 % too large at most.
_STEPS = 100


def ball(shape: Shape) -> tuple[Array, float]:
    """Centre in the shape's frame, and a radius that holds all of the shape. The centre is in the
    hull of the shape's core, so that it moves no farther than the core does; a half space has an
    infinite ball."""
    if not shape.bounded:
        return np.zeros(3), math.inf
    size = shape.size_row
    centre = np.zeros(3)
    if shape.kind == layout.SPHERE:
        radius = float(size[0])
    elif shape.kind == layout.CAPSULE:
        radius = float(size[0] + size[1])
    elif shape.kind == layout.BOX:
        radius = float(np.linalg.norm(size[:3]))
    elif shape.kind == layout.CYLINDER:
        radius = math.hypot(size[0], size[1])
    else:
        centre, radius = _around(shape.core()[0])
    return centre, radius + BOX_ROUNDING * EPS * (radius + float(np.abs(centre).sum()))


def placed_ball(shape: Shape, pose: Array) -> list[float]:
    """The ball of a shape that is at ``pose``: centre and radius in one row."""
    centre, radius = ball(shape)
    return [*(pose[:3, :3] @ centre + pose[:3, 3]), radius]


def ball_of_balls(centres: Array, radii: Sequence[float]) -> tuple[Array, float]:
    """A ball around balls; its centre is in the hull of theirs."""
    centre, _ = _around(centres)
    reach = np.sqrt(((centres - centre) ** 2).sum(axis=1)) + radii
    return centre, float(reach.max()) * (1.0 + BOX_ROUNDING * EPS)


def _around(points: Array) -> tuple[Array, float]:
    """A ball around points, near the smallest: from their mean, step after step towards the
    farthest, so that the centre stays in their hull."""
    centre = points.mean(axis=0)
    for step in range(1, _STEPS + 1):
        away = points - centre
        farthest = int(np.argmax(np.einsum("ij,ij->i", away, away)))
        centre = centre + away[farthest] / (step + 1)
    return centre, float(np.sqrt(((points - centre) ** 2).sum(axis=1).max()))
