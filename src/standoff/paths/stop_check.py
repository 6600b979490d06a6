"""Is a stop from here free? Asked anew at each reading, of all stops that may follow it at once.

`so.stopping` certifies one braking motion, exactly as it is said to be. Here neither the moment at
which the brakes act nor how hard they hold nor the velocities are known exactly, and the answer is
wanted in microseconds; see `paths.kernels.stop` for how that is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from standoff.cell import Cell
from standoff.cell.allowed import Pair
from standoff.compiled.arenas import Arena
from standoff.geometry.pose import Array
from standoff.paths.end_stops import Overrun
from standoff.paths.kernels import layout as p
from standoff.paths.kernels import stop
from standoff.paths.kernels.links import LINK0
from standoff.paths.kernels.statics import PACK
from standoff.paths.kernels.stop import check_stop
from standoff.paths.search import Motion, Search, new_scratch
from standoff.paths.tables import build_tables
from standoff.paths.verdict import Kind
from standoff.tolerances import ENCODER_TOLERANCE

#: Pieces that a stop is laid out in, [-]. Each costs a look at all that is near; with one piece the
#: parabolas are 2 % of the braking time's square times the deceleration off, with two a quarter of
#: that, which is less than what a cycle's change of velocity adds.
STOP_PIECES = 2


_KINDS: dict[int, Kind] = {p.DOUBT: "undecided", p.NEAR: "too_close", p.CONTACT: "collision"}
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
        self.joints, self.moving, self.mimics = cell.joints, cell.moving, cell.tree.mimics
        self._tables = build_tables(
            cell, clearance, tolerance, clearances, np.zeros(joints), True, True, gliding=False
        )
        self._scratch: Arena = new_scratch(self._tables, STOP_PIECES)
        self._budget = budget
        table = np.zeros((stop.JOINT_ROWS, joints))
        table[stop.SLOW], table[stop.FAST] = 1.0 / model.least, 1.0 / model.most
        table[stop.GAIN], table[stop.OFF] = model.gain, model.velocity_error
        table[stop.STRAY] = model.deviation
        for low in (stop.LOWER, stop.LEAST):
            table[low], table[low + 1] = -np.inf, np.inf
        if model.limits:
            table[stop.LOWER] = cell.tree.lower - ENCODER_TOLERANCE
            table[stop.UPPER] = cell.tree.upper + ENCODER_TOLERANCE
        else:
            # No end stop keeps a joint where pairs were proved apart.
            table[stop.LEAST], table[stop.MOST] = cell.proof_limits
        table[stop.TURNS] = [kind == "continuous" for kind in cell.tree.kinds]
        table[stop.LAST] = np.nan
        self._joints = table
        self._bodies = np.full((bodies, stop.BODY_COLUMNS), np.nan)
        self._bodies[:, stop.CHANGE] = model.body_change
        self._bodies[:, stop.GLIDES] = model.body_glides
        plan = np.array([model.reaction, model.wait, float(model.synchronised)])
        self._times = np.zeros(STOP_PIECES + 1)
        self._motion = Motion(
            np.zeros((STOP_PIECES, p.POWERS, joints)),
            np.zeros((STOP_PIECES, bodies, 18)),
            np.zeros((STOP_PIECES, joints + bodies)),
        )
        self._given = self._joints, self._bodies, plan
        self._room = (
            self._motion.pieces, self._motion.glides, self._motion.rounding, self._times, budget
        )  # fmt: skip
        self._status = p.FREE
        self._use(self._scratch)

    def _use(self, scratch: Arena) -> None:
        tables = self._tables
        self._scratch = scratch
        self._arenas = (
            tables.stepper, tables.general, tables.arena.F, tables.arena.W, scratch.F, scratch.W
        )  # fmt: skip

    def free(self, q: Array, poses: Array, dt: float, dq: Array = _READINGS) -> bool:
        """Whether every stop that may follow is proved free, and no joint passes its limits.

        Args:
            q, poses: the reading: float64, C order, finite, as many as the cell has.
            dt: time since the last one, [s].
            dq: velocities of the joints; empty: from the last reading.
        """
        status = check_stop(*self._arenas, *self._given, q, poses, dq, dt, *self._room)
        self._status = status
        if status == p.FREE:
            return True
        if status & (stop.UNKNOWN - 1) in _FULL:
            search = Search(self._tables, self._laid_out, self._budget, scratch=self._scratch)
            self._status = search.run() + (status & (stop.OVERRUN | stop.CONTRADICTION))
            self._use(search.scratch)
        return self._status == p.FREE

    @property
    def known(self) -> bool:
        """Whether the velocities were, and all could be looked at."""
        return self._status & stop.UNKNOWN == 0

    @property
    def unknown(self) -> list[str]:
        """The joints and bodies without a velocity."""
        bad_joints = ~np.isfinite(self._joints[stop.STANDS])
        bad_bodies = ~np.isfinite(self._bodies[:, stop.LINEAR : stop.CHANGE]).all(axis=1)
        return [name for name, bad in zip(self.joints, bad_joints) if bad] + [
            name for name, bad in zip(self.moving, bad_bodies) if bad
        ]

    @property
    def overruns(self) -> list[Overrun]:
        """The joints that would pass a limit before they stand: where they would stand, if the
        brakes act last and hold least; or, where proofs count on the limit, the farthest that any
        stop gets."""
        if self._status & stop.OVERRUN == 0:
            return []
        found = []
        for name, column in zip(self.joints, self._joints.T):
            now, stands = column[stop.LAST], column[stop.STANDS]
            for far, limit, beyond in (
                (stands, column[stop.UPPER], stands > max(now, column[stop.UPPER])),
                (stands, column[stop.LOWER], stands < min(now, column[stop.LOWER])),
                (column[stop.HIGHEST], column[stop.MOST], column[stop.HIGHEST] > column[stop.MOST]),
                (column[stop.LOWEST], column[stop.LEAST], column[stop.LOWEST] < column[stop.LEAST]),
            ):
                if beyond:
                    found.append(Overrun(name, float(self._times[-1]), float(far), float(limit)))
        return found

    @property
    def contradictions(self) -> list[tuple[str, float, float]]:
        """The joints whose velocity, as it was given, contradicts their positions: the velocity,
        and how far it is off their change since the last reading."""
        if self._status & stop.CONTRADICTION == 0:
            return []
        off, speed = self._joints[stop.CONTRADICTS], self._joints[stop.SPEED]
        return [
            (name, float(v), float(x)) for name, v, x in zip(self.joints, speed, off) if x > 0.0
        ]

    @property
    def trouble(self) -> Trouble | None:
        """What the last look found; None where all was free, or nothing could be looked at."""
        outcome = self._status & (stop.UNKNOWN - 1)
        if not self.known or outcome == p.FREE:
            return None
        row = self._scratch["result"][0]
        if outcome == p.FOUND and row[p.KIND] != p.NOTHING:
            d = row[p.DISTANCE :].copy()
            kind, piece, u = _KINDS[int(row[p.KIND])], int(row[p.PIECE]), float(row[p.WHEN])
            x, y = int(row[p.BODY_A]), int(row[p.BODY_B])
        else:
            d = np.full(10, np.nan)
            kind = "undecided"
            piece, u, x, y = self._open_pair()
        return self._told(kind, piece, u, x, y, d)

    def _told(self, kind: Kind, piece: int, u: float, x: int, y: int, d: Array) -> Trouble:
        names, primitives = self._tables.names, self._tables.primitives
        a, b, sign = primitives[x].body, primitives[y].body, 1.0
        points = d[1:4], d[4:7]
        if a > b:
            a, b, sign, points = b, a, -1.0, (points[1], points[0])
        start, end = self._times[piece : piece + 2]
        q = np.zeros(len(self.joints))
        for c in self._motion.pieces[piece][::-1]:
            q = q * u + c
        return Trouble(
            kind, float(start + u * (end - start)), q, names[a], names[b], float(d[0]),
            points[0], points[1], sign * d[7:10], self._clearance(x, y),
        )  # fmt: skip

    def _clearance(self, x: int, y: int) -> float:
        arena = self._tables.arena
        own = np.flatnonzero((arena["links"][:, :2] == (x, y)).all(axis=1))
        if len(own):
            return float(arena["link_clearance"][own[0], 0])
        return float(arena["settings"][0, p.CLEARANCE])

    def _open_pair(self) -> tuple[int, float, int, int]:
        """Piece, instant and primitives of a pair that the search left open."""
        nodes, linked, arena = self._scratch["nodes"], self._scratch["linked"], self._tables.arena
        code, piece, u = None, 0, 0.5
        for piece in range(len(self._laid_out.pieces)):
            k = int(self._scratch["pieces"][piece, p.ROOT])
            if k >= 0:
                u = 0.5 * float(nodes[k, p.START] + nodes[k, p.END])
                first, count = int(linked[k, p.FIRST]), int(linked[k, p.COUNT])
                if first >= 0 and count > 0:
                    code = int(self._scratch["pool"][first, 0])
                    break
        if code is None:
            # Not one interval of it was looked at: every pair is open.
            code = -1 if len(arena["links"]) else self._tables.movers
        if code < 0:
            k = -1 - code
            if k >= len(arena["links"]):  # a team, of which any link is open
                k = int(arena["teams"][k - len(arena["links"]), LINK0])
            x, y = arena["links"][k, :2]
            return piece, u, int(x), int(y)
        return piece, u, self._member(code // PACK, code % PACK), code % PACK

    def _member(self, mover: int, static: int) -> int:
        """A mover, or the first of a crowd's that is watched against a static."""
        arena = self._tables.arena
        first, last = (int(arena["movers"][mover, k]) for k in (p.MEMBER0, p.MEMBERS))
        for k in range(first, last):
            begin, end = arena["skips"][k]
            if static not in arena["skipped"][begin:end, 0]:
                return k
        return first

    @property
    def _laid_out(self) -> Motion:
        """The motion of the last look, those pieces of it that were used."""
        n = int(np.isfinite(self._times).sum()) - 1
        motion = self._motion
        return Motion(motion.pieces[:n], motion.glides[:n], motion.rounding[:n])

    def forget(self) -> None:
        """The last reading is no basis for velocities."""
        self._joints[stop.LAST] = np.nan
        self._bodies[:, :12] = np.nan

    def go_on_from(self, before: StopCheck) -> None:
        """Take over the last reading of another revision, of the joints and bodies that stay."""
        last: dict[str, Any] = dict(zip(before.joints, before._joints[stop.LAST]))
        self._joints[stop.LAST] = [last.get(name, np.nan) for name in self.joints]
        poses = dict(zip(before.moving, before._bodies[:, :12]))
        for row, name in zip(self._bodies, self.moving):
            row[:12] = poses.get(name, np.nan)
