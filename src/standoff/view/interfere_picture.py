"""A picture of each overlapping pair: both parts, and where they meet from near by."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from standoff.geometry.pose import Array
from standoff.interference.findings import Overlap
from standoff.interference.parts import Part
from standoff.view.files import check_png, make_folder
from standoff.view.interfere import overlap_words
from standoff.view.plots import can_draw, save, show_image
from standoff.view.progress import waiting
from standoff.view.render import Camera, Layer, halved, outlines, patch, render, triangles
from standoff.view.stage import best_axes, framed

#: Pictures that are drawn at most.
MOST = 24

#: Pixels of the longer side of an image, before two by two become one; and of those by which
#: cameras are compared.
_PIXELS, _COARSE = 1000, 100

_COLOURS = np.array([[0.25, 0.50, 0.85], [0.95, 0.60, 0.20]])

#: How much the nearer and the farther part cover, [-].
_FRONT, _BACK = 0.62, 0.85

#: Around what is shown, as a part of its extent; and around where the parts meet, from near by.
_MARGIN, _NEAR_BY = 0.05, 0.1

_ELEVATION = math.radians(28.0)

_EDGES = [(a, b) for a in range(8) for b in range(a) if (a ^ b) in (1, 2, 4)]


def check_target(target: Path) -> None:
    """A PNG, or a folder that can be made."""
    if target.suffix.lower() == ".png" and not target.is_dir():
        check_png(target)
    else:
        make_folder(target, "cannot write pictures there", target, "a .png or a folder")


def save_pictures(
    parts: Sequence[Part], overlaps: Sequence[Overlap], target: Path, said: Console, notes: Console
) -> list[Path]:
    """A PNG for each pair: ``target``, and with a number behind it from the second on, or named
    after the parts where ``target`` is a folder. What was written."""
    if not can_draw(said):
        return []
    by_name = {part.name: part for part in parts}
    written: list[Path] = []
    with waiting(notes, "Drawing") as done:
        for k, overlap in enumerate(overlaps[:MOST]):
            done(k / min(len(overlaps), MOST))
            path = _path(target, k, overlap, written)
            if _draw(by_name[overlap.a], by_name[overlap.b], overlap, path):
                written.append(path)
    if len(overlaps) > MOST:
        said.print(
            f"pictures of the first {MOST} of {len(overlaps)} pairs only",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    return written


def _path(target: Path, k: int, overlap: Overlap, written: Sequence[Path]) -> Path:
    if target.suffix.lower() == ".png" and not target.is_dir():
        return target if k == 0 else target.with_stem(f"{target.stem}-{k + 1}")
    name = "--".join(re.sub(r"[^\w.-]+", "_", part) for part in (overlap.a, overlap.b))
    path = target / f"{name}.png"
    return path if path not in written else target / f"{name}-{k + 1}.png"


def _draw(a: Part, b: Part, overlap: Overlap, path: Path) -> bool:
    """False where there is nothing bounded to draw."""
    bounded = [part for part in (a, b) if part.shape.bounded]
    if not bounded:
        return False
    corners = np.concatenate([_corners(part) for part in bounded])
    low, high = corners.min(axis=0), corners.max(axis=0)
    extent = float(np.linalg.norm(high - low))
    shown = [_solid(part, (low + high) / 2.0, extent) for part in (a, b)]
    box = np.maximum(overlap.low, low), np.minimum(overlap.high, high)
    box = np.minimum(box[0], box[1]), box[1]
    figure, panels = _sheet()
    axes = _best_side(shown, corners)
    near = _box_corners(*box)
    middle, half = near.mean(axis=0), np.ptp(near, axis=0)
    half = np.maximum(half, 0.05 * extent) * (0.5 + _NEAR_BY)
    close = _box_corners(middle - half, middle + half)
    words = (
        f"{overlap.a} (blue), {overlap.b} (orange)",
        f"where they can meet: {overlap_words(overlap)}",
    )
    inside = [_meeting(solid, *box) for solid in shown]
    for panel, points, solids, title in zip(panels, (corners, close), (shown, inside), words):
        camera = _camera(axes, points)
        _show(panel, camera, solids, title)
        seen = camera.project(near) / 2.0
        for one, two in _EDGES:
            panel.plot(*seen[[one, two], :2].T, color="red", lw=1.2, alpha=0.9)
    save(figure, path)
    return True


def _corners(part: Part) -> Array:
    """Points that span a bounded part, in the world."""
    found = triangles(part.shape).reshape(-1, 3)
    return np.asarray(found @ part.pose[:3, :3].T + part.pose[:3, 3])


def _solid(part: Part, about: Array, extent: float) -> Array:
    """Triangles in the world; of a half space a patch below what else is shown."""
    if not part.shape.bounded:
        return patch(part.pose, about, 0.75 * extent)[0]
    return _corners(part).reshape(-1, 3, 3)


def _meeting(solid: Array, low: Array, high: Array) -> Array:
    """The triangles that may meet a box."""
    near = (solid.max(axis=1) >= low) & (solid.min(axis=1) <= high)
    return np.asarray(solid[near.all(axis=1)])


def _box_corners(low: Array, high: Array) -> Array:
    return np.array([[(low, high)[k >> r & 1][r] for r in range(3)] for k in range(8)])


def _camera(axes: Array, points: Array, pixels: int = _PIXELS) -> Camera:
    seen = points @ axes[:2].T
    low, high = seen.min(axis=0), seen.max(axis=0)
    margin = max(_MARGIN * float((high - low).max()), np.finfo(float).tiny)
    return framed(axes, low - margin, high + margin, pixels)


def _best_side(shown: Sequence[Array], corners: Array) -> Array:
    """From where each of the two hides least of the other."""

    def score(axes: Array) -> float:
        camera = _camera(axes, corners, _COARSE)
        a, b = (_layer(camera, shown, k) for k in range(2))
        pairs = (a, b), (b, a)
        return min(float((x.covered & (x.depth >= y.depth)).mean()) for x, y in pairs)

    return best_axes(_ELEVATION, score)


def _layer(camera: Camera, shown: Sequence[Array], k: int) -> Layer:
    found = shown[k]
    colours = np.broadcast_to(_COLOURS[k], (len(found), 3))
    return render(camera, found, np.full(len(found), k), colours)


def _show(panel: Any, camera: Camera, shown: Sequence[Array], title: str) -> None:
    a, b = (_layer(camera, shown, k) for k in range(2))
    picture = np.ones((*camera.size, 3))
    in_front = a.depth >= b.depth
    for nearer in (False, True):
        for layer, front in ((a, in_front), (b, ~in_front)):
            colour = layer.colour.copy()
            colour[outlines(layer)] *= 0.45
            dense = np.where(layer.covered & (front == nearer), _FRONT if nearer else _BACK, 0.0)
            picture += dense[..., None] * (colour - picture)
    show_image(panel, halved(picture), title)


def _sheet() -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 5.2), layout="constrained")
    return figure, list(figure.subplots(1, 2))
