"""One interval of the search: everything is placed at its middle, all open pairs are tested there.

What a pair leaves open of either half goes on with that half. The first node of a piece finds its
pairs itself.
"""

from __future__ import annotations

from standoff.constants import LONG_WAY
from standoff.kernels.arena import reals, wholes
from standoff.kernels.jit import entry, kernel
from standoff.kernels.paths import layout as p
from standoff.kernels.paths.heap import pop_node, pressing_of, push_node
from standoff.kernels.paths.links import near_links, test_links
from standoff.kernels.paths.motion import bound_motion, place_at
from standoff.kernels.paths.statics import near_statics, test_statics
from standoff.kernels.paths.worst import note_worst


@entry(f"int64({p.ARENAS}, int64)")
def step(general, CF, CW, SF, SW, piece):
    """Look at the most pressing node of a piece, whose motion is loaded. The node is taken off only
    when all went well, so that nothing is lost where a table turns out too small."""
    header, nodes, linked = (
        wholes(SW, p.S_HEADER), reals(SF, SW, p.S_NODES), wholes(SW, p.S_LINKED)
    )  # fmt: skip
    k = wholes(SW, p.S_PIECES)[piece, p.ROOT]
    start, end = nodes[k, p.START], nodes[k, p.END]
    middle = 0.5 * (start + end)
    h = max(middle - start, end - middle)
    if header[0, p.EARLIEST] != 0 and settled(SF, SW, piece + start):
        return p.FOUND
    spent = header[0, p.BUDGET] <= header[0, p.DISTANCES] + header[0, p.INTERVALS]
    if spent or not (start < middle and middle < end):
        return p.SPENT
    if header[0, p.NODES_USED] + 2 > nodes.shape[0]:
        return p.NODES_FULL
    fresh = linked[k, p.FIRST] < 0
    # As long as surfaces keep apart on all of a piece, what is inside stays inside: once will do.
    # For the earliest contact, what comes before a contact must be free by itself. An open mesh is
    # asked wherever one looks, as a body can get into it without meeting its surface.
    opened = wholes(CW, p.C_COUNTS)[0, p.OPENED] != 0
    header[0, p.NESTING] = int(fresh or opened or header[0, p.EARLIEST] != 0)
    if fresh and h * reals(SF, SW, p.S_LONGEST)[0, 0] > LONG_WAY:
        halve_fresh(SF, SW, piece, start, middle, end)
        return p.FREE
    if header[0, p.TOP_DEGREE] > 1:
        bound_motion(CF, CW, SF, SW, middle, h)
    place_at(CF, CW, SF, SW, middle)
    proved, measured = header[0, p.PROOFS_USED], header[0, p.DISTANCES]
    header[0, p.INTERVALS] += 1
    # The pairs of the first half grow from below, those of the second from above.
    base, ceiling = header[0, p.POOL_USED], wholes(SW, p.S_POOL).shape[0]
    first, count, standing = linked[k, p.FIRST], linked[k, p.COUNT], linked[k, p.STANDING]
    if fresh:
        first, last = base, near_pairs(CF, CW, SF, SW, piece, middle, h, base, ceiling)
        # Room for the links, which are looked for once nothing that stands is in the way.
        base = last + wholes(CW, p.C_LINKS).shape[0]
        if last < 0 or base > ceiling:
            header[0, p.PROOFS_USED] = proved
            header[0, p.INTERVALS] -= 1
            return p.POOL_FULL
        standing = count = last - first
    low, high, back, ahead, status = test_statics(
        general, CF, CW, SF, SW, piece, middle, h, first, first + standing, base, ceiling
    )
    still_back, still_ahead = low - base, ceiling - high
    if status == p.FREE:
        if fresh:
            count = near_links(CF, CW, SF, SW, first + standing, h) - first
        low, high, more_back, more_ahead, status = test_links(
            general, CF, CW, SF, SW, piece, middle, h, first + standing, first + count, low, high
        )
        back, ahead = max(back, more_back), max(ahead, more_ahead)
    if header[0, p.PROOFS_USED] > reals(SF, SW, p.S_PROOFS).shape[0]:
        status = p.PROOFS_FULL
    if status != p.FREE:
        header[0, p.PROOFS_USED] = proved
        if status != p.FOUND:
            # It is done again, and counts once.
            header[0, p.DISTANCES] = measured
            header[0, p.INTERVALS] -= 1
        if status == p.FOUND and reals(SF, SW, p.S_RESULT)[0, p.KIND] == p.NEAR:
            if fresh:
                count = near_links(CF, CW, SF, SW, first + standing, h) - first
            note_worst(general, CF, CW, SF, SW, piece, middle, first, count)
        return status
    pop_node(SF, SW, piece)
    earliest = header[0, p.EARLIEST] != 0
    if low > base:
        pressing = -(piece + start) if earliest else back
        push_node(SF, SW, piece, start, middle, pressing, base, low - base, still_back)
    header[0, p.POOL_USED] = low
    if ceiling > high and not (earliest and behind(SF, SW, piece + middle)):
        pressing = -(piece + middle) if earliest else ahead
        push_node(SF, SW, piece, middle, end, pressing, low, ceiling - high, still_ahead)
        pool = wholes(SW, p.S_POOL)
        # They stand in reverse, and where they are to go may overlap where they are: they are
        # turned round in place first, and then moved down from the lowest on.
        for e in range((ceiling - high) // 2):
            near, far = high + e, ceiling - 1 - e
            pool[near, 0], pool[far, 0] = pool[far, 0], pool[near, 0]
        for e in range(ceiling - high):
            pool[low + e, 0] = pool[high + e, 0]
        header[0, p.POOL_USED] = low + ceiling - high
    return p.FREE


@kernel
def halve_fresh(SF, SW, piece, start, middle, end):
    """On so long a way little can be proved of a node as a whole: its halves are fresh nodes. The
    later one goes first, as motions rather end in contact than begin there."""
    pressing = pressing_of(SF, SW, piece)
    earliest = wholes(SW, p.S_HEADER)[0, p.EARLIEST] != 0
    pop_node(SF, SW, piece)
    push_node(SF, SW, piece, start, middle, pressing, -1, 0, 0)
    later = -(piece + middle) if earliest else max(2.0 * pressing, 1.0)
    push_node(SF, SW, piece, middle, end, later, -1, 0, 0)


@kernel
def near_pairs(CF, CW, SF, SW, piece, t, h, base, ceiling):
    """All pairs with statics that may come too close, into the pool from ``base`` on; where they
    end, -1 where the pool is full."""
    counts, movers = wholes(CW, p.C_COUNTS), wholes(CW, p.C_MOVERS)
    proving = wholes(SW, p.S_HEADER)[0, p.PROVING] != 0
    last = base
    for a in range(counts[0, p.MOVERS]):
        # Each mover where the proof is asked for, else crowds, and those that are in none.
        meets, alone = a < counts[0, p.MEETING], a < counts[0, p.SINGLE]
        leads = meets if proving else (not alone or (meets and movers[a, p.JOINTS] == 0))
        if leads and last >= 0:
            last = near_statics(CF, CW, SF, SW, piece, a, t, h, last, ceiling)
    return last


@kernel
def behind(SF, SW, when):
    """Whether something was found at or before ``when``: what comes later does not matter."""
    result = reals(SF, SW, p.S_RESULT)
    return result[0, p.KIND] != p.NOTHING and when >= result[0, p.PIECE] + result[0, p.WHEN]


@kernel
def settled(SF, SW, start):
    """Whether the earliest contact is known as precisely as was asked for, where all before
    ``start`` is free."""
    result = reals(SF, SW, p.S_RESULT)
    when = result[0, p.PIECE] + result[0, p.WHEN]
    return result[0, p.KIND] != p.NOTHING and not when - start > result[0, p.PRECISION]
