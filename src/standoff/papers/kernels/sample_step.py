"""One interval of a search by samples: paper 001's section 2 in the place of `step`.

Everything is placed at the middle and tested there, by the same tests as in `step` on an interval
of no width: a pair that is apart is settled as soon as two volumes are. Where nothing touches, the
halves go on, the longest first, for as long as they are a resolution long. It proves nothing.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.heap import pop_node, push_node
from standoff.paths.kernels.links import near_links, test_links
from standoff.paths.kernels.motion import place_at
from standoff.paths.kernels.search import STEP, near_pairs
from standoff.paths.kernels.statics import test_statics


@entry(STEP)
def sample_step(cell, search, piece):
    """`step` by samples, with the same answers: FOUND where two bodies touch in the middle. The
    resolution is in `Search.samples`."""
    header, now, node = search.header, search.now, search.nodes[search.pieces[piece].root]
    start, end = node.start, node.end
    middle = 0.5 * (start + end)
    if header.budget <= header.distances + header.intervals:
        return p.SPENT
    if header.nodes_used + 2 > len(search.nodes):
        return p.NODES_FULL
    # A milestone may be inside a body; on the way from outside to there, surfaces meet, but for
    # those of an open mesh.
    header.nesting = int(cell.counts.opened != 0 or (start == 0.0 and end == 1.0))
    measured = header.distances
    now.piece, now.t, now.half = piece, middle, 0.0
    status = touching(cell, search)
    if status > p.SPENT:
        header.distances = measured
        return status
    header.intervals += 1
    if status == p.FOUND:
        return p.FOUND
    pop_node(search, piece)
    half = 0.5 * (end - start) * samples_along(search)
    if half >= 1.0:
        push_node(search, piece, start, middle, half, -1, 0, 0)
        push_node(search, piece, middle, end, half, -1, 0, 0)
    return p.FREE


@kernel
def touching(cell, search):
    """FOUND where two bodies touch in the middle, or cannot be told apart; else FREE, or
    POOL_FULL."""
    now, result = search.now, search.result
    place_at(cell, search, now.t)
    first, ceiling = search.header.pool_used, len(search.pool)
    last = near_pairs(cell, search, first, ceiling)
    base = last + len(cell.links)
    if last < 0 or base > ceiling:
        return p.POOL_FULL
    now.low, now.high = base, ceiling
    status = test_statics(cell, search, first, last)
    if status == p.FREE:
        status = test_links(cell, search, last, near_links(cell, search, last))
    if status == p.FREE and (now.low > base or now.high < ceiling):
        result.kind, result.piece, result.u = p.DOUBT, now.piece, now.t
        return p.FOUND
    return status


@kernel
def samples_along(search):
    """How many resolutions long the present piece is: the most of any joint."""
    C = search.coefficients
    most = 0.0
    for j in range(C.shape[1]):
        most = max(most, abs(C[1, j]) * search.samples[j])
    return most
