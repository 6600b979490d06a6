"""Bodies that touch: convex pieces, each with its spherical octree, about one centroid.

A face of a piece on which another piece of the same body lies is inside the body (`covered_faces`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.contact.convex_pieces import (
    Ball,
    Features,
    Piece,
    grid_polyhedron,
    moved,
    placed,
    split_convex,
    volume_and_centroid,
)
from standoff.contact.spherical_octree import SphericalOctree, levels_at, octree_of
from standoff.errors import MeshError, ShapeError
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.shape import Shape
from standoff.scalars import whole
from standoff.tolerances import CONTACT_SEAM

#: Sides of the prism that stands for a cylinder, where nothing else is said.
SIDES = 32

_PARTS = "a list of shapes or bodies, or of (shape or body, pose or None)"


class Body:
    """A convex polyhedron, a sphere, or a union of them, as `contact.Scene` takes it.

    Made from a `Box`, `Polyhedron`, `Sphere` or a closed convex `Mesh`, or from a `Cylinder`, which
    becomes the prism with ``sides`` sides whose edges lie on the cylinder. Everything else is a
    union: `Body.union`, or `Body.from_mesh`.

    ``levels`` is the depth of each piece's octree: a number of levels (0: the root alone); a list
    of ``((lower, upper), levels)``, boxes in the shape's own frame where this precision is wanted;
    or a function of a cube's centre and half edge. It changes how long a step takes and nothing
    else: polyhedra of up to 3,000 vertices take no longer with 0; more pay where spheres touch a
    body of hundreds. A sphere has level 0.

    Attributes:
        pieces: the convex pieces, with coordinates relative to the centroid, [m].
        centroid: the centre of volume in the shape's own frame, [m]; pieces that overlap count
            each for itself.
        volume: the sum over the pieces, [m³].
        levels: as given.
    """

    def __init__(self, shape: Shape, *, sides: int = SIDES, levels: Any = 0) -> None:
        if not isinstance(shape, Shape):
            raise ShapeError("not a shape", element="Body", value=shape, allowed="a standoff shape")
        self._assemble([placed(shape, np.eye(4), _sides(sides), "Body")], levels)

    @classmethod
    def union(
        cls,
        parts: Iterable[Shape | Body | tuple[Shape | Body, ArrayLike | None]],
        *,
        sides: int = SIDES,
        levels: Any = 0,
    ) -> Self:
        """The union of shapes or bodies, each with its pose (4 x 4 or None) in one common frame, or
        alone where it is at home in that frame already.

        Contacts are found for each piece by itself; where pieces share a corner, contacts at one
        point with one normal count once, and where one piece goes on flat beside another, the edge
        between them is none."""
        pieces: list[Piece] = []
        for number, (part, place) in enumerate(_placed(parts)):
            element = f"Body.union[{number}]"
            pose = as_pose(place, element)
            if isinstance(part, Body):
                shift = np.eye(4)
                shift[:3, 3] = part.centroid
                pieces.extend(moved(piece, pose @ shift) for piece in part.pieces)
            elif isinstance(part, Shape):
                pieces.append(placed(part, pose, _sides(sides), element))
            else:
                raise ShapeError("neither shape nor body", element=element, value=part)
        if not pieces:
            raise ShapeError("nothing to unite", element="Body.union", allowed="at least one part")
        return cls._of(pieces, levels)

    @classmethod
    def from_mesh(cls, mesh: Mesh, *, split: str | None = None, levels: Any = 0) -> Self:
        """A closed mesh. A convex one is taken as it is; any other needs ``split="coacd"``, which
        cuts it into convex pieces that cover it approximately (CoACD's concavity of 0.05): then
        the body is the union of the pieces, not the mesh itself. Needs the extra ``contact``."""
        if not isinstance(mesh, Mesh):
            raise ShapeError("not a mesh", element="Body.from_mesh", value=mesh)
        if split not in (None, "coacd"):
            raise MeshError("no such way to split", element="split", value=split, allowed='"coacd"')
        if mesh.is_convex or split is None:
            return cls(mesh, levels=levels)
        return cls.union(split_convex(mesh), levels=levels)

    @classmethod
    def from_grid(cls, points: ArrayLike, *, levels: Any = 0) -> Self:
        """The paper's n x m matrix of points: n rings of m points each, one above the other, closed
        at both ends. A ring may be one point m times: the tip of a cone. All points must lie on
        the hull of all (within 1e-6 of the extent)."""
        hull = grid_polyhedron(points)
        return cls._of([placed(hull, np.eye(4), SIDES, "Body.from_grid")], levels)

    @classmethod
    def _of(cls, pieces: Sequence[Piece], levels: Any) -> Self:
        body = cls.__new__(cls)
        body._assemble(pieces, levels)
        return body

    def _assemble(self, pieces: Sequence[Piece], levels: Any) -> None:
        measures = [volume_and_centroid(piece) for piece in pieces]
        self.volume = float(sum(volume for volume, _ in measures))
        self.centroid: Array = np.sum([v * c for v, c in measures], axis=0) / self.volume
        shift = np.eye(4)
        shift[:3, 3] = -self.centroid
        self.pieces: tuple[Piece, ...] = tuple(moved(piece, shift) for piece in pieces)
        self.levels = _known(levels)

    def with_levels(self, levels: Any) -> Body:
        """The same body with octrees of another depth."""
        body = Body.__new__(Body)
        body.volume, body.centroid, body.pieces = self.volume, self.centroid, self.pieces
        body.levels = _known(levels)
        return body

    @cached_property
    def trees(self) -> tuple[SphericalOctree | None, ...]:
        """By piece its octree, built when first asked for; None for a sphere."""
        at = levels_at(self.levels, self.centroid, "Body.levels")
        return tuple(
            octree_of(piece, at) if isinstance(piece, Features) else None for piece in self.pieces
        )

    @cached_property
    def covered(self) -> tuple[BoolArray, ...]:
        """By piece, and by face of it, whether another piece lies on all of it: nothing leaves the
        body there. Empty for a sphere."""
        return covered_faces(self.pieces, self.radius)

    @property
    def radius(self) -> float:
        """Of the smallest sphere about the centroid that holds the body, [m]."""
        return max(
            float(np.linalg.norm(piece.centre)) + piece.radius
            if isinstance(piece, Ball)
            else float(np.linalg.norm(piece.vertices, axis=1).max())
            for piece in self.pieces
        )

    def __repr__(self) -> str:
        corners = sum(len(p.vertices) for p in self.pieces if isinstance(p, Features))
        return f"<Body of {len(self.pieces)} pieces, {corners} vertices>"


def _placed(parts: Any) -> list[tuple[Any, Any]]:
    """Parts of a union, each with its pose or None."""
    if isinstance(parts, (str, Mapping)) or not isinstance(parts, Iterable):
        raise ShapeError("no parts", element="Body.union", value=parts, allowed=_PARTS)
    result = []
    for number, part in enumerate(parts):
        if isinstance(part, (Shape, Body)):
            result.append((part, None))
        elif isinstance(part, (tuple, list)) and len(part) == 2:
            result.append((part[0], part[1]))
        else:
            raise ShapeError("no part", element=f"Body.union[{number}]", value=part, allowed=_PARTS)
    return result


def _known(levels: Any) -> Any:
    """What `levels` may be, refused where it is made rather than where it is used."""
    levels_at(levels, np.zeros(3), "Body.levels")
    return levels


def _sides(sides: int) -> int:
    return whole(
        "Body.sides", sides, ShapeError, 3, allowed="a whole number from 3 on", problem="no prism"
    )


BoolArray = NDArray[np.bool_]


def covered_faces(pieces: Sequence[Piece], radius: float) -> tuple[BoolArray, ...]:
    """By piece, and by face of it, whether one other piece holds all its corners, within
    ``CONTACT_SEAM`` of the body's radius, and goes on beyond it. Empty for a sphere."""
    near = CONTACT_SEAM * radius
    boxes = np.array([_bounds(piece) for piece in pieces])
    result = []
    for number, piece in enumerate(pieces):
        faces = np.zeros(len(piece.planes) if isinstance(piece, Features) else 0, dtype=np.bool_)
        result.append(faces)
        if not isinstance(piece, Features) or len(pieces) == 1:
            continue
        meets = (boxes[:, 0] <= boxes[number, 1] + near) & (boxes[number, 0] <= boxes[:, 1] + near)
        for other in np.flatnonzero(meets.all(axis=1)).tolist():
            if other != number:
                faces |= _covers(pieces[other], piece, near)
    return tuple(result)


def _bounds(piece: Piece) -> Array:
    """Lower and upper corner, (2, 3)."""
    if isinstance(piece, Ball):
        return np.array([piece.centre - piece.radius, piece.centre + piece.radius])
    return np.array([piece.vertices.min(axis=0), piece.vertices.max(axis=0)])


def _covers(other: Piece, piece: Features, near: float) -> BoolArray:
    """By face of ``piece``, whether ``other`` holds its corners and goes on beyond it."""
    normals, offsets = piece.planes[:, :3], piece.planes[:, 3]
    if isinstance(other, Ball):
        held = np.linalg.norm(piece.vertices - other.centre, axis=1) <= other.radius + near
        top = normals @ other.centre + other.radius
    else:
        heights = piece.vertices @ other.planes[:, :3].T - other.planes[:, 3]
        held = heights.max(axis=1) <= near
        top = (normals @ other.vertices.T).max(axis=1)
    whole = np.array([bool(held[ring].all()) for ring in piece.loops])
    result: BoolArray = whole & (top > offsets + near)
    return result
