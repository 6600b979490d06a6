"""Do these parts interfere?

A shaft goes through the bore of a bearing block, a key sits on the shaft, and a bolt runs into the
block by mistake. Three methods look at them; none misses an overlap, two of them may raise false
alarms: the shaft is inside the outline of the block, and yet in its bore. Run it:

    python examples/07_do_parts_interfere.py
"""

from __future__ import annotations

import numpy as np

import standoff as so

# A block with a bore: the outline of each end, turned once around, joined to a tube of triangles.
turn = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
ring = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
points = np.concatenate([r * ring + [0, 0, z] for r, z in ((3, -2), (3, 2), (1, 2), (1, -2))]) / 100
here, there = np.arange(48), np.roll(np.arange(48), -1)
quads = [(48 * k, 48 * ((k + 1) % 4)) for k in range(4)]
faces = [t for a, b in quads for t in np.stack([here + a, there + a, there + b], 1).tolist()]
faces += [t for a, b in quads for t in np.stack([here + a, there + b, here + b], 1).tolist()]

parts = {
    "block": so.Mesh(points, faces),
    "shaft": so.Cylinder(0.0095, 0.2),
    "key": (so.Box((0.004, 0.004, 0.02)), so.pose((0.0095, 0.0, 0.06))),
    "bolt": (so.Cylinder(0.003, 0.03), so.pose((0.025, 0.0, 0.03))),
}
for method in ("exact", "projection", "octree"):
    found = so.interference.compare(parts, method, clearance=0.0001)
    print(f"{method}: {len(found.overlaps)} of {found.tests['pairs']} pairs")
    for pair in found.overlaps:
        deep = "" if pair.distance is None else f", {-1e3 * pair.distance:.2f} mm deep"
        print(f"  {pair.a} and {pair.b} {'' if pair.certain else 'may '}overlap{deep}")
        print(f"    {pair.evidence}")
