"""A mesh cut into convex pieces by CoACD."""

from __future__ import annotations

import numpy as np

from standoff.errors import MeshError, MissingPackageError
from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron


def known_method(method: str) -> None:
    """Refuses a way to split that there is none of."""
    if method != "coacd":
        raise MeshError("no such way to split", element="split", value=method, allowed='"coacd"')


def split_convex(mesh: Mesh, method: str) -> list[Polyhedron]:
    """Convex pieces that cover a closed mesh approximately, by CoACD with a fixed seed."""
    known_method(method)
    if not mesh.closed:
        raise MeshError(
            "an open mesh has no inside to split",
            element="split",
            value=", ".join(mesh.problems) or mesh,
            allowed="a closed mesh",
        )
    try:
        import coacd
    except ImportError as error:
        raise MissingPackageError(
            "CoACD", "standoff[contact]", "splitting a mesh", element="Body.from_mesh"
        ) from error
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(np.array(mesh.vertices), np.array(mesh.faces)), seed=0)
    return [Polyhedron(np.asarray(vertices, dtype=np.float64)) for vertices, _ in parts]
