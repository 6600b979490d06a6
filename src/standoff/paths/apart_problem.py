"""Two bodies and the joints between them, laid out as `kernels.paths.apart_layout` says."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from standoff.cell.world import World
from standoff.constants import ENCODER_TOLERANCE, JOINT_BOX_ROUNDING
from standoff.index.arena import Arena
from standoff.kernels import layout
from standoff.kernels.pairs.dispatch import IWORK, WORK
from standoff.kernels.paths import apart_layout as p
from standoff.kernels.reach import reach
from standoff.paths.apart_ranges import joint_range
from standoff.paths.apart_tree import CutTree
from standoff.paths.balls import placed_ball
from standoff.robots.moving_body import MovingBody, few_points
from standoff.robots.tree import WORLD, Tree, scratch_shape
from standoff.shapes.mesh import Mesh
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray, Shape
from standoff.shapes.table import pack

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
        arena: all tables; see `kernels.paths.apart_layout`. Of one that is endless there are none.
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
