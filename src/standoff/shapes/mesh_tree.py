"""The tree of a mesh: built, or read from beside the compiled kernels where it was built before.

A tree depends on the vertices and faces of its mesh and on the sources that build it: those name
the folder (see `kernels.jit`), and the content of the mesh names the file. Small trees are built
sooner than read, and are not kept.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from standoff.constants import KEPT_TREE_TRIANGLES, RSS_GROWTH
from standoff.kernels.jit import CACHE_DIR
from standoff.kernels.rss import NODE_COLUMNS
from standoff.kernels.rss_tree import build_tree, node_count
from standoff.shapes import kept_file
from standoff.shapes.mesh_surface import parts
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray

#: What a file holds: the nodes, then the integers, as `kernels.rss_tree` lays them out. Another
#: layout needs another number.
_FORMAT = b"standoff tree 1"


def tree_of(points: Array, faces: IntArray) -> tuple[Array, IntArray]:
    """Nodes and integers of the tree over the triangles, see `kernels.rss_tree`."""
    if len(faces) < KEPT_TREE_TRIANGLES:
        return _built(points, faces)
    path = _path(points, faces)
    kept = kept_file.read(path)
    found = None if kept is None else _unpacked(kept, points, faces)
    if found is None:
        found = _built(points, faces)
        kept_file.write(path, found[0].tobytes() + found[1].tobytes())
    return found


def _built(points: Array, faces: IntArray) -> tuple[Array, IntArray]:
    inner = node_count(len(faces))
    nodes = np.zeros((inner, NODE_COLUMNS))
    firsts = parts(points, faces)[1]
    ints = np.empty(2 * inner + 1 + len(firsts), dtype=np.int64)
    growth = RSS_GROWTH * float(np.abs(points).max())
    order = np.empty(len(faces), dtype=np.int64)
    build_tree(points, faces, growth, nodes, ints, order)
    ints[2 * inner] = len(firsts)
    ints[2 * inner + 1 :] = firsts
    return nodes, ints


def _unpacked(data: bytes, points: Array, faces: IntArray) -> tuple[Array, IntArray] | None:
    """The two arrays, if they can be those of this mesh: kernels look at no index twice."""
    inner = node_count(len(faces))
    split = 8 * NODE_COLUMNS * inner
    if len(data) % 8 or len(data) < split + 8 * (2 * inner + 1):
        return None
    # copied, as a view of bytes is read-only, and kernels are compiled for arrays that are not
    nodes = np.frombuffer(data[:split], dtype=np.float64).reshape(inner, NODE_COLUMNS).copy()
    ints = np.frombuffer(data[split:], dtype=np.int64).copy()
    children, firsts = ints[: 2 * inner], ints[2 * inner + 1 :]
    sound = (
        np.isfinite(nodes).all()
        and ints[2 * inner] == len(firsts)
        and -len(faces) <= children.min()
        and children.max() < inner
        and ((firsts >= 0) & (firsts < len(points))).all()
    )
    return (nodes, ints) if sound else None


def _path(points: Array, faces: IntArray) -> Path:
    digest = hashlib.sha256(_FORMAT)
    for part in (points, faces):
        digest.update(f"{part.shape} {part.dtype.str}".encode())
        digest.update(np.ascontiguousarray(part).data)
    return CACHE_DIR / "trees" / f"{digest.hexdigest()}.bin"
