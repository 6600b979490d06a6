"""One interval of a search by samples: paper 001's section 2 in the place of `step`.

Everything is placed at the middle and tested there, by the same tests as in `step` on an interval
of no width: a pair that is apart is settled as soon as two volumes are. Where nothing touches, the
halves go on, the longest first, for as long as they are a resolution long. It proves nothing.
"""

from __future__ import annotations

from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry, kernel
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.heap import pop_node, push_node
from standoff.paths.kernels.links import near_links, test_links
from standoff.paths.kernels.motion import place_at
from standoff.paths.kernels.statics import test_statics
from standoff.paths.kernels.step import near_pairs


@entry(f"int64({p.ARENAS}, int64)")
def sample_step(general, CF, CW, SF, SW, piece):
    """`step` by samples, with the same answers: FOUND where two bodies touch in the middle. The
    resolution is in the row SAMPLES of S_JOINTS."""
    header, nodes = wholes(SW, p.S_HEADER), reals(SF, SW, p.S_NODES)
    k = wholes(SW, p.S_PIECES)[piece, p.ROOT]
    start, end = nodes[k, p.START], nodes[k, p.END]
    middle = 0.5 * (start + end)
    if header[0, p.BUDGET] <= header[0, p.DISTANCES] + header[0, p.INTERVALS]:
        return p.SPENT
    if header[0, p.NODES_USED] + 2 > nodes.shape[0]:
        return p.NODES_FULL
    # A milestone may be inside a body; on the way from outside to there, surfaces meet, but for
    # those of an open mesh.
    opened = wholes(CW, p.C_COUNTS)[0, p.OPENED] != 0
    header[0, p.NESTING] = int(opened or (start == 0.0 and end == 1.0))
    measured = header[0, p.DISTANCES]
    status = touching(general, CF, CW, SF, SW, piece, middle)
    if status > p.SPENT:
        header[0, p.DISTANCES] = measured
        return status
    header[0, p.INTERVALS] += 1
    if status == p.FOUND:
        return p.FOUND
    pop_node(SF, SW, piece)
    half = 0.5 * (end - start) * samples_along(SF, SW)
    if half >= 1.0:
        push_node(SF, SW, piece, start, middle, half, -1, 0, 0)
        push_node(SF, SW, piece, middle, end, half, -1, 0, 0)
    return p.FREE


@kernel
def touching(general, CF, CW, SF, SW, piece, t):
    """FOUND where two bodies touch at ``t``, or cannot be told apart; else FREE, or POOL_FULL."""
    place_at(CF, CW, SF, SW, t)
    first, ceiling = wholes(SW, p.S_HEADER)[0, p.POOL_USED], wholes(SW, p.S_POOL).shape[0]
    last = near_pairs(CF, CW, SF, SW, piece, t, 0.0, first, ceiling)
    base = last + wholes(CW, p.C_LINKS).shape[0]
    if last < 0 or base > ceiling:
        return p.POOL_FULL
    low, high, _, _, status = test_statics(
        general, CF, CW, SF, SW, piece, t, 0.0, first, last, base, ceiling
    )
    if status == p.FREE:
        end = near_links(CF, CW, SF, SW, last, 0.0)
        low, high, _, _, status = test_links(
            general, CF, CW, SF, SW, piece, t, 0.0, last, end, low, high
        )
    if status == p.FREE and (low > base or high < ceiling):
        result = reals(SF, SW, p.S_RESULT)
        result[0, p.KIND], result[0, p.PIECE], result[0, p.WHEN] = p.DOUBT, piece, t
        return p.FOUND
    return status


@kernel
def samples_along(SF, SW):
    """How many resolutions long the present piece is: the most of any joint."""
    C, joints = reals(SF, SW, p.S_COEFFICIENTS), reals(SF, SW, p.S_JOINTS)
    most = 0.0
    for j in range(C.shape[1]):
        most = max(most, abs(C[1, j]) * joints[p.SAMPLES, j])
    return most
