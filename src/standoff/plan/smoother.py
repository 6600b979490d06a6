"""Shorter paths: random shortcuts, each proved before it is taken."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import PathError, PlanError
from standoff.geometry.pose import Array
from standoff.paths.checker import PathChecker
from standoff.paths.verdict import Verdict
from standoff.plan.growing import Slices, address_of_check, compile_for, prove, supply
from standoff.plan.kernels import plan_tables as g
from standoff.plan.kernels.shortcut import shorten
from standoff.plan.planner import Planner
from standoff.plan.query import above_zero, joint_weights
from standoff.plan.result import ProvedPath
from standoff.robots.joint_values import joint_rows
from standoff.scalars import instance, whole

#: Rows for new vertices, beside one for each that there is.
_SPARE = 64

Stop = Literal["steps", "patience", "timeout", "cancelled"]


@dataclass(frozen=True)
class Smoothing:
    """How far a smoother has come.

    Attributes:
        time: since it began, [s].
        steps: shortcuts tried so far.
        length: of the path now.
    """

    time: float
    steps: int
    length: float


@dataclass(frozen=True, eq=False)
class Smoothed(ProvedPath):
    """A path that is not longer than the one given, with its proof. It can be given wherever
    waypoints can. True where it is `free`.

    Attributes:
        waypoints: (n, joints); the first and the last one are those given.
        before, after: lengths in joint space: the sum over all segments of
            ``sqrt(Σ_j (weight_j dq_j)²)``.
        verdict: of the whole path.
        steps: shortcuts that were tried.
        taken: how many of them were.
        checked: segments checked, with those that shortcuts leave over.
        stopped: ``steps`` (as many as asked for), ``patience``, ``timeout`` or ``cancelled``.
        time: [s]
    """

    waypoints: Array
    before: float
    after: float
    verdict: Verdict
    steps: int
    taken: int
    checked: int
    stopped: Stop
    time: float

    @property
    def free(self) -> bool:
        """Whether the whole path is proved free, as one that `smooth` gives back is."""
        return self.verdict.free

    def __bool__(self) -> bool:
        return self.free

    def __str__(self) -> str:
        share = 100.0 * self.after / self.before if self.before > 0.0 else 100.0
        return (
            f"from {self.before:.4g} to {self.after:.4g} in joint space ({share:.0f} %), "
            f"{len(self)} waypoints, "
            f"after {self.steps} shortcuts in {self.time:.3g} s"
        )


def smooth(
    checker: PathChecker | Planner,
    waypoints: ArrayLike,
    *,
    steps: int = 2000,
    seed: int = 0,
    timeout: float = math.inf,
    patience: int | None = None,
    weights: ArrayLike | Mapping[str, float] | None = None,
    progress: Callable[[Smoothing], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Smoothed:
    """Shorten a path by random shortcuts within a window that follows their success (paper 001,
    section 4.3).

    The path is certified at any time: whatever ends it, what comes back is proved free. Both ends
    stay as they are, bit for bit; a joint that does not move on the path does not move afterwards.
    Straight segments between configurations within joint limits are within them.

    Args:
        checker: what proves the path; of a `Planner`, its checker.
        waypoints: a `Plan`, or (n, joints), n >= 2; every segment must be free.
        steps: shortcuts to try.
        seed: the same one gives the same path, if it is not stopped by time.
        timeout: [s]
        patience: stop after so many shortcuts in a row that did not help: the length has converged.
        weights: how much each joint counts in the length, by name or one a joint; by default 1, so
            that a radian counts as much as a metre.
        progress, cancelled: as for `Planner.plan`.

    Raises:
        PathError: a path that is not free, or that is so no more because the cell has changed
            meanwhile; the message names the pair.
        PlanError: a parameter that makes no sense.
        ConfigurationError: waypoints that do not fit the cell.
    """
    given = instance("checker", checker, PlanError, PathChecker, Planner)
    checker = given.checker if isinstance(given, Planner) else given
    compile_for(_Shortening.kernel)
    _ = checker.tables
    begun = perf_counter()
    q = joint_rows(waypoints, checker.cell.joints, "waypoints")
    if len(q) < 2:
        raise PathError("no path", element="waypoints", value=len(q), allowed="two or more")
    end = begun + above_zero(timeout, "timeout")
    most = whole("steps", steps, PlanError)
    idle = most if patience is None else whole("patience", patience, PlanError, 1)
    start, each = whole("seed", seed, PlanError), joint_weights(checker.cell, weights)
    shortening = _Shortening(checker, q, each, start, most, idle)
    path, header = shortening.path, shortening.path.header
    _check_free(checker, q)
    before = float(header.length)
    stopped: Stop | None = shortening.run(begun, end, progress, cancelled)
    if stopped is None:
        stopped = "steps" if header.tried >= most else "patience"
    shortening.close()
    found = _vertices(path)
    verdict = _proved(checker, found)
    return Smoothed(
        waypoints=found, before=before, after=float(header.length), verdict=verdict,
        steps=int(header.tried), taken=int(header.taken), checked=int(header.checked),
        stopped=stopped, time=perf_counter() - begun,
    )  # fmt: skip


class _Shortening(Slices):
    """Shortcuts of a path, until there were ``most`` or ``idle`` in a row did not help."""

    kernel = "plan.kernels.shortcut.shorten"

    def __init__(
        self, checker: PathChecker, q: Array, weights: Array, seed: int, most: int, idle: int
    ) -> None:
        super().__init__(checker, seed)
        self.path = _laid_out(q, weights, self.budget)
        self._most, self._idle = most, idle

    def grow(self) -> int:
        header, since, tried = self.path.header, perf_counter(), int(self.path.header.tried)
        if tried >= self._most or tried - header.latest >= self._idle:
            return g.SOLVED
        header.until = min(self._most, tried + self.pace.tries, int(header.latest) + self._idle)
        status = int(
            shorten(
                address_of_check(), *self.lent.addresses, self.path.address, self.numbers.values
            )
        )
        supply(status, header, self.numbers, self.lent, lambda: _tidy(self.path))
        if status == g.AGAIN:
            self.pace.took(int(header.tried) - tried, perf_counter() - since)
        return status

    def so_far(self, time: float) -> Smoothing:
        return Smoothing(time, int(self.path.header.tried), float(self.path.header.length))


def _proved(checker: PathChecker, path: Array) -> Verdict:
    """The verdict on a path of shortcuts, each of which was proved."""
    verdict = prove(checker, path, checker.budget)
    if not verdict.free:
        raise PathError(
            f"the path is not free any more: {verdict}",
            element="the cell, which changed while the path was smoothed",
            allowed="a cell that stays as it is until smooth returns",
        )
    return verdict


def _check_free(checker: PathChecker, q: Array) -> None:
    kinds = checker.segment_kinds(q[:-1], q[1:])
    bad = np.flatnonzero(kinds)
    if len(bad):
        at = int(bad[0])
        verdict = checker.segment(q[at], q[at + 1])
        raise PathError(
            f"the path is not free: {verdict}",
            element=f"segment {at} of the path",
            allowed="a path that the checker proves",
        )


def _laid_out(q: Array, weights: Array, budget: int) -> g.Shortcuts:
    """The path as `plan.kernels.shortcut` takes it."""
    joints = q.shape[1]
    ends = np.zeros((4, joints))
    path = g.Shortcuts(weights=weights, ends=ends, nexts=ends[1:], kinds=3)
    _lay_rows(path, q)
    way = weights * np.diff(q, axis=0)
    path.lengths[: len(q) - 1] = np.sqrt((way * way).sum(axis=1))
    header = path.header
    header.length, header.window = path.lengths[: len(q) - 1].sum(), 1.0
    header.count, header.budget = len(q), budget
    return path


def _lay_rows(path: g.Shortcuts, q: Array) -> None:
    """The vertices in their order, with room for as many new ones as there are."""
    count = len(q)
    path.rows = np.zeros((2 * count + _SPARE, q.shape[1]))
    path.rows[:count] = q
    path.order = np.zeros(len(path.rows), dtype=np.int64)
    path.order[:count] = np.arange(count)
    lengths = np.zeros(len(path.rows))
    kept = min(count, len(path.lengths))
    lengths[:kept] = path.lengths[:kept]
    path.lengths = lengths
    path.header.used = count


def _vertices(path: g.Shortcuts) -> Array:
    """(n, joints) along the path."""
    return np.ascontiguousarray(path.rows[path.order[: int(path.header.count)]])


def _tidy(path: g.Shortcuts) -> None:
    """Leave out the vertices that are not on the path any more, and make room for others. Lengths
    stay as the kernel had them, so that where rows are tidied away makes no difference."""
    _lay_rows(path, _vertices(path))
