"""Bodies packed into the tables that the kernels read (see `contact.kernels.scene_tables`).

`Intake` writes the poses and velocities of a step into theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.broadphase.kernels.sort_and_sweep import Sweep
from standoff.contact.body import Body
from standoff.contact.convex_pieces import Ball, Features, volume_and_centroid
from standoff.contact.kernels.scene_tables import (
    BODY,
    EDGE_ENDS,
    NODE,
    PIECE,
    PLANE,
    RUN,
    SceneTables,
    ScratchTables,
    StateTables,
)
from standoff.contact.spherical_octree import (
    CONTACT_MAX_LEVELS,
    CONTACT_SPHERE_ROUNDING,
    SphericalOctree,
)
from standoff.errors import PoseError, UnknownNameError
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids
from standoff.geometry.narrowphase.layout import (
    KIND,
    POINT0,
    POINTS,
    POLYHEDRON,
    SIZE,
    SPHERE,
)
from standoff.geometry.narrowphase.scratch import CACHED_POINTS
from standoff.geometry.narrowphase.support import CLOUD_GROUP
from standoff.geometry.pose import Array, numbers
from standoff.geometry.shape import IntArray
from standoff.tolerances import CONTACT_TOUCH

#: Pairs of pieces for which is kept along which direction they are apart.
PARTED_ROOM = 1024

#: Pairs of bodies near each other, for each body, that there is room for to begin with.
NEIGHBOURS = 4


class _Parts:
    """Tables in the making: parts of each, one after the other."""

    def __init__(self) -> None:
        self._parts: defaultdict[str, list[Any]] = defaultdict(list)
        self.rows: defaultdict[str, int] = defaultdict(int)

    def add(self, name: str, part: Any) -> int:
        """Where the part begins in its table."""
        first = self.rows[name]
        self.rows[name] += len(part)
        self._parts[name].append(part)
        return first

    def add_runs(self, name: str, of: str, lists: Sequence[IntArray], shift: int) -> None:
        """Lists of numbers, counted from ``shift`` on, into the table ``of``; and into ``name``
        where each of them is."""
        counts = np.array([len(one) for one in lists], dtype=np.int64)
        first = self.add(of, np.concatenate(lists) + shift)
        self.add(name, _records(np.column_stack([first + np.cumsum(counts) - counts, counts]), RUN))

    def made(self) -> SceneTables:
        return SceneTables(**{name: np.concatenate(parts) for name, parts in self._parts.items()})


def _records(rows: Any, dtype: Any) -> Any:
    """Rows of numbers of one kind as records of so many fields."""
    return np.ascontiguousarray(rows).view(dtype)[:, 0]


def scene_tables(bodies: Sequence[Body]) -> SceneTables:
    """The bodies of a scene; their materials are not written yet."""
    parts = _Parts()
    for number, body in enumerate(bodies):
        first = parts.rows["pieces"]
        for piece, tree, covered in zip(body.pieces, body.trees, body.covered, strict=True):
            parts.add("covered", covered.astype(np.int64))
            if isinstance(piece, Ball):
                _add_ball(parts, number, piece)
            else:
                assert tree is not None
                _add_solid(parts, number, piece, tree)
        row = np.zeros(1, BODY)
        row["piece0"], row["pieces"], row["centroid"] = first, len(body.pieces), body.centroid
        row["radius"] = body.radius * (1.0 + CONTACT_SPHERE_ROUNDING)
        parts.add("bodies", row)
    return parts.made()


def _add_ball(parts: _Parts, body: int, ball: Ball) -> None:
    row = np.zeros(1, PIECE)
    row["body"], row["is_ball"], row["centre"] = body, 1, ball.centre
    row["radius"] = row["inner"] = ball.radius
    parts.add("pieces", row)


def _add_solid(parts: _Parts, body: int, piece: Features, tree: SphericalOctree) -> None:
    row = np.zeros(1, PIECE)
    v = parts.add("vertices", piece.vertices)
    f = parts.add("planes", _records(piece.planes, PLANE))
    e = parts.rows["edges"]
    parts.add("edges", _records(piece.edges + np.array((v, v, f, f)), EDGE_ENDS))
    parts.add_runs("rings", "ring_vertices", piece.loops, v)
    parts.add_runs("spokes", "spoke_edges", piece.spokes, e)
    row["root"] = _add_tree(parts, tree, (v, e, f))
    balls, order = _cloud(piece.vertices)
    row["cloud0"] = parts.add("cloud", balls)
    parts.add("cloud_vertices", order)
    row["body"] = body
    row["vertex0"], row["edge0"], row["face0"] = v, e, f
    row["vertices"], row["edges"] = len(piece.vertices), len(piece.edges)
    row["faces"] = len(piece.planes)
    lower, upper = piece.vertices.min(axis=0), piece.vertices.max(axis=0)
    centre = (lower + upper) / 2.0
    radius = np.linalg.norm(piece.vertices - centre, axis=1).max()
    middle = volume_and_centroid(piece)[1]
    row["centre"], row["radius"] = centre, radius + CONTACT_SPHERE_ROUNDING * piece.reach
    row["inner"] = (piece.planes[:, 3] - piece.planes[:, :3] @ middle).min()
    parts.add("pieces", row)


def _add_tree(parts: _Parts, tree: SphericalOctree, shifts: tuple[int, int, int]) -> int:
    """The nodes of an octree; ``shifts`` are the numbers of the first vertex, edge and face."""
    nodes = np.zeros(len(tree), NODE)
    root = parts.add("nodes", nodes)
    for c, name in enumerate(("x", "y", "z", "radius")):
        nodes[name] = tree.spheres[:, c]
    nodes["child0"] = np.where(tree.count > 0, tree.first + root, 0)
    nodes["children"] = tree.count
    features = (tree.vertices, tree.edges, tree.faces)
    for name, lists, shift in zip(("vertices", "edges", "faces"), features, shifts):
        first = parts.add("items", lists.items + shift)
        nodes[name]["first"] = first + lists.starts[:-1]
        nodes[name]["count"] = np.diff(lists.starts)
    return root


def _cloud(vertices: Array) -> tuple[Array, IntArray]:
    """Rows of the cloud, and by row which vertex it is; the radii of balls are a little larger than
    they are, for rounding."""
    order = np.concatenate(_clusters(vertices, np.arange(len(vertices))))
    points = np.column_stack([vertices[order], np.zeros(len(order))])
    if len(points) <= CACHED_POINTS:
        return points, order
    slack = CONTACT_TOUCH * float(np.abs(vertices).max())
    balls = [_balls(points, size, slack) for size in (CLOUD_GROUP**2, CLOUD_GROUP)]
    rows = np.concatenate([*balls, points])
    return rows, np.concatenate([np.full(len(rows) - len(order), -1), order])


def _balls(points: Array, each: int, slack: float) -> Array:
    """Centre and radius of a ball about each so many points in a row."""
    rows = []
    for first in range(0, len(points), each):
        group = points[first : first + each, :3]
        centre = (group.min(axis=0) + group.max(axis=0)) / 2.0
        rows.append((*centre, np.linalg.norm(group - centre, axis=1).max() + slack))
    return np.array(rows)


def _clusters(vertices: Array, which: IntArray) -> list[IntArray]:
    """The numbers of vertices in groups of CLOUD_GROUP that are near each other, the last one
    smaller: halved across the longest side, again and again."""
    if len(which) <= CLOUD_GROUP:
        return [which]
    points = vertices[which]
    axis = int(np.argmax(np.ptp(points, axis=0)))
    which = which[np.argsort(points[:, axis], kind="stable")]
    half = CLOUD_GROUP * max(1, len(which) // (2 * CLOUD_GROUP))
    return _clusters(vertices, which[:half]) + _clusters(vertices, which[half:])


def state_tables(scene: SceneTables, contacts: int, passed: int) -> StateTables:
    """Room for the poses of a scene, and so many contacts and pieces that pass each other."""
    n = len(scene.bodies)
    return StateTables(
        given=n, held=n, poses=n, before=n, was_there=n, twists=n, forces=2 * n,
        contacts=contacts, old=contacts, passed=passed, parted=PARTED_ROOM,
    )  # fmt: skip


def scratch_tables(scene: SceneTables) -> ScratchTables:
    """Room to work in."""
    bodies, pairs = len(scene.bodies), NEIGHBOURS * len(scene.bodies)
    vertices, edges, faces = len(scene.vertices), len(scene.edges), len(scene.planes)
    made = ScratchTables(
        rel=12, out=1, placed=placed_pieces(scene),
        # A pair of nodes gives way to eight children at most, once for each level of either tree.
        stack=8 * 2 * (CONTACT_MAX_LEVELS + 1),
        vertices=vertices, edges=edges, faces_high=faces, nodes_seen=len(scene.nodes),
        climbed=vertices, slab=edges, near=faces, queue=edges,
        crossers=edges, sides=(6, edges), facing=edges,
        room=PairScratch(),
        sweep=Sweep(
            boxes=bodies, moves=bodies, order=np.arange(bodies), ends=bodies + 1,
            pairs=pairs, unsorted=pairs,
        ),
    )  # fmt: skip
    made.vertices["hint"] = -1
    return made


def placed_pieces(scene: SceneTables) -> Bodies:
    """The pieces as their distances want them, nowhere yet."""
    pieces, ball = scene.pieces, scene.pieces["is_ball"] == 1
    made = Bodies(rows=len(pieces), refs=len(pieces), solids=Solids(points=scene.cloud))
    made.rows[:, SIZE] = np.where(ball, pieces["radius"], 0.0)
    made.refs[:, KIND] = np.where(ball, SPHERE, POLYHEDRON)
    made.refs[:, POINT0], made.refs[:, POINTS] = pieces["cloud0"], pieces["vertices"]
    return made


#: One for each body: by name, or all of them at once in the order of the scene's names.
Given = Mapping[str, ArrayLike] | ArrayLike

_FLOAT = np.dtype(np.float64)


class Intake:
    """A table with a row for each body.

    A scene of six bodies takes a microsecond, and so would one call of NumPy for each mapping. A
    mapping that has all bodies, each with an array that is right already, is therefore copied as
    bytes, which takes a fifth of that; whether a number in it makes sense the kernel finds out.

    Args:
        table: (n, ...), float64, C-contiguous.
        names: of the bodies, in the order of the rows.
        argument: what the caller named it.
        checked: the value of one body as an array, or what is wrong with it.
    """

    def __init__(
        self,
        table: Array,
        names: Sequence[str],
        argument: str,
        checked: Callable[[Any, str], Array],
    ) -> None:
        self.table = table
        self._names, self._argument, self._checked = names, argument, checked
        self._numbers = {name: number for number, name in enumerate(names)}
        self._shape, self._row = table.shape, table.shape[1:]
        self._bytes = bytes_of(table)
        # Of one name alone an itemgetter makes no tuple.
        self._count = len(names) if len(names) > 1 else -1
        self._pick = itemgetter(*names)

    def take(self, given: Given, clear: bool = False) -> None:
        """Writes what is given; what a mapping leaves out stays, or becomes 0 with ``clear``. Where
        it raises, some rows may be written."""
        if given.__class__ is dict and len(given) == self._count:
            try:
                rows = self._pick(given)
                for row in rows:
                    if row.dtype is not _FLOAT or row.shape != self._row:
                        break
                else:
                    self._bytes[:] = b"".join(rows)
                    return
            except (KeyError, AttributeError, BufferError, TypeError):
                pass  # an unknown name, a list, an array that is not in order: with care
        elif given.__class__ is np.ndarray and given.dtype is _FLOAT and given.shape == self._shape:
            self.table[...] = given
            return
        self._take_with_care(given, clear)

    def _take_with_care(self, given: Given, clear: bool) -> None:
        if given.__class__ is not dict and not isinstance(given, Mapping):
            values = numbers(given, self._argument)
            if values.shape != self._shape:
                raise PoseError(
                    "wrong shape",
                    element=self._argument,
                    value=values.shape,
                    allowed=f"{self._shape} in the order {self._names}, or a mapping by name",
                )
            self.table[...] = values
            return
        if clear:
            self.table.fill(0.0)
        for name, value in given.items():
            number = self._numbers.get(name)
            if number is None:
                raise UnknownNameError(name, self._names, what="body")
            if value.__class__ is np.ndarray and value.dtype is _FLOAT and value.shape == self._row:
                self.table[number] = value
            else:
                self.table[number] = self._checked(value, f"{self._argument}[{name!r}]")


def bytes_of(table: Any) -> memoryview:
    """A table as the bytes it is made of."""
    flat: Array = table.view(np.ndarray).reshape(-1).view(np.uint8)
    return flat.data
