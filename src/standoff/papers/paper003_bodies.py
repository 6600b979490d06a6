"""The bodies of paper 003, Fig. 3, and ways on which one is pushed into another; and its virtual
scene (Fig. 2): five obstacles, and a FOLLOWER that a hand moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from standoff.contact import Body, Scene
from standoff.errors import Error
from standoff.geometry.distance import distance
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array, pose
from standoff.geometry.primitives import Sphere
from standoff.geometry.shape import Shape

#: Fig. 3; the paper gives the numbers of vertices and no sizes.
NAMES: Mapping[str, str] = {
    "a": "cube, 8",
    "b": "rectangle, 8",
    "c": "cylinder, 20",
    "d": "cone, 11",
    "e": "sphere",
}

#: Of the sphere (e), [m].
BALL = 0.1

#: Halvings of the metre on which two bodies are brought to touch: some picometres are left.
_HALVINGS = 40


def ring(count: int, radius: float, height: float) -> Array:
    """``count`` points around z, [m]."""
    angle = 2.0 * math.pi * (np.arange(count) + 0.5) / count
    return np.stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.full(count, height)], axis=1
    )


def grid(name: str) -> Array:
    """The matrix (n, m, 3) of the points of a body of Fig. 3, [m]: rings one above the other."""
    if name == "a":
        side = 0.2
        return np.stack([ring(4, side / math.sqrt(2.0), z) for z in (-side / 2.0, side / 2.0)])
    if name == "b":
        corners = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]) * (0.2, 0.1)
        return np.stack([np.column_stack([corners, np.full(4, z)]) for z in (-0.05, 0.05)])
    if name == "c":
        return prism(20)
    if name == "d":
        return np.stack([ring(10, 0.12, -0.08), ring(10, 0.0, 0.17)])
    raise Error("no polyhedron of Fig. 3", value=name, allowed="a, b, c, d")


def prism(vertices: int, radius: float = 0.1, length: float = 0.3) -> Array:
    """The matrix of points of a prism about z with so many vertices, two rings."""
    return np.stack([ring(vertices // 2, radius, z) for z in (-length / 2.0, length / 2.0)])


def points_of(name: str) -> Array | None:
    """The matrix of points of a body of Fig. 3; None for the sphere."""
    return None if name == "e" else grid(name)


def shape(points: Array | None) -> Shape:
    """What a matrix of points is the hull of; the sphere (e) for None."""
    if points is None:
        return Sphere(BALL)
    return Polyhedron(np.unique(points.reshape(-1, 3), axis=0))


def body(points: Array | None, levels: int) -> Body:
    """The same for a scene."""
    if points is None:
        return Body(Sphere(BALL))
    return Body.from_grid(points, levels=levels)


def ways(still: Shape, moved: Shape, size: float, count: int, steps: int, seed: int) -> Array:
    """(count, steps, 4, 4): poses of ``moved`` beside ``still`` at the origin, pushed into it from
    random sides in random attitudes, from a hundredth of ``size`` [m] apart to a tenth deep."""
    rng = np.random.default_rng([3, seed])
    found = np.empty((count, steps, 4, 4))
    gaps = np.linspace(0.01 * size, -0.1 * size, steps)
    for way in found:
        turn, side = rng.normal(size=4), rng.normal(size=3)
        turn, side = turn / np.linalg.norm(turn), side / np.linalg.norm(side)
        touch = _touching(still, moved, turn, side)
        way[:] = [pose((touch + gap) * side, turn) for gap in gaps]
    return found


def _touching(still: Shape, moved: Shape, turn: Array, side: Array) -> float:
    """How far out along ``side`` two bodies that hold their origins touch, [m]."""
    low, high = 0.0, 1.0
    here = np.eye(4)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if distance(still, here, moved, pose(middle * side, turn)).distance > 0.0:
            high = middle
        else:
            low = middle
    return high


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
            gap = distance(shapes[FOLLOWER], there, shapes[name], places[name]).distance
            low, high = (middle, high) if gap > -DEPTH else (low, middle)
        reach[name] = low
    return Stage(shapes, places, reach)


#: How exactly the reach is found, [m].
_NEAR = 0.00001


def scene(where: Stage, levels: int = 0, *, standing: bool = True) -> Scene:
    """The six bodies; the obstacles stand still unless told otherwise."""
    made = Scene()
    for name, letter in LETTERS.items():
        moving = name == FOLLOWER or not standing
        there = body(points_of(letter), levels)
        made.add(name, there, pose=where.places.get(name), moving=moving, **MATERIAL)
    return made


def hand_scene() -> tuple[Stage, Scene]:
    """The virtual scene, and where everything is in it, as the live page shows it."""
    where = stage()
    return where, scene(where)
