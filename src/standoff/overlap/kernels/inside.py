"""How deep points lie inside a body: a lower bound on the way out.

A ball of radius r about x belongs to one body. If x lies inside another one, d below its surface,
then the ball of radius d about x belongs to that one, and no translation shorter than ``d + r``
takes two balls with one centre apart: the bodies penetrate by that much at least.

Whether a mesh that is not closed goes round a point all the same, as far as can be told.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.bvh import TREE_DEPTH
from standoff.geometry.narrowphase.layout import INT0, NODE0
from standoff.geometry.narrowphase.mesh_inside import convex_depth, inside_mesh
from standoff.geometry.narrowphase.mesh_mesh import load_triangle
from standoff.geometry.narrowphase.rss import RADIUS
from standoff.geometry.narrowphase.rss_fit import rectangle_distance
from standoff.geometry.narrowphase.triangle import CORNERS_B, TRIANGLE_WORK, triangle_triangle
from standoff.geometry.narrowphase.vectors import cross, dot, minus, point, store

#: An open mesh may be meant as a solid. A part of which more than this part of all directions, seen
#: from one of its points, ends at the mesh may be inside what was meant, [-]. One flat sheet ends
#: half of them at most, however near, so a part on one side of a sheet is no doubt; a point inside
#: a convex solid that lacks some of one face has more than half, wherever it is.
ENCLOSING_PART = 0.5


#: Floats of scratch: two triangles, then the bounds of the nodes that wait.
DEEPEST_WORK = TRIANGLE_WORK + TREE_DEPTH + 2
#: Integers of scratch: the nodes that wait.
DEEPEST_IWORK = TREE_DEPTH + 2


@entry(
    "float64(float64[:, ::1], int64[:, ::1], int64, float64[:, ::1], int64[:, ::1], "
    "float64[:, ::1], int64[::1], float64[::1], int64[::1], int64[::1])"
)
def deepest_in_mesh(balls, refs, i, points, faces, nodes, ints, work, iwork, found):
    """The largest ``d + r`` of the balls (x, y, z, r) whose centres, in the frame of closed mesh
    ``i``, lie inside it, and 0 where none does; ``found[0]`` is its number, or -1.

    A ball is given up as soon as a triangle nearer than ``best - r`` shows up, which is at once for
    most: only few get as far as the test of containment.
    """
    best = 0.0
    found[0] = -1
    for k in range(len(balls)):
        x0, x1, x2, r = balls[k, 0], balls[k, 1], balls[k, 2], balls[k, 3]
        d = _to_surface(x0, x1, x2, refs, i, points, faces, nodes, ints, best - r, work, iwork)
        if d + r > best and inside_mesh(x0, x1, x2, refs, i, points, faces, nodes, ints, iwork):
            best = d + r
            found[0] = k
    return best


@entry(
    "float64(float64[:, ::1], float64[:, ::1], int64[:, ::1], int64, float64[:, ::1], "
    "int64[:, ::1], int64[::1])"
)
def deepest_in_convex(balls, rows, refs, j, points, faces, found):
    """The same for a convex body ``j``, in whose frame the balls stand."""
    best = 0.0
    found[0] = -1
    for k in range(len(balls)):
        d, _, _, _ = convex_depth(
            balls[k, 0], balls[k, 1], balls[k, 2], rows, refs, j, points, faces
        )
        if d >= 0.0 and d + balls[k, 3] > best:
            best = d + balls[k, 3]
            found[0] = k
    return best


@kernel
def _to_surface(x0, x1, x2, R, i, P, F, N, T, enough, work, stack):
    """Distance of a point to the surface of mesh ``i``, in whose frame it stands; some distance
    not above ``enough`` where a triangle is as near as that."""
    w = work[:TRIANGLE_WORK]
    corners = w[CORNERS_B : CORNERS_B + 9]
    bounds = work[TRIANGLE_WORK:]
    store(w, 0, x0, x1, x2)
    best = math.inf
    stack[0] = 0
    bounds[0] = 0.0
    top = 1
    while top > 0 and best > enough:
        top -= 1
        if bounds[top] >= best:
            continue
        node = stack[top]
        if node < 0:
            load_triangle(R, i, P, F, ~node, corners)
            squared = triangle_triangle(w, 1, 3, best * best)
            best = min(best, math.sqrt(squared))
            continue
        left, right = T[R[i, INT0] + 2 * node], T[R[i, INT0] + 2 * node + 1]
        near, far = _bound(x0, x1, x2, R, i, N, left), _bound(x0, x1, x2, R, i, N, right)
        if far < near:
            left, right, near, far = right, left, far, near
        stack[top], bounds[top] = right, far
        stack[top + 1], bounds[top + 1] = left, near
        top += 2
    return best


@kernel
def _bound(x0, x1, x2, R, i, N, node):
    """No point below the node is nearer; a triangle is left to the test of its own."""
    if node < 0:
        return 0.0
    n = R[i, NODE0] + node
    return max(rectangle_distance(N, n, x0, x1, x2) - N[n, RADIUS], 0.0)


@entry("int64(float64[:, ::1], float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1])")
def first_enclosed(points, V, F, directions, hits):
    """The number of the first point that the mesh goes round, or -1; ``hits`` is scratch, two
    columns for each direction.

    A point is enclosed if most rays from it, taken both ways along each direction, cross the mesh
    an odd number of times, whichever way its triangles face; or if most of them cross it at all,
    and the winding number is above a half, however often a triangle is repeated. One flat sheet is
    crossed by half of the rays at most: of the two along a line one points away from it.
    """
    most = ENCLOSING_PART * 2.0 * len(directions)
    for p in range(len(points)):
        winding = _look_around(points, p, V, F, directions, hits)
        covered, odd = 0, 0
        for k in range(len(directions)):
            for way in range(2):
                covered += hits[k, way] > 0
                odd += hits[k, way] & 1
        if odd > most or (covered > most and abs(winding) > ENCLOSING_PART):
            return p
    return -1


@kernel
def _look_around(points, p, V, F, directions, hits):
    """The winding number at point ``p``; ``hits`` becomes how many triangles the ray along each
    direction meets, and the ray against it."""
    for k in range(len(directions)):
        hits[k, 0], hits[k, 1] = 0, 0
    x0, x1, x2 = point(points, p)
    angle = 0.0
    for t in range(len(F)):
        a0, a1, a2 = point(V, F[t, 0])
        b0, b1, b2 = point(V, F[t, 1])
        c0, c1, c2 = point(V, F[t, 2])
        a0, a1, a2 = minus(a0, a1, a2, x0, x1, x2)
        b0, b1, b2 = minus(b0, b1, b2, x0, x1, x2)
        c0, c1, c2 = minus(c0, c1, c2, x0, x1, x2)
        m0, m1, m2 = cross(b0, b1, b2, c0, c1, c2)
        height = dot(a0, a1, a2, m0, m1, m2)
        if height == 0.0:
            continue  # seen edge on
        a, b = math.sqrt(dot(a0, a1, a2, a0, a1, a2)), math.sqrt(dot(b0, b1, b2, b0, b1, b2))
        c = math.sqrt(dot(c0, c1, c2, c0, c1, c2))
        flat = a * b * c + c * dot(a0, a1, a2, b0, b1, b2)
        flat += a * dot(b0, b1, b2, c0, c1, c2) + b * dot(c0, c1, c2, a0, a1, a2)
        angle += math.atan2(height, flat)
        n0, n1, n2 = cross(c0, c1, c2, a0, a1, a2)
        o0, o1, o2 = cross(a0, a1, a2, b0, b1, b2)
        for k in range(len(directions)):
            d0, d1, d2 = point(directions, k)
            # On which side of the three planes through the point and an edge the line runs.
            one = dot(d0, d1, d2, m0, m1, m2) > 0.0
            two = dot(d0, d1, d2, n0, n1, n2) > 0.0
            three = dot(d0, d1, d2, o0, o1, o2) > 0.0
            if one == two and two == three:
                hits[k, 0 if one == (height > 0.0) else 1] += 1
    return angle / (2.0 * math.pi)
