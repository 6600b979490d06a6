"""Many cycles in one call, or the first stages of each, and single tests: for measurements, in
which the way from Python into a kernel would drown what is measured.
"""

from __future__ import annotations

from standoff.broadphase.kernels.octree import overlaps
from standoff.broadphase.kernels.octree_update import neighbour
from standoff.compiled.jit import entry
from standoff.geometry.narrowphase.aabb import boxes_meet
from standoff.geometry.narrowphase.layout import DISTANCE
from standoff.monitor.kernels.cycle import check_input, cycle, place_tree
from standoff.monitor.kernels.judge import measure
from standoff.monitor.kernels.near import refresh_pairs
from standoff.monitor.kernels.place import place_movers
from standoff.monitor.kernels.register import update_index
from standoff.monitor.kernels.tables import monitor_at

#: How far into a cycle `replay` goes: so many of its stages.
CHECK, KINEMATICS, PLACING, INDEXING, PAIRING, WHOLE = range(6)

#: What `repeat` repeats.
NODE_TEST, NEIGHBOUR, BOX_TEST, PAIR_TEST = range(4)


@entry("int64(int64, float64[:,::1], float64[:,:,::1], float64, int64)")
def replay(tables, Q, poses, dt, stages):
    """A `cycle` for each row of ``Q``, or the first ``stages`` of it; arguments as there, without
    moving bodies in the partial ones. Returns in how many there was something to tell. Each stage
    leaves to the next what it leaves in a cycle, and none reads what a later one wrote, but for the
    pairs, which the last two stages keep between them."""
    eventful = 0
    if stages == WHOLE:
        for k in range(Q.shape[0]):
            eventful += cycle(tables, Q[k], poses, dt, dt, 0)[0] != 0
        return eventful
    monitor = monitor_at(tables)
    for k in range(Q.shape[0]):
        eventful += not check_input(monitor, Q[k], poses)
        if stages < KINEMATICS:
            continue
        place_tree(monitor, Q[k])
        if stages < PLACING:
            continue
        place_movers(monitor, dt, dt, 0)
        if stages < INDEXING:
            continue
        update_index(monitor, monitor.index)
        if stages < PAIRING:
            continue
        refresh_pairs(monitor, monitor.index)
    return eventful


@entry("int64(int64, int64, int64[:,::1], int64, int64)")
def repeat(what, tables, which, first, last):
    """One test for each row of ``which``, an item and a node or two items (that have a closed
    form), and that from ``first`` to ``last`` times over. Returns how often the answer was yes."""
    monitor = monitor_at(tables)
    index, placed, out = monitor.index, monitor.placed, monitor.out
    yes = 0
    for r in range(first, last):
        for k in range(which.shape[0]):
            a, b = which[k, 0], which[k, 1]
            if what == NODE_TEST:
                yes += overlaps(index, a, b)
            elif what == NEIGHBOUR:
                # 26 directions, one after the other.
                d = (r + k) % 26
                d += d >= 13
                yes += neighbour(index, b, d % 3 - 1, (d // 3) % 3 - 1, d // 9 - 1) >= 0
            elif what == BOX_TEST:
                yes += boxes_meet(index.boxes, a, index.boxes, b)
            else:
                measure(monitor, placed, a, b, out, 0)
                yes += out[0, DISTANCE] <= 0.0
    return yes
