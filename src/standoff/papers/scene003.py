"""The virtual scene of paper 003 (Fig. 2): five obstacles, and a FOLLOWER that a hand moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from standoff.contact import Body, Scene
from standoff.papers.bodies003 import NAMES, body, points_of, shape
from standoff.shapes.distance import distance
from standoff.shapes.pose import Array, pose
from standoff.shapes.shape import Shape

#: Bodies by name, in the order of Fig. 3; the follower is a cube as (a).
OBSTACLES = ("cube", "rectangle", "cylinder", "cone", "sphere")
FOLLOWER = "FOLLOWER"
LETTERS = dict(zip((*OBSTACLES, FOLLOWER), (*"abcde", "a")))

#: Material of every body: two of them make a spring of 1 kN/m.
MATERIAL = {"stiffness": 2000.0, "damping": 10.0, "friction": 5.0}

#: How far from the middle the obstacles stand, how deep the hand pushes into each of them at most
#: [m], and how long it is on its way to one and back [s].
RADIUS, DEPTH, VISIT = 0.45, 0.008, 2.0


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
        out = self.reach[name] * math.sin(math.pi * share) ** 2
        # Along a half of the way out it slides across, so that friction is felt.
        across = 0.01 * math.sin(2.0 * math.pi * share) * np.cross((0.0, 0.0, 1.0), side)
        return pose(out * side + across, attitude(visit, share))

    def tour(self, steps: int) -> Iterator[Array]:
        """The poses of so many steps."""
        for k in range(steps):
            yield self.hand(self.duration * (k + 0.5) / steps)


def attitude(visit: int, share: float) -> Array:
    """How the follower is held on a visit: a quaternion."""
    axis = np.random.default_rng([3, 1, visit]).normal(size=3)
    angle = 0.4 + 0.6 * visit + 0.3 * (share - 0.5)
    half = 0.5 * angle
    return np.array([math.cos(half), *(math.sin(half) * axis / np.linalg.norm(axis))])


def stage() -> Stage:
    """The obstacles on a circle about the middle, each at a height and in an attitude of its own;
    the hand's reach is such that it pushes DEPTH deep."""
    rng = np.random.default_rng([3, 2])
    shapes = {name: shape(points_of(letter)) for name, letter in LETTERS.items()}
    places, reach = {}, {}
    for k, name in enumerate(OBSTACLES):
        angle = 2.0 * math.pi * k / len(OBSTACLES)
        turn = rng.normal(size=4)
        where = (RADIUS * math.cos(angle), RADIUS * math.sin(angle), 0.06 * (-1) ** k)
        places[name] = pose(where, turn / np.linalg.norm(turn))
        side = places[name][:3, 3] / np.linalg.norm(places[name][:3, 3])
        low, high = 0.0, RADIUS
        while high - low > _NEAR:
            middle = 0.5 * (low + high)
            there = pose(middle * side, attitude(k, 0.5))
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
