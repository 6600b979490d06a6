"""Pairs that are listed one by one: two movers, and a mover and a static that have a clearance of
their own. Links between the same two frames are a team, and the crowds of these frames stand for
all of them in first tests. In the pool link ``k`` is ``-1 - k``, and a team counts on from there.
"""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import inlined, kernel
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.pair import ball_test, body_test, must_look_inside
from standoff.kernels.paths.proofs import prove_ball

#: Columns of C_TEAMS.
LINK0 = 4
LINKS = 5
MESHED = 6


@kernel
def near_links(CW, SW, low, high):
    """Write the codes of all teams into the pool from ``low`` on, and return where they end; -1
    where the pool is full. Where the proof is asked for, those of all links."""
    pool, links = wholes(SW, p.S_POOL), wholes(CW, p.C_LINKS).shape[0]
    first, last = links, links + wholes(CW, p.C_TEAMS).shape[0]
    if wholes(SW, p.S_HEADER)[0, p.PROVING] != 0:
        first, last = 0, links
    if low + last - first > high:
        return -1
    for k in range(first, last):
        pool[low, 0] = -1 - k
        low += 1
    return low


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
            if not hope and not (h == 0.5 and teams[team, MESHED] != 0):
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
        for k in range(begin, end):
            a, b, c, depth = links[k, 0], links[k, 1], links[k, 2], links[k, 3]
            back, ahead, hope, apart, x, y, z = ball_test(
                CF, CW, SF, SW, a, b, c, depth, clearances[k, 0], h
            )
            if proving and (back < 0.0 or ahead < 0.0):
                prove_ball(CF, CW, SF, SW, piece, t, h, back, ahead, a, b, apart, x, y, z)
            if back < 0.0 and ahead < 0.0:
                continue
            if hope or must_look_inside(CW, a, b, h):
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
