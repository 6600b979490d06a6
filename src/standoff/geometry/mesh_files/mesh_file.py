"""Triangles from a file: COLLADA with pycollada, all others by readers of our own.

Only the file itself is read: no materials, no textures, nothing over a network. Whatever is wrong
with it is a `MeshError` that names it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import MeshError
from standoff.geometry.mesh_files.collada import MAX_MESH_BYTES
from standoff.geometry.mesh_files.glb import read_glb
from standoff.geometry.mesh_files.obj import read_obj
from standoff.geometry.mesh_files.off import read_off
from standoff.geometry.mesh_files.ply import read_ply
from standoff.geometry.mesh_files.stl import read_stl
from standoff.geometry.pose import Array
from standoff.geometry.regular_file import read_regular
from standoff.geometry.shape import IntArray


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
    data = read_regular(path, MAX_MESH_BYTES, "a mesh file", MeshError)
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


def mesh_path(path: object) -> Path:
    """A path from text or a path."""
    try:
        return Path(path)  # type: ignore[arg-type]
    except TypeError as error:
        raise MeshError(
            "not a path", element="Mesh.load", value=path, allowed="text or a path"
        ) from error


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
    from standoff.geometry.mesh_files.collada import read_collada  # imports pycollada

    return read_collada(data)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


READERS: dict[str, Callable[[bytes], tuple[Array, IntArray]]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".dae": _read_collada,
    ".ply": read_ply,
    ".off": read_off,
    ".glb": read_glb,
}
