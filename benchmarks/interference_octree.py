"""How long do region octrees take to build, to compare and to grow, and how does that rise with the
resolution?

    python benchmarks/interference_octree.py [--repeats 5] [--quick] [--plot FILE]

The torus has 35,000 triangles and fills its root cube as far as a tenth of it. The capsule is 1 m
long in a cube of 4 m, once with a radius and once with a diameter of 0.06 m. Two tori are threaded
through each other without touching. Best of all rounds, called from Python; Coal's own test of the
same two tori stands beside it.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import standoff as so


def best(call: Callable[[], object], repeats: int, least: float = 0.02) -> float:
    """Seconds of one call, the best round of several."""
    call()
    times, started = [], time.perf_counter()
    while len(times) < repeats or time.perf_counter() - started < least * repeats:
        before = time.perf_counter()
        call()
        times.append(time.perf_counter() - before)
    return min(times)


def torus(ring: float, tube: float, around: int, across: int) -> so.Mesh:
    u, v = np.meshgrid(
        np.arange(around) * 2 * np.pi / around,
        np.arange(across) * 2 * np.pi / across,
        indexing="ij",
    )
    r = ring + tube * np.cos(v)
    points = np.stack([r * np.cos(u), r * np.sin(u), tube * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(range(around), range(across), indexing="ij"))

    def at(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (a % around) * across + b % across

    a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
    return so.Mesh(points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]))


def slope(x: list[float], y: list[float]) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def coal_tori(mesh: so.Mesh, a: np.ndarray, b: np.ndarray, repeats: int) -> float:
    try:
        import coal
    except ImportError:
        return math.nan
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addVertices(np.ascontiguousarray(mesh.vertices))
    for p, q, r in mesh.vertices[mesh.faces]:
        model.addTriangle(p, q, r)
    model.endModel()
    places = [coal.Transform3s(np.array(p[:3, :3]), np.array(p[:3, 3])) for p in (a, b)]
    request, result = coal.CollisionRequest(), coal.CollisionResult()

    def ask() -> None:
        result.clear()
        coal.collide(model, places[0], model, places[1], request, result)

    return best(ask, repeats)


POSE = so.pose((0.1, 0.2, 0.3), rpy=(0.3, 0.5, 0.1))


def rising(mesh: so.Mesh, levels: range, repeats: int) -> tuple[list[float], list[float]]:
    """Leaves and seconds of a torus' tree, by level."""
    leaves, times = [], []
    for level in levels:

        def build(level: int = level) -> so.RegionTree:
            return so.RegionTree.build(mesh, POSE, root=(POSE[:3, 3], 1.5), levels=level)

        leaves.append(float(len(build())))
        times.append(best(build, repeats))
    return leaves, times


def capsules(figures: Table, repeats: int) -> None:
    for radius in (0.06, 0.03):
        shape = so.Capsule(radius, 1.0)

        def build(shape: so.Capsule = shape) -> so.RegionTree:
            return so.RegionTree.build(shape, POSE, root=((0.0, 0.0, 0.0), 4.0), levels=7)

        spent = f"{best(build, repeats) * 1e6:.0f} µs"
        name = f"capsule of radius {radius} m, 1/128"
        figures.add_row(name, f"{len(build())}", spent, "under 200 µs")


def threaded(figures: Table, repeats: int) -> None:
    """Two tori through each other, and what else can be done with their trees."""
    mesh = torus(0.5, 0.235, 250, 70)
    other = so.pose((0.5, 0.0, 0.0), rpy=(np.pi / 2, 0.0, 0.0))
    root = ((0.25, 0.0, 0.0), 2.4)
    a = so.RegionTree.build(mesh, root=root, levels=7)
    b = so.RegionTree.build(mesh, other, root=root, levels=7)
    meeting = so.meets(a, b)
    assert not meeting, "the tori are to be told apart"
    gap = so.distance(mesh, None, mesh, other).value

    def row(name: str, leaves: str, call: Callable[[], object], goal: str = "") -> None:
        figures.add_row(name, leaves, f"{best(call, repeats) * 1e6:,.0f} µs", goal)

    name = f"two tori {gap * 1e3:.0f} mm apart, nodes of {a.cell * 1e3:.0f} mm"
    row(name, f"{len(a):,} each", lambda: so.meets(a, b), "under 1 ms")
    figures.add_row("  nodes that the paper's traversal looks at", f"{meeting.visited:,}", "", "")
    row("  by the traversal of n trees at once", "", lambda: so.meets_many([a, b]))
    row("  their union", f"{len(a.union(b)):,}", lambda: a.union(b))
    row("  one of them grown by 5 cm", f"{len(a.grown(0.05)):,}", lambda: a.grown(0.05))
    coal = coal_tori(mesh, np.eye(4), other, repeats)
    figures.add_row("  Coal, `collide`", "", f"{coal * 1e6:,.0f} µs", "")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one level less")
    parser.add_argument("--plot", help="a picture of leaves and times against the resolution")
    given = parser.parse_args()
    console = Console()
    levels = range(4, 8 if given.quick else 9)
    cells = [2.0**level for level in levels]
    curves = {
        f"{mesh.triangles:,} triangles": rising(mesh, levels, given.repeats)
        for mesh in (torus(0.5, 0.2, 250, 70), torus(0.5, 0.2, 50, 10))
    }

    figures = Table("what", "leaves", "time", "goal")
    leaves, times = next(iter(curves.values()))
    name = f"torus, 35,000 triangles, 1/{cells[-1]:.0f}"
    figures.add_row(name, f"{leaves[-1]:,.0f}", f"{times[-1]:.3f} s", "under 1 s at 1/256")
    capsules(figures, given.repeats)
    threaded(figures, given.repeats)
    console.print(figures)

    growth = Table("torus", *(f"1/{n:.0f}" for n in cells), "slope of the last three")
    for name, curve in curves.items():
        for what, values, unit in (("leaves", curve[0], 1.0), ("time [ms]", curve[1], 1e3)):
            steep = f"{slope(cells[-3:], values[-3:]):.2f}"
            growth.add_row(f"{name}, {what}", *(f"{unit * v:,.0f}" for v in values), steep)
    console.print(growth)
    if given.plot:
        plot(given.plot, cells, curves)


def plot(path: str, cells: list[float], curves: dict[str, tuple[list[float], list[float]]]) -> None:
    import matplotlib.pyplot as plt

    axes = plt.figure().add_subplot()
    for name, (leaves, times) in curves.items():
        axes.loglog(cells, leaves, "o-", label=f"{name}, leaves")
        axes.loglog(cells, np.array(times) * 1e6, "s--", label=f"{name}, time [µs]")
    axes.loglog(cells, leaves[-1] * (np.array(cells) / cells[-1]) ** 2, ":", label="slope 2")
    axes.set_xlabel("1 / resolution")
    axes.legend()
    axes.figure.savefig(path)


if __name__ == "__main__":
    main()
