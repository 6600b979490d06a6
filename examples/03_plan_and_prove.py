"""Plan a path, make it shorter, and carry the proof away.

A Panda goes around four posts. What the planner returns is proved free at every instant, and so is
what the smoother makes of it. The certificate is checked by code that shares nothing with the
planner. Run it:

    python examples/03_plan_and_prove.py

It leaves path.csv and proof.json in the folder it is given (a temporary one by default):

    standoff verify proof.json
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import standoff as so
from standoff.paths.path_file import write_path

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="standoff-"))
folder.mkdir(parents=True, exist_ok=True)

cell = so.Cell()
cell.add_robot("builtin:panda", name="panda")
for k, (x, y) in enumerate([(0.45, 0.25), (0.45, -0.25), (0.1, 0.55), (0.6, 0.0)]):
    cell.add_body(f"post{k}", so.Capsule(0.02, 0.7), so.pose((x, y, 0.35)))

# Radians and metres, in the order of cell.joints. The same seed gives the same path.
start = (-1.2, 0.3, 0.0, -1.8, 0.0, 2.1, 0.8, 0.02)
goal = (1.9, 0.4, 0.0, -2.0, 0.0, 2.4, 0.8, 0.02)
planner = so.Planner(cell, clearance=0.005)
plan = planner.plan(start, goal, seed=0, timeout=10.0)
print(plan)
if not plan.solved:
    sys.exit(f"no path: {plan.reason}")
shorter = so.smooth(planner, plan, steps=1000, seed=0)
print(shorter)

write_path(folder / "path.csv", cell, shorter)
certificate = shorter.certificate()
certificate.save(folder / "proof.json", cell=cell)
found = so.verify(cell, folder / "proof.json", engine="plain")
print("verified" if found.verified else f"refused: {found.reason}")
print(f"files: {folder}")
