"""How often to look, and how far to grow, so that nothing collides between two looks.

Paper 002, section IV: a body needs a way ``d`` to brake, and is grown by it; to cover the interval
``T`` until the next look it is grown by a further ``D``. From a look on, a body moves at most

    L = v T + d

before it has come to a stop because of what the next look sees. Let ``s_a`` and ``s_b``, between 0
and ``L_a`` and ``L_b``, be how far the two have come along their directions ``u_a`` and ``u_b``.
The distance has become less by at most

    |s_a u_a - s_b u_b|  <=  max(L_a, L_b, |L_a u_a - L_b u_b|),

as that is a convex function of (s_a, s_b), which is greatest at a corner. Head on it is the sum
``L_a + L_b``, and so ``2 d`` for two alike and ``T = 0``; at right angles it is the root of the sum
of squares, and side by side the longer way alone, as the other body may have stopped. (The paper
has it the wrong way round: "larger otherwise".) Where a direction is not known, it is the sum.

This bounds how much nearer any two points come, and so the distance of the bodies, whatever they
look like and wherever they are.

Where more is known than a distance, less will do. Let the two be apart along a unit vector ``w`` by
a gap ``g``: every point of b is farther along it than every point of a, by ``g`` at least. That gap
becomes less by at most

    max(0, u_a . w) L_a + max(0, -u_b . w) L_b,

a direction that is not known counting as straight at the other, and as long as it is above 0 the
two do not touch. This says nothing about bodies whose *distance* is ``g``: two bars at an angle
slide past the plane between them. The gap along w is no more than the distance, so the lesser of
the two bounds holds for it; and of two convex bodies, along the line between their nearest points,
it is the distance.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import InterferenceError
from standoff.geometry.pose import NORMAL_TOLERANCE, Array, numbers
from standoff.interference.parts import amount
from standoff.tolerances import SPAN_ROUNDING


@dataclass(frozen=True)
class SafeInterval:
    """An interval between two looks, and what it takes. True where it is `safe`.

    Attributes:
        interval: ``T``, from one look to the next, [s]; infinite where the two cannot meet, 0
            where a gap was given that does not even cover braking.
        threshold: the bodies must be farther apart than this at a look, or be warned about, [m];
            infinite where no distance alone is enough, but a gap is.
        reach: ``D``, by which each body is grown beyond its braking distance, [m].
        growth: by how much a and b are grown, [m]: together they make the threshold.
        gap: bodies that are farther apart than this *along* ``gap_along`` need not be warned about,
            however near they are otherwise, [m]; not a distance. None where none was asked for.
    """

    interval: float
    threshold: float
    reach: float
    growth: tuple[float, float]
    gap: float | None = None

    @property
    def safe(self) -> bool:
        """Whether there is time between two looks: an interval of 0 nobody can keep."""
        return self.interval > 0.0

    def __bool__(self) -> bool:
        return self.safe


def safe_interval(
    speeds: tuple[float, float],
    braking: tuple[float, float] = (0.0, 0.0),
    *,
    interval: float | None = None,
    reach: float | None = None,
    gap: float | None = None,
    directions: tuple[ArrayLike | None, ArrayLike | None] = (None, None),
    gap_along: ArrayLike | None = None,
) -> SafeInterval:
    """The threshold that two bodies need at each look for an ``interval`` T [s] between looks; or
    the longest interval that growing each by ``reach`` D [m] beyond its braking distance covers,
    or that a ``gap`` [m] along ``gap_along`` does.

    Nothing collides as long as each look warns of bodies no farther apart than ``threshold``, and
    both then come to rest within their braking distances. Those that are farther apart than the
    ``gap`` of the result along ``gap_along`` may go without a warning as well.

    Args:
        speeds: no point of either body moves faster, [m/s]; 0 for a body at rest.
        braking: the way that any point of either body takes to stop at most, [m], the way until
            the brakes work included.
        interval, reach, gap: one of the three.
        directions: unit vectors along which the bodies move, all points alike, while they brake as
            well; None where that is not known, or where the body turns.
        gap_along: unit vector w, about from a to b. The gap along it is the least ``w . x`` of b
            less the greatest of a, and not the distance; for two convex bodies both are the same
            along the line from the nearest point of a to that of b.

    Raises:
        InterferenceError: not one of the three, a gap without its direction, a direction that is
            none, a number below 0 or not finite, ways too long for a number.
    """
    v_a, v_b = _pair("speeds", speeds, "m/s")
    d_a, d_b = _pair("braking", braking, "m")
    u_a, u_b = (
        None if u is None else _unit(f"direction of {name}", u)
        for name, u in zip("ab", _two("directions", directions, "unit vectors or None"))
    )
    w = None if gap_along is None else _unit("gap_along", gap_along)
    given = {"interval": interval, "reach": reach, "gap": gap}
    if sum(value is not None for value in given.values()) != 1:
        raise InterferenceError(
            "one of the three", element=", ".join(given), value=tuple(given.values())
        )
    move = _Motion(v_a, v_b, d_a, d_b, u_a, u_b)
    if gap is not None:
        return _for_gap(move, amount("gap", gap, "m"), w)
    if reach is not None:
        return _for_reach(move, amount("reach", reach, "m"), w)
    return _for_interval(move, amount("interval", interval, "s"), w)


def _for_interval(
    move: _Motion, interval: float, w: Array | None, reach: float | None = None
) -> SafeInterval:
    """What an interval takes; bodies grow by ``reach``, or by as much as they need."""
    needed = move.needed(interval)
    if not math.isfinite(needed):
        raise InterferenceError(
            "ways too long for a number",
            element="speeds, interval",
            value=(move.v_a, move.v_b, interval),
            allowed=f"products up to {sys.float_info.max:.3g} m",
        )
    if reach is None:
        reach = max(0.0, 0.5 * (needed - move.d_a - move.d_b))
    along = None if w is None else min(needed, move.along(interval, w))
    return SafeInterval(interval, needed, reach, move.shares(interval, needed), along)


def _for_reach(move: _Motion, reach: float, w: Array | None) -> SafeInterval:
    """The longest interval that growing both by ``reach`` covers."""
    room = move.d_a + move.d_b + 2.0 * reach
    longest = move.longest(room)
    if longest < math.inf:
        return _for_interval(move, longest, w, reach)
    along = None if w is None else move.along(longest, w)  # both are at rest
    return SafeInterval(longest, room, reach, (move.d_a + reach, move.d_b + reach), along)


def _for_gap(move: _Motion, gap: float, w: Array | None) -> SafeInterval:
    """The longest interval for a gap along ``w``."""
    if w is None:
        raise InterferenceError(
            "a gap along what?", element="gap_along", value=None, allowed="x, y, z of length 1"
        )
    longest = 0.0
    if move.needed(0.0) <= gap:
        longest = move.longest(gap)
    if move.along(0.0, w) <= gap:
        longest = max(longest, move.longest_along(gap, w))
    needed = move.needed(longest)
    reach = max(0.0, 0.5 * (needed - move.d_a - move.d_b))
    along = min(needed, move.along(longest, w))  # above the gap where that covers no braking
    return SafeInterval(longest, needed, reach, move.shares(longest, needed), along)


@dataclass(frozen=True, eq=False)
class _Motion:
    """Speeds, braking distances and directions of a and b."""

    v_a: float
    v_b: float
    d_a: float
    d_b: float
    u_a: Array | None
    u_b: Array | None

    def ways(self, interval: float) -> tuple[float, float]:
        """``L`` of a and b."""
        return _way(self.v_a, interval) + self.d_a, _way(self.v_b, interval) + self.d_b

    def needed(self, interval: float) -> float:
        """By how much the distance becomes less at most."""
        a, b = self.ways(interval)
        found = a + b
        if self.u_a is not None and self.u_b is not None and math.isfinite(found):
            found = max(a, b, math.hypot(*(a * self.u_a - b * self.u_b)))
        return found * (1.0 + SPAN_ROUNDING)

    def shares(self, interval: float, needed: float) -> tuple[float, float]:
        """What is needed, divided as the ways are; the ways themselves where it has no bound."""
        a, b = self.ways(interval)
        if not math.isfinite(needed):
            return a, b
        share = a / (a + b) if a + b > 0.0 else 0.5
        return needed * share, needed * (1.0 - share)

    def along(self, interval: float, w: Array) -> float:
        """By how much the gap along ``w`` becomes less at most."""
        at_a, at_b = self._at(w)
        a = _way(at_a * self.v_a, interval) + at_a * self.d_a
        b = _way(at_b * self.v_b, interval) + at_b * self.d_b
        return (a + b) * (1.0 + SPAN_ROUNDING)

    def longest(self, room: float) -> float:
        """The longest interval for which no more than ``room`` is needed."""
        room *= 1.0 - SPAN_ROUNDING
        v_a, v_b, d_a, d_b = self.v_a, self.v_b, self.d_a, self.d_b
        times = [_quotient(room - d_a - d_b, v_a + v_b)]
        if self.u_a is not None and self.u_b is not None:
            # |p + T q|² is convex in T and no more than 1 at 0: it exceeds 1 after its last root.
            # In units of the room, so that no square is too small to be told from 0.
            unit = room if room > 0.0 else 1.0
            with np.errstate(over="ignore", invalid="ignore"):
                p = (d_a * self.u_a - d_b * self.u_b) / unit
                q = (v_a * self.u_a - v_b * self.u_b) / unit
                within = max((room / unit) ** 2 - float(p @ p), 0.0)
                slope = float(p @ q)
            turn = math.hypot(slope, math.sqrt(within) * math.hypot(*q))
            if not math.isfinite(turn):
                root = 0.0  # so fast that the sum of the ways has to do
            elif slope >= 0.0:
                root = _quotient(within, slope + turn)
            else:
                root = (turn - slope) / math.hypot(*q) / math.hypot(*q)
            times.append(min(root, _quotient(room - d_a, v_a), _quotient(room - d_b, v_b)))
        return max(times) * (1.0 - SPAN_ROUNDING)

    def longest_along(self, gap: float, w: Array) -> float:
        """The longest interval that a gap along ``w`` covers."""
        at_a, at_b = self._at(w)
        left = gap * (1.0 - SPAN_ROUNDING) - at_a * self.d_a - at_b * self.d_b
        return _quotient(left, at_a * self.v_a + at_b * self.v_b) * (1.0 - SPAN_ROUNDING)

    def _at(self, w: Array) -> tuple[float, float]:
        """How much of its way takes each of the two towards the other along ``w``, at most."""
        # Square to w is a little towards the other, as far as rounding can tell.
        a = 1.0 if self.u_a is None else max(0.0, float(self.u_a @ w) + SPAN_ROUNDING)
        b = 1.0 if self.u_b is None else max(0.0, SPAN_ROUNDING - float(self.u_b @ w))
        return a, b


def _way(speed: float, time: float) -> float:
    """None at rest, in whatever time."""
    return speed * time if speed > 0.0 else 0.0


def _quotient(way: float, speed: float) -> float:
    """The time for a way; without end at rest alone, however slow anything else is."""
    return min(max(way, 0.0) / speed, sys.float_info.max) if speed > 0.0 else math.inf


def _pair(element: str, values: Any, unit: str) -> tuple[float, float]:
    a, b = _two(element, values, f"[{unit}]")
    return amount(f"{element} of a", a, unit), amount(f"{element} of b", b, unit)


def _two(element: str, given: Any, what: str) -> tuple[Any, Any]:
    try:
        a, b = given
    except (TypeError, ValueError) as error:
        raise InterferenceError(
            "not one for each of the two", element=element, value=given,
            allowed=f"(of a, of b), {what}",
        ) from error  # fmt: skip
    return a, b


def _unit(element: str, given: ArrayLike) -> Array:
    vector = numbers(given, element)
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else math.nan
    if not abs(length - 1.0) <= NORMAL_TOLERANCE:
        raise InterferenceError(
            "not a direction", element=element, value=given, allowed="x, y, z of length 1"
        )
    return np.asarray(vector / length)
