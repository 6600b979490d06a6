"""Many cycles in one call, or the first stages of each, and single tests: for measurements, in
which the way from Python into a kernel would drown what is measured.
"""

from __future__ import annotations

from standoff.broadphase.kernels.layout import BOXES, ITEMS, LINKS, NODES, SPACE, STATES, TREE
from standoff.broadphase.kernels.links import overlaps
from standoff.broadphase.kernels.update import neighbour
from standoff.compiled.arena import reals, wholes
from standoff.compiled.jit import entry
from standoff.geometry.narrowphase.aabb import boxes_meet
from standoff.geometry.narrowphase.unpacked import closed_form
from standoff.monitor.kernels import layout as m
from standoff.monitor.kernels.cycle import check_input, cycle
from standoff.monitor.kernels.near import refresh_pairs
from standoff.monitor.kernels.place import place_movers
from standoff.monitor.kernels.register import update_index
from standoff.robots.kernels.kinematics import place_frames

#: How far into a cycle `replay` goes: so many of its stages.
CHECK, KINEMATICS, PLACING, INDEXING, PAIRING, WHOLE = range(6)

#: What `repeat` repeats.
NODE_TEST, NEIGHBOUR, BOX_TEST, PAIR_TEST = range(4)


@entry(
    "int64(int64, float64[::1], int64[::1], float64[::1], int64[::1], float64[:,::1],"
    " float64[:,:,::1], float64, int64)"
)
def replay(general, F, W, XF, XW, Q, poses, dt, stages):
    """A `cycle` for each row of ``Q``, or the first ``stages`` of it; arguments as there, without
    moving bodies in the partial ones. Returns all that was told. Each stage leaves to the next what
    it leaves in a cycle, and none reads what a later one wrote, but for the pairs, which the last
    two stages keep between them."""
    told = 0
    if stages == WHOLE:
        for k in range(Q.shape[0]):
            told |= cycle(general, F, W, XF, XW, Q[k], poses, dt, dt, 0)[0]
        return told
    counts, faults = wholes(W, m.T_COUNTS), reals(F, W, m.T_FAULTS)
    frames, items, state = reals(F, W, m.T_FRAMES), wholes(XW, ITEMS), wholes(XW, STATES)
    motion, extended, boxes = (
        reals(F, W, m.T_MOTION), reals(F, W, m.T_EXTENDED), reals(XF, XW, BOXES),
    )  # fmt: skip
    found = wholes(W, m.T_FOUND)
    for k in range(Q.shape[0]):
        counts[0, m.FAULTS_USED] = 0
        told |= check_input(Q[k], poses, reals(F, W, m.T_LIMITS), faults, counts)
        if stages < KINEMATICS:
            continue
        place_frames(
            reals(F, W, m.T_TREE), wholes(W, m.T_LINKAGE), Q[k], Q[k], 0,
            reals(F, W, m.T_TURNS), frames, frames, 0, False,
        )  # fmt: skip
        if stages < PLACING:
            continue
        place_movers(
            frames, wholes(W, m.T_FRAME), reals(F, W, m.T_LOCAL), counts[0, m.TREE_FRAMES],
            reals(F, W, m.T_ROWS), wholes(W, m.T_REFS), reals(F, W, m.T_BEFORE), motion, items,
            dt, dt, 0, faults, counts, extended,
        )  # fmt: skip
        if stages < INDEXING:
            continue
        update_index(
            boxes, items, reals(XF, XW, NODES), reals(XF, XW, SPACE), wholes(XW, TREE),
            wholes(XW, LINKS), state, motion, extended, reals(F, W, m.T_FRESH),
            reals(F, W, m.T_BASIS), counts, reals(F, W, m.T_SCALES),
        )  # fmt: skip
        if stages < PAIRING:
            continue
        refresh_pairs(
            boxes, items, wholes(XW, TREE), wholes(XW, LINKS), state, wholes(W, m.T_OWNER),
            wholes(W, m.T_BODIES), wholes(W, m.T_EXCEPTIONS), reals(F, W, m.T_THRESHOLDS),
            found.reshape(found.size), wholes(W, m.T_PAIRS), counts,
        )  # fmt: skip
    return told


@entry(
    "int64(int64, float64[::1], int64[::1], float64[::1], int64[::1], int64[:,::1], int64, int64)"
)
def repeat(what, F, W, XF, XW, which, first, last):
    """One test for each row of ``which``, an item and a node or two items (that have a closed
    form), and that from ``first`` to ``last`` times over. Returns how often the answer was yes."""
    boxes, nodes, state = reals(XF, XW, BOXES), reals(XF, XW, NODES), wholes(XW, STATES)
    tree = wholes(XW, TREE)
    rows, refs, points = reals(F, W, m.T_ROWS), wholes(W, m.T_REFS), reals(F, W, m.T_POINTS)
    hits = reals(F, W, m.T_HITS)
    yes = 0
    for r in range(first, last):
        for k in range(which.shape[0]):
            a, b = which[k, 0], which[k, 1]
            if what == NODE_TEST:
                yes += overlaps(boxes, a, nodes, b, state)
            elif what == NEIGHBOUR:
                # 26 directions, one after the other.
                d = (r + k) % 26
                d += d >= 13
                yes += neighbour(tree, state, b, d % 3 - 1, (d // 3) % 3 - 1, d // 9 - 1) >= 0
            elif what == BOX_TEST:
                yes += boxes_meet(boxes, a, boxes, b)
            else:
                closed_form(rows, refs, a, points, rows, refs, b, points, hits, 0)
                yes += hits[0, 0] <= 0.0
    return yes
