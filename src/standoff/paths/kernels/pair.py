"""One pair at one instant: what of the interval around it is proved free.

Both tests ask `motion.kernels.certify.uncovered` about the stretches back and ahead from the
instant, each ``h`` long, with ``D``, the distance less clearance, position errors and margins.
`ball_test` has the direction between the centres of the balls around both, where the centre is the
one point that moves; `body_test` asks the bodies themselves.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.dispatch import DONE, call_nested, closed_form, general_pair
from standoff.geometry.narrowphase.layout import HALFSPACE, KIND, MESH, SLACK
from standoff.motion.kernels.bound import MOTION_POINTS
from standoff.motion.kernels.certify import bent, drift, uncovered
from standoff.motion.kernels.closing import closing_speeds, nearing_speed
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.mesh_walk import call_walk
from standoff.paths.kernels.motion import place_ball, place_body, place_ends
from standoff.paths.kernels.proof_notes import prove
from standoff.tolerances import SMALLEST_LENGTH

#: Part of the tolerance below which the rest of an interval's motion is not looked at any closer,
#: [-]: a pair that comes nearer than clearance + tolerance is called too close only once it cannot
#: get any farther away than this on the interval; what keeps more than this is proved free.
NEAR_PART = 1.0 / 16.0

#: How many times as far apart as they are wide the balls around two bodies may be for their exact
#: distance to be asked for, [-]. Measured on an arm of capsules among boxes: 1.0 has half as many
#: intervals more, 1.4 a fifth more distances; 1.1 to 1.4 cost the same.
NEAR_BALLS = 1.2


@inlined
def relative_bounds(cell, search, a, b, depth):
    """λ and M of both together, and all that is taken off their distance but the clearance."""
    counts, tails, margin = cell.counts, search.tails, search.margin
    steps = counts.deepest + 1
    tail = tails[a * steps + depth]
    length, bend = tail.length, tail.bend
    taken = tail.error + margin[a]
    if b < counts.movers:
        tail = tails[b * steps + depth]
        length, bend = length + tail.length, bend + tail.bend
        taken += tail.error + margin[b]
    return length, bend, taken


@inlined
def ball_test(cell, search, a, b, c, depth, clearance, h):
    """What the balls around ``a`` and ``b`` leave uncovered back and ahead (see `uncovered`), and
    how hopeful it is to ask the shapes themselves. Seen from frame ``c``, at ``depth``."""
    one, other = search.centres[a], cell.balls[b]
    radii = cell.balls[a].radius + other.radius
    place_ball(cell, search, a)
    x, y, z = one.x, one.y, one.z
    vx, vy, vz = one.vx, one.vy, one.vz
    length, bend, taken = relative_bounds(cell, search, a, b, depth)
    if b < cell.counts.movers:
        place_ball(cell, search, b)
        second = search.centres[b]
        x, y, z = x - second.x, y - second.y, z - second.z
        vx, vy, vz = vx - second.vx, vy - second.vy, vz - second.vz
        if c != 0:
            # Seen from a frame that turns with w, both centres lose w x (their place): together
            # w x (their difference).
            twists = search.twists
            wx, wy, wz = twists[c, 0], twists[c, 1], twists[c, 2]
            vx -= wy * z - wz * y
            vy -= wz * x - wx * z
            vz -= wx * y - wy * x
    else:
        x, y, z = x - other.x, y - other.y, z - other.z
    apart = math.sqrt(x * x + y * y + z * z)
    run = h * (x * vx + y * vy + z * vz) / max(apart, SMALLEST_LENGTH)
    return between_balls(apart - clearance - taken, radii, run, bent(bend, h), h * length)


@inlined
def between_balls(apart, radii, run, bow, most):
    """What two balls leave uncovered back and ahead (see `uncovered`), whose centres are ``apart``
    less all that is taken off, and near each other by ``run`` [m] back and ``-run`` ahead, give or
    take ``bow`` (`bent`). Then whether there is hope in asking the shapes: only where the balls
    come near each other; else halving proves as much for less."""
    D = apart - radii
    back, ahead = uncovered(D, bow + run, most), uncovered(D, bow - run, most)
    return back, ahead, apart <= NEAR_BALLS * radii


@inlined
def take_pair(search, a, b, common, depth, clearance, back, ahead):
    """The pair that `body_test` is to look at."""
    pair = search.pair
    pair.a, pair.b, pair.common, pair.depth = a, b, common, depth
    pair.clearance, pair.back, pair.ahead = clearance, back, ahead


@kernel
def body_test(cell, search):
    """Whether the pair is too close at this very instant: `Search.result` then says how. Into the
    pair: what the bodies themselves leave uncovered, where their balls leave ``back`` and
    ``ahead``."""
    refs, pair = cell.bodies.refs, search.pair
    one, other = refs[pair.a, KIND], refs[pair.b, KIND]
    meshed = one == MESH or other == MESH
    proving = search.header.proving != 0
    if meshed:
        pair.clearance = max(pair.clearance, 0.0)
        # A half space has no bounding volume; its distance has a closed form.
        walked = not proving and one != HALFSPACE and other != HALFSPACE
        if walked and mesh_test(cell, search):
            return False
    back, ahead, stop = shape_test(cell, search, meshed)
    if proving and not stop:
        left = 1.0 if pair.back < 0.0 else back
        right = 1.0 if pair.ahead < 0.0 else ahead
        prove(search, p.BY_MESH if meshed else p.BY_SHAPE, pair.a, pair.b, left, right)
    pair.back, pair.ahead = min(pair.back, back), min(pair.ahead, ahead)
    return stop


@inlined
def must_look_inside(cell, search, a, b):
    """Whether it has to be asked if one body is inside the other, which neither balls that meet nor
    surfaces that keep apart can tell: at fresh nodes, of which every piece has one or more, and at
    all where there are open meshes."""
    refs = cell.bodies.refs
    return search.header.nesting != 0 and (refs[a, KIND] == MESH or refs[b, KIND] == MESH)


@kernel
def mesh_test(cell, search):
    """A walk through the trees of meshes, and whether that is all there is to do; then the pair has
    what is left uncovered back and ahead. Not where two triangles are too close or the interval is
    `small`, and not where one body may be inside the other: fresh nodes ask for that, and as long
    as their surfaces keep apart it holds for all of it, but for open meshes."""
    pair, walk, h = search.pair, search.walk, search.now.half
    length, bend, taken = relative_bounds(cell, search, pair.a, pair.b, pair.depth)
    walk.length, walk.bend, walk.taken = length, bend, pair.clearance + taken
    met = call_walk(cell.counts.walker, cell, search) != 0
    if met or (search.header.nesting != 0 and is_nested(cell, search, pair.a, pair.b)):
        return False
    back = pair.back if pair.back < 0.0 else walk.back
    ahead = pair.ahead if pair.ahead < 0.0 else walk.ahead
    done = (back < 0.0 and ahead < 0.0) or not small(cell, search, length, h)
    if done:
        pair.back, pair.ahead = back, ahead
    return done


@kernel
def is_nested(cell, search, a, b):
    """Whether one of two bodies, whose surfaces do not meet, is inside the other."""
    theirs = search.bodies if b < cell.counts.movers else cell.bodies
    return call_nested(cell.counts.nester, search.bodies, a, theirs, b, search.room)


@inlined
def small(cell, search, length, h):
    """Whether an interval is too short to be worth halving: on it no pair that moves by λ =
    ``length`` can get farther away than a part of the tolerance; for the earliest contact, whether
    it is no longer than the precision, too."""
    header = search.header
    result = not h * length > NEAR_PART * cell.settings.tolerance
    if header.earliest != 0:
        result = result and not h > header.precision
    return result


@inlined
def measure(cell, search, a, b):
    """Into `Search.answer`: the distance of primitives ``a`` (a mover) and ``b``; DONE, or why
    not."""
    place_body(cell, search, a)
    ours, theirs, out = search.bodies, cell.bodies, search.answer
    if b < cell.counts.movers:
        place_body(cell, search, b)
        theirs = ours
    search.header.distances += 1
    if closed_form(ours, a, theirs, b, out, 0):
        return DONE
    return general_pair(cell.counts.general, ours, a, theirs, b, search.room, out, 0)


@inlined
def round_speeds(cell, search, n):
    """`closing_speeds` of spheres and capsules, and of one and what stands still: by the ends of
    their axes, whose velocities are known at the instant. Seen from a frame that turns with w, the
    velocity of ``x`` loses ``w x x``, but for what both lose alike."""
    pair = search.pair
    low_a, high_a = end_speeds(cell, search, pair.a, pair.common, n)
    if pair.b < cell.counts.movers:
        low_b, high_b = end_speeds(cell, search, pair.b, pair.common, n)
        return high_a - low_b, high_b - low_a
    return high_a, -low_a


@inlined
def end_speeds(cell, search, i, c, n):
    """Least and largest speed along ``n`` of the two ends of mover ``i``."""
    place_ends(cell, search, i)
    nx, ny, nz = n
    low, high = search.ends[2 * i], search.ends[2 * i + 1]
    first = nx * low.vx + ny * low.vy + nz * low.vz
    second = nx * high.vx + ny * high.vy + nz * high.vz
    if c != 0:
        twists = search.twists
        wx, wy, wz = twists[c, 0], twists[c, 1], twists[c, 2]
        # n·(w x x) = (n x w)·x
        gx, gy, gz = ny * wz - nz * wy, nz * wx - nx * wz, nx * wy - ny * wx
        first -= gx * low.x + gy * low.y + gz * low.z
        second -= gx * high.x + gy * high.y + gz * high.z
    return min(first, second), max(first, second)


@inlined
def nearing_speeds(cell, search, meshed):
    """How fast the pair's bodies near each other, back and ahead, along the normal of the answer;
    of a mesh, which no direction separates, at most."""
    pair, out, bodies = search.pair, search.answer, cell.motion_bodies
    a, other = pair.a, min(pair.b, bodies.shape[0] - 1)
    n = out[0, p.NORMAL], out[0, p.NORMAL + 1], out[0, p.NORMAL + 2]
    if meshed:
        back = nearing_speed(search.poses, search.twists, bodies, cell.cores, a, other, pair.common)
        return back, back
    if bodies[a, MOTION_POINTS] <= 2 and bodies[other, MOTION_POINTS] <= 2:
        return round_speeds(cell, search, n)
    return closing_speeds(search.poses, search.twists, bodies, cell.cores, a, other, pair.common, n)


@inlined
def shape_test(cell, search, meshed):
    """What the exact distance leaves uncovered of the two sides, and whether the pair is too close
    at the instant already; if so the result holds it, unless it has a worse one."""
    pair, header, h = search.pair, search.header, search.now.half
    clearance, tolerance = pair.clearance, cell.settings.tolerance
    status = measure(cell, search, pair.a, pair.b)
    length, bend, taken = relative_bounds(cell, search, pair.a, pair.b, pair.depth)
    d, slack = search.answer[0, p.DISTANCE], search.answer[0, SLACK]
    back, ahead = nearing_speeds(cell, search, meshed)
    D = d - slack - clearance - taken
    open_back = uncovered(D, drift(back, bend, h), h * length)
    open_ahead = uncovered(D, drift(ahead, bend, h), h * length)
    if open_back < 0.0 and open_ahead < 0.0:
        return open_back, open_ahead, False
    kind = p.NOTHING
    if status == DONE:
        if overlap(d, slack, clearance, meshed):
            kind = p.CONTACT
        elif not d > clearance + slack:
            kind = p.NEAR
    # However short the interval: it holds this instant, and a proof needs D > 0. While D > 0 a
    # search that lists its proofs goes on: the check may have proved this pair otherwise.
    hasty = header.hasty != 0 and not D > 0.0
    listing = header.proving != 0 and D > 0.0
    if kind == p.NOTHING and (hasty or (not listing and small(cell, search, length, h))):
        if status == DONE and d + slack < clearance + tolerance:
            kind = p.NEAR
        else:
            kind = p.DOUBT
    if kind == p.NOTHING:
        return open_back, open_ahead, False
    note_result(search, kind)
    return math.inf, math.inf, True


@inlined
def overlap(d, slack, clearance, meshed):
    """Whether two bodies that are ``d`` apart overlap, beyond doubt, by more than they may."""
    return d + slack < min(clearance, 0.0) or (meshed and d <= 0.0)


@kernel
def note_result(search, kind):
    """Keep the answer as a result for the pair, unless something worse is known; where the earliest
    is asked for, unless it is later."""
    result, now, pair = search.result, search.now, search.pair
    known = result.kind
    if search.header.earliest != 0:
        if known != p.NOTHING:
            here, then = now.piece + now.t, result.piece + result.u
            if here > then or (here == then and kind <= known):
                return
    elif kind <= known:
        return
    keep_result(search, kind, pair.a, pair.b, pair.clearance)


@kernel
def keep_result(search, kind, a, b, clearance):
    """The answer becomes the result."""
    result, out, now = search.result, search.answer, search.now
    result.kind, result.piece, result.u = kind, now.piece, now.t
    result.a, result.b, result.required = a, b, clearance
    result.distance, result.slack = out[0, p.DISTANCE], out[0, SLACK]
    for k in range(3):
        result.point_a[k] = out[0, p.POINT_A + k]
        result.point_b[k] = out[0, p.POINT_B + k]
        result.normal[k] = out[0, p.NORMAL + k]
