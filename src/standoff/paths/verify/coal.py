"""Coal's distances, as a second opinion."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.shape import Shape
from standoff.paths.verify.cell_model import NotProvedError
from standoff.paths.verify.rows import Rows, describe

#: How much nearer than claimed Coal may find two bodies before a certificate is refused, relative
#: to sizes and coordinates, [-], and in any case, [m]. Its search ends at 1e-6, and it takes boxes
#: within 1e-6 m for touching.
COAL_TOLERANCE = 1e-6
COAL_CONTACT = 2e-6


def installed() -> bool:
    return importlib.util.find_spec("coal") is not None


class Opinion:
    """Asks Coal about proofs, one after another.

    Attributes:
        asked: how many distances it gave.
    """

    def __init__(self) -> None:
        import coal

        self._coal = coal
        self._bodies: dict[int, Any] = {}
        self._request = coal.DistanceRequest(True, True)
        self.asked = 0

    def check(self, rows: Rows) -> None:
        """Refuse a proof whose bodies Coal finds nearer than claimed, by more than its own
        tolerance. Contacts are left out: about depths Coal and others disagree in good faith; and
        so are pairs that Coal has no answer for."""
        scene = rows.scene
        sizes = np.where(np.isinf(scene.radii), 0.0, scene.radii)
        places = [self._places(rows, side) for side in (rows.a, rows.b)]
        for k in range(len(rows.a)):
            claimed = float(rows.proofs["distance"][k])
            if claimed <= COAL_CONTACT:
                continue
            a, b = int(rows.a[k]), int(rows.b[k])
            value = self._distance(a, places[0][k], b, places[1][k], rows)
            slack = COAL_CONTACT + COAL_TOLERANCE * float(sizes[a] + sizes[b] + claimed)
            if value is not None and not value >= claimed - slack:
                raise NotProvedError(
                    f"{describe(rows, k)}: claims a distance of {claimed:.9g} m, Coal finds "
                    f"{value:.9g} m"
                )

    def _places(self, rows: Rows, parts: Any) -> list[Any]:
        result: list[Any] = [None] * len(parts)
        for part in np.unique(parts).tolist():
            which = np.flatnonzero(parts == part)
            turn, place = rows.placed(part, which)
            for k, r, t in zip(which.tolist(), turn, place, strict=True):
                result[k] = self._coal.Transform3s(r, t)
        return result

    def _distance(self, a: int, at: Any, b: int, there: Any, rows: Rows) -> float | None:
        result = self._coal.DistanceResult()
        try:
            # A shape, or a pair of them, that Coal does not know raises.
            value = self._coal.distance(
                self._body(rows, a), at, self._body(rows, b), there, self._request, result
            )
        except Exception:
            return None
        self.asked += 1
        return float(value)

    def _body(self, rows: Rows, part: int) -> Any:
        if part not in self._bodies:
            self._bodies[part] = _body(self._coal, rows.scene.part(part).shape)
        return self._bodies[part]


def _body(coal: Any, shape: Shape) -> Any:
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length)
    if isinstance(shape, Box):
        return coal.Box(*shape.size)
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, shape.length)
    if isinstance(shape, HalfSpace):
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    if not isinstance(shape, (Mesh, Polyhedron)):
        raise TypeError(f"Coal has no {type(shape).__name__}")
    vertices: Array = np.array(shape.vertices)
    if isinstance(shape, Polyhedron):
        points = coal.StdVec_Vec3s()
        for p in vertices:
            points.append(p)
        return coal.Convex.convexHull(points, True, "Qt")
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(shape.faces), len(vertices))
    model.addVertices(vertices)
    model.addTriangles(np.array(shape.faces, dtype=np.int64))
    model.endModel()
    return model
