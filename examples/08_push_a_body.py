"""One body pushes another: where do they touch, and with what force?

A paddle moves at 0.2 m/s against a box of 1 kg that slides on a table with friction. Every
millisecond the scene is given the poses and gives back the force on the box. Each contact is named
by what meets: FV is a face of the first body and a vertex of the second. Run it:

    python examples/08_push_a_body.py
"""

from __future__ import annotations

import numpy as np

import standoff as so
from standoff.contact import Scene

mass, sliding, dt = 1.0, 2.0, 0.001  # [kg], friction of the table [N s/m], [s]
scene = Scene()
scene.add("paddle", so.Box((0.02, 0.2, 0.2)), stiffness=5e3, damping=40.0)
scene.add("box", so.Box((0.2, 0.2, 0.2)), stiffness=5e3, damping=40.0)
x, v = 0.15, np.zeros(3)  # where the box is along x [m], its velocity [m/s]
still = np.zeros(3)
for k in range(1001):
    paddle = 0.2 * k * dt
    step = scene.step(
        {"paddle": so.pose((paddle, 0.0, 0.0)), "box": so.pose((x, 0.0, 0.0))},
        {"paddle": (0.2, 0.0, 0.0, *still), "box": (*v, *still)},
    )
    force = step.forces["box"]
    if k % 100 == 0:
        kinds = " ".join(contact.kind for contact in step.contacts)
        print(f"{k * dt:.1f} s: box at {x:.3f} m, pushed with {force[0]:6.3f} N  {kinds}")
    v[0] += dt * (force[0] - sliding * v[0]) / mass
    x += dt * v[0]
