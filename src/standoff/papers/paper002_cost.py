"""Paper 002, section II: what projections cost, and what was proposed to make them cheaper."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import pose
from standoff.interference.parts import Part
from standoff.interference.projection import ProjectionMethod
from standoff.papers.bench002 import CONVEX, CROOKED, SOME_PLANES, Bench, per_cent, slope
from standoff.papers.result import Result
from standoff.papers.scenes002 import standing
from standoff.view.plots import lines_plot


def cost(bench: Bench) -> Result:
    """Time against the number of planes."""
    pairs = bench.pairs(CONVEX)
    everyone = np.arange(len(pairs.parts))
    poses = np.array([part.pose for part in pairs.parts])
    meeting, apart = (np.ascontiguousarray(pairs.pairs[k]) for k in (pairs.meeting, pairs.apart))
    bench.tell("cost", 0.0)
    made = [ProjectionMethod(pairs.parts, planes=count) for count in SOME_PLANES]
    project = [partial(m.outlines.place, everyone, poses, 0.0) for m in made]
    times = {"project": [1e6 * t / len(everyone) for t in bench.in_turn(project)]}
    for k, (name, which) in enumerate((("meet", meeting), ("apart", apart))):
        bench.tell("cost", (k + 1) / 3)
        compare = [partial(m.separating_planes, which) for m in made]
        times[name] = [1e6 * t / max(len(which), 1) for t in bench.in_turn(compare)]
    rows = tuple(
        (
            str(n), f"{n}", *(f"{c[k]:.2f} ({c[k] / c[0]:.1f})" for c in times.values()),
        )
        for k, n in enumerate(SOME_PLANES)
    )  # fmt: skip

    def plot(path: Path) -> None:
        names = ("projecting a part", "a pair that meets", "a pair that is apart")
        curves = dict(zip(names, times.values()))
        lines_plot(SOME_PLANES, curves, ("planes", "[µs]"), path, log=(True, True))

    steep = {name: slope(SOME_PLANES, c) for name, c in times.items()}
    return Result(
        "II B: cost against the number of planes, beside that of one plane",
        ("planes", "paper", "projecting a part [µs]", "pair that meets [µs]", "pair apart [µs]"),
        rows,
        (
            f"Compiled code, lowest of {bench.rounds} rounds, convex parts of up to 100 vertices. "
            f"Growth with a power of the planes: {steep['project']:.2f} for projecting, "
            f"{steep['meet']:.2f} for pairs that meet, which try every plane; the paper has 1. "
            f"Pairs that are apart stop at the first plane that says so: {steep['apart']:.2f}.",
        ),
        {"times": times, "slopes": steep},
        plot,
    )


def vertices(bench: Bench) -> Result:
    """Time against the number of vertices."""
    counts = (1_000, 3_000, 10_000, 30_000, 100_000)[: 4 if bench.quick else 5]
    times: dict[str, list[float]] = {"rim": [], "ball": []}
    for k, count in enumerate(counts):
        bench.tell(f"vertices: {count}", k / len(counts))
        for name in times:
            # As many vertices in all, or the processor would learn the order of the few by heart.
            which = np.arange(counts[-1] // count)
            parts = [Part(f"{k}", _points(name, count, k), _AT) for k in which.tolist()]
            method = ProjectionMethod(parts, planes=1)
            poses = np.tile(_AT, (len(parts), 1, 1))
            spent = bench.lowest(partial(method.outlines.place, which, poses, 0.0))
            times[name].append(1e6 * spent / len(parts))
    first = counts[0] * math.log2(counts[0])
    theory = [n * math.log2(n) / first for n in counts]
    rows = tuple(
        (
            f"{n:,}",
            f"{theory[k]:.1f}",
            *(f"{t[k]:.1f} ({t[k] / t[0]:.1f})" for t in times.values()),
            f"{1e3 * times['rim'][k] / (n * math.log2(n)):.2f}",
        )
        for k, n in enumerate(counts)
    )

    def plot(path: Path) -> None:
        curves = {
            "all on the rim": times["rim"],
            "all over a ball": times["ball"],
            "N log N": [times["rim"][-1] * t / theory[-1] for t in theory],
        }
        lines_plot(counts, curves, ("vertices", "one projection [µs]"), path, log=(True, True))

    rim, ball = (slope(counts, t) for t in times.values())
    law = slope(counts, theory)
    return Result(
        "II A: cost of a projection against its vertices, beside that of 1,000",
        ("N", "paper: N log N", "on the rim [µs]", "over a ball [µs]", "rim / N log₂ N [ns]"),
        rows,
        (
            f"As many vertices in all, on one plane. Growth with a power of N: {rim:.2f} where "
            f"all vertices are corners of the outline, {law:.2f} for N log N itself. Points that "
            "surely lie inside are dropped before the sort; over a ball these are most, and it "
            f"grows with N to the {ball:.2f}.",
        ),
        {"counts": counts, "times": times, "slopes": (rim, law, ball)},
        plot,
    )


def envelopes(bench: Bench) -> Result:
    """What rectangles and circles save."""
    rows, figures = [], {}
    for k, kind in enumerate((CONVEX, CROOKED)):
        bench.tell(f"envelopes: {kind}", k / 2)
        parts = bench.pairs(kind).parts
        method, bare = ProjectionMethod(parts), ProjectionMethod(parts)
        method.separating_planes()
        tests = method.tests
        outlines = bare.outlines.scene.outlines
        outlines.low_x = outlines.low_y = -math.inf
        outlines.high_x = outlines.high_y = outlines.radius = math.inf
        everyone, poses = np.arange(len(parts)), np.array([part.pose for part in parts])
        within, without, place = bench.in_turn([
            method.separating_planes,
            bare.separating_planes,
            partial(method.outlines.place, everyone, poses, 0.0),
        ])  # fmt: skip
        looked = tests["planes"]
        by_box = tests["rectangles"] - tests["circles"]
        by_circle = tests["circles"] - tests["polygons"]
        figures[kind] = (looked, by_box, by_circle, within, without, place)
        pairs = len(parts) * (len(parts) - 1) // 2
        rows.append((
            kind,
            "marginal",
            per_cent(by_box, looked),
            per_cent(by_circle, looked),
            per_cent(tests["polygons"], looked),
            f"{1e9 * within / pairs:.0f}",
            f"{1e9 * without / pairs:.0f}",
            f"{without / within:.2f}",
            f"{(place + without) / (place + within):.2f}",
        ))  # fmt: skip
    gains = [without / within for *_, within, without, _ in figures.values()]
    overall = [(p + without) / (p + within) for *_, within, without, p in figures.values()]
    return Result(
        "II B: envelopes, three planes",
        (
            "scene", "paper", "by rectangle", "by circle", "by polygon", "pair, with [ns]",
            "without [ns]", "gain", "gain, projections included",
        ),
        tuple(rows),
        (
            "Shares of all looks at a pair on a plane. Without: rectangles and circles that reach "
            "everywhere, so that they are compared and never decide.",
            f"Without them comparing takes {min(gains):.2f} to {max(gains):.2f} times as long, "
            f"with the projections {min(overall):.2f} to {max(overall):.2f} times: the paper's "
            "marginal is about right, although rectangles decide most looks. Polygons that are far "
            "apart are told apart by the first direction tried, whatever their number of "
            "corners. The circle decides next to nothing that the rectangle leaves.",
        ),
        {"found": figures},
    )  # fmt: skip


def order(bench: Bench) -> Result:
    """Planes by covered area, against other orders."""
    crowd = bench.count
    scenes = {
        "convex, at random": bench.pairs(CONVEX).parts,
        "crooked, along the axes": bench.pairs(CROOKED).parts,
        "posts on a table": standing(crowd, 1, (0.05, 0.8)),
        "plates on a table": standing(crowd, 2, (0.25, 0.02)),
    }
    rng = np.random.default_rng(6)
    rows, figures = [], {}
    for k, (name, parts) in enumerate(scenes.items()):
        bench.tell(f"order: {name}", k / len(scenes))
        for count in (3, 9):
            method = ProjectionMethod(parts, planes=count)
            every = np.arange(count, dtype=np.int64)
            pairs = method.pairs()
            alone = np.array([
                method.separating_planes(pairs, order=every[p : p + 1]) >= 0 for p in every
            ])  # fmt: skip
            apart = alone.any(axis=0)

            def looks(sequence: np.ndarray, alone: np.ndarray = alone[:, apart]) -> float:
                return float(1.0 + alone[sequence].argmax(axis=0).mean())

            best = np.argsort(-alone.sum(axis=1), kind="stable")
            shuffled = [looks(rng.permutation(every)) for _ in range(20)]
            found = {
                "area": looks(method.order),
                "fixed": looks(every),
                "random": float(np.mean(shuffled)),
                "reversed": looks(method.order[::-1]),
                "hindsight": looks(best),
            }
            figures[name, count] = found
            rows.append((
                f"{name}, {count} planes", "may help", *(f"{v:.3f}" for v in found.values()),
            ))  # fmt: skip
    better = [name for name, f in figures.items() if f["area"] < f["random"]]
    flat = figures["plates on a table", 3]
    posts = figures["posts on a table", 3]
    return Result(
        "II B: planes looked at until one separates, of the pairs that one of them separates",
        ("scene", "paper", "by area", "fixed", "random", "by area, reversed", "hindsight"),
        tuple(rows),
        (
            "Fixed: the sequence of normals z, x, y, …; random: mean of 20 orders; hindsight: the "
            "plane that separates most pairs first.",
            f"Covered area finds the plane earlier than chance in {len(better)} of {len(figures)} "
            f"cases. Posts take {posts['area']:.2f} looks instead of {posts['random']:.2f}, as "
            "they are thinnest from above; at random places there is little to gain, as nearly all "
            "pairs are apart on the first plane, whichever it is. Plates on a table are the "
            "counterexample: from above they cover most and are told apart best, so that by area "
            f"they take {flat['area']:.2f} looks, more than by chance ({flat['random']:.2f}). The "
            "area of the parts says nothing of how far they are spread.",
        ),
        {"looks": figures},
    )


_AT = pose((0.1, 0.2, 0.3), rpy=(0.3, 0.5, 0.1))


def _points(kind: str, count: int, seed: int) -> Mesh:
    """A surface with so many vertices: a disc with all of them on its rim, or a crumpled ball."""
    rng = np.random.default_rng([count, seed])
    if kind == "rim":
        turn = 2.0 * np.pi * rng.permutation(count) / count
        points = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    else:
        points = rng.normal(size=(count, 3))
        points *= rng.uniform(size=(count, 1)) ** (1 / 3) / np.linalg.norm(
            points, axis=1, keepdims=True
        )
    corners = np.arange(count)
    return Mesh(points, np.stack([corners, np.roll(corners, -1), np.roll(corners, -2)], axis=1))
