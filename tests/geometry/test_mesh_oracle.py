"""Mesh distances beside Coal's: 20,000 poses a pair, anywhere, near contact and overlapping.

Coal knows surfaces only, so poses where one body is wholly inside the other are compared with the
gap between the surfaces here, and have tests of their own in `test_mesh_inside`.
"""

from __future__ import annotations

import coal
import numpy as np
import pytest

from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from tests.oracles import coal as coal_oracle
from tests.worlds.mesh_batch import distances
from tests.worlds.mesh_shapes import bowl_arrays, box_mesh, random_poses, star, torus

POSES = 20_000
#: Coal's own accuracy on curved bodies, relative to sizes of about 1 m.
ITERATIVE = 3e-6
EXACT = 1e-9

MESHES = {
    "torus": torus(around=14, across=6),
    "star": star(3, around=6, rings=4),
    "bowl": Mesh(*bowl_arrays(rings=3, around=9), sheet=True),
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


def loose_mesh(*triangles):
    return Mesh(np.reshape(triangles, (-1, 3)), np.arange(3 * len(triangles)).reshape(-1, 3))


#: A sliver and a body that holds a point of it; the decoy beside the body is found first.
SHAPES = {
    "sphere": lambda size: Sphere(size),
    "capsule": lambda size: Capsule(size, size),
    "box": lambda size: Box((size, size, size)),
    "cylinder": lambda size: Cylinder(size, size),
    "polyhedron": lambda size: Polyhedron(
        size * np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    ),
    "triangle mesh": lambda size: loose_mesh(
        [[size * np.cos(t), size * np.sin(t), 0.0] for t in (0.0, 2.0, 4.0)]
    ),
}


@pytest.mark.parametrize("body", SHAPES)
def test_no_sliver_is_missed(body):
    """A body about a point of a sliver's edge overlaps it; moved away, it is no farther than the
    corner of its own that came from there."""
    rng = np.random.default_rng(13)
    still = np.eye(4)[None]
    for _ in range(1000):
        a, d, e = rng.normal(size=(3, 3))
        side = np.cross(d, e) / np.linalg.norm(np.cross(d, e))
        thickness = rng.choice([0.0, 1.0], p=[0.1, 0.9]) * 10.0 ** rng.uniform(-17, -6)
        sliver = [a, a + d, a + rng.uniform(0.2, 0.8) * d + thickness * side * np.linalg.norm(d)]
        x = a + d * (1.0 - 10.0 ** rng.uniform(-2, -0.3))
        u = np.cross(d, rng.normal(size=3))
        u /= np.linalg.norm(u)
        v = np.cross(d, u) / np.linalg.norm(d)
        size = 10.0 ** rng.uniform(-6, -2)
        q = x + 4.0 * size * u
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = np.stack([u, v, np.cross(u, v)], axis=1), x
        decoyed = loose_mesh(sliver, [q, q + u + 0.1 * v, q + u - 0.1 * v])
        out = distances(decoyed, SHAPES[body](size), still, pose[None])[0]
        assert out[0] <= 0.0
        # the body's centre is a point of it, and now ``moved`` away from x
        moved = size * 10.0 ** rng.uniform(-2, 0.3)
        pose[:3, 3] += moved * v
        out = distances(decoyed, SHAPES[body](size), still, pose[None])[0]
        assert out[0] - out[10] <= moved


def test_slack_covers_the_triangles_that_lost():
    """Two triangles at the same cylinder: the one that the walk sees first is measured in full, and
    its slack counts even where the other one wins."""
    rng = np.random.default_rng(17)
    cylinder, still = Cylinder(0.3, 0.5), np.eye(4)[None]
    uneven = 0
    for _ in range(300):
        pair = np.array([rng.normal(size=(3, 3)) * 0.4 + (0.0, 0.0, 1.0)] * 2)
        pair[1] = pair[1] @ np.diag([-1.0, 1.0, 1.0]) + rng.normal(size=3) * 1e-4
        alone = [distances(loose_mesh(t), cylinder, still, still)[0] for t in pair]
        both = loose_mesh(*pair)
        first = ~both.geometry.ints[0]
        loser, winner = alone[first], alone[1 - first]
        if not loser[0] > winner[0] > 0.01:
            continue
        uneven += loser[10] > 2.0 * winner[10]
        rounding = 1e-13  # the two alone are nearer to the origin by a little
        assert distances(both, cylinder, still, still)[0, 10] >= loser[10] - rounding
    assert uneven > 3
