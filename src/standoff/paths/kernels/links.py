"""Pairs that are listed one by one: two movers, and a mover and a static that have a clearance of
their own. Links between the same two frames are a *sphere pair*: their link spheres stand for all
of them in first tests. In the pool link ``k`` is ``-1 - k``; sphere pairs count on from there.
"""

from __future__ import annotations

from standoff.compiled.jit import inlined, kernel
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.map_lookup import settle_sphere_pairs
from standoff.paths.kernels.motion import know_members
from standoff.paths.kernels.pair import (
    ball_test,
    body_test,
    must_look_inside,
    take_pair,
)
from standoff.paths.kernels.proof_notes import prove_ball
from standoff.paths.kernels.statics import keep_open, swept_radius

#: So many sphere pairs are worth a first look at all of them.
MANY = 256


@kernel
def near_links(cell, search, at):
    """Write the codes of all sphere pairs that are not settled into the pool from ``at`` on, and
    return where they end; where the proof is asked for, those of all links. There is room for
    these. Of many, only those that may meet around the instant."""
    pool, links, settled = search.pool, len(cell.links), search.settled
    if search.header.proving != 0:
        for k in range(links):
            pool[at + k] = -1 - k
        return at + links
    settle_sphere_pairs(cell, search)
    if len(settled) >= MANY and cell.counts.sparing != 0:
        return near_sphere_pairs(cell, search, at)
    for k in range(len(settled)):
        pool[at] = -1 - links - k
        at += 1 - settled[k]
    return at


@kernel
def near_sphere_pairs(cell, search, at):
    """`near_links` of link spheres alone. Each stays within `swept_radius` about where its centre
    is, seen from the world; two whose radii and clearance add up to less than their centres are
    apart are free on both sides."""
    counts, pairs, links = cell.counts, cell.sphere_pairs, cell.links
    pool, settled, centres = search.pool, search.settled, search.centres
    for i in range(counts.single, counts.movers):
        centres[i].stays = swept_radius(cell, search, i, search.now.half, 0.0)
    for k in range(len(settled)):
        pair = pairs[k]
        far = settled[k] != 0
        if pair.b < counts.movers:
            one, other = centres[pair.a], centres[pair.b]
            x, y, z = one.x - other.x, one.y - other.y, one.z - other.z
            gap = max(links[pair.first].clearance, 0.0)
            reach = one.stays + other.stays + gap
            far |= x * x + y * y + z * z > reach * reach
        pool[at] = -1 - len(links) - k
        at += int(not far)
    return at


@inlined
def links_of(cell, code):
    """First and past the last link of a code, and its sphere pair; -1 for a link alone."""
    k = -1 - code
    pair = k - len(cell.links)
    if pair < 0:
        return k, k + 1, -1
    return cell.sphere_pairs[pair].first, cell.sphere_pairs[pair].past, pair


@kernel
def test_links(cell, search, first, last):
    """As `test_statics`, of links."""
    links, now, pool, h = cell.links, search.now, search.pool, search.now.half
    open_, pair = search.priorities[0], search.pair
    open_.back = open_.ahead = -1.0
    now.back = now.ahead = -1.0
    earliest, proving = search.header.earliest != 0, search.header.proving != 0
    status = p.FREE
    for e in range(first, last):
        begin, end, spheres = links_of(cell, pool[e])
        if spheres >= 0:
            begin, status = test_spheres(cell, search, spheres, pool[e])
        for k in range(begin, end):
            link = links[k]
            back, ahead, hope = ball_test(
                cell, search, link.a, link.b, link.common, link.depth, link.clearance, h
            )
            if proving and (back < 0.0 or ahead < 0.0):
                prove_ball(cell, search, link.a, link.b, back, ahead)
            if back < 0.0 and ahead < 0.0:
                continue
            if hope or must_look_inside(cell, search, link.a, link.b):
                take_pair(
                    search, link.a, link.b, link.common, link.depth, link.clearance, back, ahead
                )
                if body_test(cell, search) and not earliest:
                    status = p.FOUND
                    break
                back, ahead = pair.back, pair.ahead
            if not keep_open(search, open_, -1 - k, back, ahead):
                status = p.POOL_FULL
                break
        if status != p.FREE:
            break
    now.back, now.ahead = open_.back, open_.ahead
    return status


@inlined
def test_spheres(cell, search, k, code):
    """The spheres of a sphere pair: the first of its links that is to be tested by itself, past all
    of them where they are free or go on as one; and a status."""
    pair, counts = cell.sphere_pairs[k], cell.counts
    back, ahead, hope = ball_test(
        cell, search, pair.a, pair.b, pair.common, pair.depth, cell.links[pair.first].clearance,
        search.now.half,
    )  # fmt: skip
    if back < 0.0 and ahead < 0.0:
        return pair.past, p.FREE
    if not hope and not (search.header.nesting != 0 and pair.meshed != 0):
        kept = keep_open(search, search.priorities[0], code, back, ahead)
        return pair.past, p.FREE if kept else p.POOL_FULL
    if counts.single <= pair.a < counts.movers:
        know_members(cell, search, pair.a)
    if counts.single <= pair.b < counts.movers:
        know_members(cell, search, pair.b)
    return pair.first, p.FREE
