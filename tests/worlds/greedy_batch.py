"""Many poses of one pair through `greedy_pair`, in one compiled call."""

from __future__ import annotations

import numpy as np

from standoff.geometry.narrowphase import dispatch
from standoff.geometry.narrowphase.layout import SLACK
from standoff.papers.kernels.greedy import greedy_distances, greedy_scratch
from tests.worlds.mesh_batch import table


def question(delta, wanted=np.inf, effort=8, dirt=0.0):
    """Scratch with what is asked in it."""
    scratch = greedy_scratch()
    pair = scratch.pair
    for array in (pair.work, pair.iwork, pair.mesh.corners, pair.mesh.near, pair.mesh.own):
        array.fill(dirt)
    scratch.ask.general = dispatch.general_address()
    scratch.ask.delta, scratch.ask.wanted, scratch.ask.effort = delta, wanted, effort
    return scratch


def greedy(a, b, poses_a, poses_b, delta=0.0, wanted=np.inf, effort=8, *, swapped=False, dirt=0.0):
    """Rows of results (n, 11) of mesh a and body b, whether each is farther than ``delta``, and
    the pairs of volumes and of leaves tested."""
    bodies, pairs = table(a, b, np.asarray(poses_a), np.asarray(poses_b))
    if swapped:
        pairs = np.ascontiguousarray(pairs[:, ::-1])
    out = np.full((len(pairs), 11), dirt)
    scratch = question(delta, wanted, effort, dirt)
    visits = np.zeros((len(pairs), 2), dtype=np.int64)
    greedy_distances(bodies.address, pairs, scratch.address, out, visits)
    return out, out[:, SLACK] == 0.0, visits
