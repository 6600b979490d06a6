"""Parts on planes: the convex outline of each part, with its envelopes."""

from __future__ import annotations

import math

from standoff.constants import HALF_SPACE_TILT, PROJECTION_ROUNDING
from standoff.kernels.jit import entry, kernel
from standoff.kernels.overlap.planar_hull import (
    chain,
    distinct,
    drop_inner,
    left_out,
    sort_points,
)
from standoff.kernels.overlap.projection_layout import (
    AREA,
    BODY_GROWN,
    BODY_REACH,
    BOUNDED,
    CIRCLE,
    COUNT,
    FIRST,
    GROWN,
    HALF,
    KIND,
    NORMAL,
    REACH,
    TILT,
    WHOLE,
)


@entry(
    "(i8[::1],f8[:,::1],i8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[:,:,::1],i8[:,:,::1],"
    "f8[:,:,::1])"
)
def project(which, bodies, ranges, points, bases, corners, table, spans, scratch):
    """The outlines of the bodies ``which`` on all planes, in their rows of ``table`` and ``spans``
    and their own places of ``corners``, which has room for every point on every plane.
    ``scratch`` is (4, most points of a body, 2)."""
    for w in range(len(which)):
        i = which[w]
        for k in range(len(bases)):
            table[k, i, REACH] = bodies[i, BODY_REACH]
            table[k, i, GROWN] = bodies[i, BODY_GROWN] + PROJECTION_ROUNDING * bodies[i, BODY_REACH]
            if ranges[i, KIND] == BOUNDED:
                hull_on_plane(bodies, ranges, points, bases, corners, table, spans, scratch, k, i)
            else:
                half_plane(bodies, bases, table, spans, k, i)


@kernel
def half_plane(bodies, bases, table, spans, k, i):
    """All x with m·x <= m·t project to the whole plane, unless m lies in it. What m is off by, its
    tilt, counts as doubt about each point that is compared with the half plane."""
    mx, my, mz = bodies[i, 2], bodies[i, 6], bodies[i, 10]
    tilt = abs(bases[k, NORMAL] * mx + bases[k, NORMAL + 1] * my + bases[k, NORMAL + 2] * mz)
    spans[k, i, KIND] = HALF if tilt <= HALF_SPACE_TILT else WHOLE
    table[k, i, 0] = bases[k, 0] * mx + bases[k, 1] * my + bases[k, 2] * mz
    table[k, i, 1] = bases[k, 3] * mx + bases[k, 4] * my + bases[k, 5] * mz
    table[k, i, 2] = mx * bodies[i, 3] + my * bodies[i, 7] + mz * bodies[i, 11]
    table[k, i, TILT] = tilt + PROJECTION_ROUNDING
    table[k, i, AREA] = 0.0


@kernel
def hull_on_plane(bodies, ranges, points, bases, corners, table, spans, scratch, k, i):
    """The hull of the projected points of a bounded body, with rectangle, circle and area."""
    flat, lower, upper, spare = scratch[0], scratch[1], scratch[2], scratch[3]
    first, n = ranges[i, FIRST], ranges[i, COUNT]
    place(bodies, points, bases, flat, k, i, first, n)
    n = drop_inner(flat, n, lower, upper)
    sort_points(flat, n, spare)
    n = distinct(flat, n)
    below = chain(flat, n, 1.0, lower)
    above = chain(flat, n, -1.0, upper)
    missed = max(left_out(flat, n, 1.0, lower, below), left_out(flat, n, -1.0, upper, above))
    table[k, i, GROWN] += missed
    start = k * len(points) + first
    for c in range(below):
        corners[start + c, 0], corners[start + c, 1] = lower[c, 0], lower[c, 1]
    end = start + below
    for c in range(above - 2, 0, -1):  # without the two ends, which the lower chain has
        corners[end, 0], corners[end, 1] = upper[c, 0], upper[c, 1]
        end += 1
    spans[k, i, KIND] = BOUNDED
    spans[k, i, FIRST] = start
    spans[k, i, COUNT] = end - start
    envelope(corners, start, end, table[k, i])


@kernel
def place(bodies, points, bases, flat, k, i, first, n):
    """The points of a body on a plane: one product of basis and rotation, then two sums a point."""
    for r in range(2):
        bx, by, bz = bases[k, 3 * r], bases[k, 3 * r + 1], bases[k, 3 * r + 2]
        x = bx * bodies[i, 0] + by * bodies[i, 4] + bz * bodies[i, 8]
        y = bx * bodies[i, 1] + by * bodies[i, 5] + bz * bodies[i, 9]
        z = bx * bodies[i, 2] + by * bodies[i, 6] + bz * bodies[i, 10]
        s = bx * bodies[i, 3] + by * bodies[i, 7] + bz * bodies[i, 11]
        for p in range(n):
            q = first + p
            flat[p, r] = x * points[q, 0] + y * points[q, 1] + z * points[q, 2] + s


@kernel
def envelope(corners, start, end, row):
    """Rectangle, circle and area of a convex polygon grown by ``row[GROWN]``: area, perimeter times
    growth and a full disc."""
    row[0] = row[1] = math.inf
    row[2] = row[3] = -math.inf
    for c in range(start, end):
        x, y = corners[c, 0], corners[c, 1]
        row[0], row[1] = min(row[0], x), min(row[1], y)
        row[2], row[3] = max(row[2], x), max(row[3], y)
    cx, cy = 0.5 * (row[0] + row[2]), 0.5 * (row[1] + row[3])
    radius = twice = around = 0.0
    before = end - 1
    for c in range(start, end):
        x, y = corners[c, 0] - cx, corners[c, 1] - cy
        bx, by = corners[before, 0] - cx, corners[before, 1] - cy
        radius = max(radius, x * x + y * y)
        twice += bx * y - by * x
        around += math.sqrt((x - bx) * (x - bx) + (y - by) * (y - by))
        before = c
    row[CIRCLE], row[CIRCLE + 1], row[CIRCLE + 2] = cx, cy, math.sqrt(radius)
    row[AREA] = 0.5 * twice + row[GROWN] * (around + math.pi * row[GROWN])
