"""The volume of a union of capsules, and so what it costs to part a body by a plane and cover each
part by a capsule.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import ANY, Reals, Tables, Wholes, viewer
from standoff.geometry.kernels.capsule_fit import CAPSULE_RADIUS, fit, start_axis

#: Columns of ``ends``: both ends in the frame of the rays, then a chord from LOW to HIGH.
LOW, HIGH = 6, 7
ENDS_COLUMNS = 8

#: Column of a ball's height above the plane that parts the body.
HEIGHT = 4


@kernel
def _span(cx, cy, ends, k, r):
    """Where the line through (cx, cy) along z enters and leaves capsule ``k``; (inf, -inf) where it
    misses.

    A capsule is convex, so what its two balls and its cylinder cut out is one interval.
    """
    low = math.inf
    high = -math.inf
    for e in range(0, 6, 3):
        s = r * r - (cx - ends[k, e]) ** 2 - (cy - ends[k, e + 1]) ** 2
        if s > 0.0:
            s = math.sqrt(s)
            low = min(low, ends[k, e + 2] - s)
            high = max(high, ends[k, e + 2] + s)
    ux = ends[k, 3] - ends[k, 0]
    uy = ends[k, 4] - ends[k, 1]
    uz = ends[k, 5] - ends[k, 2]
    uu = ux * ux + uy * uy + uz * uz
    across = ux * ux + uy * uy
    if across > 0.0:
        # |w - (w.u) u / uu|² = r² with w = (wx, wy, s): a quadratic in the height s.
        wx = cx - ends[k, 0]
        wy = cy - ends[k, 1]
        m = wx * ux + wy * uy
        a = across / uu
        b = -m * uz / uu
        q = b * b - a * (wx * wx + wy * wy - m * m / uu - r * r)
        if q > 0.0:
            q = math.sqrt(q)
            for sign in (-1.0, 1.0):
                s = (sign * q - b) / a
                t = m + s * uz
                if 0.0 <= t <= uu:
                    low = min(low, s + ends[k, 2])
                    high = max(high, s + ends[k, 2])
    return low, high


@entry("float64(float64[:, ::1], float64[:, ::1], int64, float64[:, ::1])")
def union_volume(capsules, frame, grid, ends):
    """Volume of the union of capsules: the length of the union of chords, exact on each ray, summed
    over ``grid`` x ``grid`` rays along the last row of an orthonormal ``frame``. The closer that is
    to all axes' perpendicular the better: a ray along an axis sees the chord jump from 0.

    ``ends`` is scratch, a row for each capsule.
    """
    count = capsules.shape[0]
    x0, x1, y0, y1 = math.inf, -math.inf, math.inf, -math.inf
    for k in range(count):
        r = capsules[k, CAPSULE_RADIUS]
        for e in range(0, 6, 3):
            for c in range(3):
                ends[k, e + c] = (
                    capsules[k, e] * frame[c, 0]
                    + capsules[k, e + 1] * frame[c, 1]
                    + capsules[k, e + 2] * frame[c, 2]
                )
            x0 = min(x0, ends[k, e] - r)
            x1 = max(x1, ends[k, e] + r)
            y0 = min(y0, ends[k, e + 1] - r)
            y1 = max(y1, ends[k, e + 1] + r)
    dx = (x1 - x0) / grid
    dy = (y1 - y0) / grid
    total = 0.0
    for i in range(grid):
        cx = x0 + (i + 0.5) * dx
        for j in range(grid):
            cy = y0 + (j + 0.5) * dy
            m = 0
            for k in range(count):
                low, high = _span(cx, cy, ends, k, capsules[k, CAPSULE_RADIUS])
                if low < high:
                    at = m
                    while at > 0 and ends[at - 1, LOW] > low:
                        ends[at, LOW], ends[at, HIGH] = ends[at - 1, LOW], ends[at - 1, HIGH]
                        at -= 1
                    ends[at, LOW], ends[at, HIGH] = low, high
                    m += 1
            reached = -math.inf
            for at in range(m):
                if ends[at, HIGH] > reached:
                    total += ends[at, HIGH] - max(reached, ends[at, LOW])
                    reached = ends[at, HIGH]
    return total * dx * dy


@kernel
def _clip(points, edges, plane, side, out):
    """The balls of a body on one side of a plane (normal, offset), those that its edges cut off
    included; their number."""
    n = 0
    for i in range(points.shape[0]):
        h = points[i, 0] * plane[0] + points[i, 1] * plane[1] + points[i, 2] * plane[2] - plane[3]
        points[i, HEIGHT] = h * side
        if h * side >= 0.0:
            for c in range(4):
                out[n, c] = points[i, c]
            n += 1
    for e in range(edges.shape[0]):
        i, j = edges[e, 0], edges[e, 1]
        hi, hj = points[i, HEIGHT], points[j, HEIGHT]
        if (hi < 0.0 and hj > 0.0) or (hi > 0.0 and hj < 0.0):
            t = hi / (hi - hj)
            for c in range(4):
                out[n, c] = points[i, c] + t * (points[j, c] - points[i, c])
            n += 1
    return n


class Parting(Tables):
    """A body of balls that planes part, and what else its union of capsules has."""

    balls = Reals(5, "centre, radius, and room for a height above the plane")
    edges = Wholes(2, "pairs of balls")
    capsules = Reals(7, "ends and radius; the first two are those of the parts")
    frame = Reals(3, "orthonormal; rays run along the last row")
    piece = Reals(4, "balls of one part: room for all balls and edges")
    ends = Reals(ENDS_COLUMNS, "a row for each capsule")
    work = Reals(ANY, "of `fit`")
    scratch = Reals(ANY, "of `fit`")


_parting_at = viewer(Parting)


@entry("float64(int64, float64[::1], float64[::1], int64, float64, int64)")
def split_volume(parting, plane, sharpness, iterations, tolerance, grid):
    """Part a body by a plane and fit a capsule to each part; the volume of the union of all
    capsules. Infinite where one side is empty."""
    body = _parting_at(parting)
    piece, capsules = body.piece, body.capsules
    for side in range(2):
        n = _clip(body.balls, body.edges, plane, 1.0 - 2.0 * side, piece)
        if n == 0:
            return np.inf
        start_axis(piece, n, capsules[side])
        capsules[side, CAPSULE_RADIUS] = fit(
            piece, n, capsules[side], sharpness, iterations, tolerance, body.work, body.scratch
        )
    return union_volume(capsules, body.frame, grid, body.ends)
