"""Many steps of a schedule in one call, for measurements, in which the way from Python would drown
what is measured; and looking at all pairs in each step, which paper 004 calls SA.
"""

from __future__ import annotations

from standoff.compiled.jit import entry
from standoff.compiled.tables import viewer
from standoff.predict.kernels.buckets import dua_step
from standoff.predict.kernels.look import gather, in_units, look, work_out
from standoff.predict.kernels.predict_tables import UNIT, Watched
from standoff.predict.kernels.time_to_contact import TAU
from standoff.predict.kernels.wheel import wheel_step

_watched_at = viewer(Watched)


@entry("int64(float64[:,::1], float64[:,::1], int64, int64, float64)")
def select_all(positions, velocities, address, periods, now):
    """Alarm every pair that can touch within so many periods. How many alarms there are; as many as
    have room are written down, but for ``new``."""
    tables = _watched_at(address)
    state, bodies, block, alarms = tables.state, tables.bodies, tables.block, tables.alarms
    state.step += 1
    state.now = now
    state.faults = 0
    found = 0
    for k in range(len(bodies)):
        look(positions, velocities, tables, k)
    width = block.shape[1]
    for a in range(len(bodies)):
        for first in range(a + 1, len(bodies), width):
            count = min(width, len(bodies) - first)
            for i in range(count):
                gather(tables, i, a, first + i)
            work_out(tables, count)
            for i in range(count):
                b, tau = first + i, block[TAU, i]
                if bodies[a].fault_in == state.step or bodies[b].fault_in == state.step:
                    tau = 0.0
                units = in_units(tau, state.period)
                if units <= periods * UNIT:
                    if found < len(alarms):
                        alarm = alarms[found]
                        alarm.a, alarm.b, alarm.units, alarm.periods = a, b, units, periods
                    found += 1
    state.tests = len(bodies) * (len(bodies) - 1) // 2
    state.found = found
    return found


#: Whose steps are repeated.
DUA, DEADLINES, ALL = range(3)


@entry("int64(int64, float64[:,:,::1], float64[:,:,::1], int64, float64, float64)")
def replay(whose, positions, velocities, address, now, period):
    """A `dua_step`, a `wheel_step` or a `select_all` within one period for each reading, the first
    of them ``now``. How many steps had something to say."""
    said = 0
    for k in range(len(positions)):
        x, v, at = positions[k], velocities[k], now + k * period
        if whose == DUA:
            found = dua_step(x, v, address, at)
        elif whose == DEADLINES:
            found = wheel_step(x, v, address, at)
        else:
            found = select_all(x, v, address, 1, at)
        said += int(found > 0)
    return said
