"""Paper 002, section III: region octrees against resolution, nodes traversed, and n at once."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from standoff.overlap.region_meets import meets, meets_many
from standoff.overlap.region_root import common_root
from standoff.papers.bench002 import CONVEX, CROOKED, Bench, per_cent, slope, trees_of
from standoff.papers.result import Result
from standoff.papers.scenes002 import convex_scene
from standoff.view.plots import lines_plot, new_figure, save

#: How many trees are traversed together.
TREES = (2, 4, 8, 16, 32)


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
        labels = ("levels", "false alarms [% of the pairs that are apart]")
        lines_plot(bench.levels, shares, labels, path, log=(False, True))

    steep = {kind: slope(cells[kind][1:], curves[kind][1:]) for kind in curves}
    grown = {kind: -slope(cells[kind][-3:], leaves[kind][-3:]) for kind in curves}
    planes = {kind: bench.pairs(kind).alarms(24) for kind in curves}
    true = bench.pairs(CROOKED).alarms(24, "true")
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
            "Convex parts are better served by planes; of crooked ones octrees leave fewer from "
            "some resolution on, whatever the planes, as nothing is projected.",
            "Paper 000's count of such leaves (nodes of 0.98 and 1.95 in) is in `standoff papers "
            "000 --only region`.",
        ),
        {"alarms": curves, "leaves": leaves, "cells": cells, "slopes": steep, "growth": grown},
        plot,
    )  # fmt: skip


def nodes(bench: Bench) -> Result:
    """Time of a traversal against the nodes it looks at."""
    looked, spent, leaves = [], [], []
    for k, levels in enumerate(bench.levels):
        bench.tell(f"nodes: {levels} levels", k / len(bench.levels))
        trees = trees_of(convex_scene(24, 4), levels)
        for a, b in itertools.combinations(trees, 2):
            looked.append(meets(a, b).visited)
            leaves.append(len(a) + len(b))
            spent.append(1e6 * bench.lowest(lambda a=a, b=b: meets(a, b)))  # type: ignore[misc]
    visited, times = np.array(looked, float), np.array(spent)
    edges = [0, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
    rows = []
    for low, high in itertools.pairwise(edges):
        among = (visited > low) & (visited <= high)
        if among.sum() < 3:
            continue
        rows.append((
            f"{low + 1:,} to {high:,}",
            "proportional",
            str(int(among.sum())),
            f"{visited[among].mean():,.0f}",
            f"{np.array(leaves)[among].mean():,.0f}",
            f"{times[among].mean():.1f}",
            f"{1e3 * (times[among] - times.min()).mean() / visited[among].mean():.1f}",
        ))  # fmt: skip
    many = visited > 100
    steep = slope(visited[many].tolist(), (times[many] - 0.9 * times.min()).tolist())
    fit = float(np.corrcoef(visited, times)[0, 1])

    def plot(path: Path) -> None:
        figure, (axis,) = new_figure()
        axis.loglog(visited, times, ".", ms=3)
        axis.set_xlabel("nodes that the paper's traversal looks at")
        axis.set_ylabel("time of a traversal [µs]")
        save(figure, path)

    return Result(
        "III B: time of a traversal of two trees against the nodes looked at",
        (
            "nodes looked at", "paper: time", "pairs", "mean nodes", "mean leaves", "mean [µs]",
            "[ns] a node, beyond the call",
        ),
        tuple(rows),
        (
            f"{len(times)} pairs of convex parts, called from Python, which takes "
            f"{times.min():.1f} µs by itself. Correlation {fit:.2f}; beyond 100 nodes it grows "
            f"with their number to the {steep:.2f}. Ours counts the paper's nodes but does not "
            "visit each: leaves stand sorted in an array, and one pass over both steps over what "
            "is white in the other, so that it gains where trees have little in common.",
        ),
        {"visited": looked, "times": spent, "slope": steep, "fit": fit},
        plot,
    )  # fmt: skip


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
        apart = [meets(a, b) for a, b in couples]
        once = bench.lowest(lambda t=trees: meets_many(t))  # type: ignore[misc]
        each = bench.lowest(lambda c=couples: [meets(a, b) for a, b in c])  # type: ignore[misc]
        world = trees[0]
        for tree in trees[1:-1]:
            world = world.union(tree)
        united = bench.lowest(lambda w=world, t=trees[-1]: meets(w, t))  # type: ignore[misc]
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
