"""The least capsule around balls.

Points are rows (x, y, z, radius), in a frame where the body is about as large as 1. A capsule is
a row (a, b, radius): the ends of its axis, then the radius; ``x`` is its first six numbers.

The volume of the least capsule about a given axis is not smooth: its radius is a maximum over the
points. So the maximum is replaced by a soft one, ``log(sum exp(s (d_i - d))) / s + d``, which is
never below it, and the sharpness ``s`` rises in steps while quasi-Newton (BFGS) descends. The
blunt steps carry the axis into the right valley, the sharp ones down to its ground.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel

#: How steeply the soft volume must fall along a step, as a part of its slope, [-] (Armijo).
COVER_ARMIJO = 1e-4

#: Exponents below this count as nothing in the soft maximum, [-]: e^-30 is 1e-13.
COVER_NEGLIGIBLE = -30.0

#: How far a ball may stay outside while a capsule is fitted, as a part of its radius, [-]. Only the
#: search ends by it; the radius is taken over all balls in the end.
COVER_VIOLATION = 1e-4

#: Column of a ball's radius, and of its distance from the axis in the working set.
BALL_RADIUS, FROM_AXIS = 3, 4

#: Column of a capsule's radius, and how many there are.
CAPSULE_RADIUS, CAPSULE_COLUMNS = 6, 7

#: The scratch that a fit is given.
SCRATCH_SHAPE = (12, 6)

#: The working set that a fit is given: balls, then a column for their distances from the axis.
WORK_SHAPE = (512, 5)

#: The working set begins with this many balls, or all where there are no more.
_FEW = 64

#: The last rows of the working set keep the ball farthest out in each octant, and how far that is.
_OCTANTS = 8

_BACKTRACKS = 12
_ROUNDS = 12


@kernel
def _along(x):
    """From one end of the axis to the other, and the square of its length."""
    ux, uy, uz = x[3] - x[0], x[4] - x[1], x[5] - x[2]
    return ux, uy, uz, ux * ux + uy * uy + uz * uz


@kernel
def _axis_distance(px, py, pz, x, ux, uy, uz, uu):
    """Distance of a point from the segment, and the segment's parameter in [0, 1] there."""
    wx = px - x[0]
    wy = py - x[1]
    wz = pz - x[2]
    t = 0.0
    if uu > 0.0:
        t = min(1.0, max(0.0, (wx * ux + wy * uy + wz * uz) / uu))
    wx -= t * ux
    wy -= t * uy
    wz -= t * uz
    return math.sqrt(wx * wx + wy * wy + wz * wz), t


@entry("float64(float64[:, ::1], int64, float64[::1])")
def least_radius(points, n, x):
    """The least radius with which the axis ``x`` holds the first ``n`` balls."""
    ux, uy, uz, uu = _along(x)
    r = 0.0
    for i in range(n):
        d, _ = _axis_distance(points[i, 0], points[i, 1], points[i, 2], x, ux, uy, uz, uu)
        r = max(r, d + points[i, BALL_RADIUS])
    return r


@kernel
def _soft_volume(work, n, x, sharpness, gradient):
    """Volume over pi of the capsule with the soft radius, and its gradient in the six of ``x``.

    With r the soft radius and L = |b - a|:  V = r² L + 4/3 r³,  dV = (2 r L + 4 r²) dr + r² dL.
    L is rounded off at 0, so that a ball is an ordinary point of the search.
    """
    ux, uy, uz, uu = _along(x)
    largest = 0.0
    for i in range(n):
        d, _ = _axis_distance(work[i, 0], work[i, 1], work[i, 2], x, ux, uy, uz, uu)
        work[i, FROM_AXIS] = d
        largest = max(largest, d + work[i, BALL_RADIUS])
    total = 0.0
    for c in range(6):
        gradient[c] = 0.0
    for i in range(n):
        exponent = sharpness * (work[i, FROM_AXIS] + work[i, BALL_RADIUS] - largest)
        if exponent < COVER_NEGLIGIBLE:
            continue
        weight = math.exp(exponent)
        total += weight
        if work[i, FROM_AXIS] == 0.0:
            continue  # on the axis: the distance has no gradient, and 0 is one of its subgradients
        wx = work[i, 0] - x[0]
        wy = work[i, 1] - x[1]
        wz = work[i, 2] - x[2]
        t = 0.0
        if uu > 0.0:
            t = min(1.0, max(0.0, (wx * ux + wy * uy + wz * uz) / uu))
        f = weight / work[i, FROM_AXIS]
        gx = f * (wx - t * ux)
        gy = f * (wy - t * uy)
        gz = f * (wz - t * uz)
        gradient[0] -= (1.0 - t) * gx
        gradient[1] -= (1.0 - t) * gy
        gradient[2] -= (1.0 - t) * gz
        gradient[3] -= t * gx
        gradient[4] -= t * gy
        gradient[5] -= t * gz
    r = largest + math.log(total) / sharpness
    length = math.sqrt(uu + 1.0 / (sharpness * sharpness))
    by_radius = (2.0 * r * length + 4.0 * r * r) / total
    for c in range(6):
        gradient[c] *= by_radius
    by_length = r * r / length
    gradient[0] -= by_length * ux
    gradient[1] -= by_length * uy
    gradient[2] -= by_length * uz
    gradient[3] += by_length * ux
    gradient[4] += by_length * uy
    gradient[5] += by_length * uz
    return r * r * (length + 4.0 / 3.0 * r)


@kernel
def _descend(work, n, x, sharpness, iterations, tolerance, scratch):
    """BFGS with backtracking on the soft volume; ``x`` ends no worse than it began."""
    g, g_next, step, x_next, h = scratch[0], scratch[1], scratch[2], scratch[3], scratch[6:12]
    f = _soft_volume(work, n, x, sharpness, g)
    norm = 0.0
    for c in range(6):
        norm += g[c] * g[c]
    if norm == 0.0:
        return
    for r in range(6):
        for c in range(6):
            h[r, c] = 0.0
        # The first step is a tenth of the body's size; the first curvature measured then sets the
        # scale.
        h[r, r] = 0.1 / math.sqrt(norm)
    for iteration in range(iterations):
        slope = 0.0
        for r in range(6):
            step[r] = 0.0
            for c in range(6):
                step[r] -= h[r, c] * g[c]
            slope += step[r] * g[r]
        if not slope < 0.0:
            return
        f_next, found = _backtrack(work, n, x, sharpness, f, slope, scratch)
        if not found:
            return
        _learn(x, iteration == 0, scratch)
        gained = f - f_next
        for c in range(6):
            x[c] = x_next[c]
            g[c] = g_next[c]
        f = f_next
        if gained < tolerance * f:
            return


@kernel
def _backtrack(work, n, x, sharpness, f, slope, scratch):
    """Go back along the step until f(x + a step) <= f + c a slope, by the parabola through what is
    known. Returns the volume there, and whether one was found."""
    g_next, step, x_next = scratch[1], scratch[2], scratch[3]
    a = 1.0
    f_next = f
    for _ in range(_BACKTRACKS):
        for c in range(6):
            x_next[c] = x[c] + a * step[c]
        f_next = _soft_volume(work, n, x_next, sharpness, g_next)
        if f_next <= f + COVER_ARMIJO * a * slope:
            return f_next, True
        a = max(0.1 * a, min(0.5 * a, -slope * a * a / (2.0 * (f_next - f - slope * a))))
    return f_next, False


@kernel
def _learn(x, first, scratch):
    """What the change of the gradient on the step tells of the inverse Hessian (BFGS)."""
    g, g_next, x_next, y, hy, h = (
        scratch[0], scratch[1], scratch[3], scratch[4], scratch[5], scratch[6:12]
    )  # fmt: skip
    sy = 0.0
    yy = 0.0
    for c in range(6):
        y[c] = g_next[c] - g[c]
        sy += y[c] * (x_next[c] - x[c])
        yy += y[c] * y[c]
    if not sy > 0.0:
        return
    if first:
        for c in range(6):
            h[c, c] = sy / yy
    yhy = 0.0
    for r in range(6):
        hy[r] = 0.0
        for c in range(6):
            hy[r] += h[r, c] * y[c]
        yhy += y[r] * hy[r]
    for r in range(6):
        sr = x_next[r] - x[r]
        for c in range(6):
            sc = x_next[c] - x[c]
            h[r, c] += (1.0 + yhy / sy) * sr * sc / sy - (hy[r] * sc + sr * hy[c]) / sy


@kernel
def start_axis(points, n, x):
    """Half of the way from the centroid to the farthest ball, and as far to the other side. Where
    the descent starts from hardly matters: its first step is too blunt to tell."""
    for c in range(6):
        x[c] = 0.0
    for i in range(n):
        for c in range(3):
            x[c] += points[i, c] / n
    farthest = 0
    most = -1.0
    for i in range(n):
        d = 0.0
        for c in range(3):
            d += (points[i, c] - x[c]) ** 2
        if d > most:
            most = d
            farthest = i
    for c in range(3):
        half = 0.5 * (points[farthest, c] - x[c])
        x[c + 3] = x[c] + half
        x[c] -= half


@kernel
def _take_outside(points, n, x, r, work, m):
    """Append the ball farthest out of the capsule in each octant of directions; the new ``m``."""
    ux, uy, uz, uu = _along(x)
    best = work[work.shape[0] - _OCTANTS :]
    for octant in range(_OCTANTS):
        best[octant, FROM_AXIS] = r
    for i in range(n):
        d, t = _axis_distance(points[i, 0], points[i, 1], points[i, 2], x, ux, uy, uz, uu)
        out = d + points[i, BALL_RADIUS]
        if out > r:
            octant = 0
            for c in range(3):
                if points[i, c] > x[c] + t * (x[c + 3] - x[c]):
                    octant += 1 << c
            if out > best[octant, FROM_AXIS]:
                for c in range(4):
                    best[octant, c] = points[i, c]
                best[octant, FROM_AXIS] = out
    for octant in range(_OCTANTS):
        if best[octant, FROM_AXIS] > r and m < work.shape[0] - _OCTANTS:
            for c in range(4):
                work[m, c] = best[octant, c]
            m += 1
    return m


@entry(
    "float64(float64[:, ::1], int64, float64[::1], float64[::1], int64, float64, "
    "float64[:, ::1], float64[:, ::1])"
)
def fit(points, n, x, sharpness, iterations, tolerance, work, scratch):
    """Improve the axis ``x`` around the first ``n`` balls; the radius that holds them all.

    Only balls that touch matter, and they are few: the descent runs on a working set, which takes
    in what the result leaves outside until that is next to nothing.
    """
    m = min(n, _FEW)
    for i in range(m):
        for c in range(4):
            work[i, c] = points[i * n // m, c]
    steps = sharpness.shape[0]
    step = 0
    for _ in range(_ROUNDS):
        while step < steps:
            _descend(work, m, x, sharpness[step], iterations, tolerance, scratch)
            step += 1
        if m == n:
            break
        before = m
        r = least_radius(work, m, x)
        m = _take_outside(points, n, x, r * (1.0 + COVER_VIOLATION), work, m)
        if m == before:
            break
        step = steps // 2
    return least_radius(points, n, x)


@entry("void(float64[:, ::1], int64, float64[::1], float64)")
def set_ends(points, n, x, r):
    """Set the ends of the axis on its line as near together as the radius ``r``, which must not be
    less than any ball needs beside the line, allows.

    About a fixed line, ball i at height t and distance d from it is held when an end of the axis
    lies beyond  t -+ sqrt((r - radius)² - d²):  the ends are the extremes of these.
    """
    length = math.sqrt((x[3] - x[0]) ** 2 + (x[4] - x[1]) ** 2 + (x[5] - x[2]) ** 2)
    if length == 0.0:
        return
    ux = (x[3] - x[0]) / length
    uy = (x[4] - x[1]) / length
    uz = (x[5] - x[2]) / length
    low = math.inf
    high = -math.inf
    for i in range(n):
        wx = points[i, 0] - x[0]
        wy = points[i, 1] - x[1]
        wz = points[i, 2] - x[2]
        t = wx * ux + wy * uy + wz * uz
        wx -= t * ux
        wy -= t * uy
        wz -= t * uz
        slack = (r - points[i, BALL_RADIUS]) ** 2 - (wx * wx + wy * wy + wz * wz)
        reach = math.sqrt(max(0.0, slack))
        low = min(low, t + reach)
        high = max(high, t - reach)
    if low > high:
        low = 0.5 * (low + high)
        high = low
    for c in range(3):
        u = (x[c + 3] - x[c]) / length
        x[c + 3] = x[c] + high * u
        x[c] += low * u
