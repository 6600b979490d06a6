"""Second looks at a triangulated surface: what is outside a convex one, which corners it can spare,
and whether a closed one is that of a convex body.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.jit import allocating, entry
from standoff.geometry.kernels.hull import THIN, height_above, plane
from standoff.geometry.narrowphase.gjk import BEYOND, gjk
from standoff.geometry.narrowphase.scratch import (
    CORE_B,
    ICORE_A,
    ICORE_B,
    IWORK,
    R_DISTANCE,
    R_ROUNDING,
    WORK,
)
from standoff.geometry.narrowphase.support import CLOUD, POINTS, rounding_of
from standoff.geometry.narrowphase.vectors import cross, dot, minus, plus, point


@entry("Tuple((float64, int64, int64))(float64[:,::1], int64[:,::1], float64[:,::1])", allocating)
def farthest_outside(corners, faces, points):
    """How far any of ``points`` lies above the plane of a face, in the worst case, [m], with the
    point and the face; 0, -1, -1 where all are behind all faces. ``faces`` index ``corners``."""
    planes = np.empty((len(faces), 4))
    state = np.zeros(len(faces), np.int64)
    cx, cy, cz = 0.0, 0.0, 0.0
    for f in range(len(faces)):
        plane(corners, faces, planes, state, f)
        for k in range(3):
            cx, cy, cz = plus(cx, cy, cz, 1.0, *point(corners, faces[f, k]))
    share = 1.0 / (3.0 * len(faces))
    cx, cy, cz = share * cx, share * cy, share * cz
    # The ball about the centre that is behind all planes needs no second look.
    inner = math.inf
    for f in range(len(faces)):
        if state[f] != THIN:
            deep = planes[f, 3] - planes[f, 0] * cx - planes[f, 1] * cy - planes[f, 2] * cz
            inner = min(inner, deep)
    worst, farthest, face = 0.0, -1, -1
    for p in range(len(points)):
        x, y, z = minus(*point(points, p), cx, cy, cz)
        if inner > 0.0 and x * x + y * y + z * z < inner * inner:
            continue
        for f in range(len(faces)):
            if state[f] != THIN and height_above(points, planes, f, p) > worst:
                worst, farthest, face = height_above(points, planes, f, p), p, f
    return worst, farthest, face


@entry("int64(float64[:,::1], int64[:,::1], float64, int64[::1])", allocating)
def superfluous(corners, faces, tolerance, keep):
    """Mark with 0 in ``keep`` the corners that lie within ``tolerance`` of the hull of their
    neighbours, no two of them neighbours themselves; returns how many."""
    n = len(corners)
    ends = np.zeros(n + 1, np.int64)
    for f in range(len(faces)):
        for k in range(3):
            ends[faces[f, k] + 1] += 1
    most = 0
    for v in range(n):
        most = max(most, ends[v + 1])
        ends[v + 1] += ends[v]
    # Each edge is met once in either direction, so each corner gets each neighbour once.
    filled = ends[:n].copy()
    neighbours = np.empty(3 * len(faces), np.int64)
    for f in range(len(faces)):
        for k in range(3):
            v = faces[f, k]
            neighbours[filled[v]] = faces[f, (k + 1) % 3]
            filled[v] += 1
    work = np.zeros(WORK)
    iwork = np.zeros(IWORK, np.int64)
    ring = np.empty((most, 3))
    iwork[ICORE_A] = POINTS
    iwork[ICORE_A + 1] = 1
    iwork[ICORE_B] = CLOUD
    for k in range(3):
        work[CORE_B + 4 * k] = 1.0
    keep[:] = 1
    dropped = 0
    for v in range(n):
        free = True
        for e in range(ends[v], ends[v + 1]):
            u = neighbours[e]
            free = free and keep[u] == 1
            for k in range(3):
                ring[e - ends[v], k] = corners[u, k] - corners[v, k]
        if not free:
            continue
        iwork[ICORE_B + 1] = ends[v + 1] - ends[v]
        work[R_ROUNDING] = rounding_of(work, iwork, ring, ring, 0.0)
        status = gjk(work, iwork, ring, ring, tolerance, 0.0, False)
        if status != BEYOND and work[R_DISTANCE] <= tolerance:
            keep[v] = 0
            dropped += 1
    return dropped


@entry("boolean(float64[:, ::1], int64[:, ::1], float64)")
def below_all_faces(points, faces, tolerance):
    """Whether no point stands out of the plane of any face by more than ``tolerance`` [m]. Faces
    without a normal are passed over. Faces times points; the first point out ends it."""
    for f in range(len(faces)):
        a = point(points, faces[f, 0])
        u, v = minus(*point(points, faces[f, 1]), *a), minus(*point(points, faces[f, 2]), *a)
        n = cross(*u, *v)
        limit = tolerance * math.sqrt(dot(*n, *n))
        if limit == 0.0:
            continue
        offset = dot(*n, *a) + limit
        for p in range(len(points)):
            if dot(*n, *point(points, p)) > offset:
                return False
    return True
