"""The near pairs, those whose registered boxes meet, kept from cycle to cycle: what the broad phase
leaves to the narrow phase.

A mover is registered a little wider than it is extended, and only when it leaves that room is its
box registered anew. Until then the pairs it is in stay the same, and a cycle looks at no other.
"""

from __future__ import annotations

import math

from standoff.broadphase.kernels.near import candidates
from standoff.broadphase.kernels.tables import ABSENT, MOVED, STATE
from standoff.compiled.jit import inlined, kernel
from standoff.geometry.narrowphase.aabb import boxes_meet
from standoff.monitor.kernels import tables as m


@kernel
def rule_of(monitor, a, b):
    """The rule for two bodies. Two on one frame cannot move against each other."""
    bodies, exceptions = monitor.bodies, monitor.exceptions
    if bodies[a].frame == bodies[b].frame:
        return m.ALLOWED
    if bodies[b].last - bodies[b].first < bodies[a].last - bodies[a].first:
        a, b = b, a
    low, high = bodies[a].first, bodies[a].last
    while low < high:
        middle = (low + high) // 2
        if exceptions[middle, m.OTHER] == b:
            return exceptions[middle, m.RULE]
        if exceptions[middle, m.OTHER] < b:
            low = middle + 1
        else:
            high = middle
    ra, rb = bodies[a].robot, bodies[b].robot
    rule = m.BUFFERS
    if ra != m.NO_ROBOT and rb != m.NO_ROBOT:
        rule = m.SELF if ra == rb else m.ROBOT_ROBOT
    elif ra != m.NO_ROBOT or rb != m.NO_ROBOT:
        rule = m.ROBOT_SCENE
    if rule != m.BUFFERS and math.isnan(monitor.thresholds[rule]):
        rule = m.BUFFERS
    return rule


@inlined
def extended_meet(monitor, a, b):
    """Whether the extended boxes of a pair meet; what stands still is not extended."""
    if b < monitor.plan.movers:
        return boxes_meet(monitor.extended, a, monitor.extended, b)
    return boxes_meet(monitor.extended, a, monitor.index.boxes, b)


@kernel
def refresh_pairs(monitor, index):
    """Drop the pairs of whoever was registered anew and find theirs. False where the table of pairs
    is too short; asked again with a longer one, the result is the same, as nothing is taken for
    done before all is."""
    movers, items = monitor.plan.movers, index.items
    pairs, owner, found = monitor.pairs, monitor.owner, monitor.found
    used = monitor.answer.pairs = keep_pairs(monitor, items)
    for i in range(movers):
        if items[i, MOVED] == 0 or items[i, STATE] == ABSENT:
            continue
        count = candidates(index, i, found)
        for k in range(count):
            j = found[k]
            if j < i and items[j, MOVED] != 0:
                continue  # found when it was the other's turn
            rule = rule_of(monitor, owner[i], owner[j])
            if rule == m.ALLOWED:
                continue
            if used == len(pairs):
                return False
            pairs[used].a, pairs[used].b, pairs[used].rule = min(i, j), max(i, j), rule
            used += 1
    monitor.answer.pairs = used
    for i in range(movers):
        items[i, MOVED] = 0
    return True


@inlined
def keep_pairs(monitor, items):
    """Move the pairs that stay to the front of the table; how many they are."""
    movers, pairs = monitor.plan.movers, monitor.pairs
    kept = 0
    for p in range(monitor.answer.pairs):
        a, b, rule = pairs[p].a, pairs[p].b, pairs[p].rule
        # What stands still never counts as moved, also where it was inserted anew: it is for movers
        # to find, and they would not look.
        if items[a, MOVED] == 0 and (b >= movers or items[b, MOVED] == 0):
            if kept < p:
                pairs[kept].a, pairs[kept].b, pairs[kept].rule = a, b, rule
            kept += 1
    return kept
