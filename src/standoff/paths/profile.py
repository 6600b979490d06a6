"""How near things come along a path: sampled, for people to look at. No proof of anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell.cell import Cell
from standoff.cell.nearest_pair import Among, Nearest, Progress
from standoff.errors import PathError
from standoff.geometry.pose import Array


@dataclass(frozen=True, eq=False)
class Profile:
    """The smallest signed distance at each of many places of a path.

    Attributes:
        s: the places: number of the segment plus the fraction of it, from 0 to waypoints - 1; on a
            curve its time.
        distance: the smallest over all pairs looked at, negative where they overlap, [m]; infinite
            where there is no pair.
        pair: the two names it belongs to at each place; None where there is no pair.
    """

    s: Array
    distance: Array
    pair: tuple[tuple[str, str] | None, ...]

    @property
    def nearest(self) -> int:
        """Which of the samples has the smallest distance, the first of them."""
        return int(np.argmin(self.distance))


def profile(
    cell: Cell,
    waypoints: ArrayLike,
    samples: int = 400,
    *,
    also: Iterable[float] = (),
    among: Among = "all",
    progress: Progress | None = None,
) -> Profile:
    """Distances at ``samples`` places spread evenly over the segments of a path, at its waypoints
    (where they are no more than the samples) and at the places ``also``.

    What lies between two samples is not seen: `PathChecker` decides, this is drawn. Bodies whose
    poses are given each cycle stand where the cell has them.

    Args:
        among: ``all`` watched pairs, those within one robot and what it holds (``self``), or the
            ``others``.
        progress: called from time to time with how much is done, from 0 to 1.
    """
    Q = cell.tree.configurations(waypoints, "waypoints")
    if not len(Q) or samples < 1:
        value = len(Q) and samples
        raise PathError(
            "nothing to sample", value=value, allowed="a waypoint and a sample at least"
        )
    last = len(Q) - 1
    places = [np.linspace(0.0, last, samples), np.array(list(also), dtype=float)]
    if len(Q) <= samples:
        places.append(np.arange(len(Q), dtype=float))
    s = np.unique(np.clip(np.concatenate(places), 0.0, last))
    return profile_at(cell, s, along(Q, s), among=among, progress=progress)


def along(waypoints: Array, s: Array) -> Array:
    """Configurations at places ``s`` of the straight lines between waypoints."""
    segment = np.clip(np.floor(s).astype(np.int64), 0, max(len(waypoints) - 2, 0))
    start, end = waypoints[segment], waypoints[np.minimum(segment + 1, len(waypoints) - 1)]
    return np.ascontiguousarray(start + (s - segment)[:, None] * (end - start))


def profile_at(
    cell: Cell, s: Array, Q: Array, *, among: Among = "all", progress: Progress | None = None
) -> Profile:
    """The smallest distance at each configuration of ``Q`` (n, joints), ``s`` being its place."""
    nearest = Nearest(cell, among)
    distance, pair = nearest.at(Q, progress)
    names = tuple(None if p < 0 else nearest.names(p) for p in pair.tolist())
    return Profile(s, distance, names)
