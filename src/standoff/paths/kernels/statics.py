"""Movers against what stands still: which statics a mover may reach, and the first tests of many.

A mover stays within ``m = min(h |v| + h² M / 2, h λ)`` of where its ball is at the instant, ``v``
the velocity of the ball's centre; so whatever is farther from the ball than ``m`` is passed over,
without a root or a direction. That settles most pairs.
"""

from __future__ import annotations

import math

from numpy import uint64 as unsigned

from standoff.compiled.arena import real_rows, reals, whole_rows, wholes
from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.layout import KIND, MESH
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.motion import know_members, place_ball
from standoff.paths.kernels.pair import (
    ball_test,
    between_balls,
    body_test,
    must_look_inside,
    prove_ball,
    prove_group,
    relative_bounds,
)
from standoff.tolerances import SMALLEST_LENGTH

#: A pair of a mover and a static is the mover shifted by so many bits, plus the static. Taken apart
#: by masks, both are plainly not negative, which spares every use of them a test.
BITS = 32
PACK = 1 << BITS
MASK = PACK - 1


@inlined
def packed(code):
    """The mover and the static of a pair."""
    return (code >> BITS) & MASK, code & MASK


@inlined
def swept_ball(CF, CW, SF, SW, a, h):
    """Where the centre of mover ``a``'s ball is and how far its velocity takes it in ``h``; how far
    its way bends and how long it is at most; all that is taken off a distance but the clearance."""
    centres = reals(SF, SW, p.S_CENTRES)
    place_ball(CF, CW, SF, SW, a)
    nobody = wholes(CW, p.C_COUNTS)[0, p.MOVERS]
    length, bend, taken, _ = relative_bounds(CW, SF, SW, a, nobody, 0)
    return (
        centres[a, 0], centres[a, 1], centres[a, 2],
        h * centres[a, 3], h * centres[a, 4], h * centres[a, 5],
        0.5 * h * h * bend, h * length, taken,
    )  # fmt: skip


@inlined
def swept_radius(radius, vx, vy, vz, bent, most, taken, clearance):
    """The radius about the centre that the ball stays within. Twice ``taken``: it holds the margin
    of the mover, which is far above the rounding of the tests made with this radius."""
    run = math.sqrt(vx * vx + vy * vy + vz * vz)
    return radius + min(run + bent, most) + max(clearance, 0.0) + 2.0 * taken


@kernel
def near_statics(CF, CW, SF, SW, piece, a, t, h, low, high):
    """Write the codes of the statics that mover ``a`` may reach into the pool from ``low`` on, and
    return where they end; -1 where the pool is full. A box of the tree that it cannot reach is
    passed over with all that is in it; of a leaf, all statics are tested in one loop."""
    counts, boxes, leaves = (
        wholes(CW, p.C_COUNTS), real_rows(CF, CW, p.C_BOXES, 6), whole_rows(CW, p.C_LEAVES, 3)
    )  # fmt: skip
    pool, across, beyond = (
        whole_rows(SW, p.S_POOL, 1), reals(CF, CW, p.C_ACROSS),
        reals(SF, SW, p.S_BEYOND),
    )  # fmt: skip
    stack = wholes(SW, p.S_IWORK)
    skips = wholes(CW, p.C_SKIPS)
    exempt = skips[a, 1] > skips[a, 0]
    proving = wholes(SW, p.S_HEADER)[0, p.PROVING] != 0
    x, y, z, vx, vy, vz, bent, most, taken = swept_ball(CF, CW, SF, SW, a, h)
    clearance = reals(CF, CW, p.C_SETTINGS)[0, p.CLEARANCE]
    around = reals(CF, CW, p.C_BALLS)[a, 3]
    radius = swept_radius(around, vx, vy, vz, bent, most, taken, clearance)
    before = counts[0, p.MOVERS]
    top = 0
    if boxes.shape[0] > 0:
        stack[0, 0] = 0
        top = 1
    while top > 0:
        top -= 1
        k = stack[0, top]
        dx = max(boxes[k, 0] - x, x - boxes[k, 3], 0.0)
        dy = max(boxes[k, 1] - y, y - boxes[k, 4], 0.0)
        dz = max(boxes[k, 2] - z, z - boxes[k, 5], 0.0)
        if dx * dx + dy * dy + dz * dz > radius * radius:
            if proving:
                prove_group(SF, SW, piece, t, h, a, k)
            continue
        if leaves[k, 0] >= 0:
            stack[0, top], stack[0, top + 1] = leaves[k, 1], leaves[k, 0]
            top += 2
            continue
        first, count = leaves[k, 1] - before, leaves[k, 2] - leaves[k, 1]
        if low + count > high:
            return -1
        # Counted without sign, so that nobody has to look whether an entry counts from the end.
        begin = unsigned(first)
        for e in range(unsigned(count)):
            dx, dy, dz = (
                x - across[0, begin + e],
                y - across[1, begin + e],
                z - across[2, begin + e],
            )
            reach = radius + across[3, begin + e]
            beyond[0, e] = dx * dx + dy * dy + dz * dz - reach * reach
        code = a * PACK + before + first
        if exempt or proving:
            for e in range(count):
                pool[low, 0] = code + e
                passed = exempt and skipped(CW, a, before + first + e)
                low += int((proving or not beyond[0, e] > 0.0) and not passed)
            continue
        for e in range(unsigned(count)):
            pool[unsigned(low), 0] = code
            code += 1
            low += int(not beyond[0, e] > 0.0)
    for b in range(before + counts[0, p.BOUNDED], before + counts[0, p.STATICS]):
        if exempt and skipped(CW, a, b):
            continue
        if low >= high:
            return -1
        pool[low, 0] = a * PACK + b
        low += 1
    return low


@kernel
def skipped(CW, a, b):
    """Whether the pair is allowed, or is one of the links."""
    skips, listed = wholes(CW, p.C_SKIPS), wholes(CW, p.C_SKIPPED)
    result = False
    for k in range(skips[a, 0], skips[a, 1]):
        result |= listed[k, 0] == b
    return result


@kernel
def test_statics(general, CF, CW, SF, SW, piece, t, h, first, last, low, high):
    """Test the pairs of the pool from ``first`` to ``last``, which are in the order of their movers
    or crowds. What is open back goes to the pool from ``low`` up, beyond ``last``, what is open
    ahead from ``high`` down. Returns both ends, how pressing either side is, and a status."""
    earliest = wholes(SW, p.S_HEADER)[0, p.EARLIEST] != 0
    pressing = reals(SF, SW, p.S_PRESSING)
    pressing[0, 0] = pressing[0, 1] = -1.0
    for begin in range(first, last, p.CHUNK):
        end = min(begin + p.CHUNK, last)
        if high - low < 2 * (end - begin):
            return low, high, -1.0, -1.0, p.POOL_FULL
        low, high, count = first_look(CF, CW, SF, SW, piece, t, h, begin, end, low, high)
        low, high, status = second_look(
            general, CF, CW, SF, SW, piece, t, h, count, earliest, low, high
        )
        if status != p.FREE:
            return low, high, -1.0, -1.0, status
    return low, high, pressing[0, 0], pressing[0, 1], p.FREE


@kernel
def first_look(CF, CW, SF, SW, piece, t, h, first, last, low, high):
    """The balls of at most CHUNK pairs: those whose shapes are to be asked go to S_ASKED, the
    others to the pool as far as they are open. Without a branch that depends on how a test ends,
    which no processor could foresee: every pair is written everywhere, and only counted where it
    belongs. There is room for all of them."""
    pool, asked, left = (
        whole_rows(SW, p.S_POOL, 1), whole_rows(SW, p.S_ASKED, 1), real_rows(SF, SW, p.S_LEFT, 2)
    )  # fmt: skip
    balls, pressing = real_rows(CF, CW, p.C_BALLS, 4), real_rows(SF, SW, p.S_PRESSING, 2)
    proving = wholes(SW, p.S_HEADER)[0, p.PROVING] != 0
    # The balls of a mesh, too, which may not overlap at all.
    gap = max(reals(CF, CW, p.C_SETTINGS)[0, p.CLEARANCE], 0.0)
    movers, refs = wholes(CW, p.C_MOVERS), wholes(CW, p.C_REFS)
    meshes = wholes(SW, p.S_HEADER)[0, p.NESTING] != 0 and wholes(CW, p.C_COUNTS)[0, p.WALKER] != 0
    mover, count = -1, 0
    x, y, z, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    bent, most, taken, radius = 0.0, 0.0, 0.0, 0.0
    for e in range(first, last):
        code = pool[unsigned(e), 0]
        a, b = packed(code)
        if a != mover:
            mover = a
            x, y, z, vx, vy, vz, bent, most, taken = swept_ball(CF, CW, SF, SW, a, h)
            radius = balls[a, 3]
        dx, dy, dz = x - balls[b, 0], y - balls[b, 1], z - balls[b, 2]
        apart = math.sqrt(dx * dx + dy * dy + dz * dz)
        run = (dx * vx + dy * vy + dz * vz) / max(apart, SMALLEST_LENGTH)
        back, ahead, hope = between_balls(
            apart - gap - taken, radius + balls[b, 3], run, bent, most
        )
        if proving and (back < 0.0 or ahead < 0.0):
            prove_ball(CF, CW, SF, SW, piece, t, h, back, ahead, a, b, apart, dx, dy, dz)
        if meshes:
            hope |= movers[a, p.MESHED] != 0 or refs[b, KIND] == MESH
        open_back, open_ahead = int(not back < 0.0), int(not ahead < 0.0)
        ask = int(hope) & (open_back | open_ahead)
        n, m = unsigned(count), unsigned(ask)
        asked[n, 0], left[n, 0], left[n, 1] = code, back, ahead
        pool[unsigned(low), 0] = pool[unsigned(high - 1), 0] = code
        count += ask
        low += open_back & (1 - ask)
        high -= open_ahead & (1 - ask)
        pressing[m, 0] = max(pressing[m, 0], back)
        pressing[m, 1] = max(pressing[m, 1], ahead)
    return low, high, count


@kernel
def deepest_first(SF, SW, count):
    """Bring the asked pair whose balls are nearest to each other to the front: if any is in
    contact, it is the likeliest, and the search ends with it."""
    asked, left = whole_rows(SW, p.S_ASKED, 1), real_rows(SF, SW, p.S_LEFT, 2)
    deepest, most = 0, -math.inf
    for e in range(count):
        if left[e, 0] + left[e, 1] > most:
            deepest, most = e, left[e, 0] + left[e, 1]
    if deepest > 0:
        asked[0, 0], asked[deepest, 0] = asked[deepest, 0], asked[0, 0]
        for side in range(2):
            left[0, side], left[deepest, side] = left[deepest, side], left[0, side]


@kernel
def second_look(general, CF, CW, SF, SW, piece, t, h, count, earliest, low, high):
    """Ask the shapes of the first ``count`` pairs of S_ASKED. A crowd goes on as one for as long
    as there is no hope for its members."""
    pool, asked, left = wholes(SW, p.S_POOL), wholes(SW, p.S_ASKED), reals(SF, SW, p.S_LEFT)
    movers, single = wholes(CW, p.C_MOVERS), wholes(CW, p.C_COUNTS)[0, p.SINGLE]
    pressing = reals(SF, SW, p.S_PRESSING)
    clearance = reals(CF, CW, p.C_SETTINGS)[0, p.CLEARANCE]
    gap = max(clearance, 0.0)
    deepest_first(SF, SW, count)
    for e in range(count):
        a, b = packed(asked[e, 0])
        back, ahead = left[e, 0], left[e, 1]
        begin, end = a, a + 1
        if a >= single:
            know_members(CF, CW, SF, SW, a)
            begin, end = movers[a, p.MEMBER0], movers[a, p.MEMBERS]
        for k in range(begin, end):
            hope = True
            if k != a:
                if skipped(CW, k, b):
                    continue
                back, ahead, hope, _, _, _, _ = ball_test(CF, CW, SF, SW, k, b, 0, 0, gap, h)
                if back < 0.0 and ahead < 0.0:
                    continue
            if k < single and (hope or must_look_inside(CW, SW, k, b)):
                back, ahead, stop = body_test(
                    general, CF, CW, SF, SW, piece, k, b, 0, 0, clearance, t, h, back, ahead
                )
                if stop and not earliest:
                    return low, high, p.FOUND
            if high - low < 2:
                return low, high, p.POOL_FULL
            if not back < 0.0:
                pressing[0, 0] = max(pressing[0, 0], back)
                pool[low, 0] = k * PACK + b
                low += 1
            if not ahead < 0.0:
                pressing[0, 1] = max(pressing[0, 1], ahead)
                high -= 1
                pool[high, 0] = k * PACK + b
    return low, high, p.FREE
