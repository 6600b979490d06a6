"""Mesh distances beside Coal's: 20,000 poses a pair, anywhere, near contact and overlapping.

Coal knows surfaces only, so poses where one body is wholly inside the other are compared with the
gap between the surfaces here, and have tests of their own in `test_mesh_inside`.
"""

from __future__ import annotations

import coal
import numpy as np
import pytest

from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron
from standoff.shapes.primitives import Box, Capsule, Cylinder, Sphere
from tests import coal_oracle
from tests.mesh_batch import distances
from tests.mesh_shapes import bowl_arrays, box_mesh, random_poses, star, torus

POSES = 20_000
#: Coal's own accuracy on curved bodies, relative to sizes of about 1 m.
ITERATIVE = 3e-6
EXACT = 1e-9

MESHES = {
    "torus": torus(around=14, across=6),
    "star": star(3, around=6, rings=4),
    "bowl": Mesh(*bowl_arrays(rings=3, around=9)),
    "box": box_mesh(0.7, 0.5, 0.2),
}
BODIES = {
    "sphere": (Sphere(0.15), EXACT),
    "capsule": (Capsule(0.08, 0.4), EXACT),
    "box": (Box((0.4, 0.25, 0.15)), ITERATIVE),
    "cylinder": (Cylinder(0.15, 0.3), ITERATIVE),
    "polyhedron": (Polyhedron(np.random.default_rng(1).normal(size=(14, 3)) * 0.15), ITERATIVE),
    "torus mesh": (torus(ring=0.3, tube=0.1, around=9, across=5), EXACT),
    "star mesh": (star(5, around=5, rings=3), EXACT),
}


def coal_distances(a, b, poses_a, poses_b):
    first, second = coal_oracle.geometry(a), coal_oracle.geometry(b)
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    return np.array(
        [
            coal_oracle.distance(first, p, second, q, request, result)[0]
            for p, q in zip(poses_a, poses_b)
        ]
    )


def near_contact(out, poses_b, rng):
    """b moved along the normal so that about 1e-1 to 1e-8 m are left, or overlap."""
    moved = poses_b.copy()
    left = 10.0 ** rng.uniform(-8, -1, len(out)) * rng.choice([1.0, 1.0, -1.0], len(out))
    moved[:, :3, 3] += out[:, 7:10] * (out[:, 0] - left)[:, None]
    return moved


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("body", BODIES)
def test_agrees_with_coal(mesh, body):
    a, (b, tolerance) = MESHES[mesh], BODIES[body]
    rng = np.random.default_rng([7, list(MESHES).index(mesh), list(BODIES).index(body)])
    count = POSES // len(MESHES) // 2
    poses_a, anywhere = random_poses(rng, count, 0.1), random_poses(rng, count, 0.9)
    out = distances(a, b, poses_a, anywhere)
    closer = near_contact(out, anywhere, rng)
    poses_a, poses_b = np.tile(poses_a, (2, 1, 1)), np.concatenate([anywhere, closer])
    out = distances(a, b, poses_a, poses_b)
    expected = coal_distances(a, b, poses_a, poses_b)
    value = out[:, 0]
    apart = expected > tolerance
    assert 0.1 < apart.mean() < 0.99
    # A negative value is a body inside a closed mesh: the gap is Coal's distance all the same.
    assert np.abs(np.abs(value) - expected)[apart].max() < tolerance
    assert (value[expected < -tolerance] <= 0.0).all()
    assert (value[~apart] < 2.0 * tolerance).all()  # Coal says 0 from about 1e-6 m on
    check_row_laws(out)


def check_row_laws(out):
    """|n| = 1, pa - pb = value n, and a slack of a few ulps (curved bodies: of GJK's gap)."""
    gap = out[:, 1:4] - out[:, 4:7]
    assert np.abs(np.linalg.norm(out[:, 7:10], axis=1) - 1.0).max() < 1e-12
    assert np.abs(gap - out[:, [0]] * out[:, 7:10]).max() < 2e-9
    assert (out[:, 10] >= 0.0).all() and out[:, 10].max() < 1e-8


@pytest.mark.parametrize("far", [1e4])
@pytest.mark.parametrize("size", [1e-4, 1e3])
def test_sizes_and_coordinates_far_apart(size, far):
    """Millimetres and kilometres, ten kilometres from the origin: only the rounding grows."""
    rng = np.random.default_rng(11)
    a, b = (Mesh(m.vertices * size, m.faces) for m in (MESHES["torus"], MESHES["star"]))
    poses_a, poses_b = random_poses(rng, 300), random_poses(rng, 300, 0.9 * size)
    near = distances(a, b, poses_a, poses_b)
    shift = np.zeros((4, 4))
    shift[:3, 3] = (far, -far, far)
    there = distances(a, b, poses_a + shift, poses_b + shift)
    assert np.abs(there[:, 0] - near[:, 0]).max() < 1e-11 + 1e-14 * size
    assert (np.abs(there[:, 0] - near[:, 0]) <= there[:, 10] + near[:, 10]).all()
