"""A point against a cylinder, in closed form: what a sphere and a cylinder come down to."""

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
from standoff.kernels.vectors import dot, plus, square


@kernel
def point_cylinder(work, iwork):
    """Signed distance into RESULT; false where the two cores are anything else."""
    swapped = iwork[ICORE_A] == CYLINDER
    base = CORE_A if swapped else CORE_B
    point = CORE_B if swapped else CORE_A
    i = ICORE_B if swapped else ICORE_A
    other = ICORE_A if swapped else ICORE_B
    if iwork[i] != POINTS or iwork[i + 1] != 1 or iwork[other] != CYLINDER:
        return False
    s = -1.0 if swapped else 1.0
    x = work[point] + s * work[OFFSET]
    y = work[point + 1] + s * work[OFFSET + 1]
    z = work[point + 2] + s * work[OFFSET + 2]
    ax, ay, az = work[base], work[base + 1], work[base + 2]
    half, radius = work[base + 3], work[base + 4]
    along = x * ax + y * ay + z * az
    # Twice, so that the rest is square to the axis even where it is short.
    qx, qy, qz = square(*plus(x, y, z, -along, ax, ay, az), ax, ay, az)
    reach = math.sqrt(dot(qx, qy, qz, qx, qy, qz))
    if reach > CAP_SINE * abs(along):
        qx, qy, qz = qx / reach, qy / reach, qz / reach
    else:
        # On the axis, as far as rounding can tell, every way to the side is equally long.
        qx, qy, qz = across(ax, ay, az)
    end = math.copysign(1.0, along)
    beyond = abs(along) - half
    outside = reach - radius
    # Shares of the normal along the axis and across it.
    if beyond <= 0.0 or outside <= 0.0:
        value = max(beyond, outside)
        na = end if beyond > outside else 0.0
        nq = 0.0 if beyond > outside else 1.0
    else:
        value = math.sqrt(beyond * beyond + outside * outside)
        na = end * beyond / value
        nq = outside / value
    nx, ny, nz = na * ax + nq * qx, na * ay + nq * qy, na * az + nq * qz
    target = R_POINT_A if swapped else R_POINT_B
    own = R_POINT_B if swapped else R_POINT_A
    for r in range(3):
        work[own + r] = work[point + r]
    # The nearest point of the surface, from the cylinder's own origin.
    work[target] = x - value * nx
    work[target + 1] = y - value * ny
    work[target + 2] = z - value * nz
    work[R_NORMAL] = s * nx
    work[R_NORMAL + 1] = s * ny
    work[R_NORMAL + 2] = s * nz
    work[R_DISTANCE] = value
    work[R_LOWER] = value
    return True
