"""A scene as the tables that the kernels read (see `contact.kernels.layout`).

Poses and velocities of all bodies into their tables, as a step is given them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.compiled.arenas import Arena
from standoff.contact.body import CONTACT_MAX_LEVELS, Body
from standoff.contact.features import Features
from standoff.contact.kernels import layout
from standoff.contact.octree import CONTACT_SPHERE_ROUNDING, Octree
from standoff.contact.pieces import Ball, volume_and_centroid
from standoff.errors import PoseError, UnknownNameError
from standoff.geometry.narrowphase.layout import POLYHEDRON, SPHERE
from standoff.geometry.narrowphase.scratch import CACHED_POINTS
from standoff.geometry.narrowphase.support import CLOUD_GROUP
from standoff.geometry.pose import Array, numbers
from standoff.geometry.shape import IntArray
from standoff.tolerances import CONTACT_TOUCH

#: Rows of the tables of contacts and of passed pairs to begin with; they grow.
ROOM = 256
#: Pairs of pieces for which is kept along which direction they are apart.
PARTED_ROOM = 1024


def arena_of(bodies: Sequence[Body], room: int, passed: int) -> Arena:
    """The tables of a scene: geometry written, poses and materials not."""
    pieces = [(number, k) for number, body in enumerate(bodies) for k in range(len(body.pieces))]
    solids = [
        (bodies[b].pieces[k], bodies[b].trees[k])
        for b, k in pieces
        if isinstance(bodies[b].pieces[k], Features)
    ]
    sizes = _sizes(solids, len(pieces), len(bodies), room, passed)
    arena = Arena(
        {name: (sizes[name], c) for name, c in layout.REAL_TABLES.items()},
        {name: (sizes[name], c) for name, c in layout.WHOLE_TABLES.items()},
    )
    arena["hint"][:] = -1
    ends = dict.fromkeys(
        ("vertices", "edges", "planes", "nodes", "rings", "spokes", "items", "cloud"), 0
    )
    first = 0
    for number, body in enumerate(bodies):
        arena["bodies"][number] = first, len(body.pieces)
        arena["centroids"][number] = body.centroid
        for k, (piece, tree) in enumerate(zip(body.pieces, body.trees, strict=True)):
            f = ends["planes"]
            arena["covered"][f : f + len(body.covered[k]), 0] = body.covered[k]
            if isinstance(piece, Ball):
                _write_ball(arena, first, number, piece)
            else:
                assert tree is not None
                _write_solid(arena, first, number, piece, tree, ends)
            first += 1
        arena["material"][number, layout.RADIUS] = body.radius * (1.0 + CONTACT_SPHERE_ROUNDING)
    return arena


def _sizes(solids: Any, pieces: int, bodies: int, room: int, passed: int) -> dict[str, int]:
    def total(count: Any) -> int:
        return int(sum(count(piece, tree) for piece, tree in solids))

    edges = total(lambda p, t: len(p.edges))
    vertices = total(lambda p, t: len(p.vertices))
    faces = total(lambda p, t: len(p.planes))
    nodes = total(lambda p, t: len(t))
    # A pair of nodes gives way to eight children at most, once for each level of either tree.
    stack = 8 * 2 * (CONTACT_MAX_LEVELS + 1)
    sizes = {
        "vertices": vertices, "planes": faces, "spheres": nodes, "clips": edges, "crossing": edges,
        "edges": edges, "ring": faces, "spoke": vertices, "nodes": nodes, "edge_mark": edges,
        "node_mark": nodes, "vertex_mark": vertices, "hit": edges, "hint": vertices,
        "queue": edges, "crossers": edges, "stack": stack,
        "face_high": faces, "near": faces, "bounds": faces, "edge_high": edges, "slab": edges,
        "vertex_high": vertices, "climb": vertices, "ruled": vertices, "covered": faces,
        "outer": vertices, "sides": 6 * edges, "facing": edges, "along": faces,
        "parting": PARTED_ROOM, "parted": PARTED_ROOM, "was_there": bodies,
        "cloud": total(lambda p, t: len(_cloud(p.vertices))),
        "rings": 2 * edges, "spokes": 2 * edges,
        "items": total(lambda p, t: sum(len(x.items) for x in (t.vertices, t.edges, t.faces))),
        "contacts": room, "old": room, "found": room, "earlier": room, "passed": passed,
        "state": layout.STATE_ROWS, "cost": layout.COST_ROWS, "out": 1,
        "forces": 2 * bodies,
    }  # fmt: skip
    sizes |= dict.fromkeys(("balls", "rows", "pieces", "refs"), pieces)
    sizes |= dict.fromkeys(
        ("material", "poses", "before", "twists", "bodies", "given", "held", "centroids"), bodies
    )
    return sizes


def _write_ball(arena: Arena, row: int, body: int, ball: Ball) -> None:
    arena["balls"][row] = (*ball.centre, ball.radius, ball.radius)
    arena["pieces"][row, : layout.IS_BALL + 1] = body, 1
    arena["refs"][row, 0] = SPHERE
    arena["rows"][row, 12] = ball.radius


def _write_solid(
    arena: Arena, row: int, body: int, piece: Features, tree: Octree, ends: dict[str, int]
) -> None:
    v, e, f, n = (ends[name] for name in ("vertices", "edges", "planes", "nodes"))
    arena["vertices"][v : v + len(piece.vertices)] = piece.vertices
    arena["edges"][e : e + len(piece.edges)] = piece.edges + np.array((v, v, f, f))
    arena["planes"][f : f + len(piece.planes)] = piece.planes
    for k, loop in enumerate(piece.loops):
        arena["ring"][f + k] = _listed(arena, "rings", loop + v, ends)
    for k, spokes in enumerate(piece.spokes):
        arena["spoke"][v + k] = _listed(arena, "spokes", spokes + e, ends)
    arena["spheres"][n : n + len(tree)] = tree.spheres
    nodes = arena["nodes"][n : n + len(tree)]
    nodes[:, 0] = np.where(tree.count > 0, tree.first + n, 0)
    nodes[:, 1] = tree.count
    for k, (lists, shift) in enumerate(((tree.vertices, v), (tree.edges, e), (tree.faces, f))):
        first, _ = _listed(arena, "items", lists.items + shift, ends)
        nodes[:, 2 + 2 * k] = first + lists.starts[:-1]
        nodes[:, 3 + 2 * k] = np.diff(lists.starts)
    counts = len(piece.vertices), len(piece.edges), len(piece.planes)
    c, cloud = ends["cloud"], _cloud(piece.vertices)
    arena["cloud"][c : c + len(cloud)] = cloud
    arena["pieces"][row] = body, 0, v, counts[0], e, counts[1], f, counts[2], n, c, len(cloud)
    arena["refs"][row, :3] = POLYHEDRON, c, counts[0]
    lower, upper = piece.vertices.min(axis=0), piece.vertices.max(axis=0)
    centre = (lower + upper) / 2.0
    radius = np.linalg.norm(piece.vertices - centre, axis=1).max()
    middle = volume_and_centroid(piece)[1]
    inner = (piece.planes[:, 3] - piece.planes[:, :3] @ middle).min()
    slack = CONTACT_SPHERE_ROUNDING * piece.reach
    arena["balls"][row] = (*centre, radius + slack, inner)
    ends["vertices"] += counts[0]
    ends["edges"] += counts[1]
    ends["planes"] += counts[2]
    ends["nodes"] += len(tree)
    ends["cloud"] += len(cloud)


def _cloud(vertices: Array) -> Array:
    """Rows of CLOUD; the radii a little larger than they are, for rounding."""
    order = np.concatenate(_clusters(vertices, np.arange(len(vertices))))
    points = np.column_stack([vertices[order], order])
    if len(points) <= CACHED_POINTS:
        return points
    slack = CONTACT_TOUCH * float(np.abs(vertices).max())
    return np.concatenate(
        [_balls(points, CLOUD_GROUP**2, slack), _balls(points, CLOUD_GROUP, slack), points]
    )


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


def _listed(arena: Arena, name: str, items: IntArray, ends: dict[str, int]) -> tuple[int, int]:
    """Items to the end of a list: where they begin and how many they are."""
    first = ends[name]
    ends[name] = first + len(items)
    arena[name][first : first + len(items), 0] = items
    return first, len(items)


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


def bytes_of(table: Array) -> memoryview:
    """A table as the bytes it is made of."""
    return table.reshape(-1).data.cast("B")
