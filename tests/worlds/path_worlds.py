"""Cells in which segments are checked: four robots among fat, thin and mesh obstacles, and the
segments themselves, many of them chosen to graze."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import standoff as so
from tests.oracles.paths import Oracle
from tests.oracles.pinocchio import urdf_path
from tests.worlds.mesh_shapes import bowl_arrays, box_arrays, star_arrays, torus_arrays

ROBOTS = ("panda", "baxter", "irb2400", "chain")
OBSTACLES = ("fat", "thin", "mesh")

#: Links of the skinny chain: length, radius, [m].
CHAIN_LINKS, CHAIN_LENGTH, CHAIN_RADIUS = 20, 0.09, 0.004


def chain_urdf(links: int = CHAIN_LINKS) -> str:
    """A chain of skinny capsules with crossing axes."""
    capsule = (
        f'<collision><origin xyz="0 0 {CHAIN_LENGTH / 2}"/><geometry>'
        f'<capsule radius="{CHAIN_RADIUS}" length="{CHAIN_LENGTH - 3 * CHAIN_RADIUS}"/>'
        "</geometry></collision>"
    )
    parts = ['<robot name="chain"><link name="base"/>']
    for k in range(links):
        parent = f"link{k - 1}" if k else "base"
        axis = ("1 0 0", "0 1 0", "0 0.6 0.8")[k % 3]
        parts.append(
            f'<link name="link{k}">{capsule}</link>'
            f'<joint name="joint{k}" type="revolute"><parent link="{parent}"/>'
            f'<child link="link{k}"/><origin xyz="0 0 {CHAIN_LENGTH if k else 0}"/>'
            f'<axis xyz="{axis}"/><limit lower="-2.4" upper="2.4" velocity="2" effort="1"/></joint>'
        )
    return "".join(parts) + "</robot>"


def add_panda(cell: so.Cell) -> None:
    cell.add_robot("builtin:panda", name="panda")


def add_baxter(cell: so.Cell) -> None:
    """Both arms, of cylinders, boxes and spheres; the torso, 9,000 triangles, as capsules."""
    path = urdf_path("baxter")
    srdf = path.parents[1] / "srdf" / "baxter_manipulation.srdf"
    cell.add_robot(path, name="baxter", srdf=srdf)
    cell.swap_geometry("baxter/torso", "capsules")


def add_two_irbs(cell: so.Cell) -> None:
    """Face to face, near enough to meet."""
    cell.add_robot("builtin:irb2400", name="left", base=so.pose((-1.1, 0, 0)))
    cell.add_robot("builtin:irb2400", name="right", base=so.pose((1.1, 0, 0), rpy=(0, 0, np.pi)))


def add_chain(cell: so.Cell) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.urdf"
        path.write_text(chain_urdf())
        cell.add_robot(path, name="chain")


@dataclass(frozen=True)
class Place:
    """Where the obstacles of a robot stand: a box, without a column about each base."""

    add: Callable[[so.Cell], None]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    bases: tuple[tuple[float, float], ...]
    column: float
    size: float
    #: Half the range of the joints in which segments start; limits cut it.
    swing: float


PLACES = {
    "panda": Place(add_panda, (-0.9, -0.9, 0.0), (0.9, 0.9, 1.1), ((0, 0),), 0.3, 1.0, 3.0),
    "baxter": Place(add_baxter, (-0.3, -1.2, -0.4), (1.2, 1.2, 1.0), ((0, 0),), 0.55, 1.0, 2.0),
    "irb2400": Place(
        add_two_irbs, (-2.2, -1.5, 0.0), (2.2, 1.5, 2.2), ((-1.1, 0), (1.1, 0)), 0.6, 1.6, 3.0
    ),
    "chain": Place(add_chain, (-1.2, -1.2, -0.8), (1.2, 1.2, 1.5), ((0, 0),), 0.15, 0.8, 0.9),
}


def fat(rng: np.random.Generator, size: float) -> so.Shape:
    a, b, c = rng.uniform(0.05, 0.2, 3) * size
    kind = int(rng.integers(5))
    if kind == 0:
        return so.Sphere(a)
    if kind == 1:
        return so.Capsule(a / 2, 2 * b)
    if kind == 2:
        return so.Box((a, 2 * b, 2 * c))
    if kind == 3:
        return so.Cylinder(a, 2 * b)
    return so.Polyhedron(rng.normal(size=(10, 3)) * (a, b, c))


def thin(rng: np.random.Generator, size: float) -> so.Shape:
    """A wire of 1 mm or less, a sheet of 1 mm or less, a needle."""
    kind = int(rng.integers(4))
    radius = 0.0005 if rng.random() < 0.7 else 1e-5
    if kind == 0:
        return so.Capsule(radius, rng.uniform(0.2, 1.2) * size)
    if kind == 1:
        return so.Cylinder(radius, rng.uniform(0.2, 1.2) * size)
    if kind == 2:
        return so.Box((*(rng.uniform(0.1, 0.6, 2) * size), 2 * radius))
    return so.Box((2 * radius, 2 * radius, rng.uniform(0.2, 1.0) * size))


def mesh(rng: np.random.Generator, size: float) -> so.Shape:
    """Solids and sheets, fat and thin; some 50 to 300 triangles each."""
    kind = int(rng.integers(5))
    r = float(rng.uniform(0.1, 0.25)) * size
    if kind == 0:
        points, faces = torus_arrays(ring=r, tube=0.3 * r, around=14, across=6)
    elif kind == 1:
        points, faces = torus_arrays(ring=r, tube=0.0005, around=20, across=3)
    elif kind == 2:
        points, faces = star_arrays(rng, radius=r)
    elif kind == 3:
        points, faces = bowl_arrays(radius=r)
    else:
        points, faces = box_arrays(2 * r, r, 0.001)
    return so.Mesh(points, faces, sheet=True)


SHAPES = {"fat": fat, "thin": thin, "mesh": mesh}
COUNTS = {"fat": 14, "thin": 24, "mesh": 12}


@dataclass
class PathWorld:
    """A robot among obstacles, all from one seed.

    Attributes:
        starts: configurations at which nothing touches.
    """

    robot: str
    obstacles: str
    seed: int
    cell: so.Cell = field(init=False)
    oracle: Oracle = field(init=False)
    starts: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        number = ROBOTS.index(self.robot), OBSTACLES.index(self.obstacles)
        for attempt in range(10):
            self.rng = np.random.default_rng((41, *number, self.seed, attempt))
            self._build()
            self.starts = self._free_starts(80)
            if len(self.starts) > 20:  # something may stand right through a base
                return
        raise AssertionError(f"{self.robot} has no room in {self.obstacles} {self.seed}")

    def _build(self) -> None:
        rng, place = self.rng, PLACES[self.robot]
        self.cell = so.Cell()
        place.add(self.cell)
        if self.seed % 2:
            self.cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, place.low[2] - 0.6)))
        for k in range(COUNTS[self.obstacles]):
            at = so.pose(somewhere(rng, place), rpy=rng.uniform(-np.pi, np.pi, 3))
            if rng.random() < 0.2:
                at[:3, :3] = np.eye(3)
            self.cell.add_body(f"thing{k}", SHAPES[self.obstacles](rng, place.size), at)
        self.oracle = Oracle(self.cell)
        tree = self.cell.tree
        self.low = np.maximum(tree.lower, -place.swing)
        self.high = np.minimum(tree.upper, place.swing)

    def _free_starts(self, count: int) -> np.ndarray:
        found = []
        for _ in range(50 * count):
            q = self.rng.uniform(self.low, self.high)
            if self.oracle.touches(q, q).distance > 0.0:
                found.append(q)
                if len(found) == count:
                    break
        return np.array(found)

    def segments(self, count: int, *, grazing: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Short and long ones, of one joint and of all, from places that are free and from any;
        some that end or turn back within a hair of their first contact."""
        rng, joints = self.rng, len(self.low)
        starts, ends = np.empty((count, joints)), np.empty((count, joints))
        for k in range(count):
            kind = rng.random()
            a = self.starts[int(rng.integers(len(self.starts)))]
            if kind < 0.08:
                a = rng.uniform(self.low, self.high)
            if kind < 0.25:
                b = rng.uniform(self.low, self.high)
            elif kind < 0.40:
                b = self.starts[int(rng.integers(len(self.starts)))]
            else:
                way = rng.normal(size=joints)
                if kind < 0.5:
                    way = np.where(np.arange(joints) == rng.integers(joints), way, 0.0)
                b = a + way / np.linalg.norm(way) * 10.0 ** rng.uniform(-2.0, 0.6)
                b = np.clip(b, self.low, self.high)
            if grazing and kind > 0.8:
                b = self._grazing(a, b)
            starts[k], ends[k] = a, b
        return starts, ends

    def _grazing(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The end moved to just before or just behind a contact."""
        found = self.oracle.touches(a, b)
        if not 0.0 < found.t <= 1.0:
            return b
        low, high = 0.0, found.t
        for _ in range(40):
            middle = 0.5 * (low + high)
            q = a + middle * (b - a)
            if self.oracle.touches(q, q).distance <= 0.0:
                high = middle
            else:
                low = middle
        hair = 10.0 ** self.rng.uniform(-8.0, -2.0) * self.rng.choice([-1.0, 1.0])
        return a + (high + hair) * (b - a)


def somewhere(rng: np.random.Generator, place: Place) -> np.ndarray:
    while True:
        at = rng.uniform(place.low, place.high)
        if all(np.hypot(at[0] - x, at[1] - y) > place.column for x, y in place.bases):
            return at
