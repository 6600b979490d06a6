"""Which of these balls can touch soon?

Two hundred balls fly about a room, each steered at random. Every hundredth of a second the
predictor is given positions and velocities, and looks at the few pairs that are due. Run it:

    python examples/06_watch_a_swarm.py
"""

from __future__ import annotations

import numpy as np

import standoff as so

rng = np.random.default_rng(0)
n, period = 200, 0.01
radii, most = np.full(n, 0.05), np.full(n, 2.0)  # [m], [m/s²]
x, v = rng.uniform(0.0, 4.0, (n, 3)), np.zeros((n, 3))

# No contact goes unannounced as long as nobody accelerates harder and no step comes later.
predictor = so.Predictor(radii, most, margin=0.01, period=period)
tests, touched = 0, set()
for k in range(500):
    step = predictor.step(x, v, time=period * k)
    assert step.keeping_up and not step.faults
    tests += step.tests
    for (a, b), tau, new in zip(step.alarms, step.tau, step.new):
        if new and len(touched) < 10:
            print(f"{period * k:5.2f} s: {a} and {b} may touch within {1e3 * tau:.1f} ms")
        touched.add((int(a), int(b)))
    steer = rng.normal(size=(n, 3)) - v - 0.2 * (x - 2.0)
    a = most[:, None] * steer / np.maximum(np.linalg.norm(steer, axis=1), 2.0)[:, None]
    x, v = x + period * v + 0.5 * period**2 * a, v + period * a
print(f"{len(touched)} pairs of {n * (n - 1) // 2} alarmed, {tests / 500:.0f} tests a step")
