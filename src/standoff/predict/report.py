"""What a step of a predictor says: alarms, faults, and whether its promise stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.pose import Array
from standoff.predict.kernels import predict_tables as p
from standoff.predict.schedule import Rows, bodies_of

FaultKind = Literal["missing", "speed", "acceleration", "jump", "time", "input", "memory"]

#: The kinds that kernels tell, by number.
KINDS: dict[int, FaultKind] = {
    p.MISSING: "missing",
    p.TOO_FAST: "speed",
    p.ACCELERATED: "acceleration",
    p.JUMPED: "jump",
}
_ALLOWED = {
    p.MISSING: "six finite numbers",
    p.TOO_FAST: "up to {:.6g} m/s",
    p.ACCELERATED: "a change of velocity of up to {:.6g} m/s",
    p.JUMPED: "up to {:.6g} m from where it could have got",
}


@dataclass(frozen=True)
class BodyFault:
    """Something that was wrong with what a step was given. Nothing is promised then for any pair
    with this body (or, where it is None, for any pair) until that pair is looked at again.

    Attributes:
        kind: ``missing``: no reading, or not a finite one; ``speed``: faster than its bound;
            ``acceleration``, ``jump``: since it was last looked at, its velocity changed more, or
            it moved farther, than its bounds allow; ``time``: no time, or one that does not
            increase; ``input``: not an array of the right shape; ``memory``: none for all pairs
            that may meet within the horizon, or for all alarms of the step, of which none is
            listed then.
        body: number of the body.
        value: what was found.
        allowed: what would have been right.
    """

    kind: FaultKind
    body: int | None
    value: Any
    allowed: str

    def __str__(self) -> str:
        who = "all bodies" if self.body is None else f"body {self.body}"
        return f"{who}: {self.kind}; got {self.value}; allowed: {self.allowed}"


class Prediction:
    """One step of a `Predictor`. True where it is `safe`.

    Attributes:
        number: of the step, from 0.
        time: as it was given, [s].
        faults: of the input; see `BodyFault`. Only bodies that were looked at can have one.
        late: by how much longer than the period this step was in coming, [s]; infinite where that
            is not known. The predictor cannot keep up then (paper 004, (27)).
        keeping_up: whether the promise stands for every pair: no contact before it is alarmed.
            False from a late step, or from a fault, until all pairs it may concern have been looked
            at again; `Predictor.void` names them, and finds out whether there are any.
        count: alarms of this step. All are listed, but for those beyond LISTED_ALARMS where a step
            of DUA looks at all pairs: the first, and one where the clock is begun anew; or all
            where there is no memory for them, which is a fault.
        tests: pairs that were looked at.
    """

    __slots__ = ("_rows", "_true", "_unit", "count", "faults", "keeping_up", "late", "number",
                 "tests", "time")  # fmt: skip

    def __init__(
        self,
        number: int,
        time: float | None,
        rows: Rows,
        unit: float,
        count: int,
        tests: int,
        faults: tuple[BodyFault, ...] = (),
        late: float = 0.0,
        keeping_up: bool = True,
    ) -> None:
        self.number = number
        self.time = time
        self.count = count
        self.tests = tests
        self.faults = faults
        self.late = late
        self.keeping_up = keeping_up
        self._rows = rows
        self._unit = unit
        self._true: NDArray[np.bool_] | None = None

    @property
    def _alarms(self) -> Rows:
        return self._rows.view(p.ALARM)

    @property
    def true(self) -> NDArray[np.bool_]:
        """For each alarm whether it stands: the exact stage could not rule it out. All do where
        there is no exact stage."""
        return np.ones(len(self._rows), dtype=bool) if self._true is None else self._true

    @property
    def safe(self) -> bool:
        """No alarm that stands, no fault, and no pair without a promise."""
        return self.keeping_up and not self.faults and not (self.count and self.true.any())

    def __bool__(self) -> bool:
        return self.safe

    @property
    def alarms(self) -> NDArray[np.int64]:
        """The pairs that may touch before they are looked at again, the smaller body first, (k, 2);
        the most urgent first, but for the first step."""
        return bodies_of(self._alarms)

    @property
    def tau(self) -> Array:
        """No contact of the alarmed pairs before these times from now, [s], (k,)."""
        tau: Array = self._alarms["units"] * self._unit
        return tau

    @property
    def until(self) -> Array:
        """When the next look at each alarmed pair will be done, from now, [s], (k,); infinite where
        nobody knows: pairs that were due and are alarmed without a test."""
        periods = self._alarms["periods"]
        until: Array = np.where(periods == p.NEVER, np.inf, periods * (self._unit * p.UNIT))
        return until

    @property
    def new(self) -> NDArray[np.bool_]:
        """Which alarms are no repetitions: the pair was not alarmed when it was last looked at, or
        this is the first alarm that stands, after others that were ruled out."""
        new: NDArray[np.bool_] = self._alarms["new"] != 0
        return new

    def __repr__(self) -> str:
        state = "" if self.keeping_up else ", cannot keep up"
        return f"<Prediction {self.number}: {self.count} alarms, {len(self.faults)} faults{state}>"


def faults_of(rows: Rows) -> list[BodyFault]:
    """The faults that a kernel wrote down."""
    return [
        BodyFault(KINDS[kind], body, value, _ALLOWED[kind].format(allowed))
        for kind, body, value, allowed in rows.tolist()
    ]
