"""The walk of two meshes calls no time free in which they meet: of bodies whose points have
constant velocities, as the inequality takes them where nothing bends, and that are set on their way
so that two corners meet."""

from __future__ import annotations

import numpy as np
import pytest

from standoff.compiled.jit import entry
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, bodies_at
from standoff.geometry.narrowphase.bvh_walk import begin, push_roots, walk
from standoff.geometry.narrowphase.layout import SIZE
from standoff.geometry.table import pack
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.mesh_walk import _in_any_order, _settle
from standoff.paths.kernels.mesh_walk import test_volumes as volumes_settle
from tests.geometry.test_mesh_rss import leaves
from tests.worlds.mesh_shapes import star, torus

MESHES = torus(around=8, across=5), star(6, around=5, rings=3)


@entry("boolean(int64, int64, int64, int64)")
def by_volumes(search, bodies, s, t):
    """Node ``s`` of the first mesh against node ``t`` of the second."""
    found, both = p.search_at(search), bodies_at(bodies)
    begin(found.room.mesh, both, 0, both, 1)
    return volumes_settle(found, s, t)


@entry("boolean(int64, int64, int64, int64)")
def by_walk(search, bodies, s, t):
    """All of the two meshes."""
    found, both = p.search_at(search), bodies_at(bodies)
    begin(found.room.mesh, both, 0, both, 1)
    pair = found.room.mesh
    return walk(pair, push_roots(pair), found, _in_any_order, _settle) == 0


class Encounter:
    """Two meshes, in the coordinates of the first, of which two corners below these nodes meet
    ``until`` from now."""

    def __init__(self, rng, nodes, until):
        rows, refs, geometry = pack(MESHES)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn[:, 0] *= np.linalg.det(turn)
        at = rng.normal(size=3)
        at *= rng.uniform(1.0, 3.0) / np.linalg.norm(at)
        rows[:, :SIZE] = np.eye(4)[:3].ravel(), np.column_stack([turn, at]).ravel()
        self.bodies = Bodies(rows=rows, refs=refs, solids=geometry.solids)
        self.search = p.Search(room=PairScratch(), velocity_fields=2)
        angular, linear = rng.normal(size=(2, 2, 3))
        corners = []
        for mesh, node in zip(MESHES, nodes):
            below = leaves(mesh.geometry, mesh.triangles, node)[0]
            corners.append(mesh.vertices[mesh.faces[rng.choice(below), rng.integers(3)]])
        corners[1] = turn @ corners[1] + at
        ends = [x + until * (v + np.cross(w, x)) for x, v, w in zip(corners, linear, angular)]
        linear[1] += (ends[0] - ends[1]) / until
        for field, w, v in zip(self.search.velocity_fields, angular, linear):
            field.x, field.y, field.z = w
            field.vx, field.vy, field.vz = v
        self.nodes, self.back = nodes, until < 0.0

    def free(self, half, looked, taken=0.0):
        """Whether so much time is free, back or ahead."""
        found = self.search.walk
        self.search.now.half = half
        found.length, found.bend, found.taken, found.least = 1e9, 0.0, taken, np.inf
        found.back, found.ahead = (-1.0, 0.0) if self.back else (0.0, -1.0)
        done = looked(self.search.address, self.bodies.address, *self.nodes)
        return done and (found.back if self.back else found.ahead) < 0.0


@pytest.mark.parametrize("looked", [by_volumes, by_walk])
def test_no_time_is_called_free_in_which_two_corners_meet(looked):
    rng = np.random.default_rng(1)
    free = 0
    for _ in range(1500 if looked is by_volumes else 300):
        until = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.2, 1.0))
        nodes = [int(rng.integers(len(mesh.geometry.nodes))) for mesh in MESHES]
        met = Encounter(rng, nodes, until)
        for part in (1.0 + 1e-9, 1.01, 1.1, 1.5, 3.0):
            assert not met.free(part * abs(until), looked)
        free += any(met.free(part * abs(until), looked) for part in (0.05, 0.2, 0.8))
        assert not met.free(0.05 * abs(until), looked, taken=10.0)
    assert free > 50
