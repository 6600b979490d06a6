"""How far a body can get from the axis of each joint that carries it.

What a body's points can reach, seen from a joint ``j`` of its chain while all joints beyond ``j``
take any value, is a set ``A``; the reach ``R_j`` is the farthest point of ``A`` from the axis. The
farthest point of a set from a line is one of its convex hull, so all that is needed of ``A`` is its
support function ``h(u) = max {u·x : x in A}``, and that can be carried inwards from joint to joint:

- a link moves ``A`` rigidly: ``u·t + h(R'u)``;
- a prismatic joint adds its travel, a segment with half vector ``g``: ``h(u) + |u·g|``;
- a revolute joint, at any angle, makes ``A`` a body of revolution, whose ``h`` depends on the
  elevation of ``u`` above the plane across the axis alone: the largest ``h`` around the axis.

Such a body is kept as the polygon of its profile's tangents at ``REACH_DIRECTIONS`` elevations;
the corner between two tangents bounds ``h`` between them, because ``h`` is sublinear. The maximum
around the axis is taken over as many directions and raised by what sublinearity allows between two
of them (`_revolve`). So no step can miss anything: each one rounds outwards.
"""

from __future__ import annotations

import math

import numpy as np

from standoff.compiled.jit import allocating, entry, kernel
from standoff.robots.kernels.kinematics import DEPTH, HIGHEST, JOINT_KIND, LOWEST, PARENT, REVOLUTE
from standoff.tolerances import REACH_DIRECTIONS, REACH_ROUNDING

#: Elevations run from straight down to straight up in this many steps, evenly in ``z / (r + |z|)``,
#: which takes one division where the angle itself would take an arc tangent; the widest step, at
#: 45 degrees, is a third wider than if they were even in the angle.
_STEPS = REACH_DIRECTIONS // 2

_TURNS = 2.0 * math.pi / REACH_DIRECTIONS * np.arange(REACH_DIRECTIONS)
_AROUND = np.stack((np.cos(_TURNS), np.sin(_TURNS)), axis=1)

_HEIGHTS = np.linspace(-1.0, 1.0, _STEPS + 1)
_ELEVATION = np.stack((1.0 - np.abs(_HEIGHTS), _HEIGHTS), axis=1)
_ELEVATION /= np.sqrt((_ELEVATION * _ELEVATION).sum(axis=1))[:, None]

#: Between two neighbouring directions e around an axis, any third is a e + b e' with
#: 1 <= a + b <= 1 + this.
_BETWEEN = 1.0 / math.cos(math.pi / REACH_DIRECTIONS) - 1.0


@entry("void(float64[:,::1], int64[:,::1], int64, float64[:,::1], float64[::1])", allocating)
def reach(reals, ints, frame, points, out):
    """``out[k]``: the farthest that the ``points`` (n, 3), which are fixed in ``frame``, can get
    from the axis of the k-th joint between the world and them; 1 for a prismatic joint, whose unit
    of motion moves every point by just 1. Joints take any angle, and prismatic joints any position
    from LOWEST to HIGHEST."""
    pose = np.zeros(12)
    _reset(pose)
    travel = np.empty((ints[frame, DEPTH], 3))
    travels = 0
    corners = np.empty((_STEPS, 2))
    tangents = np.empty(_STEPS + 1)
    revolved = False
    extent = 0.0
    for i in range(points.shape[0]):
        extent = max(extent, math.sqrt(points[i, 0] ** 2 + points[i, 1] ** 2 + points[i, 2] ** 2))
    f = frame
    while ints[f, DEPTH] > 0:
        k = ints[f, DEPTH] - 1
        if ints[f, JOINT_KIND] == REVOLUTE:
            if revolved or travels > 0:
                _revolve(pose, travel, travels, corners, points, revolved, tangents)
            else:
                _revolve_points(points, tangents)
            farthest = tangents[_STEPS // 2]
            out[k] = farthest + REACH_ROUNDING * (farthest + extent)
            _corners(tangents, corners)
            revolved = True
            travels = 0
            _reset(pose)
        else:
            out[k] = 1.0
            half = 0.5 * (reals[f, HIGHEST] - reals[f, LOWEST])
            pose[11] += reals[f, LOWEST] + half
            extent += max(abs(reals[f, HIGHEST]), abs(reals[f, LOWEST]))
            travel[travels, 0] = 0.0
            travel[travels, 1] = 0.0
            travel[travels, 2] = half
            travels += 1
        extent += math.sqrt(reals[f, 3] ** 2 + reals[f, 7] ** 2 + reals[f, 11] ** 2)
        _into_parent(reals, f, pose, travel, travels)
        f = ints[f, PARENT]


@kernel
def _reset(pose):
    for k in range(12):
        pose[k] = 0.0
    pose[0] = 1.0
    pose[5] = 1.0
    pose[10] = 1.0


@kernel
def _revolve_points(points, tangents):
    """Tangents of the body that the points sweep about z."""
    for e in range(_STEPS + 1):
        c, s = _ELEVATION[e, 0], _ELEVATION[e, 1]
        best = -math.inf
        for i in range(points.shape[0]):
            r = math.sqrt(points[i, 0] ** 2 + points[i, 1] ** 2)
            best = max(best, c * r + s * points[i, 2])
        tangents[e] = best


@kernel
def _revolve(pose, travel, travels, corners, points, revolved, tangents):
    """Tangents of the body that the set sweeps about z: at each elevation, an upper bound of ``h``
    over all directions ``u`` around the axis.

    With ``m`` the largest ``h`` measured and ``s`` the sine of the elevation, ``u`` between two
    neighbours is ``a u1 + b u2 + (a + b - 1) w``, ``w = (0, 0, -s)``, and so
    ``h(u) <= a h(u1) + b h(u2) + (a + b - 1) h(w) <= m + (a + b - 1) (m + h(w))``."""
    for e in range(_STEPS + 1):
        c, s = _ELEVATION[e, 0], _ELEVATION[e, 1]
        largest = -math.inf
        for i in range(REACH_DIRECTIONS):
            x, y = c * _AROUND[i, 0], c * _AROUND[i, 1]
            h = _support((x, y, s), pose, travel, travels, corners, points, revolved)
            largest = max(largest, h)
        tangents[e] = largest
    for e in range(1, _STEPS):
        s = _ELEVATION[e, 1]
        opposite = s * tangents[0] if s > 0.0 else -s * tangents[_STEPS]
        tangents[e] += _BETWEEN * max(0.0, tangents[e] + opposite)


@kernel
def _support(direction, pose, travel, travels, corners, points, revolved):
    """``h`` of the present set in a direction."""
    x, y, z = direction
    result = x * pose[3] + y * pose[7] + z * pose[11]
    for i in range(travels):
        result += abs(x * travel[i, 0] + y * travel[i, 1] + z * travel[i, 2])
    u = x * pose[0] + y * pose[4] + z * pose[8]
    v = x * pose[1] + y * pose[5] + z * pose[9]
    w = x * pose[2] + y * pose[6] + z * pose[10]
    if revolved:
        across = math.sqrt(u * u + v * v)
        e = min(int((w / (across + abs(w)) + 1.0) * (0.5 * _STEPS)), _STEPS - 1)
        return result + corners[e, 0] * across + corners[e, 1] * w
    best = -math.inf
    for i in range(points.shape[0]):
        best = max(best, u * points[i, 0] + v * points[i, 1] + w * points[i, 2])
    return result + best


@kernel
def _corners(tangents, corners):
    """Where neighbouring tangents ``r cos + z sin = h`` of the profile meet: (r, z)."""
    for e in range(_STEPS):
        c, s = _ELEVATION[e, 0], _ELEVATION[e, 1]
        c1, s1 = _ELEVATION[e + 1, 0], _ELEVATION[e + 1, 1]
        scale = 1.0 / (c * s1 - s * c1)
        corners[e, 0] = (tangents[e] * s1 - tangents[e + 1] * s) * scale
        corners[e, 1] = (tangents[e + 1] * c - tangents[e] * c1) * scale


@kernel
def _into_parent(reals, f, pose, travel, travels):
    """The set as seen from the parent of frame ``f``."""
    for k in range(4):
        x, y, z = pose[k], pose[4 + k], pose[8 + k]
        for r in range(3):
            pose[4 * r + k] = (
                reals[f, 4 * r] * x + reals[f, 4 * r + 1] * y + reals[f, 4 * r + 2] * z
            )
    for r in range(3):
        pose[4 * r + 3] += reals[f, 4 * r + 3]
    for i in range(travels):
        x, y, z = travel[i, 0], travel[i, 1], travel[i, 2]
        for r in range(3):
            travel[i, r] = reals[f, 4 * r] * x + reals[f, 4 * r + 1] * y + reals[f, 4 * r + 2] * z
