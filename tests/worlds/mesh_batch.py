"""Many poses of one pair through `mesh_pair`, in one compiled call."""

from __future__ import annotations

import numpy as np

from standoff.compiled.jit import entry
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids, bodies_at, scratch_at
from standoff.geometry.narrowphase.mesh import mesh_pair


@entry("void(int64, int64[:,::1], int64, float64[:,::1])")
def mesh_distances(bodies, pairs, scratch, out):
    A, room = bodies_at(bodies), scratch_at(scratch)
    for k in range(len(pairs)):
        mesh_pair(A, pairs[k, 0], A, pairs[k, 1], room, out, k)


def table(a, b, poses_a, poses_b):
    """Bodies and the pairs of them: a's rows, then b's; geometries concatenated, a's second, so
    that no offset is 0 by luck."""
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
    points, faces, nodes, ints = (np.ascontiguousarray(np.concatenate(part)) for part in parts)
    solids = Solids(points=points, faces=faces, nodes=nodes, ints=ints)
    return Bodies(rows=rows, refs=refs, solids=solids), pairs


def distances(a, b, poses_a, poses_b):
    """Rows of results (n, 11) of mesh a and body b."""
    bodies, pairs = table(a, b, np.asarray(poses_a), np.asarray(poses_b))
    out = np.zeros((len(poses_a), 11))
    scratch = PairScratch()
    mesh_distances(bodies.address, pairs, scratch.address, out)
    return out
