"""A cell as the path check takes it: all that stays the same from motion to motion.

A tree of boxes around what stands still, so that a motion asks only for what it can reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from standoff.cell import Cell
from standoff.cell.allowed import Pair
from standoff.compiled.arenas import Arena
from standoff.compiled.by_address import address_of
from standoff.geometry.narrowphase import dispatch, layout, unpacked
from standoff.geometry.narrowphase.dispatch import has_closed_form
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Sphere
from standoff.geometry.shape import IntArray, Shape
from standoff.geometry.table import pack
from standoff.motion.bound import MotionBound, MovingBody, few_points
from standoff.paths.joint_maps import Maps
from standoff.paths.kernels import layout as p
from standoff.paths.listed import NOBODY, Primitive, ball_of_balls, list_pairs, placed_ball
from standoff.robots.kernels import kinematics
from standoff.robots.tree import Tree
from standoff.tolerances import BOX_ROUNDING, EPS


@dataclass(frozen=True, eq=False)
class Tables:
    """The first arena of `paths.kernels.layout` and what it was made from.

    Attributes:
        primitives: movers first, then statics in the order of the boxes, the unbounded last.
        names: of the bodies.
        bound: reaches of the movers that joints carry.
        boxes: around the bounded statics; counted from the first static.
        stepper, general: addresses of `step` and of `pair_distance`; the latter 0 where every pair
            has a closed form.
        movers: how many, crowds included.
        tree, frames: of the joints, and all frames with those of gliding bodies.
        gliding: the moving bodies, which glide.
        spare: scratch for these tables that nobody uses now.
    """

    revision: int
    primitives: tuple[Primitive, ...]
    names: tuple[str, ...]
    bound: MotionBound
    boxes: BoxTree
    arena: Arena
    stepper: int
    general: int
    movers: int
    tree: Tree
    frames: int
    gliding: tuple[str, ...]
    spare: list[Arena] = field(default_factory=list)

    @property
    def joints(self) -> int:
        """How many joints a configuration has."""
        return len(self.tree.joints)


def build_tables(
    cell: Cell,
    clearance: float,
    tolerance: float,
    clearances: Mapping[Pair, float],
    deviation: Array,
    curved: bool,
    straight: bool,
    *,
    gliding: bool = True,
) -> Tables:
    """Lay out a cell. ``clearances`` go before ``clearance`` for their pairs of bodies. Where
    ``gliding`` does not count, pairs without a joint between them are left out: two bodies that
    glide, or one that does and one that stands."""
    revision, tree, world = cell.revision, cell.tree, cell.world
    found = [
        Primitive(body, part, world.frame[body], shape, pose)
        for body, parts in enumerate(world.parts)
        for part, (shape, pose) in enumerate(parts)
    ]
    single = sorted((x for x in found if x.frame != 0), key=lambda x: x.frame)
    movers = [*single, *_crowds(tree, single)]
    still = [x for x in found if x.frame == 0]
    bounded = [x for x in still if x.shape.bounded]
    boxes = box_tree(np.array([world_box(x.shape, x.pose) for x in bounded]).reshape(-1, 6))
    primitives = (
        *movers,
        *(bounded[k] for k in boxes.order),
        *(x for x in still if not x.shape.bounded),
    )
    rows, refs, geometry = pack([x.shape for x in primitives])
    rows[:, : layout.SIZE] = np.array([x.pose[:3].reshape(12) for x in primitives]).reshape(-1, 12)

    jointed = [k for k, x in enumerate(movers) if x.frame < tree.frames]
    bound = MotionBound(
        tree,
        [
            MovingBody.of_shape(str(k), movers[k].frame, movers[k].shape, movers[k].pose)
            for k in jointed
        ],
    )
    mover_rows, cores, extent = _movers(cell, movers, jointed, bound)
    listed = list_pairs(cell, primitives, len(single), clearances, clearance, gliding)
    meeting = single if gliding else [x for x in single if x.frame < tree.frames]
    # With deviations a map could prove what no certificate can list.
    maps = Maps(tree, world, primitives, listed, tolerance, wanted=not deviation.any())
    links, teams = listed.links, maps.teams
    depth = tree.ints[:, kinematics.DEPTH]
    arena = Arena(
        {
            "tree": tree.reals.shape,
            "local": (len(movers), 12),
            "rows": rows.shape,
            "points": geometry.points.shape,
            "solids": geometry.nodes.shape,
            "balls": (len(primitives), 4),
            "cores": cores.shape,
            "reach": (1, len(bound.reach)),
            "extent": extent.shape,
            "boxes": boxes.boxes.shape,
            "link_clearance": (len(links), 1),
            "deviation": (1, len(tree.joints)),
            "settings": (1, p.SETTINGS),
            "across": (4, len(still)),
            "ranges": maps.ranges.shape,
            "scales": maps.scales.shape,
        },
        {
            "linkage": tree.ints.shape,
            "refs": refs.shape,
            "faces": geometry.faces.shape,
            "ints": (1, len(geometry.ints)),
            "movers": mover_rows.shape,
            "chain": bound.chain.shape,
            "leaves": boxes.leaves.shape,
            "links": links.shape,
            "skipped": (len(listed.skipped), 1),
            "skips": (len(movers), 2),
            "counts": (1, p.COUNT_COLUMNS),
            "carried": bound.bodies.shape,
            "teams": teams.shape,
            "maps": maps.rows.shape,
            "sums": (1, len(maps.sums)),
        },
    )
    arena["tree"][:], arena["linkage"][:] = tree.reals, tree.ints
    arena["local"][:] = rows[: len(movers), : layout.SIZE]
    arena["rows"][:], arena["refs"][:] = rows, refs
    arena["points"][:], arena["solids"][:] = geometry.points, geometry.nodes
    arena["faces"][:], arena["ints"][0] = geometry.faces, geometry.ints
    arena["balls"][:] = [placed_ball(x.shape, x.pose) for x in primitives] or np.zeros((0, 4))
    arena["cores"][:], arena["extent"][:] = cores, extent
    arena["reach"][0], arena["chain"][:], arena["carried"][:] = (
        bound.reach,
        bound.chain,
        bound.bodies,
    )
    arena["boxes"][:] = boxes.boxes
    leaves = boxes.leaves.copy()
    leaves[leaves[:, 0] < 0, 1:] += len(movers)
    arena["leaves"][:] = leaves
    arena["across"][:] = arena["balls"][len(movers) :].T
    arena["links"][:], arena["link_clearance"][:, 0] = links, listed.clearances
    arena["teams"][:] = teams
    arena["ranges"][:], arena["scales"][:] = maps.ranges, maps.scales
    arena["maps"][:], arena["sums"][0] = maps.rows, maps.sums
    arena["skipped"][:, 0], arena["skips"][: len(single)] = listed.skipped, listed.skips
    arena["movers"][:] = mover_rows
    arena["deviation"][0] = deviation
    arena["settings"][0] = [clearance, tolerance, float(curved), float(straight)]
    sliding = bool((tree.ints[:, kinematics.JOINT_KIND] == kinematics.PRISMATIC).any())
    # Those that glide lead by themselves, and what has a clearance of its own with a static.
    sparing = len(jointed) == len(movers) and bool((teams[:, :2] >= len(single)).all())
    arena["counts"][0] = [
        len(movers), len(still), len(bounded), tree.frames, int(depth.max(initial=0)), int(sliding),
        len(single), 0, 0, len(meeting), maps.unmapped, int(sparing),
        int(any(x.shape.flags & layout.OPEN_SOLID for x in primitives)),
    ]  # fmt: skip
    kinds = {x.shape.kind for x in primitives}
    if layout.MESH in kinds:
        arena["counts"][0, p.WALKER] = address_of("paths.kernels.mesh_walk.mesh_walk")
        arena["counts"][0, p.NESTER] = unpacked.nested_address()
    closed = all(has_closed_form(a, b) for a in kinds for b in kinds)
    return Tables(
        revision=revision,
        primitives=primitives,
        names=world.names,
        bound=bound,
        boxes=boxes,
        arena=arena,
        stepper=address_of("paths.kernels.step.step"),
        general=0 if closed else dispatch.general_address(),
        movers=len(movers),
        tree=tree,
        frames=world.frames,
        gliding=cell.moving,
    )


def _crowds(tree: Tree, single: list[Primitive]) -> list[Primitive]:
    """A ball around all primitives that one joint carries, for each; it belongs to no body."""
    found = []
    for frame in sorted({x.frame for x in single if x.frame < tree.frames}):
        placed = [placed_ball(x.shape, x.pose) for x in single if x.frame == frame]
        centre, radius = ball_of_balls(np.array([b[:3] for b in placed]), [b[3] for b in placed])
        pose = np.eye(4)
        pose[:3, 3] = centre
        found.append(Primitive(NOBODY, 0, frame, Sphere(radius), pose))
    return found


def _movers(
    cell: Cell, movers: list[Primitive], jointed: list[int], bound: MotionBound
) -> tuple[IntArray, Array, Array]:
    """Rows of all movers and of the world after them, their core points, and how far they get."""
    rows = np.zeros((len(movers) + 1, p.MOVER_COLUMNS), dtype=np.int64)
    extent = np.zeros((len(movers), 2))
    cores, count = [bound.points], len(bound.points)
    place = {k: row for row, k in enumerate(jointed, start=1)}
    for k, x in enumerate(movers):
        radius = float(x.shape.core()[1])
        members = [m for m, y in enumerate(movers) if y.frame == x.frame and y.body != NOBODY]
        those = members if x.body == NOBODY else [k]
        rows[k, p.MEMBER0], rows[k, p.MEMBERS] = those[0], those[-1] + 1
        rows[k, p.MESHED] = any(movers[m].shape.kind == layout.MESH for m in those)
        if k in place:
            row = place[k]
            rows[k, :4] = bound.bodies[row]
            rows[k, p.JOINTS] = cell.tree.ints[x.frame, kinematics.DEPTH]
            extent[k] = bound.extent[x.frame] + bound.size[row] + radius, bound.size[row]
        else:
            body = MovingBody.of_shape(str(k), x.frame, x.shape, x.pose)
            points = few_points(body.points)
            rows[k, :4] = x.frame, 0, count, len(points)
            farthest = float(np.linalg.norm(body.points, axis=1).max(initial=0.0))
            extent[k] = farthest + radius, farthest
            cores.append(points)
            count += len(points)
    return rows, np.ascontiguousarray(np.concatenate(cores)), extent


#: Statics in a leaf at most: their balls are tested four at a time, so that many cost as much as a
#: few more boxes.
LEAF = 64


@dataclass(frozen=True, eq=False)
class BoxTree:
    """A binary tree of boxes, halved along the longest side of the middles.

    Attributes:
        order: the statics in the order of the leaves.
        boxes: (nodes, 6) low and high corner; the root is the first.
        leaves: (nodes, 3) left and right child and -1; or -1, first and past the last of the
            statics in ``order``.
    """

    order: IntArray
    boxes: Array
    leaves: IntArray

    def span(self, node: int) -> tuple[int, int]:
        """First and past the last place in ``order`` of what is under a node."""
        first = last = node
        while self.leaves[first, 0] >= 0:
            first = int(self.leaves[first, 0])
        while self.leaves[last, 0] >= 0:
            last = int(self.leaves[last, 1])
        return int(self.leaves[first, 1]), int(self.leaves[last, 2])


def world_box(shape: Shape, pose: Array) -> Array:
    """Low and high corner around a shape at a pose, rounded outwards."""
    low, high = shape.bounds()
    half = 0.5 * (high - low)
    middle = pose[:3, :3] @ (low + half) + pose[:3, 3]
    grown = np.abs(pose[:3, :3]) @ half
    grown += BOX_ROUNDING * EPS * (np.abs(middle).sum() + np.abs(pose[:3, 3]).sum() + grown.sum())
    return np.concatenate([middle - grown, middle + grown])


def box_tree(boxes: Array) -> BoxTree:
    """The tree of so many boxes (n, 6)."""
    order = np.arange(len(boxes), dtype=np.int64)
    made: list[Array] = []
    links: list[list[int]] = []
    middles = boxes[:, :3] + boxes[:, 3:]

    def build(first: int, last: int) -> int:
        inside = order[first:last]
        at = len(made)
        made.append(np.concatenate([boxes[inside, :3].min(axis=0), boxes[inside, 3:].max(axis=0)]))
        links.append([-1, first, last])
        if last - first > LEAF:
            spread = np.ptp(middles[inside], axis=0)
            along = middles[inside, int(np.argmax(spread))]
            order[first:last] = inside[np.argsort(along, kind="stable")]
            cut = (first + last) // 2
            links[at] = [build(first, cut), build(cut, last), -1]
        return at

    if len(boxes):
        build(0, len(boxes))
    return BoxTree(
        order,
        np.array(made).reshape(-1, 6),
        np.array(links, dtype=np.int64).reshape(-1, 3),
    )
