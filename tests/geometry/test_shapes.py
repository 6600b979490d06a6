"""Shapes that can be and shapes that cannot; what each says of itself."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.geometry.primitives import PRIMITIVES
from standoff.geometry.shape import directions

GOOD = {
    "sphere": (so.Sphere(0.5), 4 / 3 * math.pi / 8),
    "capsule": (so.Capsule(1, 2), math.pi * (2 + 4 / 3)),
    "capsule of length 0": (so.Capsule(1, 0), 4 / 3 * math.pi),
    "box": (so.Box((1, 2, 3)), 6.0),
    "sheet": (so.Box((1, 2, 0)), 0.0),
    "cylinder": (so.Cylinder(1, 2), 2 * math.pi),
}


@pytest.mark.parametrize("name", GOOD)
def test_volume(name):
    shape, volume = GOOD[name]
    assert shape.volume == pytest.approx(volume, rel=1e-14)


@pytest.mark.parametrize("name", GOOD)
def test_bounds_hold_the_core_grown_by_its_radius(name):
    shape, _ = GOOD[name]
    lower, upper = shape.bounds()
    points, radius = shape.core()
    grown = radius if name != "cylinder" else 0.0
    assert (points.min(axis=0) - grown >= lower - 1e-15).all()
    assert (points.max(axis=0) + grown <= upper + 1e-15).all()


def test_every_primitive_is_here():
    assert {type(shape) for shape, _ in GOOD.values()} == {*PRIMITIVES} - {so.HalfSpace}


@pytest.mark.parametrize("name", GOOD)
def test_the_class_the_kernels_and_the_outline_agree_on_how_far_a_shape_reaches(name):
    """NumPy's support function, the lowest point above a half space, and points around it all."""
    shape, _ = GOOD[name]
    ways = directions(12)
    heights = (shape.support(ways) * ways).sum(axis=1) + shape.swept_radius
    around = (ways @ shape.outline(16).T).max(axis=1) + shape.swept_radius
    assert (around >= heights - 1e-14).all() and (around <= 1.03 * heights + 1e-14).all()
    for way, height in zip(ways, heights, strict=True):
        plane = np.eye(4)
        plane[:3, :3] = np.linalg.qr(np.column_stack([way, np.eye(3)]))[0][:, [1, 2, 0]]
        plane[:3, 2] = -way
        plane[:3, 0] *= np.linalg.det(plane[:3, :3])
        low = so.distance(shape, None, so.HalfSpace(), plane).distance
        assert low == pytest.approx(-height, abs=1e-14)


@pytest.mark.parametrize("name", GOOD)
def test_shapes_print_and_compare_by_what_made_them(name):
    shape, _ = GOOD[name]
    again = eval(repr(shape), vars(so).copy() | {c: getattr(so, c) for c in so.__all__})
    assert again == shape and hash(again) == hash(shape)
    assert shape != so.Sphere(77.0)


BAD = {
    "negative radius": lambda: so.Sphere(-1),
    "zero radius": lambda: so.Sphere(0),
    "nan radius": lambda: so.Capsule(np.nan, 1),
    "infinite length": lambda: so.Capsule(1, np.inf),
    "negative length": lambda: so.Capsule(1, -1),
    "flat cylinder": lambda: so.Cylinder(1, 0),
    "box of two numbers": lambda: so.Box((1, 2)),
    "box of nothing": lambda: so.Box((0, 0, 0)),
    "box of text": lambda: so.Box("abc"),
    "box of a number": lambda: so.Box(1),
    "negative box": lambda: so.Box((1, 1, -1)),
    "radius beyond all robots": lambda: so.Sphere(1e84),
    "radius below all robots": lambda: so.Sphere(1e-82),
    "ragged box": lambda: so.Box([1, [2], 3]),
    "radius in quotes": lambda: so.Sphere("1"),
    "radius that is a truth value": lambda: so.Sphere(True),
    "text": lambda: so.Sphere("big"),
    "none": lambda: so.Sphere(None),
    "huge integer": lambda: so.Sphere(10**400),
}


@pytest.mark.parametrize("name", BAD)
def test_impossible_shapes_are_refused_with_element_and_value(name):
    with pytest.raises(so.errors.ShapeError) as caught:
        BAD[name]()
    assert caught.value.element
    assert "got" in str(caught.value)


def test_half_space_is_unbounded():
    assert not so.HalfSpace().bounded
    assert so.HalfSpace().volume == math.inf
    with pytest.raises(so.errors.ShapeError):
        so.HalfSpace().core()


def test_box_size_is_what_was_given():
    assert so.Box((1, 2, 3)).size == (1.0, 2.0, 3.0)


def test_a_length_that_underflows_is_zero():
    assert so.Capsule(1, 1e-200).length == 0.0
