"""Many poses of one pair through `mesh_pair`, in one compiled call."""

from __future__ import annotations

import numpy as np

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.mesh import MESH_IWORK, MESH_WORK, mesh_pair


@kernel
def mesh_distances(rows, refs, points, faces, nodes, ints, pairs, work, iwork, out):
    for k in range(len(pairs)):
        mesh_pair(
            rows, refs, pairs[k, 0], points, faces, nodes, ints,
            rows, refs, pairs[k, 1], points, faces, nodes, ints, work, iwork, out, k,
        )  # fmt: skip


def table(a, b, poses_a, poses_b):
    """The arguments of `mesh_distances`: a's rows, then b's; geometries concatenated, a's second,
    so that no offset is 0 by luck."""
    count = len(poses_a)
    rows = np.zeros((2 * count, 16))
    rows[:, :12] = np.concatenate([poses_a, poses_b])[:, :3].reshape(-1, 12)
    rows[:count, 12:], rows[count:, 12:] = a.size_row, b.size_row
    ga, gb = a.geometry, b.geometry
    parts = [(gb.points, ga.points), (gb.faces, ga.faces), (gb.nodes, ga.nodes), (gb.ints, ga.ints)]
    p, f, n, m = (len(first) for first, _ in parts)
    refs = np.zeros((2 * count, 8), dtype=np.int64)
    refs[:count] = (a.kind, p, len(ga.points), f, len(ga.faces), n, m, a.flags)
    refs[count:] = (b.kind, 0, len(gb.points), 0, len(gb.faces), 0, 0, b.flags)
    pairs = np.stack([np.arange(count), count + np.arange(count)], axis=1)
    return rows, refs, *(np.ascontiguousarray(np.concatenate(part)) for part in parts), pairs


def distances(a, b, poses_a, poses_b):
    """Rows of results (n, 11) of mesh a and body b."""
    arguments = table(a, b, np.asarray(poses_a), np.asarray(poses_b))
    out = np.zeros((len(poses_a), 11))
    mesh_distances(*arguments, np.zeros(MESH_WORK), np.zeros(MESH_IWORK, np.int64), out)
    return out
