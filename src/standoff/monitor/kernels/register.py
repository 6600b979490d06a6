"""Registering movers in the index: wider than they are, so that few have to be in a cycle.

The reserve loses no pair. Let E be the extended box of a primitive in this cycle (of what stands
still, its box), and R the one that it is registered with. After `update_index`

1. E lies within R, of every primitive: who is `within` its room stays, and anybody else is
   registered anew, with E itself or with what `widen` makes of it, which only adds to E.

After `refresh_pairs`

2. the table of pairs has every two primitives, one of which moves, whose R meet and who may not
   touch: of two that were not registered anew in this cycle both R are what they were, and if the
   two met then they are in the table still; the pairs of all others are dropped and found by the
   index, which misses none (see the head of `broadphase.kernels.octree_update`).

Extended boxes that meet are, by 1, in registered ones that meet, and so, by 2, in the table: the
exact test sees them. When anybody is registered anew does not matter, nor how wide.
"""

from __future__ import annotations

import math

from standoff.broadphase.kernels.octree_update import move
from standoff.broadphase.kernels.tables import ABSENT, STATE
from standoff.compiled.jit import inlined, kernel
from standoff.tolerances import AHEAD, ASIDE, BEHIND

#: Part of the reserve, [-]: who has no more left is registered anew before it leaves, in a cycle
#: with little to do. Wider: more even, and more often than need be.
EARLY = 0.1

#: What the last cycle counts for in how many are usually registered anew, [-]: some 20 cycles.
USUAL_SHARE = 0.05


@kernel
def update_index(monitor, index):
    """Register anew every mover that left the room it is registered with.

    With a reserve, those who are about to leave are registered in cycles in which fewer than usual
    did leave, so that the work is spread over the cycles."""
    plan, pace, movers = monitor.plan, monitor.pace, monitor.movers
    boxes, items, extended, fresh = index.boxes, index.items, monitor.extended, monitor.fresh
    registered, waiting = 0, 0
    for i in range(plan.movers):
        if items[i, STATE] == ABSENT:
            continue
        reserve = movers[i].reserve
        if reserve > 0.0:
            if within(extended, boxes, i, EARLY * reserve):
                continue
            if within(extended, boxes, i, 0.0):
                waiting += 1
                continue
            widen(monitor, i, reserve)
            move(index, i, fresh, 0, plan.smallest)
            registered += 1
            continue
        follow_exactly(monitor, index, i)
    registered += register_early(monitor, index, waiting, max(1.0, pace.registered) - registered)
    pace.registered += USUAL_SHARE * (registered - pace.registered)


@kernel
def follow_exactly(monitor, index, i):
    """Without a reserve a mover must be where it was: a box that shrinks may leave nodes."""
    boxes, extended, fresh = index.boxes, monitor.extended, monitor.fresh
    stays = True
    for c in range(6):
        stays = stays and extended[i, c] == boxes[i, c]
        fresh[0, c] = extended[i, c]
    if not stays:
        move(index, i, fresh, 0, monitor.plan.smallest)


@kernel
def register_early(monitor, index, waiting, most):
    """Register those of the ``waiting`` who are about to leave their room, while they are fewer
    than ``most``. How many that were."""
    boxes, items, extended = index.boxes, index.items, monitor.extended
    registered = 0
    for i in range(monitor.plan.movers):
        if registered == waiting or registered >= most:
            break
        reserve = monitor.movers[i].reserve
        if items[i, STATE] == ABSENT or not reserve > 0.0:
            continue
        # Those of before are not met again: BEHIND times the least of `spread` exceeds EARLY.
        if not within(extended, boxes, i, EARLY * reserve):
            widen(monitor, i, reserve)
            move(index, i, monitor.fresh, 0, monitor.plan.smallest)
            registered += 1
    return registered


@inlined
def within(extended, boxes, i, margin):
    """Whether mover ``i`` is inside the room it is registered with, and so far from its faces."""
    return (
        extended[i, 0] >= boxes[i, 0] + margin
        and extended[i, 1] >= boxes[i, 1] + margin
        and extended[i, 2] >= boxes[i, 2] + margin
        and extended[i, 3] <= boxes[i, 3] - margin
        and extended[i, 4] <= boxes[i, 4] - margin
        and extended[i, 5] <= boxes[i, 5] - margin
    )


@kernel
def widen(monitor, i, reserve):
    """The box to register mover ``i`` with, into ``fresh[0]``: wide where it is heading, narrow
    where it comes from. It heads where it went since it was last registered, from ``basis``: of the
    faces of its box, the one that moved farthest is given AHEAD of the reserve if it moved
    outwards and BEHIND if inwards, one that stood still ASIDE, and the rest what lies between. Who
    comes from nowhere, or goes there, has the reserve on all sides."""
    extended, basis, fresh = monitor.extended, monitor.basis, monitor.fresh
    reserve *= spread(monitor.pace)
    farthest = 0.0
    for c in range(6):
        farthest = max(farthest, abs(extended[i, c] - basis[i, c]))
    for c in range(6):
        part = 1.0
        if 0.0 < farthest < math.inf:
            outwards = (extended[i, c] - basis[i, c]) / farthest
            if c < 3:
                outwards = -outwards
            part = ASIDE + outwards * (AHEAD - ASIDE if outwards > 0.0 else ASIDE - BEHIND)
        basis[i, c] = extended[i, c]
        fresh[0, c] = extended[i, c] + (part * reserve if c >= 3 else -part * reserve)


@kernel
def spread(pace):
    """A number from 0.6 to 1, another one each time. With one reserve for all, movers that begin
    together and come back together would be registered anew all in one cycle."""
    pace.dice = (pace.dice * 1103515245 + 12345) & 0x7FFFFFFF
    return 0.6 + 0.4 * (pace.dice / 0x7FFFFFFF)
