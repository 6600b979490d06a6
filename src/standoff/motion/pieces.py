"""The motion of all joints as polynomials, one piece after another.

Every motion of polynomials is checked here: finite, increasing in time, without jumps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import PathError, PoseError
from standoff.geometry.pose import Array, numbers
from standoff.scalars import number
from standoff.tolerances import COORDINATE_LIMIT, EPS

#: Rounding of a polynomial of degree 5 by Horner's rule for 0 <= u <= 1, relative to the sum of the
#: magnitudes of its coefficients, [-]: ten operations of half a unit each, and one unit more for
#: the bound's own rounding and for coefficients that were rounded by a sum or a difference.
HORNER_ROUNDING = 6 * EPS

#: What underflow can add to a result whose rounding is otherwise relative, [rad] or [m]: a few of
#: the smallest float64, with room for the factors that follow.
UNDERFLOW = 1e-300

#: By how much the positions at the end of one piece of a motion and at the start of the next may
#: differ, [rad] or [m]. Files in single precision are off by 2e-7 at 3 rad; such a gap counts as a
#: deviation of both pieces, so that it is certified too. A longer one is a jump.
LONGEST_GAP = 1e-6

#: Rounding of a piece of a motion that is cut out of another one, relative to the sum of the
#: magnitudes of its coefficients, [-]. The two ends, as fractions of the piece, are off by 2 units
#: each, which moves the position by up to 5 times as much; the coefficients' sums of up to six
#: products of three factors take another 9 units.
CUT_ROUNDING = 32 * EPS


__all__ = ["POWERS", "Pieces", "at_rest"]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Joint motion: in piece k, ``u = (t - times[k]) / (times[k + 1] - times[k])`` runs from 0 to 1
    and ``q = Σ_p coefficients[k, p] u**p``. Joints are in the order of ``cell.joints``; mimic
    joints follow theirs. The arrays are read-only copies.

    **rounding** bounds, for every joint and every float64 ``u`` from 0 to 1, how far ``q`` is from
    the motion that was given at ``t = times[k] + u (times[k + 1] - times[k])``, all in exact
    arithmetic; and so it does for ``q`` computed from these coefficients by Horner's rule in
    float64. Where two pieces do not meet exactly, it also covers the gap: every position between
    the end of the one and the start of the other is within the rounding of one of them.

    Use `make`, `segment` or `path`, which work the rounding out, or `as_pieces` for motions of
    other libraries; this constructor takes all three arrays as they are and checks them.

    Attributes:
        times: (n + 1,), increasing, [s] or whatever the motion's own time is.
        coefficients: (n, 6, joints), [rad] or [m].
        rounding: (n, joints), >= 0, [rad] or [m].

    Raises:
        PathError: wrong shapes, times that do not increase, numbers that are not finite or beyond
            COORDINATE_LIMIT, pieces that do not meet within their rounding.
    """

    times: Array
    coefficients: Array
    rounding: Array

    def __post_init__(self) -> None:
        times = finite(self.times, "times", 1)
        coefficients = finite(self.coefficients, "coefficients", 3)
        rounding = finite(self.rounding, "rounding", 2)
        n, _, joints = coefficients.shape
        check_shapes(times, coefficients)
        if rounding.shape != (n, joints):
            raise PathError(
                "wrong shape", element="rounding", value=rounding.shape, allowed=f"({n}, {joints})"
            )
        if not (rounding >= 0.0).all():
            raise PathError("negative", element="rounding", value=float(rounding.min()))
        check_times(times)
        check_size(times, coefficients, None)
        check_gaps(times, gaps(coefficients), rounding[:-1] + rounding[1:], None)
        for name, array in (
            ("times", times),
            ("coefficients", coefficients),
            ("rounding", rounding),
        ):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @staticmethod
    def make(
        times: ArrayLike,
        coefficients: ArrayLike,
        rounding: ArrayLike = 0.0,
        joints: Sequence[str] | None = None,
    ) -> Pieces:
        """Pieces from coefficients that are ``rounding`` (n, joints) away from the motion given:
        evaluation and the gaps between pieces are added to it.

        Args:
            joints: their names, for messages.

        Raises:
            PathError: as the class; a gap longer than LONGEST_GAP names its time and its joint.
        """
        t = finite(times, "times", 1)
        c = finite(coefficients, "coefficients", 3)
        check_shapes(t, c)
        check_times(t)
        check_size(t, c, joints)
        given = finite(rounding, "rounding")
        if given.ndim and given.shape != (len(c), c.shape[2]):
            raise PathError(
                "wrong shape",
                element="rounding",
                value=given.shape,
                allowed=f"({len(c)}, {c.shape[2]}), or one number",
            )
        total = given + np.zeros((len(c), c.shape[2]))
        total += HORNER_ROUNDING * np.abs(c).sum(axis=1) + UNDERFLOW
        gap = gaps(c)
        check_gaps(t, gap, LONGEST_GAP + total[:-1] + total[1:], joints)
        # What lies between two ends is within half the gap of the nearer one.
        total[:-1] += 0.5 * gap
        total[1:] += 0.5 * gap
        return Pieces(t, c, total)

    @staticmethod
    def segment(qa: ArrayLike, qb: ArrayLike) -> Pieces:
        """``qa + t (qb - qa)``, t from 0 to 1."""
        a, b = finite(qa, "qa", 1), finite(qb, "qb", 1)
        if a.shape != b.shape:
            raise PathError("not as many joints at both ends", value=(len(a), len(b)))
        return Pieces.path([a, b])

    @staticmethod
    def path(waypoints: ArrayLike, times: ArrayLike | None = None) -> Pieces:
        """Straight segments from waypoint to waypoint (n, joints), n >= 1, evenly within each.

        Args:
            times: (n,) when each waypoint is reached; their numbers 0, 1, … by default. A single
                waypoint stands from 0 to 1.
        """
        q = finite(waypoints, "waypoints", 2)
        if len(q) == 0:
            raise PathError("no waypoint", element="waypoints", allowed="one or more")
        if len(q) == 1:
            if times is not None:
                raise PathError("one waypoint takes no time", element="times", value=times)
            q = np.concatenate([q, q])
        t = np.arange(float(len(q))) if times is None else finite(times, "times", 1)
        if len(t) != len(q):
            raise PathError(
                "wrong number of times", value=len(t), allowed=f"{len(q)}, one a waypoint"
            )
        coefficients = np.zeros((len(q) - 1, POWERS, q.shape[1]))
        coefficients[:, 0] = q[:-1]
        with np.errstate(over="ignore"):
            coefficients[:, 1] = np.diff(q, axis=0)
        return Pieces.make(t, coefficients, EPS * np.abs(coefficients[:, 1]))

    @property
    def start(self) -> float:
        """When the motion begins."""
        return float(self.times[0])

    @property
    def end(self) -> float:
        """When the motion ends."""
        return float(self.times[-1])

    @property
    def durations(self) -> Array:
        """(n,) how long each piece takes."""
        return np.diff(self.times)

    def __len__(self) -> int:
        return len(self.coefficients)

    def at(self, t: ArrayLike) -> Array:
        """Joint positions (joints,) at a time, or (m, joints) at m times. Where pieces meet it is
        the later one that answers. ``u`` is rounded by up to 2 units here, beside `rounding`.

        Raises:
            PathError: a time before the start or after the end.
        """
        k, u = self.locate(t)
        c = self.coefficients[k]
        q = np.zeros(c.shape[:-2] + c.shape[-1:])
        for p in range(POWERS - 1, -1, -1):
            q = q * u[..., None] + c[..., p, :]
        return q

    def velocity(self, t: ArrayLike) -> Array:
        """Joint velocities in the motion's own time, [rad/s] or [m/s] where that is seconds; as
        `at`. Where pieces meet at different velocities it is the later one's."""
        k, u = self.locate(t)
        c = self.coefficients[k]
        v = np.zeros(c.shape[:-2] + c.shape[-1:])
        for p in range(POWERS - 1, 0, -1):
            v = v * u[..., None] + p * c[..., p, :]
        return np.asarray(v / self.durations[k][..., None])

    def locate(self, t: ArrayLike) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], Array]:
        """The piece and the fraction ``u`` of it at a time, or at several."""
        when = finite(t, "t")
        if not ((when >= self.start) & (when <= self.end)).all():
            raise PathError(
                "outside the motion",
                element="t",
                value=when.tolist(),
                allowed=f"{self.start:g} to {self.end:g}",
            )
        k = np.searchsorted(self.times, when, side="right") - 1
        k = np.minimum(k, len(self) - 1).astype(np.int64)
        u = (when - self.times[k]) / (self.times[k + 1] - self.times[k])
        return k, np.minimum(u, 1.0)

    def part(self, start: float | None = None, end: float | None = None) -> Pieces:
        """The motion from one time to a later one, both within it; its own ends by default."""
        t0 = self.start if start is None else number("start", start, PathError)
        t1 = self.end if end is None else number("end", end, PathError)
        if not t0 < t1:
            raise PathError("not a time span", value=(t0, t1), allowed="start before end")
        (first, last), (u0, u1) = self.locate([t0, t1])
        kept = slice(int(first), int(last) + (1 if u1 > 0.0 else 0))
        times = np.concatenate([[t0], self.times[kept.start + 1 : kept.stop], [t1]])
        coefficients, rounding = self.coefficients[kept].copy(), self.rounding[kept].copy()
        low, high = np.zeros(len(coefficients)), np.ones(len(coefficients))
        low[0] = u0
        high[-1] = u1 if u1 > 0.0 else 1.0
        for k in np.flatnonzero((low > 0.0) | (high < 1.0)):
            rounding[k] += CUT_ROUNDING * np.abs(coefficients[k]).sum(axis=0) + UNDERFLOW
            coefficients[k] = _cut(coefficients[k], float(low[k]), float(high[k]))
        return Pieces.make(times, coefficients, rounding)


def at_rest(q: Array, pieces: int) -> tuple[Array, Array]:
    """Coefficients and rounding of joints that stay at ``q``."""
    coefficients = np.zeros((pieces, POWERS, len(q)))
    coefficients[:, 0] = q
    return coefficients, np.zeros((pieces, len(q)))


def _cut(c: Array, low: float, high: float) -> Array:
    """The polynomial over ``u = low + v (high - low)`` in powers of ``v``."""
    size = high - low
    result = np.empty_like(c)
    for q in range(POWERS):
        total = np.zeros(c.shape[1])
        for p in range(POWERS - 1, q - 1, -1):
            total = total * low + math.comb(p, q) * c[p]
        for _ in range(q):
            total = total * size
        result[q] = total
    return result


#: Powers of u in a piece, from 0 to the highest degree.
POWERS = 6


def finite(value: Any, element: str, dimensions: int | None = None) -> Array:
    """A copy as finite float64 numbers, in C order."""
    try:
        result = numbers(value, element)
    except PoseError as error:
        raise PathError("not numbers", element=element, value=value) from error
    if dimensions is not None and result.ndim != dimensions:
        raise PathError(
            "wrong shape", element=element, value=result.shape, allowed=f"{dimensions} dimensions"
        )
    if not np.isfinite(result).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        raise PathError("not finite", element=f"{element}{list(at)}", value=float(result[at]))
    return np.asarray(result, order="C")


def check_shapes(times: Array, coefficients: Array) -> None:
    n, powers, _ = coefficients.shape
    if n < 1 or powers != POWERS:
        raise PathError(
            "wrong shape",
            element="coefficients",
            value=coefficients.shape,
            allowed=f"(pieces >= 1, {POWERS}, joints)",
        )
    if len(times) != n + 1:
        raise PathError(
            "wrong number of times", value=len(times), allowed=f"{n + 1}, one more than pieces"
        )


def check_times(times: Array) -> None:
    with np.errstate(over="ignore"):
        step = np.diff(times)
    good = (step > 0.0) & np.isfinite(step)
    if not good.all():
        k = int(np.argmin(good))
        raise PathError(
            "times do not increase",
            element=f"times[{k + 1}]",
            value=float(times[k + 1]),
            allowed=f"finite, more than {float(times[k])!r}",
        )


def check_size(times: Array, coefficients: Array, joints: Sequence[str] | None) -> None:
    with np.errstate(over="ignore"):
        size = np.abs(coefficients).sum(axis=1)
    if not (size <= COORDINATE_LIMIT).all():
        k, j = map(int, np.argwhere(~(size <= COORDINATE_LIMIT))[0])
        raise PathError(
            "too far",
            element=f"{_joint(joints, j)} from t = {float(times[k])!r} on",
            value=float(size[k, j]),
            allowed=f"positions within {COORDINATE_LIMIT:g} rad or m",
        )


def gaps(coefficients: Array) -> Array:
    """(n - 1, joints): how far each piece's end is from the next one's start."""
    end = coefficients[:-1, POWERS - 1]
    for p in range(POWERS - 2, -1, -1):
        end = end + coefficients[:-1, p]
    return np.asarray(np.abs(end - coefficients[1:, 0]))


def check_gaps(times: Array, gap: Array, allowed: Array, joints: Sequence[str] | None) -> None:
    if (gap <= allowed).all():
        return
    k, j = map(int, np.argwhere(~(gap <= allowed))[0])
    raise PathError(
        "the motion jumps",
        element=f"{_joint(joints, j)} at t = {float(times[k + 1])!r}",
        value=float(gap[k, j]),
        allowed=f"pieces that meet within {float(allowed[k, j]):.3g} rad or m",
    )


def _joint(joints: Sequence[str] | None, j: int) -> str:
    return f"joint number {j}" if joints is None else f"joint {joints[j]!r}"
