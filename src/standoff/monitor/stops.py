"""The stop in each cycle: from every reading, is stopping free?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from standoff.cell import Cell
from standoff.monitor.braking import Stopping
from standoff.monitor.reading import joint_numbers
from standoff.monitor.report import Cycle, Fault
from standoff.monitor.stop_report import StopCycle, StopWarning
from standoff.shapes.pose import Array

if TYPE_CHECKING:
    from standoff.paths.stop_check import StopCheck

_FLOAT = np.dtype(np.float64)


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
        if not (
            type(dq) is np.ndarray
            and dq.dtype is _FLOAT
            and dq.shape == q.shape
            and dq.flags.carray
        ):  # fmt: skip
            given, faults = joint_numbers(dq, check.joints, check.mimics, "dq")
        if given is None:
            free = check.free(q, poses, dt)
        else:
            free = check.free(q, poses, dt, given)
            if not check.known:
                _, faults = joint_numbers(dq, check.joints, check.mimics, "dq")
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
            allowed = f"the change of position since the last reading, {off:.3g} away from it"
            faults = (*faults, Fault("velocity", name, speed, allowed))
        trouble = check.trouble
        return StopCycle(cycle, faults, None if trouble is None else StopWarning(trouble, dt))
