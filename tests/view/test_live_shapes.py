"""What is drawn: solids, extended shapes, turns, the octree's cells."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.cell.shipped import shipped_cell
from standoff.view.live.nodes import extended, solid
from standoff.view.live.octree_cells import edges, leaves
from standoff.view.live.poses import quaternions

SHAPES = {
    "sphere": so.Sphere(0.3),
    "capsule": so.Capsule(0.1, 0.5),
    "box": so.Box((0.2, 0.4, 0.6)),
    "cylinder": so.Cylinder(0.2, 0.5),
    "polyhedron": so.Polyhedron(np.random.default_rng(0).normal(size=(12, 3)) * 0.2),
}


def volume(vertices, faces) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def true_volume(shape, margin: float = 0.0) -> float:
    if isinstance(shape, so.Sphere):
        return 4 / 3 * math.pi * (shape.radius + margin) ** 3
    if isinstance(shape, so.Capsule):
        r = shape.radius + margin
        return math.pi * r * r * (4 / 3 * r + shape.length)
    if isinstance(shape, so.Box):
        x, y, z = shape.size
        surface, width = 2 * (x * y + y * z + z * x), math.pi * (x + y + z)
        return x * y * z + surface * margin + width * margin**2 + 4 / 3 * math.pi * margin**3
    if isinstance(shape, so.Cylinder) and margin == 0.0:
        return math.pi * shape.radius**2 * shape.length
    return math.nan


@pytest.mark.parametrize("name", SHAPES)
def test_a_solid_faces_outwards_and_has_the_volume_of_its_shape(name):
    made = solid(SHAPES[name])
    found, wanted = volume(made.vertices, made.faces), true_volume(SHAPES[name])
    assert found > 0.0
    if math.isfinite(wanted):
        assert 0.94 * wanted < found < wanted * (1.0 + 1e-9)


@pytest.mark.parametrize("name", SHAPES)
def test_an_extended_shape_ends_at_its_margin(name):
    shape, margin = SHAPES[name], 0.05
    made = extended(shape, margin)
    assert volume(made.vertices, made.faces) > volume(solid(shape).vertices, solid(shape).faces)
    dot = so.Sphere(1e-6)
    for corner in made.vertices[:: max(1, len(made.vertices) // 40)]:
        gap = so.distance(shape, np.eye(4), dot, so.pose(corner)).distance
        # Facets are drawn from inside, a few percent at most.
        assert 0.93 * margin <= gap <= margin + 2e-5
    wanted = true_volume(shape, margin)
    if math.isfinite(wanted):
        assert 0.93 * wanted < volume(made.vertices, made.faces) <= wanted * (1.0 + 1e-9)


def test_an_extended_mesh_is_larger_by_about_its_margin():
    made = solid(SHAPES["sphere"])
    mesh = so.Mesh(made.vertices, made.faces)
    grown = extended(mesh, 0.05)
    far = np.linalg.norm(grown.vertices, axis=1)
    assert far == pytest.approx(0.35, abs=1e-3)


@given(st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4))
@settings(deadline=None, max_examples=60, derandomize=True)
def test_quaternions_come_back_from_their_rotations(numbers):
    q = np.array(numbers)
    size = np.linalg.norm(q)
    if size < 0.1:
        return
    q /= size
    found = quaternions(so.pose((0, 0, 0), q)[None, :3, :3])[0]
    assert abs(float(found @ q)) == pytest.approx(1.0, abs=1e-12)


def test_half_turns_have_quaternions():
    turns = np.array([np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.eye(3)])
    np.testing.assert_allclose(np.abs(quaternions(turns)), np.eye(4)[[1, 2, 0]], atol=1e-12)


def test_the_cells_drawn_are_the_filled_leaves_of_the_octree():
    cell = so.Cell.load(shipped_cell("testbed"))
    monitor = so.Monitor(cell)
    monitor.update(cell.q)
    boxes, counts = leaves(monitor.index)
    figures = monitor.figures()
    assert len(boxes) == figures.leaves - figures.empty
    assert counts.mean() == pytest.approx(figures.items_per_leaf)
    assert (np.diff(counts) <= 0).all()
    lines = edges(boxes)
    assert lines.shape == (12 * len(boxes), 2, 3)
    # Every edge runs along one axis.
    assert ((np.abs(lines[:, 0] - lines[:, 1]) > 0).sum(axis=1) == 1).all()
