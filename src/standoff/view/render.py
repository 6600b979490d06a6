"""Shapes as triangles, and these as pixels: by a depth buffer, what is in front hides the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.convex_hull import convex_hull
from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.shape import IntArray, Shape, surface_points

#: Corners of what is round.
_AROUND = 24

#: Tiles along a side of the patch that stands for a half space; an even number.
TILES = 16


def triangles(shape: Shape) -> Array:
    """(n, 3, 3) in the shape's own frame, [m]; of a half space none, see `patch`."""
    if isinstance(shape, (Mesh, Polyhedron)):
        return np.asarray(shape.vertices)[np.asarray(shape.faces)]
    if isinstance(shape, Box):
        return _box(np.array(shape.size) / 2.0)
    if isinstance(shape, Sphere):
        return swept(*_cap(shape.radius, 0.0))
    if isinstance(shape, Capsule):
        return swept(*_cap(shape.radius, shape.length / 2.0))
    if isinstance(shape, Cylinder):
        half = shape.length / 2.0
        side = np.linspace(-half, half, 2 + int(shape.length / (2.0 * shape.radius)))
        radius = np.full(len(side), shape.radius)
        return swept(
            np.concatenate([[0.0], radius, [0.0]]), np.concatenate([[-half], side, [half]])
        )
    if isinstance(shape, HalfSpace):
        return np.zeros((0, 3, 3))
    vertices, faces = convex_hull(surface_points(shape, _AROUND), type(shape).__name__)
    return np.asarray(vertices[faces])


def patch(pose: Array, about: Array, half: float) -> tuple[Array, Array]:
    """What is shown of a half space at ``pose``: a square of tiles, ``half`` from its middle to a
    side, about the point of the plane below ``about``. Triangles (n, 3, 3) and which of two colours
    each has (n,)."""
    x, y, z = pose[:3, :3].T
    middle = about - z * float((about - pose[:3, 3]) @ z)
    grid = np.linspace(-half, half, TILES + 1)
    found, colours = [], []
    for i in range(TILES):
        for j in range(TILES):
            a, b, c, d = (
                middle + u * x + v * y
                for u, v in (
                    (grid[i], grid[j]), (grid[i + 1], grid[j]),
                    (grid[i + 1], grid[j + 1]), (grid[i], grid[j + 1]),
                )
            )  # fmt: skip
            found += [[a, b, c], [a, c, d]]
            colours += [(i + j) % 2] * 2
    return np.array(found), np.array(colours)


def _box(half: Array) -> Array:
    corner = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return np.array([corner[list(t)] for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def _cap(radius: float, half: float) -> tuple[Array, Array]:
    """The outline of a capsule, from pole to pole: distance from the axis, and height."""
    angle = np.linspace(-math.pi / 2.0, math.pi / 2.0, _AROUND // 2 + 1)
    low, high = angle[angle <= 0.0], angle[angle >= 0.0]
    side = np.linspace(-half, half, 2 + int(half / radius))[1:-1]
    return (
        np.concatenate([radius * np.cos(low), np.full(len(side), radius), radius * np.cos(high)]),
        np.concatenate([radius * np.sin(low) - half, side, radius * np.sin(high) + half]),
    )


def swept(radius: Array, height: Array) -> Array:
    """The surface that an outline sweeps about z."""
    angle = np.linspace(0.0, 2.0 * math.pi, _AROUND + 1)
    rings = np.stack(
        [
            radius[:, None] * np.cos(angle),
            radius[:, None] * np.sin(angle),
            np.repeat(height[:, None], len(angle), axis=1),
        ],
        axis=-1,
    )
    a, b, c, d = rings[:-1, :-1], rings[:-1, 1:], rings[1:, 1:], rings[1:, :-1]
    found = np.concatenate([np.stack([a, b, c], axis=-2), np.stack([a, c, d], axis=-2)])
    return found.reshape(-1, 3, 3)


#: Pixels that are tried at once at most.
_CHUNK = 4_000_000

#: More than there are powers of two among the sizes of images.
_POWERS = 64

#: Where the light comes from, in the camera's frame; and how bright its shade is.
_LIGHT = np.array([-0.35, 0.55, 0.76])
_SHADE = 0.45


@dataclass(frozen=True, eq=False)
class Camera:
    """A parallel projection: rows of ``axes`` are right, up and towards the eye.

    Attributes:
        low: right and up of the lower left corner, [m].
        scale: pixels per metre.
        size: pixels, rows and columns.
    """

    axes: Array
    low: Array
    scale: float
    size: tuple[int, int]

    def project(self, points: Array) -> Array:
        """(…, 3): column, row (from the top) and nearness in pixels."""
        seen = points @ self.axes.T
        result = np.empty_like(seen)
        result[..., 0] = (seen[..., 0] - self.low[0]) * self.scale
        result[..., 1] = self.size[0] - (seen[..., 1] - self.low[1]) * self.scale
        result[..., 2] = seen[..., 2] * self.scale
        return result


def looking(azimuth: float, elevation: float) -> Array:
    """The axes of a camera that looks at the origin from there, [rad]; z is up."""
    eye = np.array(
        [
            math.cos(elevation) * math.cos(azimuth),
            math.cos(elevation) * math.sin(azimuth),
            math.sin(elevation),
        ]
    )
    right = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
    return np.stack([right, np.cross(eye, right), eye])


@dataclass(frozen=True, eq=False)
class Layer:
    """What some bodies look like.

    Attributes:
        depth: (rows, columns) nearness, -inf where there is nothing.
        body: (rows, columns) which body, -1 where there is nothing.
        colour: (rows, columns, 3) shaded, 0 to 1.
    """

    depth: Array
    body: IntArray
    colour: Array

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Where there is something."""
        return np.asarray(self.body >= 0)


def render(camera: Camera, triangles: Array, bodies: IntArray, colours: Array) -> Layer:
    """Draw triangles (n, 3, 3) in the world, each of a body (n,) and with a colour (n, 3)."""
    rows, columns = camera.size
    depth = np.full(rows * columns, -np.inf)
    which = np.full(rows * columns, -1, dtype=np.int64)
    corners = camera.project(triangles)
    low = np.floor(corners[:, :, :2].min(axis=1) - 0.5).astype(np.int64)
    high = np.ceil(corners[:, :, :2].max(axis=1) - 0.5).astype(np.int64)
    low = np.maximum(low, 0)
    high = np.minimum(high, [columns - 1, rows - 1])
    span = high - low + 1
    seen = np.flatnonzero((span > 0).all(axis=1))
    # Triangles with windows of about the same size, as powers of two, are tried together.
    power = np.ceil(np.log2(span[seen])).astype(np.int64)
    kind = _POWERS * power[:, 0] + power[:, 1]
    for number in np.unique(kind).tolist():
        wide, tall = (2**n for n in divmod(number, _POWERS))
        group = seen[kind == number]
        at_once = max(1, _CHUNK // (wide * tall))
        for k in range(0, len(group), at_once):
            some = group[k : k + at_once]
            _fill(depth, which, corners[some], some, low[some], high[some], (wide, tall), columns)
    covered = which >= 0
    colour = np.zeros((rows * columns, 3))
    shaded = colours * _brightness(camera, triangles)[:, None]
    colour[covered] = shaded[which[covered]]
    body = np.where(covered, bodies[which], -1) if len(bodies) else which
    size = (rows, columns)
    return Layer(depth.reshape(size), body.reshape(size), colour.reshape(*size, 3))


def _fill(
    depth: Array,
    which: IntArray,
    corners: Array,
    numbers: IntArray,
    low: IntArray,
    high: IntArray,
    window: tuple[int, int],
    columns: int,
) -> None:
    """Write the pixels of some triangles whose windows are no larger than ``window``."""
    x = low[:, 0, None, None] + np.arange(window[0])[None, None, :]
    y = low[:, 1, None, None] + np.arange(window[1])[None, :, None]
    a, b, c = (corners[:, k, :, None, None] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        px, py = x + 0.5, y + 0.5
        u = ((px - a[:, 0]) * (c[:, 1] - a[:, 1]) - (py - a[:, 1]) * (c[:, 0] - a[:, 0])) / area
        v = ((b[:, 0] - a[:, 0]) * (py - a[:, 1]) - (b[:, 1] - a[:, 1]) * (px - a[:, 0])) / area
        inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
        inside &= (x <= high[:, 0, None, None]) & (y <= high[:, 1, None, None])
        near = a[:, 2] + u * (b[:, 2] - a[:, 2]) + v * (c[:, 2] - a[:, 2])
    pixel = np.broadcast_to(y * columns + x, inside.shape)[inside]
    owner = np.broadcast_to(numbers[:, None, None], inside.shape)[inside]
    near = near[inside]
    np.maximum.at(depth, pixel, near)
    first = near >= depth[pixel]
    which[pixel[first]] = owner[first]


def _brightness(camera: Camera, triangles: Array) -> Array:
    """Of each triangle, whichever way it faces."""
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal = normal @ camera.axes.T
    size = np.linalg.norm(normal, axis=1)
    normal = normal / np.where(size > 0.0, size, 1.0)[:, None]
    normal *= np.where(normal[:, 2:] < 0.0, -1.0, 1.0)
    light = _LIGHT / np.linalg.norm(_LIGHT)
    return np.asarray(_SHADE + (1.0 - _SHADE) * np.maximum(normal @ light, 0.0))


def outlines(layer: Layer) -> NDArray[np.bool_]:
    """Pixels at which one body ends and another, or nothing, begins."""
    body = layer.body
    edge = np.zeros(body.shape, dtype=bool)
    across, down = body[:, 1:] != body[:, :-1], body[1:] != body[:-1]
    edge[:, 1:] |= across
    edge[:, :-1] |= across
    edge[1:] |= down
    edge[:-1] |= down
    return edge & layer.covered


def halved(image: Array) -> Array:
    """Two pixels by two as one, so that edges are smooth."""
    rows, columns = (2 * (n // 2) for n in image.shape[:2])
    cut = image[:rows, :columns].reshape(rows // 2, 2, columns // 2, 2, -1)
    return np.asarray(cut.mean(axis=(1, 3)))
