"""Box against box, in the first box's frame.

There the second lies at ``c``, its axes are ``u, v, w``; the boxes reach to ``a`` and ``b`` along
their own axes. All of them are tuples of three floats. The fifteen separating axes tell whether the
boxes overlap, and how deep.

Of boxes that do not overlap, a point ``y`` of the second, in its own frame, stands for the pair:
the nearest point of the first box to it is known in closed form. So the squared distance is a
convex function of ``y`` over a box, quadratic wherever the nearest point stays on one feature.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.narrowphase.rows import (
    clamp,
    rotate,
    rounding,
    surface_point,
    unrotate,
    write,
)
from standoff.geometry.narrowphase.segment_box import close_normal as segment_normal
from standoff.geometry.narrowphase.segment_box import nearest_parameter
from standoff.tolerances import (
    BLUR_UNITS,
    CLOSE_FRACTION,
    EPS,
    SMALLEST_LENGTH,
    TOUCHING_UNITS,
)

#: How far apart upper and lower bound of a box-box distance may be before every pair of features
#: is tried, [units of EPS times the scene].
CERTIFICATE_UNITS = 256.0

#: Steps from feature to feature in search of the nearest points of two boxes, [-]; all pairs but
#: one in a hundred or fewer end after five, and the rest is searched without a walk.
BOX_WALK_STEPS = 8


@kernel
def box_box(A, i, B, j, out, k):
    """Overlap and depth by the fifteen separating axes; the distance of separated boxes by their
    nearest features, checked: the points bound it from above, and the gap between the boxes along
    the normal from below."""
    c = unrotate(A, i, B[j, 3] - A[i, 3], B[j, 7] - A[i, 7], B[j, 11] - A[i, 11])
    u = unrotate(A, i, B[j, 0], B[j, 4], B[j, 8])
    v = unrotate(A, i, B[j, 1], B[j, 5], B[j, 9])
    w = unrotate(A, i, B[j, 2], B[j, 6], B[j, 10])
    a = (A[i, SIZE], A[i, SIZE + 1], A[i, SIZE + 2])
    b = (B[j, SIZE], B[j, SIZE + 1], B[j, SIZE + 2])
    frame = c, u, v, w
    size = a[0] + a[1] + a[2] + b[0] + b[1] + b[2]
    unit = EPS * (size + abs(c[0]) + abs(c[1]) + abs(c[2]))
    noise = TOUCHING_UNITS * unit
    blur = BLUR_UNITS * unit
    slack = rounding(A, i, B, j, size)
    value, face = best_face(c, u, v, w, a, b)
    n = face_normal(face, c, u, v, w)
    if value <= noise:
        edge, nx, ny, nz = best_edge(c, u, v, w, a, b)
        # Where they tie, a face is the better normal, and its depth errs to the safe side.
        if edge > value + noise:
            value, n, face = edge, (nx, ny, nz), 0
    if value > noise:
        y = start(face, n, frame, a, b)
        y = walk(y, frame, a, b, blur)
        gap, m = distance_and_normal(y, frame, a, b, noise)
        doubt = gap - support_gap(m, frame, a, b)
        if not doubt <= CERTIFICATE_UNITS * unit:
            y, gap, m, doubt = by_all_features(value, n, frame, a, b, noise, blur)
        value, n = gap, m
        slack += max(doubt, 0.0)
        p = place(y, frame)
    else:
        # Moved apart by the depth, the boxes touch, and only there.
        frame = (c[0] + value * n[0], c[1] + value * n[1], c[2] + value * n[2]), u, v, w
        y = start(face, n, frame, a, b)
        y = walk(y, frame, a, b, blur)
        p = place(y, frame)
        e = beyond(p, a)
        if e[0] * e[0] + e[1] * e[1] + e[2] * e[2] > noise * noise:
            y = exhaust(frame, a, b, blur)
            p = place(y, frame)
    e = beyond(p, a)
    p = rotate(A, i, p[0] - e[0], p[1] - e[1], p[2] - e[2])
    y, n = rotate(B, j, y[0], y[1], y[2]), rotate(A, i, n[0], n[1], n[2])
    p, y = surface_point(A, i, p, 0.0, n), surface_point(B, j, y, 0.0, n)
    write(out, k, value, p, y, n, slack)


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


@kernel
def by_all_features(value, n, frame, a, b, noise, blur):
    """The nearest point ``y`` by every pair of features, the distance and the normal there, and by
    how much the distance may be too long. ``value`` is the gap along the face normal ``n``."""
    c, u, v, w = frame
    y = exhaust(frame, a, b, blur)
    gap, m = distance_and_normal(y, frame, a, b, noise)
    doubt = gap - support_gap(m, frame, a, b)
    # The best of all pairs of features is right to half of the digits, where distances differ in
    # their squares only; the walk, from there, may add the other half.
    z = walk(y, frame, a, b, blur)
    nearer, normal = distance_and_normal(z, frame, a, b, noise)
    if nearer - support_gap(normal, frame, a, b) < doubt:
        y, gap, m = z, nearer, normal
        doubt = gap - support_gap(m, frame, a, b)
    edge, nx, ny, nz = best_edge(c, u, v, w, a, b)
    if edge > value:
        value, n = edge, (nx, ny, nz)
    # Points so close that their difference is mostly rounding have a better normal in the best
    # axis, if that is no farther off than rounding.
    if gap - value < doubt and off_axis(y, n, frame, a) <= noise:
        doubt, m = gap - value, n
    return y, gap, m, doubt


@kernel
def start(face, n, frame, a, b):
    """The point of the second box to begin with: where the normal of a face of that box was the
    best, the point nearest to the first box's corner; otherwise the corner towards the first."""
    _, u, v, w = frame
    if face >= 3:
        corner = (
            math.copysign(a[0], -n[0]),
            math.copysign(a[1], -n[1]),
            math.copysign(a[2], -n[2]),
        )
        return nearest_to(corner, frame, b)
    return (
        math.copysign(b[0], n[0] * u[0] + n[1] * u[1] + n[2] * u[2]),
        math.copysign(b[1], n[0] * v[0] + n[1] * v[1] + n[2] * v[2]),
        math.copysign(b[2], n[0] * w[0] + n[1] * w[1] + n[2] * w[2]),
    )


@kernel
def off_axis(y, n, frame, a):
    """How far the difference of the nearest points given by ``y`` is off the unit vector ``n``."""
    e = beyond(place(y, frame), a)
    along = e[0] * n[0] + e[1] * n[1] + e[2] * n[2]
    x, y, z = e[0] - along * n[0], e[1] - along * n[1], e[2] - along * n[2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def support_gap(n, frame, a, b):
    """The gap between the boxes along the unit vector ``n``, a lower bound of their distance."""
    c, u, v, w = frame
    gap = -(n[0] * c[0] + n[1] * c[1] + n[2] * c[2])
    gap -= a[0] * abs(n[0]) + a[1] * abs(n[1]) + a[2] * abs(n[2])
    gap -= b[0] * abs(n[0] * u[0] + n[1] * u[1] + n[2] * u[2])
    gap -= b[1] * abs(n[0] * v[0] + n[1] * v[1] + n[2] * v[2])
    return gap - b[2] * abs(n[0] * w[0] + n[1] * w[1] + n[2] * w[2])


@kernel
def distance_and_normal(y, frame, a, b, noise):
    """Distance and unit normal, from the second box to the first, of the nearest points given
    by ``y``."""
    e = beyond(place(y, frame), a)
    gap = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    if gap > CLOSE_FRACTION * (a[0] + a[1] + a[2] + b[0] + b[1] + b[2]):
        n = (e[0] / gap, e[1] / gap, e[2] / gap)
    else:
        n = close_normal(e, gap, y, frame, b, noise)
    return gap, (-n[0], -n[1], -n[2])


@kernel
def close_normal(e, gap, y, frame, b, noise):
    """The unit normal, from the first box to the second, of close boxes whose nearest points
    differ by ``e``. The second box shows a face, an edge or a corner as two, one or none of ``y``
    lie between its faces. A face has its own normal, and an edge is a segment."""
    _, u, v, w = frame
    inner_u = inner_along(e, u, y[0], b[0], noise)
    inner_v = inner_along(e, v, y[1], b[1], noise)
    inner_w = inner_along(e, w, y[2], b[2], noise)
    inner = int(inner_u) + int(inner_v) + int(inner_w)
    if inner == 1:
        if inner_u:
            return segment_normal(e, u, y[0], b[0], noise)
        if inner_v:
            return segment_normal(e, v, y[1], b[1], noise)
        return segment_normal(e, w, y[2], b[2], noise)
    if inner == 2:
        if not inner_u:
            m = u
        elif not inner_v:
            m = v
        else:
            m = w
        along = e[0] * m[0] + e[1] * m[1] + e[2] * m[2]
        side = math.copysign(1.0, along)
        dx, dy, dz = e[0] - along * m[0], e[1] - along * m[1], e[2] - along * m[2]
        # Parallel faces show an inner point as well where they do not lie above each other.
        if dx * dx + dy * dy + dz * dz <= noise * noise:
            return side * m[0], side * m[1], side * m[2]
    return e[0] / gap, e[1] / gap, e[2] / gap


@kernel
def inner_along(e, u, y, half, noise):
    """Whether a coordinate of ``y`` lies between the faces, or on one that ``e`` points away from:
    then by no more than rounding, or the nearest point would be elsewhere."""
    return abs(y) < half - noise or y * (e[0] * u[0] + e[1] * u[1] + e[2] * u[2]) > 0.0


@kernel
def place(y, frame):
    """The point ``y`` of the second box in the first one's frame."""
    c, u, v, w = frame
    return (
        c[0] + y[0] * u[0] + y[1] * v[0] + y[2] * w[0],
        c[1] + y[0] * u[1] + y[1] * v[1] + y[2] * w[1],
        c[2] + y[0] * u[2] + y[1] * v[2] + y[2] * w[2],
    )


@kernel
def beyond(p, a):
    """How far ``p`` lies beyond the first box, along each axis; 0 between the faces."""
    return p[0] - clamp(p[0], a[0]), p[1] - clamp(p[1], a[1]), p[2] - clamp(p[2], a[2])


@kernel
def nearest_to(p, frame, b):
    """The point ``y`` of the second box nearest to ``p``."""
    c, u, v, w = frame
    dx, dy, dz = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    return (
        clamp(dx * u[0] + dy * u[1] + dz * u[2], b[0]),
        clamp(dx * v[0] + dy * v[1] + dz * v[2], b[1]),
        clamp(dx * w[0] + dy * w[1] + dz * w[2], b[2]),
    )


@kernel
def best_along(e, u, y, half):
    """The best value of one coordinate of ``y``, along axis ``u``, while the first box's feature
    stays the same, and the square of how far that moves the point against the feature. The
    distance shrinks by no more than that."""
    slope = e[0] * u[0] + e[1] * u[1] + e[2] * u[2]
    bend = 0.0
    if e[0] != 0.0:
        bend += u[0] * u[0]
    if e[1] != 0.0:
        bend += u[1] * u[1]
    if e[2] != 0.0:
        bend += u[2] * u[2]
    if bend == 0.0:
        return y, 0.0
    target = clamp(y - slope / bend, half)
    return target, bend * (target - y) * (target - y)


@kernel
def walk(y, frame, a, b, noise):
    """From ``y`` to a point that is no farther, and the nearest one as a rule: from feature to
    feature, along one axis of the second box at a time. Most pairs need one or two steps. Where it
    zigzags it does not arrive: whoever calls this checks the result."""
    _, u, v, w = frame
    p = place(y, frame)
    e = beyond(p, a)
    for _ in range(BOX_WALK_STEPS):
        corner = e[0] != 0.0 and e[1] != 0.0 and e[2] != 0.0
        axis = 0
        if corner:
            # The first box shows a corner, and the nearest point to it is known.
            z = nearest_to((p[0] - e[0], p[1] - e[1], p[2] - e[2]), frame, b)
            dx, dy, dz = z[0] - y[0], z[1] - y[1], z[2] - y[2]
            moved = dx * dx + dy * dy + dz * dz
        else:
            yx, moved = best_along(e, u, y[0], b[0])
            yy, moved_y = best_along(e, v, y[1], b[1])
            yz, moved_z = best_along(e, w, y[2], b[2])
            z = (yx, y[1], y[2])
            if moved_y > moved:
                moved, axis = moved_y, 1
                z = (y[0], yy, y[2])
            if moved_z > moved:
                moved, axis = moved_z, 2
                z = (y[0], y[1], yz)
        # Along an edge that is parallel but for rounding, such a step could lead anywhere.
        if moved <= noise * noise:
            break
        square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
        p = place(z, frame)
        e = beyond(p, a)
        if farther(e, square, noise) and not corner:
            # Past a change of the feature the distance grew again: look along the whole edge.
            z = best_on_edge(axis, y, frame, a, b, noise)
            p = place(z, frame)
            e = beyond(p, a)
        if farther(e, square, noise):
            break
        y = z
    return y


@kernel
def farther(e, square, noise):
    """Whether ``e`` is longer than the root of ``square`` by more than ``noise``. A step that is
    right may well seem to add a rounding: what it improves is the normal."""
    more = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] - square
    return more > 0.0 and more * more > 4.0 * noise * noise * square


@kernel
def best_on_edge(axis, y, frame, a, b, noise):
    """The best point on the line through ``y`` along an axis of the second box."""
    _, u, v, w = frame
    if axis == 0:
        d, half, y = u, b[0], (0.0, y[1], y[2])
    elif axis == 1:
        d, half, y = v, b[1], (y[0], 0.0, y[2])
    else:
        d, half, y = w, b[2], (y[0], y[1], 0.0)
    p = place(y, frame)
    s = nearest_parameter(p, d, half, a, noise)
    if axis == 0:
        return s, y[1], y[2]
    if axis == 1:
        return y[0], s, y[2]
    return y[0], y[1], s


@kernel
def exhaust(frame, a, b, noise):
    """The nearest point by trying every pair of features: always right, and slow.

    If the second box shows a corner or an edge, the point lies on one of its twelve edges, and
    each is compared with the whole first box; if it shows the inside of a face, the first box
    shows a corner, and each corner is compared with the whole second box.
    """
    best = (0.0, 0.0, 0.0)
    least = -1.0
    for corner in range(8):
        sx = 1.0 if corner & 1 else -1.0
        sy = 1.0 if corner & 2 else -1.0
        sz = 1.0 if corner & 4 else -1.0
        y = nearest_to((sx * a[0], sy * a[1], sz * a[2]), frame, b)
        best, least = better(y, best, least, frame, a)
        y = (sx * b[0], sy * b[1], sz * b[2])
        for axis in range(3):
            if corner & (1 << axis) == 0:
                z = best_on_edge(axis, y, frame, a, b, noise)
                best, least = better(z, best, least, frame, a)
    return best


@kernel
def better(y, best, least, frame, a):
    """The nearer of two points, with its squared distance; ``least`` < 0: there is no other."""
    e = beyond(place(y, frame), a)
    square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    if least < 0.0 or square < least:
        return y, square
    return best, least
