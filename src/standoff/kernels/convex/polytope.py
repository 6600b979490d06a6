"""A convex polytope of triangles that grows by one vertex at a time, in the scratch arrays."""

from __future__ import annotations

import math

from standoff.constants import SIMPLEX_FLATNESS
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
from standoff.kernels.jit import kernel

#: States of a face.
GONE = 0
PRESENT = 1
SEEN = 2
#: Too thin for a normal: it counts as seen by every vertex, and is never the nearest.
THIN = 3

#: Returned by `grow` where rounding left no clean horizon.
TORN = -1


@kernel
def tetrahedron(work, iwork):
    """Faces of the first four vertices, outward."""
    v = VERTICES
    ux, uy, uz = work[v + 9] - work[v], work[v + 10] - work[v + 1], work[v + 11] - work[v + 2]
    vx, vy, vz = work[v + 18] - work[v], work[v + 19] - work[v + 1], work[v + 20] - work[v + 2]
    sx, sy, sz = work[v + 27] - work[v], work[v + 28] - work[v + 1], work[v + 29] - work[v + 2]
    volume = (uy * vz - uz * vy) * sx + (uz * vx - ux * vz) * sy + (ux * vy - uy * vx) * sz
    # Face k leaves out vertex 3 - k; the mirror image swaps the vertices 0 and 1 throughout.
    p, q = (0, 1) if volume < 0.0 else (1, 0)
    _set(iwork, 0, p, q, 2, 1, 3, 2)
    _set(iwork, 1, q, p, 3, 0, 2, 3)
    _set(iwork, 2, p, 2, 3, 0, 3, 1)
    _set(iwork, 3, 2, q, 3, 0, 1, 2)
    for f in range(4):
        _plane(work, iwork, f)


@kernel
def _set(iwork, f, a, b, c, ab, bc, ca):
    p = FACES + 7 * f
    iwork[p] = a
    iwork[p + 1] = b
    iwork[p + 2] = c
    iwork[p + 3] = ab
    iwork[p + 4] = bc
    iwork[p + 5] = ca
    iwork[p + 6] = PRESENT


@kernel
def _plane(work, iwork, f):
    """Outward normal and distance of a face, or the mark of one that has none."""
    p = FACES + 7 * f
    a = VERTICES + 9 * iwork[p]
    b = VERTICES + 9 * iwork[p + 1]
    c = VERTICES + 9 * iwork[p + 2]
    ux, uy, uz = work[b] - work[a], work[b + 1] - work[a + 1], work[b + 2] - work[a + 2]
    vx, vy, vz = work[c] - work[a], work[c + 1] - work[a + 1], work[c + 2] - work[a + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    at = PLANES + 4 * f
    if nn <= SIMPLEX_FLATNESS * SIMPLEX_FLATNESS * uu * vv:
        iwork[p + 6] = THIN
        work[at + 3] = math.inf
        return
    # Square to the longer edge: a sliver's cross product is off along it.
    if uu > vv:
        s = (nx * ux + ny * uy + nz * uz) / uu
        nx, ny, nz = nx - s * ux, ny - s * uy, nz - s * uz
    else:
        s = (nx * vx + ny * vy + nz * vz) / vv
        nx, ny, nz = nx - s * vx, ny - s * vy, nz - s * vz
    s = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
    work[at] = s * nx
    work[at + 1] = s * ny
    work[at + 2] = s * nz
    work[at + 3] = s * (nx * work[a] + ny * work[a + 1] + nz * work[a + 2])


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
    x, y, z = work[p], work[p + 1], work[p + 2]
    seen = 1
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
                state == PRESENT
                and work[at] * x + work[at + 1] * y + work[at + 2] * z - work[at + 3] > margin
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
