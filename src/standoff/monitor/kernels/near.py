"""The near pairs: those whose registered boxes meet, kept from cycle to cycle.

A mover is registered a little wider than it is extended, and only when it leaves that room is its
box registered anew. Until then the pairs it is in stay the same, and a cycle looks at no other.
"""

from __future__ import annotations

import math

from standoff.broadphase.kernels.layout import ABSENT, MOVED, ONCE_A_PAIR, STATE, TECHNIQUES
from standoff.broadphase.kernels.near import candidates
from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.aabb import boxes_meet
from standoff.monitor.kernels.layout import (
    ALLOWED,
    BUFFERS,
    EXCEPTIONS0,
    EXCEPTIONS1,
    FRAME,
    MOVERS,
    NO_ROBOT,
    PAIRS_USED,
    ROBOT,
    ROBOT_ROBOT,
    ROBOT_SCENE,
    SELF,
)


@kernel
def rule_of(bodies, exceptions, thresholds, a, b):
    """The rule for two bodies. Two on one frame cannot move against each other."""
    if bodies[a, FRAME] == bodies[b, FRAME]:
        return ALLOWED
    if bodies[b, EXCEPTIONS1] - bodies[b, EXCEPTIONS0] < (
        bodies[a, EXCEPTIONS1] - bodies[a, EXCEPTIONS0]
    ):
        a, b = b, a
    low, high = bodies[a, EXCEPTIONS0], bodies[a, EXCEPTIONS1]
    while low < high:
        middle = (low + high) // 2
        if exceptions[middle, 0] == b:
            return exceptions[middle, 1]
        if exceptions[middle, 0] < b:
            low = middle + 1
        else:
            high = middle
    ra, rb = bodies[a, ROBOT], bodies[b, ROBOT]
    rule = BUFFERS
    if ra != NO_ROBOT and rb != NO_ROBOT:
        rule = SELF if ra == rb else ROBOT_ROBOT
    elif ra != NO_ROBOT or rb != NO_ROBOT:
        rule = ROBOT_SCENE
    if rule != BUFFERS and math.isnan(thresholds[rule, 0]):
        rule = BUFFERS
    return rule


@inlined
def extended_meet(extended, boxes, movers, a, b):
    """Whether the extended boxes of a pair meet; what stands still is not extended."""
    if b < movers:
        return boxes_meet(extended, a, extended, b)
    return boxes_meet(extended, a, boxes, b)


@kernel
def refresh_pairs(boxes, items, tree, links, state, owner, bodies, exceptions, thresholds,
                  found, pairs, counts):  # fmt: skip
    """Drop the pairs of whoever was registered anew and find theirs. False where the table of pairs
    is too short; asked again with a longer one, the result is the same, as nothing is taken for
    done before all is."""
    movers = counts[0, MOVERS]
    once = (state[0, TECHNIQUES] & ONCE_A_PAIR) != 0
    kept = 0
    for p in range(counts[0, PAIRS_USED]):
        a, b = pairs[p, 0], pairs[p, 1]
        # What stands still never counts as moved, also where the index was built anew: it is for
        # movers to find, and they would not look.
        if items[a, MOVED] == 0 and (b >= movers or items[b, MOVED] == 0):
            pairs[kept, 0] = a
            pairs[kept, 1] = b
            pairs[kept, 2] = pairs[p, 2]
            kept += 1
    counts[0, PAIRS_USED] = kept
    used = kept
    for i in range(movers):
        if items[i, MOVED] == 0 or items[i, STATE] == ABSENT:
            continue
        count = candidates(boxes, items, tree, links, state, i, found)
        for k in range(count):
            j = found[k]
            if once and j < i and items[j, MOVED] != 0:
                continue  # found when it was the other's turn
            rule = rule_of(bodies, exceptions, thresholds, owner[i, 0], owner[j, 0])
            if rule == ALLOWED:
                continue
            if used == pairs.shape[0]:
                return False
            pairs[used, 0] = min(i, j)
            pairs[used, 1] = max(i, j)
            pairs[used, 2] = rule
            used += 1
    counts[0, PAIRS_USED] = used
    for i in range(movers):
        items[i, MOVED] = 0
    return True
