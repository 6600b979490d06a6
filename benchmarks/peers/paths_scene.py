"""The scenes of the paths benchmark: a Panda among 20 boxes and 12 spheres, edges of 1 to 3 rad.

Lengths in metres, angles in radians. An edge's length is the Euclidean one in joint space.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import distribution

import numpy as np

import standoff as so

BOXES, SPHERES = 20, 12
#: The fingers stand half open and do not move on any edge.
OPENING = 0.02
#: Joints that move, the first of ``q``.
ARM = 7
SHORTEST, LONGEST = 1.0, 3.0

MESHES = "cmeel.prefix/share/example-robot-data/robots/panda_description"


@dataclass(frozen=True, eq=False)
class PathScene:
    """A cell and edges in it.

    Attributes:
        frozen: joints that no edge moves, with their values.
        starts, ends: (n, joints of the cell).
    """

    name: str
    cell: so.Cell
    frozen: dict[str, float]
    starts: np.ndarray
    ends: np.ndarray

    @cached_property
    def lengths(self) -> np.ndarray:
        return np.linalg.norm(self.ends - self.starts, axis=1)


def capsules(count: int, seed: int = 0) -> PathScene:
    """The builtin Panda, 18 capsules on its links."""
    return scene(
        "capsules", lambda cell: cell.add_robot("builtin:panda", name="panda"), count, seed
    )


def meshes(count: int, seed: int = 0) -> PathScene:
    """The Panda of `example-robot-data`: nine meshes of 200 or 300 triangles, fingers of boxes."""
    return scene("meshes", described_panda, count, seed)


def builtin_panda(cell: so.Cell) -> None:
    cell.add_robot("builtin:panda", name="panda")


def described_panda(cell: so.Cell) -> None:
    folder = distribution("example-robot-data").locate_file(MESHES)
    cell.add_robot(f"{folder}/urdf/panda.urdf", name="panda", srdf=f"{folder}/srdf/panda.srdf")


def scene(name: str, add_robot: Callable[[so.Cell], object], count: int, seed: int) -> PathScene:
    """The same obstacles and edges for the same seed, whatever the robot is made of."""
    rng = np.random.default_rng((31, seed))
    cell = so.Cell()
    add_robot(cell)
    for k in range(BOXES):
        place = so.pose(somewhere(rng), rpy=rng.uniform(-np.pi, np.pi, 3))
        cell.add_body(f"box{k}", so.Box(rng.uniform(0.08, 0.25, 3)), place)
    for k in range(SPHERES):
        cell.add_body(f"sphere{k}", so.Sphere(rng.uniform(0.05, 0.12)), so.pose(somewhere(rng)))
    starts, ends = edges(cell, count, rng)
    fingers = dict.fromkeys(cell.joints[ARM:], OPENING)
    return PathScene(name, cell, fingers, starts, ends)


def somewhere(rng: np.random.Generator) -> np.ndarray:
    """Within the arm's reach, off the column on which it stands."""
    while True:
        place = rng.uniform((-1.0, -1.0, -0.1), (1.0, 1.0, 1.2))
        if np.hypot(*place[:2]) > 0.35:
            return place


def edges(cell: so.Cell, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """From a place where nothing touches, as a planner's edges start, to anywhere in limits."""
    low, high = cell.tree.lower[:ARM], cell.tree.upper[:ARM]
    still = np.full(len(cell.joints) - ARM, OPENING)
    starts, ends = [], []
    monitor = so.Monitor(cell, buffer=0.0)
    while len(starts) < count:
        a, way = rng.uniform(low, high), rng.normal(size=ARM)
        b = a + way / np.linalg.norm(way) * rng.uniform(SHORTEST, LONGEST)
        if (b < low).any() or (b > high).any():
            continue
        start = np.concatenate([a, still])
        if monitor.update(start).clearance > 0.0:
            starts.append(start)
            ends.append(np.concatenate([b, still]))
    return np.array(starts), np.array(ends)


SCENES = {"capsules": capsules, "meshes": meshes}
