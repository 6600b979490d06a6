"""Many steps in one call: for measurements, in which the way from Python into a kernel would drown
what is measured. Arguments are those of the steps; readings are one behind the other.
"""

from __future__ import annotations

from standoff.compiled.jit import entry
from standoff.predict.kernels.deadlines import wheel_step
from standoff.predict.kernels.dua import dua_step
from standoff.predict.kernels.select_all import select_all


@entry(
    "(f8[:,:,::1],f8[:,:,::1],f8[:,::1],i8[:,::1],i8[:,::1],i8[::1],f8[:,::1],i8[:,::1],i8[:,::1],"
    "i8[:,::1],f8[:,::1],i8[::1],f8,i8,i8,f8)"
)
def replay_dua(
    positions, velocities, bodies, pairs, buckets, off, block, seats, rows, alarms, faults, state,
    period, urgency, partial, now,
):  # fmt: skip
    """A `dua_step` for each reading, a period apart, the first of them ``now``. All that was
    told."""
    told = 0
    for k in range(len(positions)):
        told += dua_step(
            positions[k], velocities[k], bodies, pairs, buckets, off, block, seats, rows, alarms,
            faults, state, period, urgency, partial, now + k * period,
        )  # fmt: skip
    return told


@entry(
    "(f8[:,:,::1],f8[:,:,::1],f8[:,::1],i4[:,::1],i4[::1],i4[::1],f8[:,::1],i8[::1],f8[:,::1],"
    "i8[:,::1],f8[:,::1],i8[::1],i8[::1],f8,i8,i8,f8)"
)
def replay_wheel(
    positions, velocities, bodies, pairs, slots, firsts, balls, off, block, alarms, faults, voids,
    state, period, urgency, budget, now,
):  # fmt: skip
    """A `wheel_step` for each reading, as `replay_dua`."""
    told = 0
    for k in range(len(positions)):
        told += wheel_step(
            positions[k], velocities[k], bodies, pairs, slots, firsts, balls, off, block, alarms,
            faults, voids, state, period, urgency, budget, now + k * period,
        )  # fmt: skip
    return told


@entry("(f8[:,:,::1],f8[:,:,::1],f8[:,::1],f8[:,::1],i8[:,::1],f8[:,::1],i8[::1],f8,i8,i8,f8)")
def replay_all(
    positions, velocities, bodies, block, alarms, faults, state, period, urgency, periods, now
):  # fmt: skip
    """A `select_all` for each reading, as `replay_dua`."""
    told = 0
    for k in range(len(positions)):
        told += select_all(
            positions[k], velocities[k], bodies, block, alarms, faults, state, period, urgency,
            periods, now + k * period,
        )[1]  # fmt: skip
    return told
