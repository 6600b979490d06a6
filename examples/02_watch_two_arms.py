"""What is too close, now?

Two arms share a table. The left one swings to the right, into the other's room, and goes back. The
monitor is given the joints a hundred times a second and says who is too close to whom, how near,
and whether the two approach or part. Run it:

    python examples/02_watch_two_arms.py
"""

from __future__ import annotations

import math

import numpy as np

import standoff as so

cell = so.Cell()
cell.add_robot("builtin:panda", name="left")
cell.add_robot("builtin:panda", name="right", base=so.pose((0.0, -0.6, 0.0)))
cell.add_body("table", so.Box((0.6, 1.6, 0.04)), so.pose((0.65, -0.3, 0.2)))

# Every mover is extended by 3 cm. A Panda's own links pass each other within 15 mm, so they have a
# threshold of their own.
monitor = so.Monitor(cell, buffer=0.03, thresholds=so.Thresholds(self_collision=0.005), period=0.01)

ready = np.array([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.0])
q = np.concatenate([ready, ready])  # in the order of cell.joints
shoulder = cell.joints.index("left/panda_joint1")
was_safe, nearest = True, math.inf
for k in range(401):
    q[shoulder] = -0.4 * (1.0 - math.cos(0.005 * math.pi * k))  # 0.8 rad to the right and back
    cycle = monitor.update(q, time=0.01 * k)
    if cycle.safe != was_safe or (not cycle.safe and k % 20 == 0):
        print(f"{0.01 * k:4.2f} s: {'safe' if cycle.safe else 'unsafe'}")
        for fault in cycle.faults:
            print(f"        {fault}")
        for warning in cycle.warnings[:2]:  # the nearest come first
            print(f"        {warning}")
    was_safe = cycle.safe
    nearest = min([nearest, *(warning.distance for warning in cycle.warnings)])
print(f"the nearest that was warned of: {1e3 * nearest:.1f} mm")
