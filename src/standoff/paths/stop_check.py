"""Is a stop from here free? Asked anew at each reading, of all stops that may follow it at once.

`so.paths.check_stop` (`paths.stopping`) certifies one braking motion, exactly as given. Here
neither the moment at which the brakes act nor how hard they hold nor the velocities are known
exactly, and the answer is wanted in microseconds; see `paths.kernels.stop` for how that is done.
`monitor.stops` asks, and holds the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from standoff.cell.allowed import Pair
from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.paths.end_stops import Overrun
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels import stop
from standoff.paths.kernels.stop import check_stop, note_open
from standoff.paths.path_search import KINDS, Motion, Search, new_scratch
from standoff.paths.tables import Settings, build_tables
from standoff.paths.verdict import Kind
from standoff.tolerances import ENCODER_TOLERANCE

#: Pieces that a stop is laid out in, [-]. Each costs a look at all that is near; with one piece the
#: parabolas are 2 % of the braking time's square times the deceleration off, with two a quarter of
#: that, which is less than what a cycle's change of velocity adds.
STOP_PIECES = 2


_FULL = (p.NODES_FULL, p.POOL_FULL)
_READINGS: Array = np.zeros(0)


@dataclass(frozen=True, eq=False)
class StopModel:
    """What is known of stops; arrays have one number a joint, [rad] or [m].

    Attributes:
        reaction: from the reading until the brakes act at the soonest, [s].
        wait: how much later they may act, [s].
        synchronised: all joints stop together, on a straight line from where the brakes act.
        limits: whether joints must stand before their limits.
        least, most: what the brakes hold, above 0, [rad/s²]; the most may be infinite.
        gain: by how much velocities change at most until the brakes act, [rad/s²].
        velocity_error: how far off velocities are that are given, [rad/s].
        deviation: how far off the joints may be otherwise.
        body_change: for each moving body, by how much the velocity of any of its points may change
            until all joints stand, [m/s].
        body_glides: whether that is from its velocity as of now, or from standing still.
    """

    reaction: float
    wait: float
    synchronised: bool
    limits: bool
    least: Array
    most: Array
    gain: Array
    velocity_error: Array
    deviation: Array
    body_change: Array
    body_glides: Array


class Trouble(NamedTuple):
    """Why stops are not proved free: the pair, when, and how near it is then.

    Attributes:
        kind: as of a `Verdict`; ``undecided`` where the budget ran out, and the pair is one that
            is open still, with no distance (NaN).
        time: seconds from the reading, on the stop in the middle of all.
        q: the joints then.
        a, b: names, in the order of the cell's.
        distance, point_a, point_b, normal: as of a `Verdict`.
        clearance: what they should keep, [m].
    """

    kind: Kind
    time: float
    q: Array
    a: str
    b: str
    distance: float
    point_a: Array
    point_b: Array
    normal: Array
    clearance: float


class StopCheck:
    """Looks at each reading of one revision of a cell. Pairs count that a joint is between.

    Args:
        clearance, tolerance, clearances, budget: as of `PathChecker`, checked.
    """

    def __init__(
        self,
        cell: Cell,
        model: StopModel,
        *,
        clearance: float,
        tolerance: float,
        clearances: Mapping[Pair, float],
        budget: int,
    ) -> None:
        joints, bodies = len(cell.joints), len(cell.moving)
        self.joints, self.moving, self.names = cell.joints, cell.moving, cell.tree.names
        self._tables = build_tables(
            cell, Settings(clearance, tolerance, clearances, np.zeros(joints), gliding=False)
        )
        self._scratch = new_scratch(self._tables, STOP_PIECES)
        self._budget = budget
        self._motion = Motion(
            np.zeros((STOP_PIECES, p.POWERS, joints)),
            np.zeros((STOP_PIECES, bodies), p.GLIDE),
            np.zeros((STOP_PIECES, joints + bodies)),
        )
        self._stops = stop.Stops(
            joints=joints, bodies=bodies, last=bodies, times=STOP_PIECES + 1,
            motion=self._motion.tables,
        )  # fmt: skip
        rows = self._stops.joints
        rows.slow, rows.fast = 1.0 / model.least, 1.0 / model.most
        rows.gain, rows.off, rows.error = model.gain, model.velocity_error, model.deviation
        rows.lower = rows.least = -np.inf
        rows.upper = rows.most = np.inf
        if model.limits:
            rows.lower = cell.tree.lower - ENCODER_TOLERANCE
            rows.upper = cell.tree.upper + ENCODER_TOLERANCE
        else:
            # No end stop keeps a joint where pairs were proved apart.
            rows.least, rows.most = cell.proof_limits
        rows.turns = [kind == "continuous" for kind in cell.tree.kinds]
        self._stops.last.linear = self._stops.last.angular = np.nan
        self.forget()
        self._stops.bodies.change, self._stops.bodies.glides = model.body_change, model.body_glides
        plan, self._report = self._stops.plan, self._stops.report
        plan.reaction, plan.wait, plan.together = model.reaction, model.wait, model.synchronised
        self._report.known = 1
        self._sets = self._tables.cell.address, self._scratch.address, self._stops.address

    def free(self, q: Array, poses: Array, dt: float, dq: Array = _READINGS) -> bool:
        """Whether every stop that may follow is proved free, and no joint passes its limits.

        Args:
            q, poses: the reading: float64, C order, finite, as many as the cell has.
            dt: time since the last one, [s].
            dq: velocities of the joints; empty: from the last reading.
        """
        if check_stop(*self._sets, q, poses, dq, dt, self._budget):
            return True
        report = self._report
        if report.known and report.outcome in _FULL:
            search = Search(self._tables, self._laid_out, self._budget, scratch=self._scratch)
            report.outcome = search.run()
        return self.known and not (report.outcome or report.overrun or report.contradiction)

    @property
    def known(self) -> bool:
        """Whether the velocities were, and all could be looked at."""
        return bool(self._report.known)

    @property
    def unknown(self) -> list[str]:
        """The joints and bodies without a velocity."""
        bad_joints: Any = ~np.isfinite(self._stops.joints.stands)
        moves = np.concatenate([self._stops.last.linear, self._stops.last.angular], axis=1)
        bad_bodies: Any = ~np.isfinite(moves).all(axis=1)
        return [name for name, bad in zip(self.joints, bad_joints) if bad] + [
            name for name, bad in zip(self.moving, bad_bodies) if bad
        ]

    @property
    def overruns(self) -> list[Overrun]:
        """The joints that would pass a limit before they stand: where they would stand, if the
        brakes act last and hold least; or, where proofs count on the limit, the farthest that any
        stop gets."""
        if not (self.known and self._report.overrun):
            return []
        found = []
        for name, row in zip(self.joints, self._stops.joints):
            for far, limit, beyond in (
                (row.stands, row.upper, row.stands > max(row.last, row.upper)),
                (row.stands, row.lower, row.stands < min(row.last, row.lower)),
                (row.highest, row.most, row.highest > row.most),
                (row.lowest, row.least, row.lowest < row.least),
            ):
                if beyond:
                    found.append(
                        Overrun(name, float(self._stops.times[-1]), float(far), float(limit))
                    )
        return found

    @property
    def contradictions(self) -> list[tuple[str, float, float]]:
        """The joints whose velocity, as it was given, contradicts their positions: the velocity,
        and how far it is off their change since the last reading."""
        if not (self.known and self._report.contradiction):
            return []
        off, speed = self._stops.joints.contradicts, self._stops.joints.speed
        return [
            (name, float(v), float(x)) for name, v, x in zip(self.joints, speed, off) if x > 0.0
        ]

    @property
    def trouble(self) -> Trouble | None:
        """What the last look found; None where all was free, or nothing could be looked at."""
        outcome = self._report.outcome
        if not self.known or outcome == p.FREE:
            return None
        found = self._scratch.found
        if outcome == p.FOUND and found["kind"] != p.NOTHING:
            return self._trouble(
                KINDS[int(found["kind"])], int(found["piece"]), float(found["u"]),
                int(found["a"]), int(found["b"]), found.copy(),
            )  # fmt: skip
        report = self._report
        note_open(*self._sets)
        return self._trouble(
            "undecided", int(report.piece), float(report.u), int(report.a), int(report.b), None
        )

    def _trouble(self, kind: Kind, piece: int, u: float, x: int, y: int, found: Any) -> Trouble:
        tables = self._tables
        a, b = tables.primitives[x].body, tables.primitives[y].body
        distance, none = np.nan, np.full(3, np.nan)
        point_a, point_b, normal = none, none, none
        if found is not None:
            distance, normal = float(found["distance"]), found["normal"]
            point_a, point_b = found["point_a"], found["point_b"]
        if tables.name_order(a, b):
            a, b, normal, point_a, point_b = b, a, -normal, point_b, point_a
        start, end = self._stops.times[piece : piece + 2]
        return Trouble(
            kind, float(start + u * (end - start)), self._motion.at(piece, u), a, b, distance,
            point_a, point_b, normal, self._clearance(x, y),
        )  # fmt: skip

    def _clearance(self, x: int, y: int) -> float:
        links = self._tables.cell.links
        own = np.flatnonzero((links.a == x) & (links.b == y))
        return float(links.clearance[own[0]] if len(own) else self._tables.settings.clearance)

    @property
    def _laid_out(self) -> Motion:
        """The motion of the last look, those pieces of it that were used."""
        n = int(self._report.pieces)
        motion = self._motion
        return Motion(motion.pieces[:n], motion.glides[:n], motion.rounding[:n])

    def forget(self) -> None:
        """The last reading is no basis for velocities."""
        self._stops.joints.last = np.nan
        self._stops.last.pose = np.nan

    def go_on_from(self, before: StopCheck) -> None:
        """Take over the last reading of another revision, of the joints and bodies that stay."""
        last: dict[str, Any] = dict(zip(before.joints, before._stops.joints.last))
        self._stops.joints.last = [last.get(name, np.nan) for name in self.joints]
        poses = dict(zip(before.moving, before._stops.last.pose))
        for row, name in zip(self._stops.last, self.moving):
            row["pose"] = poses.get(name, np.nan)
