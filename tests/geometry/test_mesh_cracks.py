"""Meshes with hairline cracks: vertices that rounding made two, and what is inside of them."""

import numpy as np
import pytest

import standoff as so
from tests.oracles.winding import winding
from tests.worlds.robot_files import example

trimesh = pytest.importorskip("trimesh")

LEG = "solo_description/meshes/stl/solo12/solo12_upper_leg_left_side.stl"


def cracked(mesh, size, seed=0):
    """Each triangle with corners of its own, off by up to ``size``."""
    corners = mesh.vertices[mesh.faces].reshape(-1, 3)
    off = np.random.default_rng(seed).uniform(-size, size, corners.shape) / np.sqrt(3.0)
    return corners + off, np.arange(len(corners)).reshape(-1, 3)


def test_a_ball_in_a_leg_with_hairline_cracks_was_free():
    leg = so.Mesh.load(example(LEG))
    oracle = trimesh.load(example(LEG), force="mesh")
    oracle.merge_vertices()
    assert oracle.is_watertight
    assert leg.closed
    assert "merged with it" in leg.problems[-1]
    # of a grid, the point inside that is farthest from the surface
    low, high = oracle.bounds
    grid = np.stack(np.meshgrid(*np.linspace(low, high, 14).T), axis=-1).reshape(-1, 3)
    grid = [p for p in grid if winding(p, oracle.vertices[oracle.faces]) > 0.99]
    near = [np.linalg.norm(oracle.triangles_center - p, axis=1).min() for p in grid]
    deep = grid[int(np.argmax(near))]
    ball = so.Sphere(0.0005)
    assert so.distance(leg, None, ball, so.pose(deep)).distance < 0.0
    cell = so.Cell()
    cell.add_body("leg", leg)
    cell.add_body("ball", ball, so.pose(deep), moving=True)
    assert not so.Monitor(cell, buffer=0.0).update(np.zeros(0)).safe


@pytest.mark.parametrize("size", [0.0, 1e-17, 1e-10])
def test_cracks_within_rounding_are_welded(size):
    box = trimesh.creation.icosphere(subdivisions=2)
    mesh = so.Mesh(*cracked(box, size))
    assert mesh.closed
    assert len(mesh.vertices) == len(box.vertices)
    assert mesh.volume == pytest.approx(box.volume, rel=1e-8)


def test_a_crack_that_can_be_seen_is_not_welded():
    mesh = so.Mesh(*cracked(trimesh.creation.icosphere(), 1e-4))
    assert not mesh.closed
    assert len(mesh.vertices) == 3 * len(mesh.faces)


def test_welding_leaves_a_chain_of_near_vertices_alone():
    """Each within reach of the next, but the last far from the first: none moves far."""
    x = np.arange(50) * 0.9e-9
    points = np.concatenate([np.stack([x, 0 * x, 0 * x], axis=1), [[1, 0, 0], [0, 1, 0]]])
    mesh = so.Mesh(points, [[k, 50, 51] for k in range(50)])
    assert len(mesh.vertices) == 52


@pytest.mark.parametrize(("size", "closed"), [(1e-10, True), (1e-4, False)])
def test_a_cracked_mesh_with_all_triangles_both_ways_round_was_closed_and_hollow(size, closed):
    """Each triangle and its reverse were a closed part of their own."""
    points, faces = cracked(trimesh.creation.icosphere(subdivisions=2), size)
    mesh = so.Mesh(points, np.concatenate([faces, faces[:, ::-1]]))
    assert mesh.closed == closed and mesh.open_solid != closed
    assert so.distance(mesh, None, so.Sphere(0.01), None).distance < -0.9
    assert f"{len(faces)} repeated triangles were left out" in mesh.problems


@pytest.mark.parametrize(("shift", "shrink"), [(1e-17, 0.0), (0.0, 2e-16), (0.0, 1e-10)])
@pytest.mark.parametrize("beside", [False, True])
def test_a_mesh_with_its_reverse_within_rounding_was_closed_and_hollow(shift, shrink, beside):
    """The reverse was a cavity that filled the solid but for rounding."""
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.3).triangles
    soup = [ball, ball[:, ::-1] * (1.0 - shrink) + shift]
    if beside:
        soup.append(trimesh.creation.box().triangles + np.array([3.0, 0.0, 0.0]))
    points = np.concatenate(soup).reshape(-1, 3)
    mesh = so.Mesh(points, np.arange(len(points)).reshape(-1, 3))
    assert mesh.closed
    assert so.distance(mesh, None, so.Sphere(0.01), None).distance < -0.2


def test_a_cavity_in_a_thin_wall_stays_one():
    ball = trimesh.creation.icosphere(subdivisions=2).triangles
    points = np.concatenate([ball, ball[:, ::-1] * (1.0 - 1e-6)]).reshape(-1, 3)
    mesh = so.Mesh(points, np.arange(len(points)).reshape(-1, 3))
    assert mesh.closed and mesh.problems == ()
    assert so.distance(mesh, None, so.Sphere(0.01), None).distance > 0.9
