"""Any two of sphere, capsule, box, cylinder and polyhedron, by support functions.

A polyhedron may be a point, a segment, a triangle or flat. Separated pairs are answered by GJK
with its duality gap as slack, overlapping ones by the expanding polytope with minus the
penetration depth.

A cylinder holds a capsule along its axis. The distance of such capsules is found on segments, in
a few exact steps, and is an upper bound of the distance of the cylinders; one probe of the
cylinders along the same normal gives a lower bound. Where a side is nearest the two agree, and it
is just there that a ring of equally deep directions would keep the polytope busy.

A cylinder against a point, or against a segment or a cylinder along its own axis, has a closed form
(`parallel`): all differences of points of the two form one cylinder again, with the sum of the
radii and the sum of the half lengths. What is left is a point, one centre seen from the other,
against that cylinder.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.epa import PROVED, expand, refine
from standoff.geometry.narrowphase.gjk import BEYOND, OVERLAP, SEPARATED, STALLED, gjk
from standoff.geometry.narrowphase.layout import DISTANCE, NORMAL, POINT_A, POINT_B, SLACK
from standoff.geometry.narrowphase.scratch import (
    CORE_A,
    CORE_B,
    ICORE_A,
    ICORE_B,
    OFFSET,
    R_DISTANCE,
    R_LOWER,
    R_NORMAL,
    R_POINT_A,
    R_POINT_B,
    R_ROUNDING,
    RESULT,
    SAVED,
    VERTICES,
)
from standoff.geometry.narrowphase.support import (
    CYLINDER,
    POINTS,
    SPINE,
    across,
    exchange,
    inscribed,
    prepare,
    probe,
    rounding_of,
    roundness,
    spined,
)
from standoff.geometry.narrowphase.vectors import dot, load, plus, square, store
from standoff.tolerances import CAP_SINE, GJK_STALL, GJK_TOLERANCE

#: The expanding polytope stops when the depth along the normal of its nearest face exceeds the
#: distance of that face by less than this part of the cylinders' size, [-]. Polytopes end exactly.
EPA_TOLERANCE = 1e-9


#: Return codes of the pair kernels.
CONVERGED = 0
DOUBTFUL = 1
FARTHER = 2


@kernel
def convex_pair(A, i, B, j, scratch, out, k):
    """Signed distance of two convex bodies into row ``k``; 0 when it is proved.

    1 means that the steps ran out or rounding forbade further ones: the value is then the proved
    lower bound, and the witness points may be farther apart than it says."""
    return convex_pair_within(A, i, B, j, math.inf, scratch, out, k)


@kernel
def convex_pair_within(A, i, B, j, limit, scratch, out, k):
    """As `convex_pair`, but stops with code 2 once the distance is proved to exceed ``limit``
    [m]; the value is then a lower bound of the distance, above ``limit``, and the witness points
    are points of the bodies, but not the nearest."""
    work, iwork, PA, PB = scratch.work, scratch.iwork, A.solids.points, B.solids.points
    ra = prepare(A, i, work, CORE_A, iwork, ICORE_A)
    rb = prepare(B, j, work, CORE_B, iwork, ICORE_B)
    for r in range(3):
        work[OFFSET + r] = A.rows[i, 4 * r + 3] - B.rows[j, 4 * r + 3]
    work[R_ROUNDING] = rounding_of(work, iwork, PA, PB, ra + rb)
    size = roundness(work, CORE_A, iwork, ICORE_A) + roundness(work, CORE_B, iwork, ICORE_B)
    status = STALLED
    first = 1
    if spined(iwork):
        first = 0
        if parallel(work, iwork, GJK_TOLERANCE * size):
            status = SEPARATED
            first = 2
    # Two rounds in one loop, so that each method is compiled in once.
    for attempt in range(first, 2):
        inner = attempt == 0
        if inner:
            exchange(iwork, CYLINDER, SPINE)
        bound = math.inf if inner else limit + ra + rb
        curvature = 0.0 if inner else size
        status = gjk(work, iwork, PA, PB, bound, GJK_TOLERANCE * curvature, attempt > first)
        if status in (STALLED, OVERLAP):
            status = _in_contact(work, iwork, PA, PB, status, curvature)
        if inner and _fits(work, iwork, PA, PB, GJK_TOLERANCE * size):
            status = SEPARATED
            break
    value = work[R_DISTANCE] if status == SEPARATED else work[R_LOWER]
    out[k, DISTANCE] = value - ra - rb
    for r in range(3):
        n = work[R_NORMAL + r]
        out[k, POINT_A + r] = A.rows[i, 4 * r + 3] + (work[R_POINT_A + r] - ra * n)
        out[k, POINT_B + r] = B.rows[j, 4 * r + 3] + (work[R_POINT_B + r] + rb * n)
        out[k, NORMAL + r] = n
    out[k, SLACK] = max(value - work[R_LOWER], 0.0) + work[R_ROUNDING]
    return _code(status)


@kernel
def _code(status):
    if status == SEPARATED:
        return CONVERGED
    return FARTHER if status == BEYOND else DOUBTFUL


@kernel
def _in_contact(work, iwork, PA, PB, status, curvature):
    """The polytope's answer where GJK found an overlap or stalled: SEPARATED where it is proved."""
    for r in range(SAVED - RESULT):
        work[SAVED + r] = work[RESULT + r]
    proof = expand(work, iwork, PA, PB, EPA_TOLERANCE * curvature)
    if status == STALLED and not (proof == PROVED and work[R_DISTANCE] <= 0.0):
        return _best(work, GJK_TOLERANCE * curvature)
    if proof == PROVED:
        return SEPARATED
    refine(work, iwork, PA, PB, GJK_TOLERANCE * curvature)
    return STALLED


@kernel
def _best(work, tolerance):
    """GJK stalled, so nearly touching, and the polytope is the second opinion. Of the two answers
    the greater lower bound with its normal, and the points that are nearer to each other."""
    saved = SAVED - RESULT
    if work[saved + R_LOWER] > work[R_LOWER]:
        work[R_LOWER] = work[saved + R_LOWER]
        for r in range(3):
            work[R_NORMAL + r] = work[saved + R_NORMAL + r]
    square = 0.0
    for r in range(3):
        square += (work[R_POINT_A + r] - work[R_POINT_B + r] + work[OFFSET + r]) ** 2
    work[R_DISTANCE] = math.sqrt(square)
    if work[saved + R_DISTANCE] < work[R_DISTANCE]:
        work[R_DISTANCE] = work[saved + R_DISTANCE]
        for r in range(6):
            work[R_POINT_A + r] = work[saved + R_POINT_A + r]
    gap = work[R_DISTANCE] - work[R_LOWER]
    return SEPARATED if gap <= tolerance + GJK_STALL * work[R_ROUNDING] else STALLED


@kernel
def _fits(work, iwork, PA, PB, tolerance):
    """Back from the spines to the cylinders; true where their distance is now proved."""
    ra = inscribed(work, CORE_A, iwork, ICORE_A)
    rb = inscribed(work, CORE_B, iwork, ICORE_B)
    exchange(iwork, SPINE, CYLINDER)
    nx, ny, nz = work[R_NORMAL], work[R_NORMAL + 1], work[R_NORMAL + 2]
    upper = work[R_DISTANCE] - ra - rb
    lower = -probe(work, iwork, PA, PB, VERTICES, -nx, -ny, -nz)
    if upper - lower > tolerance + work[R_ROUNDING]:
        return False
    work[R_DISTANCE] = upper
    work[R_LOWER] = lower
    for r in range(3):
        work[R_POINT_A + r] -= ra * work[R_NORMAL + r]
        work[R_POINT_B + r] += rb * work[R_NORMAL + r]
    return True


@kernel
def parallel(work, iwork, tolerance):
    """Signed distance into RESULT; false where the two cores are anything else, or where the
    other has to be moved by more than ``tolerance`` [m] to be parallel to the cylinder."""
    swapped = iwork[ICORE_A] == CYLINDER
    base = CORE_A if swapped else CORE_B
    other = CORE_B if swapped else CORE_A
    i = ICORE_B if swapped else ICORE_A
    round_too = iwork[i] == CYLINDER
    if not (round_too or (iwork[i] == POINTS and iwork[i + 1] <= 2)):
        return False
    if not swapped and iwork[ICORE_B] != CYLINDER:
        return False
    ax, ay, az = load(work, base)
    (cx, cy, cz), long, thick, lean = _beside(work, other, round_too, iwork[i + 1], (ax, ay, az))
    if lean > tolerance:
        return False
    half, radius = work[base + 3], work[base + 4]
    height, width = half + long, radius + thick
    s = -1.0 if swapped else 1.0
    x, y, z = plus(cx, cy, cz, s, *load(work, OFFSET))
    way = dot(x, y, z, ax, ay, az)
    # Twice, so that the rest is square to the axis even where it is short.
    qx, qy, qz = square(*plus(x, y, z, -way, ax, ay, az), ax, ay, az)
    reach = _length(qx, qy, qz)
    if reach > CAP_SINE * abs(way):
        qx, qy, qz = qx / reach, qy / reach, qz / reach
    else:
        # On the axis, as far as rounding can tell, every way to the side is equally long.
        qx, qy, qz = across(ax, ay, az)
    value, na, nq = _out_of_cylinder(way, reach, height, width)
    # The foot on the surface of the sum, and each body's share of it.
    up, out = way - value * na, reach - value * nq
    share = half / height if height > 0.0 else 0.0
    part = radius / width
    own = R_POINT_A if swapped else R_POINT_B
    theirs = R_POINT_B if swapped else R_POINT_A
    own_up = share * up
    store(work, own, *plus(own_up * ax, own_up * ay, own_up * az, part * out, qx, qy, qz))
    up *= share - 1.0
    out *= part - 1.0
    store(work, theirs, *plus(*plus(cx, cy, cz, up, ax, ay, az), out, qx, qy, qz))
    na *= s
    nq *= s
    store(work, R_NORMAL, *plus(na * ax, na * ay, na * az, nq, qx, qy, qz))
    work[R_DISTANCE] = value
    # No point of the other was moved by more than it leans.
    work[R_LOWER] = value - lean
    return True


@kernel
def _beside(work, other, cylinder, count, axis):
    """Of a cylinder, or of a point or segment: its middle, half length and radius, and how far its
    ends have to be moved to be parallel to ``axis``."""
    if cylinder:
        long, thick = work[other + 3], work[other + 4]
        lean = (long + thick) * _length(*square(*load(work, other), *axis))
        return (0.0, 0.0, 0.0), long, thick, lean
    ux, uy, uz = load(work, other)
    vx, vy, vz = load(work, other + 3 * (count - 1))
    cx, cy, cz = 0.5 * (ux + vx), 0.5 * (uy + vy), 0.5 * (uz + vz)
    wx, wy, wz = vx - cx, vy - cy, vz - cz
    return (cx, cy, cz), _length(wx, wy, wz), 0.0, _length(*square(wx, wy, wz, *axis))


@kernel
def _out_of_cylinder(way, reach, height, width):
    """Signed distance of a point ``way`` along the axis and ``reach`` off it, and the shares of the
    normal along the axis and across it."""
    end = math.copysign(1.0, way)
    beyond = abs(way) - height
    outside = reach - width
    if beyond <= 0.0 or outside <= 0.0:
        if beyond > outside:
            return beyond, end, 0.0
        return max(beyond, outside), 0.0, 1.0
    value = math.sqrt(beyond * beyond + outside * outside)
    return value, end * beyond / value, outside / value


@kernel
def _length(x, y, z):
    return math.sqrt(dot(x, y, z, x, y, z))
