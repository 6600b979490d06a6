"""Open meshes count as solid where they mostly surround a point, unless they are sheets."""

import warnings

import numpy as np
import pytest
from rich.console import Console

import standoff as so
from standoff.papers.paper001_checkers import PairwiseChecker, SampledChecker
from standoff.paths.verify.soup import soup_of
from standoff.streams.record.about import DamagedError
from standoff.view import replay
from standoff.view.files import open_cell
from standoff.view.verify import cell_of
from tests.oracles.paper001 import segment
from tests.oracles.winding import winding
from tests.worlds.mesh_shapes import bowl_arrays, box_arrays, joined, torus_arrays

trimesh = pytest.importorskip("trimesh")

DOT = so.Sphere(0.001)


def lacking(arrays, *which):
    """Arrays of a mesh without some of its triangles."""
    points, faces = arrays
    return points, np.delete(faces, which, axis=0)


def overlaps(mesh, place, shape=DOT):
    values = [
        so.distance(mesh, None, shape, so.pose(place)).distance,
        so.distance(shape, so.pose(place), mesh, None).distance,
    ]
    assert (values[0] <= 0.0) == (values[1] <= 0.0)
    return values[0] <= 0.0


SHAPES = {
    "torus": lacking(torus_arrays(), 3),
    "box": lacking(box_arrays(1, 1, 1), 0, 1),
    "bowl": bowl_arrays(0.6),
    "inside out": (bowl_arrays(0.6)[0], bowl_arrays(0.6)[1][:, ::-1]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_inside_is_where_the_solid_angles_add_up_to_half_a_turn(name):
    mesh = so.Mesh(*SHAPES[name])
    assert not mesh.closed and mesh.open_solid
    sheet = so.Mesh(*SHAPES[name], sheet=True)
    corners = mesh.vertices[mesh.faces]
    low, high = mesh.bounds()
    seen = set()
    for place in np.random.default_rng(0).uniform(1.2 * low, 1.2 * high, (150, 3)):
        turns = abs(winding(place, corners))
        gap = so.distance(sheet, None, DOT, so.pose(place)).distance
        if gap <= 0.0 or abs(turns - 0.5) < 1e-6:
            continue
        within = bool((place >= low).all() and (place <= high).all() and turns > 0.5)
        assert overlaps(mesh, place) == within, (place, turns)
        assert so.distance(mesh, None, DOT, so.pose(place)).distance == (-gap if within else gap)
        seen.add(within)
    assert seen == {False, True}


def test_a_solid_that_lacks_a_face_holds_what_the_whole_one_holds():
    whole = trimesh.creation.icosphere(subdivisions=2)
    mesh = so.Mesh(whole.vertices, whole.faces[1:])
    places = np.random.default_rng(1).uniform(-1, 1, (200, 3))
    heights = places @ whole.face_normals.T - (whole.face_normals * whole.triangles_center).sum(1)
    for place, height in zip(places, heights.max(axis=1), strict=True):  # it is convex
        if abs(height) > 0.2:
            assert overlaps(mesh, place) == (height < 0.0)


@pytest.mark.parametrize("body", [
    so.Box((0.02, 0.03, 0.04)), so.Capsule(0.01, 0.05), so.Cylinder(0.01, 0.05),
    so.Polyhedron(0.02 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])),
    so.Mesh(*box_arrays(0.02, 0.02, 0.02)),
])  # fmt: skip
def test_any_body_in_an_open_box_overlaps_it(body):
    box = lacking(box_arrays(1, 1, 1), 4)
    assert overlaps(so.Mesh(*box), (0.1, 0.2, 0.3), body)
    assert not overlaps(so.Mesh(*box, sheet=True), (0.1, 0.2, 0.3), body)


def test_an_open_mesh_whose_triangles_face_either_way_was_hollow():
    points, faces = lacking(box_arrays(1, 1, 1), 0)
    turned = np.random.default_rng(0).permutation(len(faces))[:5]
    faces = faces.copy()
    faces[turned] = faces[turned, ::-1]
    mesh = so.Mesh(points, faces)
    assert any("disagreed with their neighbours" in problem for problem in mesh.problems)
    assert overlaps(mesh, (0.1, 0.2, 0.3))


def walled(way):
    """A closed box with two loose walls in it that face up, or down."""
    wall = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 0.499
    faces = np.array([[0, 1, 2], [0, 2, 3]])[:, ::way]
    return joined(box_arrays(1, 1, 1), *((wall + np.array([0, 0, z]), faces) for z in (0.1, 0.2)))


def inner_part():
    """An open box around a closed one that faces the other way."""
    points, faces = box_arrays(0.5, 0.5, 0.5)
    return joined(lacking(box_arrays(1, 1, 1), 0), (points, faces[:, ::-1]))


def halves():
    """The two halves of a ball beside each other, one of them inside out."""
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    upper = ball.triangles_center[:, 2] > 0.0
    lifted = ball.vertices + np.array([0.0, 0.0, 1e-5]), ball.faces[upper]
    return joined(lifted, (ball.vertices, ball.faces[~upper][:, ::-1]))


@pytest.mark.parametrize("arrays", [walled(1), walled(-1), inner_part(), halves()])
def test_a_solid_was_hollow_where_another_part_of_the_mesh_faces_the_other_way(arrays):
    mesh = so.Mesh(*arrays)
    assert mesh.open_solid
    soup = soup_of(mesh)
    for place in np.random.default_rng(0).uniform(-0.24, 0.24, (60, 3)):
        assert overlaps(mesh, place), place
        assert soup.holds(place[None]).all()
    assert not overlaps(mesh, (0.45, 0.45, 0.55))
    points, faces = mesh.vertices, mesh.faces
    assert {tuple(p) for p in points} == {tuple(p) for p in arrays[0][np.unique(arrays[1])]}
    assert len(faces) == len(arrays[1])


def test_a_double_sided_open_mesh_was_closed_and_hollow():
    points, faces = lacking(box_arrays(1, 1, 1), 0, 1)
    mesh = so.Mesh(points, np.concatenate([faces, faces[:, ::-1]]))
    assert not mesh.closed and mesh.triangles == len(faces)
    assert overlaps(mesh, (0.1, 0.2, 0.0))


def test_two_boxes_with_a_common_wall_are_closed():
    points, faces = box_arrays(1, 1, 1)
    mesh = so.Mesh(*joined((points, faces), (points + np.array([1.0, 0, 0]), faces)))
    assert mesh.closed and mesh.volume == pytest.approx(2.0)


def slider(tmp_path):
    """A ball that slides along x."""
    file = tmp_path / "slider.urdf"
    file.write_text(
        '<robot name="slider"><link name="base"/><link name="ball"><collision><geometry>'
        '<sphere radius="0.05"/></geometry></collision></link><joint name="x" type="prismatic">'
        '<parent link="base"/><child link="ball"/><axis xyz="1 0 0"/>'
        '<limit lower="-3" upper="0.3" effort="1" velocity="1"/></joint></robot>'
    )
    return file


def hole_cell(tmp_path, **options):
    """The ball before a box that is open towards it."""
    points, faces = box_arrays(1, 1, 1)
    side = [k for k, f in enumerate(faces) if np.isclose(points[f][:, 0], -0.5).all()]
    cell = so.Cell()
    cell.add_robot(slider(tmp_path))
    cell.add_body("box", so.Mesh(*lacking((points, faces), *side), **options))
    return cell


def test_a_body_in_an_open_mesh_was_safe_and_free_at_every_instant(tmp_path):
    cell = hole_cell(tmp_path)
    assert not so.Monitor(cell, buffer=0.0).update([0.0]).safe
    assert so.Monitor(cell, buffer=0.0).update([-1.0]).safe
    for way in ([[0.0], [0.1]], [[0.1], [0.0]]):
        assert so.PathChecker(cell).path(way).kind == "collision"


def test_a_body_that_enters_through_a_hole_was_free(tmp_path):
    """It meets no surface: neither end nor any instant between tells but for the inside."""
    for way in ([[-1.0], [0.2]], [[0.2], [-1.0]], [[-2.0], [0.3]]):
        assert so.PathChecker(hole_cell(tmp_path)).path(way).kind == "collision"
        for checker in (PairwiseChecker, SampledChecker):
            assert segment(checker(hole_cell(tmp_path), 0.01), *way).kind == "collision"
        assert so.PathChecker(hole_cell(tmp_path, sheet=True)).path(way).free


def test_bodies_that_can_meet_inside_an_open_mesh_only_were_proved_apart(tmp_path):
    assert hole_cell(tmp_path, sheet=True).prove_apart().apart
    found = hole_cell(tmp_path).prove_apart()
    assert not found.apart and found.touching


def test_a_sheet_stays_one_in_a_cell_file(tmp_path):
    cell = hole_cell(tmp_path, sheet=True)
    bowl = tmp_path / "bowl.stl"
    trimesh.Trimesh(*bowl_arrays(), process=False).export(bowl)
    cell.add_body("bowl", so.Mesh.load(bowl, 0.5, sheet=True), so.pose((5, 0, 0)))
    cell.add_body("solid", so.Mesh.load(bowl), so.pose((9, 0, 0)))
    assert cell.open_meshes == ("solid",)
    cell.save(tmp_path / "cell.toml")
    again = so.Cell.load(tmp_path / "cell.toml")
    assert again.open_meshes == ("solid",)
    assert [again.bodies[n].shape == cell.bodies[n].shape for n in cell.bodies] == [True] * 3
    assert again.bodies["bowl"].shape != so.Mesh.load(bowl, 0.5)
    with pytest.raises(so.Error, match="sheet"):
        so.Mesh(*bowl_arrays(), sheet="yes")


def test_region_and_projection_watches_missed_what_is_in_an_open_mesh():
    points, faces = box_arrays(1, 1, 1)
    ends = np.abs(points[faces].sum(axis=1)[:, 2]) > 1.4  # a tube along z
    tube = so.Mesh(points, faces[~ends])
    place = {"pin": so.pose((0.1, 0.0, 0.0))}
    regions = so.interference.RegionWatch(
        {"tube": tube}, root=((0, 0, 0), 4.0), resolution=0.05, interval=0.0, speeds=0.0
    )
    assert regions.check({"pin": (DOT, place["pin"])}).warnings
    parts = {"tube": tube, "pin": (DOT, place["pin"])}
    watch = so.interference.ProjectionWatch(parts, ["pin"], outline="true")
    assert watch.check(place)


def test_commands_name_open_meshes(tmp_path):
    hole_cell(tmp_path).save(tmp_path / "cell.toml")
    with pytest.warns(UserWarning, match=r"open meshes count as solid .*: box"):
        open_cell(str(tmp_path / "cell.toml"))
    hole_cell(tmp_path, sheet=True).save(tmp_path / "cell.toml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        open_cell(str(tmp_path / "cell.toml"))


def test_verify_and_replay_did_not_name_open_meshes(tmp_path, monkeypatch):
    """Their cells come with the certificate and with the record."""
    cell = hole_cell(tmp_path)
    proof = tmp_path / "proof.json"
    so.PathChecker(cell).path([[-1.0], [-0.9]]).certificate().save(proof, cell=cell)
    with pytest.warns(UserWarning, match=r"open meshes count as solid .*: box"):
        cell_of(so.Certificate.load(proof), proof, None)

    class Record:
        def __init__(self, _):
            self.cell = cell

        def run(self, **_):
            raise DamagedError("read no further")

    monkeypatch.setattr(replay, "Replay", Record)
    quiet = Console(quiet=True)
    with pytest.warns(UserWarning, match=r"open meshes count as solid .*: box"):
        replay.replay(tmp_path / "run.mcap", quiet, quiet, verify=False, report=None)
