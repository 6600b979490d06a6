"""Triangle meshes: solids, and sheets where the user says so."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import MeshError, ShapeError
from standoff.geometry.kernels.hull_audit import below_all_faces
from standoff.geometry.mesh_surface import by_part, merged, one_sided, oriented, parts, welded
from standoff.geometry.mesh_tree import tree_of
from standoff.geometry.narrowphase import layout
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.shape import Geometry, IntArray, Shape, frozen, size_row
from standoff.scalars import flag

#: Largest coordinate of a mesh, [m]. Distances of triangles go through fourth and fifth powers,
#: which must stay finite; nothing real comes near.
MESH_REACH = 1e30

#: How far a vertex may stand out of the plane of a face of a mesh that still counts as convex,
#: relative to the mesh's diagonal, [-]. Single-precision files are about 1e-7 off.
CONVEX_TOLERANCE = 1e-6


class Mesh(Shape):
    """Triangles between ``vertices`` (n, 3) [m], three indices in each row of ``faces`` (f, 3).

    Vertices that are exactly equal become one, so that the loose triangles of an STL file join up;
    where the mesh is open then, or has a second side within rounding of the first, so do those that
    are apart by no more than 1e-9 of its diagonal.
    A triangle without area counts as the segment or the point that it is; none is dropped but the
    second of two that are the same, where the mesh is closed without it, is open anyway, or has
    every triangle both ways round.

    The mesh is *closed*, a solid, when every edge is used by exactly two triangles, once in each
    direction; several closed parts may make up one solid, and a part inside another with its
    faces turned inward is a cavity. Where every edge has two triangles, but some of them disagree
    about the outside, the part they belong to is made to agree and to point outward: it is never a
    cavity, as in doubt a part is solid. A closed part whose faces point inward, and which is not a
    cavity, is turned round. Whatever was mended or keeps the mesh from being closed stands in
    ``problems``.

    Any other mesh is *open*: a triangle may be missing, or it may be meant as a surface. As the two
    look alike, points of its bounding box count as inside where the absolute value of the
    generalised winding number, the solid angle of all triangles over 4 π, is at least 1/2, or that
    of one of its connected parts is: deep in a bowl, but not above its rim, and nowhere beside one
    flat sheet. ``sheet=True`` says that an open mesh is a surface with no inside.

    Distances are exact between surfaces that are apart, 0 where they touch or cross, and minus the
    gap where a body is wholly inside a solid; see `standoff.geometry.narrowphase.mesh`.

    Attributes:
        vertices: (n, 3), read-only; faces: (f, 3), read-only.
        closed: whether it is a solid; sheet: whether an open one has nothing inside.
        open_solid: whether it is open and counts as solid all the same.
        problems: what is odd about it, in words; empty for a clean solid.
        source, scale: the file it was loaded from, and the factors along x, y, z.
    """

    kind = layout.MESH
    convex = False

    def __init__(self, vertices: ArrayLike, faces: ArrayLike, *, sheet: bool = False) -> None:
        sheet = flag("sheet", sheet, MeshError)
        points = _points(vertices)
        corners = _faces(faces, len(points))
        points, corners, unused = merged(points, corners)
        corners, reverse = one_sided(corners)
        points, corners, gone = welded(points, corners)
        corners, self.closed, self.problems = oriented(points, corners, unused)
        if reverse:
            self.problems += (f"{reverse} repeated triangles were left out",)
        if gone:
            self.problems += (f"{gone} vertices within rounding of another were merged with it",)
        if not self.closed:
            points, corners = by_part(points, corners)
        self._points, self._corner_rows = points, corners
        self.vertices: Array = frozen(points)
        self.faces: IntArray = frozen(corners)
        self.sheet = sheet
        self.size_row = size_row()
        self.source: Path | None = None
        self.scale = (1.0, 1.0, 1.0)

    @classmethod
    def load(
        cls, path: str | Path, scale: ArrayLike = (1.0, 1.0, 1.0), *, sheet: bool = False
    ) -> Self:
        """Read an STL, OBJ, DAE, PLY, OFF or GLB file. ``scale`` (one number or three) multiplies
        x, y, z and may mirror; ``sheet`` as above. Nothing but this one file is read. Whatever is
        wrong is a `MeshError`."""
        from standoff.geometry.mesh_files.mesh_file import mesh_path, read_mesh, scale_factors

        path = mesh_path(path)
        factors = scale_factors(scale, path)
        vertices, faces = read_mesh(path)
        if np.prod(np.sign(factors)) < 0.0:
            faces = faces[:, ::-1]
        try:
            with np.errstate(over="ignore"):
                scaled = vertices * factors
            if np.isfinite(vertices).all() and not np.isfinite(scaled).all():
                raise MeshError(
                    "a scale that takes vertices too far out",
                    value=factors.tolist(),
                    allowed=f"coordinates up to {MESH_REACH:g} m",
                )
            mesh = cls(scaled, faces, sheet=sheet)
        except MeshError as error:
            raise error.at(path) from error
        mesh.source = path
        mesh.scale = (float(factors[0]), float(factors[1]), float(factors[2]))
        return mesh

    @property
    def triangles(self) -> int:
        """How many there are."""
        return len(self.faces)

    @property
    def open_solid(self) -> bool:
        return not (self.closed or self.sheet)

    @property
    def flags(self) -> int:
        return layout.CLOSED if self.closed else layout.OPEN_SOLID if self.open_solid else 0

    def as_surface(self) -> Self:
        """The same mesh, as a sheet where it is open."""
        if not self.open_solid:
            return self
        surface = copy(self)
        surface.sheet = True
        return surface

    @cached_property
    def geometry(self) -> Geometry:
        """Vertices, faces and the tree, which is built or read when first asked for."""
        return Geometry(self._points, self._corner_rows, *tree_of(self._points, self._corner_rows))

    @cached_property
    def volume(self) -> float:
        """Enclosed volume [m³], less the cavities; 0 for an open mesh."""
        if not self.closed:
            return 0.0
        a, b, c = self._corners()
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)

    @cached_property
    def area(self) -> float:
        """Area of all triangles, one side each, [m²]."""
        a, b, c = self._corners()
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0)

    @cached_property
    def is_convex(self) -> bool:
        """Whether it is a solid in one part with all vertices below every face, up to
        CONVEX_TOLERANCE of its diagonal: then the polyhedron of its vertices is the same body."""
        lower, upper = self.bounds()
        reach = CONVEX_TOLERANCE * float(np.linalg.norm(upper - lower))
        if not self.closed or len(parts(self._points, self._corner_rows)[1]) != 1:
            return False
        return bool(below_all_faces(self._points, self._corner_rows, reach))

    @cached_property
    def hull(self) -> Polyhedron | None:
        """The convex hull, which holds it; None where that is flat."""
        try:
            return Polyhedron(self._points)
        except ShapeError:
            return None

    def bounds(self) -> tuple[Array, Array]:
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    def core(self) -> tuple[Array, float]:
        return self.vertices, 0.0

    def parameters(self) -> dict[str, Any]:
        said = {"sheet": True} if self.sheet else {}
        if self.source is not None:
            return {"file": str(self.source), "scale": list(self.scale), **said}
        return {"vertices": self.vertices.tolist(), "faces": self.faces.tolist(), **said}

    def _corners(self) -> tuple[Array, Array, Array]:
        # from the middle of the bounds, for figures of a small mesh far from its origin
        points = self.vertices - (self.bounds()[0] + self.bounds()[1]) / 2.0
        a, b, c = (points[self.faces[:, k]] for k in range(3))
        return a, b, c

    def __repr__(self) -> str:
        what = "closed" if self.closed else "a sheet" if self.sheet else "open"
        origin = f" from {self.source}" if self.source is not None else ""
        return f"<Mesh of {self.triangles} triangles, {what}{origin}>"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mesh)
            and self.flags == other.flags
            and np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.faces, other.faces)
        )

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.faces.tobytes()))


def _points(vertices: ArrayLike) -> Array:
    try:
        points = np.array(vertices, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise MeshError("not numbers", element="Mesh.vertices", value=vertices) from error
    if points.ndim != 2 or points.shape[1] != 3:
        raise MeshError(
            "wrong shape", element="Mesh.vertices", value=points.shape, allowed="(n, 3), n >= 1"
        )
    bad = np.flatnonzero(~(np.abs(points) <= MESH_REACH).all(axis=1))
    if len(bad):
        odd = "too far out" if np.isfinite(points[bad]).all() else "not finite"
        raise MeshError(
            f"{len(bad)} of {len(points)} vertices are {odd}",
            element=f"vertex {bad[0]}",
            value=points[bad[0]].tolist(),
            allowed=f"numbers up to {MESH_REACH:g} m",
        )
    return points


def _faces(faces: ArrayLike, count: int) -> IntArray:
    try:
        given = np.asarray(faces)
        if np.iscomplexobj(given):
            raise TypeError("complex numbers")
        with np.errstate(invalid="ignore"):  # not a number is no whole number either, see below
            corners = given.astype(np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise MeshError("not numbers", element="Mesh.faces", value=faces) from error
    if given.dtype.kind not in "iu" and given.size and not np.array_equal(corners, given):
        raise MeshError("not whole numbers", element="Mesh.faces", value=given.ravel()[:6].tolist())
    if given.size == 0:
        raise MeshError("no triangles", element="Mesh.faces", allowed="at least one")
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise MeshError(
            "wrong shape", element="Mesh.faces", value=corners.shape, allowed="(f, 3), f >= 1"
        )
    bad = np.flatnonzero(((corners < 0) | (corners >= count)).any(axis=1))
    if len(bad):
        raise MeshError(
            "index out of range",
            element=f"face {bad[0]}",
            value=corners[bad[0]].tolist(),
            allowed=f"0 to {count - 1}",
        )
    return np.ascontiguousarray(corners)
