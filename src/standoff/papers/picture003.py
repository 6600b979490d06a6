"""The scene of paper 003 as a picture: obstacles, the follower as a wire frame, contact arrows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from standoff.contact.features import Features
from standoff.contact.result import Contact
from standoff.geometry.pose import Array
from standoff.papers.scene003 import FOLLOWER, LETTERS, OBSTACLES, Stage, bodies
from standoff.view.plots import save
from standoff.view.render import Camera, halved, looking, outlines, render
from standoff.view.solids import triangles

#: Pixels of the longer side before two by two become one; the rim about the bodies, [m].
_PIXELS, _RIM = 1800, 0.03
#: How long the arrow of a contact is, [m].
_ARROW = 0.09
_COLOURS = np.array(
    [[0.55, 0.65, 0.85], [0.60, 0.78, 0.62], [0.90, 0.72, 0.50], [0.80, 0.62, 0.80],
     [0.86, 0.82, 0.52]]
)  # fmt: skip


def picture(where: Stage, moments: Sequence[tuple[Array, tuple[Contact, ...]]], path: Path) -> None:
    """Draw the obstacles, and the follower at some moments with an arrow along each contact's
    normal, of the same length as in the paper's Fig. 2, on the follower."""
    from matplotlib.figure import Figure

    solids = []
    for name in OBSTACLES:
        place = where.places[name]
        solids.append(triangles(where.shapes[name]) @ place[:3, :3].T + place[:3, 3])
    wires = [_wires(place) for place, _ in moments]
    camera = _camera(np.concatenate([each.reshape(-1, 3) for each in (*solids, *wires)]))
    owner = np.repeat(np.arange(len(solids)), [len(each) for each in solids])
    layer = render(camera, np.concatenate(solids), owner, _COLOURS[owner])
    image = np.where(layer.covered[..., None], layer.colour, 1.0)
    image[outlines(layer)] = 0.25
    small = halved(image)
    height, width = small.shape[:2]
    figure = Figure(figsize=(9.0, 9.0 * height / width))
    axis = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axis.imshow(np.clip(small, 0.0, 1.0))
    axis.set_axis_off()
    for (_, contacts), lines in zip(moments, wires):
        for line in camera.project(lines) / 2.0:
            axis.plot(line[:, 0], line[:, 1], color="0.1", lw=1.3, alpha=0.8)
        for contact in contacts:
            push = contact.normal if contact.a == FOLLOWER else -contact.normal
            tail, head = camera.project(np.stack([contact.point, contact.point + _ARROW * push]))
            axis.annotate(
                "", head[:2] / 2.0, tail[:2] / 2.0,
                arrowprops={"arrowstyle": "-|>", "color": "red", "lw": 1.8},
            )  # fmt: skip
    for name, solid in zip(OBSTACLES, solids):
        x, y = camera.project(solid.reshape(-1, 3)).min(axis=0)[:2] / 2.0
        axis.text(x, y, name, fontsize=9, color="0.2")
    axis.set_xlim(0, width)
    axis.set_ylim(height, 0)
    save(figure, path)


def _wires(place: Array) -> Array:
    """(n, 2, 3): the edges of the follower at a pose, in the world."""
    follower = bodies(LETTERS[FOLLOWER], 0)
    (piece,) = follower.pieces
    assert isinstance(piece, Features)
    corners = piece.vertices + follower.centroid
    ends = corners[piece.edges[:, :2]]
    return np.asarray(ends @ place[:3, :3].T + place[:3, 3])


def _camera(points: Array) -> Camera:
    axes = looking(-1.1, 0.75)
    seen = points @ axes.T
    low, high = seen.min(axis=0)[:2] - _RIM, seen.max(axis=0)[:2] + _RIM
    scale = _PIXELS / float((high - low).max())
    columns, rows = (np.ceil((high - low) * scale)).astype(int).tolist()
    return Camera(axes, low, scale, (rows, columns))
