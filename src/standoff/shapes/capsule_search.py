"""The tightest capsule around balls, and the plane that parts a body best for two of them.

All in a frame where the body is about as large as 1; a capsule is a row (a, b, radius).
"""

from __future__ import annotations

import math

import numpy as np

from standoff.kernels import capsule_fit
from standoff.kernels.capsule_fit import CAPSULE_COLUMNS, fit, least_radius, set_ends
from standoff.kernels.capsule_union import ENDS_COLUMNS, union_volume
from standoff.kernels.covering import split_volume
from standoff.shapes.pose import Array
from standoff.shapes.soup import Soup

#: Sharpness of the soft maximum, step by step, [1 / size]: blunt enough at first to see the whole
#: body, in the end sharp to 1e-4 of it, and cheaper while planes are only compared.
_FINE = np.array([20.0, 80.0, 320.0, 1280.0, 5000.0, 20000.0])
_COARSE = np.array([20.0, 100.0, 500.0])

#: Iterations of a descent and the relative gain at which it ends.
_FINE_STEPS = (40, 1e-5)
_COARSE_STEPS = (15, 1e-3)

#: Rays along each side of the grid that measures a union: to report, and to compare planes.
_FINE_GRID = 400
_COARSE_GRID = 32

#: Planes tried first: evenly spread normals, beside those that the body suggests, and offsets.
_NORMALS = 40
_OFFSETS = np.linspace(0.1, 0.9, 9)

#: How many of the best planes are turned and moved further, how often, and how far at first
#: ([rad], [rad], [size]).
_REFINED = 4
_REFINEMENTS = 60
_FIRST_STEP = np.array([0.2, 0.2, 0.1])

#: Normals nearer than this cosine at neighbouring offsets are one candidate.
_ALIKE = 0.9

#: A body of more balls than this is searched as a thinned one.
_MANY = 4000
_CELLS = 24


class Search:
    """Buffers of the kernels and the random numbers of one covering."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self._work = np.zeros(capsule_fit.WORK_SHAPE)
        self._scratch = np.zeros(capsule_fit.SCRATCH_SHAPE)

    def tightest(self, balls: Array) -> Array:
        """The tightest capsule of several starts."""
        best, least = np.zeros(CAPSULE_COLUMNS), math.inf
        n = len(balls)
        for axis in self._starts(balls):
            # The axis as it is, with its ends drawn in, is a candidate of its own: the descent
            # comes near the line through collinear points, but not onto it.
            for descend in (False, True):
                x = axis.copy()
                if descend:
                    x[:3], x[3:] = 0.75 * x[:3] + 0.25 * x[3:], 0.25 * x[:3] + 0.75 * x[3:]
                    radius = fit(balls, n, x, _FINE, *_FINE_STEPS, self._work, self._scratch)
                else:
                    radius = least_radius(balls, n, x)
                set_ends(balls, n, x, radius)
                row = np.append(x, least_radius(balls, n, x))
                volume = capsule_volume(row)
                if volume < least:
                    best, least = row, volume
        return best

    def union(self, capsules: Array, grid: int = _FINE_GRID) -> float:
        """Volume of the union; for one capsule by its formula, for more by rays."""
        single = [capsule_volume(row) for row in capsules]
        if len(capsules) == 1:
            return single[0]
        ends = np.zeros((len(capsules), ENDS_COLUMNS))
        volume = union_volume(capsules, len(capsules), grid, ends, self._scratch)
        return min(max(volume, *single), sum(single))

    def best_plane(self, soup: Soup, capsule: Array, others: Array) -> Array | None:
        """The plane (normal, offset) that leaves the least union of two capsules for the soup's
        parts and the ``others``; none where no plane parts it. ``capsule`` is the one around the whole."""
        body = soup.thinned(_CELLS) if len(soup.balls) > _MANY else soup
        price = _Price(self, body, others)
        normals = self._normals(body.balls, capsule)
        spans = body.balls[:, :3] @ normals.T
        lower, upper = spans.min(axis=0), spans.max(axis=0)
        offsets = lower[:, None] + _OFFSETS * (upper - lower)[:, None]
        volumes = np.array(
            [[price(np.append(n, o)) for o in row] for n, row in zip(normals, offsets, strict=True)]
        )
        best: Array | None = None
        least = math.inf
        chosen: list[tuple[int, int]] = []
        for flat in np.argsort(volumes, axis=None, kind="stable").tolist():
            i, j = divmod(flat, len(_OFFSETS))
            if any(
                abs(normals[i] @ normals[k]) > _ALIKE and abs(j - m) < 2 for k, m in chosen
            ):
                continue
            chosen.append((i, j))
            plane, volume = price.refined(np.append(normals[i], offsets[i, j]), volumes[i, j])
            if volume < least:
                best, least = plane, volume
            if len(chosen) == _REFINED:
                break
        return best

    def _starts(self, balls: Array) -> list[Array]:
        """Axes across the whole body: principal, along the frame, to the farthest balls, random."""
        centres = balls[:, :3]
        middle = centres.mean(axis=0)
        first = centres[np.argmax(((centres - middle) ** 2).sum(axis=1))]
        second = centres[np.argmax(((centres - first) ** 2).sum(axis=1))]
        directions = [*principal_axes(centres), *np.eye(3), second - first]
        directions += list(self.random.normal(size=(4, 3)))
        starts = []
        for direction in directions:
            norm = float(np.linalg.norm(direction))
            if norm > 0.0:
                starts.append(_central_axis(centres, direction / norm))
        return starts

    def _normals(self, balls: Array, capsule: Array) -> Array:
        """Unit normals to try: principal, of the frame, along the capsule, evenly spread."""
        principal = principal_axes(balls[:, :3])
        axis = capsule[3:6] - capsule[:3]
        norm = float(np.linalg.norm(axis))
        along = [axis / norm] if norm > 0.0 else []
        return np.array([*principal, *np.eye(3), *along, *(half_sphere(_NORMALS) @ principal)])


class _Price:
    """The volume of the union that a plane leads to, for one body."""

    def __init__(self, search: Search, body: Soup, others: Array) -> None:
        edges = body.edges()
        self._balls = np.column_stack([body.balls, np.zeros(len(body.balls))])
        self._edges = edges
        self._capsules = np.concatenate([np.zeros((2, CAPSULE_COLUMNS)), others])
        self._ends = np.zeros((len(self._capsules), ENDS_COLUMNS))
        self._piece = np.zeros((len(body.balls) + len(edges), 4))
        self._work = search._work
        self._scratch = search._scratch

    def __call__(self, plane: Array) -> float:
        return float(
            split_volume(
                self._balls,
                self._edges,
                plane,
                _COARSE,
                *_COARSE_STEPS,
                self._capsules,
                len(self._capsules),
                _COARSE_GRID,
                self._piece,
                self._work,
                self._ends,
                self._scratch,
            )
        )

    def refined(self, plane: Array, volume: float) -> tuple[Array, float]:
        """Turn and move the plane as long as that helps: one coordinate after the other, with a
        step that doubles where it helped and is halved where it did not, either way."""
        across = _across(plane[:3])
        step = _FIRST_STEP.copy()
        tried = 0
        while tried < _REFINEMENTS:
            for k in range(3):
                for _ in range(2):
                    tried += 1
                    moved = plane.copy()
                    if k < 2:
                        moved[:3] += step[k] * across[k]
                        moved[:3] /= np.linalg.norm(moved[:3])
                        # The plane turns about the middle of the section, near the axis.
                        moved[3] += (moved[:3] - plane[:3]) @ self._pivot(plane)
                    else:
                        moved[3] += step[k]
                    result = self(moved)
                    if result < volume:
                        plane, volume = moved, result
                        across = _across(plane[:3])
                        step[k] *= 1.5
                        break
                    step[k] = -step[k]
                else:
                    step[k] *= 0.5
        return plane, volume

    def _pivot(self, plane: Array) -> Array:
        centre: Array = self._balls[:, :3].mean(axis=0)
        return centre - (centre @ plane[:3] - plane[3]) * plane[:3]


def capsule_volume(row: Array) -> float:
    radius = float(row[6])
    length = float(np.linalg.norm(row[3:6] - row[:3]))
    return math.pi * radius**2 * (length + 4.0 / 3.0 * radius)


def principal_axes(centres: Array) -> Array:
    """Rows: the directions of greatest, middle and least spread."""
    offset = centres - centres.mean(axis=0)
    return np.ascontiguousarray(np.linalg.eigh(offset.T @ offset)[1].T[::-1])


def _central_axis(centres: Array, direction: Array) -> Array:
    """The axis along a unit direction through the middle of the body's box in a frame of it."""
    frame = np.array([direction, *_across(direction)])
    spans = centres @ frame.T
    lower, upper = spans.min(axis=0), spans.max(axis=0)
    middle = frame.T @ (lower + upper) / 2
    half = (upper[0] - lower[0]) / 2 * direction
    return np.concatenate([middle - half, middle + half])


def _across(direction: Array) -> Array:
    """Two unit rows at right angles to a unit direction and to each other."""
    helper = np.eye(3)[np.argmin(np.abs(direction))]
    first = np.cross(direction, helper)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(direction, first)])


def half_sphere(count: int) -> Array:
    """Unit rows spread evenly over half a sphere, on a spiral of golden angles."""
    height = (np.arange(count) + 0.5) / count
    angle = np.arange(count) * math.pi * (3.0 - math.sqrt(5.0))
    radius = np.sqrt(1.0 - height**2)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
