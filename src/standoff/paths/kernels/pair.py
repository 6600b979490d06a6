"""One pair at one instant: what of the interval around it is proved free.

Both tests look back and ahead from the instant. With ``D`` the distance less clearance, strays and
margins, the side of length ``h`` is free when ``D > 0`` and either

    D > h closing + h² M / 2     (a direction separates the pair by D; see `motion.kernels.certify`)
    D > h λ                      (no point of the pair moves farther; paper 001)

`ball_test` has the direction between the centres of the balls around both, where the centre is the
one point that moves; `body_test` asks the bodies themselves.

Notes of what proves a stretch free, for whoever asks for a certificate.
"""

from __future__ import annotations

import math

from standoff.compiled.arena import real_rows, reals, wholes
from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.dispatch import DONE
from standoff.geometry.narrowphase.layout import KIND, MESH, OUT_COLUMNS, SLACK
from standoff.geometry.narrowphase.unpacked import call_nested, closed_form, general_pair
from standoff.motion.kernels.closing import closing_speeds, nearing_speed
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.mesh_walk import call_walk
from standoff.paths.kernels.motion import place_ball, place_body, place_ends
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
def uncovered(D, closing, M, length, h):
    """How much more distance the proof would need, [m]; negative where the side is free."""
    return max(min(h * (closing + 0.5 * h * M), h * length), 0.0) - D


@inlined
def relative_bounds(CW, SF, SW, a, b, depth):
    """λ and M of both together as far as they count, all that is taken off their distance but the
    clearance, and λ itself."""
    counts, tails, margin = (
        wholes(CW, p.C_COUNTS), real_rows(SF, SW, p.S_TAILS, p.TAIL_COLUMNS),
        real_rows(SF, SW, p.S_MARGIN, 1),
    )  # fmt: skip
    steps = counts[0, p.DEEPEST] + 1
    row = a * steps + depth
    length, bend, way = tails[row, p.LENGTH], tails[row, p.BEND], tails[row, p.WAY]
    taken = tails[row, p.SWAY] + margin[a, 0]
    if b < counts[0, p.MOVERS]:
        row = b * steps + depth
        length, bend = length + tails[row, p.LENGTH], bend + tails[row, p.BEND]
        taken += tails[row, p.SWAY] + margin[b, 0]
        way += tails[row, p.WAY]
    return length, bend, taken, way


@inlined
def ball_test(CF, CW, SF, SW, a, b, c, depth, clearance, h):
    """What the balls around ``a`` and ``b`` leave uncovered back and ahead (see `uncovered`); how
    hopeful it is to ask the shapes themselves; the distance of the centres and the way from b's to
    a's. Seen from frame ``c``, at ``depth``."""
    balls, centres = reals(CF, CW, p.C_BALLS), reals(SF, SW, p.S_CENTRES)
    place_ball(CF, CW, SF, SW, a)
    x, y, z = centres[a, 0], centres[a, 1], centres[a, 2]
    vx, vy, vz = centres[a, 3], centres[a, 4], centres[a, 5]
    length, bend, taken, _ = relative_bounds(CW, SF, SW, a, b, depth)
    if b < wholes(CW, p.C_COUNTS)[0, p.MOVERS]:
        place_ball(CF, CW, SF, SW, b)
        x, y, z = x - centres[b, 0], y - centres[b, 1], z - centres[b, 2]
        vx, vy, vz = vx - centres[b, 3], vy - centres[b, 4], vz - centres[b, 5]
        if c != 0:
            # Seen from a frame that turns with w, both centres lose w x (their place): together
            # w x (their difference).
            twists = reals(SF, SW, p.S_TWISTS)
            wx, wy, wz = twists[c, 0], twists[c, 1], twists[c, 2]
            vx -= wy * z - wz * y
            vy -= wz * x - wx * z
            vz -= wx * y - wy * x
    else:
        x, y, z = x - balls[b, 0], y - balls[b, 1], z - balls[b, 2]
    apart = math.sqrt(x * x + y * y + z * z)
    run = h * (x * vx + y * vy + z * vz) / max(apart, SMALLEST_LENGTH)
    back, ahead, hope = between_balls(
        apart - clearance - taken, balls[a, 3] + balls[b, 3], run, 0.5 * h * h * bend, h * length
    )
    return back, ahead, hope, apart, x, y, z


@inlined
def between_balls(apart, radii, run, bent, most):
    """What two balls leave uncovered back and ahead (see `uncovered`), whose centres are ``apart``
    less all that is taken off, and near each other by ``run`` [m] back and ``-run`` ahead. Then
    whether there is hope in asking the shapes: only where the balls come near each other; else
    halving proves as much for less."""
    D = apart - radii
    back = max(min(bent + run, most), 0.0) - D
    ahead = max(min(bent - run, most), 0.0) - D
    return back, ahead, apart <= NEAR_BALLS * radii


@kernel
def body_test(general, CF, CW, SF, SW, piece, a, b, c, depth, clearance, t, h, back, ahead):
    """What the bodies themselves leave uncovered, where their balls leave ``back`` and ``ahead``;
    and whether the pair is too close at the instant ``t`` itself: S_RESULT then says how."""
    refs, header = wholes(CW, p.C_REFS), wholes(SW, p.S_HEADER)
    meshed = refs[a, KIND] == MESH or refs[b, KIND] == MESH
    proving = header[0, p.PROVING] != 0
    if meshed:
        clearance = max(clearance, 0.0)
        if not proving:
            done, more_back, more_ahead = mesh_test(
                general, CF, CW, SF, SW, a, b, c, depth, clearance, h, back, ahead
            )
            if done:
                return more_back, more_ahead, False
    more_back, more_ahead, stop = shape_test(
        general, CF, CW, SF, SW, piece, a, b, c, depth, clearance, t, h, meshed
    )
    if proving and not stop:
        left = 1.0 if back < 0.0 else more_back
        right = 1.0 if ahead < 0.0 else more_ahead
        prove(SF, SW, piece, t, h, left, right, p.BY_MESH if meshed else p.BY_SHAPE, a, b, 0)
    return min(back, more_back), min(ahead, more_ahead), stop


@inlined
def must_look_inside(CW, SW, a, b):
    """Whether it has to be asked if one body is inside the other, which neither balls that meet nor
    surfaces that keep apart can tell: at fresh nodes, of which every piece has one or more, and at
    all where there are open meshes."""
    refs = wholes(CW, p.C_REFS)
    nesting = wholes(SW, p.S_HEADER)[0, p.NESTING] != 0
    return nesting and (refs[a, KIND] == MESH or refs[b, KIND] == MESH)


@kernel
def mesh_test(general, CF, CW, SF, SW, a, b, c, depth, clearance, h, back, ahead):
    """A walk through the trees of meshes, and whether that is all there is to do; what is left
    uncovered back and ahead, where it is. Not where two triangles are too close or the interval is
    `small`, and not where one body may be inside the other: fresh nodes ask for that, and as long
    as their surfaces keep apart it holds for all of it, but for open meshes."""
    counts, out = wholes(CW, p.C_COUNTS), reals(SF, SW, p.S_OUT)
    length, bend, taken, way = relative_bounds(CW, SF, SW, a, b, depth)
    sides = (0 if back < 0.0 else 1) + (0 if ahead < 0.0 else 2)
    walker = counts[0, p.WALKER]
    met = call_walk(
        walker, general, CF, CW, SF, SW, a, b, c, clearance + taken, h, length, bend, sides
    )
    if met != 0 or (wholes(SW, p.S_HEADER)[0, p.NESTING] != 0 and is_nested(CF, CW, SF, SW, a, b)):
        return False, 0.0, 0.0
    back, ahead = out[1, 0] if sides & 1 else back, out[1, 1] if sides & 2 else ahead
    free = back < 0.0 and ahead < 0.0
    return free or not small(CF, CW, SF, SW, way, h), back, ahead


@kernel
def is_nested(CF, CW, SF, SW, a, b):
    """Whether one of two bodies, whose surfaces do not meet, is inside the other."""
    counts, refs = wholes(CW, p.C_COUNTS), wholes(CW, p.C_REFS)
    A, B = reals(SF, SW, p.S_ROWS), reals(CF, CW, p.C_ROWS)
    if b < counts[0, p.MOVERS]:
        B = A
    points, faces, solids, whole = (
        reals(CF, CW, p.C_POINTS), wholes(CW, p.C_FACES), reals(CF, CW, p.C_SOLIDS),
        wholes(CW, p.C_INTS),
    )  # fmt: skip
    work, iwork = reals(SF, SW, p.S_WORK), wholes(SW, p.S_IWORK)
    ints = whole.reshape(whole.size)
    return call_nested(
        counts[0, p.NESTER], A, refs, a, points, faces, solids, ints,
        B, refs, b, points, faces, solids, ints, work.reshape(work.size), iwork.reshape(iwork.size),
    )  # fmt: skip


@inlined
def small(CF, CW, SF, SW, way, h):
    """Whether an interval is too short to be worth halving: on it no pair that ``way`` is moved can
    get farther away than a part of the tolerance; for the earliest contact, whether it is no longer
    than the precision, too."""
    tolerance = reals(CF, CW, p.C_SETTINGS)[0, p.TOLERANCE]
    result = not h * way > NEAR_PART * tolerance
    if wholes(SW, p.S_HEADER)[0, p.EARLIEST] != 0:
        result = result and not h > reals(SF, SW, p.S_RESULT)[0, p.PRECISION]
    return result


@inlined
def measure(general, CF, CW, SF, SW, a, b):
    """Row 0 of S_OUT: the distance of primitives ``a`` (a mover) and ``b``; DONE, or why not."""
    place_body(CF, CW, SF, SW, a)
    A, out, refs = reals(SF, SW, p.S_ROWS), reals(SF, SW, p.S_OUT), wholes(CW, p.C_REFS)
    points, B = reals(CF, CW, p.C_POINTS), reals(CF, CW, p.C_ROWS)
    if b < wholes(CW, p.C_COUNTS)[0, p.MOVERS]:
        place_body(CF, CW, SF, SW, b)
        B = A
    wholes(SW, p.S_HEADER)[0, p.DISTANCES] += 1
    if closed_form(A, refs, a, points, B, refs, b, points, out, 0):
        return DONE
    faces, solids, ints = wholes(CW, p.C_FACES), reals(CF, CW, p.C_SOLIDS), wholes(CW, p.C_INTS)
    work, iwork = reals(SF, SW, p.S_WORK), wholes(SW, p.S_IWORK)
    return general_pair(
        general, A, refs, a, points, faces, solids, ints.reshape(ints.size),
        B, refs, b, points, faces, solids, ints.reshape(ints.size),
        work.reshape(work.size), iwork.reshape(iwork.size), out, 0,
    )  # fmt: skip


@inlined
def round_speeds(CF, CW, SF, SW, a, b, c, nx, ny, nz):
    """`closing_speeds` of spheres and capsules, and of one and what stands still: by the ends of
    their axes, whose velocities are known at the instant. Seen from a frame that turns with w, the
    velocity of ``x`` loses ``w x x``, but for what both lose alike."""
    low_a, high_a = end_speeds(CF, CW, SF, SW, a, c, nx, ny, nz)
    if b < wholes(CW, p.C_COUNTS)[0, p.MOVERS]:
        low_b, high_b = end_speeds(CF, CW, SF, SW, b, c, nx, ny, nz)
        return high_a - low_b, high_b - low_a
    return high_a, -low_a


@inlined
def end_speeds(CF, CW, SF, SW, i, c, nx, ny, nz):
    """Least and largest speed along ``n`` of the two ends of mover ``i``."""
    place_ends(CF, CW, SF, SW, i)
    ends = reals(SF, SW, p.S_ENDS)
    first = nx * ends[i, 3] + ny * ends[i, 4] + nz * ends[i, 5]
    second = nx * ends[i, 9] + ny * ends[i, 10] + nz * ends[i, 11]
    if c != 0:
        twists = reals(SF, SW, p.S_TWISTS)
        wx, wy, wz = twists[c, 0], twists[c, 1], twists[c, 2]
        # n·(w x x) = (n x w)·x
        gx, gy, gz = ny * wz - nz * wy, nz * wx - nx * wz, nx * wy - ny * wx
        first -= gx * ends[i, 0] + gy * ends[i, 1] + gz * ends[i, 2]
        second -= gx * ends[i, 6] + gy * ends[i, 7] + gz * ends[i, 8]
    return min(first, second), max(first, second)


@inlined
def shape_test(general, CF, CW, SF, SW, piece, a, b, c, depth, clearance, t, h, meshed):
    """What the exact distance leaves uncovered of the two sides, and whether the pair is too close
    at the instant ``t`` already; if so S_RESULT holds it, unless it has a worse one."""
    status = measure(general, CF, CW, SF, SW, a, b)
    out, cores = reals(SF, SW, p.S_OUT), reals(CF, CW, p.C_CORES)
    poses, twists, movers = (
        reals(SF, SW, p.S_POSES), reals(SF, SW, p.S_TWISTS), wholes(CW, p.C_MOVERS)
    )  # fmt: skip
    settings = reals(CF, CW, p.C_SETTINGS)
    length, bend, taken, way = relative_bounds(CW, SF, SW, a, b, depth)
    other = min(b, movers.shape[0] - 1)
    d, slack = out[0, 0], out[0, SLACK]
    if meshed:
        back = ahead = nearing_speed(poses, twists, movers, cores, a, other, c)
    elif movers[a, p.POINTS] <= 2 and movers[other, p.POINTS] <= 2:
        back, ahead = round_speeds(CF, CW, SF, SW, a, b, c, out[0, 7], out[0, 8], out[0, 9])
    else:
        back, ahead = closing_speeds(
            poses, twists, movers, cores, a, other, c, out[0, 7], out[0, 8], out[0, 9]
        )
    D = d - slack - clearance - taken
    open_back = uncovered(D, back, bend, length, h)
    open_ahead = uncovered(D, ahead, bend, length, h)
    if open_back < 0.0 and open_ahead < 0.0:
        return open_back, open_ahead, False
    kind = p.NOTHING
    if status == DONE:
        if d + slack < min(clearance, 0.0) or (meshed and d <= 0.0):
            kind = p.CONTACT
        elif not d > clearance + slack:
            kind = p.NEAR
    # However short the interval: it holds this instant, and a proof needs D > 0. While D > 0 a
    # search that lists its proofs goes on: the check may have proved this pair otherwise.
    header = wholes(SW, p.S_HEADER)
    hasty = header[0, p.HASTY] != 0 and not D > 0.0
    listing = header[0, p.PROVING] != 0 and D > 0.0
    if kind == p.NOTHING and (hasty or (not listing and small(CF, CW, SF, SW, way, h))):
        if status == DONE and d + slack < clearance + settings[0, p.TOLERANCE]:
            kind = p.NEAR
        else:
            kind = p.DOUBT
    if kind == p.NOTHING:
        return open_back, open_ahead, False
    note_result(SF, SW, kind, piece, t, a, b, clearance)
    return math.inf, math.inf, True


@kernel
def note_result(SF, SW, kind, piece, t, a, b, clearance):
    """Keep what row 0 of S_OUT says, unless something worse is known; where the earliest is asked
    for, unless it is later."""
    result = reals(SF, SW, p.S_RESULT)
    known = result[0, p.KIND]
    if wholes(SW, p.S_HEADER)[0, p.EARLIEST] != 0:
        if known != p.NOTHING:
            now, then = piece + t, result[0, p.PIECE] + result[0, p.WHEN]
            if now > then or (now == then and kind <= known):
                return
    elif kind <= known:
        return
    keep_result(SF, SW, kind, piece, t, a, b)
    result[0, p.REQUIRED] = clearance


@kernel
def keep_result(SF, SW, kind, piece, t, a, b):
    """Put row 0 of S_OUT into S_RESULT."""
    result, out = reals(SF, SW, p.S_RESULT), reals(SF, SW, p.S_OUT)
    result[0, p.KIND], result[0, p.PIECE], result[0, p.WHEN] = kind, piece, t
    for k in range(OUT_COLUMNS):
        result[0, p.DISTANCE + k] = out[0, k]
    result[0, p.BODY_A], result[0, p.BODY_B] = a, b


@kernel
def prove(SF, SW, piece, t, h, back, ahead, method, a, b, row):
    """Note which sides of the instant ``t`` are free (those that are negative); ``row`` of S_OUT
    has the distance, of which the slack is taken off, and the direction. Counts on where the table
    is full."""
    proofs, header, out = (
        reals(SF, SW, p.S_PROOFS), wholes(SW, p.S_HEADER), reals(SF, SW, p.S_OUT)
    )  # fmt: skip
    for side in range(2):
        left = back if side == 0 else ahead
        if not left < 0.0:
            continue
        k = header[0, p.PROOFS_USED]
        header[0, p.PROOFS_USED] = k + 1
        if k >= proofs.shape[0]:
            continue
        proofs[k, 0] = piece
        proofs[k, 1] = t - h if side == 0 else t
        proofs[k, 2] = t if side == 0 else t + h
        proofs[k, 3], proofs[k, 4] = t, method
        proofs[k, 5], proofs[k, 6] = a, b
        proofs[k, 7] = out[row, 0] - out[row, SLACK]
        proofs[k, 8], proofs[k, 9], proofs[k, 10] = out[row, 7], out[row, 8], out[row, 9]


@kernel
def prove_ball(CF, CW, SF, SW, piece, t, h, back, ahead, a, b, apart, x, y, z):
    """Note what the balls prove; (x, y, z) is the way from b's centre to a's, ``apart`` long."""
    balls, out = reals(CF, CW, p.C_BALLS), reals(SF, SW, p.S_OUT)
    out[1, 0], out[1, SLACK] = apart - balls[a, 3] - balls[b, 3], 0.0
    out[1, 7], out[1, 8], out[1, 9] = x / apart, y / apart, z / apart
    prove(SF, SW, piece, t, h, back, ahead, p.BY_BALL, a, b, 1)


@kernel
def prove_group(SF, SW, piece, t, h, a, group):
    """Note that mover ``a`` does not reach the box ``group`` on either side."""
    out = reals(SF, SW, p.S_OUT)
    out[1, 0] = out[1, SLACK] = out[1, 7] = out[1, 8] = out[1, 9] = 0.0
    prove(SF, SW, piece, t, h, -1.0, -1.0, p.BY_GROUP, a, group, 1)
