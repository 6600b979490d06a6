"""The fifteen separating axes of two boxes.

In the first box's frame: the second lies at ``c``, its axes are ``u, v, w``; the boxes reach to
``a`` and ``b`` along their own axes. All of them are tuples of three floats.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.tolerances import SMALLEST_LENGTH


@kernel
def best_face(c, u, v, w, a, b):
    """The widest gap along the normal of a face, and which: 0-2 of the first, 3-5 of the second
    box. Negative: the depth along the least deep one."""
    face = 0
    gap = abs(c[0]) - a[0] - b[0] * abs(u[0]) - b[1] * abs(v[0]) - b[2] * abs(w[0])
    g = abs(c[1]) - a[1] - b[0] * abs(u[1]) - b[1] * abs(v[1]) - b[2] * abs(w[1])
    if g > gap:
        gap, face = g, 1
    g = abs(c[2]) - a[2] - b[0] * abs(u[2]) - b[1] * abs(v[2]) - b[2] * abs(w[2])
    if g > gap:
        gap, face = g, 2
    g = face_gap(c, u, a) - b[0]
    if g > gap:
        gap, face = g, 3
    g = face_gap(c, v, a) - b[1]
    if g > gap:
        gap, face = g, 4
    g = face_gap(c, w, a) - b[2]
    if g > gap:
        gap, face = g, 5
    return gap, face


@kernel
def face_gap(c, u, a):
    """Gap between the first box and the second one's middle along an axis ``u`` of the second."""
    d = abs(c[0] * u[0] + c[1] * u[1] + c[2] * u[2])
    return d - a[0] * abs(u[0]) - a[1] * abs(u[1]) - a[2] * abs(u[2])


@kernel
def face_normal(face, c, u, v, w):
    """The outward normal of a face found by `best_face`, turned from the second box to the first,
    in the first box's frame."""
    if face == 0:
        return -math.copysign(1.0, c[0]), 0.0, 0.0
    if face == 1:
        return 0.0, -math.copysign(1.0, c[1]), 0.0
    if face == 2:
        return 0.0, 0.0, -math.copysign(1.0, c[2])
    if face == 3:
        m = u
    elif face == 4:
        m = v
    else:
        m = w
    sign = -math.copysign(1.0, c[0] * m[0] + c[1] * m[1] + c[2] * m[2])
    return sign * m[0], sign * m[1], sign * m[2]


@kernel
def best_edge(c, u, v, w, a, b):
    """The widest gap along a normal of two edges, one of each box, and the unit normal from the
    second box to the first."""
    gap, nx, ny, nz = edges_along(u, v, b[1], w, b[2], c, a)
    g, mx, my, mz = edges_along(v, w, b[2], u, b[0], c, a)
    if g > gap:
        gap, nx, ny, nz = g, mx, my, mz
    g, mx, my, mz = edges_along(w, u, b[0], v, b[1], c, a)
    if g > gap:
        gap, nx, ny, nz = g, mx, my, mz
    return gap, nx, ny, nz


@kernel
def edges_along(e, f, hf, g, hg, c, a):
    """`best_edge` for the edges of the second box along ``e``; its other axes are ``f`` and ``g``,
    along which it reaches to ``hf`` and ``hg``."""
    gap, n1, n2 = edge_gap(yz(e), yz(f), hf, yz(g), hg, yz(c), yz(a))
    nx, ny, nz = 0.0, n1, n2
    d, n1, n2 = edge_gap(zx(e), zx(f), hf, zx(g), hg, zx(c), zx(a))
    if d > gap:
        gap, nx, ny, nz = d, n2, 0.0, n1
    d, n1, n2 = edge_gap(xy(e), xy(f), hf, xy(g), hg, xy(c), xy(a))
    if d > gap:
        gap, nx, ny, nz = d, n1, n2, 0.0
    return gap, nx, ny, nz


@kernel
def yz(v):
    return v[1], v[2]


@kernel
def zx(v):
    return v[2], v[0]


@kernel
def xy(v):
    return v[0], v[1]


@kernel
def edge_gap(e, f, hf, g, hg, c, a):
    """The gap along ``axis x e``, which lies in the plane of the other two axes 1 and 2 of the
    first box, and the normal in that plane.

    Built in that plane, the normal is at right angles to ``e`` as given, to the last digit, at
    any angle between the edges. So nearly parallel edges need no threshold: their normal is exact
    for a box that is turned by one rounding.
    """
    length = math.sqrt(e[0] * e[0] + e[1] * e[1])
    if length <= SMALLEST_LENGTH:
        return -math.inf, 0.0, 0.0
    n1, n2 = e[1] / length, -e[0] / length
    d = n1 * c[0] + n2 * c[1]
    gap = abs(d) - a[0] * abs(n1) - a[1] * abs(n2)
    gap -= hf * abs(n1 * f[0] + n2 * f[1]) + hg * abs(n1 * g[0] + n2 * g[1])
    if d > 0.0:
        return gap, -n1, -n2
    return gap, n1, n2
