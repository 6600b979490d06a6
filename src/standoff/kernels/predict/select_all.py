"""Looking at all pairs in each step: what paper 004 calls SA, to compare with."""

from __future__ import annotations

import math

from standoff.kernels.jit import entry
from standoff.kernels.predict.earliest import earliest, in_units, pair_of
from standoff.kernels.predict.layout import FAULTS, GAP, STEP, TESTS, UNIT
from standoff.kernels.predict.reading import look


@entry("(f8[:,::1],f8[:,::1],f8[:,::1],i8[:,::1],f8[:,::1],i8[::1],f8,i8,i8,f8)")
def select_all(
    positions, velocities, bodies, alarms, faults, state, period, urgency, periods, now
):  # fmt: skip
    """Alarm every pair that can touch within so many periods. The most urgent pair, and how many
    alarms there are; as many as have room are written down."""
    state[STEP] += 1
    state[FAULTS] = 0
    step = state[STEP]
    found, soonest, most_urgent = 0, math.inf, -1
    for k in range(len(bodies)):
        look(positions, velocities, bodies, faults, state, k, step, now)
    for a in range(len(bodies)):
        good = look(positions, velocities, bodies, faults, state, a, step, now)
        for b in range(a + 1, len(bodies)):
            tau = 0.0
            if look(positions, velocities, bodies, faults, state, b, step, now) and good:
                tau = earliest(bodies, a, b, urgency)
            if tau < soonest or most_urgent < 0:
                soonest, most_urgent = tau, pair_of(a, b)
            units = in_units(tau, period)
            if units <= periods * UNIT:
                if found < len(alarms):
                    alarms[found, 0], alarms[found, 1] = pair_of(a, b), units
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
            least = min(least, earliest(bodies, a, b, GAP))
    return least
