"""The inequalities that call a stretch of motion free, from a distance and a motion bound.

All of them take ``d``, the distance left after everything that is subtracted once: the clearance,
the deviations ``Σ R_j e_j`` of both bodies, and the slack of the distance itself. All are strict:
touching is not free. Not a number anywhere gives "not free"."""

from __future__ import annotations

import math

from standoff.constants import EPS
from standoff.kernels.jit import entry


@entry("boolean(float64, float64, float64, float64)")
def half_free(d, closing, M, h):
    """Whether the half interval next to the instant of ``d`` is free, ``h`` long.

    A direction ``n`` separates the bodies by ``d``, ``closing`` is the largest speed at which any
    two of their points near each other along it, signed (negative: all draw apart), and ``M`` is
    the sum of both bodies' bounds. After ``s`` the bodies are still separated along ``n`` by

        g(s) = d - s closing - s² M / 2,

    which is concave in ``s``, so on [0, h] it is smallest at an end: free when ``g(0) > 0`` and
    ``g(h) > 0``. (Clamping the speed at 0, ``d > h max(0, closing) + h² M / 2``, implies this.)

    For bodies that are not convex no ``n`` separates them; there ``closing`` is the sum of both
    top speeds, which only nears, and the same holds of the distance itself. And with ``closing``
    the `path_length` of both a unit of time and ``M = 0`` it is the bound of first order, which is
    the shorter one on long stretches."""
    return d > 0.0 and d > h * (closing + 0.5 * h * M)


@entry("float64(float64, float64, float64)")
def free_span(d, closing, M):
    """How long it stays free: the largest ``h`` that `half_free` proves, as its root from below;
    0 where ``d`` is not positive, infinite where the bodies can never meet."""
    if not d > 0.0:
        return 0.0
    root = math.hypot(closing, math.sqrt(2.0 * d) * math.sqrt(M))
    if closing > 0.0:
        return (1.0 - 16.0 * EPS) * (2.0 * d / (closing + root))
    return (1.0 - 16.0 * EPS) * ((root - closing) / M) if M > 0.0 else math.inf


@entry("boolean(float64, float64, float64, float64, float64)")
def ends_free(d_a, d_b, length_a, length_b, clearance):
    """The two-ended form of paper 001, (2) and (3): ``λ_a + λ_b < d(q_a) + d(q_b) - 2 δ``, with the
    distances at both ends of the segment and the `path_length` of both bodies over all of it.

    On the way ``d >= d(q_a) - (what was moved)`` and ``d >= d(q_b) - (what is still to move)``, and
    half the sum exceeds ``δ``. The paper bounds the motion of hulls grown by ``δ/2``; distance is
    1-Lipschitz in the motion of each body, so the bodies' own bounds do."""
    return length_a + length_b < d_a + d_b - 2.0 * clearance
