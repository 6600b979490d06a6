"""How deep points lie inside a body: a lower bound on the way out.

A ball of radius r about x belongs to one body. If x lies inside another one, d below its surface,
then the ball of radius d about x belongs to that one, and no translation shorter than ``d + r``
takes two balls with one centre apart: the bodies penetrate by that much at least.
"""

from __future__ import annotations

import math

from standoff.kernels.containment import convex_depth, inside_mesh
from standoff.kernels.jit import entry, kernel
from standoff.kernels.layout import INT0, NODE0
from standoff.kernels.pairs.mesh_mesh import load_triangle
from standoff.kernels.pairs.triangle_triangle import CORNERS_B, TRIANGLE_WORK, triangle_triangle
from standoff.kernels.rss import RADIUS
from standoff.kernels.rss_fit import rectangle_distance
from standoff.kernels.rss_tree import TREE_DEPTH
from standoff.kernels.vectors import store

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
