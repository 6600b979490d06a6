"""Two bodies and the joints between them, laid out as `paths.kernels.apart_layout` says.

Which values the joints between two bodies can take, as far as it matters to them.

The joints between two bodies, cut out of the tree of all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from standoff.cell.model import placed_ball
from standoff.cell.world import World
from standoff.compiled.arenas import Arena
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.dispatch import IWORK, WORK
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray, Shape
from standoff.geometry.table import pack
from standoff.motion.bound import MovingBody, few_points
from standoff.motion.kernels.reach import reach
from standoff.paths.kernels import apart_layout as p
from standoff.robots.kernels import kinematics
from standoff.robots.tree import WORLD, Tree, scratch_shape
from standoff.tolerances import ENCODER_TOLERANCE, EPS, PATH_ROUNDING

#: What rounding can take from an interval of joint values at either side, relative to the two ends
#: of the joint's range, [-]. The centre is one product and one sum, the width of the range one
#: difference: each half a unit of less than both ends together; four times that.
JOINT_BOX_ROUNDING = 4 * EPS


#: Nodes that most pairs do with.
_NODES = 1024

Part = tuple[Shape, Array, int]


class Problem:
    """What is to be proved of two bodies.

    Args:
        outer: take the convex hull in the place of each mesh. What is proved apart so is apart: the
            meshes are inside, but for roundings that margins cover. What touches need not touch.

    Attributes:
        joints: the entries of ``q`` that move the bodies against each other, in the arena's order.
        endless: why nothing can be proved: a joint without limits; None where all have limits.
        arena: all tables; see `paths.kernels.apart_layout`. Of one that is endless there are none.
    """

    arena: Arena

    def __init__(
        self, tree: Tree, world: World, a: str, b: str, clearance: float, *, outer: bool = False
    ) -> None:
        first, second = world.index[a], world.index[b]
        if world.frame[first] == WORLD:
            first, second = second, first  # a half space stands still, and comes second
        cut = CutTree(tree, (world.frame[first], world.frame[second]))
        ranges = [joint_range(tree, i, cut.following(i)) for i in cut.joints]
        self.joints = cut.joints
        self.endless = next((r for r in ranges if isinstance(r, str)), None)
        if self.endless is None:
            parts = [
                (_outer(shape) if outer else shape, pose, cut.number[world.frame[body]])
                for body in (first, second)
                for shape, pose in world.parts[body]
            ]
            limits: Array = np.array(ranges, dtype=float).reshape(-1, 2).T
            self.arena = _tables(cut, parts, len(world.parts[first]), limits)
            self.arena["result"][0] = clearance, math.inf, math.inf, math.inf

    def grow(self) -> None:
        """Twice as many nodes."""
        before = len(self.arena["nodes"])
        self.arena = self.arena.grown(dict.fromkeys(("nodes", "keys", "heap"), 2 * before))
        self.arena["heap"][before:, 0] = np.arange(before, 2 * before)


def _outer(shape: Shape) -> Shape:
    """The convex hull of a mesh, unless it is flat; any other shape itself."""
    return (shape.hull or shape) if isinstance(shape, Mesh) else shape


def _tables(cut: CutTree, parts: Sequence[Part], split: int, limits: Array) -> Arena:
    """All tables; the first ``split`` parts are one body's."""
    pairs = [(i, j) for i in range(split) for j in range(split, len(parts))]
    rows, refs, geometry = pack([shape for shape, _, _ in parts])
    table, chain, reaches, cores, sizes = _motion(cut, parts, limits)
    count, frames = len(cut.joints), len(cut.reals)
    nodes = max(_NODES, 2 * len(pairs))
    arena = Arena(
        {
            "tree": cut.reals.shape,
            "joints": (p.JOINT_ROWS, count),
            "local": (len(parts), 12),
            "rows": rows.shape,
            "points": geometry.points.shape,
            "solids": geometry.nodes.shape,
            "balls": (len(parts), 4),
            "cores": cores.shape,
            "reach": (1, len(reaches)),
            "sizes": sizes.shape,
            "poses": (frames, 12),
            "turns": scratch_shape(frames),
            "paces": (1, frames),
            "near_reach": (1, len(reaches)),
            "slopes": (2 * count, 4),
            "tops": (1, count),
            "gains": (2, count),
            "out": (1, layout.OUT_COLUMNS),
            "keys": (nodes, 1),
            "result": (1, p.RESULT_COLUMNS),
            "nearest": (1, count),
            "start": (1, count),
            "work": (1, WORK),
        },
        {
            "linkage": cut.ints.shape,
            "refs": refs.shape,
            "faces": geometry.faces.shape,
            "ints": (1, len(geometry.ints)),
            "parts": table.shape,
            "chain": chain.shape,
            "pairs": (len(pairs), 2),
            "nodes": (nodes, count + 2),
            "heap": (nodes, 1),
            "box": (1, count + 2),
            "header": (1, p.HEADER_COLUMNS),
            "iwork": (1, IWORK),
        },
    )
    arena["tree"][:], arena["linkage"][:] = cut.reals, cut.ints
    arena["joints"][[p.LOWER, p.UPPER]] = limits
    arena["joints"][p.WIDTH] = limits[1] - limits[0]
    # Paths and readings may be that far beyond a limit; centres, and so what is shown to touch, are
    # not.
    arena["joints"][p.PAD] = ENCODER_TOLERANCE + JOINT_BOX_ROUNDING * np.abs(limits).sum(axis=0)
    arena["local"][:] = np.array([pose[:3].reshape(12) for _, pose, _ in parts])
    arena["rows"][:], arena["refs"][:] = rows, refs
    arena["points"][:], arena["solids"][:] = geometry.points, geometry.nodes
    arena["faces"][:], arena["ints"][0] = geometry.faces, geometry.ints
    arena["balls"][:] = [placed_ball(shape, pose) for shape, pose, _ in parts]
    arena["cores"][:], arena["reach"][0], arena["sizes"][:] = cores, reaches, sizes
    arena["parts"][:], arena["chain"][:], arena["pairs"][:] = table, chain, pairs
    arena["heap"][:, 0] = np.arange(nodes)
    return arena


def _motion(
    cut: CutTree, parts: Sequence[Part], limits: Array
) -> tuple[IntArray, IntArray, Array, Array, Array]:
    """A_PARTS, A_CHAIN, A_REACH, A_CORES and A_SIZES."""
    table: list[tuple[int, ...]] = []
    chains: list[list[int]] = []
    reaches, cores, sizes = [np.zeros(0)], [np.zeros((0, 3))], []
    points = 0
    for k, (shape, pose, frame) in enumerate(parts):
        body = MovingBody.of_shape(f"part {k}", frame, shape, pose)
        chain, few = cut.chain(frame), few_points(body.points)
        far = np.empty(len(chain))
        if chain:
            reach(cut.reals, cut.ints, frame, body.points.copy(), far)
        # A cylinder is inside the prism of its points, and not the capsule around its axis.
        rounded = shape.kind in (layout.SPHERE, layout.CAPSULE)
        radius = float(shape.core()[1]) if rounded else 0.0
        extent = radius + float(np.abs(pose[:3, 3]).sum())
        extent += float(np.linalg.norm(few, axis=1).max(initial=0.0))
        table.append((frame, len(chains), points, len(few), len(chain)))
        sizes.append((radius, cut.margin(chain, far, limits, extent)))
        chains += chain
        reaches.append(far)
        cores.append(few)
        points += len(few)
    return (
        np.array(table, dtype=np.int64),
        np.array(chains, dtype=np.int64).reshape(-1, 2),
        np.concatenate(reaches),
        np.concatenate(cores),
        np.array(sizes),
    )


def joint_range(tree: Tree, index: int, frames: Sequence[int]) -> tuple[float, float] | str:
    """The range of entry ``index`` of ``q`` that shows all that the joints of ``frames``, which
    follow it, can do; or why there is none.

    It is the joint's limits. Where only revolute joints follow it, and the multipliers of all are
    whole multiples of the smallest, ``m``, everything repeats after a turn of ``2 pi / m``: no more
    than that is needed, and a continuous joint has no other range. A multiplier of 0 follows
    nothing.
    """
    low, high = float(tree.lower[index]), float(tree.upper[index])
    times = [abs(float(tree.reals[f, kinematics.MULTIPLIER])) for f in frames]
    moved = [f for f, m in zip(frames, times) if m != 0.0]
    slides = [f for f in moved if tree.ints[f, kinematics.JOINT_KIND] == kinematics.PRISMATIC]
    if not moved:
        middle = min(max(0.0, low), high)
        return middle, middle
    if not slides:
        least = min(m for m in times if m != 0.0)
        turn = 2.0 * math.pi / least * (1.0 + 2.0 * JOINT_BOX_ROUNDING)
        if math.isfinite(turn) and all(math.fmod(m, least) == 0.0 for m in times):
            if math.isfinite(low):
                return low, min(high, low + turn)
            return (high - turn, high) if math.isfinite(high) else (-0.5 * turn, 0.5 * turn)
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    name = tree.joints[index]
    if slides:
        return f"joint {name} has no limits"
    return f"joint {name} has no limits, and the joints that mimic it never stand as before"


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

    def chain(self, frame: int) -> list[list[int]]:
        """The joints from the root to a frame, outwards: frame and kind of each."""
        found = []
        while frame:
            found.append([frame, int(self.ints[frame, kinematics.JOINT_KIND])])
            frame = int(self.ints[frame, kinematics.PARENT])
        return found[::-1]

    def margin(self, chain: list[list[int]], reach: Array, limits: Array, extent: float) -> float:
        """What PATH_ROUNDING says that rounding can hide of a part that gets no farther than
        ``extent`` from its frame's origin, with the lengths of the whole ranges (2, joints): its
        coordinates, reach times angle and reach times turn of each joint, its coordinates times the
        whole turn. No box has more."""
        hidden, turning = 0.0, 0.0
        for (f, kind), R in zip(chain, reach):
            row, (low, high) = self.reals[f], limits[:, self.ints[f, kinematics.INDEX]].tolist()
            times = abs(float(row[kinematics.MULTIPLIER]))
            turn = 0.5 * times * (high - low)
            size = times * max(abs(low), abs(high)) + abs(float(row[kinematics.OFFSET]))
            hidden += float(R) * (turn + size)
            extent += float(np.abs(row[[3, 7, 11]]).sum())
            if kind == kinematics.REVOLUTE:
                turning += turn
            else:
                extent += size
        return PATH_ROUNDING * (hidden + (1.0 + turning) * extent)
