"""Paper 001, Table 5: linkages that walk at random out of tori (Fig. 1) and lattices (Fig. 8), one
joint a step (section 4.3), and what the smoother makes of the walks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.papers.paper001_scenes import LINK_LENGTH, LINK_RADIUS, LINKAGE_JOINTS
from standoff.papers.paper001_segments import Bench
from standoff.papers.toolkit import Result, heads
from standoff.paths.checker import PathChecker
from standoff.plan.growing import EDGE_BUDGET
from standoff.plan.smoother import Smoothed, Smoothing, smooth
from standoff.view.plots import save

#: The paper's: segments and seconds of the walk, steps and seconds of the smoother, per cent left.
PAPER = {
    "1": (85_784, 898.0, 10_000, 735.0, 7.0),
    "8": (6_795, 95.0, 2_000, 83.0, 17.0),
    "8-nine": (27_596, 8_079.0, 20_000, 8_891.0, 22.0),
}

#: How far a step of the walk turns its joint at most, [rad].
WIDTH = 1.0

#: Segments after which a walk is given up.
MOST = 1_000_000

#: Steps of the smoother that a quick run takes at most.
_FEW = 500


@dataclass(frozen=True, eq=False)
class Retraction:
    """What came of one scene.

    Attributes:
        time: of the processor for smoothing, proofs before and after with it, [s].
        curve: (n, 2) time [s], and length of the path then as a part of the walk's.
    """

    walk: Walk
    smoothed: Smoothed
    time: float
    curve: Array

    @property
    def left(self) -> float:
        """Of the walk's length, [%]."""
        return 100.0 * self.smoothed.after / self.smoothed.before


def joint_lines(cell: Cell, Q: Array) -> Array:
    """Where the links of every linkage begin, and where its last one ends, in each configuration:
    (n, linkages, joints + 1, 3)."""
    frames = cell.tree.forward_batch(Q)
    lines = np.empty((len(Q), len(cell.robots), LINKAGE_JOINTS + 1, 3))
    for r, name in enumerate(cell.robots):
        for k in range(LINKAGE_JOINTS):
            # A link is a rod along its own z-axis.
            frame, local = cell.tree.link(f"{name}/link_{k + 1}")
            lines[:, r, k] = frames[:, frame, :3] @ local[:, 3]
        lines[:, r, -1] = frames[:, frame, :3] @ (local[:, 3] + LINK_LENGTH * local[:, 2])
    return lines


def retracted(cell: Cell, Q: Array) -> NDArray[np.bool_]:
    """Whether, in each configuration (n, joints), no link meets the box around tori or lattices."""
    lines = joint_lines(cell, Q)
    foot, head = lines[:, :, :-1], lines[:, :, 1:]
    points = np.concatenate([vertices(cell, name) for name in cell.bodies if name != "plate"])
    below = np.maximum(foot, head) + LINK_RADIUS < points.min(axis=0)
    above = np.minimum(foot, head) - LINK_RADIUS > points.max(axis=0)
    out: NDArray[np.bool_] = (below | above).any(axis=3).all(axis=(1, 2))
    return out


def vertices(cell: Cell, name: str) -> Array:
    """Of a body's mesh, in the world."""
    body = cell.bodies[name]
    placed: Array = body.shape.geometry.points @ body.pose[:3, :3].T + body.pose[:3, 3]
    return placed


def retract(
    bench: Bench, figure: str, steps: int, *, seed: int = 0, most: int = MOST
) -> Retraction:
    """Walk from where all linkages stand upright until all are out of the obstacles, and smooth."""
    cell = bench.cell(figure)
    checker = PathChecker(cell)
    start = np.zeros(len(cell.joints))
    walk = random_walk(
        PathChecker(cell, budget=EDGE_BUDGET), start, lambda Q: retracted(cell, Q),
        width=WIDTH, seed=seed, most=most,
        report=lambda n: bench.report(f"Table 5, Fig. {figure}: walking, {n} segments", 0.0),
    )  # fmt: skip
    curve = [(0.0, 1.0)]
    whole = float(np.linalg.norm(np.diff(walk.waypoints, axis=0), axis=1).sum())

    def smoothed_to(now: Smoothing) -> None:
        curve.append((process_time() - since, now.length / whole))
        bench.report(f"Table 5, Fig. {figure}: smoothing", now.steps / steps)

    since = process_time()
    smoothed = smooth(checker, walk.waypoints, steps=steps, seed=seed, progress=smoothed_to)
    return Retraction(walk, smoothed, process_time() - since, np.array(curve))


def table5(bench: Bench) -> Result:
    """Table 5."""
    figures = ("1", "8") if bench.quick else tuple(PAPER)
    found: dict[str, Retraction] = {}
    for figure in figures:
        steps = PAPER[figure][2]
        found[figure] = retract(bench, figure, min(steps, _FEW) if bench.quick else steps)
    rows = []
    for figure, of in found.items():
        segments, walking, steps, smoothing, left = PAPER[figure]
        walked = f"{of.walk.segments}" + ("" if of.walk.arrived else " and not out")
        rows.append((
            f"{figure} paper", f"{segments}", f"{walking:g}", f"{1e3 * walking / segments:.1f}",
            f"{steps}", f"{smoothing:g}", f"{1e3 * smoothing / steps:.0f}", f"{left:g}",
        ))  # fmt: skip
        rows.append((
            f"{figure} ours", walked, f"{of.walk.time:.1f}",
            f"{1e3 * of.walk.time / of.walk.segments:.2f}", f"{of.smoothed.steps}",
            f"{of.time:.1f}", f"{1e3 * of.time / of.smoothed.steps:.2f}", f"{of.left:.1f}",
        ))  # fmt: skip
    sizes = ", ".join(
        f"{figure} {len(of.walk.waypoints)} to {len(of.smoothed)}" for figure, of in found.items()
    )
    proved = all(of.smoothed.verdict.free for of in found.values())
    return Result(
        "Table 5: random walks of linkages out of thin obstacles, and how short they become",
        heads(
            "Fig. | segments | walk [s] | a segment [ms] | steps | smoothing [s] | a step [ms] | "
            "left [%]"
        ),
        rows,
        (
            f"From upright, one joint a step by up to {WIDTH:g} rad, until no link is in the box "
            "around tori or lattices; all links against obstacles, plate and all other links but "
            "neighbours. One run each, seed 0, in time of the processor; scenes, step and end are "
            "ours.",
            f"Waypoints of walk and smoothed path: {sizes}. "
            + ("Every segment of all paths is proved free." if proved else "NOT all are proved."),
        ),
        {"retractions": found},
        lambda path: draw({figure: (bench.cell(figure), of) for figure, of in found.items()}, path),
    )


def draw(found: dict[str, tuple[Cell, Retraction]], path: Path) -> None:
    """A row a scene: upright, half way along the smoothed path, at its end; length over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 4.0 * len(found)), layout="constrained")
    for row, (name, (cell, of)) in enumerate(found.items()):
        q = of.smoothed.waypoints
        middle = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=1)))
        half = q[int(np.searchsorted(middle, 0.5 * middle[-1]))]
        for column, (title, at) in enumerate((("start", q[0]), ("half way", half), ("end", q[-1]))):
            axis = figure.add_subplot(len(found), 4, 4 * row + column + 1, projection="3d")
            _picture(axis, cell, at)
            axis.set_title(f"Fig. {name}: {title}", fontsize=9)
        axis = figure.add_subplot(len(found), 4, 4 * row + 4)
        axis.plot(of.curve[:, 0], 100.0 * of.curve[:, 1], lw=1.4)
        axis.axhline(PAPER[name][4], color="tab:red", lw=1.0, ls="--", label="paper, at its end")
        axis.set_xlabel("time [s]")
        axis.set_ylabel("length [%]")
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.grid(True, alpha=0.3, which="both")
        axis.legend(fontsize=8)
    save(figure, path)


def _picture(axis: Any, cell: Cell, q: Array) -> None:
    """Obstacles, and linkages as lines."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    for name in cell.bodies:
        points, faces = vertices(cell, name), cell.bodies[name].shape.geometry.faces
        grey = "0.85" if name == "plate" else "0.45"
        axis.add_collection3d(Poly3DCollection(points[faces], color=grey, lw=0.0, alpha=0.8))
    for line in joint_lines(cell, q[None])[0]:
        axis.plot(*line.T, lw=1.6)
    axis.set_xlim(-0.6, 0.6)
    axis.set_ylim(-0.6, 0.6)
    axis.set_zlim(0.0, 2.0)
    axis.set_box_aspect((1.2, 1.2, 2.0))
    axis.set_axis_off()
    axis.view_init(elev=12.0, azim=-60.0)


#: Steps that are taken before they are asked whether the walk has arrived.
_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk.

    Attributes:
        waypoints: (n, joints), from the start on; each segment of it is free.
        segments: checked, free or not.
        arrived: whether its last waypoint is where it was to be.
        time: of the processor, [s].
    """

    waypoints: Array
    segments: int
    arrived: bool
    time: float


def random_walk(
    checker: PathChecker,
    start: Array,
    arrived: Callable[[Array], NDArray[np.bool_]],
    *,
    width: float,
    seed: int,
    most: int,
    report: Callable[[int], object] = lambda segments: None,
) -> Walk:
    """Walk from ``start``, which is free, until ``arrived``, which is asked of many configurations
    (n, joints) at a time, or until ``most`` segments are checked. A step picks a joint and a value
    for it, at most ``width`` [rad] from the present one and within its limits; where the straight
    segment there is free it goes, else it stays. ``report`` gets how many segments there were."""
    rng, joints = np.random.default_rng(seed), len(start)
    low, high = checker.cell.tree.lower, checker.cell.tree.upper
    checker.segments(start[None], start[None], threads=1)  # compiled before the clock
    here, rows, tried = start, [start], [0]
    begun, seen, segments = process_time(), 0, 0
    while True:
        over = segments == most
        if over or len(rows) - seen >= _AT_ONCE:
            there = np.flatnonzero(arrived(np.array(rows[seen:])))
            if over or len(there):
                last = seen + int(there[0]) if len(there) else len(rows) - 1
                segments = tried[last] if len(there) else segments
                waypoints = np.array(rows[: last + 1])
                return Walk(waypoints, segments, len(there) > 0, process_time() - begun)
            seen = len(rows)
            report(segments)
        which, far = rng.random(2)
        j = min(int(which * joints), joints - 1)
        first, end = max(low[j], here[j] - width), min(high[j], here[j] + width)
        goal = here.copy()
        goal[j] = min(first + far * (end - first), end)
        segments += 1
        if checker.segments(here[None], goal[None], threads=1)[0]:
            here = goal
            rows.append(here)
            tried.append(segments)
