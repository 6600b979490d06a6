"""The core of each convex shape, and its support function.

A sphere is a point and a radius, a capsule a segment and a radius: the methods run on the core,
and the radius is added to the answer, which is exact. All cores live in world axes, relative to
their body's own origin, so that large coordinates cancel before anything is computed.

A core's columns, by tag
    POINTS   up to CACHED_POINTS points (3 each), in world axes
    BOX      the three half edges (3 each), in world axes
    CYLINDER unit axis (3), half length, radius
    SPINE    as CYLINDER: the segment whose capsule just fits into the cylinder
    CLOUD    the rotation, row-major (9); the points stay in their own frame
"""

from __future__ import annotations

import math

from standoff.kernels.convex.scratch import (
    CACHED_POINTS,
    CORE_A,
    CORE_B,
    ICORE_A,
    ICORE_B,
    OFFSET,
)
from standoff.kernels.jit import kernel
from standoff.kernels.layout import (
    BOX as KIND_BOX,
)
from standoff.kernels.layout import (
    CAPSULE,
    KIND,
    POINT0,
    SIZE,
    SPHERE,
)
from standoff.kernels.layout import (
    CYLINDER as KIND_CYLINDER,
)
from standoff.kernels.layout import (
    POINTS as COUNT,
)

POINTS = 0
BOX = 1
CYLINDER = 2
CLOUD = 3
SPINE = 4


@kernel
def prepare(rows, refs, i, points, work, base, iwork, ibase):
    """Write the core of body ``i``; returns the radius to add around it."""
    kind = refs[i, KIND]
    iwork[ibase] = POINTS
    iwork[ibase + 1] = 1
    iwork[ibase + 2] = 0
    if kind == SPHERE:
        for r in range(3):
            work[base + r] = 0.0
        return rows[i, SIZE]
    if kind == CAPSULE:
        iwork[ibase + 1] = 2
        half = rows[i, SIZE + 1]
        for r in range(3):
            work[base + r] = -half * rows[i, 4 * r + 2]
            work[base + 3 + r] = half * rows[i, 4 * r + 2]
        return rows[i, SIZE]
    if kind == KIND_BOX:
        iwork[ibase] = BOX
        for c in range(3):
            for r in range(3):
                work[base + 3 * c + r] = rows[i, SIZE + c] * rows[i, 4 * r + c]
        return 0.0
    if kind == KIND_CYLINDER:
        iwork[ibase] = CYLINDER
        x, y, z = rows[i, 2], rows[i, 6], rows[i, 10]
        scale = 1.0 / math.sqrt(x * x + y * y + z * z)
        work[base] = scale * x
        work[base + 1] = scale * y
        work[base + 2] = scale * z
        work[base + 3] = rows[i, SIZE + 1]
        work[base + 4] = rows[i, SIZE]
        return 0.0
    first = refs[i, POINT0]
    count = refs[i, COUNT]
    iwork[ibase + 1] = count
    iwork[ibase + 2] = first
    if count > CACHED_POINTS:
        iwork[ibase] = CLOUD
        for r in range(3):
            for c in range(3):
                work[base + 3 * r + c] = rows[i, 4 * r + c]
        return 0.0
    for p in range(count):
        x, y, z = points[first + p, 0], points[first + p, 1], points[first + p, 2]
        for r in range(3):
            work[base + 3 * p + r] = (
                rows[i, 4 * r] * x + rows[i, 4 * r + 1] * y + rows[i, 4 * r + 2] * z
            )
    return 0.0


@kernel
def probe(work, iwork, PA, PB, at, x, y, z):
    """The farthest ``a - b`` of the two cores along (x, y, z), with its a and b, into the nine
    columns from ``at`` on; returns its height n . (a - b)."""
    # A loop, so that the support functions are compiled once for each place that probes.
    for side in range(2):
        first = side == 0
        i = ICORE_A if first else ICORE_B
        s = 1.0 if first else -1.0
        px, py, pz = support(
            work,
            CORE_A if first else CORE_B,
            iwork[i],
            iwork[i + 1],
            iwork[i + 2],
            PA if first else PB,
            s * x,
            s * y,
            s * z,
        )
        work[at + 3 + 3 * side] = px
        work[at + 4 + 3 * side] = py
        work[at + 5 + 3 * side] = pz
    work[at] = work[at + 3] - work[at + 6] + work[OFFSET]
    work[at + 1] = work[at + 4] - work[at + 7] + work[OFFSET + 1]
    work[at + 2] = work[at + 5] - work[at + 8] + work[OFFSET + 2]
    return x * work[at] + y * work[at + 1] + z * work[at + 2]


@kernel
def support(work, base, tag, count, first, points, x, y, z):
    """The point of the core farthest along (x, y, z); the first of several."""
    if tag == POINTS:
        best = base
        height = x * work[base] + y * work[base + 1] + z * work[base + 2]
        for p in range(base + 3, base + 3 * count, 3):
            h = x * work[p] + y * work[p + 1] + z * work[p + 2]
            if h > height:
                height = h
                best = p
        return work[best], work[best + 1], work[best + 2]
    if tag == BOX:
        px = 0.0
        py = 0.0
        pz = 0.0
        for c in range(base, base + 9, 3):
            s = math.copysign(1.0, x * work[c] + y * work[c + 1] + z * work[c + 2])
            px += s * work[c]
            py += s * work[c + 1]
            pz += s * work[c + 2]
        return px, py, pz
    if tag == CLOUD:
        return _cloud(work, base, first, count, points, x, y, z)
    if tag == CYLINDER:
        return _cylinder(work, base, x, y, z)
    half = work[base + 3] - min(work[base + 3], work[base + 4])
    half = math.copysign(half, x * work[base] + y * work[base + 1] + z * work[base + 2])
    return half * work[base], half * work[base + 1], half * work[base + 2]


@kernel
def _cylinder(work, base, x, y, z):
    ax, ay, az = work[base], work[base + 1], work[base + 2]
    along = x * ax + y * ay + z * az
    rx, ry, rz = x - along * ax, y - along * ay, z - along * az
    # Once more: what is left of a direction along the axis is rounding, and may point along it.
    again = rx * ax + ry * ay + rz * az
    rx, ry, rz = rx - again * ax, ry - again * ay, rz - again * az
    across = math.sqrt(rx * rx + ry * ry + rz * rz)
    half = math.copysign(work[base + 3], along)
    if across == 0.0:
        return half * ax, half * ay, half * az
    scale = work[base + 4] / across
    return half * ax + scale * rx, half * ay + scale * ry, half * az + scale * rz


@kernel
def _cloud(work, base, first, count, points, x, y, z):
    lx = work[base] * x + work[base + 3] * y + work[base + 6] * z
    ly = work[base + 1] * x + work[base + 4] * y + work[base + 7] * z
    lz = work[base + 2] * x + work[base + 5] * y + work[base + 8] * z
    best = first
    height = lx * points[first, 0] + ly * points[first, 1] + lz * points[first, 2]
    for p in range(first + 1, first + count):
        h = lx * points[p, 0] + ly * points[p, 1] + lz * points[p, 2]
        if h > height:
            height = h
            best = p
    px, py, pz = points[best, 0], points[best, 1], points[best, 2]
    return (
        work[base] * px + work[base + 1] * py + work[base + 2] * pz,
        work[base + 3] * px + work[base + 4] * py + work[base + 5] * pz,
        work[base + 6] * px + work[base + 7] * py + work[base + 8] * pz,
    )


@kernel
def middle(work, base, iwork, ibase):
    """Some point well inside the core, to aim the first step at."""
    if iwork[ibase] != POINTS:
        return 0.0, 0.0, 0.0
    x = 0.0
    y = 0.0
    z = 0.0
    for p in range(base, base + 3 * iwork[ibase + 1], 3):
        x += work[p]
        y += work[p + 1]
        z += work[p + 2]
    share = 1.0 / iwork[ibase + 1]
    return share * x, share * y, share * z


@kernel
def roundness(work, base, iwork, ibase):
    """Size of a curved core, 0 for one with corners only, [m]."""
    if iwork[ibase] == CYLINDER or iwork[ibase] == SPINE:
        return work[base + 3] + work[base + 4]
    return 0.0


@kernel
def inscribed(work, base, iwork, ibase):
    """Radius of the capsule around a spine, 0 for every other core, [m]."""
    if iwork[ibase] == SPINE:
        return min(work[base + 3], work[base + 4])
    return 0.0


@kernel
def exchange(iwork, ibase, old, new):
    """Look at a core of tag ``old`` as one of tag ``new``."""
    if iwork[ibase] == old:
        iwork[ibase] = new


@kernel
def across(x, y, z):
    """A unit vector square to a given one: against the axis it leans on least."""
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        s = 1.0 / math.sqrt(y * y + z * z)
        return 0.0, -s * z, s * y
    if abs(y) <= abs(z):
        s = 1.0 / math.sqrt(x * x + z * z)
        return s * z, 0.0, -s * x
    s = 1.0 / math.sqrt(x * x + y * y)
    return -s * y, s * x, 0.0
