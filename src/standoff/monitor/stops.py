"""`Stopping`: how robots stop, as the user states it, checked, and for each joint of a cell.

`Stops` asks `paths.stop_check` in each cycle whether every stop from this reading is free;
`paths.kernels.stop` is the proof. `so.paths.check_stop` (`paths.stopping`) certifies a single stop.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from standoff.cell.allowed import Pair, ordered
from standoff.cell.cell import Cell
from standoff.errors import MonitorError, UnknownNameError
from standoff.geometry.pose import Array
from standoff.monitor.buffers import DEFAULT, USUAL_SPEED_LIMIT
from standoff.monitor.reading import is_table, velocities
from standoff.monitor.report import Cycle, Fault, StopWarning
from standoff.paths.checker import USUAL_TOLERANCE
from standoff.robots.joint_names import JointNames
from standoff.scalars import FINITE, amount, flag, whole

if TYPE_CHECKING:
    from standoff.paths.stop_check import StopCheck


#: One number for all joints, or by the name of a joint, of a robot, and ``"default"`` for the rest.
ByJoint = float | Mapping[str, float]

_LARGEST_BUDGET = 10**9


@dataclass(frozen=True, kw_only=True)
class Stopping:
    """How the robots of a cell stop, for ``Monitor(cell, stopping=Stopping(...))``.

    Each joint goes on as it is until its brake acts, and then slows down until it stands. A stop
    may be called at any time from a reading until the next one is due; whatever is not known of it
    exactly is given as a bound, and every stop within the bounds is part of the proof. Numbers by
    joint are in [rad] or [m] and seconds: one for all, or a dict by the name of a joint or a robot,
    ``"default"`` for the rest.

    This is no risk assessment, and Standoff is no safety-rated device.

    Attributes:
        deceleration: the least that the brakes hold, above 0, [rad/s²] or [m/s²].
        reaction: from the call until the brakes act at the latest, [s]; two numbers: at the soonest
            and at the latest.
        hardest: the most that they hold, infinite if that is not known; None: ``deceleration``
            exactly. Where joints stop together it does not matter: the way is the same.
        acceleration: by how much velocities change at most until the brakes act, [rad/s²] or
            [m/s²]; None: as hard as joints brake.
        velocity_error: how far off velocities may be, [rad/s] or [m/s]: those that
            ``update(..., dq=...)`` gives, or those from two readings, which are off besides by what
            ``acceleration`` can do in half of the time between.
        deviation: how far off its way a joint may be besides: tracking, calibration, [rad] or [m].
        bodies: by how much the velocity of any point of a moving body may change until the robots
            stand, [m/s], one number or by name: it goes on straight ahead at its last velocity,
            give or take that. None: it may do anything its highest speed allows (``max_speed`` of
            the monitor, 10 m/s unless that says otherwise).
        clearance: what every pair must keep all along, [m]; clearances: of single pairs of links
            or bodies.
        tolerance: a pair that comes nearer than clearance + tolerance may be warned of, [m].
        synchronised: all joints of all robots stop together, on a straight line from where the
            brakes act; no joint brakes harder than it can, and the slowest decides.
        limits: False for robots that have no end stops where their joints' limits are.
        budget: configurations and distances that one proof may take; beyond it the cycle has a
            warning. Ordinary ones take some hundred.

    Raises:
        MonitorError: a number that makes no sense.
    """

    deceleration: ByJoint
    reaction: float | tuple[float, float]
    hardest: ByJoint | None = None
    acceleration: ByJoint | None = None
    velocity_error: ByJoint = 0.0
    deviation: ByJoint = 0.0
    bodies: float | Mapping[str, float] | None = None
    clearance: float = 0.0
    clearances: Mapping[Pair, float] = field(default_factory=dict)
    tolerance: float = USUAL_TOLERANCE
    synchronised: bool = False
    limits: bool = True
    budget: int = 5_000

    def __post_init__(self) -> None:
        units = {"velocity_error": "rad/s or m/s", "deviation": "rad or m", "bodies": "m/s"}
        for name in ("deceleration", "hardest", "acceleration", *units):
            given = getattr(self, name)
            if given is not None or name in ("deceleration", "velocity_error", "deviation"):
                unit = units.get(name, "rad/s² or m/s²")
                most = math.inf if name == "hardest" else FINITE
                zero = name not in ("deceleration", "hardest")
                self._set(name, _numbers(name, given, unit, most, zero))
        self._set("reaction", _span(self.reaction))
        self._set("clearance", _amount("clearance", self.clearance, "m"))
        self._set("tolerance", _amount("tolerance", self.tolerance, "m", zero=False))
        budget = whole("stopping: budget", self.budget, MonitorError, 1, _LARGEST_BUDGET)
        self._set("budget", budget)
        for name in ("synchronised", "limits"):
            self._set(name, flag(f"stopping: {name}", getattr(self, name), MonitorError))
        self._set("clearances", _clearances(self.clearances))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def _mappings(self) -> dict[str, Mapping[str, float]]:
        found = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "clearances"}
        return {name: value for name, value in found.items() if isinstance(value, Mapping)}

    def check_names(self, cell: Cell) -> None:
        """Refuse names that are not in the cell. Later on they may leave it.

        Raises:
            UnknownNameError: and which names there are.
        """
        for element, given in self._mappings.items():
            if element == "bodies":
                _known(given, {DEFAULT, *cell.bodies}, "stopping: bodies")
            else:
                cell.tree.names.spread(given, f"stopping: {element}")
        for pair in self.clearances:
            _known(pair, {*cell.model.names}, "stopping: clearances")

    def check(self, cell: Cell, wait: float, speeds: Mapping[str, float]) -> StopCheck:
        """Lay out the cell as it is now. ``wait``: until the next reading is due at the latest,
        [s]; ``speeds``: of the moving bodies, their highest, [m/s].

        Raises:
            MonitorError: a joint without a brake, or with one that holds more at least than at
                most; or a moving body without a bound.
        """
        # Only here: a monitor that certifies no stops does not wait for the kernels of paths.
        from standoff.paths.stop_check import StopCheck, StopModel

        joints = cell.tree.names
        least = _by_joint(self.deceleration, joints, "deceleration")
        most = least if self.hardest is None else _by_joint(self.hardest, joints, "hardest")
        for name, low, high in zip(cell.joints, least, most):
            if high < low:
                raise MonitorError(
                    "less than the least that the brake holds",
                    element=f"stopping: hardest of {name}",
                    value=float(high),
                    allowed=f"{low:g} or more",
                )
        gain = self.deceleration if self.acceleration is None else self.acceleration
        soonest, latest = (
            self.reaction if isinstance(self.reaction, tuple) else (0.0, self.reaction)
        )
        model = StopModel(
            reaction=soonest,
            wait=latest - soonest + wait,
            synchronised=self.synchronised,
            limits=self.limits,
            least=least,
            most=most,
            gain=_by_joint(gain, joints, "acceleration"),
            velocity_error=_by_joint(self.velocity_error, joints, "velocity_error", 0.0),
            deviation=_by_joint(self.deviation, joints, "deviation", 0.0),
            body_change=np.array([self._change(name, speeds) for name in cell.moving]),
            body_glides=np.full(len(cell.moving), float(self.bodies is not None)),
        )
        names = cell.model.index
        return StopCheck(
            cell,
            model,
            clearance=self.clearance,
            tolerance=self.tolerance,
            clearances={
                pair: value
                for pair, value in self.clearances.items()
                if all(name in names for name in pair)
            },
            budget=self.budget,
        )

    def _change(self, name: str, speeds: Mapping[str, float]) -> float:
        if self.bodies is None:
            return speeds.get(name, USUAL_SPEED_LIMIT)
        if not isinstance(self.bodies, Mapping):
            return self.bodies
        found = self.bodies.get(name, self.bodies.get(DEFAULT))
        if found is None:
            raise MonitorError(
                "nothing is said of a moving body",
                element="stopping: bodies",
                value=name,
                allowed=f"its name or {DEFAULT!r}, [m/s]",
            )
        return found


def _numbers(name: str, given: Any, unit: str, most: float, zero: bool) -> Any:
    """A number, or a mapping of ours that nobody changes behind our back."""
    if not isinstance(given, Mapping):
        return _amount(name, given, unit, zero=zero, most=most)
    return MappingProxyType(
        {
            key: _amount(f"{name} of {key}", value, unit, zero=zero, most=most)
            for key, value in given.items()
        }
    )


def _amount(name: str, value: Any, unit: str, *, zero: bool = True, most: float = FINITE) -> float:
    return amount(f"stopping: {name}", value, MonitorError, unit, zero=zero, most=most)


def _span(given: Any) -> float | tuple[float, float]:
    """A time, or the soonest and the latest."""
    if not isinstance(given, (tuple, list)):
        return _amount("reaction", given, "s")
    if len(given) != 2:
        raise MonitorError("stopping: reaction", value=given, allowed="(soonest, latest), [s]")
    soonest, latest = (_amount("reaction", value, "s") for value in given)
    if latest < soonest:
        raise MonitorError("stopping: reaction", value=given, allowed="the soonest first")
    return soonest, latest


def _clearances(given: Any) -> Mapping[Pair, float]:
    allowed = '{("left/hand", "table"): 0.01}'
    if not isinstance(given, Mapping):
        raise MonitorError("stopping: clearances", value=given, allowed=allowed)
    found: dict[Pair, float] = {}
    for pair, value in given.items():
        named = isinstance(pair, tuple) and len(pair) == 2 and pair[0] != pair[1]
        if not (named and all(isinstance(name, str) for name in pair)):
            raise MonitorError("stopping: clearances", value=pair, allowed=allowed)
        a, b = pair
        found[ordered(a, b)] = _amount(f"clearance of {a} and {b}", value, "m")
    return MappingProxyType(found)


def _known(given: Iterable[Any], names: set[str], element: str) -> None:
    for name in given:
        if name not in names:
            raise UnknownNameError(str(name), sorted(names), what="name", element=element)


def _by_joint(
    given: ByJoint, names: JointNames, element: str, otherwise: float | None = None
) -> Array:
    """One number a joint: that of the joint itself, of its robot, or of all."""
    if not isinstance(given, Mapping):
        return np.full(len(names.joints), given)
    by_name = names.spread(given, f"stopping: {element}", strict=False)
    found = [by_name.get(joint, otherwise) for joint in names.joints]
    if None in found:
        raise MonitorError(
            "nothing is said of a joint",
            element=f"stopping: {element}",
            value=names.joints[found.index(None)],
            allowed=f"its name, that of its robot, or {DEFAULT!r}",
        )
    return np.array(found, dtype=float)


class Stops:
    """Looks at the stop after each cycle.

    Args:
        stopping: as it was asked for.
        wait: until the next reading is due at the latest, [s].
    """

    def __init__(self, stopping: Stopping, wait: float) -> None:
        self._stopping = stopping
        self._wait = wait
        self._check: StopCheck

    def laid_out(self, cell: Cell, speeds: Mapping[str, float]) -> StopCheck:
        """Tables for the cell as it is now; changes nothing.

        Raises:
            MonitorError: a joint or body that nothing is said of.
        """
        return self._stopping.check(cell, self._wait, speeds)

    def adopt(self, check: StopCheck) -> None:
        """Use these tables from now on, from the last reading on."""
        if hasattr(self, "_check"):
            check.go_on_from(self._check)
        self._check = check

    def after(self, cycle: Cycle, q: Array, poses: Array, dt: float, dq: Any) -> Cycle:
        """The cycle, with what there is to say of the stop. ``dt``: since the last reading."""
        check = self._check
        if dq is None:
            return cycle if check.free(q, poses, dt) else self._told(cycle, dt, ())
        faults: tuple[Fault, ...] = ()
        given = dq
        if not is_table(dq, q.shape):
            given, faults = velocities(dq, check.names)
        if given is None:
            free = check.free(q, poses, dt)
        else:
            free = check.free(q, poses, dt, given)
            if not check.known:
                _, faults = velocities(dq, check.names)
        return cycle if free and not faults else self._told(cycle, dt, faults)

    def forget(self) -> None:
        """The last reading says nothing of the velocities now."""
        self._check.forget()

    def _told(self, cycle: Cycle, dt: float, faults: tuple[Fault, ...]) -> Cycle:
        check = self._check
        if not check.known:
            names = check.unknown
            what = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
            allowed = "velocities: two good readings in a row, or dq"
            faults = (*faults, Fault("missing", "velocities", what or None, allowed))
        for beyond in check.overruns:
            far = "up" if beyond.position > beyond.limit else "down"
            allowed = f"to stand before its limit, {far} to {beyond.limit:g}"
            faults = (*faults, Fault("limits", beyond.joint, beyond.position, allowed))
        for name, speed, off in check.contradictions:
            allowed = f"the change of position over time, from which it differs by {off:.3g}"
            faults = (*faults, Fault("velocity", name, speed, allowed))
        trouble = check.trouble
        return cycle.with_stop(faults, None if trouble is None else StopWarning(trouble, dt))
