"""The region octrees of bodies: of a triangle mesh, and of a sphere, capsule, box, cylinder or half
space.

A mesh is a solid where it is closed, a surface otherwise. Each node has the list of the triangles
that may come as near as the growth, cut out of its parent's. A node without any is wholly inside or
wholly outside; which of the two is carried along segments from the parent: the winding number
changes by one at each triangle crossed, and a segment that stays in a node crosses only triangles
that meet the node. Those are few: most points of the inside are told from the outside by a handful
of triangles, and none by a ray through the whole mesh. A node that a single grown triangle covers
is black.

Each other shape is a convex *core* (a point, a segment, or the body itself) and a radius around it.
The point ``k`` of the core nearest to any point ``p`` outside of it gives a plane that the core
stays behind:

    n . (x - k) <= 0  for all x of the core,    n = (p - k) / |p - k|,

so a node, a cube about ``c`` of half edge ``h``, is at least

    n . (c - k) - h (|n_x| + |n_y| + |n_z|) - radius

away from the body, whatever ``p`` was. With ``p`` and ``k`` taken in turns, each the nearest to the
other, this becomes the distance itself. And a convex body holds a cube when it holds its corners.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.compiled.tables import viewer
from standoff.geometry.narrowphase.aabb import half_extents
from standoff.geometry.narrowphase.bodies import Solids, bodies_at
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    HALFSPACE,
    KIND,
    SIZE,
    SPHERE,
    is_round,
)
from standoff.geometry.narrowphase.rows import clamp, rotate, unrotate
from standoff.geometry.narrowphase.vectors import cross, dot, minus, point
from standoff.interference.kernels.region_leaves import (
    DONE,
    FULL,
    LISTS_FULL,
    emit,
    push_children,
    start,
    walk_at,
)

_DIAGONAL = math.sqrt(3.0)

#: Points of a node that are tried before its side is in doubt.
_TRIES = 6

#: In place of where a run of triangles ends: one of them, grown, covers the node.
COVERED = -1

#: In place of a winding number: the segment comes too near an edge or a corner, or an end of it too
#: near a triangle, to tell.
GRAZED = 1 << 40

#: Steps between the nearest points of a node and a body before the node counts as crossed, [-].
#: Spheres need one, capsules two; boxes edge to edge are within 1 % of their distance after eight.
REGION_STEPS = 8

WHITE, GREY, BLACK = range(3)

solids_at = viewer(Solids)


@inlined
def middle_of(cube, node):
    """The middle of a node and half of its edge, [m]."""
    size = 1 << (cube.deepest - node.level)
    half = 0.5 * size
    middle = (
        cube.x + (node.x + half) * cube.cell,
        cube.y + (node.y + half) * cube.cell,
        cube.z + (node.z + half) * cube.cell,
    )
    return middle, half * cube.cell


@entry("int64(int64, int64, int64)")
def mesh_leaves(solids, closed, walk):
    """Write the leaves of the mesh, its vertices in the world.

    ``walk.points`` has for each level a point of the node at hand and the winding number there,
    GRAZED where it is in doubt; row 0 is a point outside of all, for the root."""
    solids, walk = solids_at(solids), walk_at(walk)
    stack, lists, cube = walk.stack, walk.lists, walk.cube
    for t in range(len(solids.faces)):
        lists[t] = t
    walk.points[0].winding = 0
    start(walk, len(solids.faces), 0)
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        level, last = node.level, node.last
        c, h = middle_of(cube, node)
        if len(lists) < 2 * last - node.first:
            return LISTS_FULL
        end = _near_triangles(walk, solids, node, c, h)
        if end == COVERED:
            is_sure = 1
        elif end > last and level == cube.deepest:
            is_sure = 0
        else:
            inside = _find_side(walk, solids, node, c, h) if closed != 0 else 0
            if end > last:
                top = push_children(walk, top, last, end)
                continue
            if inside == 0:
                continue
            is_sure = int(inside != GRAZED)
        if not emit(walk, node.code, level, is_sure):
            return FULL
    return DONE


@kernel
def _near_triangles(walk, solids, node, c, h):
    """The triangles of the node's run that may come as near as the growth, behind that run in the
    lists; where they end, or COVERED. On the finest level one tells as much as all."""
    lists, cube = walk.lists, walk.cube
    last = end = node.last
    for k in range(node.first, last):
        t = lists[k]
        if triangle_away(solids, t, c, h, cube.grow + cube.slack, cube.grow != 0.0):
            continue
        lists[end] = t
        end += 1
        if cube.grow > _DIAGONAL * h and (
            triangle_distance(solids, t, c) + _DIAGONAL * h <= cube.grow - cube.slack
        ):
            return COVERED
        if node.level == cube.deepest and cube.grow == 0.0:
            break
    return end


@kernel
def _find_side(walk, solids, node, c, h):
    """The winding number at a point of the node, GRAZED where no point of it tells; the point
    stands in the row after that of its level then. From the parent's point, or from outside over
    all triangles where the parent has none."""
    level, first, last = node.level, node.first, node.last
    found = walk.points[level + 1]
    for attempt in range(2 * _TRIES):
        known = walk.points[level]
        if attempt >= _TRIES or known.winding == GRAZED:
            known, first, last = walk.points[0], 0, len(solids.faces)
        # Odd places, so that no segment runs along a face or an edge of a part made in a grid.
        found.x = c[0] + h * _odd(attempt, 0.137)
        found.y = c[1] + h * _odd(attempt, 0.291)
        found.z = c[2] + h * _odd(attempt, 0.443)
        change = _crossings(walk, solids, first, last, known, found)
        if change != GRAZED:
            found.winding = known.winding + change
            return found.winding
    found.winding = GRAZED
    return GRAZED


@inlined
def _odd(attempt, seed):
    """A number between -0.6 and 0.6 that repeats for no two attempts."""
    return 1.2 * ((0.618034 * attempt + seed) % 1.0) - 0.6


@kernel
def _crossings(walk, solids, first, last, known, found):
    """By how much the winding number at point ``found`` exceeds that at ``known``: the signed
    crossings of the segment with the triangles of a run; GRAZED where one comes nearer than
    ``near`` to undecided."""
    near = walk.cube.near
    x = known.x, known.y, known.z
    e0, e1, e2 = minus(found.x, found.y, found.z, x[0], x[1], x[2])
    long = abs(e0) + abs(e1) + abs(e2)
    total = 0
    for k in range(first, last):
        t = walk.lists[k]
        a0, a1, a2 = _corner(solids, t, 0, x)
        b0, b1, b2 = _corner(solids, t, 1, x)
        c0, c1, c2 = _corner(solids, t, 2, x)
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


@inlined
def _corner(solids, t, c, x):
    """From a point to corner ``c`` of triangle ``t``."""
    p0, p1, p2 = point(solids.points, solids.faces[t, c])
    return minus(p0, p1, p2, x[0], x[1], x[2])


@kernel
def triangle_away(solids, t, c, h, reach, grown):
    """Whether a direction shows triangle ``t`` to be farther than ``reach`` from the cube about c
    of half edge ``h``: any direction n does for which

        min over the corners of n . (v - c)  >  h (|n_x| + |n_y| + |n_z|) + reach |n|.

    Tried are the thirteen that tell a triangle and a cube apart, and, where the triangle is
    ``grown``, the one from the nearest point of the triangle to the cube's middle."""
    a, b, d = _corner(solids, t, 0, c), _corner(solids, t, 1, c), _corner(solids, t, 2, c)
    x = max(min(a[0], b[0], d[0]), -max(a[0], b[0], d[0])) - h
    y = max(min(a[1], b[1], d[1]), -max(a[1], b[1], d[1])) - h
    z = max(min(a[2], b[2], d[2]), -max(a[2], b[2], d[2])) - h
    if x > reach or y > reach or z > reach:
        return True
    if grown and reach > 0.0:
        x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
        if math.sqrt(x * x + y * y + z * z) > reach:
            return True
    u, v, w = _difference(b, a), _difference(d, b), _difference(a, d)
    if _split(cross(u[0], u[1], u[2], v[0], v[1], v[2]), a, b, d, h, reach):
        return True
    if _edge(u, a, d, h, reach) or _edge(v, b, a, h, reach) or _edge(w, d, b, h, reach):
        return True
    return grown and _split(_nearest(a, b, d), a, b, d, h, reach)


@inlined
def _difference(p, q):
    return minus(p[0], p[1], p[2], q[0], q[1], q[2])


@inlined
def _split(n, a, b, d, h, reach):
    """Whether the corners lie on one side of the cube along n, by more than ``reach``."""
    n0, n1, n2 = n
    a, b, d = (
        dot(n0, n1, n2, a[0], a[1], a[2]),
        dot(n0, n1, n2, b[0], b[1], b[2]),
        dot(n0, n1, n2, d[0], d[1], d[2]),
    )
    apart = max(min(a, b, d), -max(a, b, d)) - h * (abs(n0) + abs(n1) + abs(n2))
    return apart > reach * math.sqrt(dot(n0, n1, n2, n0, n1, n2))


@inlined
def _edge(u, p, r, h, reach):
    """The same along the products of the three axes and the edge from p along u; r is the third
    corner. The edge's two ends are at one height there: one of them and the third corner tell."""
    return (
        _across(u[1], u[2], p[1], p[2], r[1], r[2], h, reach)
        or _across(u[2], u[0], p[2], p[0], r[2], r[0], h, reach)
        or _across(u[0], u[1], p[0], p[1], r[0], r[1], h, reach)
    )


@inlined
def _across(e, f, p, q, r, s, h, reach):
    """The same along (f, -e) in the plane of two axes, in which the edge runs along (e, f) from
    (p, q) and the third corner is (r, s)."""
    a, b = f * p - e * q, f * r - e * s
    return max(min(a, b), -max(a, b)) > h * (abs(e) + abs(f)) + reach * math.sqrt(e * e + f * f)


@kernel
def triangle_distance(solids, t, c):
    """The distance of a point and triangle ``t``, never too short but for rounding."""
    a, b, d = _corner(solids, t, 0, c), _corner(solids, t, 1, c), _corner(solids, t, 2, c)
    x, y, z = _nearest(a, b, d)
    return math.sqrt(dot(x, y, z, x, y, z))


@kernel
def _nearest(a, b, d):
    """A point of the triangle nearest to the origin: above its inside, or on one of its edges."""
    a0, a1, a2 = a
    u0, u1, u2 = _difference(b, a)
    v0, v1, v2 = _difference(d, a)
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
    x, y, z = _on_edge(a, (u0, u1, u2))
    best = dot(x, y, z, x, y, z)
    p, q, r = _on_edge(a, (v0, v1, v2))
    other = dot(p, q, r, p, q, r)
    if other < best:
        best, x, y, z = other, p, q, r
    p, q, r = _on_edge(b, _difference(d, b))
    if dot(p, q, r, p, q, r) < best:
        x, y, z = p, q, r
    return x, y, z


@inlined
def _on_edge(a, u):
    """The point of the edge from a along u nearest to the origin."""
    u0, u1, u2 = u
    long = dot(u0, u1, u2, u0, u1, u2)
    s = min(max(-dot(a[0], a[1], a[2], u0, u1, u2) / long, 0.0), 1.0) if long > 0.0 else 0.0
    return a[0] + s * u0, a[1] + s * u1, a[2] + s * u2


@entry("int64(int64, int64)")
def primitive_leaves(bodies, walk):
    """Write the leaves of the body in row 0, grown. The slack widens the body for what is white and
    shrinks it for what is black."""
    bodies, walk = bodies_at(bodies), walk_at(walk)
    rows, kind, cube = bodies.rows, bodies.refs[0, KIND], walk.cube
    ex = ey = ez = math.inf
    if kind != HALFSPACE:
        ex, ey, ez = half_extents(rows, kind, 0)
    reach = cube.grow + cube.slack
    start(walk, 0, 0)
    top = 1
    while top > 0:
        top -= 1
        node = walk.stack[top]
        c, h = middle_of(cube, node)
        dx, dy, dz = c[0] - rows[0, 3], c[1] - rows[0, 7], c[2] - rows[0, 11]
        if abs(dx) - h > ex + reach or abs(dy) - h > ey + reach or abs(dz) - h > ez + reach:
            continue
        colour = classify(rows, kind, dx, dy, dz, h, cube.grow, cube.slack)
        if colour == WHITE:
            continue
        if colour == GREY and node.level < cube.deepest:
            top = push_children(walk, top, 0, 0)
        elif not emit(walk, node.code, node.level, int(colour == BLACK)):
            return FULL
    return DONE


@kernel
def classify(rows, kind, dx, dy, dz, h, grow, slack):
    """What a cube of half edge ``h`` is, with its middle at (dx, dy, dz) from the body's origin in
    the world's axes."""
    cx, cy, cz = unrotate(rows, 0, dx, dy, dz)
    radius = rows[0, SIZE] if is_round(kind) else 0.0
    middle = height(rows, kind, cx, cy, cz)
    # The largest ball in the cube, the ball around it, and only then its corners.
    if middle + h <= grow:
        if middle + _DIAGONAL * h <= grow - slack:
            return BLACK
        if corners_within(rows, kind, cx, cy, cz, h, grow - slack):
            return BLACK
        return GREY
    if middle <= grow:
        return GREY
    if middle > grow + slack + _DIAGONAL * h:
        return WHITE
    px, py, pz = cx, cy, cz
    for _ in range(REGION_STEPS):
        nx, ny, nz = from_core(rows, kind, px, py, pz)
        kx, ky, kz = px - nx, py - ny, pz - nz
        apart = math.sqrt(nx * nx + ny * ny + nz * nz)
        if apart - radius <= grow + slack or apart == 0.0:
            return GREY
        nx, ny, nz = nx / apart, ny / apart, nz / apart
        gap = nx * (cx - kx) + ny * (cy - ky) + nz * (cz - kz) - radius
        nx, ny, nz = rotate(rows, 0, nx, ny, nz)
        if gap - h * (abs(nx) + abs(ny) + abs(nz)) > grow + slack:
            return WHITE
        px, py, pz = rotate(rows, 0, kx - cx, ky - cy, kz - cz)
        px, py, pz = unrotate(rows, 0, clamp(px, h), clamp(py, h), clamp(pz, h))
        px, py, pz = cx + px, cy + py, cz + pz
    return GREY


@inlined
def from_core(rows, kind, px, py, pz):
    """From the point of the core nearest to a point to that point, in the body's frame. However
    short it is, its direction is one that the core stays behind: the coordinates in which the point
    is not beyond the core are 0 and not what rounding leaves of a difference."""
    if kind == SPHERE:
        return px, py, pz
    if kind == CAPSULE:
        return px, py, pz - clamp(pz, rows[0, SIZE + 1])
    if kind == BOX:
        return (
            px - clamp(px, rows[0, SIZE]),
            py - clamp(py, rows[0, SIZE + 1]),
            pz - clamp(pz, rows[0, SIZE + 2]),
        )
    if kind == CYLINDER:
        across = math.hypot(px, py)
        beyond = (across - rows[0, SIZE]) / across if across > rows[0, SIZE] else 0.0
        return px * beyond, py * beyond, pz - clamp(pz, rows[0, SIZE + 1])
    return 0.0, 0.0, max(pz, 0.0)


@inlined
def height(rows, kind, px, py, pz):
    """The signed distance of a point, in the body's frame; negative inside."""
    if kind == HALFSPACE:
        return pz
    if is_round(kind):
        if kind == CAPSULE:
            pz -= clamp(pz, rows[0, SIZE + 1])
        return math.sqrt(px * px + py * py + pz * pz) - rows[0, SIZE]
    if kind == BOX:
        a, b, c = abs(px) - rows[0, SIZE], abs(py) - rows[0, SIZE + 1], abs(pz) - rows[0, SIZE + 2]
    else:
        a, b, c = math.hypot(px, py) - rows[0, SIZE], abs(pz) - rows[0, SIZE + 1], -math.inf
    deepest = max(a, b, c)
    if deepest <= 0.0:
        return deepest
    a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
    return math.sqrt(a * a + b * b + c * c)


@kernel
def corners_within(rows, kind, cx, cy, cz, h, limit):
    """Whether no corner of the cube is higher than ``limit``."""
    for c in range(8):
        x, y, z = unrotate(rows, 0, h if c & 1 else -h, h if c & 2 else -h, h if c & 4 else -h)
        if height(rows, kind, cx + x, cy + y, cz + z) > limit:
            return False
    return True
