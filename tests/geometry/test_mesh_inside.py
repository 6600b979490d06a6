"""Bodies wholly inside others, cavities, bowls, and rays that graze."""

from __future__ import annotations

import math

import numpy as np
import pytest

from standoff.compiled.jit import entry
from standoff.geometry.mesh import Mesh
from standoff.geometry.mesh_surface import _winding
from standoff.geometry.narrowphase.bodies import Bodies, bodies_at
from standoff.geometry.narrowphase.bvh import TREE_DEPTH
from standoff.geometry.narrowphase.layout import CLOSED, MESH
from standoff.geometry.narrowphase.mesh_inside import _DIRECTIONS, _TURN, inside_mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import pose
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from tests.worlds.mesh_batch import distances
from tests.worlds.mesh_shapes import (
    bowl_arrays,
    box_arrays,
    box_mesh,
    joined,
    random_poses,
    star,
    torus,
    torus_arrays,
)

pytestmark = pytest.mark.interpreted

SMALL = {
    "sphere": Sphere(0.1),
    "capsule": Capsule(0.1, 0.1),
    "box": Box((0.2, 0.2, 0.2)),
    "cylinder": Cylinder(0.1, 0.2),
    "polyhedron": Polyhedron(box_arrays(0.2, 0.2, 0.2)[0]),
    "mesh": box_mesh(0.2, 0.2, 0.2),
}
LARGE = {
    "sphere": Sphere(2.0),
    "capsule": Capsule(2.0, 1.0),
    "box": Box((4.0, 4.0, 4.0)),
    "cylinder": Cylinder(2.0, 4.0),
    "polyhedron": Polyhedron(box_arrays(4.0, 4.0, 4.0)[0]),
    "mesh": box_mesh(4.0, 4.0, 4.0),
}


def one(a, b, at=(0.0, 0.0, 0.0), world=None):
    """The row of mesh a at the origin and body b at a position, seen from any frame."""
    world = np.eye(4) if world is None else world
    return distances(a, b, [world], [world @ pose(at)])[0]


def check(row, value):
    assert row[0] == pytest.approx(value, abs=1e-9)
    assert np.linalg.norm(row[7:10]) == pytest.approx(1.0, abs=1e-12)
    assert row[1:4] - row[4:7] == pytest.approx(row[0] * row[7:10], abs=1e-9)


@pytest.mark.parametrize("body", SMALL)
def test_a_body_inside_a_closed_mesh_is_minus_the_gap_deep(body):
    room = box_mesh(2.0, 3.0, 4.0)
    row = one(room, SMALL[body], (0.6, 0.0, 0.0))
    check(row, -0.3)  # 1.0 - 0.6 - 0.1
    # the way out for the room: its wall at x = 1 goes over the body, towards -x
    assert row[7:10] == pytest.approx((-1, 0, 0))
    assert row[1] == pytest.approx(1.0) and row[4] == pytest.approx(0.7)
    assert one(room, SMALL[body], (1.5, 0.0, 0.0))[0] == pytest.approx(0.4)
    assert one(room, SMALL[body], (1.0, 0.0, 0.0))[0] == 0.0


@pytest.mark.parametrize("body", LARGE)
@pytest.mark.parametrize("closed", [True, False])
def test_a_mesh_inside_a_body_overlaps_it_open_or_closed(body, closed):
    points, faces = box_arrays(0.2, 0.2, 0.2)
    mesh = Mesh(points, faces if closed else faces[:-1])
    assert mesh.closed == closed
    row = one(mesh, LARGE[body], (0.5, 0.0, 0.0))
    depth = {"sphere": 2.0 - math.hypot(0.6, math.hypot(0.1, 0.1))}
    depth["capsule"] = 2.0 - math.hypot(0.6, 0.1)
    depth["cylinder"] = 2.0 - math.hypot(0.6, 0.1)
    check(row, -depth.get(body, 1.4))
    assert row[7] < -0.9  # a leaves towards -x, where b's surface is nearest


def test_a_mesh_half_inside_a_body_is_at_a_common_point():
    for body in LARGE.values():
        row = one(box_mesh(1.0, 1.0, 1.0), body, (2.0, 0.1, 0.2))
        check(row, 0.0)
        assert np.abs(row[1:4]).max() <= 0.5 + 1e-9
        inside = one(Mesh(np.tile(row[1:4], (3, 1)), [[0, 1, 2]]), body, (2.0, 0.1, 0.2))
        assert inside[0] <= 1e-9


def test_what_stands_in_a_bowl_does_not_overlap_it():
    bowl = Mesh(*bowl_arrays(radius=0.6), sheet=True)
    assert not bowl.closed
    for body in SMALL.values():
        row = one(bowl, body, (0.0, 0.0, -0.2))
        assert 0.1 < row[0] < 0.35


def test_the_hole_of_a_ring_is_outside():
    for body in SMALL.values():
        assert one(torus(), body)[0] > 0.05
        assert one(torus(tube=0.3, ring=0.8, around=40, across=20), body, (0.8, 0, 0))[0] < -0.03


def test_nested_meshes_overlap_whichever_comes_first():
    outer, inner = box_mesh(2.0, 2.0, 2.0), star(1, radius=0.3)
    for world in random_poses(np.random.default_rng(1), 20, 3.0):
        one_way, other_way = one(outer, inner, world=world), one(inner, outer, world=world)
        assert one_way[0] < -0.5 and one_way[0] == pytest.approx(other_way[0], abs=1e-12)
        assert one_way[7:10] == pytest.approx(-other_way[7:10], abs=1e-9)
        check(one_way, one_way[0])


def test_a_cavity_is_outside():
    points, faces = joined(box_arrays(3, 3, 3), (box_arrays(2, 2, 2)[0], box_arrays()[1][:, ::-1]))
    shell = Mesh(points, faces)
    assert shell.closed and shell.problems == () and shell.volume == pytest.approx(27 - 8)
    assert one(shell, Sphere(0.1))[0] == pytest.approx(0.9)
    assert one(shell, Sphere(0.1), (1.25, 0, 0))[0] == pytest.approx(-0.15)
    assert one(shell, box_mesh(0.2, 0.2, 0.2))[0] == pytest.approx(0.9)


def test_parts_that_overlap_each_other_stay_solid_where_they_do():
    both = Mesh(*joined(box_arrays(2, 2, 2), box_arrays(2, 2, 2, centre=(0.5, 0, 0))))
    assert one(both, Sphere(0.1), (0.25, 0, 0))[0] < 0.0
    assert one(both, Sphere(0.05), (-0.75, 0, 0))[0] < 0.0


def test_one_part_of_several_inside_is_enough():
    two = Mesh(*joined(box_arrays(0.2, 0.2, 0.2, centre=(5, 0, 0)), box_arrays(0.2, 0.2, 0.2)))
    room = box_mesh(2.0, 2.0, 2.0)
    check(one(room, two), -0.9)
    check(one(two, room), -0.9)
    assert one(room, two, (0, 0, 3.0))[0] > 1.0
    # beside a convex body: a common point, as not all of the mesh is inside
    check(one(two, Box((2.0, 2.0, 2.0))), 0.0)


@entry("boolean(float64, float64, float64, int64, int64[::1])")
def _inside(x0, x1, x2, bodies, stack):
    return inside_mesh(x0, x1, x2, bodies_at(bodies), 0, stack)


def inside(mesh, point):
    g = mesh.geometry
    refs = np.array([[MESH, 0, len(g.points), 0, len(g.faces), 0, 0, CLOSED]])
    stack = np.zeros(TREE_DEPTH + 2, dtype=np.int64)
    bodies = Bodies(rows=1, refs=refs, solids=g.solids)
    return _inside(*map(float, point), bodies.address, stack)


@pytest.mark.parametrize("mesh", [torus(), star(3), box_mesh(1.0, 0.7, 0.5)])
def test_rays_agree_with_solid_angles(mesh):
    rng = np.random.default_rng(4)
    lower, upper = mesh.bounds()
    found = 0
    for point in rng.uniform(lower - 0.05, upper + 0.05, size=(1500, 3)):
        expected = abs(_winding(point, mesh.vertices, mesh.faces)) > 0.5
        assert inside(mesh, point) == expected
        found += expected
    assert 150 < found < 1490


def directions():
    for k in range(_DIRECTIONS):
        z = 1.0 - (2.0 * k + 1.0) / _DIRECTIONS
        ring, turn = math.sqrt(1.0 - z * z), 1.0 + k * _TURN
        yield np.array([ring * math.cos(turn), ring * math.sin(turn), z])


def test_rays_through_a_vertex_or_an_edge_each_time_still_tell():
    """All six rays hit a vertex, so that only the solid angles are left."""
    hull = Polyhedron(np.concatenate([list(directions()), -np.array(list(directions()))]))
    mesh = Mesh(hull.vertices, hull.faces)
    assert inside(mesh, (0.0, 0.0, 0.0))
    for d in directions():
        assert not inside(mesh, -1.5 * d)  # from behind, through two vertices
        assert inside(mesh, -0.5 * d)
    edges = []  # the same with the middle of an edge on each ray
    for d in directions():
        side = np.cross(d, [0.3, 0.5, 0.8])
        edges += [d + 0.2 * side, d - 0.2 * side]
    hull = Polyhedron(np.concatenate([edges, -np.array(edges)]))
    assert inside(Mesh(hull.vertices, hull.faces), (0.0, 0.0, 0.0))


def test_grazing_rays_along_faces_of_a_box():
    """Points in line with faces and edges of a box, where a ray along an axis would be lost."""
    box = box_mesh(1.0, 1.0, 1.0)
    for shift in np.ndindex(3, 3, 3):
        point = (np.array(shift) - 1.0) * 0.5
        assert inside(box, point * 0.999)
        if np.any(point):
            assert not inside(box, point * 1.001)


def test_degenerate_triangles_do_not_change_what_is_inside():
    points, faces = torus_arrays()
    # an edge cut at its middle on one side only is closed by a triangle without area
    a, b, c = faces[0]
    points = np.concatenate([points, [(points[a] + points[b]) / 2]])
    m = len(points) - 1
    faces = np.concatenate([faces[1:], [[a, m, c], [m, b, c], [a, b, m], [c, c, c]]])
    mesh = Mesh(points, faces)
    assert mesh.closed and any("no area" in p for p in mesh.problems)
    rng = np.random.default_rng(9)
    plain = torus()
    for point in rng.uniform(-0.7, 0.7, size=(500, 3)) * [1, 1, 0.3]:
        assert inside(mesh, point) == inside(plain, point)


def cubes(*placed):
    """One mesh of unit cubes at corners given, the second turned inside out where asked."""
    points, faces = [], []
    for corner, inverted in placed:
        p, f = box_arrays(1.0, 1.0, 1.0, centre=np.add(corner, 0.5))
        faces.append((f[:, ::-1] if inverted else f) + sum(map(len, points)))
        points.append(p)
    return Mesh(np.concatenate(points), np.concatenate(faces))


@pytest.mark.parametrize(
    "other",
    [((1, 0, 0), False), ((1, 1, 0), False), ((1, 1, 1), False), ((0.5, 0.5, 0.5), True)],
    ids=["sharing a face", "sharing an edge", "sharing a corner", "overlapping, inside out"],
)
def test_solids_that_touch_or_overlap_are_solid_throughout(other):
    mesh = cubes(((0, 0, 0), False), other)
    assert mesh.closed
    corner = np.array(other[0], dtype=float)
    for centre in (np.full(3, 0.25), corner + 0.75, (corner + 1.0) / 2 * 0.99 + 0.005):
        if ((centre > 0) & (centre < 1)).all() or ((centre > corner) & (centre < corner + 1)).all():
            out = distances(mesh, Sphere(0.01), [np.eye(4)], [pose(centre)])[0]
            assert out[0] <= 0.0, centre
