"""Seeded worlds and scripts for the monitor: everything that moves, comes, goes or goes wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import standoff as so
from standoff.geometry.pose import inverse
from tests.worlds.mesh_shapes import box_arrays

PERIOD = 0.01

TINY_ROOT = ((0.1, -0.2, 0.3), 0.7)

#: Ways to run a monitor that must all answer alike. ``root`` leaves most bodies outside.
WAYS: dict[str, dict[str, Any]] = {
    "naive": {"index": "naive"},
    "octree": {},
    "neighbours": {"index": so.Octree(follow="neighbours")},
    "neighbours, N 1": {"index": so.Octree(1, follow="neighbours")},
    "N 1": {"index": so.Octree(1)},
    "N 2, smallest 1 mm": {"index": so.Octree(2, smallest=1e-3)},
    "N 3, smallest 8 cm": {"index": so.Octree(3, smallest=0.08, follow="neighbours")},
    "smallest 1 km": {"index": so.Octree(smallest=1e3)},
    "smallest 0": {"index": so.Octree(1, smallest=0.0)},
    "reserve 0": {"index": so.Octree(2, reserve=0.0)},
    "neighbours, reserve 5 cm": {"index": so.Octree(2, follow="neighbours", reserve=0.05)},
    "tiny root": {"index": so.Octree(2, root=TINY_ROOT)},
    "wide reserve": {"index": so.Octree(4, reserve=0.3)},
    "region": {"index": "region"},
    "region, reserve 0": {"index": so.RegionOctree(reserve=0.0)},
    "region, smallest 30 cm": {"index": so.RegionOctree(smallest=0.3)},
    "region, tiny root": {"index": so.RegionOctree(root=TINY_ROOT)},
    "grid 1": {"index": so.Grid(1)},
    "grid 2": {"index": so.Grid(2, reserve=0.0)},
    "grid 16": {"index": "grid"},
    "grid 40, reserve 0": {"index": so.Grid(40, reserve=0.0)},
    "grid 9, tiny root": {"index": so.Grid(9, root=TINY_ROOT)},
    "grid 5": {"index": so.Grid(5)},
}

_RAIL = """<robot name="rail">
  <link name="bed"><collision><origin xyz="0 0 -0.1"/>
    <geometry><box size="1.2 0.2 0.1"/></geometry></collision></link>
  <link name="slide"><collision><geometry><box size="0.15 0.15 0.1"/></geometry></collision></link>
  <link name="boom"><collision><origin xyz="0 0 0.25"/>
    <geometry><capsule radius="0.05" length="0.4"/></geometry></collision></link>
  <link name="tip">
    <collision><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.04" length="0.2"/></geometry>
    </collision>
    <collision><origin xyz="0 0 0.24"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <joint name="x" type="prismatic"><parent link="bed"/><child link="slide"/><axis xyz="1 0 0"/>
    <limit lower="-0.5" upper="0.5" velocity="1" effort="1"/></joint>
  <joint name="pitch" type="revolute"><parent link="slide"/><child link="boom"/>
    <axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5" velocity="2" effort="1"/></joint>
  <joint name="roll" type="continuous"><parent link="boom"/><child link="tip"/>
    <origin xyz="0 0 0.5" rpy="0.3 0 0"/><axis xyz="1 0 0"/>
    <limit velocity="3" effort="1"/></joint>
</robot>"""


def write_rail(folder: Path) -> Path:
    """A robot of three joints whose first link stands still and has a shape."""
    path = folder / "rail.urdf"
    path.write_text(_RAIL)
    return path


def turned(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return so.pose((0, 0, 0), q / np.linalg.norm(q))


def at(rng: np.random.Generator, spread: float = 1.0) -> np.ndarray:
    """A pose anywhere in a cube of this half edge; every other one along the axes."""
    result = turned(rng) if rng.random() < 0.7 else np.eye(4)
    result[:3, 3] = rng.uniform(-spread, spread, 3)
    if rng.random() < 0.2:
        result[:3, 3] = np.round(result[:3, 3], 1)
    return result


def shape(rng: np.random.Generator, size: float = 1.0, kinds: int = 6) -> so.Shape:
    return solid(rng, int(rng.integers(kinds)), size)


def solid(rng: np.random.Generator, kind: int, size: float = 1.0) -> so.Shape:
    """Sphere, capsule, box, cylinder, polyhedron or mesh."""
    a, b, c = rng.uniform(0.04, 0.25, 3) * size
    if kind == 0:
        return so.Sphere(a)
    if kind == 1:
        return so.Capsule(a / 2, 3 * b)
    if kind == 2:
        return so.Box((2 * a, 2 * b, 2 * c))
    if kind == 3:
        return so.Cylinder(a, 2 * b)
    if kind == 4:
        return so.Polyhedron(rng.normal(size=(8, 3)) * (a, b, c))
    points, faces = box_arrays(2 * a, 2 * b, 2 * c)
    points[0] *= 0.3  # a dent: not convex
    return so.Mesh(points, faces)


def nudge(pose: np.ndarray, shift: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """A pose moved by ``shift`` and turned on the spot by the rotation vector ``turn``."""
    angle = float(np.linalg.norm(turn))
    result = pose.copy()
    if angle > 0.0:
        axis = turn / angle
        half = so.pose((0, 0, 0), (math.cos(angle / 2), *(math.sin(angle / 2) * axis)))
        result[:3, :3] = half[:3, :3] @ pose[:3, :3]
        u, _, vt = np.linalg.svd(result[:3, :3])
        result[:3, :3] = u @ vt
    result[:3, 3] += shift
    return result


@dataclass
class Step:
    """What happens in a cycle: a change of the cell first, then a reading."""

    q: Any
    poses: Any
    time: Any = None
    change: Callable[[so.Cell], None] | None = None
    what: str = ""


@dataclass
class Course:
    """How a body moves for a while."""

    velocity: np.ndarray
    turning: np.ndarray
    left: int


@dataclass
class MonitorWorld:
    """A cell, the rules of its monitor, and a script; all from one seed.

    Attributes:
        options: for `Monitor`, whatever the index.
        faulty: whether the script has bad input; changing: whether the cell changes.
        change: how often it does, in changes a cycle.
        named_stay: whether bodies that rules name stay, so that another monitor can be made.
    """

    seed: int
    robots: bool | None = None
    faulty: bool = True
    changing: bool = True
    timed: bool = True
    kinds: int = 6
    movers: int | None = None
    statics: int | None = None
    named_stay: bool = False
    change: float = 0.03
    cell: so.Cell = field(init=False)
    options: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        rng = self.rng = np.random.default_rng((3, self.seed))
        self._folder = TemporaryDirectory()
        self.cell = so.Cell()
        self.courses: dict[str, Course] = {}
        self.made = 0
        self._last: tuple[np.ndarray, np.ndarray] | None = None
        if self.robots if self.robots is not None else rng.random() < 0.5:
            self._add_robots()
        for _ in range(int(rng.integers(1, 9)) if self.movers is None else self.movers):
            self.add(moving=True)
        for _ in range(int(rng.integers(0, 25)) if self.statics is None else self.statics):
            self.add(moving=False)
        if rng.random() < 0.5:
            self.cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -1.0)))
        if rng.random() < 0.3:
            slope = turned(rng)
            slope[:3, 3] = -1.2 * slope[:3, 2]
            self.cell.add_body("slope", so.HalfSpace(), slope)
        self.phase = rng.uniform(0, 2 * math.pi, len(self.cell.joints))
        self.rate = rng.uniform(0.1, 3.0, len(self.cell.joints))
        names = self.cell.model.names
        for _ in range(int(rng.integers(0, 4))):
            a, b = rng.choice(names, 2)
            if a != b:
                self.cell.allow(str(a), str(b))
        self.options = self._rules()

    def _add_robots(self) -> None:
        rng, cell = self.rng, self.cell
        urdf = write_rail(Path(self._folder.name))
        cell.add_robot(urdf, name="rail", base=at(rng, 0.5))
        if rng.random() < 0.5:
            kind = ("builtin:arm7", "builtin:panda")[int(rng.integers(2))]
            cell.add_robot(kind, name="arm", base=so.pose((*rng.uniform(-0.8, 0.8, 2), -0.5)))

    def add(self, moving: bool) -> str:
        name = f"{'mover' if moving else 'still'}{self.made}"
        self.made += 1
        size = 1.0 if self.rng.random() < 0.9 else 3.0
        self.cell.add_body(name, shape(self.rng, size, self.kinds), at(self.rng), moving=moving)
        return name

    def _rules(self) -> dict[str, Any]:
        rng, cell = self.rng, self.cell
        names = cell.model.names
        value = lambda: float(rng.choice([0.0, 0.01, 0.05, 0.2]))  # noqa: E731
        buffer: dict[str, Any] = {"default": value()}
        separation = so.separation(
            2.0, reaction=0.02, period=PERIOD, deceleration=20.0, position_error=0.004
        )
        for name in (*cell.robots, *cell.moving):
            if rng.random() < 0.4:
                buffer[name] = separation if rng.random() < 0.5 else value()
        maybe = lambda: value() if rng.random() < 0.3 else None  # noqa: E731
        pairs = {}
        for _ in range(int(rng.integers(0, 4))):
            a, b = rng.choice(names, 2)
            if a != b:
                pairs[str(a), str(b)] = value()
        zones: list[Any] = []
        if rng.random() < 0.3:
            zones.append(so.KeepIn("fence", so.Box((2.2, 2.4, 2.0)), so.pose((0.1, 0, 0))))
        if rng.random() < 0.3:
            zones.append(so.KeepIn("side", so.HalfSpace(), turned(rng)))
        if rng.random() < 0.3:
            movers = [*cell.robots, *cell.moving]
            only = [str(n) for n in rng.choice(movers, min(2, len(movers)), replace=False)]
            some = only if rng.random() < 0.6 else None
            zones.append(so.KeepOut("island", so.Box((0.5, 0.4, 0.6)), at(rng), only=some))
        return {
            "buffer": buffer,
            "thresholds": so.Thresholds(maybe(), maybe(), maybe(), pairs),
            "zones": zones,
            "grasped": {name: 0.03 for name in cell.bodies if rng.random() < 0.2},
            "period": PERIOD,
            "max_speed": None if rng.random() < 0.5 else {"default": 2.0},
        }

    def monitor(self, **way: Any) -> so.Monitor:
        there = {n: v for n, v in self.options["grasped"].items() if n in self.cell.bodies}
        return so.Monitor(self.cell, **{**self.options, "grasped": there, **way})

    def joints(self, cycle: int) -> np.ndarray:
        """Joints that swing within their limits, and now and then a little beyond."""
        tree = self.cell.tree
        low, high = np.maximum(tree.lower, -3.0), np.minimum(tree.upper, 3.0)
        swing = np.sin(self.phase + self.rate * cycle * PERIOD)
        return 0.5 * (low + high) + 0.5005 * (high - low) * swing

    def steps(self, cycles: int) -> Iterator[Step]:
        """The script; to be run while it is drawn, as the cell changes on the way."""
        rng, cell, time = self.rng, self.cell, 0.0
        where = {name: cell.bodies[name].pose.copy() for name in cell.moving}
        for cycle in range(cycles):
            change, what = None, ""
            if self.changing and rng.random() < self.change:
                change, what = self._change(where)
                if change is not None:
                    if self._last is not None:
                        moved = dict(zip(self._order, self._last[1]))
                        poses = {n: moved[n] for n in cell.moving if n in moved}
                        cell.set_state(self._last[0], poses)
                    change(cell)
            for name in cell.moving:
                where[name] = self._moved(where.get(name, cell.bodies[name].pose), name)
            poses = np.array([where[name] for name in cell.moving]).reshape(-1, 4, 4)
            q = self.joints(cycle)
            time += PERIOD * (1.0 if rng.random() < 0.97 else float(rng.uniform(0.3, 1.4)))
            step = Step(q, poses, time if self.timed else None, None, what)
            self._order, self._last = cell.moving, (q.copy(), poses.copy())
            if self.faulty and rng.random() < 0.06:
                self._spoil(step)
            yield step

    def _moved(self, pose: np.ndarray, name: str) -> np.ndarray:
        rng = self.rng
        course = self.courses.get(name)
        if course is None or course.left == 0:
            course = self.courses[name] = self._course(pose)
        course.left -= 1
        if rng.random() < 0.004:
            return at(rng, 1.5)
        return nudge(pose, course.velocity * PERIOD, course.turning * PERIOD)

    def _course(self, pose: np.ndarray) -> Course:
        """Somewhere at a walking pace, slowly, turning on the spot, out of the root, or nothing."""
        rng = self.rng
        kind, left = rng.random(), int(rng.integers(5, 60))
        zero, turning = np.zeros(3), rng.normal(size=3) * 2.0
        target = rng.uniform(-0.7, 0.7, 3) - pose[:3, 3]
        if kind < 0.4:
            return Course(target / (left * PERIOD) * min(1.0, rng.random() * 3), turning, left)
        if kind < 0.6:
            return Course(rng.normal(size=3) * 0.05, turning * 0.1, left)
        if kind < 0.75:
            return Course(zero, turning, left)
        if kind < 0.8:
            return Course(np.eye(3)[int(rng.integers(3))] * 0.3, zero, left)
        if kind < 0.9:
            return Course(np.sign(rng.normal(size=3)) * rng.uniform(1, 9, 3), turning, left)
        return Course(zero, zero, left)

    def _change(self, where: dict[str, np.ndarray]) -> tuple[Callable[[so.Cell], None] | None, str]:
        rng, cell = self.rng, self.cell
        held = [b.name for b in cell.bodies.values() if b.attachment]
        loose = [b.name for b in cell.bodies.values() if not b.attachment and b.shape.bounded]
        links = [n for n in cell.model.names if "/" in n]
        kind = rng.random()
        if kind < 0.25 and links and loose:
            body, link = str(rng.choice(loose)), str(rng.choice(links))
            touch = [str(rng.choice(links))] if rng.random() < 0.5 else []

            def attach(c: so.Cell) -> None:
                held = inverse(c.pose(link)) @ c.pose(body)
                c.attach(body, link, pose=held, touch=touch)

            return attach, f"attach {body} to {link}"
        if kind < 0.5 and held:
            body = str(rng.choice(held))
            where.pop(body, None)
            return lambda c: c.detach(body, q=c.q), f"detach {body}"
        if kind < 0.65:
            moving = bool(rng.random() < 0.5)
            return lambda c: (self.add(moving), None)[1], "add"
        spare = [n for n in loose if n not in self._named()] if self.named_stay else loose
        if kind < 0.8 and spare:
            body = str(rng.choice(spare))
            return lambda c: c.remove_body(body), f"remove {body}"
        if kind < 0.9 and links:
            link = str(rng.choice(links))
            geometry = ("capsules", "auto", "primitives")[int(rng.integers(3))]
            return lambda c: c.swap_geometry(link, geometry), f"swap {link}"
        names = cell.model.names
        a, b = (str(n) for n in rng.choice(names, 2))
        if a != b:
            return lambda c: c.allow(a, b), f"allow {a} {b}"
        return None, ""

    def _named(self) -> set[str]:
        """The names that rules use."""
        buffer = self.options["buffer"]
        named = {n for pair in self.options["thresholds"].pairs for n in pair}
        named |= {n for zone in self.options["zones"] for n in zone.only or ()}
        return named | {*buffer} if isinstance(buffer, dict) else named

    def _spoil(self, step: Step) -> None:
        """Bad input of one kind or another."""
        rng, joints, bodies = self.rng, len(step.q), len(step.poses)
        kind = int(rng.integers(12))
        bad = float(rng.choice([math.nan, math.inf, -math.inf]))
        if kind == 0 and joints:
            step.q = step.q.copy()
            step.q[int(rng.integers(joints))] = bad
        elif kind == 1:
            step.q = np.append(step.q, 0.0)
        elif kind == 2:
            step.q = None
        elif kind == 3 and bodies:
            step.poses = step.poses.copy()
            step.poses[int(rng.integers(bodies)), :3, :3] *= 1.1
        elif kind == 4 and bodies:
            step.poses = step.poses.copy()
            step.poses[int(rng.integers(bodies)), 0, 3] = bad
        elif kind == 5 and bodies:
            step.poses = dict(zip(self.cell.moving[1:], step.poses[1:]))
        elif kind == 6:
            step.poses = step.poses[:-1] if bodies else np.eye(4)
        elif kind == 7 and self.timed:
            step.time -= 5.0
        elif kind == 8 and self.timed:
            step.time = bad
        elif kind == 9:
            step.q = "joints"
        elif kind == 10:
            step.q = {**dict(zip(self.cell.joints[1:], step.q[1:])), "nobody/joint": 1.0}
        elif kind == 11 and bodies:
            step.poses = step.poses.astype(np.float32).astype(np.float64)
