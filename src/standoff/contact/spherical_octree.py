"""The object-centred spherical octree of paper 003 (sections 2.1 and 3.1).

The smallest cube about a polyhedron, along the axes of its frame, is divided into eight again and
again; each cube stands in its circumscribed sphere. A node is kept when its sphere touches the
surface, so the spheres of the leaves together hold all of it. A sphere of a child lies within that
of its parent, so a child is asked about the features of its parent only.

The paper lists for each node the features of its own type. Here every node lists all vertices,
edges and faces that its sphere touches: a leaf with a vertex also names the faces around it, and
nothing that two leaves share is missed.

How deep it is: one number, one by region, or whatever a function says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.contact.convex_pieces import Features
from standoff.errors import ShapeError
from standoff.geometry.pose import Array, vector
from standoff.geometry.shape import IntArray
from standoff.scalars import whole

#: By how much the spheres of a contact octree are widened, relative to the body's largest
#: coordinate, [-]: centre, radius and the distance of a feature are some 20 roundings each, a
#: transform to another frame 20 more; far below what would touch more features.
CONTACT_SPHERE_ROUNDING = 1e-13


#: How many levels below the root are wanted around a cube, from its centre (3,) and half edge [m].
Levels = Callable[[Array, float], int]


class NodeType(IntEnum):
    """What the sphere of a node contains or meets: the first of these that applies. A node with
    none of them would be of the paper's type NONE, and is not stored."""

    VERTEX = 0
    EDGE = 1
    FACE = 2


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of features, one a node: those of node k are ``items[starts[k]:starts[k + 1]]``."""

    starts: IntArray
    items: IntArray

    def __getitem__(self, node: int) -> IntArray:
        return self.items[self.starts[node] : self.starts[node + 1]]


@dataclass(frozen=True, eq=False)
class SphericalOctree:
    """Nodes from the root on, level by level; the children of a node follow one another.

    Attributes:
        spheres: (k, 4): centre in the frame of the body and radius, [m].
        level: (k,), 0 for the root.
        first, count: (k,): the first child and how many there are; 0 and 0 for a leaf.
        vertices, edges, faces: which of these each node's sphere touches.
    """

    spheres: Array
    level: IntArray
    first: IntArray
    count: IntArray
    vertices: Lists
    edges: Lists
    faces: Lists

    def __len__(self) -> int:
        return len(self.spheres)

    @property
    def types(self) -> IntArray:
        """(k,): the `NodeType` of each node."""
        edge = np.where(np.diff(self.edges.starts) > 0, NodeType.EDGE, NodeType.FACE)
        return np.where(np.diff(self.vertices.starts) > 0, NodeType.VERTEX, edge).astype(np.int64)

    @property
    def leaves(self) -> IntArray:
        """The numbers of the nodes without children."""
        return np.flatnonzero(self.count == 0)


#: Of one level: centres, half edge, the lists of its nodes, and the number of each one's parent.
_Level = tuple[Array, float, list[Lists], IntArray]


def octree_of(body: Features, levels: Levels) -> SphericalOctree:
    """The octree of a polyhedron, as deep at each place as ``levels`` says."""
    lower, upper = body.vertices.min(axis=0), body.vertices.max(axis=0)
    half = float((upper - lower).max()) / 2.0
    slack = CONTACT_SPHERE_ROUNDING * (body.reach + half)
    centres = ((lower + upper) / 2.0)[None, :]
    everything = [np.arange(len(part)) for part in (body.vertices, body.edges, body.planes)]
    lists = [Lists(np.array([0, len(part)]), part) for part in everything]
    made: list[_Level] = []
    first, parent = 0, np.array([-1])
    while True:
        made.append((centres, half, lists, parent))
        split = [k for k, c in enumerate(centres) if len(made) <= levels(c, half)]
        if not split:
            return _assembled(made, slack)
        half, above, first = half / 2.0, first, first + len(centres)
        centres, lists, parent = _children(body, centres, half, lists, np.array(split), slack)
        parent += above


def _children(
    body: Features, centres: Array, half: float, lists: list[Lists], split: IntArray, slack: float
) -> tuple[Array, list[Lists], IntArray]:
    """Centres and lists of the children of the nodes ``split`` that touch the surface, and by
    child its parent."""
    octants = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    parent = np.repeat(split, 8)
    middle = (centres[split][:, None, :] + half * octants).reshape(-1, 3)
    radius = half * np.sqrt(3.0) + slack
    child_v, vertex = _asked(lists[0], parent)
    near = np.linalg.norm(body.vertices[vertex] - middle[child_v], axis=1) <= radius
    child_v, vertex = child_v[near], vertex[near]
    child_e, edge = _asked(lists[1], parent)
    tails, heads = body.vertices[body.edges[edge, 0]], body.vertices[body.edges[edge, 1]]
    near = _to_segment(middle[child_e], tails, heads) <= radius
    child_e, edge = child_e[near], edge[near]
    child_f, face = _asked(lists[2], parent)
    near = _meets_face(body, middle, radius, child_e, edge, child_f, face)
    child_f, face = child_f[near], face[near]
    kept = np.unique(child_f)  # who meets a vertex or an edge meets a face
    number = np.full(len(parent), -1)
    number[kept] = np.arange(len(kept))
    found = ((child_v, vertex), (child_e, edge), (child_f, face))
    return (
        middle[kept],
        [_lists(number[child], item, len(kept)) for child, item in found],
        parent[kept],
    )


def _asked(lists: Lists, parent: IntArray) -> tuple[IntArray, IntArray]:
    """Each child with each of its parent's features."""
    counts = np.diff(lists.starts)[parent]
    child = np.repeat(np.arange(len(parent)), counts)
    within = np.arange(len(child)) - np.repeat(np.cumsum(counts) - counts, counts)
    return child, lists.items[lists.starts[parent][child] + within]


def _lists(owner: IntArray, items: IntArray, count: int) -> Lists:
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=starts[1:])
    return Lists(starts, items)


def _to_segment(points: Array, tails: Array, heads: Array) -> Array:
    along = heads - tails
    share = np.einsum("ij,ij->i", points - tails, along) / np.einsum("ij,ij->i", along, along)
    nearest = tails + np.clip(share, 0.0, 1.0)[:, None] * along
    return np.linalg.norm(points - nearest, axis=1)  # type: ignore[no-any-return]


def _meets_face(
    body: Features,
    middle: Array,
    radius: float,
    child_e: IntArray,
    edge: IntArray,
    child_f: IntArray,
    face: IntArray,
) -> NDArray[np.bool_]:
    """Whether the sphere of a child meets a face: at one of its edges, or else where its centre is
    above or below the inside of the face, nearer than the radius."""
    size = len(body.planes)
    keys = child_f * size + face
    touched = np.concatenate([child_e * size + body.edges[edge, side] for side in (2, 3)])
    meets = np.isin(keys, touched)
    planes = body.planes[face]
    height = np.einsum("ij,ij->i", planes[:, :3], middle[child_f]) - planes[:, 3]
    asked = np.flatnonzero(~meets & (np.abs(height) <= radius))
    if len(asked):
        meets[asked] = _above_inside(body, middle[child_f[asked]], face[asked])
    return meets


def _above_inside(body: Features, points: Array, faces: IntArray) -> NDArray[np.bool_]:
    """Whether each point is above or below the inside of its face: left of all its edges."""
    sizes = np.array([len(loop) for loop in body.loops])
    first = np.cumsum(sizes) - sizes
    tails = np.concatenate(body.loops)
    heads = np.concatenate([np.roll(loop, -1) for loop in body.loops])
    owner = np.repeat(np.arange(len(faces)), sizes[faces])
    starts = np.cumsum(sizes[faces]) - sizes[faces]
    corner = np.arange(len(owner)) - starts[owner] + first[faces][owner]
    tail, head = body.vertices[tails[corner]], body.vertices[heads[corner]]
    left = np.cross(body.planes[faces[owner], :3], head - tail)
    side = np.einsum("ij,ij->i", left, points[owner] - tail)
    return np.minimum.reduceat(side, starts) >= 0.0


def _assembled(levels: list[_Level], slack: float) -> SphericalOctree:
    """All levels in one table."""
    centres, halves, lists, parents = zip(*levels)
    sizes = [len(part) for part in centres]
    radii = np.repeat(np.array(halves) * np.sqrt(3.0) + slack, sizes)
    parent = np.concatenate(parents)  # ascending
    nodes = np.arange(len(parent))
    count = np.bincount(parent[1:], minlength=len(nodes))
    first = np.where(count > 0, np.searchsorted(parent, nodes), 0)
    vertices, edges, faces = (
        Lists(
            np.concatenate(
                [[0], np.cumsum(np.concatenate([np.diff(part.starts) for part in kind]))]
            ),
            np.concatenate([part.items for part in kind]),
        )
        for kind in zip(*lists)
    )
    spheres = np.column_stack([np.concatenate(centres), radii])
    return SphericalOctree(
        spheres, np.repeat(np.arange(len(sizes)), sizes), first, count, vertices, edges, faces
    )


#: Deepest contact octree that is built, [levels]: a surface has some 6 * 4^8 = 400,000 nodes then.
CONTACT_MAX_LEVELS = 8

_ALLOWED = (
    f"0 to {CONTACT_MAX_LEVELS}, [((lower, upper), levels), ...] or "
    "a function of a cube's centre and half edge"
)


def levels_at(levels: Any, shift: Array, element: str) -> Levels:
    """The function that `octree_of` asks. ``shift`` leads from the octree's frame to the one in
    which regions are given.

    A list of regions: around a cube the octree is as deep as the deepest region asks that the cube
    meets, and not divided at all where there is none.
    """
    if callable(levels):
        return _checked(levels, shift, element)
    if isinstance(levels, Sequence) and not isinstance(levels, str):
        return _regions(levels, shift, element)
    depth = _depth(levels, element)
    return lambda centre, half: depth


def _checked(asked: Callable[[Array, float], int], shift: Array, element: str) -> Levels:
    try:
        signature(asked).bind(shift, 1.0)
    except TypeError as error:
        raise ShapeError(
            "not a function of two arguments", element=element, value=asked, allowed=_ALLOWED
        ) from error
    except ValueError:
        pass  # a function that does not tell what it takes
    return lambda centre, half: _depth(asked(centre + shift, half), element)


def _regions(levels: Sequence[Any], shift: Array, element: str) -> Levels:
    regions = []
    for number, item in enumerate(levels):
        where = f"{element}[{number}]"
        try:
            (lower, upper), depth = item
        except (TypeError, ValueError) as error:
            raise ShapeError("not a region", element=where, value=item, allowed=_ALLOWED) from error
        low, high = vector(lower, 3, where), vector(upper, 3, where)
        regions.append((low - shift, high - shift, _depth(depth, where)))

    def deepest(centre: Array, half: float) -> int:
        met = [
            depth
            for low, high, depth in regions
            if np.all(centre + half >= low) and np.all(centre - half <= high)
        ]
        return max(met, default=0)

    return deepest


def _depth(value: Any, element: str) -> int:
    return whole(
        element, value, ShapeError, 0, CONTACT_MAX_LEVELS,
        allowed=_ALLOWED, problem="no depth of an octree",
    )  # fmt: skip
