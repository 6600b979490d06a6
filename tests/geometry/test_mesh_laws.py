"""What must hold for any mesh distance: symmetry, rigid motion, Lipschitz, witnesses on bodies."""

from __future__ import annotations

import coal
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import pose
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from tests.oracles import coal as coal_oracle
from tests.worlds.convex_cases import outside
from tests.worlds.mesh_batch import distances
from tests.worlds.mesh_shapes import bowl_arrays, box_arrays, star, torus

BOWL = Mesh(*bowl_arrays(0.5, 3, 8), sheet=True)
MESHES = [torus(around=12, across=6), star(3, around=6, rings=4), BOWL]
BODIES = [
    *MESHES,
    Sphere(0.2),
    Capsule(0.1, 0.4),
    Box((0.4, 0.3, 0.1)),
    Cylinder(0.2, 0.3),
    Polyhedron(box_arrays(0.3, 0.2, 0.4)[0]),
]
LAWS = settings(deadline=None, max_examples=150, derandomize=True)

number = st.floats(-1.2, 1.2, allow_subnormal=False)
unit = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)


@st.composite
def poses(draw):
    q = np.array(draw(unit))
    return pose([draw(number) for _ in range(3)], q / np.linalg.norm(q))


mesh = st.sampled_from(MESHES)
body = st.sampled_from(BODIES)


def row(a, b, pose_a, pose_b):
    return distances(a, b, [pose_a], [pose_b])[0]


def accuracy(out):
    return 1e-13 + 2.0 * out[10]


@LAWS
@given(mesh, mesh, poses(), poses())
def test_order_does_not_matter(a, b, pose_a, pose_b):
    one, other = row(a, b, pose_a, pose_b), row(b, a, pose_b, pose_a)
    assert one[0] == pytest.approx(other[0], abs=accuracy(one))


@LAWS
@given(mesh, body, poses(), poses(), poses())
def test_moving_the_world_changes_nothing(a, b, pose_a, pose_b, world):
    here, there = row(a, b, pose_a, pose_b), row(a, b, world @ pose_a, world @ pose_b)
    assert there[0] == pytest.approx(here[0], abs=1e-12 + accuracy(here) + accuracy(there))


@LAWS
@given(mesh, body, poses(), poses(), st.tuples(number, number, number))
def test_a_distance_changes_no_faster_than_the_body_moves(a, b, pose_a, pose_b, step):
    moved = pose_b.copy()
    moved[:3, 3] += step
    here, there = row(a, b, pose_a, pose_b)[0], row(a, b, pose_a, moved)[0]
    # for bodies that do not overlap: an overlap's value is a bound only
    assert abs(max(here, 0.0) - max(there, 0.0)) <= np.linalg.norm(step) + 1e-9


def off_surface(shape, placed, point):
    """How far a point is from a body: by its equations, or as Coal sees it for a mesh. (For a point
    on the flat end of a cylinder Coal gives its depth below the rim.)"""
    if not isinstance(shape, Mesh):
        return outside(shape, placed[None], point[None])[0]
    ball = coal.Sphere(1e-9)
    there = pose(point)
    return coal_oracle.distance(coal_oracle.geometry(shape), placed, ball, there)[0] + 1e-9


@LAWS
@given(mesh, body, poses(), poses())
def test_witnesses_lie_on_the_bodies_a_distance_apart(a, b, pose_a, pose_b):
    out = row(a, b, pose_a, pose_b)
    assert np.linalg.norm(out[7:10]) == pytest.approx(1.0, abs=1e-12)
    assert out[1:4] - out[4:7] == pytest.approx(out[0] * out[7:10], abs=accuracy(out))
    assert np.linalg.norm(out[1:4] - out[4:7]) == pytest.approx(abs(out[0]), abs=accuracy(out))
    assert off_surface(a, pose_a, out[1:4]) < 2e-6
    if out[0] > 0.0:
        assert abs(off_surface(b, pose_b, out[4:7])) < 2e-6


@LAWS
@given(mesh, body, poses(), st.floats(1e-9, 0.3))
def test_a_body_backed_off_along_the_normal_is_at_least_that_far(a, b, pose_b, gap):
    """Convex bodies only: there the normal separates b from the part of a it is nearest to."""
    out = row(a, b, np.eye(4), pose_b)
    moved = pose_b.copy()
    moved[:3, 3] -= gap * out[7:10]
    there = row(a, b, np.eye(4), moved)
    if out[0] > 0.0 and there[0] > 0.0:
        assert there[0] <= out[0] + gap + 1e-9
