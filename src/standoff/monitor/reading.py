"""One reading as it comes from outside, and what stands in for it where it cannot be used."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from standoff.cell import Cell
from standoff.constants import LATE_PERIODS
from standoff.errors import Error
from standoff.index.arena import Arena
from standoff.kernels.monitor import layout as m
from standoff.monitor.report import Fault
from standoff.shapes.pose import Array, as_pose


class Reading:
    """Takes joints, poses and time as they come, and never raises.

    Attributes:
        q, poses: what the next cycle is to be run with.
        dt: time since the last good reading, [s]; grace: the same, but no less than a period.
        stale: 1 where old values stand in for some of this reading.
        faults: what was wrong with it.
        time: of the last reading that had one.
        missed: how many readings in a row were stale.
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self.late = LATE_PERIODS * period
        self.time: float | None = None
        self.missed = 0
        self.faults: list[Fault] = []
        self.dt = self.grace = period
        self.stale = 0
        self.q: Array = np.zeros(0)
        self.poses: Array = np.zeros((0, 4, 4))
        self._joints: tuple[str, ...] = ()
        self._moving: tuple[str, ...] = ()
        self._limits: Array = np.zeros((0, 3))
        self._frames: Array = np.zeros((0, 12))

    def adopt(self, cell: Cell, arena: Arena) -> None:
        """Follow a change of the cell: the joints and bodies that stay keep their last values.
        From now on the last good values are kept in the tables of ``arena``."""
        joints = dict(zip(cell.joints, cell.q))
        joints |= {n: v for n, v in zip(self._joints, self.last_q) if n in joints}
        bodies = {name: cell.bodies[name].pose for name in cell.moving}
        bodies |= {n: v for n, v in zip(self._moving, self.last_poses) if n in bodies}
        self._joints, self._moving = cell.joints, cell.moving
        self.q = np.array([joints[n] for n in cell.joints], dtype=float)
        self.poses = np.array([bodies[n] for n in cell.moving], dtype=float).reshape(-1, 4, 4)
        self.read_from(arena)
        self._limits[:, m.LAST] = self.q
        self._frames[:] = self.poses[:, :3].reshape(-1, 12)

    def read_from(self, arena: Arena) -> None:
        """The last good values are kept in these tables now."""
        self._limits = arena["limits"]
        self._frames = arena["frames"][len(arena["frames"]) - len(self._moving) :]

    @property
    def last_q(self) -> Array:
        """The joints of the last good reading."""
        return self._limits[:, m.LAST].copy()

    @property
    def last_poses(self) -> Array:
        """The poses of the moving bodies at the last good reading."""
        result = np.tile(np.eye(4), (len(self._frames), 1, 1))
        result[:, :3] = self._frames.reshape(-1, 3, 4)
        return result

    def take(self, q: Any, poses: Any, time: float | None) -> None:
        """Copy what was given to where the kernel reads it."""
        self.faults = []
        self.stale = 0
        self._take_joints(q)
        if len(self._moving) or poses is not None:
            self._take_poses(poses)
        self._take_time(time)
        self.missed = self.missed + 1 if self.stale else 0

    def mend(self) -> None:
        """The kernel found joints that are no numbers or poses that are none: put the last good
        values in their place."""
        for j in np.flatnonzero(~np.isfinite(self.q)):
            self._fault("non-finite", self._joints[j], float(self.q[j]), "a finite number")
            self.q[j] = self._limits[j, m.LAST]
        for b, pose in enumerate(self.poses):
            self._take_pose(b, pose.copy())
        self.missed = max(self.missed, self.stale)

    def _take_joints(self, q: Any) -> None:
        self.q[:] = self.last_q
        if isinstance(q, Mapping):
            self._take_named(q)
            return
        if q is None:
            self._fault("missing", "q", None, f"{len(self.q)} numbers")
            return
        try:
            given = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError):
            self._fault("missing", "q", _short(q), f"{len(self.q)} numbers")
            return
        if given.shape != self.q.shape:
            self._fault("length", "q", given.shape, f"{self.q.shape}: one for each of cell.joints")
            return
        self.q[:] = given

    def _take_named(self, q: Mapping[Any, Any]) -> None:
        known = {name: j for j, name in enumerate(self._joints)}
        for name, value in q.items():
            if name not in known:
                self._fault("unknown", str(name), _short(value), "a name of cell.joints")
                continue
            try:
                self.q[known[name]] = value
            except (TypeError, ValueError):
                self._fault("non-finite", str(name), _short(value), "a finite number")
        for name in self._joints:
            if name not in q:
                self._fault("missing", name, None, "a value for each joint")

    def _take_poses(self, poses: Any) -> None:
        self.poses[:] = self.last_poses
        if isinstance(poses, Mapping):
            known = {name: b for b, name in enumerate(self._moving)}
            for name, pose in poses.items():
                if name in known:
                    self._take_pose(known[name], pose)
                else:
                    self._fault("unknown", str(name), "a pose", "a name of cell.moving")
            for name in self._moving:
                if name not in poses:
                    self._fault("missing", name, None, "a pose for each moving body")
            return
        if poses is None:
            for name in self._moving:
                self._fault("missing", name, None, "a pose for each moving body")
            return
        try:
            given = np.asarray(poses, dtype=np.float64)
        except (TypeError, ValueError):
            self._fault("pose", "poses", _short(poses), f"numbers of shape {self.poses.shape}")
            return
        if given.shape != self.poses.shape:
            self._fault("length", "poses", given.shape, f"{self.poses.shape}, as cell.moving")
            return
        self.poses[:] = given

    def _take_pose(self, b: int, pose: Any) -> None:
        """A pose that is nearly a rigid motion is tidied up; any other is a fault."""
        try:
            self.poses[b] = as_pose(pose, self._moving[b])
        except Error as error:
            self.poses[b, :3] = self._frames[b].reshape(3, 4)
            self.poses[b, 3] = 0.0, 0.0, 0.0, 1.0
            self._fault("pose", self._moving[b], str(error), "a rigid motion, 4 x 4")

    def _take_time(self, time: float | None) -> None:
        """Time since the last good reading. A clock that stands or runs back says nothing: one
        period is assumed."""
        passed = self._period * (1 + self.missed)
        if time is not None:
            good = isinstance(time, (int, float)) and math.isfinite(time)
            if not good:
                self._fault("time", "time", _short(time), "a finite number, [s]")
            elif self.time is not None and not time > self.time:
                self._fault("time", "time", time, f"later than the last reading, {self.time}")
            else:
                if self.time is not None:
                    passed = time - self.time
                    if passed > LATE_PERIODS * self._period * (1 + self.missed):
                        allowed = f"{LATE_PERIODS:g} periods of {self._period:g} s"
                        self._fault("late", "time", passed, allowed, stale=False)
                self.time = float(time)
        self.dt, self.grace = passed, max(passed, self._period)

    def _fault(
        self, kind: Any, element: str, value: Any, allowed: str, *, stale: bool = True
    ) -> None:
        self.faults.append(Fault(kind, element, value, allowed))
        if stale:
            self.stale = 1


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
