"""One interval of the search: everything is placed at its middle, all open pairs are tested there.

What a pair leaves open of either half goes on with that half. The first node of a piece finds its
pairs itself.

The worst pair at an instant: where two primitives are too close, others may overlap.
"""

from __future__ import annotations

from standoff.compiled.arena import reals, wholes
from standoff.compiled.by_address import called
from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.dispatch import DONE
from standoff.geometry.narrowphase.layout import KIND, MESH, SLACK
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.heap import pop_node, pressing_of, push_node
from standoff.paths.kernels.links import links_of, near_links, test_links
from standoff.paths.kernels.motion import bound_motion, place_at
from standoff.paths.kernels.pair import keep_result, measure
from standoff.paths.kernels.statics import near_statics, packed, skipped, test_statics

#: [m] A motion on which a body may get farther than this either way from the middle is not looked
#: at as a whole but halved first: little could be proved of it. Tuned on a Panda's edges of 1 to
#: 3 rad; any value is right.
LONG_WAY = 0.6


STEP = f"int64({p.ARENAS}, int64)"


@entry(STEP)
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


@kernel
def note_worst(general, CF, CW, SF, SW, piece, t, first, count):
    """Measure all pairs of the pool from ``first`` on at the instant that everything is placed at,
    and keep in S_RESULT, which has one that is too close, the first that overlaps, or else the
    nearest. A pair that is not there is proved free at this instant."""
    pool, links, movers = wholes(SW, p.S_POOL), wholes(CW, p.C_LINKS), wholes(CW, p.C_MOVERS)
    for e in range(first, first + count):
        code = pool[e, 0]
        if code < 0:
            begin, end, _ = links_of(CW, code)
            for k in range(begin, end):
                clearance = reals(CF, CW, p.C_LINK_CLEARANCE)[k, 0]
                a, b = links[k, 0], links[k, 1]
                note_if_worse(general, CF, CW, SF, SW, piece, t, a, b, clearance)
            continue
        a, b = packed(code)
        clearance = reals(CF, CW, p.C_SETTINGS)[0, p.CLEARANCE]
        for k in range(movers[a, p.MEMBER0], movers[a, p.MEMBERS]):
            if not skipped(CW, k, b):
                note_if_worse(general, CF, CW, SF, SW, piece, t, k, b, clearance)


@kernel
def note_if_worse(general, CF, CW, SF, SW, piece, t, a, b, clearance):
    """Measure a pair and keep it where it overlaps and nothing else does, or is nearer."""
    refs, out, result = wholes(CW, p.C_REFS), reals(SF, SW, p.S_OUT), reals(SF, SW, p.S_RESULT)
    if result[0, p.KIND] == p.CONTACT or measure(general, CF, CW, SF, SW, a, b) != DONE:
        return
    d, slack = out[0, 0], out[0, SLACK]
    meshed = refs[a, KIND] == MESH or refs[b, KIND] == MESH
    kind = p.NOTHING
    if d + slack < min(clearance, 0.0) or (meshed and d <= 0.0):
        kind = p.CONTACT
    else:
        nearer = d - clearance < result[0, p.DISTANCE] - result[0, p.REQUIRED]
        if nearer and d + slack < clearance + reals(CF, CW, p.C_SETTINGS)[0, p.TOLERANCE]:
            kind = p.NEAR
    if kind != p.NOTHING:
        keep_result(SF, SW, kind, piece, t, a, b)
        result[0, p.REQUIRED] = clearance


#: `step` by its address: compiled once and not into every caller, and another step can take its
#: place (`papers.kernels.sample_step`).
step_at = called(STEP)
