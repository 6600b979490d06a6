"""The inequalities that call a stretch of motion free, from a distance and a motion bound.

`half_free` and `free_span` take ``d``, the distance left after everything that is subtracted once:
the clearance, the deviations ``Σ R_j e_j`` of both bodies, and the slack of the distance itself.
`ends_free` and `agreeing_free` take two distances after the deviations and the slack,
`direction_free` two separations, and the clearance beside them.

All are strict: touching is not free. What is not a number, a time that is negative or infinite,
or a speed without bounds, is not free either.

Rounding: `half_free` has no margin of its own. Its terms are off by some units of rounding, and its
arguments carry more than that: ``d`` is less by its slack, ``closing`` is more by `Motion.slack`
(1e-12 of the speeds it is the difference of), and a `path_length` and ``M`` are more by
MOTION_ROUNDING. So it is with `direction_free`. Arguments that came another way need a slack of
their own. `free_span`, `ends_free` and `agreeing_free` round down by themselves.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined
from standoff.tolerances import EPS, SMALLEST_LENGTH, SPAN_ROUNDING

#: Largest free span of bodies that may meet at all, [units of time], and the largest distance it is
#: computed from, [m]: the largest float64, so that no intermediate result is infinite.
LARGEST_SPAN = 1.7976931348623157e308

#: Rounding of the inequality between both ends of a segment, relative to all its terms, [-]: four
#: sums and two products, of half a unit each.
ENDS_ROUNDING = 8 * EPS


@entry("float64(float64, float64, float64)", inlined)
def drift(closing, M, h):
    """What velocity and its change can take from a distance in ``h``: ``h closing + h² M / 2``."""
    return h * (closing + 0.5 * h * M)


@entry("float64(float64, float64, float64)", inlined)
def uncovered(d, nearing, most):
    """How much more distance the proof of a stretch would need, [m]: negative where it is free.

    ``nearing`` is what velocity and its change can take from ``d`` by its end (`drift`), and no two
    points near each other by more than ``most`` on it, the `path_length` of both bodies: either is
    enough. Both are clamped at 0: the stretch begins at ``d``, which must be above 0 whatever comes
    later."""
    return max(min(nearing, most), 0.0) - d


@entry("boolean(float64, float64, float64, float64)")
def half_free(d, closing, M, h):
    """Whether the half interval next to the instant of ``d`` is free, ``h >= 0`` long.

    A direction ``n`` separates the bodies by ``d``, ``closing`` is the largest speed at which any
    two of their points near each other along it, signed (negative: all draw apart), and ``M`` is
    the sum of both bodies' bounds. After ``s`` the bodies are still separated along ``n`` by

        g(s) = d - s closing - s² M / 2,

    which is concave in ``s``, so on [0, h] it is smallest at an end: free when ``g(0) > 0`` and
    ``g(h) > 0``, which is ``d > max(0, h closing + h² M / 2)``. (Clamping the speed at 0 instead,
    ``d > h max(0, closing) + h² M / 2``, implies this.)

    For bodies that are not convex no ``n`` separates them; there ``closing`` is the sum of both
    top speeds, which only nears, and the same holds of the distance itself. And with ``closing``
    the `path_length` of both a unit of time and ``M = 0`` it is the bound of first order, which is
    the shorter one on long stretches."""
    way = drift(closing, M, h)
    meant = h >= 0.0 and closing > -math.inf and way < math.inf
    return meant and uncovered(d, way, math.inf) < 0.0


@entry("float64(float64, float64, float64)")
def free_span(d, closing, M):
    """How long it stays free: the largest ``h`` that `half_free` proves, as its root from below.

    Infinite where the bodies can never meet, ``M = 0`` and ``closing <= 0``, and only there. 0
    where ``d`` is not positive (or so small that its root would lose digits), and where anything
    is in doubt: not a number, an infinite ``closing`` or ``M``, a negative ``M``. An infinite ``d``
    counts as the largest number there is."""
    if not (d > SMALLEST_LENGTH and 0.0 <= M < math.inf and abs(closing) < math.inf):
        return 0.0
    if M == 0.0 and closing <= 0.0:
        return math.inf
    d = min(d, LARGEST_SPAN)
    root = math.hypot(closing, math.sqrt(2.0) * math.sqrt(d) * math.sqrt(M))
    span = d / (0.5 * closing + 0.5 * root) if closing > 0.0 else (root - closing) / M
    return (1.0 - SPAN_ROUNDING) * min(span, LARGEST_SPAN)


@entry("boolean(float64, float64, float64, float64, float64)")
def ends_free(d_a, d_b, length_a, length_b, clearance):
    """The two-ended form of paper 001, (2) and (3): ``λ_a + λ_b < d(q_a) + d(q_b) - 2 δ``, with the
    distances at both ends of the segment (the clearance ``δ`` not yet subtracted) and the
    `path_length` of both bodies over all of it. The rounding of all terms counts against it.

    On the way ``d >= d(q_a) - (what was moved)`` and ``d >= d(q_b) - (what is still to move)``, and
    half the sum exceeds ``δ``. The paper bounds the motion of hulls grown by ``δ/2``; distance is
    1-Lipschitz in the motion of each body, so the bodies' own bounds do."""
    terms = length_a + length_b + abs(d_a) + abs(d_b) + 2.0 * abs(clearance)
    return length_a + length_b + ENDS_ROUNDING * terms < d_a + d_b - 2.0 * clearance


@entry("boolean(float64, float64, float64, float64, float64)")
def agreeing_free(d_a, d_b, apart, bend, clearance):
    """The same of two bodies whose motions agree: ``D + L² M / 4 < d(q_a) + d(q_b) - 2 δ``, where
    no two of their points move against each other by more than ``D`` = ``apart`` from end to end,
    and ``bend`` is ``L² M`` of both together.

    Let a part of the motion, from one end on, be ``t``. A point is never farther than
    ``t (1 - t) L² M / 2`` from the straight line between its own ends, so from there on two points
    have moved against each other by no more than ``t D + L² M / 8``, and to the other end they
    will by no more than ``(1 - t) D + L² M / 8``. The sum of both is what half the sum of the
    distances has to exceed."""
    terms = apart + 0.25 * bend + abs(d_a) + abs(d_b) + 2.0 * abs(clearance)
    return apart + 0.25 * bend + ENDS_ROUNDING * terms < d_a + d_b - 2.0 * clearance


@entry("boolean(float64, float64, float64, float64)")
def direction_free(s_a, s_b, bend, clearance):
    """One direction for a whole stretch: ``min(s_a, s_b) - L² M / 8 > δ`` for convex bodies that a
    unit vector ``n`` separates by ``s_a`` at one end and by ``s_b`` at the other, with ``bend`` =
    ``L² M`` of both together.

    For two points ``n·(a(t) - b(t))`` differs from the straight line between its values at the ends
    by ``L² M / 8`` at most, and on that line it is no less than at the lower end. The signed
    distance of convex bodies is the largest separation along any direction."""
    return s_a - 0.125 * bend > clearance and s_b - 0.125 * bend > clearance
