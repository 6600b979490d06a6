"""Axis-aligned boxes of placed bodies, a rounding wider than the bodies."""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    HALFSPACE,
    KIND,
    POINT0,
    POINTS,
    SIZE,
    SPHERE,
    is_general,
    is_primitive,
)
from standoff.geometry.narrowphase.support import size_of, span_of_primitive
from standoff.tolerances import BOX_ROUNDING, EPS


@entry("void(float64[:,::1], int64[:,::1], float64[:,::1], float64[:,::1])")
def bound_all(rows, refs, points, boxes):
    """The box of each row: exact but for the rounding it is widened by."""
    for i in range(rows.shape[0]):
        kind = refs[i, KIND]
        if kind == HALFSPACE:
            bound_halfspace(rows, i, boxes)
        elif is_primitive(kind):
            x, y, z = half_extents(rows, kind, i)
            put(rows[i, 3], rows[i, 7], rows[i, 11], x, y, z, boxes, i, 0.0)
        else:
            bound_points(rows, refs, i, points, boxes)


@inlined
def boxes_meet(A, a, B, b):
    """Whether two boxes overlap or touch."""
    return (
        A[a, 0] <= B[b, 3]
        and A[a, 3] >= B[b, 0]
        and A[a, 1] <= B[b, 4]
        and A[a, 4] >= B[b, 1]
        and A[a, 2] <= B[b, 5]
        and A[a, 5] >= B[b, 2]
    )


@kernel
def half_extents(rows, kind, i):
    """Half extents, along the world's axes, of a primitive about its own origin; of a general one
    on whichever side it gets farther."""
    if kind == SPHERE:
        r = rows[i, SIZE]
        return r, r, r
    if kind == CAPSULE:
        r, h = rows[i, SIZE], rows[i, SIZE + 1]
        return r + h * abs(rows[i, 2]), r + h * abs(rows[i, 6]), r + h * abs(rows[i, 10])
    if kind == BOX:
        return turned(rows, i, rows[i, SIZE], rows[i, SIZE + 1], rows[i, SIZE + 2])
    if is_general(kind):
        size = size_of(rows, i)
        return (
            _reach(kind, size, rows, i, 0),
            _reach(kind, size, rows, i, 4),
            _reach(kind, size, rows, i, 8),
        )
    r, h = rows[i, SIZE], rows[i, SIZE + 1]
    x, y, z = rows[i, 2], rows[i, 6], rows[i, 10]
    # sqrt(1 - x²) would lose a tilt of 1e-8.
    return (
        h * abs(x) + r * math.sqrt(y * y + z * z),
        h * abs(y) + r * math.sqrt(x * x + z * z),
        h * abs(z) + r * math.sqrt(x * x + y * y),
    )


@kernel
def _reach(kind, size, rows, i, c):
    low, high = span_of_primitive(kind, size, rows[i, c], rows[i, c + 1], rows[i, c + 2])
    return max(-low, high)


@kernel
def turned(rows, i, hx, hy, hz):
    """Half extents along the world's axes of a box (hx, hy, hz) in the axes of row ``i``."""
    return (
        hx * abs(rows[i, 0]) + hy * abs(rows[i, 1]) + hz * abs(rows[i, 2]),
        hx * abs(rows[i, 4]) + hy * abs(rows[i, 5]) + hz * abs(rows[i, 6]),
        hx * abs(rows[i, 8]) + hy * abs(rows[i, 9]) + hz * abs(rows[i, 10]),
    )


@kernel
def put(cx, cy, cz, x, y, z, boxes, k, more):
    """Box ``k``: half extents (x, y, z) about (cx, cy, cz), widened by ``more`` and by what
    rounding could hide. Every coordinate of a body is a sum of a dozen products of numbers no
    larger than these."""
    scene = abs(cx) + abs(cy) + abs(cz) + x + y + z + more
    more += BOX_ROUNDING * EPS * scene
    boxes[k, 0], boxes[k, 3] = cx - x - more, cx + x + more
    boxes[k, 1], boxes[k, 4] = cy - y - more, cy + y + more
    boxes[k, 2], boxes[k, 5] = cz - z - more, cz + z + more


@kernel
def bound_points(rows, refs, i, points, boxes):
    """The box of a polyhedron's or mesh's points."""
    first = refs[i, POINT0]
    for axis in range(3):
        low, high, largest = math.inf, -math.inf, 0.0
        for p in range(first, first + refs[i, POINTS]):
            a = rows[i, 4 * axis] * points[p, 0]
            b = rows[i, 4 * axis + 1] * points[p, 1]
            c = rows[i, 4 * axis + 2] * points[p, 2]
            x = a + b + c
            low, high = min(low, x), max(high, x)
            largest = max(largest, abs(a) + abs(b) + abs(c))
        shift = rows[i, 4 * axis + 3]
        more = BOX_ROUNDING * EPS * (abs(shift) + largest)
        boxes[i, axis], boxes[i, axis + 3] = shift + low - more, shift + high + more


@kernel
def bound_halfspace(rows, i, boxes):
    """Everything, but for a half space that ends at right angles to an axis."""
    for axis in range(3):
        boxes[i, axis], boxes[i, axis + 3] = -math.inf, math.inf
    for axis in range(3):
        n = rows[i, 4 * axis + 2]
        # The two other components must be 0: beside one of 1e-9 this one is 1 all the same, and
        # the half space has no end in any direction.
        across = abs(rows[i, 2]) + abs(rows[i, 6]) + abs(rows[i, 10]) - abs(n)
        if abs(n) == 1.0 and across == 0.0:
            at = rows[i, 4 * axis + 3]
            more = BOX_ROUNDING * EPS * abs(at)
            if n > 0.0:
                boxes[i, axis + 3] = at + more
            else:
                boxes[i, axis] = at - more
