"""Cells to plan in whose answers are known: walls with one way through, arms that must pass."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import standoff as so
from tests.oracles.paths import Oracle

BALL = '<collision><geometry><sphere radius="{radius}"/></geometry></collision>'


def slider_urdf(radius: float = 0.05, reach: float = 1.0) -> str:
    """A ball that slides in x and y, ``reach`` either way."""
    limit = f'<limit lower="-{reach}" upper="{reach}" velocity="1" effort="1"/>'
    return (
        '<robot name="slider"><link name="base"/><link name="x"/>'
        f'<link name="ball">{BALL.format(radius=radius)}</link>'
        '<joint name="x" type="prismatic"><parent link="base"/><child link="x"/>'
        f'<axis xyz="1 0 0"/>{limit}</joint>'
        '<joint name="y" type="prismatic"><parent link="x"/><child link="ball"/>'
        f'<axis xyz="0 1 0"/>{limit}</joint></robot>'
    )


def slider(folder, radius: float = 0.05) -> so.Cell:
    """The sliding ball alone."""
    path = folder / "slider.urdf"
    path.write_text(slider_urdf(radius))
    cell = so.Cell(unwatched="allow")
    cell.add_robot(path, name="s")
    return cell


def add_wall(cell: so.Cell, x: float, low: float, high: float, name: str = "wall") -> None:
    """A wall across the way at ``x`` with a gap from ``low`` to ``high`` in y."""
    for side, (a, b) in (("below", (-1.3, low)), ("above", (high, 1.3))):
        pose = so.pose((x, 0.5 * (a + b), 0.0))
        cell.add_body(f"{name} {side}", so.Box((0.1, b - a, 0.4)), pose)


def gate(folder, gap: float = 0.14, radius: float = 0.05) -> so.Cell:
    """Two walls whose gaps are far from each other: the ball must go through both."""
    cell = slider(folder, radius)
    add_wall(cell, -0.3, 0.6, 0.6 + gap, "first")
    add_wall(cell, 0.3, -0.6 - gap, -0.6, "second")
    return cell


LEFT, RIGHT = np.array([-0.8, 0.0]), np.array([0.8, 0.0])


def turner_urdf(follower: str = "", kind: str = "continuous") -> str:
    """An arm that turns about z; ``follower``: a joint that goes with it."""
    limit = '<limit lower="-3.5" upper="3.5" velocity="1" effort="1"/>'
    return (
        '<robot name="turner"><link name="base"/>'
        '<link name="arm"><collision><origin xyz="0.3 0 0"/>'
        '<geometry><box size="0.6 0.05 0.05"/></geometry></collision></link>'
        f'<joint name="turn" type="{kind}"><parent link="base"/><child link="arm"/>'
        f'<axis xyz="0 0 1"/>{limit}</joint>{follower}</robot>'
    )


def turner(folder, follower: str = "", kind: str = "continuous") -> so.Cell:
    """The turning arm, a post in its way at angle 0."""
    path = folder / "turner.urdf"
    path.write_text(turner_urdf(follower, kind))
    cell = so.Cell()
    cell.add_robot(path, name="t")
    cell.add_body("post", so.Cylinder(0.03, 0.5), so.pose((0.5, 0.0, 0.0)))
    return cell


def pandas() -> so.Cell:
    """A Panda among posts and below a shelf."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -0.2)))
    for k, (x, y) in enumerate(((0.45, 0.25), (0.45, -0.25), (0.1, 0.55), (0.6, 0.0))):
        cell.add_body(f"post{k}", so.Capsule(0.02, 0.7), so.pose((x, y, 0.35)))
    cell.add_body("shelf", so.Box((0.4, 0.8, 0.02)), so.pose((0.6, 0.0, 0.9)))
    return cell


PANDA_START = np.array([-1.2, 0.3, 0.0, -1.8, 0.0, 2.1, 0.8, 0.02])
PANDA_GOAL = np.array([1.9, 0.4, 0.0, -2.0, 0.0, 2.4, 0.8, 0.02])


def two_sliders(folder) -> so.Cell:
    """Two balls in one room that are to change places; a wall leaves a gap for one at a time."""
    path = folder / "slider.urdf"
    path.write_text(slider_urdf(0.1))
    cell = so.Cell()
    cell.add_robot(path, name="a")
    cell.add_robot(path, name="b")
    add_wall(cell, 0.0, -0.15, 0.15)
    return cell


def coal_clearance(cell: so.Cell, waypoints, step: float = 0.01) -> float:
    """The smallest distance of any watched pair on samples ``step`` apart, by Coal."""
    oracle = Oracle(cell)
    pairs = list(cell.pairs.watched())
    least = np.inf
    for a, b in pairwise(waypoints):
        count = max(2, int(np.ceil(np.abs(b - a).max() / step)))
        for t in np.linspace(0.0, 1.0, count + 1):
            q = a + t * (b - a)
            least = min(least, *(oracle.witness_distance(q, *pair) for pair in pairs))
    return least
