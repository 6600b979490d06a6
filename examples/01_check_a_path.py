"""Is this path free, at every instant of it?

A Panda carries its hand from one side of a post to the other. The straight way hits the post; the
way over it is free, and that is proved, not sampled. Run it:

    python examples/01_check_a_path.py

It leaves cell.toml, straight.csv and over.csv in the folder it is given (a temporary one by
default), for the same check on the command line:

    standoff check cell.toml straight.csv --plot clearance.png
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

import standoff as so
from standoff.paths.profile import profile

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="standoff-"))
folder.mkdir(parents=True, exist_ok=True)

# A robot on a table with a post in the middle.
cell = so.Cell()
cell.add_robot("builtin:panda", name="arm")
cell.add_body("table", so.Box((0.6, 1.6, 0.04)), so.pose((0.65, 0.0, 0.1)))
cell.add_body("post", so.Box((0.06, 0.06, 0.4)), so.pose((0.55, 0.0, 0.32)))
cell.save(folder / "cell.toml")

# Two paths from the right of the post to the left, radians and metres in the order of cell.joints.
right = np.array([-0.8, 0.3, 0.0, -2.0, 0.0, 2.3, 0.785, 0.02])
above = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 2.3, 0.785, 0.02])
left = np.array([0.8, 0.3, 0.0, -2.0, 0.0, 2.3, 0.785, 0.02])
paths = {"straight": [right, left], "over": [right, above, left]}
for name, waypoints in paths.items():
    with open(folder / f"{name}.csv", "w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(cell.joints)
        rows.writerows(np.array(waypoints).tolist())

# Free means: more than 5 mm apart at every instant of the motion.
checker = so.PathChecker(cell, clearance=0.005)
verdicts = {name: checker.path(waypoints, first=True) for name, waypoints in paths.items()}
for name, verdict in verdicts.items():
    print(f"{name}: {verdict.kind}")
    if verdict.free:
        # What people want to see besides a proof: how near did it get? Sampled, and said so.
        seen = profile(cell, paths[name], among="others")
        k = seen.nearest
        print(
            f"  nearest of {len(seen.s)} samples: {1e3 * seen.distance[k]:.1f} mm, {seen.pair[k]}"
        )
    else:
        print(f"  {' and '.join(verdict.pair)}, {1e3 * verdict.distance:.2f} mm")
        print(f"  on segment {verdict.segment} at t = {verdict.t:.6f}")
        print(f"  certified free up to {verdict.free_until:.6f}")
        print(f"  joints there: {np.round(verdict.q, 4).tolist()}")
print(f"files: {folder}")
