"""Parts for the experiments of paper 002: convex ones, ones with cavities, and pairs that given
planes cannot tell apart; what is true of them, and how much of the experiments is run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import batch, dispatch, layout
from standoff.geometry.narrowphase.bodies import PairScratch
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array, pose
from standoff.geometry.primitives import Box, Sphere
from standoff.geometry.shape import IntArray, Shape
from standoff.interference.parts import Part, placed_bodies
from standoff.interference.projection import Outline, ProjectionMethod
from standoff.interference.region_meets import Meetings, common_root, meets_many
from standoff.interference.region_tree import RegionTree
from standoff.papers import surfaces, toolkit

#: Half the side of the cube that the parts are in, [m]; they are up to 0.8 m long.
REACH = 0.6

Maker = Callable[[np.random.Generator], Shape]


def torus(ring: float, tube: float, around: int, across: int) -> Mesh:
    """A closed ring about z, of two triangles for each of ``around`` times ``across`` places."""
    surface = surfaces.torus(ring, tube, around, across)
    return Mesh(surface.vertices, surface.faces)


def dented(rng: np.random.Generator) -> Mesh:
    """A ball of 0.2 m whose vertices were pulled in and out at random."""
    around, rings = 10, 6
    polar = np.pi * np.arange(1, rings + 1) / (rings + 1)
    turn = 2.0 * np.pi * np.arange(around) / around
    p, t = (k.ravel() for k in np.meshgrid(polar, turn, indexing="ij"))
    outward = np.stack([np.sin(p) * np.cos(t), np.sin(p) * np.sin(t), np.cos(p)], axis=1)
    outward = np.concatenate([outward, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    points = outward * rng.uniform(0.08, 0.24, (len(outward), 1))
    top, bottom = around * rings, around * rings + 1
    faces = []
    for m in range(around):
        n = (m + 1) % around
        faces += [(top, m, n), (bottom, top - around + n, top - around + m)]
        for k in range(0, top - around, around):
            faces += [(k + m, k + around + m, k + n), (k + n, k + around + m, k + around + n)]
    return Mesh(points, faces)


def bracket(rng: np.random.Generator) -> Mesh:
    """An L of two bars, 0.2 to 0.5 m each."""
    x, y = rng.uniform(0.2, 0.5, 2)
    w, h = rng.uniform(0.04, 0.1), rng.uniform(0.04, 0.3)
    flat = np.array([(0, 0), (x, 0), (x, w), (w, w), (w, y), (0, y)]) - (0.3 * x, 0.3 * y)
    points = [(*p, z) for z in (-h / 2, h / 2) for p in flat]
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    faces = [(c, b, a) for a, b, c in caps] + [(a + 6, b + 6, c + 6) for a, b, c in caps]
    for k in range(6):
        m = (k + 1) % 6
        faces += [(k, m, m + 6), (k, m + 6, k + 6)]
    return Mesh(points, faces)


def polyhedron(rng: np.random.Generator, vertices: int = 100) -> Polyhedron:
    """The hull of points on an ellipsoid with half axes of 0.05 to 0.25 m."""
    points = rng.normal(size=(vertices, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Polyhedron(points * rng.uniform(0.05, 0.25, 3))


def ring(rng: np.random.Generator) -> Mesh:
    """192 triangles, 0.3 to 0.8 m across: much can reach through it without touching it."""
    return torus(rng.uniform(0.15, 0.4), rng.uniform(0.01, 0.03), 16, 6)


def bar(rng: np.random.Generator) -> Box:
    """0.3 to 0.8 m long and a few centimetres thick."""
    return Box((*rng.uniform(0.02, 0.06, 2), rng.uniform(0.3, 0.8)))


#: From simple to less so; the first four are convex.
FAMILIES: Mapping[str, Maker] = {
    "spheres": lambda rng: Sphere(rng.uniform(0.05, 0.25)),
    "boxes": lambda rng: Box(rng.uniform(0.1, 0.5, 3)),
    "polyhedra": polyhedron,
    "bars": bar,
    "brackets": bracket,
    "dented balls": dented,
    "rings": ring,
}
CONVEX_FAMILIES = ("spheres", "boxes", "polyhedra", "bars")


def turned(rng: np.random.Generator) -> Array:
    """Any rotation, as a quaternion."""
    q = rng.normal(size=4)
    return np.asarray(q / np.linalg.norm(q))


def upright(rng: np.random.Generator) -> Array:
    """Along an axis but for some degrees, as parts of a machine stand."""
    q = np.array([1.0, *np.eye(3)[rng.integers(3)]])
    q = q / np.linalg.norm(q) + np.append(0.0, 0.03 * rng.normal(size=3))
    return np.asarray(q / np.linalg.norm(q))


def scene(
    count: int,
    seed: int,
    make: Maker,
    turn: Callable[[np.random.Generator], Array] = turned,
    reach: float = REACH,
) -> list[Part]:
    """Random parts in a cube of half side ``reach`` [m]."""
    rng = np.random.default_rng([2, seed])
    return [
        Part(f"part {k}", make(rng), pose(rng.uniform(-reach, reach, 3), turn(rng)))
        for k in range(count)
    ]


def convex_scene(count: int, seed: int = 0) -> list[Part]:
    """Polyhedra of up to 100 vertices."""
    return scene(count, seed, polyhedron)


def crooked_scene(count: int, seed: int = 1) -> list[Part]:
    """Rings, bars and brackets that stand along the axes but for some degrees."""

    def make(rng: np.random.Generator) -> Shape:
        return (ring, bar, bracket)[rng.integers(3)](rng)

    return scene(count, seed, make, upright)


def standing(count: int, seed: int, size: tuple[float, float]) -> list[Part]:
    """Boxes on a table of 2 m, as wide and as high as ``size`` says [m] but for half of it."""
    rng = np.random.default_rng([3, seed])
    parts = []
    for k in range(count):
        wide, high = np.array(size) * rng.uniform(0.5, 1.5, 2)
        turn = rng.uniform(0.0, np.pi)
        place = pose((*rng.uniform(-1.0, 1.0, 2), high / 2), rpy=(0.0, 0.0, turn))
        parts.append(Part(f"part {k}", Box((wide, wide * rng.uniform(0.5, 1.5), high)), place))
    return parts


def devised(normals: Array) -> tuple[list[Part], float]:
    """Two plates of 1 m that are apart, and by how much, but whose projections along each of the
    ``normals`` meet.

    A gap g across the direction w shows along n as a shift of the two by g tan(n, w), and they
    still meet while that is less than their width. So w is chosen as far from square to every n as
    it gets; of many random directions, the best.
    """
    rng = np.random.default_rng(5)
    ways = np.concatenate([rng.normal(size=(20_000, 3)), normals])
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    along = np.abs(ways @ normals.T).min(axis=1)
    w, cosine = ways[along.argmax()], float(min(along.max(), 1.0))
    tangent = math.sqrt(1.0 - cosine * cosine) / cosine
    gap = min(0.5, 0.5 / tangent) if tangent > 0.0 else 0.5
    thick = 0.05
    u = np.cross(w, np.eye(3)[np.abs(w).argmin()])
    u /= np.linalg.norm(u)
    places = []
    for sign in (-0.5, 0.5):
        place = np.eye(4)
        place[:3, :3] = np.stack([u, np.cross(w, u), w], axis=1)
        place[:3, 3] = sign * (gap + thick) * w
        places.append(place)
    plate = Box((1.0, 1.0, thick))
    return [Part("one", plate, places[0]), Part("other", plate, places[1])], gap


#: As many planes as false alarms are counted for.
MOST_PLANES = 24

#: Numbers of planes in tables: the coordinate planes, those across the diagonals of a cube, those
#: across the diagonals of its faces, and others.
SOME_PLANES = (1, 2, 3, 5, 7, 9, 13, 18, 24)

#: No more rounds are run once they have taken so long, [s].
_ENOUGH = 2.0

#: Convex parts, and parts with cavities and holes.
CONVEX, CROOKED = "convex", "crooked"


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of a scene, and the truth about them.

    Attributes:
        parts: the scene.
        pairs: numbers of the parts, (n, 2).
        distance: how far apart they are, signed, (n,), [m].
        hull, true: for each pair the first plane of 24 that separates it, in the order of their
            sequence, or 24; by hulls and by true outlines.
    """

    parts: Sequence[Part]
    pairs: IntArray
    distance: Array
    hull: IntArray
    true: IntArray

    @property
    def apart(self) -> IntArray:
        """Which pairs are apart."""
        return np.flatnonzero(self.distance > 0.0)

    @property
    def meeting(self) -> IntArray:
        """Which pairs touch or overlap."""
        return np.flatnonzero(self.distance <= 0.0)

    def alarms(self, planes: int, outline: Outline = "hull") -> int:
        """How many pairs that are apart no plane of the first so many separates."""
        first = self.hull if outline == "hull" else self.true
        return int((first[self.apart] >= planes).sum())

    def missed(self, outline: Outline = "hull") -> int:
        """How many pairs that meet any of the 24 planes shows apart."""
        first = self.hull if outline == "hull" else self.true
        return int((first[self.meeting] < MOST_PLANES).sum())


class Bench(toolkit.Bench):
    """How much is run.

    Attributes:
        count: parts in a scene.
        levels: of octrees.
        runs: runs of bodies that move.
    """

    def __init__(self, *, quick: bool = False) -> None:
        super().__init__(quick=quick, rounds=(3, 9))
        self.count = 40 if quick else 140
        self.levels = tuple(range(3, 7 if quick else 9))
        self.runs = 40 if quick else 400

    def parts(self, kind: str) -> list[Part]:
        """The scene of a kind."""
        return convex_scene(self.count) if kind == CONVEX else crooked_scene(self.count)

    def pairs(self, kind: str) -> Pairs:
        """All pairs of the scene of a kind."""
        return self.once(kind, lambda: judged(self.parts(kind)))

    def meetings(self, kind: str, levels: int) -> tuple[Meetings, int]:
        """Which trees of a scene meet at so many levels, and how many leaves they have."""

        def meet() -> tuple[Meetings, int]:
            trees = trees_of(self.pairs(kind).parts, levels)
            return meets_many(trees), sum(map(len, trees))

        return self.once((kind, levels), meet)

    def tree_alarms(self, kind: str, levels: int) -> int:
        """How many pairs of a scene that are apart have trees that meet."""
        pairs = self.pairs(kind)
        meeting = {tuple(pair) for pair in pairs.pairs[pairs.meeting].tolist()}
        return len(set(self.meetings(kind, levels)[0].pairs) - meeting)

    def lowest(self, call: Callable[[], object]) -> float:
        """Seconds of the processor for one call, the lowest of all rounds, fewer where they take
        seconds; one before the clock starts. A processor that others use too changes little."""
        return self.in_turn([call])[0]

    def in_turn(self, calls: Sequence[Callable[[], object]]) -> list[float]:
        """`lowest` of several calls that are to be compared, in turn."""
        found = toolkit.in_turn(dict(enumerate(calls)), self.rounds, time.thread_time, _ENOUGH)
        return [*found.values()]


def judged(parts: Sequence[Part]) -> Pairs:
    """All pairs of parts by projections and by their distance."""
    order = np.arange(MOST_PLANES, dtype=np.int64)
    first = []
    outlines: tuple[Outline, ...] = ("hull", "true")
    for outline in outlines:
        method = ProjectionMethod(parts, planes=MOST_PLANES, outline=outline)
        found = method.separating_planes(order=order)
        first.append(np.where(found < 0, MOST_PLANES, found))
    pairs = method.pairs()
    return Pairs(parts, pairs, distances(parts, pairs)[0], first[0], first[1])


def distances(parts: Sequence[Part], pairs: IntArray) -> tuple[Array, Array]:
    """The signed distance of each pair and what it may be too long by, [m]; one compiled call."""
    bodies, scratch = placed_bodies(parts), PairScratch()
    out = np.zeros((len(pairs), layout.OUT_COLUMNS))
    batch.distances(dispatch.general_address(), bodies.address, pairs, scratch.address, out)
    return out[:, 0].copy(), out[:, layout.SLACK].copy()


def trees_of(parts: Sequence[Part], levels: int) -> list[RegionTree]:
    """A tree for each part, all with the root cube around the scene."""
    root = common_root(parts)
    return [RegionTree.build(p.shape, p.pose, root=root, levels=levels) for p in parts]
