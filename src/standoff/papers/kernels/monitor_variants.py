"""Cycles as paper 000 compares its own with: without one of its techniques, or with an update that
it rejected. They are for measurements of a monitor that has settled, and enlarge no table.
"""

from __future__ import annotations

import math

from standoff.broadphase.kernels.entries import empty
from standoff.broadphase.kernels.near import take
from standoff.broadphase.kernels.octree import next_visit
from standoff.broadphase.kernels.octree_update import (
    enter_from,
    insert,
    leave_old,
    mark_leaves,
    reached,
    register,
    reinsert,
    within_root,
)
from standoff.broadphase.kernels.tables import (
    ABSENT,
    AFTER,
    HEAD,
    INSIDE,
    ITEM,
    LIST,
    MOVED,
    NEXT,
    NODE,
    NONE,
    OUT_NEXT,
    OUTSIDE,
    SEEN,
    STATE,
)
from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.layout import DISTANCE, SLACK
from standoff.monitor.kernels.cycle import check_input, place_tree
from standoff.monitor.kernels.judge import add_hit, closing_speed, judge, measure, threshold_of
from standoff.monitor.kernels.near import keep_pairs, refresh_pairs, rule_of
from standoff.monitor.kernels.place import place_movers
from standoff.monitor.kernels.register import update_index
from standoff.monitor.kernels.tables import ALLOWED, monitor_at

#: What is different: nothing; the technique that is left out; or the update. Those of updates are
#: of an index that follows by its neighbours, without a reserve.
WHOLE, ONCE_A_PAIR, OUTWARD_ONLY, INSIDE_CHECK, BOXES_FIRST, REINSERT, REBUILD = range(7)


@entry("float64(int64, float64[:,::1], float64[:,:,::1], float64, int64)")
def replay_variant(tables, Q, poses, dt, variant):
    """A cycle for each row of ``Q``, as `replay` has it; the smallest clearance of all."""
    monitor = monitor_at(tables)
    index = monitor.index
    clearance = math.inf
    for k in range(Q.shape[0]):
        check_input(monitor, Q[k], poses)
        place_tree(monitor, Q[k])
        place_movers(monitor, dt, dt, 0)
        if variant == REBUILD:
            rebuild(monitor, index)
        elif variant in (OUTWARD_ONLY, INSIDE_CHECK, REINSERT):
            update_each(monitor, index, variant)
        else:
            update_index(monitor, index)
        if variant in (ONCE_A_PAIR, BOXES_FIRST):
            find_pairs(monitor, index, variant)
        else:
            refresh_pairs(monitor, index)
        if variant == BOXES_FIRST:
            clearance = min(clearance, judge_all(monitor, dt))
        else:
            clearance = min(clearance, judge(monitor, dt))
    return clearance


@kernel
def update_each(monitor, index, variant):
    """Bring every mover up to date that is not where it was."""
    boxes, items, extended = index.boxes, index.items, monitor.extended
    for i in range(monitor.plan.movers):
        stays = True
        for c in range(6):
            stays = stays and extended[i, c] == boxes[i, c]
        if stays or items[i, STATE] == ABSENT:
            continue
        outward, farthest = register(index, i, extended, i)
        near_by = farthest < monitor.plan.smallest and within_root(index, i)
        if variant != REINSERT and items[i, STATE] == INSIDE and near_by:
            follow_widely(index, i, outward, variant)
        else:
            reinsert(index, i)


@kernel
def follow_widely(index, i, outward, variant):
    """`follow`, past faces that did not move as well, or that the box does not reach."""
    links = index.links
    old = mark_leaves(index, i)
    done = True
    link = old
    while done and link != NONE:
        leaf = links[link, NODE]
        across = 63 if variant == OUTWARD_ONLY else outward
        if variant != INSIDE_CHECK:
            across &= reached(index, i, leaf)
        done = enter_from(index, i, leaf, across)
        link = links[link, AFTER]
    leave_old(index, i, old, done)


@kernel
def rebuild(monitor, index):
    """Empty the index and insert everything."""
    boxes, items, extended = index.boxes, index.items, monitor.extended
    # MOVED remembers who is there: whoever is inserted has moved.
    for i in range(items.shape[0]):
        items[i, MOVED] = 0 if items[i, STATE] == ABSENT else 1
    empty(index)
    for i in range(items.shape[0]):
        if items[i, MOVED] == 0:
            continue
        if i < monitor.plan.movers:
            for c in range(6):
                boxes[i, c] = extended[i, c]
        insert(index, i)


@kernel
def find_pairs(monitor, index, variant):
    """`refresh_pairs` where a pair is found once for each node it shares, or with no look at boxes;
    the table of pairs has room."""
    items, pairs, owner, found = index.items, monitor.pairs, monitor.owner, monitor.found
    used = keep_pairs(monitor, items)
    for i in range(monitor.plan.movers):
        if items[i, MOVED] == 0 or items[i, STATE] == ABSENT:
            continue
        for k in range(candidates(index, i, found, variant)):
            j = found[k]
            if variant != ONCE_A_PAIR and j < i and items[j, MOVED] != 0:
                continue
            rule = rule_of(monitor, owner[i], owner[j])
            if rule != ALLOWED:
                pairs[used].a, pairs[used].b, pairs[used].rule = min(i, j), max(i, j), rule
                used += 1
    monitor.answer.pairs = used
    for i in range(monitor.plan.movers):
        items[i, MOVED] = 0


@kernel
def candidates(index, i, found, variant):
    """See `near.candidates`."""
    items, tree, links = index.items, index.tree, index.links
    count = 0
    if items[i, STATE] == OUTSIDE:
        for j in range(items.shape[0]):
            if j != i and items[j, STATE] != ABSENT:
                count = take_one(index, i, j, found, count, variant)
        return count
    visit = next_visit(index)
    link = items[i, HEAD]
    while link != NONE:
        other = tree[links[link, NODE], LIST]
        while other != NONE:
            j = links[other, ITEM]
            other = links[other, NEXT]
            if j != i and (variant == ONCE_A_PAIR or items[j, SEEN] != visit):
                items[j, SEEN] = visit
                count = take_one(index, i, j, found, count, variant)
        link = links[link, AFTER]
    j = index.state.out_first
    while j != NONE:
        count = take_one(index, i, j, found, count, variant)
        j = items[j, OUT_NEXT]
    return count


@inlined
def take_one(index, i, j, found, count, variant):
    """See `near.take`."""
    if variant != BOXES_FIRST:
        return take(index, i, j, found, count)
    index.state.box_tests += 1
    found[count] = j
    return count + 1


@kernel
def judge_all(monitor, dt):
    """`judge` without a look at extended boxes."""
    pairs, out = monitor.pairs, monitor.out
    found = 0
    clearance = math.inf
    for p in range(monitor.answer.pairs):
        a, b = pairs[p].a, pairs[p].b
        monitor.index.state.pair_tests += 1
        measure(monitor, monitor.placed, a, b, out, 0)
        clearance = min(clearance, out[0, DISTANCE])
        threshold = threshold_of(monitor, a, b, pairs[p].rule)
        if not out[0, DISTANCE] - out[0, SLACK] > threshold:
            found = add_hit(monitor, found, p, threshold, 1.0, closing_speed(monitor, a, b, dt))
    monitor.answer.hits = found
    return clearance
