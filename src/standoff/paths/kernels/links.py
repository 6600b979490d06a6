"""Pairs that are listed one by one: two movers, and a mover and a static that have a clearance of
their own. Links between the same two frames are a team, and the crowds of these frames stand for
all of them in first tests. In the pool link ``k`` is ``-1 - k``, and a team counts on from there.

Which teams of links a piece need not look at: it passes through no cell of their map where they
may come too close. Maps are made by `paths.joint_maps`.

A piece stays in a box of joint values. How many marked cells that box meets is told by the sums
``N`` of marked cells before each corner: for two joints ``N(b, d) - N(a, d) - N(b, c) + N(a, c)``.
"""

from __future__ import annotations

from standoff.compiled.arena import real_rows, reals, whole_rows, wholes
from standoff.compiled.jit import inlined, kernel
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.motion import know_members
from standoff.paths.kernels.pair import ball_test, body_test, must_look_inside, prove_ball
from standoff.paths.kernels.statics import swept_ball, swept_radius

#: Columns of C_TEAMS.
LINK0 = 4
LINKS = 5
MESHED = 6


#: So many teams are worth a first look at all of them.
MANY = 256


@kernel
def near_links(CF, CW, SF, SW, at, h):
    """Write the codes of all teams that are not settled into the pool from ``at`` on, and return
    where they end; where the proof is asked for, those of all links. There is room for these. Of
    many teams, only those that may meet within ``h`` of the instant."""
    pool, links = wholes(SW, p.S_POOL), wholes(CW, p.C_LINKS).shape[0]
    if wholes(SW, p.S_HEADER)[0, p.PROVING] != 0:
        for k in range(links):
            pool[at + k, 0] = -1 - k
        return at + links
    settle_teams(CF, CW, SF, SW)
    settled = wholes(SW, p.S_SETTLED)
    if settled.shape[1] >= MANY and wholes(CW, p.C_COUNTS)[0, p.SPARING] != 0:
        return near_teams(CF, CW, SF, SW, at, h)
    for team in range(settled.shape[1]):
        pool[at, 0] = -1 - links - team
        at += 1 - settled[0, team]
    return at


@kernel
def near_teams(CF, CW, SF, SW, at, h):
    """`near_links` of teams of crowds alone. The ball of each crowd stays within `swept_radius`
    about where its centre is, seen from the world; two crowds whose radii and clearance add up to
    less than their centres are apart are free on both sides."""
    counts, teams = wholes(CW, p.C_COUNTS), whole_rows(CW, p.C_TEAMS, 7)
    links = wholes(CW, p.C_LINKS)
    pool, settled = whole_rows(SW, p.S_POOL, 1), wholes(SW, p.S_SETTLED)
    balls, centres = reals(CF, CW, p.C_BALLS), real_rows(SF, SW, p.S_CENTRES, p.CENTRE_COLUMNS)
    clearances, movers = reals(CF, CW, p.C_LINK_CLEARANCE), counts[0, p.MOVERS]
    for i in range(counts[0, p.SINGLE], movers):
        _, _, _, vx, vy, vz, bent, most, taken = swept_ball(CF, CW, SF, SW, i, h)
        centres[i, p.STAYS] = swept_radius(balls[i, 3], vx, vy, vz, bent, most, taken, 0.0)
    for team in range(settled.shape[1]):
        a, b = teams[team, 0], teams[team, 1]
        far = settled[0, team] != 0
        if b < movers:
            x, y, z = (
                centres[a, 0] - centres[b, 0],
                centres[a, 1] - centres[b, 1],
                centres[a, 2] - centres[b, 2],
            )
            gap = max(clearances[teams[team, LINK0], 0], 0.0)
            reach = centres[a, p.STAYS] + centres[b, p.STAYS] + gap
            far |= x * x + y * y + z * z > reach * reach
        pool[at, 0] = -1 - links.shape[0] - team
        at += int(not far)
    return at


@inlined
def links_of(CW, code):
    """First and past the last link of a code, and its team; -1 for a link alone."""
    links, teams = wholes(CW, p.C_LINKS), wholes(CW, p.C_TEAMS)
    k = -1 - code
    team = k - links.shape[0]
    if team < 0:
        return k, k + 1, -1
    return teams[team, LINK0], teams[team, LINKS], team


@kernel
def test_links(general, CF, CW, SF, SW, piece, t, h, first, last, low, high):
    """As `test_statics`, of links."""
    links, clearances = wholes(CW, p.C_LINKS), reals(CF, CW, p.C_LINK_CLEARANCE)
    pool, header, teams = wholes(SW, p.S_POOL), wholes(SW, p.S_HEADER), wholes(CW, p.C_TEAMS)
    nesting, counts = header[0, p.NESTING] != 0, wholes(CW, p.C_COUNTS)
    single, several = counts[0, p.SINGLE], counts[0, p.MOVERS]
    earliest, proving = header[0, p.EARLIEST] != 0, header[0, p.PROVING] != 0
    press_back, press_ahead = -1.0, -1.0
    for e in range(first, last):
        code = pool[e, 0]
        begin, end, team = links_of(CW, code)
        if team >= 0:
            back, ahead, hope, _, _, _, _ = ball_test(
                CF, CW, SF, SW, teams[team, 0], teams[team, 1], teams[team, 2], teams[team, 3],
                clearances[begin, 0], h,
            )  # fmt: skip
            if back < 0.0 and ahead < 0.0:
                continue
            if not hope and not (nesting and teams[team, MESHED] != 0):
                # It goes on as one.
                if high - low < 2:
                    return low, high, press_back, press_ahead, p.POOL_FULL
                if not back < 0.0:
                    press_back = max(press_back, back)
                    pool[low, 0] = code
                    low += 1
                if not ahead < 0.0:
                    press_ahead = max(press_ahead, ahead)
                    high -= 1
                    pool[high, 0] = code
                continue
            for side in range(2):
                if single <= teams[team, side] < several:
                    know_members(CF, CW, SF, SW, teams[team, side])
        for k in range(begin, end):
            a, b, c, depth = links[k, 0], links[k, 1], links[k, 2], links[k, 3]
            back, ahead, hope, apart, x, y, z = ball_test(
                CF, CW, SF, SW, a, b, c, depth, clearances[k, 0], h
            )
            if proving and (back < 0.0 or ahead < 0.0):
                prove_ball(CF, CW, SF, SW, piece, t, h, back, ahead, a, b, apart, x, y, z)
            if back < 0.0 and ahead < 0.0:
                continue
            if hope or must_look_inside(CW, SW, a, b):
                back, ahead, stop = body_test(
                    general, CF, CW, SF, SW, piece, a, b, c, depth, clearances[k, 0], t, h,
                    back, ahead,
                )  # fmt: skip
                if stop and not earliest:
                    return low, high, press_back, press_ahead, p.FOUND
            if high - low < 2:
                return low, high, press_back, press_ahead, p.POOL_FULL
            if not back < 0.0:
                press_back = max(press_back, back)
                pool[low, 0] = -1 - k
                low += 1
            if not ahead < 0.0:
                press_ahead = max(press_ahead, ahead)
                high -= 1
                pool[high, 0] = -1 - k
    return low, high, press_back, press_ahead, p.FREE


@kernel
def settle_teams(CF, CW, SF, SW):
    """Set S_SETTLED for the present piece, unless that is done."""
    header = wholes(SW, p.S_HEADER)
    if header[0, p.SETTLED] != 0:
        return
    header[0, p.SETTLED] = 1
    joints, ranges, settled = (
        reals(SF, SW, p.S_JOINTS), reals(CF, CW, p.C_RANGES), wholes(SW, p.S_SETTLED)
    )  # fmt: skip
    within = True
    for j in range(joints.shape[1]):
        within &= joints[p.LOW, j] >= ranges[0, j] and joints[p.HIGH, j] <= ranges[1, j]
    for team in range(settled.shape[1]):
        settled[0, team] = 0
    if not within:
        return
    for team in range(wholes(CW, p.C_COUNTS)[0, p.UNMAPPED], settled.shape[1]):
        settled[0, team] = 1
    maps = wholes(CW, p.C_MAPS)
    for m in range(maps.shape[0]):
        settled[0, maps[m, p.TEAM]] = int(marked_cells(CF, CW, SF, SW, m) == 0)


@kernel
def marked_cells(CF, CW, SF, SW, m):
    """How many marked cells of a map the piece may pass through."""
    joints, scales = reals(SF, SW, p.S_JOINTS), reals(CF, CW, p.C_SCALES)
    maps, sums, ends = wholes(CW, p.C_MAPS), wholes(CW, p.C_SUMS), wholes(SW, p.S_CORNERS)
    count, side = maps[m, p.MAPPED], maps[m, p.SIDE]
    for i in range(count):
        j, lower, scale = maps[m, p.JOINT0 + i], scales[m, 2 * i], scales[m, 2 * i + 1]
        first, last = (
            int((joints[p.LOW, j] - lower) * scale),
            int((joints[p.HIGH, j] - lower) * scale),
        )
        # What is beyond by no more than rounding counts as the first cell, or the last.
        ends[0, i], ends[1, i] = min(max(first, 0), side - 1), min(max(last, 0), side - 1) + 1
    total = 0
    for corner in range(1 << count):
        at, sign = 0, 1
        for i in range(count):
            upper = (corner >> i) & 1
            at = at * (side + 1) + ends[upper, i]
            sign = sign if upper else -sign
        total += sign * sums[0, maps[m, p.SUM0] + at]
    return total
