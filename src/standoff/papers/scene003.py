"""The virtual scene of paper 003 (Fig. 2): five obstacles, and a FOLLOWER that a hand moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from standoff.contact import Body, Scene
from standoff.geometry.distance import distance
from standoff.geometry.pose import Array, pose
from standoff.geometry.shape import Shape
from standoff.papers.bodies003 import NAMES, body, points_of, shape

#: Bodies by name, in the order of Fig. 3; the follower is a cube as (a).
OBSTACLES = ("cube", "rectangle", "cylinder", "cone", "sphere")
FOLLOWER = "FOLLOWER"
LETTERS = dict(zip((*OBSTACLES, FOLLOWER), (*"abcde", "a")))

#: Material of every body: two of them make a spring of 1 kN/m.
MATERIAL = {"stiffness": 2000.0, "damping": 10.0, "friction": 5.0}

#: How far from the middle the obstacles stand, how deep the hand pushes into each of them at most
#: [m], and how long it is on its way to one and back [s].
RADIUS, DEPTH, VISIT = 0.45, 0.008, 2.0


#: Axis and angle [rad] by which an obstacle is turned: the cube has a face towards the middle, the
#: rectangle an edge, the cylinder lies across, the cone has its tip there.
LEAN = {
    "cube": ((0.0, 0.0, 1.0), 0.0),
    "rectangle": ((0.0, 0.0, 1.0), -math.atan(0.5)),
    "cylinder": ((1.0, 0.0, 0.0), 0.5 * math.pi),
    "cone": ((0.0, 1.0, 0.0), -0.5 * math.pi),
    "sphere": ((0.0, 0.0, 1.0), 0.0),
}
#: To these the follower comes with an edge ahead, turned about this axis; else with a face.
EDGE_AHEAD = {"rectangle": (0.0, 1.0, 0.0), "sphere": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, eq=False)
class Stage:
    """Where everything is.

    Attributes:
        shapes: by name.
        places: poses of the obstacles, by name.
        reach: how far from the middle the hand goes towards each obstacle, [m].
    """

    shapes: Mapping[str, Shape]
    places: Mapping[str, Array]
    reach: Mapping[str, float]

    @property
    def duration(self) -> float:
        """Of the hand's tour, [s]."""
        return VISIT * len(OBSTACLES)

    def hand(self, time: float) -> Array:
        """The pose of the follower: out to one obstacle after another, turning as it goes."""
        visit = min(int(time / VISIT), len(OBSTACLES) - 1)
        share = time / VISIT - visit
        name = OBSTACLES[visit]
        side = self.places[name][:3, 3] / np.linalg.norm(self.places[name][:3, 3])
        # It stays out for a while, and slides across, so that friction is felt.
        out = self.reach[name] * (1.0 - math.cos(math.pi * share) ** 6)
        across = 0.01 * math.sin(2.0 * math.pi * share) * np.cross((0.0, 0.0, 1.0), side)
        place = np.eye(4)
        place[:3, :3], place[:3, 3] = attitude(visit, share), out * side + across
        return place

    def tour(self, steps: int) -> Iterator[Array]:
        """The poses of so many steps."""
        for k in range(steps):
            yield self.hand(self.duration * (k + 0.5) / steps)


def turned(axis: Sequence[float], angle: float) -> Array:
    """The rotation by ``angle`` [rad] about a unit vector."""
    half = 0.5 * angle
    quaternion = np.array([math.cos(half), *(math.sin(half) * np.asarray(axis))])
    return pose((0.0, 0.0, 0.0), quaternion)[:3, :3]


def outward(k: int) -> Array:
    """Axes of the place of obstacle ``k``: x away from the middle."""
    return turned((0.0, 0.0, 1.0), 2.0 * math.pi * k / len(OBSTACLES))


def attitude(visit: int, share: float) -> Array:
    """How the follower is held on a visit, rocking a little: with a face ahead, or with an edge."""
    rock = turned((0.6, 0.8, 0.0), 0.2 * (share - 0.5))
    axis = EDGE_AHEAD.get(OBSTACLES[visit])
    ahead = np.eye(3) if axis is None else turned(axis, 0.25 * math.pi)
    return np.asarray(outward(visit) @ rock @ ahead)


def stage() -> Stage:
    """The obstacles on a circle about the middle, each with what LEAN turns towards it; the hand's
    reach is such that it pushes DEPTH deep."""
    shapes = {name: shape(points_of(letter)) for name, letter in LETTERS.items()}
    places, reach = {}, {}
    for k, name in enumerate(OBSTACLES):
        axis, angle = LEAN[name]
        axes = outward(k)
        places[name] = np.eye(4)
        places[name][:3, :3] = axes @ turned(axis, angle)
        places[name][:3, 3] = RADIUS * axes[:, 0]
        side = places[name][:3, 3] / np.linalg.norm(places[name][:3, 3])
        low, high = 0.0, RADIUS
        while high - low > _NEAR:
            middle = 0.5 * (low + high)
            there = np.eye(4)
            there[:3, :3], there[:3, 3] = attitude(k, 0.5), middle * side
            gap = distance(shapes[FOLLOWER], there, shapes[name], places[name]).value
            low, high = (middle, high) if gap > -DEPTH else (low, middle)
        reach[name] = low
    return Stage(shapes, places, reach)


#: How exactly the reach is found, [m].
_NEAR = 0.00001


def scene(where: Stage, levels: int | str = "auto", *, standing: bool = True) -> Scene:
    """The six bodies; the obstacles stand still unless told otherwise."""
    made = Scene()
    for name, letter in LETTERS.items():
        moving = name == FOLLOWER or not standing
        where_it_is = where.places.get(name)
        made.add(name, bodies(letter, levels), pose=where_it_is, moving=moving, **MATERIAL)
    return made


def bodies(letter: str, levels: int | str) -> Body:
    """A body of Fig. 3; level 0 for the sphere."""
    assert letter in NAMES
    return body(points_of(letter), levels)
