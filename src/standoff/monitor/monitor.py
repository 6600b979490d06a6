"""The monitor: joint angles in, imminent collisions out, every cycle, none missed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np

from standoff.broadphase import Index, IndexFigures, IndexKind
from standoff.broadphase.kernels import tables as x
from standoff.cell.body import Body
from standoff.cell.cell import Cell, Compiled
from standoff.defaults import USUAL_BUFFER
from standoff.errors import MonitorError
from standoff.geometry.pose import Array, inverse
from standoff.monitor.buffers import Buffer, Thresholds
from standoff.monitor.kernels import tables as m
from standoff.monitor.kernels.cycle import cycle as run_cycle
from standoff.monitor.kernels.cycle import quiet_cycles, test_again
from standoff.monitor.options import IndexName, checked
from standoff.monitor.reading import Reading, as_table, is_table
from standoff.monitor.report import ROW_BYTES, Cycle, Fault, QuietCycle
from standoff.monitor.scene import Patch, Scene
from standoff.monitor.stops import Stopping, Stops
from standoff.monitor.zones import Zone
from standoff.scalars import instance
from standoff.units import joint_hint

_QUIET, _HITS, _EVENTS, _UNUSABLE = m.QUIET, m.HITS, m.EVENTS, m.UNUSABLE


class Monitor:
    """Watches a cell, one reading at a time.

    A moving primitive is extended by its whole buffer, a static one not at all, and a pair that is
    not allowed warns when the extended primitives overlap: at ``distance <= buffer_a + buffer_b``
    for two that move. Touching the threshold is a warning. The cell may change between two
    readings; the index changes with it, where it changed. A monitor takes one call at a time: one
    from a second thread, before the first has returned, is a `MonitorError`.

    Args:
        cell: what to watch; `revision` is looked at on each update.
        buffer: in metres, or a `SeparationDistance` that makes it grow with speed; or a dict of
            either by the name of a robot or body, ``"default"`` for the rest (0.03 where it is left
            out).
        index: ``octree``, ``grid``, ``naive`` or ``region``, or one with its options, as
            ``so.Octree(split=5)``; the answers are the same.
        thresholds: distances that go before the buffers for some pairs.
        zones: `KeepOut` and `KeepIn`.
        grasped: what holding a body adds to the buffer of the robot that holds it, by name, [m].
        period: time between two readings, [s], where no times are given; readings that come later
            than LATE_PERIODS of it are faults.
        late: how long after the last a reading may come, [s], where that is not LATE_PERIODS.
        max_speed: the fastest any point of a robot or body moves, [m/s], one number or by name;
            whatever moves faster has jumped. None: from the speeds of the joints, and
            USUAL_SPEED_LIMIT for the rest.
        between: certify the motion from the last reading to this one, and not this instant alone:
            joints move evenly, moving bodies straight ahead while they turn evenly, the shorter
            way. A pair then warns unless its distance is proved to exceed its threshold at every
            instant; one whose proof would take more than BETWEEN_TESTS distances warns, too.
        stopping: certify at each reading that the robots, if they stop now or until the next
            reading is due, come to a stand without touching anything; see `Stopping`. Where that
            is not proved the cycle has a `StopWarning`, and a fault where velocities are unknown.

    Attributes:
        cell: what is watched.
        period: time between two readings, [s].

    Raises:
        MonitorError: a parameter that makes no sense.
        UnknownNameError: a name that is not in the cell.
    """

    def __init__(
        self,
        cell: Cell,
        buffer: Buffer | Mapping[str, Buffer] = USUAL_BUFFER,
        index: IndexName | IndexKind = "octree",
        *,
        thresholds: Thresholds | None = None,
        zones: Sequence[Zone] = (),
        grasped: Mapping[str, float] | None = None,
        period: float = 0.01,
        late: float | None = None,
        max_speed: float | Mapping[str, float] | None = None,
        between: bool = False,
        stopping: Stopping | None = None,
    ) -> None:
        instance("cell", cell, MonitorError, Cell)
        self._cycles = 0
        self._busy = Lock()
        self._unwatched: Fault | None = None
        options = checked(
            cell, buffer=buffer, max_speed=max_speed, thresholds=thresholds, zones=zones,
            grasped=grasped, period=period, late=late, between=between, stopping=stopping,
            index=index,
        )  # fmt: skip
        self.cell = cell
        self.period = options.period
        self._options = options
        self._reading = Reading(options.period, options.latest)
        self._stops = None if stopping is None else Stops(stopping, options.latest)
        self._scene: Scene | None = None
        self._revision: int | None
        self._bodies: Mapping[str, Body] = {}
        self._no_poses = np.zeros((0, 4, 4))
        self._sync()
        cell.watched_by(self)

    def update(
        self, q: Any, poses: Any = None, time: float | None = None, *, dq: Any = None
    ) -> Cycle:
        """One reading in, one `Cycle` out.

        Args:
            q: the joints, an array in the order of ``cell.joints`` or a dict by name.
            poses: of the moving bodies, (m, 4, 4) in the order of ``cell.body`` or a dict by
                name; None where there are none.
            time: of the reading, [s]; without it one period passes from reading to reading.
            dq: measured velocities of the joints, as ``q``, [rad/s] or [m/s]; where stops are
                certified they replace those computed from the last two readings, and are a
                `velocity` fault where they contradict them.

        Whatever is wrong with the input is a fault of the cycle, and never an exception: the last
        good values stand in for what cannot be used, at the highest speed.
        """
        self._enter()
        try:
            if self.cell.revision != self._revision and not self._follow_cell():
                return self._update_with_care(q, poses, time, dq)
            reading, dt = self._reading, self.period
            if time is not None:
                time, dt = self._timed(time)
            # What comes as it should is handed over as it is, other numbers in arrays as a copy;
            # anything else is looked at closely.
            joints = as_table(q, self._q_room)
            places = self._expected if poses is None else as_table(poses, self._poses_room)
            if (
                joints is not None
                and places is not None
                and 0.0 < dt <= reading.late
                and not reading.missed
            ):
                grace = dt if dt > self.period else self.period
                outcome, clearance = run_cycle(self._address, joints, places, dt, grace, 0)
                if outcome != _UNUSABLE:
                    self._cycles += 1
                    if time is not None:
                        reading.time = time
                    else:
                        reading.blind += 1
                    cycle = self._answered(outcome, clearance, time, dt)
                    if self._stops is None:
                        return cycle
                    if outcome != _EVENTS:
                        return self._stops.after(cycle, joints, places, dt, dq)
                    return self._stop_after(cycle, joints, places, dq, True)
            return self._update_with_care(q, poses, time, dq)
        finally:
            self._busy.release()

    def _timed(self, time: Any) -> tuple[Any, float]:
        """The time as Python's own float, if it is one, and how long after the last reading that
        is, [s]; -1 where nobody knows."""
        if type(time) is not float and isinstance(time, np.floating):
            time = float(time)
        last = self._reading.time
        if type(time) is not float or last is None or self._reading.blind:
            return time, -1.0
        return time, time - last

    def _answered(self, outcome: int, clearance: float, time: float | None, dt: float) -> Cycle:
        """The cycle that the kernel's answer makes."""
        if outcome == _QUIET:
            return QuietCycle(self._cycles, time, clearance)
        if outcome == _HITS:
            hits = self._hits[: self._answer[0] * ROW_BYTES].tobytes()
            return Cycle(self._cycles, time, clearance, (), hits, self._naming)
        reading = self._reading
        reading.faults, reading.stale, reading.unsure = [], 0, 0
        reading.dt = dt
        return self._eventful(clearance, time)

    def update_many(
        self, Q: Array, times: Array, clearances: Array, poses: Array | None = None
    ) -> tuple[int, Cycle | None]:
        """Readings one after the other, as `update` answers them, in one compiled call that ends
        at the first that is not quiet.

        Args:
            Q: (n, joints); times: (n,), [s]. Where they are anything but float64 in order, none
                is looked at: that is for `update`.
            clearances: (n,), where those of the quiet cycles go.
            poses: of the moving bodies, the same for all.

        Returns:
            How many were quiet, from the first on; and what the one after them answered. None
            where that has not been looked at: it is for `update`, or there is none.
        """
        self._enter()
        try:
            return self._update_many(Q, times, clearances, poses)
        finally:
            self._busy.release()

    def _update_many(
        self, Q: Array, times: Array, clearances: Array, poses: Array | None
    ) -> tuple[int, Cycle | None]:
        reading, given = self._reading, self._no_poses if poses is None else poses
        if (
            self.cell.revision != self._revision
            or self._stops is not None
            or reading.time is None
            or reading.blind
            or reading.missed
            or not (given is self._expected or is_table(given, self._poses_room.shape))
            or not is_table(Q, (len(times), *self._q_room.shape))
            or not is_table(times, (len(times),))
        ):
            return 0, None
        if not is_table(clearances, (len(times),)):
            raise MonitorError(
                "no room for the clearances",
                element="clearances",
                value=getattr(clearances, "shape", clearances),
                allowed=f"an array of {len(times)} float64, in order",
            )
        quiet, outcome, clearance = quiet_cycles(
            self._address, Q, given, times, reading.time, self.period, reading.late, clearances
        )
        self._cycles += quiet
        before = reading.time
        if quiet:
            before = reading.time = float(times[quiet - 1])
        if outcome in (_QUIET, _UNUSABLE):
            return quiet, None
        time = reading.time = float(times[quiet])
        self._cycles += 1
        return quiet, self._answered(outcome, clearance, time, time - before)

    def _enter(self) -> None:
        """One call at a time: two would write to the same tables.

        Raises:
            MonitorError: another call, of another thread, has not returned yet.
        """
        if not self._busy.acquire(blocking=False):
            raise MonitorError(
                "a monitor takes one call at a time, and a call from another thread has not "
                "returned",
                allowed="one monitor for each thread, or a lock around the calls",
            )

    def _follow_cell(self) -> bool:
        """Take a change of the cell over. Where that is not possible the watch goes on as it was,
        and every cycle has a fault that says why."""
        try:
            self._sync()
        except Exception as error:  # also whatever a cell that is just being changed raises
            self._unwatched = Fault("cell", "cell", str(error), "a cell that can be watched")
        else:
            self._unwatched = None
        return self._unwatched is None

    def _sync(self) -> None:
        """Bring all tables up to date with the cell: those that changed alone, if that is possible.
        Whole, or not at all where it raises."""
        # What changes from here on, by another thread, is taken over the next time.
        cell = self.cell if self._stops is None else self.cell.snapshot()
        if not self._options.zones:  # of a body alone, its zones are watched
            cell.check_watched()
        scene, now = self._scene, cell.compile()
        if scene is not None:
            try:
                patch = scene.planned(now)
                if patch is not None:
                    self._change(cell, scene, patch)
                    return
            except Exception:
                if not scene.torn:
                    raise
        self._lay_out(self.cell.snapshot())

    def _change(self, cell: Cell, scene: Scene, patch: Patch) -> None:
        stop = None if self._stops is None else self._stops.laid_out(cell, scene.speeds(patch.now))
        # Who interrupts it from here on finds another revision: everything is then laid out anew.
        self._revision = None
        scene.adopt(patch)
        self._watch(cell, scene, patch.now, stop)

    def _lay_out(self, cell: Cell) -> None:
        """Everything anew."""
        before = self._scene
        scene = Scene(cell, self._options, None if before is None else before.seen, before)
        now = cell.compile()
        stop = None if self._stops is None else self._stops.laid_out(cell, scene.speeds(now))
        self._revision = None
        self._watch(cell, scene, now, stop)

    def _watch(self, cell: Cell, scene: Scene, now: Compiled, stop: Any) -> None:
        """From now on this is what is watched."""
        self._scene = scene
        self._reading.adopt(now.model.tree, cell, now.moving, scene.tables)
        if self._stops is not None:
            self._stops.adopt(stop)
        self._bodies = now.moving
        self._joints, self._units = now.model.tree.joints, now.model.tree.units
        self._take_tables(scene)
        self._expected = None if now.moving else self._no_poses
        self._q_room = np.empty(len(self._joints))
        self._poses_room = np.empty((len(now.moving), 4, 4))
        self._revision = now.revision

    def _take_tables(self, scene: Scene) -> None:
        """What each cycle needs of the tables, at hand."""
        tables = scene.tables
        self._address = tables.address
        self._naming = scene.naming
        self._hits = memoryview(tables.arrays["hits"].view(np.uint8)).cast("B")
        self._answer = memoryview(tables.arrays["answer"].view(np.int64))

    @property
    def scene(self) -> Scene:
        """What is watched, in tables."""
        assert self._scene is not None
        return self._scene

    @property
    def index(self) -> Index:
        """Which primitives may touch."""
        return self.scene.index

    def _update_with_care(self, q: Any, poses: Any, time: float | None, dq: Any) -> Cycle:
        """An update for whatever was given."""
        reading = self._reading
        # Readings without a time before one that has one: nobody knows how long ago the last was.
        timed = time is None or reading.blind == 0
        reading.take(q, poses, time)
        if self._unwatched is not None:
            reading.faults.append(self._unwatched)
        self._cycles += 1
        for otherwise in (reading.mend, reading.fall_back, None):
            outcome, clearance = run_cycle(
                self._address, reading.q, reading.poses, reading.dt, reading.grace, reading.unsure
            )
            if outcome != _UNUSABLE or otherwise is None:
                break
            otherwise()
        cycle = self._eventful(clearance, time)
        return self._stop_after(cycle, reading.q, reading.poses, dq, timed)

    def _stop_after(self, cycle: Cycle, q: Array, poses: Array, dq: Any, timed: bool) -> Cycle:
        """The stop after a cycle in which something may be wrong."""
        stops, reading = self._stops, self._reading
        if stops is None:
            return cycle
        jumped = any(fault.kind == "jump" for fault in cycle.faults)
        if reading.stale or reading.unsure or jumped or not timed:
            stops.forget()
        return cycle if reading.stale else stops.after(cycle, q, poses, reading.dt, dq)

    def __reduce__(self) -> Any:
        raise MonitorError("a monitor cannot be copied", allowed="Monitor(cell, ...) once more")

    def figures(self) -> IndexFigures:
        """What the index looks like, and what it did."""
        return self.index.figures()

    @property
    def buffers(self) -> dict[str, float]:
        """The buffer of each moving body as of the last cycle, the largest of its primitives."""
        tables, names = self.scene.tables, self._naming[0]
        found: dict[str, float] = {}
        for slot in np.flatnonzero(tables.index.items[: len(tables.movers), x.STATE] != x.ABSENT):
            name = names[tables.owner[slot]]
            found[name] = max(found.get(name, 0.0), float(tables.movers[slot].buffer))
        return found

    @property
    def nbytes(self) -> int:
        """Memory of all tables, those of the index included."""
        return self.scene.tables.nbytes

    def attach(self, body: str, link: str, *, touch: Sequence[str] = ()) -> None:
        """`Cell.attach` at the last reading."""
        self._enter()
        try:
            self._tell_cell()
            at = inverse(self.cell.pose(link)) @ self.cell.pose(body)
            self.cell.attach(body, link, pose=at, touch=touch)
        finally:
            self._busy.release()

    def detach(self, body: str) -> None:
        """`Cell.detach` at the last reading."""
        self._enter()
        try:
            self._tell_cell()
            self.cell.detach(body, q=self.cell.q)
        finally:
            self._busy.release()

    def last_state(self) -> tuple[dict[str, float], dict[str, Array]] | None:
        """Joints and poses of moving bodies at the last reading, by name; None before the first."""
        reading = self._reading
        return (reading.last_joints, reading.last_places) if self._cycles else None

    def _tell_cell(self) -> None:
        """Joints and poses of the last reading, if there was one; but for bodies that are others
        since. Poses that `Cell.set_state` gave do not count: they may be older."""
        if not self._cycles:
            return
        now, seen = self.cell.compile().moving, self._bodies
        joints = dict(zip(self.cell.joints, self.cell.q)) | self._reading.last_joints
        poses = {
            name: pose
            for name, pose in self._reading.last_places.items()
            if name in now and name in seen and now[name].since == seen[name].since
        }
        self.cell.set_state([joints[name] for name in self.cell.joints], poses)

    def _eventful(self, clearance: float, time: float | None) -> Cycle:
        scene, tables = self.scene, self.scene.tables
        answer = tables.answer
        while answer.pairs_full or answer.hits_full:
            scene.make_room()
            self._take_tables(scene)
            dt = math.nan if self._reading.unsure else self._reading.dt
            _, clearance = test_again(self._address, dt)
        if answer.index_full:
            scene.index.make_room()
        faults = [*self._reading.faults]
        if answer.faults:
            faults += self._kernel_faults(tables)
        hits = self._hits[: answer.hits * ROW_BYTES].tobytes() if answer.hits else None
        return Cycle(self._cycles, time, clearance, tuple(faults), hits, self._naming)

    def _kernel_faults(self, tables: m.MonitorTables) -> list[Fault]:
        found: list[Fault] = []
        names = self._naming[0]
        jumped: dict[str, Fault] = {}
        rows = tables.faults[: tables.answer.faults].tolist()
        hint = self._unit_hint(tables, {row[1]: row[2] for row in rows if row[0] == m.LIMITS_FAULT})
        for kind, which, value, allowed in rows:
            if kind == m.LIMITS_FAULT:
                low, high, _ = tables.limits[which]
                text = f"{low:g} to {high:g}"
                found.append(Fault("limits", self._joints[which], value, text, hint))
            else:
                name = names[tables.owner[which]]
                if name not in jumped or jumped[name].value < value:
                    text = f"a move of up to {allowed:.4g} m"
                    jumped[name] = Fault("jump", name, value, text)
        return [*found, *jumped.values()]

    def _unit_hint(self, tables: m.MonitorTables, beyond: Mapping[int, float]) -> str:
        """Whether the joints beyond their limits look like another unit."""
        if not beyond:
            return ""
        low, high, _ = zip(*(tables.limits[j].tolist() for j in beyond))
        units = [self._units[j] for j in beyond]
        return joint_hint([*beyond.values()], np.array(low), np.array(high), units)
