"""The search: halve intervals, most urgent first, until all is free or something is not.

`step` looks at one interval: everything is placed at its middle, all open pairs are tested there.
What a pair leaves open of either half goes on with that half. The first node of a piece finds its
pairs itself. `search` takes one step after another over all pieces of a motion; `check_segments`
does so for many straight segments in one call.
"""

from __future__ import annotations

import math

from numba import types

from standoff.compiled.by_address import called
from standoff.compiled.jit import entry, kernel
from standoff.geometry.narrowphase.dispatch import DONE
from standoff.geometry.narrowphase.layout import KIND, MESH, SLACK
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.heap import pop_node, priority_of, push_node, requeue
from standoff.paths.kernels.links import links_of, near_links, test_links
from standoff.paths.kernels.motion import bound_motion, load_motion, place_at
from standoff.paths.kernels.pair import keep_result, measure, overlap
from standoff.paths.kernels.statics import near_statics, packed, skipped, test_statics

#: [m] A motion on which a body may get farther than this either way from the middle is not looked
#: at as a whole but halved first: little could be proved of it. Tuned on a Panda's edges of 1 to
#: 3 rad; any value is right.
LONG_WAY = 0.6

#: Kernels called by others take the tables as these see them.
STEP = types.int64(p.PathCell.numba_type, p.Search.numba_type, types.int64)

#: `step` by its address: compiled once and not into every caller, and another step can take its
#: place (`papers.kernels.sample_step`).
step_at = called(STEP)


@entry(STEP)
def step(cell, search, piece):
    """Look at the most urgent node of a piece, whose motion is loaded. The node is taken off only
    when all went well, so that nothing is lost where a table turns out too small."""
    header, now = search.header, search.now
    node = search.nodes[search.pieces[piece].root]
    start, end = node.start, node.end
    middle = 0.5 * (start + end)
    now.piece, now.t, now.half = piece, middle, max(middle - start, end - middle)
    status = why_not(search, start, middle, end)
    if status != p.FREE:
        return status
    fresh = node.first < 0
    # As long as surfaces keep apart on all of a piece, what is inside stays inside: once will do.
    # For the earliest contact, what comes before a contact must be free by itself. An open mesh is
    # asked wherever one looks, as a body can get into it without meeting its surface.
    header.nesting = int(fresh or cell.counts.opened != 0 or header.earliest != 0)
    if fresh and now.half * header.longest > LONG_WAY:
        halve_fresh(search, piece, start, middle, end)
        return p.FREE
    if header.top_degree > 1:
        bound_motion(cell, search, middle, now.half)
    place_at(cell, search, middle)
    proved, measured = header.proofs_used, header.distances
    header.intervals += 1
    status, standing = test_node(cell, search, node)
    if header.proofs_used > len(search.proofs):
        status = p.PROOFS_FULL
    if status != p.FREE:
        header.proofs_used = proved
        if status != p.FOUND:
            # It is done again, and counts once.
            header.distances = measured
            header.intervals -= 1
        elif search.result.kind == p.NEAR:
            note_worst(cell, search, node, standing)
        return status
    pop_node(search, piece)
    keep_halves(search, start, end)
    return p.FREE


@kernel
def why_not(search, start, middle, end):
    """FREE where the interval can be looked at, or what the search ends with."""
    header = search.header
    if header.earliest != 0 and known_from(search, search.now.piece + start):
        return p.FOUND
    spent = header.budget <= header.distances + header.intervals
    if spent or not (start < middle and middle < end):
        return p.SPENT
    return p.NODES_FULL if header.nodes_used + 2 > len(search.nodes) else p.FREE


@kernel
def test_node(cell, search, node):
    """Test the pairs of a node at the instant that everything is placed at; a fresh one finds them.
    Returns a status, and how many pairs with statics a fresh node found."""
    header, now = search.header, search.now
    fresh, first, standing, count = node.first < 0, node.first, node.standing, node.count
    # The pairs of the first half grow from below, those of the second from above.
    now.low, now.high = header.pool_used, len(search.pool)
    if fresh:
        first, last = now.low, near_pairs(cell, search, now.low, now.high)
        # Room for the links, which are looked for once nothing that stands is in the way.
        now.low = last + len(cell.links)
        if last < 0 or now.low > now.high:
            return p.POOL_FULL, 0
        standing = count = last - first
    base = now.low
    status = test_statics(cell, search, first, first + standing)
    still_back, still_ahead = now.low - base, len(search.pool) - now.high
    back, ahead = now.back, now.ahead
    if status == p.FREE:
        if fresh:
            count = near_links(cell, search, first + standing) - first
        status = test_links(cell, search, first + standing, first + count)
    now.back, now.ahead = max(back, now.back), max(ahead, now.ahead)
    now.bottom, now.still_back, now.still_ahead = base, still_back, still_ahead
    return status, standing


@kernel
def keep_halves(search, start, end):
    """What is open of either half becomes a node."""
    header, now, pool = search.header, search.now, search.pool
    piece, middle, earliest = now.piece, now.t, header.earliest != 0
    base, low, high, ceiling = now.bottom, now.low, now.high, len(pool)
    if low > base:
        priority = -(piece + start) if earliest else now.back
        push_node(search, piece, start, middle, priority, base, low - base, now.still_back)
    header.pool_used = low
    if ceiling > high and not (earliest and behind(search, piece + middle)):
        priority = -(piece + middle) if earliest else now.ahead
        push_node(search, piece, middle, end, priority, low, ceiling - high, now.still_ahead)
        # They stand in reverse, and where they are to go may overlap where they are: they are
        # turned round in place first, and then moved down from the lowest on.
        for e in range((ceiling - high) // 2):
            near, far = high + e, ceiling - 1 - e
            pool[near], pool[far] = pool[far], pool[near]
        for e in range(ceiling - high):
            pool[low + e] = pool[high + e]
        header.pool_used = low + ceiling - high


@kernel
def halve_fresh(search, piece, start, middle, end):
    """On so long a way little can be proved of a node as a whole: its halves are fresh nodes. The
    later one goes first, as motions rather end in contact than begin there."""
    priority = priority_of(search, piece)
    earliest = search.header.earliest != 0
    pop_node(search, piece)
    push_node(search, piece, start, middle, priority, -1, 0, 0)
    later = -(piece + middle) if earliest else max(2.0 * priority, 1.0)
    push_node(search, piece, middle, end, later, -1, 0, 0)


@kernel
def near_pairs(cell, search, base, ceiling):
    """All pairs with statics that may come too close, into the pool from ``base`` on; where they
    end, -1 where the pool is full."""
    counts, movers, proving = cell.counts, cell.movers, search.header.proving != 0
    last = base
    for a in range(counts.movers):
        # Each mover where the proof is asked for, else link spheres, and those that are in none.
        meets, alone = a < counts.meeting, a < counts.single
        leads = meets if proving else (not alone or (meets and movers[a].joints == 0))
        if leads and last >= 0:
            last = near_statics(cell, search, a, last, ceiling)
    return last


@kernel
def behind(search, when):
    """Whether something was found at or before ``when``: what comes later does not matter."""
    result = search.result
    return result.kind != p.NOTHING and when >= result.piece + result.u


@kernel
def known_from(search, start):
    """Whether the earliest contact is known as precisely as was asked for, where all before
    ``start`` is free."""
    result = search.result
    when = result.piece + result.u
    return result.kind != p.NOTHING and not when - start > search.header.precision


@kernel
def note_worst(cell, search, node, standing):
    """The result is one that is too close, and where two primitives are, others may overlap:
    measure all pairs of the node at this instant, and keep the first that overlaps, or else the
    nearest. A pair that is not there is proved free at this instant."""
    pool, links, movers = search.pool, cell.links, cell.movers
    first, count = node.first, node.count
    if first < 0:
        first = search.header.pool_used
        count = near_links(cell, search, first + standing) - first
    for e in range(first, first + count):
        code = pool[e]
        if code < 0:
            begin, end, _ = links_of(cell, code)
            for k in range(begin, end):
                note_if_worse(cell, search, links[k].a, links[k].b, links[k].clearance)
            continue
        a, b = packed(code)
        for k in range(movers[a].first_member, movers[a].past_members):
            if not skipped(cell, k, b):
                note_if_worse(cell, search, k, b, cell.settings.clearance)


@kernel
def note_if_worse(cell, search, a, b, clearance):
    """Measure a pair and keep it where it overlaps and nothing else does, or is nearer."""
    refs, out, result = cell.bodies.refs, search.answer, search.result
    if result.kind == p.CONTACT or measure(cell, search, a, b) != DONE:
        return
    d, slack = out[0, p.DISTANCE], out[0, SLACK]
    meshed = refs[a, KIND] == MESH or refs[b, KIND] == MESH
    kind = p.NOTHING
    if overlap(d, slack, clearance, meshed):
        kind = p.CONTACT
    else:
        nearer = d - clearance < result.distance - result.required
        if nearer and d + slack < clearance + cell.settings.tolerance:
            kind = p.NEAR
    if kind != p.NOTHING:
        keep_result(search, kind, a, b, clearance)


@entry("void(int64, int64, int64, boolean, boolean, float64)")
def begin(cell, search, stepper, earliest, proving, precision):
    """Empty scratch for a new search: for the earliest contact, to ``precision`` in u, or for any;
    noting its proofs or not. ``stepper`` is the address of `step`."""
    scratch, reach = p.search_at(search), p.cell_at(cell).reach
    empty_search(scratch)
    header = scratch.header
    header.stepper, header.precision = stepper, precision
    header.earliest, header.proving = int(earliest), int(proving)
    header.hasty = header.widened = header.instant = header.loads = header.budget = 0
    for k in range(len(reach)):
        scratch.wide[k] = reach[k]
    for k in range(len(scratch.stamps)):
        stamp = scratch.stamps[k]
        stamp.ball = stamp.row = stamp.ends = stamp.members = -1


@entry("void(int64, int64, int64)")
def put_back(search, piece, kept):
    """Put nodes that were `OpenNodes` of a piece back on its heap. There is room for all."""
    scratch, there = p.search_at(search), p.open_nodes_at(kept)
    pool, header, nodes, codes = scratch.pool, scratch.header, there.nodes, there.codes
    taken = 0
    for n in range(len(nodes)):
        node = nodes[n]
        first = -1
        if node.first >= 0:
            first = header.pool_used
            for e in range(node.count):
                pool[first + e] = codes[taken + e]
            taken += node.count
            header.pool_used += node.count
        push_node(
            scratch, piece, node.start, node.end, node.priority, first, node.count, node.standing
        )
    requeue(scratch, piece)


@kernel
def empty_search(search):
    """No node, no piece in the queue, nothing found."""
    header, pieces = search.header, search.pieces
    header.nodes_used = header.pool_used = header.queued = header.distances = header.intervals = 0
    header.earliest = header.proving = header.proofs_used = 0
    header.loaded, search.result.kind = -1, p.NOTHING
    for k in range(len(pieces)):
        pieces[k].root = pieces[k].place = -1


@entry("int64(int64, int64, int64, int64)")
def search(cell, search, motion, fresh):
    """Search the pieces of a motion until all are free, FOUND, SPENT or a table is full; in that
    case no node is lost, and the search goes on after the table has grown. ``fresh``: how many of
    the pieces, the first ones, are put into the queue before, whole."""
    return search_motion(p.cell_at(cell), p.search_at(search), p.motion_at(motion), fresh)


@kernel
def search_motion(cell, search, motion, fresh):
    """`search` of what the addresses stand for."""
    header, queue = search.header, search.queue
    for k in range(fresh):
        priority = -1.0 * k if header.earliest != 0 else math.inf
        push_node(search, k, 0.0, 1.0, priority, -1, 0, 0)
        requeue(search, k)
    while header.queued > 0:
        piece = queue[0]
        if header.loaded != piece:
            take_piece(search, motion, piece)
            load_motion(cell, search, motion.rounding, piece, False)
            header.loaded = piece
        status = step_at(header.stepper, cell, search, piece)
        if status != p.FREE:
            return status
        requeue(search, piece)
    return p.FREE if search.result.kind == p.NOTHING else p.FOUND


@kernel
def take_piece(search, motion, k):
    """Copy the motion of piece ``k``."""
    C, G = search.coefficients, search.glides
    for n in range(p.POWERS):
        for j in range(C.shape[1]):
            C[n, j] = motion.pieces[p.POWERS * k + n, j]
    for g in range(len(G)):
        G[g] = motion.glides[len(G) * k + g]


CHECK = "int64(int64, int64, float64[:, ::1], float64[:, ::1], int64, int64, int64, int64[::1])"


@entry(CHECK)
def check_segments(cell, search, A, B, budget, first, last, kinds):
    """``kinds[i]``: 0 where the segment from ``A[i]`` to ``B[i]`` is free, else the kind of what
    was found; for ``i`` from ``first`` to ``last``. Returns where it stopped: ``last``, or the
    first segment for which a table was too small. Gliding bodies rest where the scratch has
    them."""
    fixed, scratch = p.cell_at(cell), p.search_at(search)
    scratch.coefficients[2:, :] = 0.0
    for i in range(first, last):
        status = one_segment(fixed, scratch, A, B, i, budget)
        if status > p.SPENT:
            return i
        kinds[i] = 0
        if status == p.SPENT:
            kinds[i] = p.DOUBT
        elif status == p.FOUND:
            kinds[i] = scratch.result.kind
    return last


@kernel
def one_segment(cell, search, A, B, i, budget):
    """A search of one piece, without the queue of pieces."""
    header, C, piece = search.header, search.coefficients, search.pieces[0]
    for j in range(C.shape[1]):
        C[0, j], C[1, j] = A[i, j], B[i, j] - A[i, j]
    header.nodes_used = header.pool_used = header.distances = header.intervals = 0
    header.budget, header.earliest, header.proving = budget, 0, 0
    search.result.kind = p.NOTHING
    piece.root = -1
    load_motion(cell, search, search.exact, 0, True)
    push_node(search, 0, 0.0, 1.0, 0.0, -1, 0, 0)
    while piece.root >= 0:
        status = step_at(header.stepper, cell, search, 0)
        if status != p.FREE:
            return status
    return p.FREE


#: `check_segments` and `search` by their addresses, for planners.
check_at, search_motion_at = called(CHECK), called("int64(int64, int64, int64, int64)")
