"""Many poses of one pair through `greedy_distance`, in one compiled call."""

from __future__ import annotations

import numpy as np

from standoff.papers.kernels.greedy import NEAR, greedy_distances, greedy_scratch
from tests.worlds.mesh_batch import table


def question(delta, wanted=np.inf, effort=8, dirt=0.0):
    """Scratch with what is asked in it."""
    scratch = greedy_scratch()
    pair = scratch.pair
    for array in (pair.work, pair.iwork, pair.mesh.corners, pair.mesh.near, pair.mesh.own):
        array.fill(dirt)
    scratch.ask.delta, scratch.ask.wanted, scratch.ask.effort = delta, wanted, effort
    return scratch


def greedy(a, b, poses_a, poses_b, delta=0.0, wanted=np.inf, effort=8, *, swapped=False, dirt=0.0):
    """Bounds on the distance of two meshes, whether each is farther than ``delta``, and the pairs
    of volumes and of leaves tested."""
    bodies, pairs = table(a, b, np.asarray(poses_a), np.asarray(poses_b))
    if swapped:
        pairs = np.ascontiguousarray(pairs[:, ::-1])
    bounds = np.full(len(pairs), dirt)
    scratch = question(delta, wanted, effort, dirt)
    visits = np.zeros((len(pairs), 2), dtype=np.int64)
    greedy_distances(bodies.address, pairs, scratch.address, bounds, visits)
    return bounds, bounds != NEAR, visits
