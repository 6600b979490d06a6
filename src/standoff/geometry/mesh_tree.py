"""The tree of a mesh: built, or read from beside the compiled kernels where it was built before.

A tree depends on the vertices and faces of its mesh and on the sources that build it: those name
the folder (see `compiled.jit`), and the content of the mesh names the file. Small trees are built
sooner than read, and are not kept.
"""

from __future__ import annotations

import numpy as np

from standoff.geometry import kept_file
from standoff.geometry.mesh_surface import parts
from standoff.geometry.narrowphase import bvh
from standoff.geometry.narrowphase.bvh import build_tree, node_count
from standoff.geometry.narrowphase.rss import NODE_COLUMNS
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.tolerances import EPS

#: How much a fitted swept rectangle is grown so that rounding leaves no vertex outside, relative
#: to the largest coordinate of its mesh, [-]: a vertex is projected on three axes and back.
RSS_GROWTH = 16 * EPS

#: Triangles from which on the tree of a mesh is kept on disk, [-]. Building takes 2 µs a triangle
#: and reading 0.2, and a file that is not in memory costs some milliseconds: below this, building
#: takes no longer than finding out whether there is a file.
KEPT_TREE_TRIANGLES = 4096


#: What a file holds: the nodes, then the integers, as `geometry.narrowphase.bvh` lays them out.
#: Another layout needs another number.
_FORMAT = "standoff tree 1"


def tree_of(points: Array, faces: IntArray) -> tuple[Array, IntArray]:
    """Nodes and integers of the tree over the triangles, see `geometry.narrowphase.bvh`."""
    if len(faces) < KEPT_TREE_TRIANGLES:
        return _built(points, faces)
    path = kept_file.path_of("trees", bvh.__file__, _FORMAT, points, faces)
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
