"""The tightest capsule around balls, and the plane that parts a body best for two of them.

All in a frame where the body is about as large as 1; a capsule is a row (a, b, radius).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from standoff.geometry.kernels import capsule_fit
from standoff.geometry.kernels.capsule_fit import (
    CAPSULE_COLUMNS,
    CAPSULE_RADIUS,
    fit,
    least_radius,
    set_ends,
)
from standoff.geometry.kernels.capsule_union import (
    ENDS_COLUMNS,
    Parting,
    split_volume,
    union_volume,
)
from standoff.geometry.pose import Array
from standoff.geometry.soup import Soup

#: Relative gain in volume at which fitting a capsule ends, [-]: while planes are only compared, and
#: for the capsules that are kept. A per cent decides between planes; 1e-5 is below what is shown.
COVER_ROUGH = 1e-3
COVER_FINE = 1e-5


class _Effort(NamedTuple):
    """How carefully capsules are fitted and their union is measured."""

    #: Of the soft maximum, step by step, [1 / size]; blunt enough at first to see the whole body.
    sharpness: Array
    #: Of the descent at each sharpness, and the relative gain at which it ends before.
    iterations: int
    tolerance: float
    #: Rays along each side of the grid that measures a union.
    grid: int


#: To find promising planes, to compare their neighbours, and to keep: sharp to 1e-4 of the size.
_SCAN = _Effort(np.array([20.0, 100.0]), 10, COVER_ROUGH, 12)
_COMPARE = _Effort(np.array([20.0, 100.0, 500.0]), 10, COVER_ROUGH, 24)
_KEEP = _Effort(np.array([20.0, 80.0, 320.0, 1280.0, 5000.0, 20000.0]), 40, COVER_FINE, 256)

#: Planes tried first: evenly spread normals, beside those that the body suggests, and offsets.
_NORMALS = 60
_OFFSETS = np.linspace(0.1, 0.9, 9)

#: How many of the best planes are turned and moved further, how often, and how far at first
#: ([rad], [rad], [size]).
_REFINED = 5
_REFINEMENTS = 50
_FIRST_STEP = np.array([0.3, 0.3, 0.15])

#: Normals nearer than this cosine at neighbouring offsets are one candidate.
_ALIKE = 0.9

#: A body of more balls than this is searched as a thinned one.
_MANY = 1000
_CELLS = 20

#: A part of a body, and the capsule around it.
Part = tuple[Soup, Array]


class Search:
    """Buffers of the kernels and the random numbers of one covering."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.work = np.zeros(capsule_fit.WORK_SHAPE)
        self.scratch = np.zeros(capsule_fit.SCRATCH_SHAPE)

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
                    radius = fit(balls, n, x, *_KEEP[:3], self.work, self.scratch)
                else:
                    radius = least_radius(balls, n, x)
                set_ends(balls, n, x, radius)
                row = _around(balls, x)
                volume = capsule_volume(row)
                if volume < least:
                    best, least = row, volume
        return best

    def best_cut(self, soup: Soup, capsule: Array, others: Array) -> list[Part]:
        """The two parts of the soup, each with its capsule, whose capsules leave the least union
        with the ``others``. ``capsule`` is that of the whole."""
        body = soup.thinned(_CELLS) if len(soup.balls) > _MANY else soup
        price = _Price(self, body, others)
        plane, axes, least = np.zeros(4), np.zeros((2, 6)), math.inf
        for start in self._planes(body, capsule, price):
            refined = price.refined(start)
            volume = price(refined, _KEEP)
            if volume < least:
                plane, axes, least = refined, price.axes(), volume
        parts = soup.parted(plane)
        # The two tightest capsules need not have the least union.
        tightest = [self.tightest(part.balls) for part in parts]
        priced = [_around(part.balls, axis) for part, axis in zip(parts, axes, strict=True)]
        rows = min(tightest, priced, key=lambda pair: union([*pair, *others]))
        return list(zip(parts, rows, strict=True))

    def _planes(self, body: Soup, capsule: Array, price: _Price) -> list[Array]:
        """The most promising planes of a scan, no two of them much alike."""
        normals = self._normals(body.balls, capsule)
        spans = body.balls[:, :3] @ normals.T
        lower, upper = spans.min(axis=0), spans.max(axis=0)
        offsets = lower[:, None] + _OFFSETS * (upper - lower)[:, None]
        planes = [np.append(n, o) for n, row in zip(normals, offsets, strict=True) for o in row]
        volumes = np.array([price(plane, _SCAN) for plane in planes])
        chosen: list[int] = []
        for k in np.argsort(volumes, kind="stable").tolist():
            if not any(
                abs(planes[k][:3] @ planes[m][:3]) > _ALIKE
                and abs(k % len(_OFFSETS) - m % len(_OFFSETS)) < 2
                for m in chosen
            ):
                chosen.append(k)
                if len(chosen) == _REFINED:
                    break
        return [planes[k] for k in chosen]

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
        self._capsules = np.concatenate([np.zeros((2, CAPSULE_COLUMNS)), others])
        self._parting = Parting(
            balls=self._balls, edges=edges, capsules=self._capsules,
            frame=principal_axes(body.balls[:, :3]), piece=len(body.balls) + len(edges),
            ends=len(self._capsules), work=search.work, scratch=search.scratch,
        )  # fmt: skip

    def __call__(self, plane: Array, effort: _Effort) -> float:
        return float(split_volume(self._parting.address, plane, *effort[:3], effort.grid))

    def axes(self) -> Array:
        """The axes of the two capsules of the last plane."""
        return self._capsules[:2, :6].copy()

    def refined(self, plane: Array) -> Array:
        """Turn and move a plane by Nelder and Mead's simplex, a fixed number of tries."""
        across = _across(plane[:3])
        centre = self._balls[:, :3].mean(axis=0)
        pivot = centre - (centre @ plane[:3] - plane[3]) * plane[:3]

        def moved(by: Array) -> Array:
            normal = plane[:3] + by[:2] @ across
            normal /= np.linalg.norm(normal)
            return np.append(normal, normal @ pivot + by[2])

        def price(by: Array) -> float:
            return self(moved(by), _COMPARE)

        simplex = np.concatenate([np.zeros((1, 3)), np.diag(_FIRST_STEP)])
        volumes = np.array([price(by) for by in simplex])
        tries = len(simplex)
        while tries < _REFINEMENTS:
            order = np.argsort(volumes, kind="stable")
            simplex, volumes = simplex[order], volumes[order]
            middle = simplex[:-1].mean(axis=0)
            away = middle - simplex[-1]
            step, result = 1.0, price(middle + away)
            tries += 1
            if result < volumes[0]:
                further = 2.0
            elif result >= volumes[-2]:
                further = 0.5 if result < volumes[-1] else -0.5
            else:
                further = 0.0
            if further:
                again = price(middle + further * away)
                tries += 1
                if again < result:
                    step, result = further, again
            if result < volumes[-1]:
                simplex[-1], volumes[-1] = middle + step * away, result
            else:
                simplex[1:] = (simplex[1:] + simplex[0]) / 2
                volumes[1:] = [price(by) for by in simplex[1:]]
                tries += len(simplex) - 1
        return moved(simplex[np.argmin(volumes)])


def union(rows: ArrayLike) -> float:
    """Volume of the union of capsules; of one by its formula, of more by rays."""
    capsules = np.array(rows, dtype=np.float64)
    volumes = [capsule_volume(row) for row in capsules]
    if len(capsules) == 1:
        return volumes[0]
    # Rays along the direction that is most nearly across all axes.
    along = capsules[:, 3:6] - capsules[:, :3]
    frame = np.ascontiguousarray(np.linalg.eigh(along.T @ along)[1].T[::-1])
    ends = np.zeros((len(capsules), ENDS_COLUMNS))
    volume = float(union_volume(capsules, frame, _KEEP.grid, ends))
    return min(max(volume, *volumes), sum(volumes))


def _around(balls: Array, axis: Array) -> Array:
    """The capsule with that axis around all balls."""
    return np.append(axis, least_radius(balls, len(balls), axis))


def capsule_volume(row: Array) -> float:
    radius = float(row[CAPSULE_RADIUS])
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
