"""Triangles from a file: STL, OBJ and PLY read here, COLLADA with pycollada, the rest by trimesh.

Only the file itself is read: no materials, no textures, nothing over a network. Whatever is wrong
with it is a `MeshError` that names it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import MeshError
from standoff.shapes.mesh_obj import read_obj
from standoff.shapes.mesh_ply import read_ply
from standoff.shapes.mesh_stl import read_stl
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray


def read_mesh(path: Path) -> tuple[Array, IntArray]:
    """Vertices (n, 3) and faces (f, 3) as the file gives them; nothing merged or mended."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise MeshError(
            "unknown kind of mesh file",
            file=path,
            value=path.suffix,
            allowed=", ".join(sorted(READERS)),
        )
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MeshError(f"cannot be read: {reason}", file=path) from error
    if not data:
        raise MeshError("empty file", file=path)
    try:
        vertices, faces = reader(data)
    except MeshError as error:
        raise error.at(path) from error
    except Exception as error:  # whatever a parser trips over, the file is at fault
        kind = path.suffix.lower().lstrip(".").upper()
        raise MeshError(f"not a readable {kind} file: {_first_line(error)}", file=path) from error
    if len(faces) == 0:
        raise MeshError("no triangles", file=path)
    return vertices, faces


def scale_factors(scale: ArrayLike, path: str | Path) -> Array:
    """Three factors from one or three numbers; finite and not 0."""
    allowed = "1 or 3 finite numbers other than 0"
    try:
        factors = np.broadcast_to(np.asarray(scale, dtype=np.float64), (3,))
    except (TypeError, ValueError, OverflowError) as error:
        raise MeshError(
            "not a scale", file=path, element="scale", value=scale, allowed=allowed
        ) from error
    if not np.isfinite(factors).all() or (factors == 0.0).any():
        raise MeshError("not a scale", file=path, element="scale", value=scale, allowed=allowed)
    return factors


def _read_collada(data: bytes) -> tuple[Array, IntArray]:
    from standoff.shapes.mesh_collada import read_collada  # imports pycollada

    return read_collada(data)


def _read_with_trimesh(kind: str) -> Callable[[bytes], tuple[Array, IntArray]]:
    """A reader of files that users seldom bring; scenes are flattened, nothing is mended."""

    def read(data: bytes) -> tuple[Array, IntArray]:
        import trimesh

        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False)
        mesh = scene.to_mesh()
        return np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)

    return read


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


READERS: dict[str, Callable[[bytes], tuple[Array, IntArray]]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".dae": _read_collada,
    ".ply": read_ply,
    ".off": _read_with_trimesh("off"),
    ".glb": _read_with_trimesh("glb"),
}
