"""The monitor: joint angles in, imminent collisions out, every cycle, none missed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike

from standoff.cell import Body, Cell
from standoff.constants import RESERVE_FRACTION, ROOT_MARGIN, VISIT_WRAP
from standoff.errors import MonitorError
from standoff.index import Grid, Index, IndexFigures, Naive, Octree
from standoff.index.arena import Arena
from standoff.kernels.index import layout as x
from standoff.kernels.monitor import layout as m
from standoff.kernels.monitor.cycle import cycle as run_cycle
from standoff.kernels.monitor.cycle import test_again
from standoff.kernels.pairs import general
from standoff.monitor.amounts import amount
from standoff.monitor.buffers import DEFAULT, Buffer, by_name, coefficients, speed_limit
from standoff.monitor.limits import Reaches, measure_reaches
from standoff.monitor.reading import Reading
from standoff.monitor.report import Cycle, Fault, QuietCycle, copied
from standoff.monitor.scene import Scene, Zone, make_rules, read_scene
from standoff.monitor.separation import Coefficients, Separation
from standoff.monitor.slots import Primitive, Slots
from standoff.monitor.tables import Tables, fill_tables, own_box
from standoff.monitor.thresholds import Thresholds
from standoff.monitor.way import Way
from standoff.shapes.pose import Array

IndexName = Literal["octree", "grid", "naive"]
UpdateName = Literal["neighbours", "reinsert", "rebuild"]
_UPDATES = {"neighbours": m.NEIGHBOURS, "reinsert": m.REINSERT, "rebuild": m.REBUILD}
_INDEXES = ("octree", "grid", "naive")


class Monitor:
    """Watches a cell, one reading at a time.

    A moving primitive is extended by its whole buffer, a static one not at all, and a pair that is
    not allowed warns when the extended primitives overlap: at ``distance <= buffer_a + buffer_b``
    for two that move. Touching the threshold is a warning. The cell may change between two
    readings; the index changes with it, where it changed.

    Args:
        cell: what to watch; `revision` is looked at on each update.
        buffer: in metres, or a `Separation` that makes it grow with speed; or a dict of either by
            the name of a robot or body, ``"default"`` for the rest (0.03 where it is left out).
        index: ``octree``, ``grid`` or ``naive``; the answers are the same.
        thresholds: distances that go before the buffers for some pairs.
        zones: `KeepOut` and `KeepIn`.
        grasped: what holding a body adds to the buffer of the robot that holds it, by name, [m].
        period: time between two readings, [s], where no times are given; readings that come later
            than LATE_PERIODS of it are faults.
        max_speed: the fastest any point of a robot or body moves, [m/s], one number or by name;
            whatever moves faster has jumped. None: from the speeds of the joints, and
            USUAL_SPEED_LIMIT for the rest.
        between: certify the motion from the last reading to this one, and not this instant alone:
            joints move evenly, moving bodies straight ahead while they turn evenly, the shorter
            way. A pair then warns unless its distance is proved to exceed its threshold at every
            instant; one whose proof would take more than BETWEEN_TESTS distances warns, too.
        split: the paper's N: a node with more primitives is split.
        grid: the paper's G: cells along an edge of the grid.
        root: centre and edge of the root cube, [m]; around all that can be reached by default.
        smallest: edge of the smallest node, [m]; the farthest move in a cycle by default.
        reserve: how much wider than extended a mover is registered, [m]; by default a part of its
            size. 0 is the paper's own algorithm, which looks at the tree in each cycle.
        update: how the octree follows; ``reinsert`` and ``rebuild`` are the ways that the paper
            rejected.
        wrap: visit number after which all marks are cleared.

    Raises:
        MonitorError: a parameter that makes no sense.
        UnknownNameError: a name that is not in the cell.
    """

    def __init__(
        self,
        cell: Cell,
        buffer: Buffer | Mapping[str, Buffer] = 0.03,
        index: IndexName = "octree",
        *,
        thresholds: Thresholds | None = None,
        zones: Sequence[Zone] = (),
        grasped: Mapping[str, float] | None = None,
        period: float = 0.01,
        max_speed: float | Mapping[str, float] | None = None,
        between: bool = False,
        split: int = 10,
        grid: int = 16,
        root: tuple[ArrayLike, float] | None = None,
        smallest: float | None = None,
        reserve: float | None = None,
        update: UpdateName = "neighbours",
        wrap: int = VISIT_WRAP,
    ) -> None:
        if not isinstance(cell, Cell):
            raise MonitorError("not a cell", element="cell", value=cell, allowed="a Cell")
        _one_of("index", index, _INDEXES)
        _one_of("update", update, tuple(_UPDATES))
        self.cell = cell
        self.period = amount("period", period, "s", zero=False)
        self.thresholds = Thresholds() if thresholds is None else thresholds
        if not isinstance(self.thresholds, Thresholds):
            raise MonitorError("thresholds", value=thresholds, allowed="Thresholds(...)")
        self.zones = tuple(zones)
        self._buffer, self._max_speed, self._grasped = buffer, max_speed, dict(grasped or {})
        self._index_name, self._split, self._grid, self._wrap = index, split, grid, wrap
        self._root = None if root is None else (np.asarray(root[0], float), float(root[1]))
        self._smallest = None if smallest is None else amount("smallest", smallest, "m")
        self._reserve = None if reserve is None else amount("reserve", reserve, "m")
        self._update = _UPDATES[update]
        if self._update != m.NEIGHBOURS or index == "naive":
            self._reserve = 0.0
        self._between = bool(between)
        self._cycles = 0
        self._joints: tuple[str, ...] = ()
        self._slots: Slots | None = None
        self.index: Index
        self._arena: Arena
        self._scene: Scene
        self._revision: int
        self._general: int
        self._reading = Reading(self.period)
        self._bodies: Mapping[str, Body] = {}
        #: Names that were in the cell once: rules may go on naming them.
        self._seen: frozenset[str] = frozenset()
        self._check_defaults()
        self._sync()

    def update(self, q: Any, poses: Any = None, time: float | None = None) -> Cycle:
        """One reading in, one `Cycle` out.

        Args:
            q: the joints, an array in the order of ``cell.joints`` or a dict by name.
            poses: of the moving bodies, (m, 4, 4) in the order of ``cell.moving`` or a dict by
                name; None where there are none.
            time: of the reading, [s]; without it one period passes from reading to reading.

        Whatever is wrong with the input is a fault of the cycle, and never an exception: the last
        good values stand in for what cannot be used, at the highest speed.
        """
        if self.cell.revision != self._revision:
            self._sync()
        reading = self._reading
        period = self.period
        dt = period
        if time is not None:
            last = reading.time
            dt = -1.0
            if type(time) is float and last is not None and not reading.blind:
                dt = time - last
        given = self._no_poses if poses is None else poses
        # What comes as it should is handed over as it is; anything else is looked at closely.
        if (
            type(q) is ndarray
            and q.dtype is _FLOAT
            and q.shape == self._joints_shape
            and q.flags.carray
            and (given is self._expected or self._good_poses(given))
            and 0.0 < dt <= reading.late
            and not reading.missed
        ):
            grace = dt if dt > period else period
            told, clearance = run_cycle(*self._tables, q, given, dt, grace, 0)
            if not told & _UNUSABLE:
                self._cycles += 1
                if time is not None:
                    reading.time = time
                else:
                    reading.blind += 1
                if told == 0:
                    return QuietCycle(self._cycles, time, clearance)
                if told & _EVENTS == m.HITS_FOUND:
                    hits = copied(self._hits, told // m.EACH_HIT)
                    return Cycle(self._cycles, time, clearance, (), hits, self._naming)
                reading.faults = []
                reading.dt = dt
                return self._eventful(told, clearance, time)
        return self._update_with_care(q, poses, time)

    def _good_poses(self, poses: Any) -> bool:
        """Whether they can be handed over as they are."""
        return (
            type(poses) is ndarray
            and poses.dtype is _FLOAT
            and poses.shape == self._poses_shape
            and poses.flags.carray
        )

    def _update_with_care(self, q: Any, poses: Any, time: float | None) -> Cycle:
        """An update for whatever was given."""
        reading = self._reading
        reading.take(q, poses, time)
        self._cycles += 1
        for otherwise in (reading.mend, reading.fall_back, None):
            told, clearance = run_cycle(
                *self._tables, reading.q, reading.poses, reading.dt, reading.grace, reading.stale
            )
            if not told & _UNUSABLE or otherwise is None:
                break
            otherwise()
        return self._eventful(told, clearance, time)

    def figures(self) -> IndexFigures:
        """What the index looks like, and what it did."""
        return self.index.figures()

    @property
    def buffers(self) -> dict[str, float]:
        """The buffer of each moving body as of the last cycle, the largest of its primitives."""
        found: dict[str, float] = {}
        for slot, p in self._taken():
            if p.frame != 0:
                name = self._scene.names[p.body]
                found[name] = max(
                    found.get(name, 0.0), float(self._arena["motion"][slot, m.BUFFER])
                )
        return found

    @property
    def nbytes(self) -> int:
        """Memory of all tables, those of the index included."""
        return self._arena.nbytes + self.index.arena.nbytes

    def attach(self, body: str, link: str, *, touch: Sequence[str] = ()) -> None:
        """`Cell.attach` at the last reading."""
        self._tell_cell()
        self.cell.attach(body, link, touch=touch)

    def detach(self, body: str) -> None:
        """`Cell.detach` at the last reading."""
        self._tell_cell()
        self.cell.detach(body)

    def _tell_cell(self) -> None:
        """Joints and poses of the last reading; but for bodies that the cell has changed since."""
        now, moving = self.cell.bodies, {*self.cell.moving}
        joints = dict(zip(self.cell.joints, self.cell.q)) | self._reading.last_joints
        poses = {
            name: pose
            for name, pose in self._reading.last_places.items()
            if name in moving and now[name] is self._bodies.get(name)
        }
        self.cell.set_state([joints[name] for name in self.cell.joints], poses)
        self._bodies = self.cell.bodies

    def _eventful(self, told: int, clearance: float, time: float | None) -> Cycle:
        while told & (m.PAIRS_FULL | m.HITS_FULL):
            rows = {"pairs": 2 * len(self._arena["pairs"])}
            if told & m.HITS_FULL:
                rows = {"hits": 2 * self._count(m.HITS_USED)}
            self._use(self._arena.grown(rows))
            dt = math.nan if self._reading.stale else self._reading.dt
            told, clearance = test_again(*self._tables, dt)
        if told & m.INDEX_FULL:
            self.index.make_room()
            self._use(self._arena)
        faults = [*self._reading.faults]
        if told & m.FAULTS_FOUND:
            faults += self._kernel_faults()
        hits = copied(self._hits, told // m.EACH_HIT) if told & m.HITS_FOUND else None
        return Cycle(self._cycles, time, clearance, tuple(faults), hits, self._naming)

    def _kernel_faults(self) -> list[Fault]:
        found: list[Fault] = []
        names, owner = self._scene.names, self._arena["owner"]
        jumped: dict[str, Fault] = {}
        for kind, which, value, allowed in self._arena["faults"][: self._count(m.FAULTS_USED)]:
            if kind == m.LIMITS_FAULT:
                joint = self.cell.joints[int(which)]
                low, high, _ = self._arena["limits"][int(which)]
                found.append(Fault("limits", joint, float(value), f"{low:g} to {high:g}"))
            else:
                name = names[owner[int(which), 0]]
                if name not in jumped or jumped[name].value < value:
                    text = f"a move of up to {allowed:.4g} m"
                    jumped[name] = Fault("jump", name, float(value), text)
        return [*found, *jumped.values()]

    def _use(self, arena: Arena) -> None:
        """Take these tables, with what each cycle needs of them at hand."""
        self._arena, self._hits, self._counts = arena, arena["hits"], arena["counts"][0]
        self._reading.read_from(arena)
        index = self.index.arena
        self._tables = (self._general, arena.F, arena.W, index.F, index.W)

    def _count(self, column: int) -> int:
        return int(self._arena["counts"][0, column])

    def _taken(self) -> list[tuple[int, Primitive]]:
        assert self._slots is not None
        return list(self._slots.taken.values())

    def _sync(self) -> None:
        """Bring all tables up to date with the cell; the index changes where the cell did."""
        cell = self.cell
        scene = read_scene(cell, self.zones, self._seen)
        rules = make_rules(cell, scene, self.zones, self.thresholds)
        reaches = measure_reaches(cell, scene.primitives)
        old = self._slots
        moves = [p.frame != 0 for p in scene.primitives]
        kept = _known(self) if old is not None else {}
        assigned = None if old is None else old.assign(scene.primitives)
        anew = assigned is None
        if assigned is None:
            self._slots = Slots.with_room(scene.primitives)
            assigned = self._slots.assign(scene.primitives)
        assert assigned is not None and self._slots is not None
        where, gone, fresh = assigned
        motion = self._motion(scene, rules.least, reaches, self._slots, where)
        seen: dict[str, float] | None = {} if self._between else None
        if seen is not None and old is not None:
            seen = dict(zip(self._joints, self._arena["way"][m.TO]))
        way = Way(cell, reaches, self._slots, where, seen)
        tables = fill_tables(cell, scene, rules, self._slots, where, motion, way)
        self._joints = cell.joints
        arena = tables.arena
        for slot, p in self._slots.taken.values():
            if p.key in kept and slot not in set(fresh):
                state = kept[p.key]
                arena["rows"][slot, :12], arena["before"][slot] = state[0], state[1]
                arena["motion"][slot, m.KNOWN] = state[2]
        smallest = self._smallest_edge(arena["motion"])
        arena["counts"][0, m.UPDATE_MODE] = self._update
        self._reading.adopt(cell, arena)
        self._arena, self._scene, self._revision = arena, scene, cell.revision
        self._bodies, self._seen = cell.bodies, self._seen | scene.named
        single = len(scene.primitives) == len(scene.names)
        self._naming = (scene.names, single)
        self._general = 0 if tables.closed else general.address()
        self._no_poses = np.zeros((0, 4, 4))
        self._expected = None if cell.moving else self._no_poses
        self._joints_shape, self._poses_shape = (len(cell.joints),), (len(cell.moving), 4, 4)
        self._start_boxes(tables, where, moves)
        if anew:
            self.index = self._new_index(tables, where, moves, reaches, smallest)
            fresh, gone = where, []
        # A node may be smaller than the farthest move: a cell of a fine grid, or one of a tree made
        # when all moved less.
        arena["scales"][0, m.SMALLEST] = min(smallest, self.index.smallest)
        for slot in gone:
            if self.index.arena["items"][slot, x.STATE] != x.ABSENT:
                self.index.remove(slot)
        if fresh:
            at = np.array(fresh, dtype=np.int64)
            self.index.insert_many(at, tables.boxes[at])
        # Pairs are found anew for all that moves, as if all of it were new.
        self.index.arena["items"][: self._slots.movers, x.MOVED] = 1
        self.index.arena["items"][self._slots.movers :, x.MOVED] = 0
        arena["counts"][0, m.PAIRS_USED] = 0
        self._use(arena)

    def _motion(
        self, scene: Scene, least: Array, reaches: Reaches, slots: Slots, where: list[int]
    ) -> Array:
        """The movers' table."""
        names = {*scene.robots, *self.cell.bodies, *self._seen}
        buffers = by_name(self._buffer, "buffer", names)
        speeds = by_name(self._max_speed, "max_speed", names)
        extra = self._extra(scene)
        table = np.zeros((slots.movers, m.MOTION_COLUMNS))
        for k, p in enumerate(scene.primitives):
            if p.frame == 0:
                continue
            owner, body = scene.owner[p.body], scene.names[p.body]
            given = buffers.get(body, buffers.get(owner, buffers.get(DEFAULT, 0.03)))
            c0, c1, c2 = self._buffer_of(given, owner)
            asked = speeds.get(body, speeds.get(owner, speeds.get(DEFAULT)))
            limit = speed_limit(asked, given, float(reaches.fastest[k]), owner)
            centre, half, reach = own_box(p.shape)
            reserve = self._reserve
            if reserve is None:
                reserve = RESERVE_FRACTION * float(half.mean())
            table[where[k]] = (
                c0 + extra.get(owner, 0.0), c1, c2, least[p.body], limit, 0.0, 0.0, 0.0, 0.0,
                reserve, reach, *centre, *half,
            )  # fmt: skip
        return table

    def _check_defaults(self) -> None:
        """Refuse now what would only be found out when the first body moves that it is for."""
        names = {*self.cell.robots, *self.cell.bodies}
        given = by_name(self._buffer, "buffer", names).get(DEFAULT, 0.03)
        asked = by_name(self._max_speed, "max_speed", names).get(DEFAULT)
        self._buffer_of(given, DEFAULT)
        speed_limit(asked, given, 0.0, DEFAULT)

    def _buffer_of(self, given: Any, owner: str) -> Coefficients:
        if isinstance(given, Separation) and self.period > given.period_time:
            raise MonitorError(
                "readings come less often than the separation allows",
                element=f"buffer of {owner}",
                value=self.period,
                allowed=f"a period of up to {given.period_time:g} s",
            )
        return coefficients(given, f"buffer of {owner}")

    def _extra(self, scene: Scene) -> dict[str, float]:
        """What is held adds to the buffer of its robot."""
        found: dict[str, float] = {}
        for name, value in self._grasped.items():
            body = self.cell.bodies.get(name)
            added = amount(f"grasped {name!r}", value, "m")
            if body is not None and body.attachment is not None:
                robot = body.attachment.link.partition("/")[0]
                found[robot] = found.get(robot, 0.0) + added
        return found

    def _smallest_edge(self, motion: Array) -> float:
        """No face of a registered box moves as far outwards in a cycle, buffers of one speed: the
        farthest move, and the reserve put on anew."""
        if self._smallest is not None:
            return self._smallest
        steps = motion[:, m.LIMIT] * self.period + motion[:, m.RESERVE]
        return float(steps.max(initial=0.0))

    def _start_boxes(self, tables: Tables, where: list[int], moves: list[bool]) -> None:
        """Movers are registered with no place yet: the first cycle puts them where they are."""
        for slot, moving in zip(where, moves):
            if moving:
                tables.boxes[slot] = math.inf, math.inf, math.inf, -math.inf, -math.inf, -math.inf

    def _new_index(
        self,
        tables: Tables,
        where: list[int],
        moves: list[bool],
        reaches: Reaches,
        smallest: float,
    ) -> Index:
        assert self._slots is not None
        total = self._slots.total
        if self._index_name == "naive":
            return Naive(total)
        low, edge = self._root_cube(tables.boxes, reaches)
        if self._index_name == "grid":
            return Grid(total, low, edge, side=self._grid, wrap=self._wrap)
        octree = Octree(total, low, edge, split=self._split, smallest=smallest, wrap=self._wrap)
        if self._reserve != 0.0:
            octree.search_from_above()
        return octree

    def _root_cube(self, boxes: Array, reaches: Reaches) -> tuple[Array, float]:
        """Low corner and edge of a cube around all that stands still, all that the joints reach and
        where the moving bodies are now."""
        if self._root is not None:
            centre, edge = self._root
            return centre - 0.5 * edge, edge
        still = boxes[np.isfinite(boxes).all(axis=1)]
        corners = [still[:, :3], still[:, 3:]]
        far = reaches.farthest[np.isfinite(reaches.farthest)].max(initial=0.0)
        if far:
            corners.append(np.array([[-far] * 3, [far] * 3]))
        for name in self.cell.moving:
            body = self.cell.bodies[name]
            _, _, reach = own_box(body.shape)
            at = body.pose[:3, 3]
            corners.append(np.array([at - 2.0 * reach, at + 2.0 * reach]))
        points = np.concatenate(corners) if corners else np.zeros((0, 3))
        if not len(points):
            return np.full(3, -0.5), 1.0
        low, high = points.min(axis=0), points.max(axis=0)
        edge = float((high - low).max()) * (1.0 + 2.0 * ROOT_MARGIN) or 1.0
        return 0.5 * (low + high) - 0.5 * edge, edge


#: Input that could not be used.
_UNUSABLE = m.BAD_JOINT | m.BAD_POSE

#: All that a cycle can tell, without the number of hits.
_EVENTS = m.EACH_HIT - 1

#: The one float64 of this machine's byte order.
_FLOAT = np.dtype(np.float64)


def _one_of(element: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise MonitorError(
            "unknown choice", element=element, value=value, allowed=", ".join(allowed)
        )


def _known(monitor: Monitor) -> dict[tuple[str, int, bool], tuple[Array, Array, float]]:
    """Where each mover is and was, to be carried over to the next revision."""
    arena: Arena = monitor._arena
    return {
        p.key: (
            arena["rows"][slot, :12].copy(),
            arena["before"][slot].copy(),
            float(arena["motion"][slot, m.KNOWN]),
        )
        for slot, p in monitor._taken()
        if p.frame != 0
    }
