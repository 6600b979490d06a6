"""One refuted path: the robot where it touches, and the distance between the planner's samples."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import standoff as so
from peers.paths_referee import between
from peers.planning_contest import Result
from peers.planning_ompl import RESOLUTIONS, OmplQuery

POINTS = 400
#: How much of the segment is drawn on either side of the contact.
ROUND_CONTACT = 0.15
#: Facets about a round shape.
ROUND = 16


def save_path(placed: so.plan.PlacedProblem, result: Result, planner: str, stem: Path) -> None:
    """The picture as PNG, and the path as JSON for `standoff check` and for tests."""
    verdict = result.verdict
    stem.parent.mkdir(parents=True, exist_ok=True)
    a, b = result.waypoints[verdict.segment], result.waypoints[verdict.segment + 1]
    figure = Figure(figsize=(12.0, 5.0), layout="constrained")
    scene = figure.add_subplot(1, 2, 1, projection="3d")
    draw(scene, placed.cell, verdict)
    scene.set_title(f"{result.problem}: {verdict.pair[0]} in {verdict.pair[1]}", fontsize=9)
    axis = figure.add_subplot(1, 2, 2)
    first, last = max(0.0, verdict.t - ROUND_CONTACT), min(1.0, verdict.t + ROUND_CONTACT)
    times = np.linspace(first, last, POINTS)
    near = [between(placed.cell, a + t * (b - a), *verdict.pair) for t in times]
    axis.plot(times, 1e3 * np.array(near), lw=1.2)
    if planner in RESOLUTIONS:
        seen = OmplQuery(placed, RESOLUTIONS[planner], 0.0).samples(a, b)
        seen = seen[(seen >= first) & (seen <= last)]
        there = [between(placed.cell, a + t * (b - a), *verdict.pair) for t in seen]
        axis.plot(seen, 1e3 * np.array(there), "o", ms=4, label=f"samples of {planner}")
        axis.legend(fontsize=8)
    axis.axhline(0.0, color="tab:red", lw=0.8)
    axis.set_xlabel(f"along segment {verdict.segment}")
    axis.set_ylabel(f"{verdict.pair[0]} to {verdict.pair[1]} [mm]")
    figure.savefig(stem.parent / f"{stem.name}.png", dpi=120)
    content = {
        "joints": list(placed.cell.joints),
        "waypoints": result.waypoints.tolist(),
    }
    (stem.parent / f"{stem.name}.json").write_text(json.dumps(content))


def draw(axis: object, cell: so.Cell, verdict: so.Verdict) -> None:
    frames, model = cell.tree.forward(verdict.q), cell.model
    for i, name in enumerate(model.names):
        hit = name in verdict.pair
        robot = "/" in name
        color = "tab:red" if hit else "tab:gray" if robot else "tab:blue"
        for shape, pose in model.parts[i]:
            at = frames[model.frame[i]] @ pose
            faces = triangles(shape) @ at[:3, :3].T + at[:3, 3]
            alpha = 0.5 if robot or hit else 0.12
            axis.add_collection3d(Poly3DCollection(faces, color=color, alpha=alpha, lw=0.0))
    x, y, z = (verdict.point_a + verdict.point_b) / 2
    axis.plot([x], [y], [z], "k*", ms=12)
    axis.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-0.6, 1.4))
    axis.set_box_aspect((1, 1, 1))


def triangles(shape: so.Shape) -> np.ndarray:
    """(n, 3, 3) of the surface of a shape, roughly where it is round."""
    if isinstance(shape, (so.Mesh, so.Polyhedron)):
        return shape.geometry.points[shape.geometry.faces]
    if isinstance(shape, so.Box):
        corners = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T * shape.size
    else:
        turn = np.linspace(0.0, 2 * np.pi, ROUND, endpoint=False)
        ring = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
        half = getattr(shape, "length", 0.0) / 2
        rounds = np.linspace(0.0, np.pi / 2, 4) if not isinstance(shape, so.Cylinder) else [0.0]
        corners = np.concatenate(
            [
                shape.radius * np.cos(up) * ring
                + np.array([0.0, 0.0, side * (half + shape.radius * np.sin(up))])
                for up in rounds
                for side in (-1, 1)
            ]
        )
    hull = so.Polyhedron(corners)
    return hull.geometry.points[hull.geometry.faces]
