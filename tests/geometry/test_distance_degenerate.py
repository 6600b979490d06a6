"""Degenerate input, case by case: the value is known, and the normal has to be a right one.

A normal is right if it separates the bodies by the value: ``gap(normal) == value``. That holds for
exactly the directions of the shortest way apart.
"""

from __future__ import annotations

import numpy as np
import pytest

from standoff.geometry.distance import distance
from standoff.geometry.narrowphase import layout
from standoff.geometry.pose import pose
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from tests.worlds.distance_cases import KINDS, check_proof, run

pytestmark = pytest.mark.interpreted

S, C, B = Sphere(0.3), Capsule(0.1, 0.6), Box((0.4, 0.6, 0.8))
QUARTER = np.pi / 2

CASES = {
    "sphere, sphere: coincident": (S, pose(), Sphere(0.2), pose(), -0.5),
    "sphere, sphere: inside": (S, pose((0.05, 0, 0)), Sphere(0.1), pose(), -0.35),
    "sphere, sphere: touching": (S, pose((0.5, 0, 0)), Sphere(0.2), pose(), 0.0),
    "sphere, capsule: centre on the axis": (S, pose((0, 0, 0.1)), C, pose(), -0.4),
    "sphere, capsule: centre on the axis' end": (S, pose((0, 0, 0.3)), C, pose(), -0.4),
    "sphere, capsule: beyond the end": (S, pose((0, 0, 1.0)), C, pose(), 0.3),
    "sphere, capsule: zero length": (S, pose((1, 0, 0)), Capsule(0.1, 0), pose(), 0.6),
    "sphere, capsule: zero length, coincident": (S, pose(), Capsule(0.1, 0), pose(), -0.4),
    "sphere, box: centres coincide": (S, pose(), B, pose(), -0.5),
    "sphere, box: centre on a face": (S, pose((0.2, 0, 0)), B, pose(), -0.3),
    "sphere, box: centre on an edge": (S, pose((0.2, 0.3, 0)), B, pose(), -0.3),
    "sphere, box: centre on a corner": (S, pose((0.2, 0.3, 0.4)), B, pose(), -0.3),
    "sphere, box: touching a face": (S, pose((0, 0, 0.7)), B, pose(), 0.0),
    "sphere, sheet: centre in it": (S, pose((0.1, 0.1, 0)), Box((1, 1, 0)), pose(), -0.3),
    "sphere, needle: centre on it": (S, pose((0, 0, 0.2)), Box((0, 0, 1)), pose(), -0.3),
    "capsule, capsule: identical": (C, pose(), C, pose(), -0.2),
    "capsule, capsule: crossing": (C, pose(), C, pose(rpy=(QUARTER, 0, 0)), -0.2),
    "capsule, capsule: crossing at an end": (
        C,
        pose((0, 0, 0.3)),
        C,
        pose(rpy=(QUARTER, 0, 0)),
        -0.2,
    ),
    "capsule, capsule: parallel, beside": (C, pose((1, 0, 0.2)), C, pose(), 0.8),
    "capsule, capsule: parallel, shifted past": (C, pose((0.3, 0, 1.0)), C, pose(), 0.3),
    "capsule, capsule: opposite": (C, pose((1, 0, 0.2), rpy=(2 * QUARTER, 0, 0)), C, pose(), 0.8),
    "capsule, capsule: collinear, apart": (C, pose((0, 0, 1.0)), C, pose(), 0.2),
    "capsule, capsule: collinear, axes touching": (C, pose((0, 0, 0.6)), C, pose(), -0.2),
    "capsule, capsule: collinear, axes overlapping": (C, pose((0, 0, 0.5)), C, pose(), -0.2),
    "capsule, capsule: touching": (C, pose((0.2, 0, 0)), C, pose(), 0.0),
    "capsule, capsule: one without length": (C, pose(), Capsule(0.1, 0), pose((0.5, 0, 0)), 0.3),
    "capsule, capsule: one without length, on the axis": (C, pose(), Capsule(0.1, 0), pose(), -0.2),
    "capsule, capsule: none has length": (
        Capsule(0.1, 0),
        pose(),
        Capsule(0.2, 0),
        pose((0, 1, 0)),
        0.7,
    ),
    "capsule, capsule: none has length, coincident": (
        Capsule(0.1, 0),
        pose(),
        Capsule(0.2, 0),
        pose(),
        -0.3,
    ),
    "capsule, capsule: inside": (Capsule(0.01, 0.1), pose(), C, pose((0, 0.02, 0)), -0.09),
    "capsule, box: centres coincide": (C, pose(), B, pose(), -0.3),
    "capsule, box: axis in a face": (C, pose((0.2, 0, 0)), B, pose(), -0.1),
    "capsule, box: axis on an edge": (C, pose((0.2, 0.3, 0)), B, pose(), -0.1),
    "capsule, box: axis through a corner": (
        Capsule(0.1, 2.0),
        pose((0.2, 0.3, 0.4), rpy=(QUARTER / 2, 0, 0)),
        B,
        pose(),
        -0.1,
    ),
    "capsule, box: lying on it": (C, pose((0, 0, 0.5), rpy=(0, QUARTER, 0)), B, pose(), 0.0),
    "capsule, box: standing on it": (C, pose((0, 0, 0.8)), B, pose(), 0.0),
    "capsule, box: zero length inside": (Capsule(0.1, 0), pose((0.1, 0, 0)), B, pose(), -0.2),
    "capsule, sheet: axis through it": (C, pose(), Box((2, 2, 0)), pose(), -0.4),
    "capsule, needle: axes cross": (C, pose(rpy=(QUARTER, 0, 0)), Box((0, 0, 1)), pose(), -0.1),
    "capsule, needle: axes coincide": (C, pose(), Box((0, 0, 1)), pose(), -0.1),
    "box, box: identical": (B, pose(), B, pose(), -0.4),
    "box, box: inside": (Box((0.1, 0.1, 0.1)), pose((0.05, 0, 0)), B, pose(), -0.2),
    "box, box: stacked": (B, pose((0, 0, 0.8)), B, pose(), 0.0),
    "box, box: edge on edge": (B, pose((0.4, 0.6, 0)), B, pose(), 0.0),
    "box, box: corner on corner": (B, pose((0.4, 0.6, 0.8)), B, pose(), 0.0),
    "box, box: beside, aligned": (B, pose((1.0, 0.1, 0.1)), B, pose(), 0.6),
    "box, box: diagonal, aligned": (B, pose((0.7, 1.0, 0.1)), B, pose(), 0.5),
    "box, box: sheets crossing": (Box((1, 1, 0)), pose(), Box((1, 0, 1)), pose(), -0.5),
    "box, box: the same sheet": (Box((1, 1, 0)), pose(), Box((1, 1, 0)), pose(), 0.0),
    "box, box: parallel sheets": (Box((1, 1, 0)), pose((0, 0, 0.25)), Box((1, 1, 0)), pose(), 0.25),
    "box, box: needle in a sheet": (Box((1, 1, 0)), pose(), Box((0, 0.5, 0)), pose(), 0.0),
    "box, box: needles crossing": (Box((1, 0, 0)), pose(), Box((0, 1, 0)), pose(), 0.0),
    "box, box: needles collinear": (Box((1, 0, 0)), pose((1.5, 0, 0)), Box((1, 0, 0)), pose(), 0.5),
    "box, box: the same needle": (Box((1, 0, 0)), pose(), Box((1, 0, 0)), pose(), 0.0),
    "box, box: edges parallel but for 1e-9": (
        Box((0.25, 1, 1)),
        pose((0, 1, 0), rpy=(QUARTER, 1e-9, 0)),
        Box((0.25, 1, 1)),
        pose((1, 0, 0)),
        0.75 - 5e-10,
    ),
    "box, box: needle through a box": (Box((0, 0, 2)), pose(), B, pose(), -0.2),
}

FRAMES = {
    "plain": pose(),
    "turned": pose((0.3, -0.2, 0.9), rpy=(0.4, -1.1, 2.3)),
    "far": pose((1e4, -9e3, 7e3), rpy=(-2.0, 0.3, 0.7)),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_degenerate_pair_has_its_value_and_a_right_normal(case, frame):
    shape_a, pose_a, shape_b, pose_b, value = case
    name = {kind: name for name, kind in KINDS.items()}
    rows_a, rows_b = _row(shape_a, frame @ pose_a), _row(shape_b, frame @ pose_b)
    kind_a, kind_b = name[shape_a.kind], name[shape_b.kind]
    out = run(rows_a, kind_a, rows_b, kind_b)
    assert out[0, 0] == pytest.approx(value, abs=1e-14 + 1e-15 * np.abs(frame[:3, 3]).max())
    check_proof(rows_a, kind_a, rows_b, kind_b, out)


def _row(shape, at):
    row = np.zeros((1, layout.ROW_COLUMNS))
    row[0, :12] = at[:3].ravel()
    row[0, layout.SIZE :] = shape.size_row
    return row


@pytest.mark.parametrize("scale", [1e-4, 1e-2, 1.0, 1e3])
def test_value_scales_with_everything(scale):
    for shape_a, pose_a, shape_b, pose_b, value in CASES.values():
        a, b = _scaled(shape_a, scale), _scaled(shape_b, scale)
        at_a, at_b = pose_a.copy(), pose_b.copy()
        at_a[:3, 3] *= scale
        at_b[:3, 3] *= scale
        assert distance(a, at_a, b, at_b).distance == pytest.approx(
            value * scale, abs=1e-14 * scale
        )


def _scaled(shape, scale):
    if isinstance(shape, Sphere):
        return Sphere(shape.radius * scale)
    if isinstance(shape, Capsule):
        return Capsule(shape.radius * scale, shape.length * scale)
    return Box([x * scale for x in shape.size])


@pytest.mark.parametrize("apart", [1e-150, 1e-170, 5e-324])
@pytest.mark.parametrize("shape", [S, Capsule(0.1, 0), C, B], ids=lambda s: type(s).__name__)
def test_centres_apart_by_less_than_a_square_can_hold_still_have_a_unit_normal(shape, apart):
    for other in (S, C, B):
        found = distance(shape, pose((apart, apart, -apart)), other, pose())
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-14)
        assert found.distance < -0.1


HEIGHTS = {
    "sphere": (S, pose((0, 0, 0.5)), 0.2),
    "capsule standing": (C, pose((0, 0, 0.3)), -0.1),
    "capsule lying": (C, pose((5, 5, 0.3), rpy=(0, QUARTER, 0)), 0.2),
    "capsule of no length": (Capsule(0.1, 0), pose((0, 0, 0.1)), 0.0),
    "box standing": (B, pose((0, 0, 0.4)), 0.0),
    "box on an edge": (B, pose((0, 0, 0.6), rpy=(0, QUARTER / 2, 0)), 0.6 - 0.6 / np.sqrt(2)),
    "sheet lying": (Box((1, 1, 0)), pose((0, 0, -0.25)), -0.25),
    "cylinder standing": (Cylinder(0.2, 1.0), pose((0, 0, 0.75)), 0.25),
    "cylinder lying": (Cylinder(0.2, 1.0), pose((0, 0, 0.75), rpy=(QUARTER, 0, 0)), 0.55),
    "cylinder leaning": (
        Cylinder(0.2, 1.0),
        pose((0, 0, 1), rpy=(0, QUARTER / 2, 0)),
        1 - 0.7 / np.sqrt(2),
    ),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("case", HEIGHTS.values(), ids=HEIGHTS)
def test_height_over_a_half_space(case, frame):
    shape, at, height = case
    found = distance(shape, frame @ at, HalfSpace(), frame)
    assert found.distance == pytest.approx(height, abs=1e-14 + 1e-15 * np.abs(frame[:3, 3]).max())
    np.testing.assert_allclose(found.normal, frame[:3, 2], atol=1e-15)
    mirrored = distance(HalfSpace(), frame, shape, frame @ at)
    assert mirrored.distance == found.distance
    np.testing.assert_array_equal(mirrored.point_a, found.point_b)
    np.testing.assert_array_equal(mirrored.point_b, found.point_a)
    np.testing.assert_array_equal(mirrored.normal, -found.normal)


def test_level_faces_and_edges_have_their_middle_as_witness():
    np.testing.assert_array_equal(
        distance(B, pose((1, 2, 3)), HalfSpace(), None).point_a, (1, 2, 2.6)
    )
    np.testing.assert_array_equal(
        distance(Cylinder(0.2, 1.0), pose((1, 2, 3)), HalfSpace(), None).point_b, (1, 2, 0)
    )


@pytest.mark.parametrize("gap", [0.5, 0.0, -0.5])
def test_half_spaces_that_face_each_other_have_a_gap(gap):
    frame = FRAMES["turned"]
    ceiling = frame @ pose((3, 4, gap), rpy=(np.pi, 0, 0))
    found = distance(HalfSpace(), ceiling, HalfSpace(), frame)
    assert found.distance == pytest.approx(gap, abs=1e-14)
    np.testing.assert_allclose(found.normal, frame[:3, 2], atol=1e-15)
    np.testing.assert_allclose(found.point_a - found.point_b, gap * found.normal, atol=1e-14)


@pytest.mark.parametrize("rpy", [(0, 0, 0), (1, 0, 0), (np.pi - 1e-6, 0, 0)])
def test_other_half_spaces_overlap_without_end(rpy):
    found = distance(HalfSpace(), pose((0, 0, 9), rpy=rpy), HalfSpace(), None)
    assert found.distance == -np.inf
    assert np.isnan([*found.point_a, *found.point_b, *found.normal]).all()
