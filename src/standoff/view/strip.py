"""A motion as a strip of poses: all of them in one picture, and each in one of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.view.plots import can_draw, save, show_image
from standoff.view.progress import announced, waiting
from standoff.view.stage import Stage, best_camera

#: Poses that are shown.
POSES = 6

#: Pixels of the longer side of a rendered image, before two by two become one.
_PIXELS = 1200

#: Points of the line that shows where a robot's tip goes.
_TRACK = 240

#: Of the first pose, halfway, and of the last one.
_TINTS = np.array([[0.16, 0.45, 0.82], [0.68, 0.30, 0.58], [0.96, 0.52, 0.10]])


@dataclass(frozen=True, eq=False)
class Mark:
    """Something found on a path: where (number of the segment plus the fraction of it), what it is
    called, and a point in the world."""

    place: float
    word: str
    point: Array


def save_strip(
    cell: Cell,
    waypoints: Array,
    path: Path,
    console: Console,
    notes: Console,
    mark: Mark | None = None,
) -> bool:
    """Draw a path as a PNG; without matplotlib a word on how to get it, and False."""
    if not can_draw(console):
        return False
    with announced(notes), waiting(notes, "Drawing"):
        _draw(cell, waypoints, path, mark)
    return True


def along(waypoints: Array, shares: Array) -> Array:
    """(n, joints): configurations at shares of the length of a path, 0 to 1."""
    steps = np.linalg.norm(np.diff(waypoints, axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(steps)])
    if len(waypoints) == 1 or length[-1] == 0.0:
        return np.repeat(waypoints[:1], len(shares), axis=0)
    kept = np.concatenate([[True], steps > 0.0])
    at = shares * length[-1]
    columns = [np.interp(at, length[kept], q) for q in waypoints[kept].T]
    return np.stack(columns, axis=1).reshape(len(shares), waypoints.shape[1])


def share_of(waypoints: Array, place: float) -> float:
    """How much of a path's length lies before a place; 0 where it has none."""
    steps = np.linalg.norm(np.diff(waypoints, axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(steps)])
    gone = float(np.interp(place, range(len(length)), length))
    return gone / float(length[-1]) if length[-1] > 0.0 else 0.0


def _draw(cell: Cell, waypoints: Array, path: Path, mark: Mark | None) -> None:
    shares = np.linspace(0.0, 1.0, POSES)
    words = ["start", *(f"{100.0 * share:.0f} %" for share in shares[1:-1]), "goal"]
    marked = -1
    if mark is not None:
        share = share_of(waypoints, mark.place)
        marked = int(np.argmin(np.abs(shares - share)))
        shares[marked], words[marked] = share, f"{mark.word} at {100.0 * share:.0f} %"
    poses = along(waypoints, shares)
    track = along(waypoints, np.linspace(0.0, 1.0, _TRACK))
    stage = Stage(cell)
    moved = [stage.moved(q) for q in poses]
    camera = best_camera(stage, moved, track, _PIXELS)
    background = stage.still(camera)
    colours = np.stack([np.interp(2.0 * shares, range(3), tone) for tone in _TINTS.T], axis=1)
    layers = [stage.moving(camera, those, tint) for those, tint in zip(moved, colours)]

    figure, large, small = _sheet(camera.size[0] / camera.size[1])
    fading = [0.75, *(0.25 + 0.75 * share**1.5 for share in shares[1:].tolist())]
    picture = stage.composed(background, list(zip(layers, fading)))
    show_image(large, picture, f"{len(waypoints)} waypoints, from start (blue) to goal (orange)")
    for k, (layer, axis) in enumerate(zip(layers, small)):
        show_image(axis, stage.composed(background, [(layer, 1.0)]), words[k])
    for line in stage.tips(track):
        x, y = (camera.project(line) / 2.0)[:, :2].T
        large.plot(x, y, color="0.15", lw=1.6, alpha=0.8)
        for axis in small:
            axis.plot(x, y, color="0.15", lw=0.9, alpha=0.6)
    for line in stage.tips(poses):
        x, y = (camera.project(line) / 2.0)[:, :2].T
        large.scatter(x, y, s=26, c=colours, edgecolors="0.1", zorder=3)
        for k, axis in enumerate(small):
            axis.scatter(x[k], y[k], s=16, color=colours[k], edgecolors="0.1", zorder=3)
    if mark is not None:
        x, y = camera.project(mark.point)[:2] / 2.0
        for axis in (large, small[marked]):
            axis.scatter(x, y, s=160, facecolors="none", edgecolors="red", lw=2.0, zorder=4)
        small[marked].spines[:].set_color("red")
    save(figure, path)


#: Widths of a small panel and of gaps, and what a title takes, [in].
_WIDE, _GAP, _TITLE = 2.4, 0.08, 0.22


def _sheet(ratio: float) -> tuple[Any, Any, list[Any]]:
    """A figure with a large panel and POSES small ones, in two rows, beside it; ``ratio`` is height
    over width."""
    from matplotlib.figure import Figure

    half = POSES // 2
    row = _WIDE * ratio + _TITLE
    tall = 2.0 * row - _TITLE
    wide = tall / ratio
    width = wide + half * (_WIDE + _GAP) + 2.0 * _GAP
    height = tall + _TITLE + 2.0 * _GAP
    figure = Figure(figsize=(width, height))

    def panel(x: float, y: float, w: float, h: float) -> Any:
        return figure.add_axes((x / width, y / height, w / width, h / height))

    large = panel(_GAP, _GAP, wide, tall)
    small = [
        panel(
            wide + 2.0 * _GAP + (k % half) * (_WIDE + _GAP),
            _GAP + (1 - k // half) * row,
            _WIDE,
            _WIDE * ratio,
        )
        for k in range(POSES)
    ]
    return figure, large, small
