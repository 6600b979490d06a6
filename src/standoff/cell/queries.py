"""Questions about a cell at one configuration: Jacobians, distances, the nearest pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from standoff.cell.model import placed_ball
from standoff.cell.nearest_pair import Nearest
from standoff.cell.state import State
from standoff.errors import CellError
from standoff.geometry.distance import DistanceResult, distance
from standoff.geometry.pose import Array
from standoff.robots.tree import Tree

#: How far a joint without limits is drawn from 0, [rad] and [m].
_DRAWN = {"rad": math.pi, "m": 1.0}


@dataclass(frozen=True, eq=False, kw_only=True)
class Clearance(DistanceResult):
    """Two links or bodies and how far they are apart, as for `DistanceResult`; of several shapes,
    the nearest two count.

    Attributes:
        a, b: their names.
    """

    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.a} – {self.b}: {self.distance:.4f} m"


def random_configuration(tree: Tree, rng: Any) -> Array:
    """Drawn evenly within the joint limits."""
    if not isinstance(rng, np.random.Generator):
        try:
            rng = np.random.default_rng(rng)
        except (TypeError, ValueError) as error:
            raise CellError(
                "no source of random numbers", element="rng", value=rng,
                allowed="numpy.random.default_rng(), a seed, or None",
            ) from error  # fmt: skip
    far = np.array([_DRAWN[unit] for unit in tree.units])
    low = np.where(np.isfinite(tree.lower), tree.lower, -far)
    high = np.where(np.isfinite(tree.upper), tree.upper, far)
    share = rng.random(len(low))  # the range of limits such as ±1e308 is beyond a float
    drawn: Array = np.clip((1.0 - share) * low + share * high, low, high)
    return drawn


def jacobian(tree: Tree, link: str, q: Array) -> Array:
    """(6, joints): velocity of the origin of ``link``, then its angular velocity, in world axes,
    for each joint that moves at 1 rad/s or 1 m/s."""
    frame, offset = tree.link(link)
    result = np.zeros((6, len(tree.joints)))
    for k, unit in enumerate(np.eye(len(tree.joints))):
        poses, twists = tree.velocities(q, unit)
        turning, moving = twists[frame, :3], twists[frame, 3:]
        result[:3, k] = moving + np.cross(turning, poses[frame, :3, :3] @ offset[:3, 3])
        result[3:, k] = turning
    return result


def nearest(state: State, ours: list[str], theirs: list[str]) -> Clearance:
    """The nearest two of links and bodies, one of each list.

    Raises:
        CellError: none of one list has a shape.
    """
    placed = {name: state.placed(name) for name in {*ours, *theirs} if name in state.model.entries}
    best: Clearance | None = None
    for a, b in product(ours, theirs):
        if a == b or a not in placed or b not in placed:
            continue
        for (shape, at), (other, there) in product(placed[a], placed[b]):
            if best is not None and _apart(shape, at, other, there) > best.distance:
                continue
            found = distance(shape, at, other, there)
            if best is None or found.distance < best.distance:
                best = Clearance(**vars(found), a=a, b=b)
    if best is None:
        raise CellError(
            "no collision geometry to measure from",
            value=(ours[0], theirs[0]),
            allowed="two different links or bodies with shapes",
        )
    return best


def _apart(shape: Any, at: Array, other: Any, there: Array) -> float:
    """A lower bound on a distance: of balls about the two."""
    a, b = placed_ball(shape, at), placed_ball(other, there)
    if not (math.isfinite(a[3]) and math.isfinite(b[3])):
        return -math.inf
    return float(np.linalg.norm(a[:3] - b[:3]) - a[3] - b[3])


def least_clearance(state: State, finder: Nearest) -> Clearance:
    """The nearest of all watched pairs."""
    _, (pair,) = finder.placed(state.frames[None])
    if pair < 0:
        raise CellError("no pair to watch", allowed="`standoff info` lists the allowed pairs")
    a, b = finder.names(int(pair))
    return nearest(state, [a], [b])
