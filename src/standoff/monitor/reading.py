"""One reading as it comes from outside, and what stands in for it where it cannot be used."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from standoff.cell.body import Body
from standoff.cell.cell import Cell
from standoff.errors import Error, PoseError
from standoff.geometry.pose import Array, as_pose
from standoff.monitor.kernels.tables import MonitorTables
from standoff.monitor.report import Fault
from standoff.robots.joint_names import JointNames
from standoff.robots.tree import Tree

#: The one float64 of this machine's byte order.
_FLOAT = np.dtype(np.float64)


class Reading:
    """Takes joints, poses and time as they come, and never raises.

    Attributes:
        q, poses: what the next cycle is to be run with.
        dt: time since the last reading, [s]: what was read well then is not faster than this says.
        grace: time since the last good reading, no less than a period: what was not read well has
            had this long to move.
        stale: 1 where old values stand in for some of this reading.
        unsure: 1 where speeds are not known from it: it is stale, or late, and much may have
            happened on the way.
        late: longest time between two readings, [s].
        faults: what was wrong with it.
        time: of the last reading that had one.
        missed: how many readings in a row were stale; blind: how many had no time.
    """

    def __init__(self, period: float, late: float) -> None:
        self._period = period
        self.late = late
        self.time: float | None = None
        self.missed = self.blind = 0
        self._good: float | None = None
        self._missed_before = 0
        self.faults: list[Fault] = []
        self.dt = self.grace = period
        self.stale = self.unsure = 0
        self.q: Array = np.zeros(0)
        self.poses: Array = np.zeros((0, 4, 4))
        self._joints: tuple[str, ...] = ()
        self._names: JointNames
        self._moving: tuple[str, ...] = ()
        self._last: Array = np.zeros(0)
        self._frames: Array = np.zeros((0, 12))
        # All of it at once, for other threads, which ask while this one adopts a change.
        self._kept: tuple[tuple[str, ...], Array, tuple[str, ...], Array]
        self._kept = self._joints, self._last, self._moving, self._frames

    def adopt(
        self, tree: Tree, cell: Cell, moving: Mapping[str, Body], tables: MonitorTables
    ) -> None:
        """Follow a change of the cell: the joints and bodies that stay keep their last values.
        From now on the last good values are kept in these tables."""
        if self._joints is not tree.joints:
            joints = dict(zip(tree.joints, cell.q))
            joints |= {n: v for n, v in zip(self._joints, self.last_q) if n in joints}
            self.q = np.array([joints[n] for n in tree.joints], dtype=float)
        else:
            self.q = self.last_q
        bodies = {name: body.pose for name, body in moving.items()}
        bodies |= {n: v for n, v in zip(self._moving, self.last_poses) if n in bodies}
        self.poses = np.array([*bodies.values()], dtype=float).reshape(-1, 4, 4)
        self._joints, self._moving, self._names = tree.joints, tuple(bodies), tree.names
        self._last = tables.limits.last
        self._frames = tables.frames[len(tables.frames) - len(self._moving) :]
        self._last[:] = self.q
        self._frames[:] = self.poses[:, :3].reshape(-1, 12)
        self._kept = self._joints, self._last, self._moving, self._frames

    @property
    def last_q(self) -> Array:
        """The joints of the last good reading."""
        return self._last.copy()

    @property
    def last_poses(self) -> Array:
        """The poses of the moving bodies at the last good reading."""
        return _poses(self._frames)

    @property
    def last_joints(self) -> dict[str, float]:
        """`last_q` by name."""
        joints, last, _, _ = self._kept
        return dict(zip(joints, last.tolist()))

    @property
    def last_places(self) -> dict[str, Array]:
        """`last_poses` by name."""
        _, _, moving, frames = self._kept
        return dict(zip(moving, _poses(frames)))

    def take(self, q: Any, poses: Any, time: float | None) -> None:
        """Copy what was given to where the kernel reads it."""
        self.faults = []
        self.stale = self.unsure = 0
        self._missed_before = self.missed
        if self.missed == 0:
            self._good = None if self.blind else self.time
        self._take_time(time)
        try:
            self.q[:] = self.last_q
            take_joints(q, self.q, self._names, self.faults, "q")
            if len(self._moving) or poses is not None:
                self._take_poses(poses)
        except Exception as error:  # whatever the objects of strangers raise when they are read
            self.fall_back(type(error).__name__)
        if any(fault.kind != "late" for fault in self.faults):
            self.stale = self.unsure = 1
        self.missed = self.missed + 1 if self.stale else 0

    def fall_back(self, why: str | None = None) -> None:
        """Nothing of this reading can be used."""
        self.q[:], self.poses[:] = self.last_q, self.last_poses
        self._fault("missing", "reading", why, "joints, poses and a time")

    def mend(self) -> None:
        """The kernel found joints that are no numbers or poses that are none: put the last good
        values in their place."""
        for j in np.flatnonzero(~np.isfinite(self.q)):
            self._fault("non-finite", self._joints[j], float(self.q[j]), "a finite number")
            self.q[j] = self._last[j]
        for b, pose in enumerate(self.poses):
            self._take_pose(b, pose.copy())
        if self.stale:
            self.missed = self._missed_before + 1

    def _take_poses(self, poses: Any) -> None:
        self.poses[:] = self.last_poses
        poses = {} if poses is None else poses
        if isinstance(poses, Mapping):
            known = {name: b for b, name in enumerate(self._moving)}
            for name, pose in poses.items():
                if name in known:
                    self._take_pose(known[name], pose)
                else:
                    self._fault("unknown", _name(name), "a pose", "a name of cell.moving")
            for name in self._moving:
                if name not in poses:
                    self._fault("missing", name, None, "a pose for each moving body")
            return
        given = _numbers(poses)
        if given is None:
            self._fault("pose", "poses", _short(poses), f"numbers of shape {self.poses.shape}")
            return
        if given.shape != self.poses.shape:
            self._fault("length", "poses", given.shape, f"{self.poses.shape}, as cell.moving")
            return
        self.poses[:] = given

    def _take_pose(self, b: int, pose: Any) -> None:
        """A pose that is nearly a rigid motion is tidied up; any other is a fault."""
        try:
            if pose is None:
                raise PoseError("no pose", element=self._moving[b])
            self.poses[b] = as_pose(pose, self._moving[b])
        except Error as error:
            self.poses[b, :3] = self._frames[b].reshape(3, 4)
            self.poses[b, 3] = 0.0, 0.0, 0.0, 1.0
            self._fault("pose", self._moving[b], str(error), "a rigid motion, 4 x 4")

    def _take_time(self, time: float | None) -> None:
        """A clock that stands or runs back says nothing: one period is assumed, and the clock is
        believed again from the next reading on."""
        self.dt, self.grace = self._period, self._period * (1 + self.missed)
        now = None if time is None else _instant(time)
        if now is None or (self.time is not None and not now > self.time):
            self.blind += 1
            if time is not None:
                last = "" if self.time is None else f", later than the last reading, {self.time}"
                self._fault("time", "time", _short(time), f"a finite number, [s]{last}")
            if now is not None:
                self.time, self._good, self.blind = now, None, 0
            return
        if self.time is not None:
            since = now - self.time
            if since > self.late * (1 + self.blind):
                allowed = f"{self.late:g} s after the last reading"
                self._fault("late", "time", f"{since:g} s after it", allowed, stale=False)
                self.unsure = 1
            # Where readings had no time, the last of them may be no longer ago than a period.
            self.dt = min(since, self._period) if self.blind else since
            self.grace = max(since if self._good is None else now - self._good, self.grace)
        self.time, self.blind = now, 0

    def _fault(
        self, kind: Any, element: str, value: Any, allowed: str, *, stale: bool = True
    ) -> None:
        self.faults.append(Fault(kind, element, value, allowed))
        if stale:
            self.stale = self.unsure = 1


def _poses(frames: Array) -> Array:
    """Three rows of four each as 4 x 4."""
    result = np.tile(np.eye(4), (len(frames), 1, 1))
    result[:, :3] = frames.reshape(-1, 3, 4)
    return result


def take_joints(
    value: Any,
    into: Array,
    names: JointNames,
    faults: list[Fault],
    element: str,
    each: str = "",
) -> None:
    """One number a joint from whatever was given, an array or a mapping by name, written ``into``
    an array, and what is wrong with it; what cannot be used is left as it is. Mimic joints are
    passed over: their master says where they are."""
    if not isinstance(value, Mapping):
        given = None if value is None else _numbers(value)
        if given is None:
            faults.append(Fault("missing", element, _short(value), f"{len(into)} numbers"))
        elif given.shape != into.shape:
            allowed = f"{into.shape}: one for each of cell.joints"
            faults.append(Fault("length", element, given.shape, allowed))
        else:
            into[:] = given
        return
    known, named = names.unique, [0] * len(names.joints)
    for name, x in value.items():
        joint = known.get(name)
        if joint is None:
            several = " or ".join(found.name for found in names.could_be(name))
            faults.append(
                Fault("unknown", each + _name(name), _short(x), several or "a name of cell.joints")
            )
            continue
        if joint.mimic:
            continue
        named[joint.column] += 1
        given = _numbers(x)
        if given is None or given.shape != ():
            faults.append(Fault("non-finite", each + joint.name, _short(x), "a finite number"))
        else:
            into[joint.column] = given
    for joint_name, count in zip(names.joints, named):
        if count == 0:
            faults.append(Fault("missing", each + joint_name, None, "a value for each joint"))
        elif count > 1:
            faults.append(Fault("length", each + joint_name, count, "one value for each joint"))


def velocities(dq: Any, names: JointNames) -> tuple[Array | None, tuple[Fault, ...]]:
    """One finite number a joint from whatever was given; None where one of them cannot be used,
    and what is wrong with it."""
    joints = names.joints
    found, faults = np.zeros(len(joints)), list[Fault]()
    try:
        take_joints(dq, found, names, faults, "dq", "dq of ")
    except Exception as error:  # whatever the objects of strangers raise when they are read
        return None, (Fault("missing", "dq", type(error).__name__, f"{len(joints)} numbers"),)
    for name, x in zip(joints, found.tolist()):
        if not math.isfinite(x):
            faults.append(Fault("non-finite", f"dq of {name}", x, "a finite number"))
    usable = all(fault.kind == "unknown" for fault in faults)
    return (found if usable else None), tuple(faults)


def _numbers(value: Any) -> Array | None:
    """Whatever numbers were given; None where they are none. What is masked is no number."""
    try:
        masked = isinstance(value, np.ma.MaskedArray)
        given = value.astype(np.float64).filled(np.nan) if masked else np.asarray(value)
        if given.dtype.kind == "O" and not all(_is_number(x) for x in given.flat):
            return None
        return None if given.dtype.kind not in "iufO" else given.astype(np.float64)
    except Exception:  # objects are free to raise what they like when they are to be numbers
        return None


def _instant(time: Any) -> float | None:
    """A finite time, or None."""
    try:
        one = time.item() if isinstance(time, np.ndarray) else time
        result = float(one) if _is_number(one) else math.nan
    except Exception:  # a number too large, an array of many, an object that raises
        return None
    return result if math.isfinite(result) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.bool_))


def _name(value: Any) -> str:
    return value if isinstance(value, str) else _short(value)


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:57] + "…"


def as_table(values: Any, room: Array) -> Any:
    """An array of the shape of ``room`` as a kernel can read it: itself, or numbers of another type
    or order as a copy in ``room``. None for anything else."""
    if type(values) is not np.ndarray or values.shape != room.shape:
        return None
    if values.dtype is _FLOAT and values.flags.carray:
        return values
    if values.dtype.kind not in "fiu":
        return None
    room[...] = values
    return room


def is_table(values: Any, shape: tuple[int, ...]) -> bool:
    """Whether a kernel can read it as it is: float64, in order, of this shape."""
    return (
        type(values) is np.ndarray
        and values.dtype is _FLOAT
        and values.shape == shape
        and values.flags.carray
    )
