"""Pictures of motions: shapes as triangles, what hides what, and what the strip is made of."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.view.render import TILES, Camera, halved, looking, outlines, patch, render, triangles
from standoff.view.stage import Stage, best_camera
from standoff.view.strip import along
from tests.worlds.plan_cells import LEFT, RIGHT, gate

CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
SHAPES = [
    so.Sphere(0.3),
    so.Capsule(0.2, 0.9),
    so.Capsule(0.2, 0.0),
    so.Box((0.3, 0.5, 0.7)),
    so.Box((0.3, 0.5, 0.0)),
    so.Cylinder(0.2, 0.7),
    so.Polyhedron(CORNERS),
    so.Mesh(CORNERS, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_triangles_are_the_surface(shape):
    found = triangles(shape)
    low, high = shape.bounds()
    assert np.allclose(found.min(axis=(0, 1)), low) and np.allclose(found.max(axis=(0, 1)), high)
    a, b, c = found.transpose(1, 0, 2)
    volume = abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0)
    assert volume == pytest.approx(shape.volume, rel=0.03)
    for point in found.reshape(-1, 3)[:: max(1, len(found) // 40)]:
        gap = so.distance(shape, np.eye(4), so.Sphere(1e-6), so.pose(point)).distance
        assert abs(gap) < 1e-4


def test_a_half_space_is_a_patch_of_tiles_around_what_is_looked_at():
    pose = so.pose((1.0, 2.0, 3.0))
    found, which = patch(pose, np.array([5.0, 5.0, 9.0]), 2.0)
    assert len(found) == len(which) == 2 * TILES**2
    assert (found[..., 2] == 3.0).all() and np.allclose(found.mean(axis=(0, 1)), (5.0, 5.0, 3.0))
    assert which.sum() == len(which) / 2
    assert len(triangles(so.HalfSpace())) == 0


def square(z, half):
    a, b, c, d = ([x * half, y * half, z] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return np.array([[a, b, c], [a, c, d]])


def test_what_is_in_front_hides_what_is_behind():
    """Seen from above: a small square over a large one, whichever is drawn first."""
    camera = Camera(np.eye(3), np.array([-1.0, -1.0]), 50.0, (100, 100))
    large, small = square(0.0, 0.8), square(0.1, 0.4)
    for order in ((0, 1), (1, 0)):
        scene = np.concatenate([(large, small)[k] for k in order])
        bodies = np.repeat(order, 2)
        layer = render(camera, scene, bodies, np.ones((4, 3)))
        assert (layer.body == 1).sum() == 40 * 40
        assert (layer.body == 0).sum() == 80 * 80 - 40 * 40
        assert (layer.body == -1).sum() == 100 * 100 - 80 * 80
        assert layer.depth[50, 50] == pytest.approx(5.0) and layer.body[50, 50] == 1
        edge = outlines(layer)
        assert edge[50, 30] and edge[50, 10] and not edge[50, 50] and not edge[0, 0]


def test_what_is_outside_the_window_or_seen_edge_on_is_no_trouble():
    camera = Camera(np.eye(3), np.array([-1.0, -1.0]), 50.0, (100, 100))
    away = square(0.0, 0.4) + np.array([5.0, 0.0, 0.0])
    sheet = np.array([[[0.0, -0.5, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0]]])
    layer = render(camera, np.concatenate([away, sheet]), np.zeros(3, int), np.ones((3, 3)))
    assert not layer.covered.any()
    nothing = render(camera, np.zeros((0, 3, 3)), np.zeros(0, int), np.zeros((0, 3)))
    assert not nothing.covered.any()
    huge = render(camera, square(0.0, 1e3), np.zeros(2, int), np.ones((2, 3)))
    assert huge.covered.all()


def test_cameras_look_level():
    axes = looking(0.7, 0.4)
    assert np.allclose(axes @ axes.T, np.eye(3)) and np.linalg.det(axes) == pytest.approx(1.0)
    assert axes[0, 2] == 0.0 and axes[1, 2] > 0.0 and axes[2, 2] == pytest.approx(math.sin(0.4))


def test_poses_are_taken_evenly_along_the_way():
    path = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 0.0], [3.0, 1.0]])
    assert along(path, np.array([0.0, 0.5, 0.75, 1.0])).tolist() == [[0, 0], [2, 0], [3, 0], [3, 1]]
    still = along(path[1:3], np.linspace(0.0, 1.0, 3))
    assert still.tolist() == [[3.0, 0.0]] * 3


def test_the_robot_is_in_the_picture_at_every_pose(tmp_path):
    stage = Stage(gate(tmp_path))
    poses = np.linspace(LEFT, RIGHT, 4)
    moved = [stage.moved(q) for q in poses]
    camera = best_camera(stage, moved, poses, 300)
    still = stage.still(camera)
    assert still.covered.any() and max(camera.size) == 300
    (line,) = stage.tips(poses)
    assert np.allclose(line[:, :2], poses)
    for those, tip in zip(moved, camera.project(line)):
        layer = stage.moving(camera, those, np.array([1.0, 0.5, 0.0]))
        column, row = tip[:2].astype(int)
        assert layer.covered[row, column]
        picture = stage.composed(still, [(layer, 1.0)])
        assert picture.shape == (*halved(still.colour).shape[:2], 3)
        r, g, b = picture[row // 2, column // 2]
        assert r > g > b, "the robot's colour, be it behind a wall"
