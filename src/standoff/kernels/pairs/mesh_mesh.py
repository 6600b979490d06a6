"""Two surfaces of triangles: the exact distance, over both trees."""

from __future__ import annotations

import math

from standoff.kernels.jit import kernel
from standoff.kernels.layout import FACE0, INT0, NODE0, POINT0
from standoff.kernels.pairs.mesh_work import (
    BEST,
    BOUNDS,
    LEAF,
    NEAREST,
    PAIRS,
    REL,
    STACK,
    TRIANGLES,
)
from standoff.kernels.pairs.triangle_triangle import TRIANGLE_WORK, triangle_triangle
from standoff.kernels.rss import DIAMETER, rss_bound
from standoff.kernels.rss_fit import triangle_rss


@kernel
def mesh_mesh(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, margin, work, iwork):
    """Distance of the two surfaces, 0.0 where they meet; the nearest points into ``work[BEST:]``
    in a's frame, their triangles into ``iwork[NEAREST:]``.

    Depth first, the nearer child first. A pair is dropped only when its lower bound, less the
    rounding ``margin`` [m], is no better than the distance of two points already found.
    """
    rel = work[REL : REL + 12]
    leaf = work[LEAF : LEAF + 32].reshape((2, 16))
    bounds = work[BOUNDS : BOUNDS + STACK]
    pairs = iwork[PAIRS : PAIRS + 2 * STACK]
    node_a, node_b, int_a, int_b = RA[i, NODE0], RB[j, NODE0], RA[i, INT0], RB[j, INT0]
    best = math.inf
    pairs[0] = pairs[1] = 0
    bounds[0] = -math.inf
    top = 1
    while top > 0:
        top -= 1
        if bounds[top] - margin >= best:
            continue
        p, q = pairs[2 * top], pairs[2 * top + 1]
        split_a = q < 0 or (p >= 0 and NA[node_a + p, DIAMETER] >= NB[node_b + q, DIAMETER])
        waiting = top
        for side in range(2):
            if split_a:
                c, d = IA[int_a + 2 * p + side], q
            else:
                c, d = p, IB[int_b + 2 * q + side]
            if c < 0 and d < 0:
                best = _triangles(RA, i, PA, FA, ~c, RB, j, PB, FB, ~d, best, work, iwork)
                if best == 0.0:
                    return best
                continue
            X, x = NA, node_a + c
            if c < 0:
                _leaf(RA, i, PA, FA, ~c, leaf, 0)
                X, x = leaf, 0
            Y, y = NB, node_b + d
            if d < 0:
                _leaf(RB, j, PB, FB, ~d, leaf, 1)
                Y, y = leaf, 1
            bound = rss_bound(X, x, Y, y, rel, best + margin)
            if bound - margin >= best:
                continue
            bounds[top] = bound
            pairs[2 * top], pairs[2 * top + 1] = c, d
            top += 1
        if top == waiting + 2 and bounds[top - 1] > bounds[top - 2]:
            _swap(bounds, pairs, top - 1, top - 2)
    return best


@kernel
def _swap(bounds, pairs, m, n):
    bounds[m], bounds[n] = bounds[n], bounds[m]
    for k in range(2):
        pairs[2 * m + k], pairs[2 * n + k] = pairs[2 * n + k], pairs[2 * m + k]


@kernel
def _leaf(R, i, P, F, t, leaf, at):
    o = R[i, POINT0]
    a = o + F[R[i, FACE0] + t, 0]
    b = o + F[R[i, FACE0] + t, 1]
    c = o + F[R[i, FACE0] + t, 2]
    triangle_rss(
        P[a, 0], P[a, 1], P[a, 2], P[b, 0], P[b, 1], P[b, 2], P[c, 0], P[c, 1], P[c, 2], leaf, at
    )


@kernel
def _triangles(RA, i, PA, FA, s, RB, j, PB, FB, t, best, work, iwork):
    """The distance of triangles s and t where it is less than ``best``, else ``best``."""
    w = work[TRIANGLES : TRIANGLES + TRIANGLE_WORK]
    rel = work[REL : REL + 12]
    for k in range(3):
        a = RA[i, POINT0] + FA[RA[i, FACE0] + s, k]
        b = RB[j, POINT0] + FB[RB[j, FACE0] + t, k]
        for r in range(3):
            w[3 * k + r] = PA[a, r]
            w[9 + 3 * k + r] = (
                rel[3 * r] * PB[b, 0]
                + rel[3 * r + 1] * PB[b, 1]
                + rel[3 * r + 2] * PB[b, 2]
                + rel[9 + r]
            )
    squared = triangle_triangle(w, 3, 3, best * best)
    if squared >= best * best:
        return best
    for r in range(6):
        work[BEST + r] = w[18 + r]
    iwork[NEAREST], iwork[NEAREST + 1] = s, t
    return math.sqrt(squared)
