"""A cell with a robot of your own: from a URDF to the pairs that need no watching.

A small URDF is written, put into a cell twice, and looked at: which pairs are watched, which are
not and why, and which of those left can never touch, by proof over all joint values and not from
samples. Run it:

    python examples/05_a_cell_of_your_own.py [robot.urdf]

It leaves robot.urdf and cell.toml in a temporary folder: `standoff info cell.toml` shows the rest.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import standoff as so

folder = Path(tempfile.mkdtemp(prefix="standoff-"))
if len(sys.argv) > 1:
    urdf = Path(sys.argv[1])
else:
    urdf = folder / "robot.urdf"
    links = "".join(
        f'<link name="link{k}"><collision><origin xyz="0 0 0.15"/><geometry>'
        '<cylinder radius="0.04" length="0.3"/></geometry></collision></link>'
        for k in range(5)
    )
    joints = "".join(
        f'<joint name="joint{k}" type="revolute"><parent link="link{k - 1}"/>'
        f'<child link="link{k}"/><origin xyz="0 0 0.34"/><axis xyz="{axis}"/>'
        '<limit lower="-2.4" upper="2.4" velocity="2" effort="50"/></joint>'
        for k, axis in ((1, "0 0 1"), (2, "0 1 0"), (3, "0 1 0"), (4, "1 0 0"))
    )
    urdf.write_text(f'<robot name="mine">{links}{joints}</robot>')

cell = so.Cell()
cell.add_robot(urdf, name="left", geometry="capsules")
cell.add_robot(urdf, name="right", geometry="capsules", base=so.pose((0.0, -2.0, 0.0)))
cell.add_body("floor", so.HalfSpace(), so.pose((0.0, 0.0, -0.05)))
print(f"{len(cell.joints)} joints, {cell.pairs.count()} pairs to watch")

result = cell.prove_apart(clearance=0.03)  # at least as much as a monitor's buffer
result.allow(cell)
print(f"{len(result.apart)} pairs can never come within 3 cm; left to watch:")
for pair in result.touching:
    # The distance at the first configuration found: an example, not the smallest one.
    print(f"  {pair.a} and {pair.b}, within 30 mm: {1e3 * pair.distance:.0f} mm for example")
for pair in result.open:
    print(f"  {pair.a} and {pair.b}: {pair.reason}")
cell.save(folder / "cell.toml")
print(f"files: {folder}")
