"""The inequality that calls a stretch of motion free, from distances and a motion bound.

`uncovered` certifies the segments of path checks. It stands first, with the proof; the other forms
are the same inequality asked of what other callers know.

| form             | asked by                                                  | in tests          |
|------------------|-----------------------------------------------------------|-------------------|
| `uncovered`      | every path check: `paths.kernels` `pair` (balls, shapes), | test_motion_bound |
|                  | `statics`, `links`, `mesh_walk`, and by them `stop`;      | test_path_bounds  |
|                  | `apart_bounds` (boxes of joint values)                    | test_apart_bounds |
| `half_free`      | it as yes or no: `predict.exact`; `monitor` `between`     | test_motion_bound |
| `ends_free`      | distances at both ends: `monitor` `between`               | test_motion_bound |
| `agreeing_free`  | the same where both move alike: `monitor` `between`       | test_motion_bound |
| `direction_free` | separations at both ends: `monitor` `between`             | test_motion_bound |

``d`` is what is left of a distance after everything that is subtracted once: the clearance, the
deviations ``Σ R_j e_j`` of both bodies, and the slack of the distance itself. `ends_free` and
`agreeing_free` take two distances after the deviations and the slack, `direction_free` two
separations, and the clearance beside them.

All are strict: touching is not free, nor is what is not a number; nor, by `half_free`, a time that
is negative or infinite, or a speed without bounds.

Rounding: `uncovered`, `half_free` and `direction_free` have no margin of their own. Their terms are
off by some units of rounding, and their arguments carry more than that: ``d`` is less by its slack
and by what `paths.kernels.motion` calls the margin, and a `path_length` and ``M`` are more by
MOTION_ROUNDING. Arguments that came another way need a slack of their own. `ends_free` and
`agreeing_free` round down by themselves.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined
from standoff.tolerances import EPS

#: Rounding of the inequality between both ends of a segment, relative to all its terms, [-]: four
#: sums and two products, of half a unit each.
ENDS_ROUNDING = 8 * EPS


@entry("float64(float64, float64, float64)", inlined)
def uncovered(d, nearing, most):
    """How much more distance the proof of a stretch would need, [m]: it is free where this is
    negative, ``d > max(0, min(nearing, most))``.

    The bodies are ``d`` apart at the instant where the stretch begins, and it lasts ``h``, either
    ahead or back in time. It is enough for either of two bounds to be less than ``d``:

    ``nearing`` = ``h closing + h² M / 2``, see `drift`. A direction ``n`` separates the bodies by
    ``d``, ``closing`` is the largest speed at which any two of their points near each other along
    it, signed (negative: all draw apart), and ``M`` is the sum of both bodies' bounds. After ``s``
    the bodies are still separated along ``n`` by

        g(s) = d - s closing - s² M / 2,

    which is concave in ``s``, so on [0, h] it is smallest at an end: free when ``g(0) > 0`` and
    ``g(h) > 0``. That is the clamp at 0: a stretch begins at ``d``, which must be above 0 whatever
    comes later. For bodies that are not convex no ``n`` separates them; there ``closing`` is the
    sum of both top speeds, which only nears, and the same holds of the distance itself.

    ``most`` = ``h λ``: no two points near each other by more, the `path_length` of both bodies; the
    bound of paper 001, and the shorter one on long stretches. Infinite where it is not known."""
    return max(min(nearing, most), 0.0) - d


@entry("float64(float64, float64, float64)", inlined)
def drift(closing, M, h):
    """What velocity and its change can take from a distance in ``h``: ``h closing + h² M / 2``."""
    return h * (closing + 0.5 * h * M)


@entry("float64(float64, float64)", inlined)
def bent(M, h):
    """The part of `drift` that the change of velocity has, ``h² M / 2``: for who adds it to a first
    part that is a length already, or to that of many pairs. The sum is `drift` but for rounding."""
    return 0.5 * h * h * M


@entry("boolean(float64, float64, float64, float64)")
def half_free(d, closing, M, h):
    """Whether the stretch next to the instant of ``d`` is free, ``h >= 0`` long: `uncovered` with
    the first of its bounds. (With ``closing`` the `path_length` of both in a unit of time and
    ``M = 0`` that is the second.)"""
    way = drift(closing, M, h)
    meant = h >= 0.0 and closing > -math.inf and way < math.inf
    return meant and uncovered(d, way, math.inf) < 0.0


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
