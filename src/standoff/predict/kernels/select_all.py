"""Looking at all pairs in each step: what paper 004 calls SA, to compare with."""

from __future__ import annotations

import math

from standoff.compiled.jit import entry
from standoff.predict.kernels.earliest import gather, in_units, pair_of, work_out
from standoff.predict.kernels.layout import (
    FAULT_IN,
    FAULTS,
    GAP,
    POSITION,
    RADIUS,
    STEP,
    TESTS,
    UNIT,
)
from standoff.predict.kernels.reading import look
from standoff.predict.kernels.urgencies import urgency_of
from standoff.predict.kernels.urgency import TAU


@entry("(f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],i8[:,::1],f8[:,::1],i8[::1],f8,i8,i8,f8)")
def select_all(
    positions, velocities, bodies, block, alarms, faults, state, period, urgency, periods, now
):  # fmt: skip
    """Alarm every pair that can touch within so many periods. The most urgent pair, and how many
    alarms there are; as many as have room are written down."""
    state[STEP] += 1
    state[FAULTS] = 0
    step = state[STEP]
    found, soonest, most_urgent = 0, math.inf, -1
    for k in range(len(bodies)):
        look(positions, velocities, bodies, faults, state, k, step, now)
    width = block.shape[1]
    for a in range(len(bodies)):
        for first in range(a + 1, len(bodies), width):
            count = min(width, len(bodies) - first)
            for i in range(count):
                gather(bodies, block, i, a, first + i)
            work_out(block, count, urgency)
            for i in range(count):
                b, tau = first + i, block[TAU, i]
                if bodies[a, FAULT_IN] == step or bodies[b, FAULT_IN] == step:
                    tau = 0.0
                if tau < soonest or most_urgent < 0:
                    soonest, most_urgent = tau, pair_of(a, b)
                if in_units(tau, period) <= periods * UNIT:
                    if found < len(alarms):
                        alarms[found, 0], alarms[found, 1] = pair_of(a, b), in_units(tau, period)
                        alarms[found, 2] = periods
                    found += 1
    state[TESTS] = len(bodies) * (len(bodies) - 1) // 2
    return most_urgent, found


@entry("(f8[:,::1],)")
def smallest_gap(bodies):
    """The smallest distance of two bodies at their last readings, [m]; 0: some touch."""
    least = math.inf
    for a in range(len(bodies)):
        for b in range(a + 1, len(bodies)):
            gap = urgency_of(
                GAP,
                bodies[b, POSITION] - bodies[a, POSITION],
                bodies[b, POSITION + 1] - bodies[a, POSITION + 1],
                bodies[b, POSITION + 2] - bodies[a, POSITION + 2],
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                bodies[a, RADIUS] + bodies[b, RADIUS],
            )
            least = min(least, gap)
    return least
