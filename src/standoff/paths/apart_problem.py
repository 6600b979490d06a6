"""Two bodies and the joints between them, laid out as `paths.kernels.apart_tables` says: their
parts, the joints cut out of the tree of all, and which values these can take, as far as it matters
to the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from standoff.cell.model import Model, Primitive
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.narrowphase.dispatch import has_closed_form
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.geometry.table import pack
from standoff.motion.kernels.reach import reach
from standoff.motion.motion_bound import MovingBody, few_points
from standoff.paths.kernels import apart_tables as p
from standoff.robots.kernels import kinematics
from standoff.robots.tree import WORLD, Tree, scratch_shape
from standoff.tolerances import ENCODER_TOLERANCE, EPS, PATH_ROUNDING

#: What rounding can take from an interval of joint values at either side, relative to the two ends
#: of the joint's range, [-]. The centre is one product and one sum, the width of the range one
#: difference: each half a unit of less than both ends together; four times that.
JOINT_BOX_ROUNDING = 4 * EPS


#: Nodes that most pairs do with.
_NODES = 1024


class Problem:
    """What is to be proved of two bodies.

    Args:
        outer: take the convex hull in the place of each mesh. What is proved apart so is apart: the
            meshes are inside, but for roundings that margins cover. What touches need not touch.

    Attributes:
        joints: the entries of ``q`` that move the bodies against each other, in their order here.
        limits: their ranges (2, joints), and
        tables: all of it for the kernels; there are neither where the problem is
        endless: why nothing can be proved: a joint without limits; None where all have limits.
    """

    limits: Array
    tables: p.ApartTables

    def __init__(
        self, model: Model, a: str, b: str, clearance: float, *, outer: bool = False
    ) -> None:
        first, second = model.entries[a], model.entries[b]
        if first.frame == WORLD:
            first, second = second, first  # a half space stands still, and comes second
        cut = CutTree(model.tree, (first.frame, second.frame))
        ranges = [joint_range(model.tree, i, cut.following(i)) for i in cut.joints]
        self.joints = cut.joints
        self.endless = next((r for r in ranges if isinstance(r, str)), None)
        if self.endless is None:
            primitives = [*first.primitives, *second.primitives]
            if outer:
                primitives = [_outer(x) for x in primitives]
            self.limits = np.array(ranges, dtype=float).reshape(-1, 2).T
            self.tables = _tables(cut, primitives, len(first.primitives), self.limits)
            header = self.tables.header
            header.clearance = clearance
            header.separation = header.nearest = header.nearest_centre = math.inf

    def grow(self) -> None:
        """Twice as many nodes."""
        before = len(self.tables.nodes)
        for name in ("nodes", "node_intervals", "heap"):
            self.tables.grow(name, 2 * before)
        self.tables.heap[before:] = np.arange(before, 2 * before)


def _outer(primitive: Primitive) -> Primitive:
    """The convex hull of a mesh, unless it is flat; any other primitive itself."""
    hull = primitive.shape.hull if isinstance(primitive.shape, Mesh) else None
    return primitive if hull is None else replace(primitive, shape=hull)


def _tables(
    cut: CutTree, primitives: Sequence[Primitive], split: int, limits: Array
) -> p.ApartTables:
    """All tables; the first ``split`` primitives are one body's."""
    pairs = [(i, j) for i in range(split) for j in range(split, len(primitives))]
    _, refs, geometry = pack([x.shape for x in primitives])
    count, frames = len(cut.joints), len(cut.reals)
    nodes = max(_NODES, 2 * len(pairs))
    parts, links, cores = _parts(cut, primitives, limits)
    rows = np.array([x.row for x in primitives])
    tables = p.ApartTables(
        tree=cut.reals, linkage=cut.ints, joints=count, parts=parts, links=links,
        cores=cores, local=rows[:, : layout.SIZE].copy(),
        bodies=Bodies(rows=rows, refs=refs, solids=geometry.solids),
        pairs=np.array(pairs, p.PAIR), intervals=count, q=count, paces=frames, poses=frames,
        turns=scratch_shape(frames), slopes=2 * count, answer=1, nodes=nodes,
        node_intervals=(nodes, count), heap=np.arange(nodes),
    )  # fmt: skip
    joints = tables.joints
    joints.lower, joints.upper = limits
    joints.width = limits[1] - limits[0]
    # Paths and readings may be that far beyond a limit; centres, and so what is shown to touch, are
    # not.
    joints.pad = ENCODER_TOLERANCE + JOINT_BOX_ROUNDING * np.abs(limits).sum(axis=0)
    kinds = [{x.shape.kind for x in body} for body in (primitives[:split], primitives[split:])]
    if not all(has_closed_form(x, y) for x in kinds[0] for y in kinds[1]):
        # It takes long to compile, and the room long to make.
        tables.header.general, tables.room = dispatch.general_address(), PairScratch()
    return tables


def _parts(cut: CutTree, primitives: Sequence[Primitive], limits: Array) -> tuple[Any, Any, Array]:
    """Records of `apart_tables.PART`, their links and their points, one part's after another's."""
    found, links, points, link, point = [], [], [], 0, 0
    for x in primitives:
        own, few, radius, margin = cut.part(x, limits)
        frame = cut.number[x.frame]
        found.append((frame, link, len(own), point, len(few), *x.ball, radius, margin))
        links.append(own)
        points.append(few)
        link, point = link + len(own), point + len(few)
    return np.array(found, p.PART), np.concatenate(links), np.concatenate(points)


def joint_range(tree: Tree, index: int, frames: Sequence[int]) -> tuple[float, float] | str:
    """The range of entry ``index`` of ``q`` that shows all that the joints of ``frames``, which
    follow it, can do; or why there is none.

    It is the joint's limits. Where only revolute joints follow it, and the multipliers of all are
    whole multiples of the smallest, ``m``, everything repeats after a turn of ``2 pi / m``: no more
    than that is needed, and a continuous joint has no other range. A multiplier of 0 follows
    nothing.
    """
    low, high = float(tree.lower[index]), float(tree.upper[index])
    moved = [f for f in frames if tree.reals[f, kinematics.MULTIPLIER] != 0.0]
    if not moved:
        middle = min(max(0.0, low), high)
        return middle, middle
    slides = (tree.ints[moved, kinematics.JOINT_KIND] == kinematics.PRISMATIC).any()
    turn = math.inf if slides else _repeats(np.abs(tree.reals[moved, kinematics.MULTIPLIER]))
    if math.isfinite(turn):
        if math.isfinite(low):
            return low, min(high, low + turn)
        return (high - turn, high) if math.isfinite(high) else (-0.5 * turn, 0.5 * turn)
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    name = tree.joints[index]
    if slides:
        return f"joint {name} has no limits"
    return f"joint {name} has no limits, and the joints that mimic it never stand as before"


def _repeats(times: Array) -> float:
    """After what angle revolute joints of these multipliers, > 0, all stand as before, [rad];
    infinite where they never do."""
    least = float(times.min())
    turn = 2.0 * math.pi / least * (1.0 + 2.0 * JOINT_BOX_ROUNDING)
    return turn if all(math.fmod(m, least) == 0.0 for m in times) else math.inf


class CutTree:
    """The frames between the last frame that carries two others and these two, numbered anew.

    Attributes:
        number: the number here of each frame of the tree that is kept; the root's is 0.
        joints: the entries of ``q`` that move them, in order; INDEX counts these.
        reals, ints: the tables of `robots.kernels.kinematics`; the root is where everything is seen
        from.
            What joints travel is longer by ENCODER_TOLERANCE at both ends.
    """

    def __init__(self, tree: Tree, ends: tuple[int, int]) -> None:
        self._tree = tree
        root, kept = tree.common(*ends), set()
        for frame in ends:
            while frame != root:
                kept.add(frame)
                frame = int(tree.parent[frame])
        self._frames = sorted(kept)
        self.number = {root: 0, **{f: k for k, f in enumerate(self._frames, start=1)}}
        index = tree.ints[:, kinematics.INDEX]
        self.joints = tuple(sorted({int(index[f]) for f in self._frames}))
        place = {i: k for k, i in enumerate(self.joints)}
        self.reals: Array = tree.reals[[root, *self._frames]].copy()
        self.reals[0] = 0.0
        self.reals[0, [0, 5, 10]] = 1.0
        beyond = ENCODER_TOLERANCE * np.abs(self.reals[:, kinematics.MULTIPLIER])
        self.reals[:, kinematics.LOWEST] -= beyond
        self.reals[:, kinematics.HIGHEST] += beyond
        self.ints: IntArray = np.zeros((len(self.reals), 4), dtype=np.int64)
        for k, f in enumerate(self._frames, start=1):
            parent = self.number[int(tree.parent[f])]
            kind = int(tree.ints[f, kinematics.JOINT_KIND])
            depth = self.ints[parent, kinematics.DEPTH] + 1
            self.ints[k] = parent, kind, place[int(index[f])], depth

    def following(self, index: int) -> list[int]:
        """The frames, as the tree numbers them, whose joints follow an entry of ``q``."""
        return [f for f in self._frames if self._tree.ints[f, kinematics.INDEX] == index]

    def part(self, primitive: Primitive, limits: Array) -> tuple[Any, Array, float, float]:
        """What the bounds need to know of a primitive, where the joints stay within ``limits``
        (2, joints): records of `apart_tables.LINK`, its points, and the radius and margin of its
        `apart_tables.PART`."""
        shape, pose, frame = primitive.shape, primitive.pose, self.number[primitive.frame]
        body = MovingBody.of_shape(primitive.body, frame, shape, pose)
        links, few = self._links(frame), few_points(body.points)
        if len(links):
            far = np.empty(len(links))
            reach(self.reals, self.ints, frame, body.points.copy(), far)
            links["reach"] = far
        # A cylinder is inside the prism of its points, and not the capsule around its axis.
        radius = shape.swept_radius
        extent = radius + float(np.abs(pose[:3, 3]).sum())
        extent += float(np.linalg.norm(few, axis=1).max(initial=0.0))
        return links, few, radius, self._margin(links, limits, extent)

    def _links(self, frame: int) -> Any:
        """The joints from the root to a frame, outwards."""
        frames = []
        while frame:
            frames.append(frame)
            frame = int(self.ints[frame, kinematics.PARENT])
        links = np.zeros(len(frames), p.LINK)
        links["frame"] = frames[::-1]
        links["kind"] = self.ints[links["frame"], kinematics.JOINT_KIND]
        return links

    def _margin(self, links: Any, limits: Array, extent: float) -> float:
        """What PATH_ROUNDING says that rounding can hide of a part that gets no farther than
        ``extent`` from its frame's origin, with the lengths of the whole ranges (2, joints): its
        coordinates, reach times angle and reach times turn of each joint, its coordinates times the
        whole turn. No box has more."""
        hidden, turning = 0.0, 0.0
        for f, kind, R, _ in links.tolist():
            row, (low, high) = self.reals[f], limits[:, self.ints[f, kinematics.INDEX]].tolist()
            times = abs(float(row[kinematics.MULTIPLIER]))
            turn = 0.5 * times * (high - low)
            size = times * max(abs(low), abs(high)) + abs(float(row[kinematics.OFFSET]))
            hidden += R * (turn + size)
            extent += float(np.abs(row[[3, 7, 11]]).sum())
            if kind == kinematics.REVOLUTE:
                turning += turn
            else:
                extent += size
        return PATH_ROUNDING * (hidden + (1.0 + turning) * extent)
