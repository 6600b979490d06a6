"""A cell as something to look at: what stands still, what moves, and from where to look."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.geometry.primitives import HalfSpace
from standoff.geometry.shape import IntArray
from standoff.robots.kernels import kinematics
from standoff.view.render import Camera, Layer, halved, looking, outlines, patch, render, triangles

#: Of what stands still, of the two tiles of a half space, and of bodies that move by themselves.
_STILL = np.array([0.78, 0.77, 0.73])
_TILES = np.array([[0.90, 0.91, 0.93], [0.84, 0.85, 0.88]])
_MOVER = np.array([0.45, 0.68, 0.45])

#: Of a robot's links that no joint carries.
_ROOT = np.array([0.50, 0.52, 0.56])

#: Beside the motion, as a part of its extent: what else is shown at most, and an empty margin.
_BESIDE = 0.25
_MARGIN = 0.04

#: Of a body behind another one, how much shines through.
_THROUGH = 0.35

#: From where to look: a little from above, from one of so many sides.
_ELEVATION = math.radians(26.0)
_SIDES = 12

#: Pixels of the longer side of the images by which cameras are compared; and how much the length of
#: a way across the image counts against the share of it that a robot covers.
_COARSE = 120
_WAY = 0.1


class Stage:
    """The bodies of a cell as triangles, those that joints move and those that stand."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        model, frames = cell.model, cell.tree.frames
        self._parts: list[tuple[int, int, Array]] = []
        self._planes: list[Array] = []
        still: list[Array] = []
        bodies: list[int] = []
        colours: list[Array] = []
        self._carried = _carried(cell)
        for body, (frame, parts) in enumerate(zip(model.frame, model.parts)):
            for shape, pose in parts:
                if isinstance(shape, HalfSpace):
                    self._planes.append(pose)
                    continue
                found = triangles(shape) @ pose[:3, :3].T + pose[:3, 3]
                if 0 < frame < frames:
                    self._parts.append((body, frame, found))
                    continue
                if frame >= frames:
                    place = cell.bodies[model.names[body]].pose
                    found = found @ place[:3, :3].T + place[:3, 3]
                colour = _STILL if frame == 0 else _MOVER
                if model.names[body] not in cell.bodies:
                    colour = _ROOT
                still.append(found)
                bodies += [body] * len(found)
                colours += [colour] * len(found)
        self._still = np.concatenate(still) if still else np.zeros((0, 3, 3))
        self._still_bodies = np.array(bodies, dtype=np.int64)
        self._still_colours = np.array(colours).reshape(-1, 3)

    def moved(self, q: Array) -> tuple[Array, IntArray]:
        """Triangles of all that joints carry, and their bodies."""
        frames = self._cell.tree.forward(q)
        found, bodies = [np.zeros((0, 3, 3))], [np.zeros(0, dtype=np.int64)]
        for body, frame, local in self._parts:
            found.append(local @ frames[frame, :3, :3].T + frames[frame, :3, 3])
            bodies.append(np.full(len(local), body))
        return np.concatenate(found), np.concatenate(bodies)

    def tips(self, configurations: Array) -> list[Array]:
        """For each robot that moves on them, where its farthest link is, (n, 3)."""
        frames = self._cell.tree.forward_batch(np.ascontiguousarray(configurations))
        found = []
        for frame, local in self._carried:
            line = frames[:, frame, :3, :3] @ local + frames[:, frame, :3, 3]
            if np.ptp(line, axis=0).max() > 0.0:
                found.append(line)
        return found

    def still(self, camera: Camera) -> Layer:
        """What stands."""
        found, bodies, colours = [self._still], [self._still_bodies], [self._still_colours]
        rows, columns = camera.size
        half = 0.75 * max(rows, columns) / camera.scale
        middle = camera.low + 0.5 * np.array([columns, rows]) / camera.scale
        about = middle @ camera.axes[:2]
        for k, pose in enumerate(self._planes):
            if pose[:3, 2] @ camera.axes[2] > 0.0:  # seen from its front
                tiles, which = patch(pose, about, half)
                found.append(tiles)
                bodies.append(np.full(len(tiles), len(self._cell.model.names) + k))
                colours.append(_TILES[which])
        return render(
            camera, np.concatenate(found), np.concatenate(bodies), np.concatenate(colours)
        )

    def moving(self, camera: Camera, moved: tuple[Array, IntArray], tint: Array) -> Layer:
        """What joints carry, as `moved` gives it, in one colour."""
        found, bodies = moved
        return render(camera, found, bodies, np.broadcast_to(tint, (len(found), 3)))

    def composed(self, background: Layer, layers: Sequence[tuple[Layer, float]]) -> Array:
        """(rows, columns, 3) of half the size: each layer over those before it, as dense as it
        says, and showing through where it is behind what stands."""
        picture = np.where(background.covered[..., None], background.colour, 1.0)
        picture[outlines(background)] *= 0.75
        for layer, alpha in layers:
            colour = layer.colour.copy()
            colour[outlines(layer)] *= 0.45
            behind = layer.depth < background.depth
            dense = np.where(layer.covered, np.where(behind, _THROUGH * alpha, alpha), 0.0)
            picture += dense[..., None] * (colour - picture)
        return halved(picture)

    def bounds(self, axes: Array, points: Array) -> tuple[Array, Array]:
        """Lower left and upper right corner of what is to be seen, [m]: all ``points``, and of what
        stands whatever is near them."""
        seen = points @ axes[:2].T
        if not len(seen):
            seen = self._still.reshape(-1, 3) @ axes[:2].T
        if not len(seen):
            seen = np.array([[-1.0, -1.0], [1.0, 1.0]])
        low, high = seen.min(axis=0), seen.max(axis=0)
        beside = _BESIDE * float((high - low).max())
        if len(self._still):
            flat = self._still.reshape(-1, 3) @ axes[:2].T
            near = (flat > low - beside).all(axis=1) & (flat < high + beside).all(axis=1)
            if near.any():
                low = np.minimum(low, flat[near].min(axis=0))
                high = np.maximum(high, flat[near].max(axis=0))
        margin = _MARGIN * float((high - low).max())
        return low - margin, high + margin


def best_camera(
    stage: Stage, moved: Sequence[tuple[Array, IntArray]], track: Array, pixels: int
) -> Camera:
    """From where most of the robot is seen on its way, and most of the way it goes.

    Args:
        moved: what joints carry, at some configurations, see `Stage.moved`.
        track: (n, joints) along the way.
    """
    lines = stage.tips(track)
    points = np.concatenate([*(found[:, 0] for found, _ in moved), *lines])
    some = [moved[0], moved[len(moved) // 2], moved[-1]]

    def score(axes: Array) -> float:
        camera = framed(axes, *stage.bounds(axes, points), _COARSE)
        still = stage.still(camera)
        layers = [stage.moving(camera, those, np.ones(3)) for those in some]
        seen = [float((a.covered & (a.depth >= still.depth)).mean()) for a in layers]
        ways = [np.diff(camera.project(line)[:, :2], axis=0) for line in lines]
        gone = sum(float(np.linalg.norm(way, axis=1).sum()) for way in ways)
        return sum(seen) / len(seen) + _WAY * gone / _COARSE

    best = best_axes(_ELEVATION, score)
    return framed(best, *stage.bounds(best, points), pixels)


def best_axes(elevation: float, score: Callable[[Array], float]) -> Array:
    """Of so many sides, seen from that high up [rad], the one with the highest score."""
    sides = (looking(2.0 * math.pi * (side + 0.5) / _SIDES, elevation) for side in range(_SIDES))
    return max(sides, key=score)


def framed(axes: Array, low: Array, high: Array, pixels: int) -> Camera:
    """A camera for what lies between two corners, neither very wide nor very tall."""
    extent = np.maximum(high - low, 0.6 * float((high - low).max()))
    low = 0.5 * (low + high) - 0.5 * extent
    scale = pixels / float(extent.max())
    columns, rows = (max(2, int(n * scale)) for n in extent.tolist())
    return Camera(axes, low, scale, (rows, columns))


def _carried(cell: Cell) -> list[tuple[int, Array]]:
    """For each robot the frame that most joints carry, of those with a link, and the middle of that
    link there."""
    model, tree = cell.model, cell.tree
    best: dict[str, tuple[int, int, Array]] = {}
    for name, frame, parts in zip(model.names, model.frame, model.parts):
        robot = name.partition("/")[0]
        if robot not in cell.robots or not 0 < frame < tree.frames:
            continue
        depth = int(tree.ints[frame, kinematics.DEPTH])
        if robot not in best or depth > best[robot][0]:
            boxes = [shape.bounds() for shape, _ in parts]
            local = np.mean(
                [p[:3, :3] @ (0.5 * (a + b)) + p[:3, 3] for (a, b), (_, p) in zip(boxes, parts)],
                axis=0,
            )
            best[robot] = (depth, frame, local)
    return [(frame, local) for _, frame, local in best.values()]
