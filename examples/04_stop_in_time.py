"""Can it still stop?

An arm leans forward, down to a table. First the buffer that its speed asks for, term by term. Then
the monitor itself certifies each stop: as long as it does not warn, braking now, or at any time
until the next reading, ends without a touch. The arm brakes at the first warning, and we see how
much was left. Run it:

    python examples/04_stop_in_time.py

Standoff is not a safety-rated device; see docs/separation.md.
"""

from __future__ import annotations

import numpy as np

import standoff as so
from standoff.paths.profile import profile

brakes, reaction, period = 5.0, 0.02, 0.01  # [rad/s²], [s], [s]
print(so.separation(0.6, period=period, reaction=reaction, deceleration=3.0), end="\n\n")

cell = so.Cell()
cell.add_robot("builtin:panda", name="arm")
cell.add_body("table", so.Box((0.6, 1.6, 0.04)), so.pose((0.65, 0.0, 0.2)))
# The least that the brakes hold, when they act at the latest, what the drives may add until then.
stopping = so.Stopping(deceleration=brakes, reaction=reaction, acceleration=2.0)
monitor = so.Monitor(cell, buffer=0.0, period=period, stopping=stopping)

q, dq = np.zeros(len(cell.joints)), np.zeros(len(cell.joints))
q[1], q[3], q[5], dq[1] = 0.2, -1.5708, 1.5708, 0.8
while True:
    cycle = monitor.update(q, dq=dq)
    if not cycle.safe:
        break
    q = q + period * dq
print(cycle.stopping or cycle.faults[0])

# The stop that was certified a reading before: is it free, and how near does it come?
q = q - period * dq
free = so.paths.check_stop(cell, q, dq, brakes, reaction).free
stop = so.paths.braking_curve(cell, q, dq, brakes, reaction)
seen = profile(cell, [stop.at(t) for t in np.linspace(0.0, stop.end, 50)], among="others")
print(f"stopped in {stop.end:.2f} s; free at every instant: {free}")
print(f"nearest by samples: {1e3 * seen.distance.min():.1f} mm, {seen.pair[seen.nearest]}")
