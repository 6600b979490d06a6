"""How fast do projections tell 100 parts apart, and how many pairs do they leave? Beside Coal.

    python benchmarks/interference_projection.py [--parts 100] [--vertices 100] [--repeats 9]

Random convex polyhedra in a cube, all pairs, three planes: projecting them, comparing the outlines,
and both. Coal's test of the same convex bodies is called pair by pair from Python, its shapes,
transforms, request and result made before the clock starts. Rounds take turns, and the median
counts. The floor: at least as fast as Coal, the projections included.

Then the false alarms for 1 to 24 planes: of these parts, and of half as many rings and bars that
stand along the axes but for some degrees, by hull and by true outline.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import coal
import numpy as np
from rich.console import Console
from rich.table import Table

from standoff.overlap.part import Part
from standoff.overlap.projection import ProjectionMethod
from standoff.overlap.projection_alarms import FalseAlarms, false_alarms
from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron
from standoff.shapes.pose import pose
from standoff.shapes.primitives import Box
from standoff.shapes.shape import Shape

#: Half the side of the cube that the parts are in, [m]; they are 0.1 to 0.5 m long.
REACH = 0.6


def polyhedron(rng: np.random.Generator, vertices: int) -> Polyhedron:
    """The hull of points on an ellipsoid."""
    points = rng.normal(size=(vertices, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Polyhedron(points * rng.uniform(0.05, 0.25, 3))


def frame_or_bar(rng: np.random.Generator) -> Shape:
    """A ring of 192 triangles, 0.3 to 0.8 m across, or a bar as long: either may reach through the
    other without touching it."""
    if rng.random() < 0.5:
        return Box((*rng.uniform(0.02, 0.06, 2), rng.uniform(0.3, 0.8)))
    u, v = np.meshgrid(np.arange(16), np.arange(6), indexing="ij")
    a, b = 2 * np.pi * u / 16, 2 * np.pi * v / 6
    ring, tube = rng.uniform(0.15, 0.4), rng.uniform(0.01, 0.03)
    r = ring + tube * np.cos(b)
    points = np.stack([r * np.cos(a), r * np.sin(a), tube * np.sin(b)], axis=-1).reshape(-1, 3)
    at = [(((u + i) % 16) * 6 + (v + j) % 6).ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    halves = [np.stack([at[k] for k in t], axis=1) for t in ((0, 1, 2), (0, 2, 3))]
    return Mesh(points, np.concatenate(halves))


def turned(rng: np.random.Generator) -> np.ndarray:
    """Any rotation, as a quaternion."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def upright(rng: np.random.Generator) -> np.ndarray:
    """Along an axis but for some degrees, as parts of a machine stand."""
    axis = np.eye(3)[rng.integers(3)]
    q = np.array([1.0, *axis])
    q = q / np.linalg.norm(q) + np.append(0.0, 0.03 * rng.normal(size=3))
    return q / np.linalg.norm(q)


def scene(
    count: int,
    seed: int,
    shape: Callable[[np.random.Generator], Shape],
    turn: Callable[[np.random.Generator], np.ndarray],
) -> list[Part]:
    rng = np.random.default_rng(seed)
    parts = []
    for k in range(count):
        place = pose(rng.uniform(-REACH, REACH, 3), turn(rng))
        parts.append(Part(f"part{k}", shape(rng), place))
    return parts


def coal_bodies(parts: list[Part]) -> list[tuple[Any, Any]]:
    bodies = []
    for part in parts:
        store = coal.StdVec_Vec3s()
        for point in part.shape.core()[0]:
            store.append(np.array(point))
        place = coal.Transform3s(np.array(part.pose[:3, :3]), np.array(part.pose[:3, 3]))
        bodies.append((coal.Convex.convexHull(store, True, "Qt"), place))
    return bodies


def coal_collisions(bodies: list[tuple[Any, Any]]) -> list[bool]:
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    collide, clear = coal.collide, result.clear
    hits = []
    for i, (a, at_a) in enumerate(bodies):
        for b, at_b in bodies[i + 1 :]:
            clear()
            hits.append(collide(a, at_a, b, at_b, request, result) > 0)
    return hits


def seconds(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def speed(console: Console, parts: list[Part], repeats: int) -> None:
    bodies = coal_bodies(parts)
    method = ProjectionMethod(parts)
    found = method.separating_planes()
    hits = np.array(coal_collisions(bodies))
    everyone, poses = np.arange(len(parts)), np.array([part.pose for part in parts])
    tasks: dict[str, Callable[[], Any]] = {
        "Coal, pair by pair": lambda: coal_collisions(bodies),
        "tables and projections (the method made anew)": lambda: ProjectionMethod(parts),
        "  of these: projections alone": lambda: method.outlines.place(everyone, poses, 0.0),
        "all pairs on three planes": method.separating_planes,
        "made anew and all pairs": lambda: ProjectionMethod(parts).separating_planes(),
    }
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            times[name].append(seconds(task))
    peer = float(np.median(times["Coal, pair by pair"]))
    table = Table("", "ms, median", "worst", "times as fast as Coal")
    for name, all_times in times.items():
        middle = float(np.median(all_times))
        table.add_row(
            name, f"{1e3 * middle:.2f}", f"{1e3 * max(all_times):.2f}", f"{peer / middle:.1f}"
        )
    console.print(table)
    before = dict(method.tests)
    method.separating_planes()
    tests = {name: count - before[name] for name, count in method.tests.items()}
    apart = found >= 0
    console.print(
        f"{len(found)} pairs; Coal: {hits.sum()} overlap; told apart: {apart.sum()}, "
        f"overlaps missed: {(apart & hits).sum()}, false alarms: {(~apart & ~hits).sum()}\n"
        f"tests made: {tests}; corners of an outline: {method.outlines.spans[:, :, 2].mean():.0f}"
    )


def alarms(console: Console, title: str, columns: list[FalseAlarms]) -> None:
    first = columns[0]
    table = Table("planes", *[f"{c.outline} outline" for c in columns], title=title)
    for k, planes in enumerate(first.planes):
        table.add_row(str(planes), *[str(c.alarms[k]) for c in columns])
    console.print(table)
    console.print(f"{first.pairs} pairs, {first.apart} of them apart")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=int, default=100)
    parser.add_argument("--vertices", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    console = Console(width=100)
    parts = scene(options.parts, 0, lambda rng: polyhedron(rng, options.vertices), turned)
    speed(console, parts, options.repeats)
    alarms(console, "False alarms, convex parts", [false_alarms(parts)])
    frames = scene(options.parts // 2, 1, frame_or_bar, upright)
    true = false_alarms(frames, outline="true")
    hull = false_alarms(frames)
    alarms(console, "False alarms, rings and bars", [hull, true])
    for outline in ("hull", "true"):
        took = seconds(lambda o=outline: ProjectionMethod(frames, planes=24, outline=o))
        console.print(f"{len(frames)} parts on 24 planes, {outline} outline: {took:.3f} s")


if __name__ == "__main__":
    main()
