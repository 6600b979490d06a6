"""The path checker: proves a motion free at every instant, or shows where it is not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell.allowed import Pair
from standoff.cell.cell import Cell
from standoff.cell.unit_checks import warn_values
from standoff.errors import ConfigurationError, PathError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.certificate import Certificate
from standoff.paths.curves import as_pieces
from standoff.paths.end_stops import ProvedLimits
from standoff.paths.glide import Glides, glide_table
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.search import check_segments
from standoff.paths.options import Options, checked, length
from standoff.paths.path_search import (
    Found,
    Key,
    Memory,
    Motion,
    Progress,
    Scratch,
    Search,
    grow_room,
    kind_of,
    new_scratch,
)
from standoff.paths.proving import certificate, meeting
from standoff.paths.tables import Settings, Tables, build_tables
from standoff.paths.verdict import Verdict
from standoff.robots.joint_values import joint_rows
from standoff.scalars import flag, function, whole

#: How precisely the earliest contact on a segment is found where nothing else is asked for, as a
#: part of the segment, [-]: a micrometre on a motion of one metre.
CONTACT_PRECISION = 1e-6

#: Nearer than this to its clearance a pair may be called too close rather than free, where nothing
#: else is asked for, [m]: a millimetre, as paper 001 has it for robots of a metre or two.
USUAL_TOLERANCE = 1e-3


#: Segments that are remembered.
_REMEMBERED = 10_000


class PathChecker:
    """Proves motions of a cell free at every instant, or shows where they are not.

    It follows the cell: after a change of the cell the next check is of the cell as it is then.
    Joint limits are not looked at: a motion beyond them is checked as any other, unless pairs are
    allowed because they were proved apart within them (`Cell.prove_apart`): it is refused then.

    Args:
        clearance: [m] that every watched pair must keep all along. Negative: convex bodies may
            overlap by less than that; of a mesh they still may not overlap at all.
        tolerance: > 0, [m]: a pair that comes nearer than clearance + tolerance may be called too
            close rather than free.
        clearances: clearances of single pairs of links or bodies, which go before ``clearance``.
        deviation: by how much each joint may be off the path, [rad] or [m]: one number for all, or
            by name. What is free is then the whole tube of motions that stay as close.
        budget: distances and configurations that one check may take before it is undecided.

    Raises:
        PathError: a parameter that makes no sense.
        ConfigurationError: deviations that do not fit the cell.
    """

    def __init__(
        self,
        cell: Cell,
        clearance: float = 0.0,
        tolerance: float = USUAL_TOLERANCE,
        *,
        clearances: Mapping[Pair, float] | None = None,
        deviation: float | ArrayLike | Mapping[str, float] | None = None,
        budget: int = 1_000_000,
    ) -> None:
        self._options = checked(cell, clearance, tolerance, clearances, deviation, budget)
        self.cell = cell
        self.memory = Memory(_REMEMBERED)
        self._known: Tables | None = None
        self._revision = -1

    @property
    def clearance(self) -> float:
        """[m]"""
        return self._options.clearance

    @property
    def least_clearance(self) -> float:
        """The smallest of the clearance and those of single pairs, [m]."""
        return min([self._options.clearance, *self._options.clearances.values()])

    @property
    def deviation(self) -> Array:
        """By how much each joint of the cell may be off its path, [rad] or [m]."""
        return self._options.deviations(self.cell)

    @property
    def tolerance(self) -> float:
        """[m]"""
        return self._options.tolerance

    @property
    def budget(self) -> int:
        """Tests that one check may take."""
        return self._options.budget

    @property
    def tables(self) -> Tables:
        """The cell as it is now, laid out for the kernels."""
        revision = self.cell.revision
        if self._known is None or self._revision != revision:
            self.cell.check_watched()
            options = self._options
            deviations = options.deviations(self.cell)
            self._known = build_tables(
                self.cell,
                Settings(options.clearance, options.tolerance, options.clearances, deviations),
            )
            self._proved = ProvedLimits(self.cell, deviations)
            self.memory.clear()
            # Only now: after an error the next check must not be of the cell as it was.
            self._revision = revision
        return self._known

    def segment(
        self,
        qa: Any,
        qb: Any,
        *,
        moving: Mapping[str, Any] | None = None,
        first: bool = False,
        precision: float = CONTACT_PRECISION,
        progress: Progress | None = None,
    ) -> Verdict:
        """Check ``q(t) = qa + t (qb - qa)``, t from 0 to 1.

        Args:
            qa, qb: configurations, arrays in the order of ``cell.joints`` or dicts by name. A
                continuous joint goes from the one value to the other as given.
            moving: what the moving bodies do meanwhile, by name: a `Glide`, or a pose at the start
                and one at the end; those left out stand still where the cell has them.
            first: find the earliest contact, to ``precision`` in t; otherwise any.
            progress: called now and then with the share that is done.
        """
        a, b = self.cell.configuration(qa), self.cell.configuration(qb)
        ends = np.empty((2, len(a)))
        ends[0], ends[1] = a, b
        return self._path(ends, moving, first, precision, progress, None)

    def path(
        self,
        waypoints: ArrayLike,
        *,
        moving: Mapping[str, Any] | None = None,
        first: bool = False,
        precision: float = CONTACT_PRECISION,
        progress: Progress | None = None,
        budget: int | None = None,
    ) -> Verdict:
        """Check the straight segments from waypoint to waypoint (n, joints), n >= 1, or of a
        `Plan`; one waypoint alone is a robot at rest.

        All segments are in one queue, the likeliest to collide first. What was proved of a segment,
        and how far the check came where it was not, is remembered for other paths with the same
        segment.

        Args:
            moving: as for `segment`; poses (n, 4, 4), one at each waypoint, or a `Glide` whose unit
                of time is one segment.
            budget: for this path; the checker's own by default.
        """
        q = joint_rows(np.atleast_2d(_array(waypoints)), self.cell.joints, "waypoints")
        warn_values(self.cell.tree, q, "waypoints")
        if len(q) == 0:
            raise PathError("no waypoint", element="waypoints", allowed="one or more")
        if len(q) == 1:
            q = np.concatenate([q, q])
        settings = self._options if budget is None else self._options.with_budget(budget)
        return self._path(q, moving, first, precision, progress, self.memory, settings)

    def curve(
        self,
        motion: Any,
        *,
        moving: Mapping[str, Any] | None = None,
        first: bool = False,
        precision: float = CONTACT_PRECISION,
        progress: Progress | None = None,
    ) -> Verdict:
        """Check a motion along polynomials, as it is and not as chords: `Pieces`, SciPy's piecewise
        polynomials and B-splines up to degree 5, joint trajectories as ROS writes them; see
        `paths.curves.as_pieces`. The verdict's times are the motion's own.

        Args:
            moving: as for `segment`; poses, one at each of the motion's times, or a `Glide` in its
                unit of time.
            precision: in units of a piece.
        """
        pieces = as_pieces(self.cell, motion)
        last = pieces.coefficients[-1].sum(axis=0)
        ends = np.vstack([pieces.coefficients[:, 0], last])
        warn_values(self.cell.tree, ends, "motion")
        tables = self.tables
        places = [self.cell.bodies[name].pose for name in tables.gliding]
        glides = glide_table(tables.gliding, places, moving, pieces.times)
        ready = Motion(pieces.coefficients.copy(), glides, pieces.rounding.copy())
        task = _Task(tables, ready, pieces.times, self._options)
        return self._check(task, first, precision, progress, None)

    def segments(
        self, QA: ArrayLike, QB: ArrayLike | None = None, *, threads: int | None = None
    ) -> Any:
        """Which of many segments are free: bool (n,). Each thread runs its share in one compiled
        call; the answers do not depend on how many there are. Moving bodies stand where the cell
        has them.

        Args:
            QA, QB: (n, joints); QA alone is a path or a `Plan`, of which each segment is checked.
            threads: as many as there are cores by default.
        """
        return self.segment_kinds(QA, QB, threads=threads) == p.NOTHING

    def segment_kinds(
        self, QA: ArrayLike, QB: ArrayLike | None = None, *, threads: int | None = None
    ) -> IntArray:
        """As `segments`, with the kind of what was found: 0 free, 1 undecided, 2 too close, 3 a
        collision."""
        joints = self.cell.joints
        starts = joint_rows(QA, joints, "QA")
        if QB is None:
            starts, ends = starts[:-1], starts[1:]
        else:
            ends = joint_rows(QB, joints, "QB")
        if len(starts) != len(ends):
            raise ConfigurationError(
                "not as many ends as starts", value=(len(starts), len(ends)), element="QA, QB"
            )
        for name, q in (("QA", starts), ("QB", ends)):
            warn_values(self.cell.tree, q, name)
        tables = self.tables
        self._proved.check_ends(starts, ends)
        kinds, inside = (np.zeros(len(starts), dtype=np.int64) for _ in range(2))
        count = _threads(threads, len(starts))
        for q in (starts, ends) if tables.opened else ():  # see `_at_ends`
            rest = np.zeros(len(q), dtype=np.int64)
            self._batch(tables, q, q, 0, len(q), rest)
            inside = np.maximum(inside, rest)
        bounds = [len(starts) * k // count for k in range(count + 1)]
        jobs = list(pairwise(bounds))
        if count == 1:
            self._batch(tables, starts, ends, 0, len(starts), kinds)
        else:
            with ThreadPoolExecutor(count) as pool:
                done = [
                    pool.submit(self._batch, tables, starts, ends, first, last, kinds)
                    for first, last in jobs
                ]
                for job in done:
                    job.result()
        return np.maximum(kinds, inside)

    def _batch(
        self, tables: Tables, starts: Array, ends: Array, first: int, last: int, kinds: IntArray
    ) -> None:
        scratch, at = self.scratch(tables), first
        while at < last:
            at = check_segments(
                tables.cell.address, scratch.address, starts, ends, self.budget, at, last, kinds
            )
            if at < last:
                grow_room(scratch)
        tables.spare.append(scratch)

    def _path(
        self,
        q: Array,
        moving: Mapping[str, Any] | None,
        first: bool,
        precision: float,
        progress: Progress | None,
        memory: Memory | None,
        settings: Options | None = None,
    ) -> Verdict:
        tables = self.tables
        pieces = np.zeros((len(q) - 1, p.POWERS, q.shape[1]))
        pieces[:, 0] = q[:-1]
        pieces[:, 1] = q[1:] - q[:-1]
        if moving is None and not tables.gliding:
            glides = np.zeros((len(pieces), 0), p.GLIDE)
        elif moving is None:
            glides = np.repeat(self._resting(tables)[None], len(pieces), axis=0)
        else:
            places = [self.cell.bodies[name].pose for name in tables.gliding]
            glides = glide_table(tables.gliding, places, moving, np.arange(float(len(q))))
        motion = Motion(pieces, glides, np.zeros((len(pieces), q.shape[1])))
        task = _Task(tables, motion, None, settings or self._options)
        return self._check(task, first, precision, progress, memory)

    def _check(
        self,
        task: _Task,
        first: bool,
        precision: float,
        progress: Progress | None,
        memory: Memory | None,
    ) -> Verdict:
        flag("first", first, PathError)
        if progress is not None:
            function("progress", progress, PathError, "the share that is done")
        fine = length(precision, "precision")
        if not 0.0 < fine < 1.0:
            raise PathError("not a precision", value=precision, allowed="above 0, below 1")
        self._proved.check(task.motion.pieces, task.motion.rounding)
        if fine != task.precision:
            task = replace(task, precision=fine)
        if task.tables.tube:
            # Where the tube is not free at the start already, no halving of intervals helps.
            early = self._at_start(task)
            if early is not None:
                return task.verdict(p.FOUND, *early, 0.0)
        if first or memory is None:
            return self._searched(task, first, progress, None, None)
        keys = task.keys()
        known = memory.known(keys)
        for k, what in known.items():
            if isinstance(what, Found):
                result = what.result.copy()
                result["piece"] = k
                return task.verdict(p.FOUND, result, (0, 0))

        def learn(search: Search, status: int) -> None:
            for k, key in enumerate(keys):
                memory.put(key, search.learned(status, k))

        resumed = {k: e for k, e in known.items() if isinstance(e, p.OpenNodes)}
        return self._searched(task, False, progress, resumed or None, learn)

    def _searched(
        self,
        task: _Task,
        first: bool,
        progress: Progress | None,
        resumed: dict[int, p.OpenNodes] | None,
        learn: Callable[[Search, int], None] | None,
    ) -> Verdict:
        """The verdict of a search, from which there is something to ``learn``."""
        search = Search(
            task.tables, task.motion, task.budget, earliest=first, precision=task.precision,
            resumed=resumed, scratch=self._take_scratch(task.tables, len(task.motion.pieces)),
        )  # fmt: skip
        status = search.run(progress)
        if learn is not None:
            learn(search, status)
        until = search.start if first and status != p.FREE else None
        found, counts = search.result, search.counts
        task.tables.spare.append(search.scratch)
        if status == p.FREE and task.tables.opened:
            inside = self._at_ends(task)
            if inside is not None:
                at = float(inside["piece"] + inside["u"])
                return task.verdict(p.FOUND, inside, counts, at)
        at_once = first and status == p.FOUND and found["piece"] == 0
        if at_once and found["u"] <= task.precision:
            early = self._at_start(task)
            if early is not None and early[0]["kind"] >= found["kind"]:
                return task.verdict(p.FOUND, early[0], counts, 0.0)
        return task.verdict(status, found, counts, until)

    def _at_start(self, task: _Task) -> tuple[Any, tuple[int, int]] | None:
        """The worst that is found where the motion begins, and what it took: contact that is there
        from the start is so at 0, and not within the precision of it. None where all is free
        there."""
        # At rest one interval decides, and the search for the earliest looks at all pairs in it.
        search = Search(
            task.tables, task.motion.start(), task.budget, earliest=True, precision=1.0,
            scratch=self._take_scratch(task.tables, 1),
        )  # fmt: skip
        status, found = search.run(), search.result
        task.tables.spare.append(search.scratch)
        if status != p.FOUND:
            return None
        found["u"] = 0.0
        return found, search.counts

    def _at_ends(self, task: _Task) -> Any | None:
        """The first contact where a piece of a free motion begins or the last one ends; None where
        all is free there. A body gets into an open mesh without meeting its surface, so that only
        looking there tells."""
        search = Search(task.tables, task.motion.ends(), task.budget, earliest=True, precision=0.5)
        if search.run() == p.FREE:
            return None
        found = search.result
        last = len(task.motion.pieces) - 1
        found["u"] = float(found["piece"] > last)
        found["piece"] = min(found["piece"], last)
        return found

    def scratch(self, tables: Tables) -> Scratch:
        """Scratch for `check_segments` that nobody uses now, with moving bodies where the cell has
        them; whoever is done with it adds it to ``tables.spare``."""
        scratch = self._take_scratch(tables, 1)
        if tables.gliding:
            scratch.glides[:] = self._resting(tables)
        scratch.known["stepper"] = tables.stepper
        # With deviations, an instant at which nothing can be proved ends a search.
        scratch.known["hasty"] = tables.tube
        return scratch

    def _resting(self, tables: Tables) -> Glides:
        """(bodies,): moving bodies at rest where the cell has them."""
        rows = np.zeros(len(tables.gliding), p.GLIDE)
        for row, name in zip(rows, tables.gliding):
            row["pose"] = self.cell.bodies[name].pose[:3].reshape(12)
        return rows

    def _take_scratch(self, tables: Tables, pieces: int) -> Scratch:
        """Scratch that nobody uses now."""
        try:
            while True:
                scratch: Scratch = tables.spare.pop()
                if scratch.room_for >= pieces:
                    return scratch
        except IndexError:
            return new_scratch(tables, pieces)


@dataclass(frozen=True, eq=False)
class _Task:
    """One motion to be checked, and what can be asked about it later.

    Attributes:
        times: the motion's own, (pieces + 1,); None for straight segments, which are counted.
    """

    tables: Tables
    motion: Motion
    times: Array | None
    settings: Options
    precision: float = CONTACT_PRECISION

    @property
    def budget(self) -> int:
        """Tests that a search may take."""
        return self.settings.budget

    def keys(self) -> list[Key]:
        """What segments are remembered by: both ends, and what glides."""
        pieces, glides = self.motion.pieces, self.motion.glides
        ends = pieces[:, 0] + pieces[:, 1]
        return [
            (a.tobytes(), b.tobytes(), g.tobytes()) for a, b, g in zip(pieces[:, 0], ends, glides)
        ]

    def verdict(
        self, status: int, found: Any, counts: tuple[int, int], until: float | None = None
    ) -> Verdict:
        """What a search found."""
        intervals, distances = counts

        def certify(segment: int | None) -> Certificate:
            return self.certificate(status, found, segment)

        if status == p.FREE:
            end = self._own(float(len(self.motion.pieces)))
            return Verdict(
                "free", intervals=intervals, distances=distances,
                _until=lambda: end, _certify=certify,
            )  # fmt: skip
        later = self._until if until is None else lambda: self._own(until)
        kind = kind_of(status, found)
        if found["kind"] == p.NOTHING:
            return Verdict(
                kind, intervals=intervals, distances=distances, _until=later, _certify=certify
            )
        piece, u = int(found["piece"]), float(found["u"])
        a, b = (self.tables.primitives[k].body for k in (found["a"], found["b"]))
        point_a, point_b, normal = found["point_a"], found["point_b"], found["normal"]
        if self.tables.name_order(a, b):
            a, b, point_a, point_b, normal = b, a, point_b, point_a, -normal
        t = u if self.times is None else self._own(piece + u)
        return Verdict(
            kind, t=t, segment=piece, q=self.motion.at(piece, u), pair=(a, b),
            distance=float(found["distance"]), point_a=point_a, point_b=point_b, normal=normal,
            intervals=intervals, distances=distances, _alone=len(self.motion.pieces) == 1,
            _off=status == p.FOUND and self.settings.deviation is not None,
            _until=later, _certify=certify,
        )  # fmt: skip

    def certificate(self, status: int, found: Any, segment: int | None) -> Certificate:
        """What proves the verdict of a search, of the whole motion or of one segment."""
        motion, first = self.motion, 0
        if segment is not None:
            first = _number_of(segment, len(motion.pieces), status == p.FREE)
            motion = motion.piece(first)
        if self.times is None:
            times = first + np.arange(len(motion.pieces) + 1.0)
            motion = replace(motion, rounding=meeting(motion.pieces))
        else:
            times = self.times[first : first + len(motion.pieces) + 1]
        return certificate(self.tables, motion, times, self.settings, status, found)

    def _until(self) -> float:
        """A search of its own, from the start."""
        search = Search(
            self.tables, self.motion, self.budget, earliest=True, precision=self.precision
        )
        status = search.run()
        return self._own(float(len(self.motion.pieces)) if status == p.FREE else search.start)

    def _own(self, at: float) -> float:
        """Piece plus u in the motion's own time, rounded towards the start."""
        if self.times is None:
            return at
        piece = min(math.floor(at), len(self.times) - 2)
        start, end = float(self.times[piece]), float(self.times[piece + 1])
        own = start + (at - piece) * (end - start)
        return own if at >= len(self.times) - 1 else max(start, math.nextafter(own, -math.inf))


def _number_of(segment: Any, count: int, free: bool) -> int:
    if not free:
        raise PathError(
            "no proof of a segment: the motion is not free", element="segment", value=segment,
            allowed="None, for what was found",
        )  # fmt: skip
    return whole("segment", segment, PathError, 0, count - 1, problem="no such segment")


def _threads(given: int | None, jobs: int) -> int:
    if given is None:
        return max(1, min(cpu_count() or 1, jobs // 64))
    most = whole("threads", given, PathError, 1, allowed="1 or more, or None")
    return max(1, min(most, jobs))


def _array(value: Any) -> Any:
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers")
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            "not numbers", element="waypoints", value=value, allowed="(n, joints)"
        ) from error
