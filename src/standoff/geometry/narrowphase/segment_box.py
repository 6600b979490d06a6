"""A segment against a box in the box's frame: nearest points, and the way out of an overlap.

The segment is ``c + s u`` with unit ``u`` and ``|s| <= reach``; the box reaches to ``h``.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.rows import clamp
from standoff.tolerances import SMALLEST_LENGTH


@kernel
def outside(p, half, noise):
    """How far a coordinate lies beyond the box; nothing where that could be rounding."""
    if abs(p) > half + noise:
        return p - math.copysign(half, p)
    return 0.0


@kernel
def slope(s, c, u, h, noise):
    """Half the derivative, at ``s``, of the squared distance to the box along the segment."""
    along = u[0] * outside(c[0] + s * u[0], h[0], noise)
    along += u[1] * outside(c[1] + s * u[1], h[1], noise)
    return along + u[2] * outside(c[2] + s * u[2], h[2], noise)


@kernel
def narrowed(s, lo, hi, c, u, reach, h, noise):
    """The bracket [lo, hi] of the minimum, cut at ``s`` by the slope of the squared distance."""
    s = clamp(s, reach)
    g = slope(s, c, u, h, noise)
    if g <= 0.0:
        lo = max(lo, s)
    if g >= 0.0:
        hi = min(hi, s)
    return lo, hi


@kernel
def nearest_parameter(c, u, reach, h, noise):
    """The ``s`` of the point of the segment nearest to the box, as far as ``noise`` can tell.

    The squared distance is convex along the segment and quadratic between the at most six places
    where the line crosses a plane of a face. So its slope grows, and is linear between them: the
    sign at each crossing tells on which side of it the minimum lies, and what is left is one
    linear equation. Where the segment enters the box, ``s`` is a point inside.

    At a crossing one coordinate is 0 but for rounding, and the sign is that of the other two:
    hence ``noise``, without which a segment nearly along an edge would stop anywhere on it.
    """
    if slope(-reach, c, u, h, noise) > 0.0:
        return -reach
    if slope(reach, c, u, h, noise) < 0.0:
        return reach
    (cx, cy, cz), (ux, uy, uz), (hx, hy, hz) = c, u, h
    # A line along a plane crosses it nowhere; cutting the bracket at 0 instead does no harm.
    ix = 1.0 / ux if ux != 0.0 else 0.0
    iy = 1.0 / uy if uy != 0.0 else 0.0
    iz = 1.0 / uz if uz != 0.0 else 0.0
    lo, hi = -reach, reach
    lo, hi = narrowed((-hx - cx) * ix, lo, hi, c, u, reach, h, noise)
    lo, hi = narrowed((hx - cx) * ix, lo, hi, c, u, reach, h, noise)
    lo, hi = narrowed((-hy - cy) * iy, lo, hi, c, u, reach, h, noise)
    lo, hi = narrowed((hy - cy) * iy, lo, hi, c, u, reach, h, noise)
    lo, hi = narrowed((-hz - cz) * iz, lo, hi, c, u, reach, h, noise)
    lo, hi = narrowed((hz - cz) * iz, lo, hi, c, u, reach, h, noise)
    middle = 0.5 * (lo + hi)
    px, py, pz = cx + middle * ux, cy + middle * uy, cz + middle * uz
    vx = ux if abs(px) > hx + noise else 0.0
    vy = uy if abs(py) > hy + noise else 0.0
    vz = uz if abs(pz) > hz + noise else 0.0
    bend = vx * vx + vy * vy + vz * vz
    if bend == 0.0:
        return middle
    rise = vx * (cx - math.copysign(hx, px))
    rise += vy * (cy - math.copysign(hy, py))
    rise += vz * (cz - math.copysign(hz, pz))
    return min(max(-rise / bend, lo), hi)


@kernel
def close_normal(q, u, s, reach, noise):
    """The unit normal between a box and a close segment whose nearest points differ by ``q``.

    ``q`` is 0 along every axis of the box in which the point lies between the faces. Among the
    other axes, the normal is at right angles to the segment if the nearest point is an inner one,
    and does not point back along it (``s n . u <= 0``) if it is an end. What of ``q`` says
    otherwise is rounding, and is taken out as long as it is no more than that.
    """
    (qx, qy, qz), (ux, uy, uz) = q, u
    along = qx * ux + qy * uy + qz * uz
    if abs(s) < reach or s * along > 0.0:
        vx = ux if qx != 0.0 else 0.0
        vy = uy if qy != 0.0 else 0.0
        vz = uz if qz != 0.0 else 0.0
        vv = vx * vx + vy * vy + vz * vz
        if along * along < noise * noise * vv:
            along /= vv
            qx, qy, qz = qx - along * vx, qy - along * vy, qz - along * vz
    length = math.sqrt(qx * qx + qy * qy + qz * qz)
    return qx / length, qy / length, qz / length


@kernel
def separation(c, u, reach, h, noise):
    """The widest gap between segment and box along any normal of their Minkowski sum, negative:
    minus the depth; and its unit normal, from the box towards the middle of the segment.

    Those normals are the box's axes and ``axis x u``. In the box's frame ``axis x u`` is exactly
    at right angles to both, so no angle between them is too small. An edge has to win by more
    than ``noise``: where they tie, the face is the better normal.
    """
    (cx, cy, cz), (ux, uy, uz), (hx, hy, hz) = c, u, h
    gap = abs(cx) - hx - reach * abs(ux)
    nx, ny, nz = math.copysign(1.0, cx), 0.0, 0.0
    g = abs(cy) - hy - reach * abs(uy)
    if g > gap:
        gap = g
        nx, ny, nz = 0.0, math.copysign(1.0, cy), 0.0
    g = abs(cz) - hz - reach * abs(uz)
    if g > gap:
        gap = g
        nx, ny, nz = 0.0, 0.0, math.copysign(1.0, cz)
    edge = gap + noise
    length = math.sqrt(uy * uy + uz * uz)
    if length > SMALLEST_LENGTH:
        my, mz = uz / length, -uy / length
        d = my * cy + mz * cz
        g = abs(d) - hy * abs(my) - hz * abs(mz)
        if g > edge:
            gap, edge = g, g
            nx, ny, nz = 0.0, math.copysign(1.0, d) * my, math.copysign(1.0, d) * mz
    length = math.sqrt(ux * ux + uz * uz)
    if length > SMALLEST_LENGTH:
        mx, mz = uz / length, -ux / length
        d = mx * cx + mz * cz
        g = abs(d) - hx * abs(mx) - hz * abs(mz)
        if g > edge:
            gap, edge = g, g
            nx, ny, nz = math.copysign(1.0, d) * mx, 0.0, math.copysign(1.0, d) * mz
    length = math.sqrt(ux * ux + uy * uy)
    if length > SMALLEST_LENGTH:
        mx, my = uy / length, -ux / length
        d = mx * cx + my * cy
        g = abs(d) - hx * abs(mx) - hy * abs(my)
        if g > edge:
            gap, edge = g, g
            nx, ny, nz = math.copysign(1.0, d) * mx, math.copysign(1.0, d) * my, 0.0
    return gap, (nx, ny, nz)
