"""The core of each convex shape, and its support function.

A sphere is a point and a radius, a capsule a segment and a radius: the methods run on the core,
and the radius is added to the answer, which is exact. All cores live in world axes, relative to
their body's own origin, so that large coordinates cancel before anything is computed.

A core's columns, by tag
    POINTS   up to CACHED_POINTS points (3 each), in world axes
    BOX      the three half edges (3 each), in world axes
    CYLINDER unit axis (3), half length, radius
    SPINE    as CYLINDER: the segment whose capsule just fits into the cylinder
    GENERAL  the rotation, row-major (9), the size (4), radius of a ball about the origin; the kind
             stands in the place of the number of points
    CLOUD    the rotation, row-major (9); the points stay in their own frame
    GROUPED  as CLOUD, for a table of four columns: rows with centre and radius of a ball about
             CLOUD_GROUP groups in a row, rows with those about CLOUD_GROUP points in a row, then
             the points
"""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.layout import BOX as KIND_BOX
from standoff.geometry.narrowphase.layout import CAPSULE, KIND, POINT0, SIZE, SPHERE, is_general
from standoff.geometry.narrowphase.layout import CYLINDER as KIND_CYLINDER
from standoff.geometry.narrowphase.layout import POINTS as COUNT
from standoff.geometry.narrowphase.scratch import (
    CACHED_POINTS,
    CORE_A,
    CORE_B,
    ICORE_A,
    ICORE_B,
    OFFSET,
)
from standoff.geometry.narrowphase.vectors import between, dot, load, plus, square, store
from standoff.tolerances import CAP_SINE, EPS, SMALLEST_LENGTH

#: Rounding of one support step in units of ``EPS`` times the sizes of both bodies and the distance
#: of their origins, [-]: two transforms, two subtractions and a dot product of three, each a few
#: half ulps, once for the point taken and once for the best of those passed over, together less
#: than 16; and twice ``HULL_OUTSIDE`` for the points that a hull leaves out.
GJK_ROUNDING = 32.0


POINTS = np.int64(0)
BOX = np.int64(1)
CYLINDER = np.int64(2)
CLOUD = np.int64(3)
SPINE = np.int64(4)
GROUPED = np.int64(5)
GENERAL = np.int64(6)

#: Points in a group of a GROUPED core, and groups in a cluster.
CLOUD_GROUP = 8


@kernel
def support_point(kind, size, x, y, z):
    """The point of a primitive, in its own frame, that is farthest along (x, y, z), which has
    length 1 for a sphere and a capsule and any for the others; the middle of them where an edge or
    a face lies level. ``size`` are the four size columns of its row."""
    radius, half = size[0], size[1]
    if kind == SPHERE:
        return radius * x, radius * y, radius * z
    if kind == CAPSULE:
        return radius * x, radius * y, radius * z + along(z, half)
    if kind == KIND_BOX:
        return along(x, size[0]), along(y, size[1]), along(z, size[2])
    across = math.sqrt(x * x + y * y)
    lean = radius / across if across > SMALLEST_LENGTH else 0.0
    return lean * x, lean * y, along(z, half)


@kernel
def along(x, half):
    """``half`` with the sign of ``x``, and 0 at 0."""
    if x > 0.0:
        return half
    return -half if x < 0.0 else 0.0


@kernel
def span_of_primitive(kind, size, x, y, z):
    """Least and largest height of a primitive along (x, y, z) in its own frame."""
    ax, ay, az = support_point(kind, size, -x, -y, -z)
    bx, by, bz = support_point(kind, size, x, y, z)
    return dot(x, y, z, ax, ay, az), dot(x, y, z, bx, by, bz)


@kernel
def box_of_primitive(kind, size, box, at):
    """The box around a primitive in its own frame, from column ``at``: half extents, then the
    centre."""
    for k in range(at, at + 3):
        x = 1.0 if k == at else 0.0
        y = 1.0 if k == at + 1 else 0.0
        z = 1.0 if k == at + 2 else 0.0
        low, high = span_of_primitive(kind, size, x, y, z)
        box[k], box[k + 3] = 0.5 * (high - low), 0.5 * (high + low)


@kernel
def size_of(rows, i):
    """The size columns of a row."""
    return rows[i, SIZE], rows[i, SIZE + 1], rows[i, SIZE + 2], rows[i, SIZE + 3]


@kernel
def prepare(bodies, i, work, base, iwork, ibase):
    """Write the core of body ``i``; returns the radius to add around it."""
    rows, refs, points = bodies.rows, bodies.refs, bodies.solids.points
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
    if is_general(kind):
        iwork[ibase], iwork[ibase + 1] = GENERAL, kind
        _prepare_general(kind, rows, i, work, base)
        return 0.0
    first = refs[i, POINT0]
    count = refs[i, COUNT]
    iwork[ibase + 1] = count
    iwork[ibase + 2] = first
    if count > CACHED_POINTS:
        iwork[ibase] = GROUPED if points.shape[1] == 4 else CLOUD
        _turn(rows, i, work, base)
        return 0.0
    for p in range(count):
        x, y, z = points[first + p, 0], points[first + p, 1], points[first + p, 2]
        for r in range(3):
            work[base + 3 * p + r] = (
                rows[i, 4 * r] * x + rows[i, 4 * r + 1] * y + rows[i, 4 * r + 2] * z
            )
    return 0.0


@kernel
def _turn(rows, i, work, base):
    """The rotation of a row, row-major."""
    for r in range(3):
        for c in range(3):
            work[base + 3 * r + c] = rows[i, 4 * r + c]


@kernel
def _prepare_general(kind, rows, i, work, base):
    """Rotation, size, and the radius of a ball about the origin that holds the box."""
    _turn(rows, i, work, base)
    for k in range(4):
        work[base + 9 + k] = rows[i, SIZE + k]
    box_of_primitive(kind, size_of(rows, i), work, base + 13)
    total = 0.0
    for k in range(base + 13, base + 16):
        total += (work[k] + abs(work[k + 3])) ** 2
    work[base + 13] = math.sqrt(total)


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
        store(work, at + 3 + 3 * side, px, py, pz)
    px, py, pz = plus(*between(work, at + 6, at + 3), 1.0, *load(work, OFFSET))
    store(work, at, px, py, pz)
    return dot(x, y, z, px, py, pz)


@kernel
def support(work, base, tag, count, first, points, x, y, z):
    """The point of the core farthest along (x, y, z); the first of several."""
    if tag == POINTS:
        best = base
        height = dot(x, y, z, *load(work, base))
        for p in range(base + 3, base + 3 * count, 3):
            h = dot(x, y, z, *load(work, p))
            if h > height:
                height = h
                best = p
        return load(work, best)
    if tag == BOX:
        px = 0.0
        py = 0.0
        pz = 0.0
        for c in range(base, base + 9, 3):
            cx, cy, cz = load(work, c)
            s = math.copysign(1.0, dot(x, y, z, cx, cy, cz))
            px, py, pz = plus(px, py, pz, s, cx, cy, cz)
        return px, py, pz
    if tag in (CLOUD, GROUPED):
        return _cloud(work, base, tag, first, count, points, x, y, z)
    if tag == CYLINDER:
        return _cylinder(work, base, x, y, z)
    if tag == GENERAL:
        return _general(work, base, count, x, y, z)
    half = work[base + 3] - min(work[base + 3], work[base + 4])
    ax, ay, az = load(work, base)
    half = math.copysign(half, dot(x, y, z, ax, ay, az))
    return half * ax, half * ay, half * az


@kernel
def _cylinder(work, base, x, y, z):
    ax, ay, az = load(work, base)
    along = dot(x, y, z, ax, ay, az)
    # Twice, so that the rest is square to the axis even where little is left of the direction.
    rx, ry, rz = square(*plus(x, y, z, -along, ax, ay, az), ax, ay, az)
    across = math.sqrt(dot(rx, ry, rz, rx, ry, rz))
    half = math.copysign(work[base + 3], along)
    # Along the axis the rest is rounding, in any direction, and the cap's centre is as far.
    scale = work[base + 4] / across if across > CAP_SINE * abs(along) else 0.0
    return plus(half * ax, half * ay, half * az, scale, rx, ry, rz)


@kernel
def _general(work, base, kind, x, y, z):
    ax, ay, az = load(work, base)
    bx, by, bz = load(work, base + 3)
    cx, cy, cz = load(work, base + 6)
    size = work[base + 9], work[base + 10], work[base + 11], work[base + 12]
    px, py, pz = support_point(
        kind, size, dot(ax, bx, cx, x, y, z), dot(ay, by, cy, x, y, z), dot(az, bz, cz, x, y, z)
    )
    return (
        dot(ax, ay, az, px, py, pz),
        dot(bx, by, bz, px, py, pz),
        dot(cx, cy, cz, px, py, pz),
    )


@kernel
def _cloud(work, base, tag, first, count, points, x, y, z):
    ax, ay, az = load(work, base)
    bx, by, bz = load(work, base + 3)
    cx, cy, cz = load(work, base + 6)
    lx = dot(ax, bx, cx, x, y, z)
    ly = dot(ay, by, cy, x, y, z)
    lz = dot(az, bz, cz, x, y, z)
    if tag == GROUPED:
        best = grouped(points, first, count, lx, ly, lz)
    else:
        best = farthest(points, first, count, lx, ly, lz)
    px, py, pz = points[best, 0], points[best, 1], points[best, 2]
    return (
        dot(ax, ay, az, px, py, pz),
        dot(bx, by, bz, px, py, pz),
        dot(cx, cy, cz, px, py, pz),
    )


@kernel
def farthest(points, first, count, x, y, z):
    """The row of the point farthest along (x, y, z), of ``count`` from row ``first`` on."""
    best, height = first, -math.inf
    for p in range(first, first + count):
        h = x * points[p, 0] + y * points[p, 1] + z * points[p, 2]
        if h > height:
            best, height = p, h
    return best


@kernel
def grouped(points, first, count, x, y, z):
    """The row of the point of a GROUPED core farthest along (x, y, z). A point of a ball about c of
    radius r is no farther than c . n + r |n|: the group with the greatest such bound comes first,
    of the cluster with the greatest one, and then few others can hold a farther point."""
    length = math.sqrt(x * x + y * y + z * z)
    groups = (count + CLOUD_GROUP - 1) // CLOUD_GROUP
    group0 = first + (groups + CLOUD_GROUP - 1) // CLOUD_GROUP
    start = group0 + groups
    guess = group0 + CLOUD_GROUP * (highest_ball(points, first, group0, x, y, z, length) - first)
    guess = highest_ball(points, guess, min(guess + CLOUD_GROUP, start), x, y, z, length)
    best, height = start, -math.inf
    for c in range(first - 1, group0):
        if c >= first and ball_top(points, c, x, y, z, length) <= height:
            continue
        g = group0 + CLOUD_GROUP * (c - first) if c >= first else guess
        last = min(g + CLOUD_GROUP, start) if c >= first else guess + 1
        for k in range(g, last):
            if (k == guess and c >= first) or ball_top(points, k, x, y, z, length) <= height:
                continue
            p = start + CLOUD_GROUP * (k - group0)
            for m in range(p, min(p + CLOUD_GROUP, start + count)):
                h = x * points[m, 0] + y * points[m, 1] + z * points[m, 2]
                if h > height:
                    best, height = m, h
    return best


@kernel
def ball_top(points, k, x, y, z, length):
    """How far the ball in row ``k`` reaches along (x, y, z), times the length of that."""
    return x * points[k, 0] + y * points[k, 1] + z * points[k, 2] + length * points[k, 3]


@kernel
def highest_ball(points, first, end, x, y, z, length):
    """The row, from ``first`` to before ``end``, of the ball that reaches farthest."""
    best, most = first, -math.inf
    for k in range(first, end):
        h = ball_top(points, k, x, y, z, length)
        if h > most:
            best, most = k, h
    return best


@kernel
def middle(work, base, iwork, ibase):
    """Some point well inside the core, to aim the first step at."""
    if iwork[ibase] != POINTS:
        return 0.0, 0.0, 0.0
    x = 0.0
    y = 0.0
    z = 0.0
    for p in range(base, base + 3 * iwork[ibase + 1], 3):
        x, y, z = plus(x, y, z, 1.0, *load(work, p))
    share = 1.0 / iwork[ibase + 1]
    return share * x, share * y, share * z


@kernel
def extent(work, base, iwork, ibase, points):
    """Radius of a ball about the body's origin that holds the core, [m]."""
    tag = iwork[ibase]
    largest = roundness(work, base, iwork, ibase)
    if largest > 0.0:
        return largest
    if tag == GROUPED:
        first = iwork[ibase + 2]
        each = CLOUD_GROUP * CLOUD_GROUP
        for p in range(first, first + (iwork[ibase + 1] + each - 1) // each):
            x, y, z = points[p, 0], points[p, 1], points[p, 2]
            largest = max(largest, math.sqrt(dot(x, y, z, x, y, z)) + points[p, 3])
        return largest
    if tag == CLOUD:
        for p in range(iwork[ibase + 2], iwork[ibase + 2] + iwork[ibase + 1]):
            x, y, z = points[p, 0], points[p, 1], points[p, 2]
            largest = max(largest, dot(x, y, z, x, y, z))
        return math.sqrt(largest)
    total = 0.0
    for p in range(base, base + 3 * (3 if tag == BOX else iwork[ibase + 1]), 3):
        x, y, z = load(work, p)
        square_length = dot(x, y, z, x, y, z)
        total += square_length
        largest = max(largest, square_length)
    # The corner of a box is the sum of its half edges, which are square to each other.
    return math.sqrt(total if tag == BOX else largest)


@kernel
def rounding_of(work, iwork, PA, PB, radii):
    """How far rounding may move a height of the two prepared cores, or the distance less
    ``radii``, [m]: all coordinates on the way count, also those that cancel in the end."""
    ox, oy, oz = load(work, OFFSET)
    scene = math.sqrt(dot(ox, oy, oz, ox, oy, oz)) + radii
    for side in range(2):
        scene += extent(
            work,
            CORE_A if side == 0 else CORE_B,
            iwork,
            ICORE_A if side == 0 else ICORE_B,
            PA if side == 0 else PB,
        )
    return GJK_ROUNDING * EPS * scene


@kernel
def roundness(work, base, iwork, ibase):
    """Radius of a ball about the origin that holds a curved core, 0 for one with corners only,
    [m]."""
    if iwork[ibase] == GENERAL:
        return work[base + 13]
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
def spined(iwork):
    """Whether the curved ones among the two cores are cylinders, in which a spine fits."""
    a, b = iwork[ICORE_A], iwork[ICORE_B]
    return (a == CYLINDER or b == CYLINDER) and a != GENERAL and b != GENERAL


@kernel
def exchange(iwork, old, new):
    """Look at all cores of tag ``old`` as ones of tag ``new``."""
    for i in (ICORE_A, ICORE_B):
        if iwork[i] == old:
            iwork[i] = new


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
