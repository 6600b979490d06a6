"""A mesh and another body at one instant: what of the interval around it their surfaces leave open.

The trees of swept spheres are walked down as for the greedy distance (paper 001, section 3.2), but
each pair of volumes is asked for more than a distance. Both are convex, so a direction ``n``
separates them by some ``d``, and `motion.kernels.certify.uncovered` says whether they stay apart
for ``h`` on either side of the instant, ``closing`` the largest speed at which a point of the one
and a point of the other near each other along ``n``. A rigid motion is affine: along ``n`` the
speed of ``x`` is ``n·v + (n x w)·x``, which over a swept rectangle is largest at a corner, but for
the radius. So most pairs are settled high up in the trees, and what is left at a leaf is exact.

Where ``d`` falls far short of that, splitting the two would not help: the side is left open, and
halving the interval helps more. From then on they only have to be apart at the instant itself.

All coordinates are those of the mesh ``a`` of the `MeshPair`; ``b`` is a mesh or convex.
"""

from __future__ import annotations

import math

from numba import types

from standoff.compiled.by_address import called
from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.bvh_walk import (
    OVER,
    SETTLED,
    SPLIT,
    begin,
    box_gap,
    load_leaves,
    push_roots,
    volumes,
    walk,
)
from standoff.geometry.narrowphase.dispatch import comes_second, triangle_convex
from standoff.geometry.narrowphase.layout import CAPSULE, KIND, MESH, SIZE, SLACK, is_round
from standoff.geometry.narrowphase.rows import unrotate
from standoff.geometry.narrowphase.rss import CENTRE, DIAMETER, HALF_U, HALF_V, RADIUS
from standoff.geometry.narrowphase.triangle import (
    CORNERS_B,
    NEAR_A,
    NEAR_B,
    clamp,
    triangle_triangle,
)
from standoff.geometry.narrowphase.vectors import dot, in_axes, load, place, turn, unturn
from standoff.motion.kernels.certify import bent, uncovered
from standoff.motion.kernels.closing import relative_twist
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.motion import place_body

#: What smaller volumes of a mesh might gain in distance over the two that hold them, as parts of
#: the radii and of the diameters of these, [-]: where that would not make up for what a proof
#: lacks, the interval is halved and the volumes are not split. Measured on the scenes of paper 001:
#: without such a limit checks take 5 to 15 times as long, with 0 about three times; parts of 0.1 to
#: 0.5 of the radii differ by some 10 %, and a hundredth of the diameters gains as much among large
#: obstacles as it loses in cages of wires.
LOOSE_RADIUS = 0.25
LOOSE_DIAMETER = 0.005


#: Steps of Newton's method towards the direction between two rectangles.
_STEPS = 3


#: Tables as the callers see them.
WALK = types.int64(p.PathCell.numba_type, p.Search.numba_type)


@entry(WALK)
def mesh_walk(cell, search):
    """Walk the pair of the search, one of the two a mesh, on the sides that are open. Into its walk
    goes what is uncovered back and ahead (negative: free; 0 where the side was free already), and
    the least ``D`` of two leaves that was found. Ends at a ``D`` that is not above 0, and returns
    1."""
    asked, found, pair = search.pair, search.walk, search.room.mesh
    A, i, B, j = search.bodies, asked.a, cell.bodies, asked.b
    place_body(cell, search, i)
    if j < cell.counts.movers:
        place_body(cell, search, j)
        B = A
    if comes_second(A.refs[i, KIND], B.refs[j, KIND]):
        A, i, B, j = B, j, A, i
    begin(pair, A, i, B, j)
    velocities(cell, search, i, 0)
    velocities(cell, search, j, 1)
    found.general = cell.counts.general
    found.taken += pair.state.margin
    found.back = 0.0 if asked.back < 0.0 else -1.0
    found.ahead = 0.0 if asked.ahead < 0.0 else -1.0
    found.least = math.inf
    return int(walk(pair, push_roots(pair), search, _in_any_order, _settle))


@kernel
def _in_any_order(search, s, t):
    return 0.0


@kernel
def _settle(search, s, t, key):
    if s < 0 and t < 0:
        test_leaves(search, s, t)
        return SETTLED if search.walk.least > 0.0 else OVER
    return SETTLED if test_volumes(search, s, t) else SPLIT


@kernel
def velocities(cell, search, k, at):
    """How primitive ``k`` moves, seen from the pair's common frame, in the coordinates of the
    mesh: the velocity of the point at its origin and the angular velocity, into a velocity
    field."""
    field, c, mesh = search.velocity_fields[at], search.pair.common, search.room.mesh
    rows, i = mesh.a.rows, mesh.state.i
    f = 0
    if k < cell.counts.movers:
        f = cell.movers[k].frame
    if f == c:
        field.x = field.y = field.z = field.vx = field.vy = field.vz = 0.0
        return
    poses, twists = search.poses, search.twists
    wx, wy, wz, vx, vy, vz = relative_twist(poses, twists, f, c)
    rx, ry, rz = rows[i, 3] - poses[f, 3], rows[i, 7] - poses[f, 7], rows[i, 11] - poses[f, 11]
    vx, vy, vz = vx + wy * rz - wz * ry, vy + wz * rx - wx * rz, vz + wx * ry - wy * rx
    field.vx, field.vy, field.vz = unrotate(rows, i, vx, vy, vz)
    field.x, field.y, field.z = unrotate(rows, i, wx, wy, wz)


@inlined
def along(field, n):
    """The speed along ``n`` is a constant plus a vector times the place."""
    n0, n1, n2 = n
    w0, w1, w2 = field.x, field.y, field.z
    constant = n0 * field.vx + n1 * field.vy + n2 * field.vz
    return constant, (n1 * w2 - n2 * w1, n2 * w0 - n0 * w2, n0 * w1 - n1 * w0)


@inlined
def in_rectangle(X, x, g):
    """The mean of ``g·x`` over a swept rectangle in its own coordinates, and how far it gets from
    that."""
    g0, g1, g2 = g
    mean = g0 * X[x, CENTRE] + g1 * X[x, CENTRE + 1] + g2 * X[x, CENTRE + 2]
    u, v, _ = in_axes(X, x, g0, g1, g2)
    size = math.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
    return mean, X[x, HALF_U] * abs(u) + X[x, HALF_V] * abs(v) + X[x, RADIUS] * size


@inlined
def in_body(pair, g):
    """The same over the convex body, without the radius of a sphere or capsule, which does not move
    against its core; of the others over the box around them."""
    kind, pose, box = pair.state.kind, pair.pose, pair.box
    g0, g1, g2 = g
    mean = g0 * pose[9] + g1 * pose[10] + g2 * pose[11]
    reach = 0.0
    for k in range(3):
        e = g0 * pose[k] + g1 * pose[3 + k] + g2 * pose[6 + k]
        if is_round(kind):
            half = pair.b.rows[pair.state.j, SIZE + 1] if kind == CAPSULE and k == 2 else 0.0
        else:
            half = box[k]
            mean += e * box[3 + k]
        reach += half * abs(e)
    return mean, reach


@kernel
def settle(walk, h, D, loose, speed, spread):
    """Whether nothing more is to be learnt from a pair of volumes, ``D`` apart: it is apart now,
    and free on each side that is not open. They draw apart at ``speed`` in the mean and no two
    points of them by more than ``spread`` besides. A side is left open where ``loose``, what
    smaller volumes might gain, would not make up for what is missing."""
    bow, most = bent(walk.bend, h), h * walk.length
    back, ahead = h * (speed + spread) + bow, h * (spread - speed) + bow
    if walk.back < 0.0 and not uncovered(D + loose, back, most) < 0.0:
        walk.back = uncovered(D, back, most)
    if walk.ahead < 0.0 and not uncovered(D + loose, ahead, most) < 0.0:
        walk.ahead = uncovered(D, ahead, most)
    done_back = walk.back >= 0.0 or uncovered(D, back, most) < 0.0
    return done_back and (walk.ahead >= 0.0 or uncovered(D, ahead, most) < 0.0)


@kernel
def test_volumes(search, s, t):
    """Whether two volumes need not be split: see `settle`. A triangle counts as the swept rectangle
    of its parent's kind, a convex body as its box or swept segment."""
    pair, fields, rel = search.room.mesh, search.velocity_fields, search.room.mesh.pose
    kind = pair.state.kind
    X, x, Y, y = volumes(pair, s, t)
    if kind == MESH or is_round(kind):
        gap, n = between_rectangles(X, x, Y, y, rel)
    else:
        gap, n = box_gap(X, x, rel, pair.box)
    D = gap - search.walk.taken
    if not D > 0.0:
        return False
    constant_a, g = along(fields[0], n)
    mean_a, reach_a = in_rectangle(X, x, g)
    constant_b, g = along(fields[1], n)
    if kind == MESH:
        # Into b's own coordinates: g·(R y + t).
        g0, g1, g2 = g
        mean_b = g0 * rel[9] + g1 * rel[10] + g2 * rel[11]
        inner, reach_b = in_rectangle(Y, y, unturn(rel, g0, g1, g2))
        mean_b += inner
    else:
        mean_b, reach_b = in_body(pair, g)
    loose = LOOSE_RADIUS * (X[x, RADIUS] + Y[y, RADIUS])
    loose += LOOSE_DIAMETER * (X[x, DIAMETER] + Y[y, DIAMETER])
    speed = constant_a - constant_b + mean_a - mean_b
    return settle(search.walk, search.now.half, D, loose, speed, reach_a + reach_b)


@kernel
def test_leaves(search, s, t):
    """Two triangles, or one and the convex body, exactly: what they leave open goes into the
    walk."""
    pair, found, fields = search.room.mesh, search.walk, search.velocity_fields
    w, out, meshes = pair.corners, pair.answer, pair.state.kind == MESH
    load_leaves(pair, s, t)
    if meshes:
        gap = math.sqrt(triangle_triangle(w, 3, 3, math.inf))
        x0, x1, x2 = load(w, NEAR_B)
        n0, n1, n2 = w[NEAR_A] - x0, w[NEAR_A + 1] - x1, w[NEAR_A + 2] - x2
        if gap > 0.0:
            n0, n1, n2 = n0 / gap, n1 / gap, n2 / gap
        D = gap - found.taken
    else:
        triangle_convex(found.general, search.room)
        n0, n1, n2 = out[0, p.NORMAL], out[0, p.NORMAL + 1], out[0, p.NORMAL + 2]
        D = out[0, p.DISTANCE] - out[0, SLACK] - found.taken
    if found.least > D:
        found.least = D
    if not D > 0.0:
        return
    constant_a, g = along(fields[0], (n0, n1, n2))
    low_a, high_a = over_corners(w, 0, g)
    constant_b, g = along(fields[1], (n0, n1, n2))
    if meshes:
        low_b, high_b = over_corners(w, CORNERS_B, g)
    else:
        mean, reach = in_body(pair, g)
        low_b, high_b = mean - reach, mean + reach
    constant, h = constant_a - constant_b, search.now.half
    bow, most = bent(found.bend, h), h * found.length
    back = uncovered(D, h * (constant + high_a - low_b) + bow, most)
    ahead = uncovered(D, h * (high_b - low_a - constant) + bow, most)
    if not back < 0.0:
        found.back = max(found.back, back)
    if not ahead < 0.0:
        found.ahead = max(found.ahead, ahead)


@inlined
def over_corners(w, at, g):
    """Least and largest ``g·x`` of a triangle."""
    g0, g1, g2 = g
    first = g0 * w[at] + g1 * w[at + 1] + g2 * w[at + 2]
    second = g0 * w[at + 3] + g1 * w[at + 4] + g2 * w[at + 5]
    third = g0 * w[at + 6] + g1 * w[at + 7] + g2 * w[at + 8]
    return min(first, second, third), max(first, second, third)


@kernel
def between_rectangles(X, x, Y, y, rel):
    """By how much a direction separates two swept rectangles, and the direction, from Y to X in the
    coordinates of X's mesh; not above 0 where none was found. See `rss.rectangle_bound`: for any
    ``r``, ``|r| d >= r·c - Σ h |r·e|`` over the half sides of both."""
    c0, c1, c2 = place(rel, Y[y, CENTRE], Y[y, CENTRE + 1], Y[y, CENTRE + 2])
    c0, c1, c2 = c0 - X[x, CENTRE], c1 - X[x, CENTRE + 1], c2 - X[x, CENTRE + 2]
    c0, c1, c2 = in_axes(X, x, c0, c1, c2)
    m0, m1, m2 = in_axes(X, x, *turn(rel, Y[y, 0], Y[y, 1], Y[y, 2]))
    k0, k1, k2 = in_axes(X, x, *turn(rel, Y[y, 3], Y[y, 4], Y[y, 5]))
    h0, h1, f0, f1 = X[x, HALF_U], X[x, HALF_V], Y[y, HALF_U], Y[y, HALF_V]
    s = clamp(-dot(c0, c1, c2, m0, m1, m2), -f0, f0)
    t = clamp(-dot(c0, c1, c2, k0, k1, k2), -f1, f1)
    best, b0, b1, b2 = 0.0, 0.0, 0.0, 0.0
    for _ in range(_STEPS):
        r0, r1, r2 = c0 + s * m0 + t * k0, c1 + s * m1 + t * k1, c2 + s * m2 + t * k2
        r0 -= clamp(r0, -h0, h0)
        r1 -= clamp(r1, -h1, h1)
        rr = dot(r0, r1, r2, r0, r1, r2)
        if rr == 0.0:
            break
        ra, rb = dot(r0, r1, r2, m0, m1, m2), dot(r0, r1, r2, k0, k1, k2)
        lower = dot(r0, r1, r2, c0, c1, c2)
        lower -= h0 * abs(r0) + h1 * abs(r1) + f0 * abs(ra) + f1 * abs(rb)
        long = math.sqrt(rr)
        if lower > best * long:
            best, b0, b1, b2 = lower / long, r0 / long, r1 / long, r2 / long
        # One sweep of coordinate descent on the piecewise quadratic: exact where a side is alone.
        u = 0.0 if r0 == 0.0 else m0 * m0
        u += 0.0 if r1 == 0.0 else m1 * m1
        u += m2 * m2
        before_s, before_t = s, t
        if u > 0.0:
            s = clamp(s - ra / u, -f0, f0)
        moved = s - before_s
        q0, q1, q2 = (0.0 if r0 == 0.0 else m0), (0.0 if r1 == 0.0 else m1), m2
        rb += moved * (q0 * k0 + q1 * k1 + q2 * k2)
        v = 0.0 if r0 == 0.0 else k0 * k0
        v += 0.0 if r1 == 0.0 else k1 * k1
        v += k2 * k2
        if v > 0.0:
            t = clamp(t - rb / v, -f1, f1)
        if s == before_s and t == before_t:
            break
    n0 = -(b0 * X[x, 0] + b1 * X[x, 3] + b2 * X[x, 6])
    n1 = -(b0 * X[x, 1] + b1 * X[x, 4] + b2 * X[x, 7])
    n2 = -(b0 * X[x, 2] + b1 * X[x, 5] + b2 * X[x, 8])
    return best - X[x, RADIUS] - Y[y, RADIUS], (n0, n1, n2)


#: `mesh_walk` by its address: who has no meshes does not wait for it to be compiled.
call_walk = called(WALK)
