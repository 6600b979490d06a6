"""A convex polytope of triangles that grows by one vertex at a time, in the scratch arrays."""

from __future__ import annotations

import math

import numpy as np

from standoff.kernels.convex.scratch import (
    FACES,
    HORIZON,
    MAX_FACES,
    PLANES,
    SPARE,
    STARTS,
    VERTICES,
    VISIBLE,
)
from standoff.kernels.convex.simplex import normal
from standoff.kernels.jit import kernel
from standoff.kernels.vectors import between, cross, dot, load, store

#: States of a face.
GONE = 0
PRESENT = 1
SEEN = 2
#: Too thin for a normal: it counts as seen by every vertex, and is never the nearest.
THIN = 3

#: Faces of a tetrahedron whose vertex 3 is below the face 0, 1, 2: vertices, faces beyond, state.
_TETRAHEDRON = (
    (0, 1, 2, 1, 3, 2, PRESENT),
    (1, 0, 3, 0, 2, 3, PRESENT),
    (0, 2, 3, 0, 3, 1, PRESENT),
    (2, 1, 3, 0, 1, 2, PRESENT),
)

#: Returned by `grow` where rounding left no clean horizon.
TORN = -1


@kernel
def tetrahedron(work, iwork):
    """Faces of the first four vertices, outward."""
    v = VERTICES
    nx, ny, nz = cross(*between(work, v, v + 9), *between(work, v, v + 18))
    volume = dot(nx, ny, nz, *between(work, v, v + 27))
    for f in range(4):
        for k in range(7):
            entry = _TETRAHEDRON[f][k]
            # The mirror image swaps the vertices 0 and 1 throughout.
            if k < 3 and entry < 2 and volume >= 0.0:
                entry = 1 - entry
            iwork[FACES + 7 * f + k] = entry
        _plane(work, iwork, f)


@kernel
def _plane(work, iwork, f):
    """Outward normal and distance of a face, or the mark of one that has none."""
    p = FACES + 7 * f
    a = VERTICES + 9 * iwork[p]
    b = VERTICES + 9 * iwork[p + 1]
    c = VERTICES + 9 * iwork[p + 2]
    at = PLANES + 4 * f
    nx, ny, nz = normal(work, a, b, c)
    length = math.sqrt(dot(nx, ny, nz, nx, ny, nz))
    if length == 0.0:
        iwork[p + 6] = THIN
        work[at + 3] = math.inf
        return
    nx, ny, nz = nx / length, ny / length, nz / length
    store(work, at, nx, ny, nz)
    work[at + 3] = dot(nx, ny, nz, *load(work, a))


@kernel
def nearest_face(work, iwork, faces):
    """The face whose plane lies least far out from the origin, -1 where none has a plane."""
    best = -1
    least = math.inf
    for f in range(faces):
        if iwork[FACES + 7 * f + 6] == PRESENT and work[PLANES + 4 * f + 3] < least:
            least = work[PLANES + 4 * f + 3]
            best = f
    return best


@kernel
def grow(work, iwork, vertex, seed, faces, spare, margin):
    """Replace what ``vertex`` sees, from face ``seed`` on, by a fan of faces to the horizon.

    A face is seen from more than ``margin`` above its plane. Returns the number of faces and of
    spare ones, or TORN twice, and then nothing is changed."""
    p = VERTICES + 9 * vertex
    x, y, z = load(work, p)
    seen = np.int64(1)
    iwork[VISIBLE] = seed
    iwork[FACES + 7 * seed + 6] = SEEN
    head = 0
    while head < seen:
        f = FACES + 7 * iwork[VISIBLE + head]
        head += 1
        for k in range(3):
            g = iwork[f + 3 + k]
            state = iwork[FACES + 7 * g + 6]
            at = PLANES + 4 * g
            if state == THIN or (
                state == PRESENT and dot(x, y, z, *load(work, at)) - work[at + 3] > margin
            ):
                iwork[FACES + 7 * g + 6] = SEEN
                iwork[VISIBLE + seen] = g
                seen += 1
    edges = _horizon(iwork, vertex, seen)
    needed = edges - seen - spare
    if edges < 3 or faces + needed > MAX_FACES:
        for i in range(seen):
            g = iwork[VISIBLE + i]
            iwork[FACES + 7 * g + 6] = PRESENT if work[PLANES + 4 * g + 3] < math.inf else THIN
        return TORN, TORN
    for i in range(seen):
        iwork[FACES + 7 * iwork[VISIBLE + i] + 6] = GONE
        iwork[SPARE + spare] = iwork[VISIBLE + i]
        spare += 1
    # VISIBLE is free now and takes the new face of each edge of the horizon.
    for e in range(edges):
        if spare > 0:
            spare -= 1
            iwork[VISIBLE + e] = iwork[SPARE + spare]
        else:
            iwork[VISIBLE + e] = faces
            faces += 1
    for e in range(edges):
        start = iwork[HORIZON + 3 * e]
        end = iwork[HORIZON + 3 * e + 1]
        beyond = iwork[HORIZON + 3 * e + 2]
        f = iwork[VISIBLE + e]
        q = FACES + 7 * f
        iwork[q] = start
        iwork[q + 1] = end
        iwork[q + 2] = vertex
        iwork[q + 3] = beyond
        following = iwork[VISIBLE + iwork[STARTS + end]]
        iwork[q + 4] = following
        iwork[FACES + 7 * following + 5] = f
        iwork[q + 6] = PRESENT
        b = FACES + 7 * beyond
        for k in range(3):
            if iwork[b + k] == end:
                iwork[b + 3 + k] = f
        _plane(work, iwork, f)
    return faces, spare


@kernel
def _horizon(iwork, vertex, seen):
    """Edges between the seen faces and the rest; 0 unless they form one closed loop."""
    for v in range(vertex):
        iwork[STARTS + v] = -1
    edges = 0
    for i in range(seen):
        f = FACES + 7 * iwork[VISIBLE + i]
        for k in range(3):
            g = iwork[f + 3 + k]
            if iwork[FACES + 7 * g + 6] != SEEN:
                start = iwork[f + k]
                if iwork[STARTS + start] >= 0:
                    return 0
                iwork[STARTS + start] = edges
                iwork[HORIZON + 3 * edges] = start
                iwork[HORIZON + 3 * edges + 1] = iwork[f + (k + 1) % 3]
                iwork[HORIZON + 3 * edges + 2] = g
                edges += 1
    if edges == 0:
        return 0
    length = 1
    e = iwork[STARTS + iwork[HORIZON + 1]]
    while e > 0:
        length += 1
        e = iwork[STARTS + iwork[HORIZON + 3 * e + 1]]
    return edges if e == 0 and length == edges else 0
