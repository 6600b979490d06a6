"""Paper 002, section III: region octrees against resolution, nodes traversed, and n at once; and
both of its methods beside the exact answer, false alarms against time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from standoff.broadphase.index import LARGEST_COUNT
from standoff.geometry.pose import Array, pose
from standoff.geometry.primitives import Box
from standoff.interference.kernels.region_leaves import STACK, Forest, Walk, meet_many, meet_pair
from standoff.interference.parts import Part
from standoff.interference.projection import Outline, ProjectionMethod
from standoff.interference.region_meets import Meeting, common_root, meets, meets_many
from standoff.interference.region_tree import RegionTree
from standoff.papers.paper002_parts import (
    CONVEX,
    CROOKED,
    Bench,
    convex_scene,
    distances,
    trees_of,
    turned,
)
from standoff.papers.toolkit import Result, cells, heads, label_axis, lines, per_cent, slope
from standoff.view.plots import new_figure, save

#: How many trees are traversed together.
TREES = (2, 4, 8, 16, 32)

#: How far plates are apart, [m].
_GAPS = (0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)


def resolution(bench: Bench) -> Result:
    """False alarms against the finest nodes."""
    rows = []
    curves: dict[str, list[float]] = {CONVEX: [], CROOKED: []}
    leaves: dict[str, list[float]] = {CONVEX: [], CROOKED: []}
    widths = {}
    for kind in curves:
        edge = common_root(bench.pairs(kind).parts)[1]
        widths[kind] = [edge / 2.0**level for level in bench.levels]
        for levels in bench.each(bench.levels, f"resolution: {kind}, {{}} levels"):
            curves[kind].append(float(bench.tree_alarms(kind, levels)))
            leaves[kind].append(float(bench.meetings(kind, levels)[1]))
    apart = {kind: len(bench.pairs(kind).apart) for kind in curves}
    for k, levels in enumerate(bench.levels):
        row = [f"{levels}", "limits of resolution"]
        for kind, alarms in curves.items():
            row += [f"{1e3 * widths[kind][k]:.0f}", f"{leaves[kind][k]:,.0f}"]
            row += [f"{alarms[k]:.0f} ({per_cent(alarms[k], apart[kind])})"]
        rows.append(row)
    shares = {kind: (100.0 * np.array(c) / apart[kind]).tolist() for kind, c in curves.items()}
    labels = ("root cube / finest node", "false alarms [% of the pairs that are apart]")
    steep = {kind: _steepness(widths[kind][1:], c[1:]) for kind, c in curves.items()}
    grown = {kind: -slope(widths[kind][-3:], leaves[kind][-3:]) for kind in curves}
    planes = {kind: bench.pairs(kind).alarms(24) for kind in curves}
    true = bench.pairs(CROOKED).alarms(24, "true")
    fewer = [f"{1e3 * w:.0f} mm" for w, n in zip(widths[CROOKED], curves[CROOKED]) if n < true]
    better = f"Octrees leave fewer of the crooked from nodes of {fewer[0]} on." if fewer else ""
    return Result(
        "III: false alarms of octrees against their resolution",
        heads(
            "levels | paper | convex: nodes [mm] | leaves | false alarms | "
            "crooked: nodes [mm] | leaves | false alarms"
        ),
        rows,
        (
            "Parts of 0.1 to 0.8 m, all trees of a scene at once. False alarms fall with the size "
            f"of the nodes to the {steep[CONVEX]:.2f} (convex) and {steep[CROOKED]:.2f} (crooked): "
            "half as wide nodes tell apart what is half as near. Leaves grow with its square: to "
            f"the {grown[CONVEX]:.2f} and {grown[CROOKED]:.2f} over the last three levels.",
            f"24 planes leave {planes[CONVEX]} and {planes[CROOKED]} ({true} by true outlines). "
            f"{better} Nothing is projected: an octree has no false alarm for good.",
            "Paper 000's count of such leaves (nodes of 0.98 and 1.95 in) is in `standoff papers "
            "000 --only region`.",
        ),
        {"alarms": curves, "leaves": leaves, "slopes": steep, "growth": grown},
        lines([2.0**n for n in bench.levels], shares, labels, log=(True, True)),
    )


@dataclass(frozen=True)
class Traversals:
    """Pairs of trees that do not meet: how many nodes the paper's traversal looks at, how many
    leaves they have, and the times of a traversal and of one pass, [µs]; levels at most."""

    finest: int
    looked: list[int]
    leaves: list[int]
    spent: dict[str, list[float]]


def traversed(bench: Bench) -> Traversals:
    """Trees of two plates at all distances and levels."""
    finest = 7 if bench.quick else 9
    found = Traversals(finest, [], [], {"traversal": [], "pass": []})
    rng = np.random.default_rng(8)
    turns = [turned(rng) for _ in range(3 if bench.quick else 12)]
    for turn in bench.each(turns, "nodes"):
        for levels, gap in itertools.product(range(3, finest + 1), _GAPS):
            a, b = trees_of(_plates(turn, gap), levels)
            meeting = meets(a, b)
            if not meeting.apart:  # ends the paper's traversal at once; ours goes on to say where
                continue
            found.looked.append(meeting.visited)
            found.leaves.append(len(a) + len(b))
            for name, call in _kernels(a, b).items():
                found.spent[name].append(1e6 * bench.lowest(call))
    return found


def nodes(bench: Bench) -> Result:
    """Time of a traversal against the nodes it looks at."""
    found = traversed(bench)
    visited, leaves = np.array(found.looked, float), np.array(found.leaves)
    times = {name: np.array(t) for name, t in found.spent.items()}
    edges = [0, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000]
    rows = []
    for low, high in itertools.pairwise(edges):
        among = (visited > low) & (visited <= high)
        if among.sum() < 2:
            continue
        mean = visited[among].mean()
        rows.append((
            f"{low + 1:,} to {high:,}",
            "proportional",
            str(int(among.sum())),
            f"{leaves[among].mean():,.0f}",
            *(
                text
                for t in times.values()
                for text in (f"{t[among].mean():.1f}", f"{1e3 * t[among].mean() / mean:.1f}")
            ),
        ))  # fmt: skip
    much = visited > 100
    steep = {n: slope(visited[much].tolist(), t[much].tolist()) for n, t in times.items()}
    fit = {n: float(np.corrcoef(visited, t)[0, 1]) for n, t in times.items()}

    return Result(
        "III B: time of a traversal of two trees against the nodes looked at",
        heads(
            "nodes looked at | paper: time | pairs | mean leaves | traversal [µs] | a node [ns] | "
            "one pass [µs] | a node [ns]"
        ),
        rows,
        (
            "Two plates of 0.4 m that face each other 3 to 200 mm apart, trees of 3 to "
            f"{found.finest} levels; compiled code. Traversal: the paper's, node by node from the "
            "root, as for n trees. One pass: ours for two, over the sorted leaves of both, which "
            "steps over what is white in the other. "
            f"Correlation with the nodes {fit['traversal']:.3f} and {fit['pass']:.3f}; beyond 100 "
            f"nodes they grow with their number to the {steep['traversal']:.2f} and "
            f"{steep['pass']:.2f}.",
        ),
        {"visited": found.looked, "times": found.spent, "slopes": steep, "fit": fit},
        partial(_draw_nodes, visited, times),
    )


def _draw_nodes(visited: Array, times: Mapping[str, Array], path: Path) -> None:
    figure, (axis,) = new_figure()
    for name, mark in (("traversal", "."), ("pass", "x")):
        axis.loglog(visited, times[name], mark, ms=4, label=name)
    label_axis(axis, "nodes that the paper's traversal looks at", "[µs]")
    save(figure, path)


def _steepness(widths: Sequence[float], counts: Sequence[float]) -> float:
    """The power of the width that counts grow with, where there are any."""
    return slope(*zip(*((w, n) for w, n in zip(widths, counts) if n > 0.0)))


def _every(couples: list[tuple[RegionTree, RegionTree]]) -> list[Meeting]:
    return [meets(a, b) for a, b in couples]


def _plates(turn: Array, gap: float) -> list[Part]:
    """Two plates of 0.4 m that face each other."""
    plate = Box((0.4, 0.4, 0.05))
    lift = 0.5 * (gap + 0.05)
    places = (pose((0.0, 0.0, 0.0), turn) @ pose((0.0, 0.0, z)) for z in (-lift, lift))
    return [Part(f"{k}", plate, place) for k, place in enumerate(places)]


def _kernels(a: RegionTree, b: RegionTree) -> dict[str, Callable[[], object]]:
    """The traversal of two trees that do not meet, and the pass over both."""
    forest = Forest(
        codes=np.concatenate([a.codes, b.codes]),
        depths=np.concatenate([a.depths, b.depths]),
        sure=np.concatenate([a.sure, b.sure]).view(np.uint8),
        starts=np.array([0, len(a), len(a) + len(b)]),
        stack=STACK, runs=(STACK, 4), meetings=1,
    )  # fmt: skip
    walk = Walk(codes=1, depths=1, sure=1)
    forest.cube.deepest = walk.cube.deepest = a.levels
    one, two = a.leaves.address, b.leaves.address
    return {
        "traversal": lambda: meet_many(forest.address),
        "pass": lambda: meet_pair(one, two, LARGEST_COUNT, walk.address),
    }


def many(bench: Bench) -> Result:
    """n trees at once, against all pairs of them."""
    levels = bench.levels[-2]
    counts = TREES[:-1] if bench.quick else TREES
    rows, figures = [], {}
    for count in bench.each(counts, "many: {} trees"):
        trees = trees_of(convex_scene(count, 7), levels)
        couples = list(itertools.combinations(trees, 2))
        together = meets_many(trees)
        apart = _every(couples)
        once = bench.lowest(partial(meets_many, trees))
        each = bench.lowest(partial(_every, couples))
        world = trees[0]
        for tree in trees[1:-1]:
            world = world.union(tree)
        united = bench.lowest(partial(meets, world, trees[-1]))
        same = len(together.pairs) == sum(not meeting.apart for meeting in apart)
        by_pairs = sum(m.visited for m in apart)
        figures[count] = (together.visited, by_pairs, once, each, united, same)
        numbers = together.visited, by_pairs, 1e6 * once, 1e6 * each
        pairs = str(len(together.pairs))
        rows.append(
            (str(count), "nodes visited", *cells(numbers, ",.0f"), pairs, f"{1e6 * united:,.0f}")
        )
    names = ("n trees at once", "each two of them", "one against the union of all others")
    curves = {name: [1e6 * figures[n][k] for n in counts] for k, name in enumerate(names, 2)}
    last = figures[counts[-1]]
    agreed = all(f[5] for f in figures.values())
    return Result(
        "III B: n trees at once, against all pairs",
        heads(
            "trees | paper: time by | nodes, at once | nodes, pairs | at once [µs] | pairs [µs] | "
            "pairs that meet | one against the others' union [µs]"
        ),
        rows,
        (
            f"Convex parts, {levels} levels. Both find the same pairs: "
            f"{'yes' if agreed else 'no'}. At {counts[-1]} trees one traversal looks at "
            f"{last[1] / last[0]:.1f} times fewer nodes than all pairs, and takes "
            f"{last[3] / last[2]:.1f} times less time. What stands still as one tree (section IV) "
            f"is asked once for each that moves: {1e6 * last[4]:.0f} µs against "
            f"{counts[-1] - 1} others.",
        ),
        {"found": figures},
        lines(counts, curves, ("trees", "[µs]"), log=(True, True)),
    )


#: Numbers of planes that are compared.
PLANES = (1, 3, 7, 13, 24)

#: Each in its own colour, in both plots.
_COLOURS = ("projections, hull", "projections, true", "octrees", "exact distance")


#: By method: with what, seconds for all pairs, false alarms.
Curves = dict[str, list[tuple[str, float, int]]]


def _methods_on(bench: Bench, kind: str) -> Curves:
    """All methods on one scene."""
    pairs, curves = bench.pairs(kind), Curves()
    outlines: tuple[Outline, ...] = ("hull",) if kind == CONVEX else ("hull", "true")
    for outline in outlines:
        bench.report(f"methods: {kind}, {outline} outline", 0.1)
        curves[f"projections, {outline}"] = [
            (
                "1 plane" if n == 1 else f"{n} planes",
                bench.lowest(partial(_projected, pairs.parts, n, outline)),
                pairs.alarms(n, outline),
            )
            for n in PLANES
        ]
    edge = common_root(pairs.parts)[1]
    curves["octrees"] = []
    for k, levels in enumerate(bench.levels):
        bench.report(f"methods: {kind}, octrees", 0.3 + 0.5 * k / len(bench.levels))
        spent = bench.lowest(partial(_traversed, pairs.parts, levels))
        width = f"{1e3 * edge / 2**levels:.0f} mm"
        curves["octrees"].append((width, spent, bench.tree_alarms(kind, levels)))
    bench.report(f"methods: {kind}, exact", 0.9)
    exact = bench.lowest(partial(distances, pairs.parts, pairs.pairs))
    curves["exact distance"] = [("", exact, 0)]
    return curves


def _draw_methods(found: Mapping[str, Curves], apart: Mapping[str, int], path: Path) -> None:
    """False alarms over time, a scene below the other."""
    figure, axes = new_figure(2, height=8.0)
    for axis, (kind, curves) in zip(axes, found.items()):
        for name, points in curves.items():
            x = [1e3 * p[1] for p in points]
            y = [100.0 * p[2] / apart[kind] for p in points]
            colour = f"C{_COLOURS.index(name)}"
            axis.plot(x, y, marker="o", ms=4, lw=1.4, label=name, color=colour)
            for (what, _, _), a, b in zip(points, x, y):
                axis.annotate(
                    what, (a, b), fontsize=6, textcoords="offset points", xytext=(3, 3)
                )  # fmt: skip
        axis.set_xscale("log")
        axis.set_yscale("symlog", linthresh=0.1)
        axis.set_ylim(bottom=-0.01)
        axis.set_title(kind, fontsize=9, loc="left")
        label_axis(axis, "all pairs [ms]", "false alarms [%]")
    save(figure, path)


def methods(bench: Bench) -> Result:
    """False alarms against time: all pairs of a scene."""
    found = {kind: _methods_on(bench, kind) for kind in (CONVEX, CROOKED)}
    apart = {kind: len(bench.pairs(kind).apart) for kind in found}
    rows = [
        (
            f"{kind}: {name}, {what}" if what else f"{kind}: {name}",
            f"{1e3 * seconds:.2f}",
            f"{1e6 * seconds / len(bench.pairs(kind).pairs):.2f}",
            f"{alarms}",
            per_cent(alarms, apart[kind]),
        )
        for kind, curves in found.items()
        for name, points in curves.items()
        for what, seconds, alarms in points
    ]

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
        partial(_draw_methods, found, apart),
    )


def _projected(parts: Sequence[Part], planes: int, outline: Outline) -> None:
    ProjectionMethod(parts, planes=planes, outline=outline).separating_planes()


def _traversed(parts: Sequence[Part], levels: int) -> None:
    meets_many(trees_of(parts, levels))
