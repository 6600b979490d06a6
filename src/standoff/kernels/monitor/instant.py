"""One pair at one instant between two readings: where both stand, how far apart they are, and by
how much a direction separates them."""

from __future__ import annotations

import math

from standoff.constants import INSTANT_ROUNDING
from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.kinematics import place_frames
from standoff.kernels.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    HALFSPACE,
    KIND,
    POINT0,
    POINTS,
    REF_COLUMNS,
    ROW_COLUMNS,
    SIZE,
    SPHERE,
)
from standoff.kernels.monitor import layout as m
from standoff.kernels.monitor.way import place_row, turn_row
from standoff.kernels.pairs.dispatch import closed_form
from standoff.kernels.pairs.general import general_pair


@kernel
def measure(general, F, W, rows, refs, a, b, out, k):
    """Row ``k`` of ``out``: the distance of rows ``a`` and ``b``."""
    points = reals(F, W, m.T_POINTS)
    if closed_form(rows, refs, a, points, rows, refs, b, points, out, k):
        return
    faces, solids, ints = wholes(W, m.T_FACES), reals(F, W, m.T_SOLIDS), wholes(W, m.T_INTS)
    work, iwork = reals(F, W, m.T_WORK), wholes(W, m.T_IWORK)
    general_pair(
        general, rows, refs, a, points, faces, solids, ints.reshape(ints.size),
        rows, refs, b, points, faces, solids, ints.reshape(ints.size),
        work.reshape(work.size), iwork.reshape(iwork.size), out, k,
    )  # fmt: skip


@kernel
def take_two(rows, refs, a, b, two, two_refs):
    """Make a table of the pair alone: what they are, and where they are now."""
    for c in range(ROW_COLUMNS):
        two[0, c], two[1, c] = rows[a, c], rows[b, c]
    for c in range(REF_COLUMNS):
        two_refs[0, c], two_refs[1, c] = refs[a, c], refs[b, c]


@kernel
def place_two(F, W, a, b, t):
    """Both at instant ``t`` (0 the last reading; not 1), into ``two``."""
    start, two, movers = reals(F, W, m.T_START), reals(F, W, m.T_TWO), wholes(W, m.T_COUNTS)
    for k in range(2):
        i = a if k == 0 else b
        if i >= movers[0, m.MOVERS]:
            continue
        if t == 0.0:
            for c in range(12):
                two[k, c] = start[i, c]
        elif wholes(W, m.T_FRAME)[i, 0] < movers[0, m.TREE_FRAMES]:
            place_tree(F, W, t)
            f, local = wholes(W, m.T_FRAME)[i, 0], reals(F, W, m.T_LOCAL)
            place_row(reals(F, W, m.T_AT_FRAMES), f, local, i, two, k)
        else:
            sway, rows = reals(F, W, m.T_SWAY), reals(F, W, m.T_ROWS)
            x, y, z = sway[i, m.AXIS], sway[i, m.AXIS + 1], sway[i, m.AXIS + 2]
            turn_row(start, i, x, y, z, t * sway[i, m.ANGLE], two, k)
            for c in range(3, 12, 4):
                two[k, c] = start[i, c] + t * (rows[i, c] - start[i, c])


@kernel
def place_tree(F, W, t):
    """The tree at instant ``t``, unless that is where it stands."""
    scales, way = reals(F, W, m.T_SCALES), reals(F, W, m.T_WAY)
    if scales[0, m.INSTANT] == t:
        return
    for j in range(way.shape[1]):
        way[m.AT, j] = way[m.FROM, j] + t * (way[m.TO, j] - way[m.FROM, j])
    flat, frames = way.reshape(way.size), reals(F, W, m.T_AT_FRAMES)
    place_frames(
        reals(F, W, m.T_TREE), wholes(W, m.T_LINKAGE), flat, flat, m.AT * way.shape[1],
        reals(F, W, m.T_TURNS), frames, frames, 0, False,
    )  # fmt: skip
    scales[0, m.INSTANT] = t


@kernel
def note_stop(stops, k, t, two, frames, c):
    """Stop ``k``: the instant, where both stand, and how the frame ``c`` that carries both is
    turned; the row of results is for `measure`."""
    stops[k, m.TIME] = t
    for r in range(3):
        for column in range(3):
            stops[k, m.TURN + 3 * r + column] = frames[c, 4 * r + column]
    for e in range(12):
        stops[k, m.POSE_A + e] = two[0, e]
        stops[k, m.POSE_B + e] = two[1, e]


@kernel
def separation_along(stops, k, two, two_refs, points, nx, ny, nz):
    """By how much the direction ``n`` separates the pair as it stands at stop ``k``, at least:
    no smaller than their signed distance is, for any unit vector."""
    low, high, far = span(stops, k, m.POSE_A, two, two_refs, 0, points, nx, ny, nz)
    below, top, away = span(stops, k, m.POSE_B, two, two_refs, 1, points, nx, ny, nz)
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
