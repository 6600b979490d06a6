"""Paper 002, section III: region octrees against resolution, nodes traversed, and n at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from standoff.broadphase.index import LARGEST_COUNT
from standoff.geometry.pose import Array, pose
from standoff.geometry.primitives import Box
from standoff.interference.kernels.region_leaves import STACK, Forest, Walk, meet_many, meet_pair
from standoff.interference.parts import Part
from standoff.interference.region_meets import Meeting, common_root, meets, meets_many
from standoff.interference.region_tree import RegionTree
from standoff.papers.bench002 import CONVEX, CROOKED, Bench, per_cent, slope, trees_of
from standoff.papers.result import Result
from standoff.papers.scenes002 import convex_scene, turned
from standoff.view.plots import lines_plot, new_figure, save

#: How many trees are traversed together.
TREES = (2, 4, 8, 16, 32)

#: How far plates are apart, [m].
_GAPS = (0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)


def resolution(bench: Bench) -> Result:
    """False alarms against the finest nodes."""
    rows: list[tuple[str, ...]] = []
    curves: dict[str, list[float]] = {CONVEX: [], CROOKED: []}
    leaves: dict[str, list[float]] = {CONVEX: [], CROOKED: []}
    cells = {}
    for kind in curves:
        pairs = bench.pairs(kind)
        edge = common_root(pairs.parts)[1]
        cells[kind] = [edge / 2.0**level for level in bench.levels]
        meeting = {tuple(p) for p in pairs.pairs[pairs.meeting].tolist()}
        for k, levels in enumerate(bench.levels):
            bench.tell(f"resolution: {kind}, {levels} levels", k / len(bench.levels))
            found, count = bench.meetings(kind, levels)
            curves[kind].append(float(len(set(found.pairs) - meeting)))
            leaves[kind].append(float(count))
    apart = {kind: len(bench.pairs(kind).apart) for kind in curves}
    for k, levels in enumerate(bench.levels):
        row = [f"{levels}", "limits of resolution"]
        for kind, alarms in curves.items():
            row += [f"{1e3 * cells[kind][k]:.0f}", f"{leaves[kind][k]:,.0f}"]
            row += [f"{alarms[k]:.0f} ({per_cent(alarms[k], apart[kind])})"]
        rows.append(tuple(row))

    def plot(path: Path) -> None:
        shares = {k: [100.0 * v / apart[k] for v in c] for k, c in curves.items()}
        labels = ("root cube / finest node", "false alarms [% of the pairs that are apart]")
        lines_plot([2.0**n for n in bench.levels], shares, labels, path, log=(True, True))

    steep = {
        kind: slope(*zip(*[(w, n) for w, n in zip(cells[kind][1:], c[1:]) if n > 0.0]))
        for kind, c in curves.items()
    }
    grown = {kind: -slope(cells[kind][-3:], leaves[kind][-3:]) for kind in curves}
    planes = {kind: bench.pairs(kind).alarms(24) for kind in curves}
    true = bench.pairs(CROOKED).alarms(24, "true")
    fewer = [f"{1e3 * w:.0f} mm" for w, n in zip(cells[CROOKED], curves[CROOKED]) if n < true]
    better = f"Octrees leave fewer of the crooked from nodes of {fewer[0]} on." if fewer else ""
    return Result(
        "III: false alarms of octrees against their resolution",
        (
            "levels", "paper", "convex: nodes [mm]", "leaves", "false alarms",
            "crooked: nodes [mm]", "leaves", "false alarms",
        ),
        tuple(rows),
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
        {"alarms": curves, "leaves": leaves, "cells": cells, "slopes": steep, "growth": grown},
        plot,
    )  # fmt: skip


def nodes(bench: Bench) -> Result:
    """Time of a traversal against the nodes it looks at."""
    looked, leaves = [], []
    spent: dict[str, list[float]] = {"traversal": [], "pass": []}
    finest = 7 if bench.quick else 9
    rng = np.random.default_rng(8)
    turns = [turned(rng) for _ in range(3 if bench.quick else 12)]
    for k, turn in enumerate(turns):
        bench.tell("nodes", k / len(turns))
        for levels, gap in itertools.product(range(3, finest + 1), _GAPS):
            a, b = trees_of(_plates(turn, gap), levels)
            found = meets(a, b)
            if found:  # ends the paper's traversal at once; ours goes on to say where
                continue
            looked.append(found.visited)
            leaves.append(len(a) + len(b))
            for name, call in _kernels(a, b).items():
                spent[name].append(1e6 * bench.lowest(call))
    visited = np.array(looked, float)
    times = {name: np.array(t) for name, t in spent.items()}
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
            f"{np.array(leaves)[among].mean():,.0f}",
            *(
                text
                for t in times.values()
                for text in (f"{t[among].mean():.1f}", f"{1e3 * t[among].mean() / mean:.1f}")
            ),
        ))  # fmt: skip
    much = visited > 100
    steep = {n: slope(visited[much].tolist(), t[much].tolist()) for n, t in times.items()}
    fit = {n: float(np.corrcoef(visited, t)[0, 1]) for n, t in times.items()}

    def plot(path: Path) -> None:
        figure, (axis,) = new_figure()
        for name, mark in (("traversal", "."), ("pass", "x")):
            axis.loglog(visited, times[name], mark, ms=4, label=name)
        axis.set_xlabel("nodes that the paper's traversal looks at")
        axis.set_ylabel("[µs]")
        axis.legend(fontsize=8)
        save(figure, path)

    return Result(
        "III B: time of a traversal of two trees against the nodes looked at",
        (
            "nodes looked at", "paper: time", "pairs", "mean leaves", "traversal [µs]",
            "a node [ns]", "one pass [µs]", "a node [ns]",
        ),
        tuple(rows),
        (
            f"Two plates of 0.4 m that face each other 3 to 200 mm apart, trees of 3 to {finest} "
            "levels; compiled code. Traversal: the paper's, node by node from the root, as for n "
            "trees. One pass: ours for two, over the sorted leaves of both, which steps over what "
            "is white in the other. "
            f"Correlation with the nodes {fit['traversal']:.3f} and {fit['pass']:.3f}; beyond 100 "
            f"nodes they grow with their number to the {steep['traversal']:.2f} and "
            f"{steep['pass']:.2f}.",
        ),
        {"visited": looked, "times": spent, "slopes": steep, "fit": fit},
        plot,
    )  # fmt: skip


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
        marks=np.concatenate([a.marks, b.marks]),
        starts=np.array([0, len(a), len(a) + len(b)]),
        stack=STACK, runs=(STACK, 4), meetings=1,
    )  # fmt: skip
    walk = Walk(codes=1, marks=1)
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
    for k, count in enumerate(counts):
        bench.tell(f"many: {count} trees", k / len(counts))
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
        same = len(together.pairs) == sum(map(bool, apart))
        by_pairs = sum(m.visited for m in apart)
        figures[count] = (together.visited, by_pairs, once, each, united, same)
        rows.append((
            str(count),
            "nodes visited",
            f"{together.visited:,}",
            f"{by_pairs:,}",
            f"{1e6 * once:,.0f}",
            f"{1e6 * each:,.0f}",
            str(len(together.pairs)),
            f"{1e6 * united:,.0f}",
        ))  # fmt: skip

    def plot(path: Path) -> None:
        curves = {
            "n trees at once": [1e6 * figures[n][2] for n in counts],
            "each two of them": [1e6 * figures[n][3] for n in counts],
            "one against the union of all others": [1e6 * figures[n][4] for n in counts],
        }
        lines_plot(counts, curves, ("trees", "[µs]"), path, log=(True, True))

    last = figures[counts[-1]]
    agreed = all(f[5] for f in figures.values())
    return Result(
        "III B: n trees at once, against all pairs",
        (
            "trees", "paper: time by", "nodes, at once", "nodes, pairs", "at once [µs]",
            "pairs [µs]", "pairs that meet", "one against the others' union [µs]",
        ),
        tuple(rows),
        (
            f"Convex parts, {levels} levels. Both find the same pairs: "
            f"{'yes' if agreed else 'no'}. At {counts[-1]} trees one traversal looks at "
            f"{last[1] / last[0]:.1f} times fewer nodes than all pairs, and takes "
            f"{last[3] / last[2]:.1f} times less time. What stands still as one tree (section IV) "
            f"is asked once for each that moves: {1e6 * last[4]:.0f} µs against "
            f"{counts[-1] - 1} others.",
        ),
        {"found": figures},
        plot,
    )  # fmt: skip
