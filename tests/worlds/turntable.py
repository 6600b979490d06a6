"""A plate that turns, and ways for it."""

import numpy as np

import standoff as so
from standoff.paths.path_file import PathFile

TURNTABLE = """<robot name="r"><link name="foot"/>
<link name="plate"><collision>{origin}<geometry>{shape}</geometry></collision></link>
<joint name="turn" type="revolute"><parent link="foot"/><child link="plate"/><axis xyz="0 0 1"/>
<limit lower="{low}" upper="{high}" velocity="{velocity}" effort="1"/></joint></robot>"""


SQUARE = '<box size="0.4 0.4 0.1"/>'
#: One that the plate just fits beside, where it stands at (0.35, 0, 0).
WALL = so.Box((0.1, 2.0, 0.4))


def turntable(folder, shape=SQUARE, limit=3.0, velocity=1.0, origin=""):
    """A plate that turns about z, at the origin."""
    file = folder / "turntable.urdf"
    file.write_text(
        TURNTABLE.format(shape=shape, low=-limit, high=limit, velocity=velocity, origin=origin)
    )
    cell = so.Cell(unwatched="allow")
    cell.add_robot(file, name="r")
    return cell


def way(*angles):
    rows = np.array(angles, dtype=float)[:, None]
    return PathFile("way", rows, tuple(f"row {k}" for k in range(len(rows))))
