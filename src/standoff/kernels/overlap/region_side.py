"""How often a closed mesh winds about a point, carried from a point where that is known.

Along a segment the winding number changes by one at each triangle crossed. A segment that stays in
a node crosses only triangles that meet the node, and those are few: most points of the inside are
told from the outside by a handful of triangles, and none by a ray through the whole mesh.
"""

from __future__ import annotations

from standoff.kernels.jit import kernel
from standoff.kernels.vectors import cross, dot, minus, point

#: The segment comes too near an edge or a corner, or an end of it too near a triangle, to tell.
GRAZED = 1 << 40


@kernel
def crossings(V, F, which, first, last, x0, x1, x2, y0, y1, y2, near):
    """By how much the winding number at y exceeds that at x: the signed crossings of the segment
    with the triangles ``which[first:last]``; GRAZED where one comes nearer than ``near`` to
    undecided."""
    e0, e1, e2 = minus(y0, y1, y2, x0, x1, x2)
    long = abs(e0) + abs(e1) + abs(e2)
    total = 0
    for k in range(first, last):
        t = which[k]
        a0, a1, a2 = point(V, F[t, 0])
        b0, b1, b2 = point(V, F[t, 1])
        c0, c1, c2 = point(V, F[t, 2])
        a0, a1, a2 = minus(a0, a1, a2, x0, x1, x2)
        b0, b1, b2 = minus(b0, b1, b2, x0, x1, x2)
        c0, c1, c2 = minus(c0, c1, c2, x0, x1, x2)
        u0, u1, u2 = minus(b0, b1, b2, a0, a1, a2)
        v0, v1, v2 = minus(c0, c1, c2, a0, a1, a2)
        n0, n1, n2 = cross(u0, u1, u2, v0, v1, v2)
        # Heights of the plane over both ends, times the length of n.
        here = dot(n0, n1, n2, a0, a1, a2)
        there = here - dot(n0, n1, n2, e0, e1, e2)
        blur = near * (abs(n0) + abs(n1) + abs(n2))
        if (here > blur and there > blur) or (here < -blur and there < -blur):
            continue
        low, high = 1, -1
        for _ in range(3):
            m0, m1, m2 = cross(a0, a1, a2, b0, b1, b2)
            weight = dot(e0, e1, e2, m0, m1, m2)
            limit = near * long * (abs(b0 - a0) + abs(b1 - a1) + abs(b2 - a2))
            side = 0
            if weight > limit:
                side = 1
            elif weight < -limit:
                side = -1
            low, high = min(low, side), max(high, side)
            a0, a1, a2, b0, b1, b2, c0, c1, c2 = b0, b1, b2, c0, c1, c2, a0, a1, a2
        if low < 0 < high:
            continue
        if low == 0 or high == 0 or abs(here) <= blur or abs(there) <= blur:
            return GRAZED
        # Along the outward normal the segment leaves the solid.
        total += -1 if here > there else 1
    return total
