"""Pairs that are listed one by one: two movers, and a mover and a static that have a clearance of
their own. A pair of the pool is the number of its link, less one more than there can be."""

from __future__ import annotations

from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import kernel
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.pair import ball_test, body_test, must_look_inside
from standoff.kernels.paths.proofs import prove_ball


@kernel
def near_links(CF, CW, SF, SW, t, h, low, high):
    """Write the codes of the links that may come too close into the pool from ``low`` on, and
    return where they end; -1 where the pool is full. The balls of two crowds that keep apart clear
    all links between them."""
    teams, clearances = wholes(CW, p.C_TEAMS), reals(CF, CW, p.C_LINK_CLEARANCE)
    pool = wholes(SW, p.S_POOL)
    proving = wholes(SW, p.S_HEADER)[0, p.PROVING] != 0
    for k in range(teams.shape[0]):
        first, last = teams[k, 4], teams[k, 5]
        if not proving:
            back, ahead, _, _, _, _, _ = ball_test(
                CF, CW, SF, SW, teams[k, 0], teams[k, 1], teams[k, 2], teams[k, 3],
                clearances[first, 0], h,
            )  # fmt: skip
            if back < 0.0 and ahead < 0.0:
                continue
        if low + last - first > high:
            return -1
        for link in range(first, last):
            pool[low, 0] = -1 - link
            low += 1
    return low


@kernel
def test_links(general, CF, CW, SF, SW, piece, t, h, first, last, kept, low, high):
    """As `test_statics`, of links; the pool up to ``kept`` is still to be read."""
    links, clearances = wholes(CW, p.C_LINKS), reals(CF, CW, p.C_LINK_CLEARANCE)
    pool, header = wholes(SW, p.S_POOL), wholes(SW, p.S_HEADER)
    earliest, proving = header[0, p.EARLIEST] != 0, header[0, p.PROVING] != 0
    press_back, press_ahead = -1.0, -1.0
    for e in range(first, last):
        code = pool[e, 0]
        k = -1 - code
        a, b, c, depth = links[k, 0], links[k, 1], links[k, 2], links[k, 3]
        back, ahead, hope, apart, x, y, z = ball_test(
            CF, CW, SF, SW, a, b, c, depth, clearances[k, 0], h
        )
        if proving and (back < 0.0 or ahead < 0.0):
            prove_ball(CF, CW, SF, SW, piece, t, h, back, ahead, a, b, apart, x, y, z)
        if back < 0.0 and ahead < 0.0:
            continue
        stop = False
        if hope or must_look_inside(CW, a, b, h):
            back, ahead, stop = body_test(
                general, CF, CW, SF, SW, piece, a, b, c, depth, clearances[k, 0], t, h, back, ahead
            )
        if stop and not earliest:
            return low, high, press_back, press_ahead, p.FOUND
        if not back < 0.0:
            if low >= high:
                return low, high, press_back, press_ahead, p.POOL_FULL
            press_back = max(press_back, back)
            pool[low, 0] = code
            low += 1
        if not ahead < 0.0:
            if high <= max(low, kept):
                return low, high, press_back, press_ahead, p.POOL_FULL
            press_ahead = max(press_ahead, ahead)
            high -= 1
            pool[high, 0] = code
    return low, high, press_back, press_ahead, p.FREE
