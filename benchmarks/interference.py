"""How fast do octrees and projections answer, how does that grow, and how often do they cry wolf?

    python benchmarks/interference.py [--quick] [--repeats 5] [--parts 142] [--plot FOLDER]

Four questions, each beside its floor: the region octree of a torus of 35,000 triangles; that of a
capsule that moves; the traversal of two tori that are threaded through each other without touching;
the projections of 100 polyhedra of 100 vertices, all pairs, beside Coal's test of the same pairs
called from Python, shapes and transforms made before the clock starts. Then how trees grow with the
resolution; and, on random pairs, what each method misses and what it alarms about for nothing,
against Coal. Called from Python, on one thread, and timed by what that took of the processor; ours
and Coal's rounds take turns where they are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from peers.interference_alarms import Alarms, count_alarms
from peers.interference_coal import bodies, collisions
from rich.console import Console
from rich.table import Table

import standoff as so
from standoff.interference.parts import Part
from standoff.interference.projection import ProjectionMethod
from standoff.papers import toolkit
from standoff.papers.paper002_parts import convex_scene, crooked_scene, torus
from standoff.view.plots import new_figure, save

POSE = so.pose((0.1, 0.2, 0.3), rpy=(0.3, 0.5, 0.1))


def best(call: Callable[[], object], repeats: int, least: float = 0.02) -> float:
    """Seconds of the processor for one call, the best round of several."""
    call()
    clock = time.thread_time
    times, started = [], clock()
    while len(times) < repeats or clock() - started < least * repeats:
        before = clock()
        call()
        times.append(clock() - before)
    return min(times)


def medians(tasks: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Seconds of the processor for each, the median of rounds in which all take turns."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    clock = time.thread_time
    for _ in range(repeats):
        for name, task in tasks.items():
            start = clock()
            task()
            times[name].append(clock() - start)
    return {name: float(np.median(each)) for name, each in times.items()}


def slope(x: list[float], y: list[float]) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


@dataclass
class Floors:
    """The table of floors as it fills."""

    table: Table
    failed: int = 0

    def row(self, what: str, size: str, value: float, unit: str, floor: float = 0.0) -> None:
        """A time that has to stay under its floor, or none where that is 0."""
        held = value < floor
        self.failed += bool(floor) and not held
        said = f"under {floor:g} {unit}: {'held' if held else 'NOT HELD'}" if floor else ""
        self.table.add_row(what, size, f"{value:,.3g} {unit}", said)


def capsules(floors: Floors, repeats: int) -> None:
    for radius in (0.06, 0.03):
        shape = so.Capsule(radius, 1.0)

        def build(shape: so.Capsule = shape) -> so.interference.RegionTree:
            return so.interference.RegionTree.build(
                shape, POSE, root=((0.0, 0.0, 0.0), 4.0), levels=7
            )

        name = f"tree of a capsule of 1 m, radius {radius} m, in 4 m at 1/128"
        floors.row(name, f"{len(build())} leaves", 1e6 * best(build, repeats), "µs", 200.0)


def threaded(floors: Floors, repeats: int) -> None:
    """Two tori through each other, and what else can be done with their trees."""
    mesh = torus(0.5, 0.235, 250, 70)
    other = so.pose((0.5, 0.0, 0.0), rpy=(np.pi / 2, 0.0, 0.0))
    root = ((0.25, 0.0, 0.0), 2.4)
    a = so.interference.RegionTree.build(mesh, root=root, levels=7)
    b = so.interference.RegionTree.build(mesh, other, root=root, levels=7)
    meeting = so.interference.meets(a, b)
    assert meeting.apart, "the tori are to be told apart"
    gap = so.distance(mesh, None, mesh, other).distance
    name = f"two tori {1e3 * gap:.0f} mm apart, nodes of {1e3 * a.cell:.0f} mm, traversed"
    spent = 1e3 * best(lambda: so.interference.meets(a, b), repeats)
    floors.row(name, f"{len(a):,} leaves each", spent, "ms", 1.0)
    for what, call in (
        ("  by the traversal of n trees at once", lambda: so.interference.meets_many([a, b])),
        ("  their union", lambda: a.union(b)),
        ("  one of them grown by 5 cm", lambda: a.grown(0.05)),
    ):
        size = f"{meeting.visited:,} nodes" if "n trees" in what else ""
        floors.row(what, size, 1e3 * best(call, repeats), "ms")
    parts = [Part("a", mesh, np.eye(4)), Part("b", mesh, other)]
    made = bodies(parts)
    spent = best(lambda: collisions(made, [(0, 1)]), repeats)
    floors.row("  Coal, `collide` of the two", "", 1e3 * spent, "ms")


def projections(floors: Floors, repeats: int) -> None:
    """100 parts of 100 vertices, 4,950 pairs, three planes, beside Coal."""
    parts = convex_scene(100)
    made = bodies(parts)
    method = ProjectionMethod(parts)
    pairs = [tuple(pair) for pair in method.pairs().tolist()]
    everyone, poses = np.arange(len(parts)), np.array([part.pose for part in parts])
    spent = medians(
        {
            "Coal": lambda: collisions(made, pairs),
            "anew": lambda: ProjectionMethod(parts).separating_planes(),
            "project": lambda: method.outlines.place(everyone, poses, 0.0),
            "compare": method.separating_planes,
        },
        max(9, repeats),
    )
    name = "100 polyhedra of 100 vertices on 3 planes, beside Coal's time"
    floors.row(name, f"{len(pairs):,} pairs", spent["anew"] / spent["Coal"], "of Coal", 1.0)
    for what, key in (
        ("  made anew and all pairs", "anew"), ("  of these: projecting", "project"),
        ("  all pairs on outlines that are there", "compare"), ("  Coal, pair by pair", "Coal"),
    ):  # fmt: skip
        floors.row(what, "", 1e3 * spent[key], "ms")


def rising(mesh: so.Mesh, levels: range, repeats: int) -> tuple[list[float], list[float]]:
    """Leaves and seconds of a torus' tree, by level."""
    leaves, times = [], []
    for level in levels:

        def build(level: int = level) -> so.interference.RegionTree:
            return so.interference.RegionTree.build(
                mesh, POSE, root=(POSE[:3, 3], 1.5), levels=level
            )

        leaves.append(float(len(build())))
        times.append(best(build, repeats))
    return leaves, times


def alarm_table(console: Console, title: str, found: Alarms) -> None:
    apart = found.pairs - found.hits - found.inside + found.rounding
    table = Table("method", "missed", "false alarms", "of those apart", title=title)
    for name, missed in found.missed.items():
        false = found.false[name]
        table.add_row(name, str(missed), str(false), f"{100 * false / apart:.2f} %")
    console.print(table)
    console.print(
        f"{found.pairs:,} pairs; by Coal {found.hits} collide, of which {found.rounding} are apart "
        f"by up to 1e-6 m; {found.inside} more are one inside the other\n",
        highlight=False,
    )


def alarm_plot(path: Path, found: dict[str, Alarms]) -> None:
    figure, axes = new_figure(2, height=8.0)
    for axis, word, label in (
        (axes[0], "planes", "planes"),
        (axes[1], "octree", "levels of the octree"),
    ):
        for kind, alarms in found.items():
            apart = alarms.pairs - alarms.hits - alarms.inside + alarms.rounding
            for ending in ("hull", "true outline", "levels"):
                some = [
                    (int("".join(filter(str.isdigit, name))), 100.0 * count / apart)
                    for name, count in alarms.false.items()
                    if word in name and name.endswith(ending)
                ]
                if some:
                    name = kind if ending == "levels" else f"{kind}, {ending}"
                    axis.plot(*zip(*some), marker="o", ms=4, lw=1.4, label=name)
        axis.set_xlabel(label)
        axis.set_ylabel("false alarms [% of the pairs that are apart]")
        axis.set_yscale("symlog", linthresh=0.1)
        axis.set_ylim(bottom=0.0)
        axis.legend(fontsize=8)
    save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--parts", type=int, default=142, help="of each of the two random scenes")
    parser.add_argument("--quick", action="store_true", help="fewer parts, one level less")
    parser.add_argument("--plot", type=Path, help="folder of growth.png and alarms.png")
    given = parser.parse_args()
    console = Console(width=110)
    levels = range(4, 8 if given.quick else 9)
    cells = [2.0**level for level in levels]
    curves = {
        f"{mesh.triangles:,} triangles": rising(mesh, levels, given.repeats)
        for mesh in (torus(0.5, 0.2, 250, 70), torus(0.5, 0.2, 50, 10))
    }

    floors = Floors(Table("what", "size", "time", "floor"))
    leaves, times = next(iter(curves.values()))
    name = f"tree of a torus of 35,000 triangles at 1/{cells[-1]:.0f}"
    floors.row(name, f"{leaves[-1]:,.0f} leaves", times[-1], "s", 0.0 if given.quick else 1.0)
    capsules(floors, given.repeats)
    threaded(floors, given.repeats)
    projections(floors, given.repeats)
    console.print(floors.table)

    growth = Table("torus", *(f"1/{n:.0f}" for n in cells), "slope of the last three")
    for name, curve in curves.items():
        for what, values, unit in (("leaves", curve[0], 1.0), ("time [ms]", curve[1], 1e3)):
            steep = f"{slope(cells[-3:], values[-3:]):.2f}"
            growth.add_row(f"{name}, {what}", *(f"{unit * v:,.1f}" for v in values), steep)
    console.print(growth)

    count = 40 if given.quick else given.parts
    scenes = {"convex": convex_scene(count), "crooked": crooked_scene(count)}
    found = {}
    for kind, parts in scenes.items():
        with console.status("") as status:
            found[kind] = count_alarms(
                parts, levels, kind == "crooked", lambda what, k=kind: status.update(f"{k}: {what}")
            )
        alarm_table(console, f"False alarms, {kind} parts", found[kind])
    if given.plot:
        lines = {f"{name}, leaves": c[0] for name, c in curves.items()}
        lines |= {f"{name}, time [µs]": [1e6 * t for t in c[1]] for name, c in curves.items()}
        lines["slope 2"] = [leaves[-1] * (n / cells[-1]) ** 2 for n in cells]
        draw = toolkit.lines(cells, lines, ("1 / resolution", ""), log=(True, True))
        draw(given.plot / "growth.png")
        alarm_plot(given.plot / "alarms.png", found)
    missed = sum(sum(alarms.missed.values()) for alarms in found.values())
    console.print(f"floors not held: {floors.failed}; overlaps missed by any method: {missed}")


if __name__ == "__main__":
    main()
