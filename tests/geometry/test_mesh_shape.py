"""`Mesh` at the border: what it accepts, mends, reports and refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from standoff.errors import MeshError
from standoff.geometry.distance import distance
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.primitives import Sphere
from tests.worlds.mesh_shapes import (
    bowl_arrays,
    box_arrays,
    box_mesh,
    joined,
    star,
    torus,
    torus_arrays,
)

pytestmark = pytest.mark.interpreted

BOX = box_arrays(1.0, 2.0, 3.0)


def test_a_closed_mesh_is_a_solid():
    mesh = Mesh(*BOX)
    assert mesh.closed and mesh.problems == () and mesh.triangles == 12
    assert mesh.flags == layout.CLOSED and mesh.kind == layout.MESH and not mesh.convex
    assert mesh.volume == pytest.approx(6.0) and mesh.area == pytest.approx(22.0)
    assert mesh.bounds()[0].tolist() == [-0.5, -1.0, -1.5]
    assert mesh.bounds()[1].tolist() == [0.5, 1.0, 1.5]
    points, radius = mesh.core()
    assert radius == 0.0 and len(points) == 8


def test_an_open_mesh_says_why_it_is():
    mesh = Mesh(*bowl_arrays())
    assert not mesh.closed and mesh.open_solid and mesh.volume == 0.0 and mesh.area > 0.0
    assert "belong to one triangle only" in mesh.problems[0]


def test_loose_triangles_join_up_where_vertices_are_equal():
    points, faces = torus_arrays()
    soup = points[faces].reshape(-1, 3)
    mesh = Mesh(soup, np.arange(len(soup)).reshape(-1, 3))
    assert mesh.closed and len(mesh.vertices) == len(points)
    assert mesh.volume == pytest.approx(torus().volume)


def test_minus_zero_is_zero():
    points, faces = box_arrays()
    points = points + 0.5  # some coordinates are 0 now
    soup = points[faces].reshape(-1, 3)
    soup[::2] = np.where(soup[::2] == 0.0, -0.0, soup[::2])
    assert Mesh(soup, np.arange(36).reshape(-1, 3)).closed


def test_vertices_farther_apart_than_rounding_stay_apart():
    points, faces = BOX
    points = np.concatenate([points, points[:1] + 1e-8])
    faces = np.where(
        np.arange(36).reshape(12, 3) == np.flatnonzero(faces.ravel() == 0)[0], 8, faces
    )
    assert not Mesh(points, faces).closed


def test_an_inside_out_mesh_is_turned_and_says_so():
    mesh = Mesh(BOX[0], BOX[1][:, ::-1])
    assert mesh.closed and mesh.volume == pytest.approx(6.0)
    assert mesh.problems == ("1 of 1 closed parts were inside out and were turned",)
    outside, inside_out = box_arrays(1, 1, 1), box_arrays(1, 1, 1, centre=(3, 0, 0))
    mesh = Mesh(*joined(outside, (inside_out[0], inside_out[1][:, ::-1])))
    assert mesh.closed and mesh.volume == pytest.approx(2.0)
    assert mesh.problems == ("1 of 2 closed parts were inside out and were turned",)


def test_an_inside_out_shell_keeps_its_cavity():
    cavity = box_arrays(2, 2, 2)
    points, faces = joined(box_arrays(3, 3, 3), (cavity[0], cavity[1][:, ::-1]))
    mesh = Mesh(points, faces[:, ::-1])
    assert mesh.closed and mesh.volume == pytest.approx(19.0)
    assert mesh.problems == ("2 of 2 closed parts were inside out and were turned",)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda f: np.concatenate([f, [[0, 3, 5]]]), "more than two triangles"),
        (lambda f: np.concatenate([f[1:], f[2:3]]), "one triangle only"),
        (lambda f: f[1:], "one triangle only"),
    ],
)
def test_what_keeps_a_mesh_from_being_a_solid_is_reported(change, why):
    mesh = Mesh(BOX[0], change(BOX[1]))
    assert not mesh.closed and any(why in p for p in mesh.problems)


@pytest.mark.parametrize("which", range(12))
def test_one_flipped_triangle_does_not_make_a_box_hollow(which):
    faces = BOX[1].copy()
    faces[which] = faces[which, ::-1]
    mesh = Mesh(BOX[0], faces)
    assert mesh.closed and mesh.volume == pytest.approx(6.0)
    assert mesh.problems == ("1 triangles disagreed with their neighbours and were turned",)


def test_one_doubled_triangle_does_not_make_a_box_hollow():
    for again in (BOX[1][:1], BOX[1][:1, ::-1], BOX[1][:1, [1, 2, 0]], BOX[1][:, ::-1]):
        mesh = Mesh(BOX[0], np.concatenate([BOX[1], again]))
        assert mesh.closed and mesh.volume == pytest.approx(6.0) and mesh.triangles == 12
        assert mesh.problems == (f"{len(again)} repeated triangles were left out",)


def test_a_sphere_in_a_box_with_a_bad_triangle_is_inside():
    points, faces = box_arrays(1.0, 1.0, 1.0)
    flipped = np.concatenate([faces[:1, ::-1], faces[1:]])
    for bad in (faces, flipped, np.concatenate([faces, faces[:1]])):
        assert distance(Sphere(0.1), None, Mesh(points, bad), None).distance == pytest.approx(-0.4)


def test_triangles_turned_at_random_come_out_outward_in_every_part():
    rng = np.random.default_rng(3)
    points, faces = joined(torus_arrays(), box_arrays(1, 2, 3, centre=(9, 0, 0)))
    whole = Mesh(points, faces)
    for share in (0.1, 0.5, 0.9):
        turned = np.where(rng.random((len(faces), 1)) < share, faces[:, ::-1], faces)
        mesh = Mesh(points, turned)
        assert mesh.closed and mesh.volume == pytest.approx(whole.volume)


def test_a_cavity_beside_a_mended_part_stays_one_and_a_mended_cavity_is_filled():
    outer, cavity = box_arrays(3, 3, 3), box_arrays(2, 2, 2)
    points, faces = joined(outer, (cavity[0], cavity[1][:, ::-1]))
    bad = faces.copy()
    bad[0] = bad[0, ::-1]
    assert Mesh(points, bad).volume == pytest.approx(19.0)
    for given in (faces, faces[:, ::-1]):
        bad = given.copy()
        bad[12] = bad[12, ::-1]
        assert Mesh(points, bad).volume == pytest.approx(27.0 + 8.0)  # in doubt it is solid


def klein_bottle():
    """A closed grid whose ends are joined mirrored; through itself in space, which is no matter."""
    around, along = 7, 9
    index = lambda i, j: (-i if (j // along) % 2 else i) % around + around * (j % along)  # noqa: E731
    faces = []
    for j in range(along):
        for i in range(around):
            a, b, c, d = index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)
            faces += [[a, b, c], [a, c, d]]
    return np.random.default_rng(4).random((around * along, 3)), np.array(faces)


def test_a_surface_with_one_side_stays_open_and_says_why():
    mesh = Mesh(*klein_bottle())
    assert not mesh.closed
    assert any("cannot agree about the outside" in p for p in mesh.problems)


def test_a_triangle_and_its_reverse_are_both_kept():
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [2, 1, 0]])
    assert mesh.triangles == 2 and mesh.problems == ()


def test_a_repeated_triangle_of_an_open_surface_is_left_out():
    points, faces = bowl_arrays()
    mesh = Mesh(points, np.concatenate([faces, faces[:1]]))
    assert mesh.triangles == len(faces) and not mesh.closed


def test_triangles_without_area_are_kept():
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2], [1, 1, 1]])
    assert mesh.triangles == 2 and mesh.area == 0.0 and not mesh.closed
    assert any("no area" in p for p in mesh.problems)


def test_vertices_without_a_triangle_are_reported():
    mesh = Mesh([*BOX[0], [9.0, 9.0, 9.0]], BOX[1])
    assert len(mesh.vertices) == 8 and mesh.closed
    assert mesh.problems == ("1 vertices belong to no triangle and were left out",)


def test_is_convex():
    assert box_mesh(1.0, 2.0, 3.0).is_convex
    assert not torus().is_convex and not star(1).is_convex
    assert not Mesh(*bowl_arrays()).is_convex
    assert not Mesh(*joined(BOX, (BOX[0] + 9.0, BOX[1]))).is_convex
    rounded = Mesh(BOX[0].astype(np.float32) * np.float32(0.1), BOX[1])
    assert rounded.is_convex
    dented = BOX[0].copy()
    dented[0] *= 0.9
    assert not Mesh(dented, BOX[1]).is_convex


def test_arrays_are_read_only_and_copies():
    points, faces = BOX[0].copy(), BOX[1].copy()
    mesh = Mesh(points, faces)
    points[:] = 7.0
    faces[:] = 0
    assert mesh == Mesh(*BOX)
    for array in (mesh.vertices, mesh.faces):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_tree_is_built_once_and_only_when_needed():
    mesh = torus()
    assert "geometry" not in vars(mesh)
    assert mesh.geometry is mesh.geometry


def test_equality_hash_repr_and_parameters():
    mesh = Mesh(*BOX)
    assert mesh == Mesh(*BOX) and hash(mesh) == hash(Mesh(*BOX)) and mesh != torus()
    again = Mesh(**mesh.parameters())
    assert again == mesh
    assert repr(mesh) == "<Mesh of 12 triangles, closed>"
    assert pickle.loads(pickle.dumps(mesh)) == mesh


@pytest.mark.parametrize(
    ("vertices", "faces", "words"),
    [
        ([], [[0, 1, 2]], "wrong shape"),
        (BOX[0], [], "no triangles"),
        (BOX[0], np.zeros((0, 3), dtype=int), "no triangles"),
        (BOX[0][:, :2], BOX[1], "wrong shape"),
        (BOX[0], [[0, 1]], "wrong shape"),
        (BOX[0], [0, 1, 2], "wrong shape"),
        (BOX[0], [[0, 1, 8]], "out of range"),
        (BOX[0], [[0, 1, -1]], "out of range"),
        (BOX[0], [[0, 1, 2.5]], "not whole numbers"),
        (BOX[0], [[0, 1, float("nan")]], "not"),
        (BOX[0], [["a", "b", "c"]], "not numbers"),
        (BOX[0], [[0, 1, 2], [0, 1]], "not numbers"),
        ("cube", BOX[1], "not numbers"),
        (None, BOX[1], "wrong shape|not finite"),
        ([[0, 0, 0], [1, 0, float("nan")], [0, 1, 0]], [[0, 1, 2]], "not finite"),
        ([[0, 0, 0], [1, 0, float("inf")], [0, 1, 0]], [[0, 1, 2]], "not finite"),
        ([[0, 0, 0], [1, 0, 1e200], [0, 1, 0]], [[0, 1, 2]], "too far out"),
    ],
)
def test_bad_arrays(vertices, faces, words):
    with pytest.raises(MeshError, match=words):
        Mesh(vertices, faces)


def test_errors_name_the_vertex_and_the_face():
    with pytest.raises(MeshError) as caught:
        Mesh([[0, 0, 0], [1, 0, float("nan")], [0, 1, 0]], [[0, 1, 2]])
    assert caught.value.element == "vertex 1"
    with pytest.raises(MeshError) as caught:
        Mesh(BOX[0], [[0, 1, 2], [0, 1, 99]])
    assert caught.value.element == "face 1" and caught.value.allowed == "0 to 7"
