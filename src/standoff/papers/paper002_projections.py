"""Paper 002, section II: what planar projections miss, what they cry wolf about, what they cost,
and what was proposed to make them cheaper.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import pose
from standoff.interference.findings import WorldBoxes
from standoff.interference.outlines import plane_normals
from standoff.interference.parts import Part
from standoff.interference.projection import ProjectionMethod
from standoff.interference.region_meets import common_root, meets
from standoff.interference.region_tree import RegionTree
from standoff.papers.paper002_parts import (
    CONVEX,
    CONVEX_FAMILIES,
    CROOKED,
    FAMILIES,
    MOST_PLANES,
    SOME_PLANES,
    Bench,
    devised,
    distances,
    judged,
    scene,
    standing,
)
from standoff.papers.toolkit import Result, cells, heads, lines, per_cent, slope

#: The finest trees that are tried on devised plates: 2 m / 2^10.
_FINEST = 10


def missed(bench: Bench) -> Result:
    """Objects that intersect have projections that overlap."""
    rows = []
    total = 0
    for kind in bench.each((CONVEX, CROOKED), "missed: {}"):
        pairs = bench.pairs(kind)
        found = {
            "24 planes, hull": pairs.missed(),
            "24 planes, true outline": pairs.missed("true"),
        }
        meeting = [tuple(pair) for pair in pairs.pairs[pairs.meeting].tolist()]
        for levels in (bench.levels[0], bench.levels[-1]):
            told = bench.meetings(kind, levels)[0].pairs
            found[f"octree of {levels} levels"] = sum(pair not in told for pair in meeting)
        for name, count in found.items():
            counts = cells((len(pairs.pairs), len(pairs.meeting), 0, count))
            rows.append((f"{kind}, {name}", *counts))
        total += sum(found.values())
    return Result(
        "II, III: is an intersection ever missed?",
        ("scene, method", "pairs", "intersect", "paper: missed", "ours: missed"),
        rows,
        (
            "The paper: intersecting objects always overlap in projection, and trees that are "
            "black where in doubt are conservative. Against the exact distance of every pair: "
            f"{total} missed. The suite says the same against Coal, on 20,064 pairs by each "
            "method (`make soak`).",
        ),
        {"missed": total},
    )


def planes(bench: Bench) -> Result:
    """False alarms against the number of planes."""
    bench.report("planes", 0.0)
    convex, crooked = bench.pairs(CONVEX), bench.pairs(CROOKED)
    numbers = range(1, MOST_PLANES + 1)
    curves = {
        "convex": [convex.alarms(n) for n in numbers],
        "crooked, hull": [crooked.alarms(n) for n in numbers],
        "crooked, true outline": [crooked.alarms(n, "true") for n in numbers],
    }
    apart = {name: len((convex if name == "convex" else crooked).apart) for name in curves}
    rows = [
        (
            str(n),
            "fewer" if n > 1 else "some",
            *(f"{c[n - 1]} ({per_cent(c[n - 1], apart[name])})" for name, c in curves.items()),
        )
        for n in SOME_PLANES
    ]
    shares = {k: [100.0 * v / apart[k] for v in c] for k, c in curves.items()}
    labels = ("planes", "false alarms [% of the pairs that are apart]")
    last = {name: c[-1] for name, c in curves.items()}
    third, hull, true = curves["convex"][2], last["crooked, hull"], last["crooked, true outline"]
    cut = per_cent(hull - true, hull)
    return Result(
        "II: false alarms against the number of planes",
        ("planes", "paper", *curves),
        rows,
        (
            f"{bench.count} parts in each scene, {apart['convex']} and {apart['crooked, hull']} "
            "pairs of which are apart. Convex: polyhedra of up to 100 vertices, turned at random; "
            "crooked: rings, bars and brackets along the axes but for some degrees. The planes are "
            "the first of one sequence: three coordinate planes, those across the diagonals of a "
            "cube and of its faces, then whichever is farthest from all before.",
            f"They fall, as the paper says: convex from {third} with three planes to "
            f"{last['convex']} with 24, crooked from {curves['crooked, hull'][2]} to {hull}, most "
            "of which no plane can help: a bar through a ring overlaps its hull from every side. "
            f"Cavities taken for solid are {cut} of those: with the true outline {true} are left, "
            "some of which are linked like chains and are seen apart from no side. That they never "
            "vanish is shown by `devised`.",
        ),
        {"curves": curves, "apart": apart},
        lines(numbers, shares, labels, log=(False, True)),
    )


def shapes(bench: Bench) -> Result:
    """False alarms of simple and less simple shapes."""
    rows, rates = [], {}
    for k, name in enumerate(bench.each(FAMILIES, "shapes: {}")):
        pairs = judged(scene(bench.count, 10 + k, FAMILIES[name]))
        boxes = WorldBoxes(pairs.parts)
        near = [k for k in pairs.apart.tolist() if boxes.gap(*pairs.pairs[k].tolist()) <= 0.0]
        rates[name] = tuple(
            float((first[near] >= n).sum()) / max(len(near), 1)
            for first in (pairs.hull, pairs.true)
            for n in (3, MOST_PLANES)
        )
        convex, paper = ("yes", "fewer") if name in CONVEX_FAMILIES else ("no", "more")
        shares = [f"{100.0 * rate:.1f} %" for rate in rates[name]]
        rows.append((name, convex, paper, str(len(near)), *shares))
    simple = [rates[name] for name in CONVEX_FAMILIES]
    others = [rates[name] for name in FAMILIES if name not in CONVEX_FAMILIES]

    def span(rates: list[tuple[float, ...]], k: int) -> str:
        values = [100.0 * rate[k] for rate in rates]
        return f"{min(values):.1f} to {max(values):.1f} %"

    return Result(
        "II: false alarms by shape, of the pairs that are apart and whose world boxes are not",
        heads(
            "shape | convex | paper | pairs | 3 planes, hull | 24, hull | 3 planes, true | 24, true"
        ),
        rows,
        (
            f"{bench.count} parts of each kind at random places, turned at random. By hulls, "
            f"convex against others: {span(simple, 0)} against {span(others, 0)} with three "
            f"planes, {span(simple, 1)} against {span(others, 1)} with 24. True outlines, where a "
            f"cavity is none: {span(others, 3)} of the others with 24.",
            "What convexity brings is a limit: a plane of space keeps two convex parts apart, and "
            "they are seen apart by whoever looks along it. Enough planes find every such pair; "
            "they do not find a bar in a ring.",
        ),
        {"rates": rates},
    )


def defeated(bench: Bench) -> Result:
    """For any set of planes a configuration that defeats it; and octrees are not defeated."""
    rows, figures = [], []
    rng = np.random.default_rng(9)
    for count in bench.each(SOME_PLANES, "devised: {} planes"):
        for what, normals in (
            ("", plane_normals(count)),
            (", at random", plane_normals(rng.normal(size=(count, 3)))),
        ):
            parts, gap = devised(normals)
            method = ProjectionMethod(parts, planes=normals)
            told = int(method.separating_planes()[0])
            (exact,) = distances(parts, method.pairs())[0].tolist()
            root = common_root(parts)
            for levels in range(1, _FINEST + 1):
                trees = [RegionTree.build(p.shape, p.pose, root=root, levels=levels) for p in parts]
                found = meets(*trees)
                if found.apart:
                    break
            figures.append((count, told, exact, found.apart, root[1] / 2.0**levels))
            rows.append((
                f"{count}{what}",
                "can be devised",
                f"{1e3 * gap:.0f}",
                "meet on all" if told < 0 else "told apart",
                f"{1e3 * exact:.0f}",
                f"{1e3 * figures[-1][-1]:.0f}" if found.apart else "none",
            ))  # fmt: skip
    caught = sum(told >= 0 for _, told, *_ in figures)
    seen = sum(figure[3] for figure in figures)
    own = figures[0::2]
    curves = {
        "gap that stays unseen": [1e3 * f[2] for f in own],
        "octree's nodes that see it": [1e3 * f[4] for f in own],
    }
    return Result(
        "II, V: two plates of 1 m, devised against a set of planes",
        heads(
            "planes | paper | gap [mm] | projections | exact distance [mm] | "
            "octree tells them apart with nodes of [mm]"
        ),
        rows,
        (
            "Seen along n, a gap g across w is a shift of g tan(n, w); the plates are put across "
            "the w that is farthest from square to all normals, so near each other that the shift "
            f"is half their width. Of {len(figures)} sets of planes {len(figures) - caught} are "
            f"defeated. Octrees lose no dimension: {seen} of {len(figures)} are told apart as soon "
            "as nodes are small beside the gap. More planes ask for plates that are nearer.",
        ),
        {"figures": figures},
        lines([f[0] for f in own], curves, ("planes", "[mm]"), log=(False, True)),
    )


def cost(bench: Bench) -> Result:
    """Time against the number of planes."""
    pairs = bench.pairs(CONVEX)
    everyone = np.arange(len(pairs.parts))
    poses = np.array([part.pose for part in pairs.parts])
    meeting, apart = (np.ascontiguousarray(pairs.pairs[k]) for k in (pairs.meeting, pairs.apart))
    bench.report("cost", 0.0)
    made = [ProjectionMethod(pairs.parts, planes=count) for count in SOME_PLANES]
    project = [partial(m.outlines.place, everyone, poses, 0.0) for m in made]
    times = {"project": [1e6 * t / len(everyone) for t in bench.in_turn(project)]}
    for k, (name, which) in enumerate((("meet", meeting), ("apart", apart))):
        bench.report("cost", (k + 1) / 3)
        compare = [partial(m.separating_planes, which) for m in made]
        times[name] = [1e6 * t / max(len(which), 1) for t in bench.in_turn(compare)]
    rows = [
        (str(n), f"{n}", *(f"{c[k]:.2f} ({c[k] / c[0]:.1f})" for c in times.values()))
        for k, n in enumerate(SOME_PLANES)
    ]
    names = ("projecting a part", "a pair that meets", "a pair that is apart")
    curves = dict(zip(names, times.values()))
    steep = {name: slope(SOME_PLANES, c) for name, c in times.items()}
    return Result(
        "II B: cost against the number of planes, beside that of one plane",
        heads("planes | paper | projecting a part [µs] | pair that meets [µs] | pair apart [µs]"),
        rows,
        (
            f"Compiled code, lowest of {bench.rounds} rounds, convex parts of up to 100 vertices. "
            f"Growth with a power of the planes: {steep['project']:.2f} for projecting, "
            f"{steep['meet']:.2f} for pairs that meet, which try every plane; the paper has 1. "
            f"Pairs that are apart stop at the first plane that says so: {steep['apart']:.2f}.",
        ),
        {"times": times, "slopes": steep},
        lines(SOME_PLANES, curves, ("planes", "[µs]"), log=(True, True)),
    )


def vertices(bench: Bench) -> Result:
    """Time against the number of vertices."""
    counts = (1_000, 3_000, 10_000, 30_000, 100_000)[: 4 if bench.quick else 5]
    times: dict[str, list[float]] = {"rim": [], "ball": []}
    for count in bench.each(counts, "vertices: {}"):
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
    rows = [
        (
            f"{n:,}",
            f"{theory[k]:.1f}",
            *(f"{t[k]:.1f} ({t[k] / t[0]:.1f})" for t in times.values()),
            f"{1e3 * times['rim'][k] / (n * math.log2(n)):.2f}",
        )
        for k, n in enumerate(counts)
    ]
    curves = {
        "all on the rim": times["rim"],
        "all over a ball": times["ball"],
        "N log N": [times["rim"][-1] * t / theory[-1] for t in theory],
    }
    rim, ball = (slope(counts, t) for t in times.values())
    law = slope(counts, theory)
    return Result(
        "II A: cost of a projection against its vertices, beside that of 1,000",
        heads("N | paper: N log N | on the rim [µs] | over a ball [µs] | rim / N log₂ N [ns]"),
        rows,
        (
            f"As many vertices in all, on one plane. Growth with a power of N: {rim:.2f} where "
            f"all vertices are corners of the outline, {law:.2f} for N log N itself. Points that "
            "surely lie inside are dropped before the sort; over a ball these are most, and it "
            f"grows with N to the {ball:.2f}.",
        ),
        {"counts": counts, "times": times, "slopes": (rim, law, ball)},
        lines(counts, curves, ("vertices", "one projection [µs]"), log=(True, True)),
    )


def envelopes(bench: Bench) -> Result:
    """What rectangles and circles save."""
    rows, figures = [], {}
    for kind in bench.each((CONVEX, CROOKED), "envelopes: {}"):
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
        shares = [per_cent(n, looked) for n in (by_box, by_circle, tests["polygons"])]
        times = cells((1e9 * within / pairs, 1e9 * without / pairs), ".0f")
        gain = cells((without / within, (place + without) / (place + within)), ".2f")
        rows.append((kind, "marginal", *shares, *times, *gain))
    gains = [without / within for *_, within, without, _ in figures.values()]
    overall = [(p + without) / (p + within) for *_, within, without, p in figures.values()]
    return Result(
        "II B: envelopes, three planes",
        heads(
            "scene | paper | by rectangle | by circle | by polygon | pair, with [ns] | "
            "without [ns] | gain | gain, projections included"
        ),
        rows,
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
    )


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
    for name in bench.each(scenes, "order: {}"):
        for count in (3, 9):
            method = ProjectionMethod(scenes[name], planes=count)
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
            rows.append((f"{name}, {count} planes", "may help", *cells(found.values(), ".3f")))
    better = [name for name, f in figures.items() if f["area"] < f["random"]]
    flat = figures["plates on a table", 3]
    posts = figures["posts on a table", 3]
    return Result(
        "II B: planes looked at until one separates, of the pairs that one of them separates",
        heads("scene | paper | by area | fixed | random | by area, reversed | hindsight"),
        rows,
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
