"""Triangle against triangle, segment or point: the leaves of every mesh distance.

Corners stand in a scratch row ``w``: those of a at 0-8, those of b at 9-17; the nearest points
come back at 18-20 and 21-23. Each candidate is a pair of points *of the two bodies* (face points
are built from corners with weights in [0, 1]), so rounding can make the answer a few ulps too
long, never wrong.

The closest features are a corner and a face, two edges, or an edge that pierces a face; the first
candidate whose direction separates the bodies by its own length is the answer, and ends the
search. A triangle flatter than FLAT_TRIANGLE has no normal worth the name: its edges stand for it.
"""

from __future__ import annotations

import math

from standoff.constants import CLOSEST_TOLERANCE, FLAT_TRIANGLE
from standoff.kernels.jit import kernel
from standoff.kernels.segments import segment_parameters

#: Floats of scratch.
TRIANGLE_WORK = 40

B = 9
NEAR_A = 18
NEAR_B = 21
NORMAL_A = 24
NORMAL_B = 27
HEIGHT_A = 30
HEIGHT_B = 33


@kernel
def triangle_triangle(w, na, nb, cutoff):
    """Squared distance of two bodies of ``na`` and ``nb`` corners (1, 2 or 3), 0 where they meet;
    infinity where it is shown to exceed the squared ``cutoff``, and then no nearest points."""
    flat_a = _heights(w, 0, na, NORMAL_A, B, nb, HEIGHT_B)
    if _beyond(w, NORMAL_A, HEIGHT_B, nb, flat_a, cutoff):
        return math.inf
    flat_b = _heights(w, B, nb, NORMAL_B, 0, na, HEIGHT_A)
    if _beyond(w, NORMAL_B, HEIGHT_A, na, flat_b, cutoff):
        return math.inf
    best = math.inf
    if not flat_a:
        best = _faces(w, 0, NORMAL_A, B, nb, HEIGHT_B, NEAR_A, NEAR_B, best)
    if best > 0.0 and not flat_b:
        best = _faces(w, B, NORMAL_B, 0, na, HEIGHT_A, NEAR_B, NEAR_A, best)
    if best == 0.0 or (best < math.inf and _separates(w, na, nb, best)):
        return best
    for i in range(3 if na == 3 else 1):
        p = 3 * i
        p1 = 3 * ((i + 1) % na)
        u0, u1, u2 = w[p1] - w[p], w[p1 + 1] - w[p + 1], w[p1 + 2] - w[p + 2]
        for j in range(3 if nb == 3 else 1):
            q = B + 3 * j
            q1 = B + 3 * ((j + 1) % nb)
            v0, v1, v2 = w[q1] - w[q], w[q1 + 1] - w[q + 1], w[q1 + 2] - w[q + 2]
            r0, r1, r2 = w[q] - w[p], w[q + 1] - w[p + 1], w[q + 2] - w[p + 2]
            s, t = segment_parameters(r0, r1, r2, u0, u1, u2, v0, v1, v2)
            d0, d1, d2 = r0 + t * v0 - s * u0, r1 + t * v1 - s * u1, r2 + t * v2 - s * u2
            d = d0 * d0 + d1 * d1 + d2 * d2
            if d < best:
                best = d
                w[18], w[19], w[20] = w[p] + s * u0, w[p + 1] + s * u1, w[p + 2] + s * u2
                w[21], w[22], w[23] = w[q] + t * v0, w[q + 1] + t * v1, w[q + 2] + t * v2
                if d == 0.0 or _separates(w, na, nb, d):
                    return d
    return best


@kernel
def _heights(w, p, np, n, q, nq, heights):
    """The normal of the triangle at ``p`` (not of unit length) and the heights of the corners at
    ``q`` over its plane, times the normal's length. True where there is no normal to speak of."""
    if np < 3:
        return True
    u0, u1, u2 = w[p + 3] - w[p], w[p + 4] - w[p + 1], w[p + 5] - w[p + 2]
    v0, v1, v2 = w[p + 6] - w[p], w[p + 7] - w[p + 1], w[p + 8] - w[p + 2]
    n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    side = max(u0 * u0 + u1 * u1 + u2 * u2, v0 * v0 + v1 * v1 + v2 * v2)
    w[n], w[n + 1], w[n + 2] = n0, n1, n2
    if n0 * n0 + n1 * n1 + n2 * n2 <= (FLAT_TRIANGLE * side) ** 2:
        return True
    for k in range(nq):
        c = q + 3 * k
        w[heights + k] = (
            n0 * (w[c] - w[p]) + n1 * (w[c + 1] - w[p + 1]) + n2 * (w[c + 2] - w[p + 2])
        )
    return False


@kernel
def _beyond(w, n, heights, count, flat, cutoff):
    """All corners on one side of the plane, and further from it than the cutoff."""
    if flat:
        return False
    low = w[heights]
    high = low
    for k in range(1, count):
        low = min(low, w[heights + k])
        high = max(high, w[heights + k])
    gap = max(low, -high)
    return gap > 0.0 and gap * gap > cutoff * (w[n] ** 2 + w[n + 1] ** 2 + w[n + 2] ** 2)


@kernel
def _faces(w, p, n, q, nq, heights, near_p, near_q, best):
    """The corners at ``q`` that stand over the face at ``p``, and the edges that pierce it."""
    for k in range(nq):
        c = q + 3 * k
        best = _over(w, p, n, w[c], w[c + 1], w[c + 2], False, near_p, near_q, best)
        e = q + 3 * ((k + 1) % nq)
        h, g = w[heights + k], w[heights + (k + 1) % nq]
        if h * g < 0.0:
            t = h / (h - g)
            x0 = w[c] + t * (w[e] - w[c])
            x1 = w[c + 1] + t * (w[e + 1] - w[c + 1])
            x2 = w[c + 2] + t * (w[e + 2] - w[c + 2])
            best = _over(w, p, n, x0, x1, x2, True, near_p, near_q, best)
        if best == 0.0:
            break
    return best


@kernel
def _over(w, p, n, x0, x1, x2, in_plane, near_p, near_q, best):
    """Take the point x into account where it stands over the face at ``p``."""
    n0, n1, n2 = w[n], w[n + 1], w[n + 2]
    total = 0.0
    y0 = y1 = y2 = 0.0
    for k in range(3):
        c = p + 3 * ((k + 1) % 3)
        d = p + 3 * ((k + 2) % 3)
        u0, u1, u2 = w[d] - w[c], w[d + 1] - w[c + 1], w[d + 2] - w[c + 2]
        v0, v1, v2 = x0 - w[c], x1 - w[c + 1], x2 - w[c + 2]
        weight = n0 * (u1 * v2 - u2 * v1) + n1 * (u2 * v0 - u0 * v2) + n2 * (u0 * v1 - u1 * v0)
        if weight < 0.0:
            return best
        total += weight
        o = p + 3 * k
        y0, y1, y2 = y0 + weight * w[o], y1 + weight * w[o + 1], y2 + weight * w[o + 2]
    if total <= 0.0:
        return best
    y0, y1, y2 = y0 / total, y1 / total, y2 / total
    distance = (x0 - y0) ** 2 + (x1 - y1) ** 2 + (x2 - y2) ** 2
    if in_plane:
        distance = 0.0
    if distance < best:
        best = distance
        w[near_p], w[near_p + 1], w[near_p + 2] = y0, y1, y2
        w[near_q], w[near_q + 1], w[near_q + 2] = x0, x1, x2
    return best


@kernel
def _separates(w, na, nb, distance):
    """Whether the nearest points' own direction n separates the bodies by their squared distance:
    ``min n.a - max n.b >= n.n`` proves that no other pair is nearer."""
    n0, n1, n2 = w[18] - w[21], w[19] - w[22], w[20] - w[23]
    low = math.inf
    for k in range(na):
        c = 3 * k
        low = min(low, n0 * (w[c] - w[18]) + n1 * (w[c + 1] - w[19]) + n2 * (w[c + 2] - w[20]))
    high = -math.inf
    for k in range(nb):
        c = B + 3 * k
        high = max(high, n0 * (w[c] - w[21]) + n1 * (w[c + 1] - w[22]) + n2 * (w[c + 2] - w[23]))
    return high - low <= CLOSEST_TOLERANCE * distance
