"""Many steps in one call: for measurements, in which the way from Python into a kernel would drown
what is measured. Arguments are those of the steps; readings are one behind the other.
"""

from __future__ import annotations

from standoff.compiled.jit import entry
from standoff.papers.kernels.select_all import select_all
from standoff.predict.kernels.buckets import dua_step
from standoff.predict.kernels.predict_tables import buckets_at, watched_at, wheel_at
from standoff.predict.kernels.wheel import wheel_step


@entry("int64(float64[:,:,::1], float64[:,:,::1], int64, float64)")
def replay_dua(positions, velocities, address, now):
    """A `dua_step` for each reading, a period apart, the first of them ``now``. How many steps had
    something to say."""
    period, said = buckets_at(address).state.period, 0
    for k in range(len(positions)):
        said += int(dua_step(positions[k], velocities[k], address, now + k * period) > 0)
    return said


@entry("int64(float64[:,:,::1], float64[:,:,::1], int64, float64)")
def replay_wheel(positions, velocities, address, now):
    """A `wheel_step` for each reading, as `replay_dua`."""
    period, said = wheel_at(address).state.period, 0
    for k in range(len(positions)):
        said += int(wheel_step(positions[k], velocities[k], address, now + k * period) > 0)
    return said


@entry("int64(float64[:,:,::1], float64[:,:,::1], int64, float64)")
def replay_all(positions, velocities, address, now):
    """A `select_all` within one period for each reading, as `replay_dua`."""
    period, said = watched_at(address).state.period, 0
    for k in range(len(positions)):
        said += int(select_all(positions[k], velocities[k], address, 1, now + k * period) > 0)
    return said
