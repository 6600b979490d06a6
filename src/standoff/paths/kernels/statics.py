"""Movers against what stands still: which statics a mover may reach, and the first tests of many.

A mover stays within ``m = min(h |v| + h² M / 2, h λ)`` of where its ball is at the instant, ``v``
the velocity of the ball's centre (`motion.kernels.certify`); so whatever is farther from the ball
than ``m`` is passed over, without a root or a direction. That settles most pairs. (`between_balls`
calls them free as well.)
"""

from __future__ import annotations

import math

from numpy import uint64 as unsigned

from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.layout import KIND, MESH
from standoff.motion.kernels.certify import bent
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.motion import know_members, place_ball
from standoff.paths.kernels.pair import (
    ball_test,
    between_balls,
    body_test,
    must_look_inside,
    relative_bounds,
    take_pair,
)
from standoff.paths.kernels.proof_notes import prove_ball, prove_group
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
def swept_ball(cell, search, a, h):
    """Into `Search.centres`: the centre of mover ``a``'s ball and its velocity. How far its way of
    ``h`` bends and how long it is at most; all that is taken off a distance but the clearance."""
    place_ball(cell, search, a)
    length, bend, taken = relative_bounds(cell, search, a, cell.counts.movers, 0)
    return bent(bend, h), h * length, taken


@inlined
def swept_radius(cell, search, a, h, clearance):
    """The radius about the centre that mover ``a``'s ball stays within. Twice what is taken off: it
    holds the margin of the mover, which is far above the rounding of the tests made with this
    radius."""
    bow, most, taken = swept_ball(cell, search, a, h)
    centre = search.centres[a]
    vx, vy, vz = h * centre.vx, h * centre.vy, h * centre.vz
    run = math.sqrt(vx * vx + vy * vy + vz * vz)
    return cell.balls[a].radius + min(run + bow, most) + max(clearance, 0.0) + 2.0 * taken


@kernel
def near_statics(cell, search, a, low, high):
    """Write the codes of the statics that mover ``a`` may reach into the pool from ``low`` on, and
    return where they end; -1 where the pool is full. A box of the tree that it cannot reach is
    passed over with all that is in it; of a leaf, all statics are tested in one loop."""
    # A tree of 2^60 leaves has 61 nodes waiting; there is room for thousands.
    counts, boxes, stack, mover = cell.counts, cell.boxes, search.room.iwork, cell.movers[a]
    proving = search.header.proving != 0
    radius = swept_radius(cell, search, a, search.now.half, cell.settings.clearance)
    centre = search.centres[a]
    x, y, z = centre.x, centre.y, centre.z
    before = counts.movers
    top = 0
    if len(boxes) > 0:
        stack[0] = 0
        top = 1
    while top > 0:
        top -= 1
        k = stack[top]
        box = boxes[k]
        dx = max(box.x0 - x, x - box.x1, 0.0)
        dy = max(box.y0 - y, y - box.y1, 0.0)
        dz = max(box.z0 - z, z - box.z1, 0.0)
        if dx * dx + dy * dy + dz * dz > radius * radius:
            if proving:
                prove_group(search, a, k)
            continue
        if box.left >= 0:
            stack[top], stack[top + 1] = box.right, box.left
            top += 2
            continue
        if low + box.past - box.first > high:
            return -1
        low = near_in_leaf(cell, search, a, box, radius, low)
    for b in range(before + counts.bounded, before + counts.statics):
        if mover.past_skips > mover.first_skip and skipped(cell, a, b):
            continue
        if low >= high:
            return -1
        search.pool[low] = a * PACK + b
        low += 1
    return low


@inlined
def near_in_leaf(cell, search, a, box, radius, low):
    """Of the statics of a leaf, those whose balls may come within ``radius`` of the centre of mover
    ``a``'s; where the proof is asked for, all that it tests."""
    xs, ys, zs, radii = cell.static_x, cell.static_y, cell.static_z, cell.static_radius
    pool, beyond, centre, mover = search.pool, search.beyond, search.centres[a], cell.movers[a]
    x, y, z = centre.x, centre.y, centre.z
    before, count = cell.counts.movers, box.past - box.first
    # Counted without sign, so that nobody has to look whether an entry counts from the end.
    begin = unsigned(box.first - before)
    for e in range(unsigned(count)):
        dx, dy, dz = x - xs[begin + e], y - ys[begin + e], z - zs[begin + e]
        reach = radius + radii[begin + e]
        beyond[e] = dx * dx + dy * dy + dz * dz - reach * reach
    code = a * PACK + box.first
    exempt, proving = mover.past_skips > mover.first_skip, search.header.proving != 0
    if exempt or proving:
        for e in range(count):
            pool[low] = code + e
            passed = exempt and skipped(cell, a, box.first + e)
            low += int((proving or not beyond[e] > 0.0) and not passed)
        return low
    for e in range(unsigned(count)):
        pool[unsigned(low)] = code
        code += 1
        low += int(not beyond[e] > 0.0)
    return low


@kernel
def skipped(cell, a, b):
    """Whether the pair is allowed, or is one of the links."""
    mover, listed = cell.movers[a], cell.skipped
    result = False
    for k in range(mover.first_skip, mover.past_skips):
        result |= listed[k] == b
    return result


@kernel
def test_statics(cell, search, first, last):
    """Test the pairs of the pool from ``first`` to ``last``, which are in the order of their movers
    or link spheres. What is open back goes to the pool from `Search.now` ``low`` up, beyond
    ``last``, what is open ahead from ``high`` down. Returns a status."""
    now, priorities = search.now, search.priorities
    priorities[0].back = priorities[0].ahead = -1.0
    now.back = now.ahead = -1.0
    for begin in range(first, last, p.CHUNK):
        end = min(begin + p.CHUNK, last)
        if now.high - now.low < 2 * (end - begin):
            return p.POOL_FULL
        count = first_look(cell, search, begin, end)
        status = second_look(cell, search, count)
        if status != p.FREE:
            return status
    now.back, now.ahead = priorities[0].back, priorities[0].ahead
    return p.FREE


@kernel
def first_look(cell, search, first, last):
    """The balls of at most CHUNK pairs: those whose shapes are to be asked go to `Search.asked`,
    the others to the pool as far as they are open. Without a branch that depends on how a test
    ends, which no processor could foresee: every pair is written everywhere, and only counted where
    it belongs. There is room for all of them. Returns how many are to be asked."""
    pool, asked, priorities, balls = search.pool, search.asked, search.priorities, cell.balls
    now, h, proving = search.now, search.now.half, search.header.proving != 0
    # The balls of a mesh, too, which may not overlap at all.
    gap = max(cell.settings.clearance, 0.0)
    movers, refs = cell.movers, cell.bodies.refs
    meshes = search.header.nesting != 0 and cell.counts.walker != 0
    mover, count, low, high = -1, 0, now.low, now.high
    x, y, z, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    bow, most, taken, radius = 0.0, 0.0, 0.0, 0.0
    for e in range(first, last):
        code = pool[unsigned(e)]
        a, b = packed(code)
        if a != mover:
            mover = a
            bow, most, taken = swept_ball(cell, search, a, h)
            centre, radius = search.centres[a], balls[a].radius
            x, y, z = centre.x, centre.y, centre.z
            vx, vy, vz = h * centre.vx, h * centre.vy, h * centre.vz
        ball = balls[b]
        dx, dy, dz = x - ball.x, y - ball.y, z - ball.z
        apart = math.sqrt(dx * dx + dy * dy + dz * dz)
        run = (dx * vx + dy * vy + dz * vz) / max(apart, SMALLEST_LENGTH)
        back, ahead, hope = between_balls(apart - gap - taken, radius + ball.radius, run, bow, most)
        if proving and (back < 0.0 or ahead < 0.0):
            prove_ball(cell, search, a, b, back, ahead)
        if meshes:
            hope |= movers[a].meshed != 0 or refs[b, KIND] == MESH
        open_back, open_ahead = int(not back < 0.0), int(not ahead < 0.0)
        ask = int(hope) & (open_back | open_ahead)
        n, m = unsigned(count), unsigned(ask)
        asked[n].code, asked[n].back, asked[n].ahead = code, back, ahead
        pool[unsigned(low)] = pool[unsigned(high - 1)] = code
        count += ask
        low += open_back & (1 - ask)
        high -= open_ahead & (1 - ask)
        priorities[m].back = max(priorities[m].back, back)
        priorities[m].ahead = max(priorities[m].ahead, ahead)
    now.low, now.high = low, high
    return count


@kernel
def deepest_first(search, count):
    """Bring the asked pair whose balls are nearest to each other to the front: if any is in
    contact, it is the likeliest, and the search ends with it."""
    asked = search.asked
    deepest, most = 0, -math.inf
    for e in range(count):
        if asked[e].back + asked[e].ahead > most:
            deepest, most = e, asked[e].back + asked[e].ahead
    if deepest > 0:
        one, other = asked[0], asked[deepest]
        one.code, other.code = other.code, one.code
        one.back, other.back = other.back, one.back
        one.ahead, other.ahead = other.ahead, one.ahead


@kernel
def second_look(cell, search, count):
    """Ask the shapes of the first ``count`` pairs that are asked. A link sphere goes on as one for
    as long as there is no hope for its members."""
    asked, movers, single = search.asked, cell.movers, cell.counts.single
    open_, pair, h = search.priorities[0], search.pair, search.now.half
    earliest, clearance = search.header.earliest != 0, cell.settings.clearance
    gap = max(clearance, 0.0)
    deepest_first(search, count)
    for e in range(count):
        a, b = packed(asked[e].code)
        back, ahead = asked[e].back, asked[e].ahead
        begin, end = a, a + 1
        if a >= single:
            know_members(cell, search, a)
            begin, end = movers[a].first_member, movers[a].past_members
        for k in range(begin, end):
            hope = True
            if k != a:
                if skipped(cell, k, b):
                    continue
                back, ahead, hope = ball_test(cell, search, k, b, 0, 0, gap, h)
                if back < 0.0 and ahead < 0.0:
                    continue
            if k < single and (hope or must_look_inside(cell, search, k, b)):
                take_pair(search, k, b, 0, 0, clearance, back, ahead)
                if body_test(cell, search) and not earliest:
                    return p.FOUND
                back, ahead = pair.back, pair.ahead
            if not keep_open(search, open_, k * PACK + b, back, ahead):
                return p.POOL_FULL
    return p.FREE


@inlined
def keep_open(search, open_, code, back, ahead):
    """A pair goes on with the sides that are open; False where the pool is full."""
    now, pool = search.now, search.pool
    if now.high - now.low < 2:
        return False
    if not back < 0.0:
        open_.back = max(open_.back, back)
        pool[now.low] = code
        now.low += 1
    if not ahead < 0.0:
        open_.ahead = max(open_.ahead, ahead)
        now.high -= 1
        pool[now.high] = code
    return True
