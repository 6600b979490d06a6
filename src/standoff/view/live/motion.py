"""Motions to play: recordings and paths, as joints over time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.paths.path_file import PathFile

#: How fast joints go along a path that has no times, [rad/s] or [m/s], where they are not slower.
_PACE = 0.8

#: The least time for a segment, [s].
_LEAST = 0.05


@dataclass(frozen=True, eq=False)
class Motion:
    """Joints over time.

    Attributes:
        name: how it is called.
        duration: [s], above 0.
        at: the joints at a time from 0 to the duration.
        place: what of a path is passed then, as `paths.profile.Profile` counts; the time itself
            where it is no path.
        time: of a place.
        period: from one reading of a recording to the next, [s]; infinite where it has none.
    """

    name: str
    duration: float
    at: Callable[[float], Array]
    place: Callable[[float], float] = float
    time: Callable[[float], float] = float
    period: float = math.inf

    def readings(self, after: float, before: float) -> list[float]:
        """When a recording was read between two times, [s], neither of them counted."""
        if not math.isfinite(self.period):
            return []
        first, last = math.floor(after / self.period), math.ceil(before / self.period)
        times = (k * self.period for k in range(first, last + 1))
        return [t for t in times if after < t < before]


def no_faster(usual: Array, velocity: Array) -> Array:
    """The usual speeds of joints where theirs are not lower, [rad/s] or [m/s]. A limit of 0 is what
    files say that do not know it: a joint that never moves would have no slider and no path."""
    known = np.where(velocity > 0.0, velocity, np.inf)
    return np.minimum(usual, known)


def recorded(name: str, joints: Array, period: float) -> Motion:
    """A recording (n, joints), one row every ``period`` [s], with straight lines between."""
    last = len(joints) - 1

    def at(time: float) -> Array:
        place = min(max(time / period, 0.0), float(last))
        k = min(int(place), max(last - 1, 0))
        share = place - k
        row = joints[k] if share == 0.0 else joints[k] + share * (joints[k + 1] - joints[k])
        return np.ascontiguousarray(row)

    return Motion(name, max(last * period, _LEAST), at, period=period)


def along_path(cell: Cell, path: PathFile) -> Motion:
    """A path as its file times it; at a calm pace where it does not."""
    times = path.times
    if times is None:
        speed = no_faster(np.full(len(cell.joints), _PACE), cell.tree.velocity)
        needed = (np.abs(np.diff(path.waypoints, axis=0)) / speed).max(axis=1, initial=_LEAST)
        times = np.concatenate([[0.0], np.cumsum(needed)])
    first, marks = float(times[0]), np.asarray(times)
    count = np.arange(len(marks), dtype=float)
    duration = float(times[-1]) - first
    if path.motion is not None:
        curve = path.motion
        return Motion(
            path.file, duration,
            lambda t: np.ascontiguousarray(curve.at(np.array([first + t]))[0]),
            lambda t: first + t, lambda place: place - first,
        )  # fmt: skip

    def at(time: float) -> Array:
        found = [np.interp(first + time, marks, column) for column in path.waypoints.T]
        return np.array(found, dtype=np.float64)

    return Motion(
        path.file, duration, at,
        lambda t: float(np.interp(first + t, marks, count)),
        lambda place: float(np.interp(place, count, marks)) - first,
    )  # fmt: skip
