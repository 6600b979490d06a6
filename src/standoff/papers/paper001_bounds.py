"""Paper 001, Table 1: what four algorithms visit, and how good their bounds on a distance are; and
Fig. 5: how much too long are the bounds on the curve that a point traces?

Fig. 5 has planar linkages of 1 to 12 unit links, random segments, the tip of the last link. The
paper has two bounds of section 3.3 for the length of its curve:

    coarse   Σ_j (m - j + 1) max_k |dq_k|
    paper's  Σ_j (m - j + 1) |dq_j|

Ours bounds the motion by the speed in the middle of a stretch and a bound M on the curvature. The
speed at ``t`` is no more than ``|v| + |t - tc| M``, so over a stretch of width w the curve is no
longer than

    w |v| + w² M / 4,

or the paper's bound where that is shorter. It gets better the shorter the stretches are, which the
paper's does not: so it is given for the whole segment and for the 4 and 32 parts that two and five
bisections leave of it.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from standoff.cell.cell import Cell
from standoff.geometry.narrowphase.bodies import Bodies
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.pose import Array, pose
from standoff.geometry.shape import IntArray, Shape
from standoff.motion.motion_bound import MotionBound, MovingBody
from standoff.papers.kernels.greedy import greedy_distances, greedy_scratch
from standoff.papers.kernels.visits import Walks, counted_walks
from standoff.papers.paper001_segments import Bench
from standoff.papers.toolkit import UNSAID, Result, cells, heads, label_axis
from standoff.robots.description import Joint, Link, Robot
from standoff.robots.tree import Mount, Tree, matrices
from standoff.view.plots import new_figure, save

FIGURES = ("1", "6a", "6b", "7a", "7b", "7c")

#: Splits that may be spent on raising a greedy bound, where it is to be as good as it gets.
EFFORT = 8


@dataclass(frozen=True)
class Counts:
    """Means over all configurations and pairs: tests of volumes and of triangles of the collision
    test, of greedy distance, of the exact and of the 0.5-approximate one; and what part of the
    distance [%] greedy and approximate distance are where it is not 0."""

    collision: tuple[float, float]
    greedy: tuple[float, float]
    exact: tuple[float, float]
    approximate: tuple[float, float]
    ratio: float
    approximate_ratio: float


#: The paper's.
PAPER = {
    "1": Counts((2.1, 0.03), (2.1, 0.03), (822, 226), (8.0, 0.17), 78, 59),
    "6a": Counts((11, 0.12), (13, 0.15), (502, 51), (29, 0.66), 91, 64),
    "6b": Counts((4.8, 0.17), (4.7, 0.14), (466, 47), (23, 0.78), 88, 63),
    "7a": Counts((14, 0.52), (14, 0.45), (2342, 458), (69, 2.4), 65, 60),
    "7b": Counts((73, 2.1), (85, 2.2), (1363, 216), (174, 6.6), 52, 57),
    "7c": Counts((44, 0.52), (52, 0.66), (1845, 215), (172, 4.2), 58, 59),
}


@dataclass(frozen=True)
class Measured:
    """One scene: the paper's columns; the greedy bound raised by up to EFFORT splits as a part of
    the distance [%], and what that tests; and Coal's bound likewise, None without Coal."""

    counts: Counts
    raised_ratio: float
    raised: tuple[float, float]
    coal_ratio: float | None


def counts(bench: Bench) -> Result:
    """Table 1."""
    rows = []
    found: dict[str, Measured] = {}
    for figure in FIGURES:
        ours = found[figure] = measured(bench, figure)
        more = *cells([ours.coal_ratio, ours.raised_ratio], ".0f"), _two(ours.raised)
        rows.append((f"{figure} paper", *_texts(PAPER[figure]), *[UNSAID] * 3))
        rows.append((f"{figure} ours", *_texts(ours.counts), *more))
    plain = [ours.counts.ratio for ours in found.values()]
    raised = [ours.raised_ratio for ours in found.values()]
    return Result(
        "Table 1: pairs of volumes / of triangles that a query tests, and bound over distance [%]",
        heads(
            "Fig. | collision | greedy | exact | 0.5-approx. | ρ | ρ' | Coal | ρ raised | its tests"
        ),
        rows,
        (
            f"{bench.configurations} random configurations, all moving links against all "
            "obstacles (no robot's foot is one), means over all pairs; δ = 0. The collision test "
            "is over boxes, the rest over swept spheres, as in the paper. The scenes are ours, to "
            "the paper's counts.",
            "ρ: greedy bound over distance, ρ' the 0.5-approximate one over it, where bodies are "
            f"apart: {min(plain):.0f} to {max(plain):.0f} %, mean {np.mean(plain):.0f} % (the "
            "paper's: 52 to 91 %). Coal: the bound that its collision test over trees of oriented "
            "boxes leaves, likewise" + ("." if have_coal() else "; it is not installed here."),
            f"ρ raised, and its tests: with up to {EFFORT} more splits of the pair that is "
            f"nearest, {min(raised):.0f} to {max(raised):.0f} %, mean {np.mean(raised):.0f} %.",
        ),
        {"counts": found},
    )


def placed_walks(cell: Cell, pairs: IntArray) -> Walks:
    """The primitives of a cell as `papers.kernels.visits` takes them; nothing is placed yet."""
    tables = cell.model.tables
    return Walks(
        bodies=Bodies(rows=tables.rows.copy(), refs=tables.refs, solids=tables.geometry.solids),
        scratch=greedy_scratch(),
        pairs=pairs,
        values=len(pairs),
        visits=len(pairs),
    )


def place_all(walks: Walks, cell: Cell, q: Array) -> None:
    """Everything at a configuration."""
    tables, frames = cell.model.tables, cell.tree.forward(q)
    placed = frames[tables.frame] @ matrices(tables.local)
    walks.bodies.rows[:, :SIZE] = placed[:, :3].reshape(-1, SIZE)


def measured(bench: Bench, figure: str) -> Measured:
    """One scene."""
    cell = bench.cell(figure)
    pairs = links_and_obstacles(cell)
    rng = np.random.default_rng([3, *figure.encode()])
    Q = rng.uniform(cell.tree.lower, cell.tree.upper, (bench.configurations, len(cell.joints)))
    walks = placed_walks(cell, pairs)
    bodies, bounds, ask = walks.bodies, np.zeros(len(pairs)), walks.scratch.ask
    coal = None
    if have_coal():
        coal = CoalBounds([shape for parts in cell.model.parts for shape, _ in parts])
    tests: dict[str, list[Array]] = defaultdict(list)
    ratios: dict[str, list[Array]] = defaultdict(list)

    def note(name: str, values: Array) -> None:
        """What an algorithm found of all pairs, where they are apart over their distance."""
        tests[name].append(walks.visits.mean(axis=0))
        ratios[name].append(values[apart] / exact[apart])

    for q in bench.each(Q, f"Table 1, Fig. {figure}"):
        place_all(walks, cell, q)
        counted_walks(walks.address, 1.0)
        exact = walks.values.copy()
        apart = exact > 0.0
        note("exact", exact)
        for name, part in (("approximate", 0.5), ("collision", 0.0)):
            counted_walks(walks.address, part)
            note(name, walks.values)
        for name, effort in (("greedy", 0), ("raised", EFFORT)):
            ask.delta, ask.wanted, ask.effort = 0.0, math.inf, effort
            greedy_distances(bodies.address, pairs, walks.scratch.address, bounds, walks.visits)
            note(name, np.maximum(bounds, 0.0))
        if coal is not None:
            note("coal", coal(bodies.rows, pairs))

    def mean(name: str) -> tuple[float, float]:
        volumes, triangles = np.mean(tests[name], axis=0).tolist()
        return volumes, triangles

    per_cent = {name: 100.0 * float(np.concatenate(some).mean()) for name, some in ratios.items()}
    ours = Counts(
        mean("collision"), mean("greedy"), mean("exact"), mean("approximate"),
        per_cent["greedy"], per_cent["approximate"],
    )  # fmt: skip
    return Measured(ours, per_cent["raised"], mean("raised"), per_cent.get("coal"))


def links_and_obstacles(cell: Cell) -> IntArray:
    """Every primitive of a link that moves with every one of an obstacle that it may not touch. The
    foot of a robot stands still as well, but is none."""
    tables, names = cell.model.tables, cell.model.names
    watched = {frozenset(pair) for pair in cell.pairs.watched()}
    body = [names[k] for k in tables.owner.tolist()]
    obstacle = [name in cell.bodies for name in body]
    found = [
        (i, j)
        for i in np.flatnonzero(tables.frame != 0).tolist()
        for j in range(len(body))
        if obstacle[j] and not obstacle[i] and frozenset((body[i], body[j])) in watched
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _texts(found: Counts) -> tuple[str, ...]:
    tests = found.collision, found.greedy, found.exact, found.approximate
    return (*map(_two, tests), f"{found.ratio:.0f}", f"{found.approximate_ratio:.0f}")


def _two(tests: tuple[float, float]) -> str:
    return f"{_short(tests[0])}/{_short(tests[1])}"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"


class CoalBounds:
    """Meshes as Coal has them, in trees of oriented boxes (its quickest collision test). It has a
    lower bound on their distance at hand after each test that finds no collision."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        import coal

        self._coal = coal
        self._models = [_model(coal, shape) for shape in shapes]
        self._request = coal.CollisionRequest()
        self._request.enable_contact = False
        self._result = coal.CollisionResult()

    def __call__(self, rows: Array, pairs: IntArray) -> Array:
        """Of each two primitives ``pairs[p]`` at the poses in ``rows``; 0 where they meet."""
        coal, result = self._coal, self._result
        used = np.unique(pairs).tolist()
        poses = rows[:, :12].reshape(-1, 3, 4)
        at = {
            k: coal.Transform3s(np.array(poses[k, :, :3]), np.array(poses[k, :, 3])) for k in used
        }
        found = np.zeros(len(pairs))
        for p, (i, j) in enumerate(pairs.tolist()):
            result.clear()
            models = self._models
            hit = coal.collide(models[i], at[i], models[j], at[j], self._request, result)
            found[p] = 0.0 if hit else result.distance_lower_bound
        return found


def have_coal() -> bool:
    """Whether Coal is installed."""
    return importlib.util.find_spec("coal") is not None


def _model(coal: Any, shape: Shape) -> Any:
    points, faces = shape.geometry.points, shape.geometry.faces
    model = coal.BVHModelOBB()
    model.beginModel(len(faces), len(points))
    model.addVertices(np.array(points))
    for a, b, c in faces:
        model.addTriangle(points[a], points[b], points[c])
    model.endModel()
    return model


LINKS = tuple(range(1, 13))
PARTS = (1, 4, 32)

#: The only figure in the paper's prose: about 6 times too long after 6 links.
PAPER_FACTOR = {6: "about 6"}

#: Points of Gauss's rule on each of the pieces that the segment is cut into.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_PIECES = 128


def planar(count: int) -> Tree:
    """A linkage of unit links in the plane, every joint about z."""
    axis = np.array([0.0, 0.0, 1.0])
    joints = {
        f"j{i}": Joint(
            f"j{i}", "continuous", f"l{i}", f"l{i + 1}", pose((float(i > 0), 0, 0)), axis,
            -np.inf, np.inf, np.inf,
        )
        for i in range(count)
    }  # fmt: skip
    links = {f"l{i}": Link(f"l{i}") for i in range(count + 1)}
    return Tree([Mount("a", Robot("planar", links, joints, "l0"))])


def tip_bound(tree: Tree) -> MotionBound:
    """The motion bound of the tip, which is called ``tip``."""
    return MotionBound(tree, [MovingBody("tip", tree.frames - 1, np.array([[1.0, 0.0, 0.0]]))])


def tip_speed(qa: Array, qb: Array, t: Array) -> Array:
    """The tip's speed at the instants ``t`` of the segment: with θ_k the angle of link k against
    the first axis, the velocity is Σ_k θ_k' i exp(i θ_k) in the complex plane."""
    turn = np.cumsum(qa)[None, :] + t[:, None] * np.cumsum(qb - qa)[None, :]
    speed: Array = np.abs(np.exp(1j * turn) @ np.cumsum(qb - qa))
    return speed


def true_length(qa: Array, qb: Array, pieces: int = _PIECES) -> float:
    """Length of the tip's curve, by Gauss's rule on each of many pieces."""
    edges = np.arange(pieces)[:, None] / pieces
    t = edges + (0.5 + 0.5 * _NODES[None, :]) / pieces
    weights = np.broadcast_to(0.5 * _WEIGHTS / pieces, t.shape)
    return float(tip_speed(qa, qb, t.ravel()) @ weights.ravel())


def our_length(qa: Array, qb: Array, parts: int, longest: float, curvature: float) -> float:
    """Our bound over ``parts`` equal parts, none longer than the paper's ``longest``."""
    w = 1.0 / parts
    middle: Array = (np.arange(parts, dtype=np.float64) + 0.5) * w
    each = w * tip_speed(qa, qb, middle) + 0.25 * w * w * curvature
    return float(np.minimum(each, w * longest).sum())


@functools.cache
def errors(count: int, segments: int, seed: int = 5) -> Array:
    """Relative errors (segments, 2 + len(PARTS)) for a linkage of ``count``: coarse, paper's, ours
    on each number of parts."""
    rng = np.random.default_rng([seed, count])
    bound = tip_bound(planar(count))
    pair = bound.pair("tip")
    found = np.empty((segments, 2 + len(PARTS)))
    for k in range(segments):
        qa, qb = rng.uniform(-np.pi, np.pi, (2, count))
        motion = bound.segment(qa, qb)
        length, bend = motion.length(pair), motion.curvature(pair)
        coarse = count * (count + 1) / 2.0 * float(np.abs(qb - qa).max())
        ours = [our_length(qa, qb, parts, length, bend) for parts in PARTS]
        found[k] = np.array([coarse, length, *ours]) / true_length(qa, qb) - 1.0
    return found


def fig5(bench: Bench) -> Result:
    """Fig. 5, with our bound beside."""
    segments, found = bench.links, []
    for count in bench.each(LINKS, "Fig. 5: {} links"):
        found.append(errors(count, segments))
    names = ("coarse", "paper's", *("ours, whole" if n == 1 else f"ours, 1/{n}" for n in PARTS))
    mean, spread = np.mean(found, axis=1), np.std(found, axis=1)
    rows = [
        (
            str(count),
            PAPER_FACTOR.get(count, UNSAID),
            *(f"{1.0 + m:.2f} ± {d:.2f}" for m, d in zip(mean[k], spread[k])),
        )
        for k, count in enumerate(LINKS)
    ]
    curves = {name: (1.0 + mean[:, k], spread[:, k]) for k, name in enumerate(names)}
    six = 1.0 + mean[LINKS.index(6)]
    return Result(
        "Fig. 5: bound over true length of the tip's curve, mean ± standard deviation",
        ("links", "paper", *names),
        rows,
        (
            f"{segments} random segments each, joints from -π to π; the true length by Gauss's "
            f"rule on {_PIECES} pieces.",
            f"After six links the paper's bound is {six[1]:.1f} times too long on average (the "
            f"paper: about 6), and no bisection makes it better. Ours is {six[2]:.1f} times too "
            f"long on the whole segment, {six[3]:.2f} on quarters and {six[4]:.2f} on parts of "
            "1/32.",
        ),
        {"mean": mean, "spread": spread, "names": names},
        functools.partial(_draw_factors, curves),
    )


def _draw_factors(curves: Mapping[str, tuple[Array, Array]], path: Path) -> None:
    """Means from 1 on with their standard deviations, which end at 1, on a logarithmic axis."""
    figure, (axis,) = new_figure(height=4.5)
    for name, (mean, spread) in curves.items():
        (line,) = axis.plot(LINKS, mean, marker="o", ms=4, lw=1.4, label=name)
        low = (mean - spread).clip(min=1.0)
        axis.fill_between(LINKS, low, mean + spread, color=line.get_color(), alpha=0.12, lw=0)
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set_xticks(LINKS)
    label_axis(axis, "links", "bound over true length [-]")
    save(figure, path)
