"""Whether a pair keeps its distance between two instants, from what is known of it there.

Let distances ``d_i`` and ``d_j`` be measured at the ends of an interval of length L, and λ and M be
those of both bodies together (see `.way`), seen from the last frame that carries both. The distance
exceeds δ throughout when one of these holds:

    d_i + d_j - L λ > 2 δ               any two bodies: what was moved since one end, and what is
                                        still to be moved to the other, is L λ at most
    d_i + d_j - D - L² M / 4 > 2 δ      the same for motions that agree: D is how far the bodies
                                        move against each other from end to end, see `moved_apart`
    min(s_i, s_j) - L² M / 8 > δ        convex bodies, for any unit vector n that is fixed in that
                                        frame; s: by how much n separates them at either end

The last: for two points ``n·(a(t) - b(t))`` differs from the straight line between its values at
the ends by L² M / 8 at most, and the signed distance of convex bodies is the largest separation
along any direction. The normals of the distances at both ends are tried for n.
"""

from __future__ import annotations

import math

from standoff.constants import INSTANT_ROUNDING, MOTION_ROUNDING
from standoff.kernels.jit import kernel
from standoff.kernels.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    HALFSPACE,
    KIND,
    MESH,
    POINT0,
    POINTS,
    SIZE,
    SLACK,
    SPHERE,
)
from standoff.kernels.monitor import layout as m


@kernel
def interval_free(stops, i, j, two, refs, points, reach_a, reach_b, length, bend, stray, level):
    """Whether the pair is farther apart than ``level`` from stop ``i`` to stop ``j``."""
    span = stops[j, m.TIME] - stops[i, m.TIME]
    both = stops[i, 0] - stops[i, SLACK] + (stops[j, 0] - stops[j, SLACK])
    both -= 2.0 * (stray + level)
    if both > span * length:
        return True
    bend *= span * span
    if refs[0, KIND] < MESH and refs[1, KIND] < MESH:
        return separated(
            stops, i, j, j, two, refs, points, bend, stray, level
        ) or separated(stops, i, j, i, two, refs, points, bend, stray, level)  # fmt: skip
    return both > moved_apart(stops, i, j, reach_a, reach_b) + 0.25 * bend


@kernel
def moved_apart(stops, i, j, reach_a, reach_b):
    """How far from where it would be any point gets, from stop ``i`` to stop ``j``, if both bodies
    moved as the origin of one of them does: ``|Δ_a - Δ_b| + |ΔR_a| r_a + |ΔR_b| r_b``."""
    A, B, square = m.POSE_A, m.POSE_B, 0.0
    for c in range(3, 12, 4):
        x = stops[j, A + c] - stops[i, A + c] - (stops[j, B + c] - stops[i, B + c])
        square += x * x
    turns = turned_by(stops, i, j, A) * reach_a + turned_by(stops, i, j, B) * reach_b
    return (1.0 + MOTION_ROUNDING) * (math.sqrt(square) + turns)


@kernel
def turned_by(stops, i, j, pose):
    """The norm of the difference of two rotations: its Frobenius norm over √2."""
    square = 0.0
    for r in range(pose, pose + 12, 4):
        for c in range(3):
            square += (stops[j, r + c] - stops[i, r + c]) ** 2
    return math.sqrt(0.5 * square)


@kernel
def separated(stops, i, j, n, two, refs, points, bend, stray, level):
    """Whether the normal that was found at stop ``n``, one of ``i`` and ``j``, separates the pair
    by more than ``level`` all the way between them; ``bend`` is L² M."""
    x, y, z = stops[n, 7], stops[n, 8], stops[n, 9]
    if refs[1, KIND] == HALFSPACE:
        x, y, z = stops[n, m.POSE_B + 2], stops[n, m.POSE_B + 6], stops[n, m.POSE_B + 10]
    if not abs(x * x + y * y + z * z - 1.0) <= INSTANT_ROUNDING:
        return False
    least = separation_along(stops, n, two, refs, points, x, y, z) - 0.125 * bend - stray
    if not least > level:
        return False
    # The same direction at the other end: fixed in the frame that carries both.
    T, o = stops, i + j - n
    t = m.TURN
    u = T[n, t] * x + T[n, t + 3] * y + T[n, t + 6] * z
    v = T[n, t + 1] * x + T[n, t + 4] * y + T[n, t + 7] * z
    w = T[n, t + 2] * x + T[n, t + 5] * y + T[n, t + 8] * z
    x = T[o, t] * u + T[o, t + 1] * v + T[o, t + 2] * w
    y = T[o, t + 3] * u + T[o, t + 4] * v + T[o, t + 5] * w
    z = T[o, t + 6] * u + T[o, t + 7] * v + T[o, t + 8] * w
    least = separation_along(stops, o, two, refs, points, x, y, z) - 0.125 * bend - stray
    return least > level


@kernel
def separation_along(stops, k, two, two_refs, points, nx, ny, nz):
    """By how much the unit vector ``n`` separates the pair as it stands at stop ``k``, at least.
    Their signed distance, if both are convex, is the largest of these over all ``n``."""
    low, _, far = span(stops, k, m.POSE_A, two, two_refs, 0, points, nx, ny, nz)
    _, top, away = span(stops, k, m.POSE_B, two, two_refs, 1, points, nx, ny, nz)
    return low - top - INSTANT_ROUNDING * (far + away)


@kernel
def span(stops, k, pose, two, refs, i, points, nx, ny, nz):
    """Smallest and largest ``n·p`` over the points of body ``i`` of the pair, and the sum of the
    lengths it was computed from. A half space is asked along its own normal only."""
    S, kind = stops, refs[i, KIND]
    cx, cy, cz = S[k, pose + 3], S[k, pose + 7], S[k, pose + 11]
    along, far = nx * cx + ny * cy + nz * cz, abs(cx) + abs(cy) + abs(cz)
    if kind == HALFSPACE:
        return -math.inf, along, far
    if kind == SPHERE:
        half = two[i, SIZE]
        return along - half, along + half, far + half
    x = nx * S[k, pose] + ny * S[k, pose + 4] + nz * S[k, pose + 8]
    y = nx * S[k, pose + 1] + ny * S[k, pose + 5] + nz * S[k, pose + 9]
    z = nx * S[k, pose + 2] + ny * S[k, pose + 6] + nz * S[k, pose + 10]
    if kind == CAPSULE:
        half = two[i, SIZE] + two[i, SIZE + 1] * abs(z)
    elif kind == BOX:
        half = two[i, SIZE] * abs(x) + two[i, SIZE + 1] * abs(y) + two[i, SIZE + 2] * abs(z)
    elif kind == CYLINDER:
        half = two[i, SIZE] * math.sqrt(x * x + y * y) + two[i, SIZE + 1] * abs(z)
    else:
        return span_points(points, refs, i, x, y, z, along, far)
    return along - half, along + half, far + half


@kernel
def span_points(points, refs, i, x, y, z, along, far):
    """`span` of a polyhedron; (x, y, z) is the direction in its own axes."""
    low, high, size = math.inf, -math.inf, 0.0
    first = refs[i, POINT0]
    for p in range(first, first + refs[i, POINTS]):
        s = x * points[p, 0] + y * points[p, 1] + z * points[p, 2]
        low, high = min(low, s), max(high, s)
        size = max(size, abs(points[p, 0]) + abs(points[p, 1]) + abs(points[p, 2]))
    return along + low, along + high, far + size
