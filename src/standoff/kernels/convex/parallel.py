"""A cylinder against a point, a segment or a cylinder along its own axis, in closed form.

All differences of points of two such bodies form one cylinder again, with the sum of the radii and
the sum of the half lengths: what is left is a point, one centre seen from the other, against that
cylinder. A ring of equally deep directions, which iterations wander about on, is no trouble here.
"""

from __future__ import annotations

import math

from standoff.constants import CAP_SINE
from standoff.kernels.convex.cores import CYLINDER, POINTS, across
from standoff.kernels.convex.scratch import (
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
)
from standoff.kernels.jit import kernel
from standoff.kernels.vectors import dot, load, plus, square, store


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
    # The other's middle, and the way from there to one of its ends.
    cx, cy, cz = 0.0, 0.0, 0.0
    thick = 0.0
    if round_too:
        long = work[other + 3]
        thick = work[other + 4]
        lean = (long + thick) * _length(*square(*load(work, other), ax, ay, az))
    else:
        ux, uy, uz = load(work, other)
        vx, vy, vz = load(work, other + 3 * (iwork[i + 1] - 1))
        cx, cy, cz = 0.5 * (ux + vx), 0.5 * (uy + vy), 0.5 * (uz + vz)
        wx, wy, wz = vx - cx, vy - cy, vz - cz
        long = _length(wx, wy, wz)
        lean = _length(*square(wx, wy, wz, ax, ay, az))
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
    end = math.copysign(1.0, way)
    beyond = abs(way) - height
    outside = reach - width
    # Shares of the normal along the axis and across it.
    if beyond <= 0.0 or outside <= 0.0:
        value = max(beyond, outside)
        na = end if beyond > outside else 0.0
        nq = 0.0 if beyond > outside else 1.0
    else:
        value = math.sqrt(beyond * beyond + outside * outside)
        na = end * beyond / value
        nq = outside / value
    # The foot on the surface of the sum, and each body's share of it.
    up, out = way - value * na, reach - value * nq
    share = half / height if height > 0.0 else 0.0
    part = radius / width
    own = R_POINT_A if swapped else R_POINT_B
    theirs = R_POINT_B if swapped else R_POINT_A
    px, py, pz = plus(share * up * ax, share * up * ay, share * up * az, part * out, qx, qy, qz)
    store(work, own, px, py, pz)
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
def _length(x, y, z):
    return math.sqrt(dot(x, y, z, x, y, z))
