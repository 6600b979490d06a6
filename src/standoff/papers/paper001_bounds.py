"""Paper 001, Fig. 5: how much too long are the bounds on the curve that a point traces?

Planar linkages of 1 to 12 unit links, random segments, the tip of the last link. The paper has two
bounds of section 3.3 for the length of its curve:

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
from collections.abc import Callable
from pathlib import Path

import numpy as np

from standoff.geometry.pose import Array, pose
from standoff.motion.bound import MotionBound, MovingBody
from standoff.papers.result import UNSAID, Result
from standoff.robots.description import Joint, Link, Robot
from standoff.robots.tree import Mount, Tree
from standoff.view.plots import errors_plot

LINKS = tuple(range(1, 13))
PARTS = (1, 4, 32)
SEGMENTS = 1000

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
def errors(count: int, segments: int = SEGMENTS, seed: int = 5) -> Array:
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


def fig5(segments: int = SEGMENTS, tell: Callable[[str, float], None] | None = None) -> Result:
    """Fig. 5, with our bound beside; ``tell`` is told how far it is."""
    for k, count in enumerate(LINKS):
        if tell is not None:
            tell(f"Fig. 5: {count} links", k / len(LINKS))
        errors(count, segments)
    names = ("coarse", "paper's", *(f"ours, {_part(parts)}" for parts in PARTS))
    mean = np.array([errors(count, segments).mean(axis=0) for count in LINKS])
    spread = np.array([errors(count, segments).std(axis=0) for count in LINKS])
    rows = tuple(
        (
            str(count),
            PAPER_FACTOR.get(count, UNSAID),
            *(f"{1.0 + m:.2f} ± {d:.2f}" for m, d in zip(mean[k], spread[k])),
        )
        for k, count in enumerate(LINKS)
    )

    def plot(path: Path) -> None:
        curves = {name: (1.0 + mean[:, k], spread[:, k]) for k, name in enumerate(names)}
        errors_plot(LINKS, curves, ("links", "bound over true length [-]"), path)

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
        plot,
    )


def _part(parts: int) -> str:
    return "whole" if parts == 1 else f"1/{parts}"
