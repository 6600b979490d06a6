"""Paper 002: the two methods and the exact answer, false alarms against time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from standoff.interference.parts import Part
from standoff.interference.projection import Outline, ProjectionMethod
from standoff.interference.region_meets import common_root, meets_many
from standoff.papers.bench002 import CONVEX, CROOKED, Bench, distances, per_cent, trees_of
from standoff.papers.result import Result
from standoff.view.plots import new_figure, save

#: Numbers of planes that are compared.
PLANES = (1, 3, 7, 13, 24)

#: Each in its own colour, in both plots.
_COLOURS = ("projections, hull", "projections, true", "octrees", "exact distance")


def methods(bench: Bench) -> Result:
    """False alarms against time: all pairs of a scene."""
    found: dict[str, dict[str, list[tuple[str, float, int]]]] = {}
    for kind in (CONVEX, CROOKED):
        pairs = bench.pairs(kind)
        parts, both = pairs.parts, pairs.pairs
        meeting = {tuple(p) for p in both[pairs.meeting].tolist()}
        curves: dict[str, list[tuple[str, float, int]]] = {}
        outlines: tuple[Outline, ...] = ("hull",) if kind == CONVEX else ("hull", "true")
        for outline in outlines:
            bench.tell(f"methods: {kind}, {outline} outline", 0.1)
            curves[f"projections, {outline}"] = [
                (
                    "1 plane" if n == 1 else f"{n} planes",
                    bench.lowest(partial(_projected, parts, n, outline)),
                    pairs.alarms(n, outline),
                )
                for n in PLANES
            ]
        edge = common_root(parts)[1]
        octree = []
        for k, levels in enumerate(bench.levels):
            bench.tell(f"methods: {kind}, octrees", 0.3 + 0.5 * k / len(bench.levels))
            spent = bench.lowest(partial(_traversed, parts, levels))
            told = set(bench.meetings(kind, levels)[0].pairs)
            octree.append((f"{1e3 * edge / 2**levels:.0f} mm", spent, len(told - meeting)))
        curves["octrees"] = octree
        bench.tell(f"methods: {kind}, exact", 0.9)
        exact = bench.lowest(partial(distances, parts, both))
        curves["exact distance"] = [("", exact, 0)]
        found[kind] = curves
    rows = tuple(
        (
            f"{kind}: {name}, {what}" if what else f"{kind}: {name}",
            f"{1e3 * seconds:.2f}",
            f"{1e6 * seconds / len(bench.pairs(kind).pairs):.2f}",
            f"{alarms}",
            per_cent(alarms, len(bench.pairs(kind).apart)),
        )
        for kind, curves in found.items()
        for name, points in curves.items()
        for what, seconds, alarms in points
    )

    def plot(path: Path) -> None:
        figure, axes = new_figure(2, height=8.0)
        for axis, (kind, curves) in zip(axes, found.items()):
            apart = len(bench.pairs(kind).apart)
            for name, points in curves.items():
                x = [1e3 * p[1] for p in points]
                y = [100.0 * p[2] / apart for p in points]
                colour = f"C{_COLOURS.index(name)}"
                axis.plot(x, y, marker="o", ms=4, lw=1.4, label=name, color=colour)
                for (what, _, _), a, b in zip(points, x, y):
                    axis.annotate(what, (a, b), fontsize=6, textcoords="offset points",
                                  xytext=(3, 3))  # fmt: skip
            axis.set_xscale("log")
            axis.set_yscale("symlog", linthresh=0.1)
            axis.set_ylim(bottom=-0.01)
            axis.set_title(kind, fontsize=9, loc="left")
            axis.set_xlabel("all pairs [ms]")
            axis.set_ylabel("false alarms [%]")
            axis.legend(fontsize=8)
        save(figure, path)

    def of(kind: str, name: str) -> tuple[str, float, int]:
        return found[kind][name][-1]

    three = found[CONVEX]["projections, hull"][1]
    hulls, finest = found[CROOKED]["projections, hull"][1][1], of(CROOKED, "octrees")[1]
    exact_time = {kind: of(kind, "exact distance")[1] for kind in found}
    return Result(
        "Projections, octrees and the exact distance: false alarms against time",
        ("scene, method", "all pairs [ms]", "a pair [µs]", "false alarms", "of those apart"),
        rows,
        (
            f"{bench.count} parts, {len(bench.pairs(CONVEX).pairs)} pairs, from shapes to answers "
            "on one core: projecting and comparing, building trees and traversing all at once, or "
            "the distance of each pair in one compiled call (the meshes' trees of bounding volumes "
            "made before). None misses an overlap.",
            f"The distance of every pair takes {exact_time[CONVEX] / three[1]:.1f} times as long "
            f"as three planes if the parts are convex, {exact_time[CROOKED] / hulls:.0f} times if "
            f"they are crooked, and {exact_time[CROOKED] / finest:.1f} times as long as the finest "
            "octrees. True outlines are traced in Python, which is nearly all of their time: they "
            "are for what stands still.",
        ),
        {"found": found},
        plot,
    )


def _projected(parts: Sequence[Part], planes: int, outline: Outline) -> None:
    ProjectionMethod(parts, planes=planes, outline=outline).separating_planes()


def _traversed(parts: Sequence[Part], levels: int) -> None:
    meets_many(trees_of(parts, levels))
