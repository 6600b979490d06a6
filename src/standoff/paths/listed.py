"""The pairs of a path check that are listed one by one, and those that are not tested at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.cell.allowed import Pair, ordered
from standoff.kernels import kinematics
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray, Shape

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
    """See `kernels.paths.layout`.

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
