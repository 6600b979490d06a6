"""The tables of a monitor, filled from one revision of a cell.

The table of what moves: buffers, limits and extents of each primitive.

How fast links can be, and how far they get: from the joints' own limits.

The index that a monitor was asked for, around all that it watches.

The tables with which the motion between two readings is certified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from standoff.broadphase import Grid, Index, Naive, Octree, Region
from standoff.broadphase.index import ROOT_MARGIN
from standoff.cell import Cell
from standoff.compiled.arenas import Arena
from standoff.compiled.by_address import address_of
from standoff.defaults import USUAL_BUFFER
from standoff.errors import MonitorError
from standoff.geometry.narrowphase import dispatch, layout
from standoff.geometry.narrowphase.aabb import bound_all
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.geometry.table import pack
from standoff.monitor.buffers import DEFAULT, by_name, coefficients, speed_limit
from standoff.monitor.kernels import layout as m
from standoff.monitor.kernels.between import STOP_ROWS
from standoff.monitor.options import Options
from standoff.monitor.scene import Primitive, Rules, Scene, Slots
from standoff.monitor.separation import Coefficients, Separation
from standoff.motion.bound import MotionBound, MovingBody
from standoff.motion.kernels import bound as kernels
from standoff.tolerances import AHEAD

#: Levels of the region octree of a monitor where no smallest node is asked for, [-]: 1/64 of the
#: scene. Each level more makes four times as many nodes.
REGION_INDEX_LEVELS = 6

#: How much wider than extended a mover is registered, as a part of the half extents of its box,
#: [-]. Wider: registered anew less often, but more pairs near each other; flat between 0.5 and 1.
RESERVE_FRACTION = 0.6


@dataclass(frozen=True, eq=False)
class Tables:
    """The arena, and the boxes of all primitives where ``local`` puts them, by slot: the boxes of
    what stands still, and of no meaning for what moves."""

    arena: Arena
    boxes: Array


def fill_tables(
    cell: Cell,
    scene: Scene,
    rules: Rules,
    slots: Slots,
    where: list[int],
    rows_of_movers: Array,
    way: Way,
) -> Tables:
    """Lay all tables out and fill them; ``where`` is the slot of each primitive,
    ``rows_of_movers`` its row in the table of movers (not used where it stands still), and ``way``
    what the motion between readings needs."""
    tree = cell.tree
    rows, refs, geometry = pack([p.shape for p in scene.primitives])
    at = np.array(where, dtype=np.int64)
    local = np.array([p.local[:3].reshape(12) for p in scene.primitives]).reshape(-1, 12)
    rows[:, : layout.SIZE] = local
    turns = tree.scratch()
    joints = len(tree.joints)
    faults = joints + slots.movers + 1
    frames = tree.frames + len(cell.moving)
    arena = Arena(
        {
            "rows": (slots.total, layout.ROW_COLUMNS),
            "local": (slots.movers, 12),
            "before": (slots.movers, 12),
            "motion": (slots.movers, m.MOTION_COLUMNS),
            "extended": (slots.movers, 6),
            "frames": (frames, 12),
            "limits": (joints, 3),
            "tree": (tree.frames, 16),
            "turns": turns.shape,
            "points": geometry.points.shape,
            "solids": geometry.nodes.shape,
            "thresholds": rules.thresholds.shape,
            "hits": (64, m.HIT_COLUMNS),
            "faults": (faults, 4),
            "work": (1, dispatch.WORK),
            "fresh": (1, 6),
            "basis": (slots.movers, 6),
            "scales": (1, m.SCALE_COLUMNS),
            **way.real_shapes,
        },
        {
            "refs": (slots.total, layout.REF_COLUMNS),
            "frame": (slots.movers, 1),
            "owner": (slots.total, 1),
            "bodies": rules.bodies.shape,
            "exceptions": rules.exceptions.shape,
            "linkage": (tree.frames, 4),
            "faces": geometry.faces.shape,
            "ints": (1, len(geometry.ints)),
            "pairs": (max(64, 8 * slots.movers), 3),
            "found": (1, slots.total),
            "iwork": (1, dispatch.IWORK),
            "counts": (1, m.COUNT_COLUMNS),
            **way.whole_shapes,
        },
    )
    arena["rows"][at] = rows
    arena["refs"][at] = refs
    arena["owner"][at, 0] = [p.body for p in scene.primitives]
    moving = at < slots.movers
    arena["local"][at[moving]] = local[moving]
    arena["frame"][at[moving], 0] = np.array([p.frame for p in scene.primitives])[moving]
    arena["motion"][at[moving]] = rows_of_movers[moving]
    arena["basis"][:] = np.inf
    arena["limits"][:, 0], arena["limits"][:, 1] = tree.lower, tree.upper
    arena["tree"][:], arena["linkage"][:] = tree.reals, tree.ints
    arena["turns"][:] = turns
    arena["points"][:], arena["solids"][:] = geometry.points, geometry.nodes
    arena["faces"][:], arena["ints"][0] = geometry.faces, geometry.ints
    arena["thresholds"][:] = rules.thresholds
    arena["bodies"][:], arena["exceptions"][:] = rules.bodies, rules.exceptions
    arena["counts"][0, m.MOVERS] = slots.movers
    arena["counts"][0, m.TREE_FRAMES] = tree.frames
    way.fill(arena)
    boxes = np.empty((len(rows), 6))
    bound_all(rows, refs, np.ascontiguousarray(geometry.points), boxes)
    by_slot = np.full((slots.total, 6), np.nan)
    by_slot[at] = boxes
    return Tables(arena, by_slot)


def own_box(shape: Shape) -> tuple[Array, Array, float]:
    """Centre and half extents of a bounded shape in its own axes, and its farthest point from its
    origin; somewhat wide for cylinders, [m]."""
    points, radius = shape.core()
    low, high = points.min(axis=0) - radius, points.max(axis=0) + radius
    reach = float(np.sqrt((points**2).sum(axis=1)).max()) + radius
    return 0.5 * (low + high), 0.5 * (high - low), reach


def check_names(cell: Cell, options: Options) -> None:
    """Refuse now what would only be found out when the first body moves that it is for."""
    names = {*cell.robots, *cell.bodies}
    buffers = by_name(options.buffer, "buffer", names)
    speeds = by_name(options.max_speed, "max_speed", names)
    for name in {DEFAULT, *buffers, *speeds}:
        given = buffers.get(name, buffers.get(DEFAULT, USUAL_BUFFER))
        _coefficients(given, name, options.period)
        speed_limit(speeds.get(name, speeds.get(DEFAULT)), given, 0.0, name)


def mover_rows(
    cell: Cell,
    scene: Scene,
    options: Options,
    known: frozenset[str],
    least: Array,
    reaches: Reaches,
) -> Array:
    """A row of the motion table (see `monitor.kernels.layout`) for each primitive of the scene; 0
    for what stands still. ``known`` are the names that options may use."""
    names = {*scene.robots, *cell.bodies, *known}
    buffers = by_name(options.buffer, "buffer", names)
    speeds = by_name(options.max_speed, "max_speed", names)
    held = _held(cell, options)
    rows = np.zeros((len(scene.primitives), m.MOTION_COLUMNS))
    sizes = _whole_sizes(scene)
    for k, p in enumerate(scene.primitives):
        if p.frame == 0:
            continue
        owner, body = scene.owner[p.body], scene.names[p.body]
        given = buffers.get(body, buffers.get(owner, buffers.get(DEFAULT, USUAL_BUFFER)))
        c0, c1, c2 = _coefficients(given, owner, options.period)
        asked = speeds.get(body, speeds.get(owner, speeds.get(DEFAULT)))
        limit = speed_limit(asked, given, float(reaches.fastest[k]), owner)
        centre, half, reach = own_box(p.shape)
        reserve = options.reserve
        if reserve is None:
            reserve = RESERVE_FRACTION * float(half.mean())
        rows[k] = (
            c0 + held.get(owner, 0.0), c1, c2, least[p.body], limit, 0.0, 0.0, 0.0, 0.0,
            reserve, reach, *centre, *half, limit * options.period,
            given.gain if isinstance(given, Separation) else 0.0, sizes[k],
        )  # fmt: skip
    return rows


def _whole_sizes(scene: Scene) -> Array:
    """For each primitive that moves, the farthest point of its whole body from its own origin."""
    reach = np.array([own_box(p.shape)[2] if p.frame != 0 else 0.0 for p in scene.primitives])
    members: dict[int, list[int]] = {}
    for k, p in enumerate(scene.primitives):
        if p.frame != 0:
            members.setdefault(p.body, []).append(k)
    sizes = reach.copy()
    for own in members.values():
        if len(own) > 1:
            origins = np.array([scene.primitives[k].local[:3, 3] for k in own])
            for k, origin in zip(own, origins):
                sizes[k] = (np.linalg.norm(origins - origin, axis=1) + reach[own]).max()
    return sizes


def farthest_step(rows: Array, period: float) -> float:
    """No face of a registered box moves as far outwards in a cycle at a steady buffer, [m]: the
    farthest move, and the reserve put on anew."""
    steps = rows[:, m.LIMIT] * period + AHEAD * rows[:, m.RESERVE]
    return float(steps.max(initial=0.0))


def highest_speeds(scene: Scene, rows: Array) -> dict[str, float]:
    """The highest speed of each body that moves, by name, [m/s]."""
    found: dict[str, float] = {}
    for p, row in zip(scene.primitives, rows):
        if p.frame != 0:
            name = scene.names[p.body]
            found[name] = max(found.get(name, 0.0), float(row[m.LIMIT]))
    return found


def _held(cell: Cell, options: Options) -> dict[str, float]:
    """What bodies add to the buffers of the robots that hold them."""
    found: dict[str, float] = {}
    for name, added in options.grasped.items():
        body = cell.bodies.get(name)
        if body is not None and body.attachment is not None:
            robot = body.attachment.link.partition("/")[0]
            found[robot] = found.get(robot, 0.0) + added
    return found


def _coefficients(given: Any, owner: str, period: float) -> Coefficients:
    if isinstance(given, Separation) and period > given.period_time:
        raise MonitorError(
            "readings come less often than the separation allows",
            element=f"buffer of {owner}",
            value=period,
            allowed=f"a period of up to {given.period_time:g} s",
        )
    return coefficients(given, f"buffer of {owner}")


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


def new_index(
    cell: Cell, options: Options, slots: int, boxes: Array, reaches: Reaches, smallest: float
) -> Index:
    """An empty index for ``slots`` items; ``boxes`` are those of what stands still, and no node is
    to be smaller than ``smallest``."""
    if options.index == "naive":
        return Naive(slots)
    low, edge = _root_cube(cell, options, boxes, reaches)
    if options.index == "grid":
        return Grid(slots, low, edge, side=options.grid, wrap=options.wrap)
    if options.index == "region":
        if options.smallest is None:
            smallest = max(smallest, edge / 2.0**REGION_INDEX_LEVELS)
        return Region(slots, low, edge, smallest=smallest, wrap=options.wrap)
    octree = Octree(slots, low, edge, split=options.split, smallest=smallest, wrap=options.wrap)
    if options.reserve != 0.0:
        octree.search_from_above()
    return octree


def _root_cube(cell: Cell, options: Options, boxes: Array, reaches: Reaches) -> tuple[Array, float]:
    """Low corner and edge of a cube around all that stands still, all that the joints reach and
    where the moving bodies are now."""
    if options.root is not None:
        centre, edge = options.root
        return centre - 0.5 * edge, edge
    still = boxes[np.isfinite(boxes).all(axis=1)]
    corners = [still[:, :3], still[:, 3:]]
    far = float(reaches.farthest[np.isfinite(reaches.farthest)].max(initial=0.0))
    if far:
        corners.append(np.array([[-far] * 3, [far] * 3]))
    for name in cell.moving:
        body = cell.bodies[name]
        _, _, reach = own_box(body.shape)
        at = body.pose[:3, 3]
        corners.append(np.array([at - 2.0 * reach, at + 2.0 * reach]))
    points = np.concatenate(corners)
    if not len(points):
        return np.full(3, -0.5), 1.0
    low, high = points.min(axis=0), points.max(axis=0)
    edge = float((high - low).max()) * (1.0 + 2.0 * ROOT_MARGIN) or 1.0
    return 0.5 * (low + high) - 0.5 * edge, edge


Shapes = dict[str, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Way:
    """See `monitor.kernels.layout`; all tables are empty where nothing is asked of them.

    Attributes:
        seen: the joints at the last reading, by name, those that were read; None where the instant
            of each reading is enough.
    """

    cell: Cell
    reaches: Reaches
    slots: Slots
    where: list[int]
    seen: Mapping[str, float] | None

    @property
    def real_shapes(self) -> Shapes:
        """Rows and columns of the float64 tables, in their order."""
        tree, bound, movers = self.cell.tree, self.reaches.bound, self.slots.movers
        return self._if_asked(
            {
                "way": (m.WAY_ROWS, len(tree.joints)),
                "joint_sums": (2, tree.frames),
                "start": (movers, layout.ROW_COLUMNS),
                "start_frames": (tree.frames, 12),
                "at_frames": (tree.frames, 12),
                "sway": (movers, m.SWAY_COLUMNS),
                "reach": (1, len(bound.reach)),
                "wide_reach": (1, len(bound.reach)),
                "two": (2, layout.ROW_COLUMNS),
                "stops": (STOP_ROWS, m.STOP_COLUMNS),
            }
        )

    @property
    def whole_shapes(self) -> Shapes:
        """The same of the int64 tables."""
        return self._if_asked(
            {
                "chain": (len(self.reaches.bound.chain), 2),
                "carried": (self.slots.movers, 4),
                "two_refs": (2, layout.REF_COLUMNS),
            }
        )

    def _if_asked(self, shapes: Shapes) -> Shapes:
        return (
            shapes if self.seen is not None else {name: (0, c) for name, (_, c) in shapes.items()}
        )

    def fill(self, arena: Arena) -> None:
        """Fill what does not change from cycle to cycle; the sizes of all rows are in place."""
        if self.seen is None:
            return
        bound = self.reaches.bound
        arena["counts"][0, m.SWEEP_STEP] = address_of("monitor.kernels.sweep.sweep_movers")
        arena["counts"][0, m.JUDGE_STEP] = address_of("monitor.kernels.between.judge_between")
        arena["way"][m.TO] = [self.seen.get(name, np.nan) for name in self.cell.joints]
        arena["chain"][:], arena["reach"][0] = bound.chain, bound.reach
        for slot, row in zip(self.where, self.reaches.rows):
            if row:
                arena["carried"][slot] = bound.bodies[row]
        arena["start"][:] = arena["rows"][: self.slots.movers]
        # The world itself, which no walk down the tree writes.
        arena["start_frames"][0] = arena["at_frames"][0] = np.eye(4)[:3].reshape(12)
