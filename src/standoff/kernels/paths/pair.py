"""One pair at one instant: what of the interval around it is proved free.

Both tests look back and ahead from the instant. With ``D`` the distance less clearance, strays and
margins, the side of length ``h`` is free when ``D > 0`` and either

    D > h closing + h² M / 2     (a direction separates the pair by D; see `kernels.separation`)
    D > h λ                      (no point of the pair moves farther; paper 001)

`ball_test` has the direction between the centres of the balls around both, where the centre is the
one point that moves; `shape_test` has the exact distance. `test_pair` asks them in this order.
"""

from __future__ import annotations

import math

from standoff.constants import NEAR_PART, SMALLEST_LENGTH
from standoff.kernels.arena import reals, wholes
from standoff.kernels.closing import closing_speeds, nearing_speed
from standoff.kernels.jit import inlined, kernel
from standoff.kernels.layout import KIND, MESH, OUT_COLUMNS, SLACK
from standoff.kernels.pairs.dispatch import DONE, closed_form
from standoff.kernels.pairs.general import general_pair
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.motion import place_ball, place_body
from standoff.kernels.paths.proofs import prove, prove_ball


@inlined
def uncovered(D, closing, M, length, h):
    """How much more distance the proof would need, [m]; negative where the side is free."""
    need = min(h * (closing + 0.5 * h * M), h * length)
    if D > 0.0 and need < D:
        return -1.0
    return max(need - D, 0.0)


@inlined
def relative_bounds(CW, SF, SW, a, b, depth):
    """λ and M of both together, and all that is taken off their distance but the clearance."""
    counts, tails, margin = (
        wholes(CW, p.C_COUNTS), reals(SF, SW, p.S_TAILS), reals(SF, SW, p.S_MARGIN)
    )  # fmt: skip
    steps = counts[0, p.DEEPEST] + 1
    row = a * steps + depth
    length, bend = tails[row, p.LENGTH], tails[row, p.BEND]
    taken = tails[row, p.SWAY] + margin[a, 0]
    if b < counts[0, p.MOVERS]:
        row = b * steps + depth
        length, bend = length + tails[row, p.LENGTH], bend + tails[row, p.BEND]
        taken += tails[row, p.SWAY] + margin[b, 0]
    return length, bend, taken


@inlined
def ball_test(CF, CW, SF, SW, a, b, c, depth, clearance, h):
    """What the proof by the balls around ``a`` and ``b`` would need, back and ahead; its ``D``, and
    what ``D`` is likely to be for the shapes themselves; the distance of the centres and the way
    from b's to a's. Seen from frame ``c``, at ``depth``."""
    balls, centres = reals(CF, CW, p.C_BALLS), reals(SF, SW, p.S_CENTRES)
    place_ball(CF, CW, SF, SW, a)
    x, y, z = centres[a, 0], centres[a, 1], centres[a, 2]
    vx, vy, vz = centres[a, 3], centres[a, 4], centres[a, 5]
    length, bend, taken = relative_bounds(CW, SF, SW, a, b, depth)
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
    speed = (x * vx + y * vy + z * vz) / max(apart, SMALLEST_LENGTH)
    bent, most = 0.5 * h * h * bend, h * length
    D = apart - balls[a, 3] - balls[b, 3] - clearance - taken
    likely = apart - balls[a, 4] - balls[b, 4] - clearance - taken
    return min(bent + h * speed, most), min(bent - h * speed, most), D, likely, apart, x, y, z


@kernel
def test_pair(general, CF, CW, SF, SW, piece, a, b, c, depth, clearance, t, h):
    """What of both sides of the instant ``t``, each ``h`` long, the tests leave uncovered (see
    `uncovered`), and whether the pair is too close at the instant itself; S_RESULT says how."""
    refs = wholes(CW, p.C_REFS)
    meshed = refs[a, KIND] == MESH or refs[b, KIND] == MESH
    if meshed:
        clearance = max(clearance, 0.0)
    proving = wholes(SW, p.S_HEADER)[0, p.PROVING] != 0
    need_back, need_ahead, D, likely, apart, x, y, z = ball_test(
        CF, CW, SF, SW, a, b, c, depth, clearance, h
    )
    back = -1.0 if D > 0.0 and need_back < D else max(need_back - D, 0.0)
    ahead = -1.0 if D > 0.0 and need_ahead < D else max(need_ahead - D, 0.0)
    if proving and (back < 0.0 or ahead < 0.0):
        prove_ball(CF, CW, SF, SW, piece, t, h, back, ahead, a, b, apart, x, y, z)
    # Where the shapes are hardly as far apart as the proof needs, halving comes first; unless they
    # are likely to touch now.
    hopeless = (back < 0.0 or need_back > likely) and (ahead < 0.0 or need_ahead > likely)
    if hopeless and likely > 0.0:
        return back, ahead, False
    more_back, more_ahead, stop = shape_test(
        general, CF, CW, SF, SW, piece, a, b, c, depth, clearance, t, h, meshed
    )
    if proving and not stop:
        left = 1.0 if back < 0.0 else more_back
        right = 1.0 if ahead < 0.0 else more_ahead
        prove(SF, SW, piece, t, h, left, right, p.BY_MESH if meshed else p.BY_SHAPE, a, b, 0)
    return min(back, more_back), min(ahead, more_ahead), stop


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
def shape_test(general, CF, CW, SF, SW, piece, a, b, c, depth, clearance, t, h, meshed):
    """What the exact distance leaves uncovered of the two sides, and whether the pair is too close
    at the instant ``t`` already; if so S_RESULT holds it, unless it has a worse one."""
    status = measure(general, CF, CW, SF, SW, a, b)
    out, cores = reals(SF, SW, p.S_OUT), reals(CF, CW, p.C_CORES)
    poses, twists, movers = (
        reals(SF, SW, p.S_POSES), reals(SF, SW, p.S_TWISTS), wholes(CW, p.C_MOVERS)
    )  # fmt: skip
    settings = reals(CF, CW, p.C_SETTINGS)
    length, bend, taken = relative_bounds(CW, SF, SW, a, b, depth)
    other = min(b, movers.shape[0] - 1)
    d, slack = out[0, 0], out[0, SLACK]
    if meshed:
        back = ahead = nearing_speed(poses, twists, movers, cores, a, other, c)
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
        if d + slack < min(clearance, 0.0):
            kind = p.CONTACT
        elif not d > clearance + slack:
            kind = p.NEAR
    # A pair that cannot get farther away on this interval than a part of the tolerance; for the
    # earliest contact, on one that is no longer than the precision.
    moved = min(h * length, h * (max(abs(back), abs(ahead)) + 0.5 * h * bend))
    small = not moved > NEAR_PART * settings[0, p.TOLERANCE]
    if wholes(SW, p.S_HEADER)[0, p.EARLIEST] != 0:
        small = small and not h > reals(SF, SW, p.S_RESULT)[0, p.PRECISION]
    if wholes(SW, p.S_HEADER)[0, p.HASTY] != 0:
        # However short the interval: it holds this instant, and a proof needs D > 0.
        small = small or not D > 0.0
    if kind == p.NOTHING and small:
        if status == DONE and d + slack < clearance + settings[0, p.TOLERANCE]:
            kind = p.NEAR
        else:
            kind = p.DOUBT
    if kind == p.NOTHING:
        return open_back, open_ahead, False
    note_result(SF, SW, kind, piece, t, a, b)
    return math.inf, math.inf, True


@kernel
def note_result(SF, SW, kind, piece, t, a, b):
    """Keep what row 0 of S_OUT says, unless something worse is known; where the earliest is asked
    for, unless it is later."""
    result, out = reals(SF, SW, p.S_RESULT), reals(SF, SW, p.S_OUT)
    known = result[0, p.KIND]
    if wholes(SW, p.S_HEADER)[0, p.EARLIEST] != 0:
        if known != p.NOTHING:
            now, then = piece + t, result[0, p.PIECE] + result[0, p.WHEN]
            if now > then or (now == then and kind <= known):
                return
    elif kind <= known:
        return
    result[0, p.KIND], result[0, p.PIECE], result[0, p.WHEN] = kind, piece, t
    for k in range(OUT_COLUMNS):
        result[0, p.DISTANCE + k] = out[0, k]
    result[0, p.BODY_A], result[0, p.BODY_B] = a, b
