"""The region octree of a triangle mesh: a solid where it is closed, a surface otherwise.

Each node has the list of the triangles that may come as near as the growth, cut out of its
parent's. A node without any is wholly inside or wholly outside; which of the two is carried along
segments from the parent, see `region_side`. A node that a single grown triangle covers is black.

How often a closed mesh winds about a point, carried from a point where that is known.

Along a segment the winding number changes by one at each triangle crossed. A segment that stays in
a node crosses only triangles that meet the node, and those are few: most points of the inside are
told from the outside by a handful of triangles, and none by a ray through the whole mesh.

A triangle against a cube along the axes of coordinates, and a point against a triangle.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.triangle import clamp
from standoff.geometry.narrowphase.vectors import cross, dot, minus, point
from standoff.overlap.kernels.region_codes import FULL, SCRATCH_FULL, SURE, emit, push_children

_DIAGONAL = math.sqrt(3.0)

#: Points of a node that are tried before its side is in doubt.
_TRIES = 6

#: Columns of a row of the stack: code, x, y, z, level, and the run of the parent's triangles.
STACK_COLUMNS = 7


@entry(
    "int64(float64[:,::1], int64[:,::1], int64, float64[::1], int64, float64, float64, float64, "
    "int64[:,::1], int64[::1], float64[:,::1], int64[::1], uint8[::1])"
)
def mesh_leaves(V, F, closed, root, deepest, grow, slack, near, stack, lists, known, codes, levels):
    """Write the leaves of the mesh with the vertices ``V`` in the world, grown by ``grow``, and
    return how many; FULL or SCRATCH_FULL where there is no room for leaves or in ``lists``.

    ``known`` (deepest + 2, 4): for each level a point of the node at hand and the winding number
    there, GRAZED where it is in doubt; row 0 is a point outside of all, for the root."""
    cell = root[3] / (1 << deepest)
    for t in range(len(F)):
        lists[t] = t
    known[0, 3] = 0.0
    count = 0
    stack[0, 0] = stack[0, 1] = stack[0, 2] = stack[0, 3] = stack[0, 4] = stack[0, 5] = 0
    stack[0, 6] = len(F)
    top = 1
    while top > 0:
        top -= 1
        code, level = stack[top, 0], stack[top, 4]
        x, y, z = stack[top, 1], stack[top, 2], stack[top, 3]
        first, last = stack[top, 5], stack[top, 6]
        size = 1 << (deepest - level)
        h = 0.5 * size * cell
        cx = root[0] + (x + 0.5 * size) * cell
        cy = root[1] + (y + 0.5 * size) * cell
        cz = root[2] + (z + 0.5 * size) * cell
        if len(lists) < 2 * last - first:
            return SCRATCH_FULL
        finest = level == deepest
        end = last
        covered = False
        for k in range(first, last):
            t = lists[k]
            if triangle_away(V, F, t, cx, cy, cz, h, grow + slack, 0 if grow == 0.0 else 1):
                continue
            lists[end] = t
            end += 1
            if grow > _DIAGONAL * h and _covers(V, F, t, cx, cy, cz, h, grow - slack):
                covered = True
                break
            if finest and grow == 0.0:
                break
        if covered:
            mark = level | SURE
        elif end > last and finest:
            mark = level
        else:
            inside = 0
            if closed != 0:
                inside = _find_side(V, F, lists, first, last, cx, cy, cz, h, level, known, near)
            if end > last:
                top = push_children(stack, top, code, x, y, z, level, deepest)
                for row in range(top - 8, top):
                    stack[row, 5], stack[row, 6] = last, end
                continue
            if inside == 0:
                continue
            mark = level | (0 if inside == GRAZED else SURE)
        count = emit(codes, levels, count, code, mark, deepest)
        if count == FULL:
            return FULL
    return count


@inlined
def _covers(V, F, t, cx, cy, cz, h, reach):
    """Whether all of the cube is within ``reach`` of a triangle."""
    return triangle_distance(V, F, t, cx, cy, cz) + _DIAGONAL * h <= reach


@kernel
def _find_side(V, F, lists, first, last, cx, cy, cz, h, level, known, near):
    """The winding number at a point of the node, GRAZED where no point of it tells; the point
    stands in row ``level + 1`` of ``known`` then. From the parent's point, or from outside over all
    triangles where the parent has none."""
    for attempt in range(2 * _TRIES):
        start = level
        if attempt >= _TRIES or known[level, 3] == GRAZED:
            start, first, last = 0, 0, len(F)
        # Odd places, so that no segment runs along a face or an edge of a part made in a grid.
        px = cx + h * _odd(attempt, 0.137)
        py = cy + h * _odd(attempt, 0.291)
        pz = cz + h * _odd(attempt, 0.443)
        change = crossings(
            V, F, lists, first, last, known[start, 0], known[start, 1], known[start, 2],
            px, py, pz, near,
        )  # fmt: skip
        if change != GRAZED:
            known[level + 1, 0], known[level + 1, 1], known[level + 1, 2] = px, py, pz
            known[level + 1, 3] = known[start, 3] + change
            return int(known[level + 1, 3])
    known[level + 1, 3] = GRAZED
    return GRAZED


@inlined
def _odd(attempt, seed):
    """A number between -0.6 and 0.6 that repeats for no two attempts."""
    return 1.2 * ((0.618034 * attempt + seed) % 1.0) - 0.6


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


@kernel
def triangle_away(V, F, t, cx, cy, cz, h, reach, round_):
    """Whether a direction shows triangle ``t`` to be farther than ``reach`` from the cube about c
    of half edge ``h``: any direction n does for which

        min over the corners of n . (v - c)  >  h (|n_x| + |n_y| + |n_z|) + reach |n|.

    Tried are the thirteen that tell a triangle and a cube apart, and, where ``round_`` is not 0,
    the one from the nearest point of the triangle to the cube's middle."""
    a0, a1, a2 = point(V, F[t, 0])
    b0, b1, b2 = point(V, F[t, 1])
    d0, d1, d2 = point(V, F[t, 2])
    a0, a1, a2 = minus(a0, a1, a2, cx, cy, cz)
    b0, b1, b2 = minus(b0, b1, b2, cx, cy, cz)
    d0, d1, d2 = minus(d0, d1, d2, cx, cy, cz)
    x = max(min(a0, b0, d0), -max(a0, b0, d0)) - h
    y = max(min(a1, b1, d1), -max(a1, b1, d1)) - h
    z = max(min(a2, b2, d2), -max(a2, b2, d2)) - h
    if x > reach or y > reach or z > reach:
        return True
    if round_ != 0 and reach > 0.0:
        x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
        if math.sqrt(x * x + y * y + z * z) > reach:
            return True
    u0, u1, u2 = minus(b0, b1, b2, a0, a1, a2)
    v0, v1, v2 = minus(d0, d1, d2, b0, b1, b2)
    w0, w1, w2 = minus(a0, a1, a2, d0, d1, d2)
    n0, n1, n2 = cross(u0, u1, u2, v0, v1, v2)
    if _split(n0, n1, n2, a0, a1, a2, b0, b1, b2, d0, d1, d2, h, reach):
        return True
    # Along e_k x edge the edge's two ends are at one height: it and the third corner tell.
    if (
        _edge(u1, u2, a1, a2, d1, d2, h, reach)
        or _edge(u2, u0, a2, a0, d2, d0, h, reach)
        or _edge(u0, u1, a0, a1, d0, d1, h, reach)
        or _edge(v1, v2, b1, b2, a1, a2, h, reach)
        or _edge(v2, v0, b2, b0, a2, a0, h, reach)
        or _edge(v0, v1, b0, b1, a0, a1, h, reach)
        or _edge(w1, w2, d1, d2, b1, b2, h, reach)
        or _edge(w2, w0, d2, d0, b2, b0, h, reach)
        or _edge(w0, w1, d0, d1, b0, b1, h, reach)
    ):
        return True
    if round_ == 0:
        return False
    n0, n1, n2 = _nearest(a0, a1, a2, b0, b1, b2, d0, d1, d2)
    return _split(n0, n1, n2, a0, a1, a2, b0, b1, b2, d0, d1, d2, h, reach)


@inlined
def _split(n0, n1, n2, a0, a1, a2, b0, b1, b2, d0, d1, d2, h, reach):
    """Whether the corners lie on one side of the cube along n, by more than ``reach``."""
    a, b, d = (
        dot(n0, n1, n2, a0, a1, a2),
        dot(n0, n1, n2, b0, b1, b2),
        dot(n0, n1, n2, d0, d1, d2),
    )
    apart = max(min(a, b, d), -max(a, b, d)) - h * (abs(n0) + abs(n1) + abs(n2))
    return apart > reach * math.sqrt(dot(n0, n1, n2, n0, n1, n2))


@inlined
def _edge(e, f, p, q, r, s, h, reach):
    """The same along (f, -e) in the plane of two axes, in which the edge runs along (e, f) from
    (p, q) and the third corner is (r, s)."""
    a, b = f * p - e * q, f * r - e * s
    return max(min(a, b), -max(a, b)) > h * (abs(e) + abs(f)) + reach * math.sqrt(e * e + f * f)


@kernel
def triangle_distance(V, F, t, cx, cy, cz):
    """The distance of a point and triangle ``t``, never too short but for rounding."""
    a0, a1, a2 = point(V, F[t, 0])
    b0, b1, b2 = point(V, F[t, 1])
    d0, d1, d2 = point(V, F[t, 2])
    a0, a1, a2 = minus(a0, a1, a2, cx, cy, cz)
    b0, b1, b2 = minus(b0, b1, b2, cx, cy, cz)
    d0, d1, d2 = minus(d0, d1, d2, cx, cy, cz)
    x, y, z = _nearest(a0, a1, a2, b0, b1, b2, d0, d1, d2)
    return math.sqrt(dot(x, y, z, x, y, z))


@kernel
def _nearest(a0, a1, a2, b0, b1, b2, d0, d1, d2):
    """A point of the triangle nearest to the origin: above its inside, or on one of its edges."""
    u0, u1, u2 = minus(b0, b1, b2, a0, a1, a2)
    v0, v1, v2 = minus(d0, d1, d2, a0, a1, a2)
    uu, uv, vv = (
        dot(u0, u1, u2, u0, u1, u2),
        dot(u0, u1, u2, v0, v1, v2),
        dot(v0, v1, v2, v0, v1, v2),
    )
    au, av = -dot(a0, a1, a2, u0, u1, u2), -dot(a0, a1, a2, v0, v1, v2)
    det = uu * vv - uv * uv
    s, t = au * vv - av * uv, av * uu - au * uv
    if det > 0.0 and s >= 0.0 and t >= 0.0 and s + t <= det:
        s, t = s / det, t / det
        return a0 + s * u0 + t * v0, a1 + s * u1 + t * v1, a2 + s * u2 + t * v2
    x, y, z = _on_edge(a0, a1, a2, u0, u1, u2)
    best = dot(x, y, z, x, y, z)
    p, q, r = _on_edge(a0, a1, a2, v0, v1, v2)
    other = dot(p, q, r, p, q, r)
    if other < best:
        best, x, y, z = other, p, q, r
    p, q, r = _on_edge(b0, b1, b2, d0 - b0, d1 - b1, d2 - b2)
    if dot(p, q, r, p, q, r) < best:
        x, y, z = p, q, r
    return x, y, z


@inlined
def _on_edge(a0, a1, a2, u0, u1, u2):
    """The point of the edge from a along u nearest to the origin."""
    long = dot(u0, u1, u2, u0, u1, u2)
    s = clamp(-dot(a0, a1, a2, u0, u1, u2) / long, 0.0, 1.0) if long > 0.0 else 0.0
    return a0 + s * u0, a1 + s * u1, a2 + s * u2
