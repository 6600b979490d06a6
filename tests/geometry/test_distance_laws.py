"""What every distance of two convex bodies obeys, whatever they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.geometry.distance import distance
from standoff.geometry.pose import pose
from standoff.geometry.primitives import Box, Capsule, Sphere
from tests.worlds.distance_cases import KINDS, height_over

LAW = settings(deadline=None, max_examples=400, derandomize=True)

lengths = st.one_of(st.floats(1e-4, 1e3), st.floats(0.05, 0.5), st.just(0.25))
extents = st.one_of(lengths, st.just(0.0))
coordinates = st.one_of(st.floats(-2, 2), st.floats(-1e4, 1e4), st.integers(-2, 2).map(float))
angles = st.one_of(st.floats(-4, 4), st.sampled_from([0.0, np.pi / 2, np.pi, 1e-9, 1e-6]))
vectors = st.tuples(coordinates, coordinates, coordinates)
poses = st.builds(lambda p, r: pose(p, rpy=r), vectors, st.tuples(angles, angles, angles))
shapes = st.one_of(
    st.builds(Sphere, lengths),
    st.builds(Capsule, lengths, extents),
    st.builds(lambda x, y, z: Box((x, y, z)), lengths, extents, extents),
)


def rounding(a, at_a, b, at_b, *vectors):
    sizes = (
        a.size_row.sum() + b.size_row.sum() + np.abs(at_a[:3, 3]).sum() + np.abs(at_b[:3, 3]).sum()
    )
    return 4e-14 * (sizes + sum(np.abs(v).sum() for v in vectors))


@LAW
@given(shapes, poses, shapes, poses)
def test_symmetric(a, at_a, b, at_b):
    tol = rounding(a, at_a, b, at_b)
    there, back = distance(a, at_a, b, at_b), distance(b, at_b, a, at_a)
    assert there.distance == pytest.approx(back.distance, abs=tol)


@LAW
@given(shapes, poses, shapes, poses, poses)
def test_invariant_under_rigid_motion(a, at_a, b, at_b, motion):
    tol = rounding(a, at_a, b, at_b, motion[:3, 3])
    still = distance(a, at_a, b, at_b)
    moved = distance(a, motion @ at_a, b, motion @ at_b)
    assert still.distance == pytest.approx(moved.distance, abs=tol)


@LAW
@given(shapes, poses, shapes, poses, vectors, st.sampled_from([1.0, 1e-3, 1e-9]))
def test_changes_no_faster_than_the_bodies_move(a, at_a, b, at_b, shift, scale):
    moved = at_a.copy()
    moved[:3, 3] += scale * np.array(shift)
    step = float(np.linalg.norm(moved[:3, 3] - at_a[:3, 3]))
    before, after = distance(a, at_a, b, at_b).distance, distance(a, moved, b, at_b).distance
    assert abs(after - before) <= step + rounding(a, at_a, b, at_b, moved[:3, 3])


@LAW
@given(shapes, poses, shapes, poses)
def test_witnesses_lie_on_their_bodies_the_value_apart(a, at_a, b, at_b):
    tol = rounding(a, at_a, b, at_b)
    found = distance(a, at_a, b, at_b)
    np.testing.assert_allclose(
        found.point_a - found.point_b, found.distance * found.normal, rtol=0, atol=tol
    )
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-14)
    assert abs(_height(a, at_a, found.point_a)) <= tol
    assert abs(_height(b, at_b, found.point_b)) <= tol


@LAW
@given(shapes, poses, shapes, poses)
def test_moving_out_along_the_normal_makes_them_touch(a, at_a, b, at_b):
    found = distance(a, at_a, b, at_b)
    moved = at_a.copy()
    moved[:3, 3] -= found.distance * found.normal
    tol = rounding(a, at_a, b, at_b, moved[:3, 3])
    assert distance(a, moved, b, at_b).distance == pytest.approx(0.0, abs=tol)


def _height(shape, at, point):
    name = next(name for name, kind in KINDS.items() if kind == shape.kind)
    row = np.concatenate([at[:3].ravel(), shape.size_row])[None]
    return height_over(row, name, point[None])[0]
