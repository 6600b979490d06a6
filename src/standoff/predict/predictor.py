"""The predictor: which pairs can touch soon, found by looking at few of them at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike

from standoff.cell.cell import Cell
from standoff.errors import PredictError
from standoff.predict.deadlines import Deadlines
from standoff.predict.dua import DynamicUrgency
from standoff.predict.exact_stage import ExactStage
from standoff.predict.from_cell import (
    SPHERE_RADIUS,
    STATIC_SPHERE_RADIUS,
    CellSpheres,
    PerJoint,
    cell_spheres,
)
from standoff.predict.kernels import predict_tables as p
from standoff.predict.options import UrgencyName, checked
from standoff.predict.readings import NOBODY, Reading, as_rows, finite
from standoff.predict.report import BodyFault, Prediction, faults_of
from standoff.predict.schedule import (
    NO_PAIRS,
    Ints,
    Rows,
    Schedule,
    among,
    bodies_of,
    checked_pairs,
    listed,
)
from standoff.tolerances import CLOCK_INSTANT, EPS

#: By how much longer than its period a predictor takes a step to be, [-]: times that are written
#: down in decimals differ by a period only within their rounding, and such a step is not late.
PERIOD_SLACK = 1e-6

#: The same for the rounding of the times themselves, in units of ``EPS`` times the largest of them,
#: [-]: two of them, their difference, and the sum of all differences.
CLOCK_ROUNDING = 4.0

#: Periods after which a predictor begins its clock anew, [-]: up to then the rounding above is
#: 1.6e-5 of a period beside that of the first time, and no count of units is near its end.
CLOCK_PERIODS = 2.0**34


#: The one float64 of this machine's byte order.
_FLOAT = np.dtype(np.float64)
_NO_ALARMS: Rows = np.zeros(0, dtype=p.ALARM)
_QUIET, _ALARMS = p.QUIET, p.ALARMS
_DEADLINES = Deadlines()


class Predictor:
    """Watches balls that move within bounds, and alarms each pair before it can touch.

    The promise: let the steps be no farther apart than the period, and each be done before the
    next is read. Then no two bodies get within ``margin`` of each other unless a step that was done
    before has alarmed them, or has said that it is not `keeping_up`. What it costs is a look at few
    pairs in each step, the most urgent most often. A touch of the margin counts as contact.

    Args:
        radii: of balls around the bodies, [m].
        max_acceleration: bounds, one for all bodies or one for each, [m/s²]; 0: they move straight
            on.
        max_speed: bounds, [m/s]; None: there are none.
        margin: how near two bodies may come, [m]. Errors of the positions that are read belong
            here; velocities are taken as they are.
        period: the longest time from step to step, Δt, [s].
        urgency: what says how early a pair can touch: ``free`` by position, velocity and
            acceleration; ``bounded`` by the speed as well, which is the default where there is a
            bound.
        schedule: which pairs are looked at in which step: `Deadlines`, each pair again just before
            it could touch; or `DynamicUrgency`, the algorithm of paper 004.
        off: pairs not to watch, (k, 2).
        exact: the stage that alarms go to; see `ExactShapes` and `ExactMotion`.
        spheres: the cell that the bodies are spheres of; see `from_cell`.

    Attributes:
        raised: alarms so far, repetitions not counted.
        repeated: alarms of pairs that had been alarmed when they were last looked at. The first one
            that stands, after others that were ruled out, is no repetition.
        ruled_out: of those raised, how many the exact stage ruled out.
        spheres: what a predictor made by `from_cell` watches; None otherwise.

    Raises:
        PredictError: a parameter that makes no sense.
    """

    def __init__(
        self,
        radii: ArrayLike,
        max_acceleration: ArrayLike,
        max_speed: ArrayLike | None = None,
        margin: float = 0.0,
        period: float = 0.01,
        *,
        urgency: UrgencyName | None = None,
        schedule: Deadlines | DynamicUrgency = _DEADLINES,
        off: Any = (),
        exact: ExactStage | None = None,
        spheres: CellSpheres | None = None,
    ) -> None:
        self._options = options = checked(
            radii, max_acceleration, max_speed, margin, period, urgency
        )
        if not isinstance(schedule, Deadlines | DynamicUrgency):
            raise PredictError(
                "no schedule", element="schedule", value=schedule,
                allowed="Deadlines(...), DynamicUrgency(...)",
            )  # fmt: skip
        self._how = schedule
        if isinstance(schedule, Deadlines):
            schedule.check(options.period)
        self._bodies = options.bodies
        self._period = options.period
        count = len(self._bodies)
        if exact is not None:
            if not isinstance(exact, ExactStage):
                raise PredictError(
                    "no exact stage", element="exact", value=exact,
                    allowed="ExactShapes(...), ExactMotion(...), or what has check and judge",
                )  # fmt: skip
            exact.check(options.radii, options.margin, spheres)
        self._exact = exact
        self.spheres = spheres
        self._off = checked_pairs(off, count)
        self._shape = (count, 3)
        self._schedule: Schedule | None = None
        self._late_after = math.inf
        self._last = math.nan  # the last stamp; NaN: none yet
        self._now = 0.0  # since the clock was begun, in step `_begun`; up to `_anew_at`
        self._begun = 0
        self._anew_at = self._stamps = 0.0  # stamps up to so large are counted on
        self._number = 0
        # Nothing is promised for pairs that were looked at before step `_doubt` (-1: for all); nor,
        # for any that the faults since step `_doubt_since` may concern, until turn `_doubt_until`
        # of the schedule. `_waiting`: pairs that were switched on will be without a look even after
        # the next step. `_careful`: any of this is to be thought of in the next step.
        self._doubt = -1
        self._doubt_since = self._doubt_until = -1
        self._waiting = self._careful = False
        # Pairs with no alarm yet that stands, of those alarmed.
        self._out: set[tuple[int, ...]] = set()
        self.raised = self.repeated = self.ruled_out = 0

    @classmethod
    def from_cell(
        cls,
        cell: Cell,
        max_joint_acceleration: PerJoint,
        margin: float = 0.0,
        period: float = 0.01,
        *,
        max_joint_speed: PerJoint | None = None,
        moving: Mapping[str, tuple[float, float]] | None = None,
        leave_out: Iterable[str] = (),
        radius: float = SPHERE_RADIUS,
        static_radius: float = STATIC_SPHERE_RADIUS,
        off: Any = (),
        **others: Any,
    ) -> Predictor:
        """A predictor of a robot cell: spheres that cover links and bodies, with bounds that follow
        from those of the joints. Its steps are `step_cell`; the bodies that it numbers are those of
        ``spheres``, whose names say where they belong.

        Args:
            max_joint_acceleration, max_joint_speed, moving, leave_out, radius, static_radius: as
                for `cell_spheres`.
            off: pairs of spheres not to watch, besides those that need no watching.
            others: all others of `Predictor`.
        """
        spheres = cell_spheres(
            cell, max_joint_acceleration, max_joint_speed=max_joint_speed, moving=moving,
            leave_out=leave_out, radius=radius, static_radius=static_radius,
        )  # fmt: skip
        ignored = np.concatenate([spheres.off, checked_pairs(off, len(spheres.radii))])
        return cls(
            spheres.radii, spheres.max_acceleration, spheres.max_speed, margin, period,
            off=ignored, spheres=spheres, **others,
        )  # fmt: skip

    def step_cell(
        self, q: Any, dq: Any, time: float | None = None, *, poses: Any = None, twists: Any = None
    ) -> Prediction:
        """`step` for a cell: joint values and speeds in, as for `CellSpheres.place`. All spheres
        are placed. A joint beyond what the bounds count on is a fault of all bodies, and so is, in
        every step, a cell that was changed since the predictor was made: make another one. A moving
        body without a pose and a twist is a fault: nobody knows where it is, or how fast."""
        if self.spheres is None:
            raise PredictError("no cell", allowed="step(...), or Predictor.from_cell(...)")
        faults = []
        try:
            x, v = self.spheres.place(q, dq, poses, twists)
            broken = self.spheres.broken(q, dq)
            for name, mine in self.spheres.not_given(poses, twists).items():
                x[mine] = np.nan
                needed = "poses= and twists= with each moving body, in each step"
                faults.append(
                    BodyFault("missing", int(mine[0]), f"no pose or no twist of {name!r}", needed)
                )
        except Exception as error:  # also what somebody else's array or number raises
            x = v = NOBODY
            faults.append(BodyFault("input", None, str(error), "joint values of the cell"))
        else:
            if self.spheres.changed:
                faults.append(BodyFault("input", None, "the cell was changed", "as it was"))
            if broken:
                kept = "within the speeds and limits that the bounds count on"
                faults.append(BodyFault("speed", None, ", ".join(broken), kept))
        return self._step_with_care(x, v, time, None, faults, q)

    def step(
        self,
        positions: Any,
        velocities: Any,
        time: float | None = None,
        *,
        rotations: Any = None,
    ) -> Prediction:
        """One reading in, one `Prediction` out. Only bodies of pairs that are looked at are read;
        the first step looks at all pairs.

        Args:
            positions, velocities: of all bodies, (n, 3), world frame, [m] and [m/s].
            time: of the reading, [s]; without it the steps count as one period apart.
            rotations: (n, 3, 3), for the exact stage; None: nobody turns.

        Whatever is wrong with the input is a fault of the step, and never an exception.
        """
        schedule = self._schedule
        # What comes as it should is handed over as it is; anything else is looked at closely.
        if schedule is None or not (
            type(positions) is type(velocities) is ndarray
            and positions.dtype is velocities.dtype is _FLOAT
            and positions.shape == velocities.shape == self._shape
            and positions.flags.carray
            and velocities.flags.carray
        ):
            return self._step_with_care(positions, velocities, time, rotations)
        last = self._last
        if time is None and last != last:
            now = self._now + self._period
        elif isinstance(time, float) and 0.0 < time - last <= self._late_after:
            now = self._now + (time - last)
            last = time
        else:
            now = math.inf
        if now >= self._anew_at:
            return self._step_with_care(positions, velocities, time, rotations)
        self._last = last
        self._now = now
        number = self._number = self._number + 1
        said = schedule.step(positions, velocities, now)
        if not self._careful:
            if said == _QUIET:
                return Prediction(number, time, _NO_ALARMS, self._unit, 0, schedule.tests.item())
            if said == _ALARMS and self._exact is None:
                return self._alarms_alone(schedule, time, positions, velocities)
        return self._eventful(time, Reading(positions, velocities, rotations), [], 0.0)

    def _alarms_alone(
        self, schedule: Schedule, time: float | None, positions: Any, velocities: Any
    ) -> Prediction:
        """A step with alarms and nothing else, unless there is no memory for them."""
        rows, found = listed(schedule.alarms), schedule.found
        if len(rows) != found:
            return self._eventful(time, Reading(positions, velocities), [], 0.0)
        step = Prediction(self._number, time, rows, self._unit, found, schedule.tests.item())
        self._count(step)
        return step

    def _step_with_care(
        self,
        positions: Any,
        velocities: Any,
        time: float | None,
        rotations: Any,
        known: Sequence[BodyFault] = (),
        q: Any = None,
    ) -> Prediction:
        faults = [*known]
        x = as_rows("positions", positions, self._shape[0], faults)
        v = as_rows("velocities", velocities, self._shape[0], faults)
        if self._schedule is None:
            return self._first_step(Reading(x, v, rotations, q, self.spheres), time, faults)
        late = self._advance(time, faults)
        self._number += 1
        if self._clock_is_outgrown():
            return self._begin_anew(Reading(x, v, rotations, q, self.spheres), time, faults, late)
        self._schedule.step(x, v, self._now)
        return self._eventful(time, Reading(x, v, rotations, q, self.spheres), faults, late)

    def _eventful(
        self,
        time: float | None,
        reading: Reading,
        faults: list[BodyFault],
        late: float,
    ) -> Prediction:
        schedule = self._schedule
        assert schedule is not None
        state = schedule.state
        number, turn = self._number - self._begun, schedule.turn
        found, rows = schedule.found, listed(schedule.alarms)
        schedule.full = max(schedule.full, found - len(rows))
        faults += faults_of(schedule.faults)
        faults += self._without_memory(schedule)
        if late:
            state["late_in"] = number
        if faults or (late and not schedule.finds_void):
            self._doubted(number, turn, faults)
        lost = state["voids"].item() or state["expired"].item()
        kept = not (late or lost or self._waiting or turn <= self._doubt_until)
        self._waiting = schedule.wake()
        self._careful = self._waiting or turn <= self._doubt_until
        return self._counted(time, rows, found, faults, late, kept, reading)

    @staticmethod
    def _without_memory(schedule: Schedule) -> list[BodyFault]:
        """What there was no memory for is a fault of all bodies."""
        many, schedule.full = schedule.full, 0
        allowed = "bodies apart, a shorter horizon, or more memory"
        return [BodyFault("memory", None, f"room for {many} pairs", allowed)] if many else []

    def _doubted(self, number: int, turn: int, faults: Sequence[BodyFault]) -> None:
        """Promise nothing for pairs that this step may concern until all were looked at again."""
        assert self._schedule is not None
        if turn > self._doubt_until:
            self._doubt_since = number - 1
        self._doubt_until = max(self._doubt_until, turn + self._schedule.longest)
        self._careful = True
        for fault in faults:
            if fault.body is None:
                # A clock that is wrong is wrong about the past; bounds that do not hold, about what
                # this step has looked at, too.
                self._doubt = max(self._doubt, number + (fault.kind != "time"))

    def _counted(
        self,
        time: float | None,
        rows: Rows,
        found: int,
        faults: Sequence[BodyFault],
        late: float,
        kept: bool,
        reading: Reading,
    ) -> Prediction:
        """What this step says, its alarms judged and counted."""
        assert self._schedule is not None
        tests = self._schedule.tests.item()
        step = Prediction(
            self._number, time, rows, self._unit, found, tests, tuple(faults), late, kept
        )
        if found:
            self._count(step)
            if self._exact is not None:
                step._true = self._exact.judge(step, reading, self._bodies, self._options.margin)
                # Nobody knows until when it would have to be ruled out.
                step._true = step._true | (step.until == math.inf)
                self._count_ruled_out(step)
        return step

    def _count(self, step: Prediction) -> None:
        """Count the alarms of a step."""
        assert self._schedule is not None
        new = self._schedule.state["new"].item()
        self.raised += new
        self.repeated += step.count - new

    def _count_ruled_out(self, step: Prediction) -> None:
        """Count what was ruled out, once for each pair that is alarmed; the first alarm after it
        that stands is no repetition."""
        out, rows = self._out, step._alarms
        pairs = [*map(tuple, step.alarms.tolist())]
        false = step.new & ~step.true
        out.difference_update(compress(pairs, step.new & step.true))
        out.update(compress(pairs, false))
        self.ruled_out += int(np.count_nonzero(false))
        again = ~step.new & step.true
        if out and again.any():
            turned = again & [pair in out for pair in pairs]
            out.difference_update(compress(pairs, turned))
            rows["new"][turned] = 1
            found = int(np.count_nonzero(turned))
            self.raised += found
            self.repeated -= found

    def _first_step(
        self, reading: Reading, time: float | None, faults: list[BodyFault]
    ) -> Prediction:
        if time is not None:
            self._last = finite(time)
            if math.isnan(self._last):
                faults.append(BodyFault("time", None, time, "a finite number, [s]"))
        return self._begin(reading, time, faults, 0.0, NO_PAIRS)

    def _begin(
        self,
        reading: Reading,
        time: float | None,
        faults: list[BodyFault],
        late: float,
        alarmed: Ints,
    ) -> Prediction:
        """Begin the clock, and look at all pairs; ``alarmed`` when they were last looked at."""
        self._begun, self._now = self._number, 0.0
        self._anew_at = CLOCK_PERIODS * self._period
        self._stamps = self._stamp() + self._anew_at
        # Steps this far apart are not late; it is the Δt that all bounds are computed with.
        blur = CLOCK_ROUNDING * EPS * self._stamps
        longest = self._period * (1.0 + PERIOD_SLACK) + blur
        self._late_after = longest
        self._unit = longest / p.UNIT
        how = self._how
        schedule = how.schedule(self._bodies, longest, self._options.urgency, self._off)
        self._schedule = schedule
        state = schedule.state
        state["blur"] = math.ceil(min(blur / CLOCK_INSTANT, p.NEVER))
        found, rows, found_faults = schedule.start(reading.positions, reading.velocities)
        state["judged"] = self._exact is not None
        records = rows.view(p.ALARM)
        again = among(bodies_of(records), alarmed)
        records["new"][again] = 0
        state["new"] -= np.count_nonzero(again)
        faults += faults_of(found_faults)
        faults += self._without_memory(schedule)
        if faults:
            self._doubted(0, schedule.turn, faults)
        return self._counted(time, rows, found, faults, late, not (faults or late), reading)

    def _begin_anew(
        self, reading: Reading, time: float | None, faults: list[BodyFault], late: float
    ) -> Prediction:
        """A step that begins the clock anew. Bodies are held against their last readings; nothing
        else is known of the time before."""
        assert self._schedule is not None
        alarmed = self._schedule.alarmed()
        self._schedule = None  # its memory is for the next one
        bodies = self._bodies
        bodies["seen_at"] -= self._now
        seen = bodies["seen_in"]
        # In steps from this one, which is the next schedule's 0.
        seen[seen >= 0] = self._number - self._begun - seen[seen >= 0]
        bodies["fault_in"] = -1
        self._doubt = self._doubt_since = self._doubt_until = -1
        self._waiting = self._careful = False
        return self._begin(reading, time, faults, late, alarmed)

    def _stamp(self) -> float:
        """How large the last stamp is, [s]; 0 where there is none."""
        return 0.0 if math.isnan(self._last) else abs(self._last)

    def _clock_is_outgrown(self) -> bool:
        """Whether Δt no longer counts on the rounding of the clock: it has run for long, or it was
        set and stamps are much larger or smaller than they were."""
        stamp = self._stamp()
        return (
            self._now >= self._anew_at
            or stamp > self._stamps
            or 4.0 * (stamp + self._anew_at) < self._stamps
        )

    def _advance(self, time: float | None, faults: list[BodyFault]) -> float:
        """Go on by the time that has passed. By how much that is too long, [s]."""
        if time is None and math.isnan(self._last):
            self._now += self._period
            return 0.0
        given = math.nan if time is None else finite(time)
        passed = given - self._last
        if passed > 0.0:
            self._now += passed
            self._last = given
            return max(passed - self._period, 0.0) if passed > self._late_after else 0.0
        # Nobody knows how long ago the last reading was.
        allowed = "an increasing time in each step, or in none, [s]"
        faults.append(BodyFault("time", None, time, allowed))
        if not math.isnan(given):
            self._last = given
        self._now += self._period
        return math.inf

    def void(self) -> Ints:
        """The pairs for which nothing is promised at the moment, (k, 2): after a late step those
        that may touch before they are looked at again, after a fault those with the body that it
        was of, and those that were switched on and have to wait. A look at all pairs; if there are
        none, the next steps are keeping up again. With a horizon, pairs that were left out are not
        among them, and it stays so until all bodies were registered anew."""
        if self._schedule is None:
            return NO_PAIRS
        turn = self._schedule.turn
        since = self._number - self._begun
        if turn <= self._doubt_until:
            since = self._doubt_since
        pairs, wait = self._schedule.void(self._doubt, since)
        if wait is not None:
            self._doubt_until = turn + wait if wait else -1
            self._careful = self._waiting or wait > 0
        return pairs

    def alarmed(self) -> Ints:
        """All pairs that were alarmed when they were last looked at, (k, 2); a look at all."""
        if self._schedule is None:
            return NO_PAIRS
        return self._schedule.alarmed()

    def switch_off(self, pairs: Any) -> None:
        """Stop watching pairs, (k, 2) or one: a contact that is wanted, bodies that are joined."""
        count = self._shape[0]
        off = np.concatenate([self._off, checked_pairs(pairs, count)])
        self._off = checked_pairs(off, count)
        if self._schedule is not None:
            self._waiting = self._schedule.switch(self._off, NO_PAIRS)
            self._careful = self._careful or self._waiting

    def switch_on(self, pairs: Any) -> None:
        """Watch pairs again, from the next step on. With `DynamicUrgency`, a search through all
        pairs for each; up to 64 are looked at in the next step, the others after it: until then it
        is not keeping up."""
        here = among(self._off, checked_pairs(pairs, self._shape[0]))
        on, self._off = self._off[here], self._off[~here]
        if self._schedule is not None:
            self._waiting = self._schedule.switch(self._off, on)
            self._careful = self._careful or self._waiting

    @property
    def period(self) -> float:
        """Δt, [s]."""
        return self._period

    @property
    def pairs(self) -> int:
        """Pairs in the tables at the moment; 0 before the first step."""
        return 0 if self._schedule is None else self._schedule.pairs

    @property
    def nbytes(self) -> int:
        """Memory of the pairs."""
        return 0 if self._schedule is None else self._schedule.nbytes

    def __reduce__(self) -> Any:
        raise PredictError("a predictor cannot be copied", allowed="Predictor(...) once more")
