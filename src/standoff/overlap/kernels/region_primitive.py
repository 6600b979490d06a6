"""The region octree of a sphere, capsule, box, cylinder or half space.

Each is a convex *core* (a point, a segment, or the body itself) and a radius around it. The point
``k`` of the core nearest to any point ``p`` outside of it gives a plane that the core stays behind:

    n . (x - k) <= 0  for all x of the core,    n = (p - k) / |p - k|,

so a node, a cube about ``c`` of half edge ``h``, is at least

    n . (c - k) - h (|n_x| + |n_y| + |n_z|) - radius

away from the body, whatever ``p`` was. With ``p`` and ``k`` taken in turns, each the nearest to the
other, this becomes the distance itself. And a convex body holds a cube when it holds its corners.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.aabb import half_extents
from standoff.geometry.narrowphase.layout import BOX, CAPSULE, CYLINDER, HALFSPACE, SIZE, SPHERE
from standoff.geometry.narrowphase.rows import clamp, rotate, unrotate
from standoff.overlap.kernels.region_codes import (
    BLACK,
    FULL,
    GREY,
    SURE,
    WHITE,
    emit,
    push_children,
)

#: Steps between the nearest points of a node and a body before the node counts as crossed, [-].
#: Spheres need one, capsules two; boxes edge to edge are within 1 % of their distance after eight.
REGION_STEPS = 8


_DIAGONAL = math.sqrt(3.0)


@entry(
    "int64(float64[:,::1], int64, float64[::1], int64, float64, float64, int64[:,::1], "
    "int64[::1], uint8[::1])"
)
def primitive_leaves(rows, kind, root, deepest, grow, slack, stack, codes, levels):
    """Write the leaves of the body in row 0, grown by ``grow``, and return how many; FULL where
    there is no room. ``root`` is the low corner and the edge of the root cube. ``slack`` widens the
    body for what is white and shrinks it for what is black."""
    cell = root[3] / (1 << deepest)
    ex = ey = ez = math.inf
    if kind != HALFSPACE:
        ex, ey, ez = half_extents(rows, kind, 0)
    reach = grow + slack
    count = 0
    stack[0, 0] = stack[0, 1] = stack[0, 2] = stack[0, 3] = stack[0, 4] = 0
    top = 1
    while top > 0:
        top -= 1
        code, level = stack[top, 0], stack[top, 4]
        x, y, z = stack[top, 1], stack[top, 2], stack[top, 3]
        size = 1 << (deepest - level)
        h = 0.5 * size * cell
        dx = root[0] + (x + 0.5 * size) * cell - rows[0, 3]
        dy = root[1] + (y + 0.5 * size) * cell - rows[0, 7]
        dz = root[2] + (z + 0.5 * size) * cell - rows[0, 11]
        if abs(dx) - h > ex + reach or abs(dy) - h > ey + reach or abs(dz) - h > ez + reach:
            continue
        colour = classify(rows, kind, dx, dy, dz, h, grow, slack)
        if colour == WHITE:
            continue
        if colour == BLACK or level == deepest:
            mark = level | (SURE if colour == BLACK else 0)
            count = emit(codes, levels, count, code, mark, deepest)
            if count == FULL:
                return FULL
            continue
        top = push_children(stack, top, code, x, y, z, level, deepest)
    return count


@kernel
def classify(rows, kind, dx, dy, dz, h, grow, slack):
    """What a cube of half edge ``h`` is, with its middle at (dx, dy, dz) from the body's origin in
    the world's axes."""
    cx, cy, cz = unrotate(rows, 0, dx, dy, dz)
    radius = rows[0, SIZE] if kind <= CAPSULE else 0.0
    middle = height(rows, kind, cx, cy, cz)
    # The largest ball in the cube, the ball around it, and only then its corners.
    if middle + h <= grow:
        if middle + _DIAGONAL * h <= grow - slack:
            return BLACK
        if corners_within(rows, kind, cx, cy, cz, h, grow - slack):
            return BLACK
        return GREY
    if middle <= grow:
        return GREY
    if middle > grow + slack + _DIAGONAL * h:
        return WHITE
    px, py, pz = cx, cy, cz
    for _ in range(REGION_STEPS):
        nx, ny, nz = from_core(rows, kind, px, py, pz)
        kx, ky, kz = px - nx, py - ny, pz - nz
        apart = math.sqrt(nx * nx + ny * ny + nz * nz)
        if apart - radius <= grow + slack or apart == 0.0:
            return GREY
        nx, ny, nz = nx / apart, ny / apart, nz / apart
        gap = nx * (cx - kx) + ny * (cy - ky) + nz * (cz - kz) - radius
        nx, ny, nz = rotate(rows, 0, nx, ny, nz)
        if gap - h * (abs(nx) + abs(ny) + abs(nz)) > grow + slack:
            return WHITE
        px, py, pz = rotate(rows, 0, kx - cx, ky - cy, kz - cz)
        px, py, pz = unrotate(rows, 0, clamp(px, h), clamp(py, h), clamp(pz, h))
        px, py, pz = cx + px, cy + py, cz + pz
    return GREY


@inlined
def from_core(rows, kind, px, py, pz):
    """From the point of the core nearest to a point to that point, in the body's frame. However
    short it is, its direction is one that the core stays behind: the coordinates in which the point
    is not beyond the core are 0 and not what rounding leaves of a difference."""
    if kind == SPHERE:
        return px, py, pz
    if kind == CAPSULE:
        return px, py, pz - clamp(pz, rows[0, SIZE + 1])
    if kind == BOX:
        return (
            px - clamp(px, rows[0, SIZE]),
            py - clamp(py, rows[0, SIZE + 1]),
            pz - clamp(pz, rows[0, SIZE + 2]),
        )
    if kind == CYLINDER:
        across = math.hypot(px, py)
        beyond = (across - rows[0, SIZE]) / across if across > rows[0, SIZE] else 0.0
        return px * beyond, py * beyond, pz - clamp(pz, rows[0, SIZE + 1])
    return 0.0, 0.0, max(pz, 0.0)


@inlined
def height(rows, kind, px, py, pz):
    """The signed distance of a point, in the body's frame; negative inside."""
    if kind == HALFSPACE:
        return pz
    if kind <= CAPSULE:
        if kind == CAPSULE:
            pz -= clamp(pz, rows[0, SIZE + 1])
        return math.sqrt(px * px + py * py + pz * pz) - rows[0, SIZE]
    if kind == BOX:
        a, b, c = abs(px) - rows[0, SIZE], abs(py) - rows[0, SIZE + 1], abs(pz) - rows[0, SIZE + 2]
    else:
        a, b, c = math.hypot(px, py) - rows[0, SIZE], abs(pz) - rows[0, SIZE + 1], -math.inf
    deepest = max(a, b, c)
    if deepest <= 0.0:
        return deepest
    a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
    return math.sqrt(a * a + b * b + c * c)


@kernel
def corners_within(rows, kind, cx, cy, cz, h, limit):
    """Whether no corner of the cube is higher than ``limit``."""
    for c in range(8):
        x, y, z = unrotate(rows, 0, h if c & 1 else -h, h if c & 2 else -h, h if c & 4 else -h)
        if height(rows, kind, cx + x, cy + y, cz + z) > limit:
            return False
    return True
