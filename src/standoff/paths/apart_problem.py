"""Two bodies and the joints between them, laid out as `kernels.paths.apart_layout` says."""

from __future__ import annotations

import math

import numpy as np

from standoff.cell.world import World
from standoff.constants import JOINT_BOX_ROUNDING, PATH_ROUNDING
from standoff.index.arena import Arena
from standoff.kernels import kinematics, layout
from standoff.kernels.pairs.dispatch import IWORK, WORK
from standoff.kernels.paths import apart_layout as p
from standoff.kernels.reach import reach
from standoff.paths.apart_ranges import joint_range
from standoff.paths.balls import ball
from standoff.robots.moving_body import MovingBody, few_points
from standoff.robots.tree import WORLD, Tree
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray
from standoff.shapes.table import pack

#: Nodes that most pairs do with.
_NODES = 1024


class Problem:
    """What is to be proved of two bodies.

    Attributes:
        arena: all tables; see `kernels.paths.apart_layout`.
        joints: the entries of ``q`` that move the bodies against each other, in the arena's order.
        endless: why nothing can be proved: a joint without limits; None where all have limits.
    """

    def __init__(self, tree: Tree, world: World, a: str, b: str, clearance: float) -> None:
        bodies = [world.index[a], world.index[b]]
        if world.frame[bodies[0]] == WORLD:
            bodies.reverse()  # a half space, which stands still, comes second
        ends = [world.frame[k] for k in bodies]
        root = tree.common(*ends)
        cut = _Cut(tree, root, ends)
        self.joints = cut.joints
        ranges = [joint_range(tree, i, cut.following(i)) for i in cut.joints]
        self.endless = next((r for r in ranges if isinstance(r, str)), None)
        if self.endless is not None:
            return
        limits = np.array(ranges, dtype=float).reshape(-1, 2).T
        parts = [
            (shape, pose, cut.number[end])
            for k, end in zip(bodies, ends)
            for shape, pose in world.parts[k]
        ]
        counts = [len(world.parts[k]) for k in bodies]
        pairs = [(i, counts[0] + j) for i in range(counts[0]) for j in range(counts[1])]
        rows, refs, geometry = pack([shape for shape, _, _ in parts])
        chain, reaches, cores = [], [np.zeros(0)], [np.zeros((0, 3))]
        table = np.zeros((len(parts), p.PART_COLUMNS), dtype=np.int64)
        sizes = np.zeros((len(parts), p.SIZE_COLUMNS))
        balls = np.zeros((len(parts), 5))
        points = 0
        for k, (shape, pose, frame) in enumerate(parts):
            body = MovingBody.of_shape(f"part {k}", frame, shape, pose)
            way = cut.chain(frame)
            far = np.empty(len(way))
            if len(body.points):
                reach(cut.reals, cut.ints, frame, body.points.copy(), far)
            few = few_points(body.points)
            table[k] = frame, len(chain), points, len(few), len(way)
            radius = 0.0
            if shape.kind in (layout.SPHERE, layout.CAPSULE):
                radius = float(shape.core()[1])
            sizes[k, p.RADIUS] = radius
            sizes[k, p.MARGIN] = cut.margin(way, far, few, radius, pose, limits)
            centre, outside, likely = ball(shape)
            balls[k] = [*(pose[:3, :3] @ centre + pose[:3, 3]), outside, likely]
            chain += [[f, int(cut.ints[f, kinematics.JOINT_KIND])] for f in way]
            reaches.append(far)
            cores.append(few)
            points += len(few)
        count, frames = len(cut.joints), len(cut.reals)
        nodes = max(_NODES, 2 * len(pairs))
        turns = tree.scratch().shape[0], -(-frames // 8) * 8
        self.arena = Arena(
            {
                "tree": (frames, 16),
                "joints": (p.JOINT_ROWS, count),
                "local": (len(parts), 12),
                "rows": rows.shape,
                "points": geometry.points.shape,
                "solids": geometry.nodes.shape,
                "balls": balls.shape,
                "cores": (points, 3),
                "reach": (1, len(chain)),
                "sizes": sizes.shape,
                "poses": (frames, 12),
                "turns": turns,
                "paces": (1, frames),
                "near_reach": (1, len(chain)),
                "slopes": (2 * count, 4),
                "tops": (1, count),
                "gains": (2, count),
                "out": (2, layout.OUT_COLUMNS),
                "keys": (nodes, 1),
                "result": (1, p.RESULT_COLUMNS),
                "nearest": (1, count),
                "work": (1, WORK),
            },
            {
                "linkage": (frames, 4),
                "refs": refs.shape,
                "faces": geometry.faces.shape,
                "ints": (1, len(geometry.ints)),
                "parts": table.shape,
                "chain": (len(chain), 2),
                "pairs": (len(pairs), 2),
                "nodes": (nodes, count + 2),
                "heap": (nodes, 1),
                "box": (1, count + 2),
                "header": (1, p.HEADER_COLUMNS),
                "iwork": (1, IWORK),
            },
        )
        arena = self.arena
        arena["tree"][:], arena["linkage"][:] = cut.reals, cut.ints
        arena["joints"][p.LOWER], arena["joints"][p.UPPER] = limits
        arena["joints"][p.WIDTH] = limits[1] - limits[0]
        arena["joints"][p.PAD] = JOINT_BOX_ROUNDING * np.abs(limits).sum(axis=0)
        arena["local"][:] = np.array([pose[:3].reshape(12) for _, pose, _ in parts])
        arena["rows"][:], arena["refs"][:] = rows, refs
        arena["points"][:], arena["solids"][:] = geometry.points, geometry.nodes
        arena["faces"][:], arena["ints"][0] = geometry.faces, geometry.ints
        arena["balls"][:], arena["sizes"][:] = balls, sizes
        arena["cores"][:] = np.concatenate(cores)
        arena["reach"][0] = np.concatenate(reaches)
        arena["parts"][:], arena["pairs"][:] = table, pairs
        arena["chain"][:] = np.array(chain, dtype=np.int64).reshape(-1, 2)
        arena["heap"][:, 0] = np.arange(nodes)
        arena["result"][0] = clearance, math.inf, math.inf

    def grow(self) -> None:
        """Twice as many nodes."""
        before = len(self.arena["nodes"])
        self.arena = self.arena.grown({k: 2 * before for k in ("nodes", "keys", "heap")})
        self.arena["heap"][before:, 0] = np.arange(before, 2 * before)


class _Cut:
    """The part of a tree between a root frame and two others, numbered anew; the root is 0."""

    def __init__(self, tree: Tree, root: int, ends: list[int]) -> None:
        self._tree = tree
        kept = set()
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
        self.ints: IntArray = np.zeros((len(self.reals), 4), dtype=np.int64)
        for k, f in enumerate(self._frames, start=1):
            parent = self.number[int(tree.parent[f])]
            kind = int(tree.ints[f, kinematics.JOINT_KIND])
            self.ints[k] = parent, kind, place[int(index[f])], self.ints[parent, 3] + 1

    def following(self, index: int) -> list[int]:
        """The tree's frames whose joints follow an entry of ``q``."""
        return [f for f in self._frames if self._tree.ints[f, kinematics.INDEX] == index]

    def chain(self, frame: int) -> list[int]:
        """The frames from the root to a frame, outwards."""
        found = []
        while frame:
            found.append(frame)
            frame = int(self.ints[frame, kinematics.PARENT])
        return found[::-1]

    def margin(
        self, way: list[int], far: Array, points: Array, radius: float, pose: Array, limits: Array
    ) -> float:
        """What PATH_ROUNDING says that rounding can hide of a part, with the lengths of the whole
        ranges: its coordinates, reach times angle and reach times turn of each joint, its
        coordinates times the whole turn."""
        farthest = float(np.linalg.norm(points, axis=1).max(initial=0.0))
        extent = farthest + radius + float(np.abs(pose[:3, 3]).sum())
        hidden, turning = 0.0, 0.0
        for f, R in zip(way, far):
            row, low_high = self.reals[f], limits[:, self.ints[f, kinematics.INDEX]]
            times = abs(float(row[kinematics.MULTIPLIER]))
            s = 0.5 * times * float(low_high[1] - low_high[0])
            size = times * float(np.abs(low_high).max()) + abs(float(row[kinematics.OFFSET]))
            hidden += float(R) * (s + size)
            extent += float(np.abs(row[[3, 7, 11]]).sum())
            if self.ints[f, kinematics.JOINT_KIND] == kinematics.REVOLUTE:
                turning += s
            else:
                extent += size
        return PATH_ROUNDING * (hidden + (1.0 + turning) * extent)
