"""Parts inside of what an open mesh nearly encloses: nobody can tell, so doubt is danger."""

import numpy as np
import pytest

import standoff as so
from standoff.interference.mesh_faults import nearly_enclosed
from standoff.interference.parts import Part
from tests.worlds.mesh_shapes import bowl_arrays, box_arrays, box_mesh, joined, torus, torus_arrays

METHODS = ("exact", "octree", "projection")
PIN = box_mesh(0.1, 0.1, 0.1)


def judged(parts, method):
    options = {"outline": "true"} if method == "projection" else {}
    found = so.interference.compare(parts, method, **options)
    (finding,) = [*found.overlaps, *found.gaps]
    return finding


def open_solids():
    points, faces = box_arrays(1, 1, 1)
    wall = faces[np.isclose(points[faces][:, :, 0], 0.5).all(axis=1)]
    flap = [[*wall[0, :2], 8]]
    other = np.array([f for f in faces if not np.isclose(points[f][:, 0], -0.5).all()])
    some = np.random.default_rng(0).permutation(11)[:5]
    turned = faces[1:].copy()
    turned[some] = turned[some, ::-1]
    return {
        "a triangle is missing": (points, faces[1:]),
        "a whole side is missing": (points, faces[2:]),
        "inside out": (points, faces[1:, ::-1]),
        "triangles face either way": (points, turned),
        "each triangle twice": (points, np.concatenate([faces[1:], faces[1:]])),
        "an inner wall": joined((points, faces), (points + np.array([1.0, 0, 0]), other)),
        "a flap": (np.vstack([points, [[0.5, 0.5, 2.0]]]), np.vstack([faces, flap])),
        "a slit": (np.vstack([points, points[:1]]), _slit(faces)),
    }  # fmt: skip


def _slit(faces):
    """One corner of one triangle moved off by so little that nobody sees it."""
    changed = faces.copy()
    changed[0][changed[0] == changed[0, 0]] = 8
    return changed


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", open_solids())
def test_a_pin_in_a_solid_that_is_not_quite_closed_may_overlap(name, method):
    points, faces = open_solids()[name]
    if name == "a slit":
        points = points.copy()
        points[8] += 1e-9
    solid = so.Mesh(points, faces)
    assert not solid.closed
    rng = np.random.default_rng(1)
    for place in rng.uniform(-0.35, 0.35, (6, 3)):
        for shape in (PIN, so.Sphere(0.05), so.Box((0.1, 0.05, 0.02)), so.Capsule(0.02, 0.1)):
            for one in ({"solid": solid, "pin": (shape, so.pose(place))},
                        {"pin": (shape, so.pose(place)), "solid": solid}):  # fmt: skip
                found = judged(one, method)
                assert isinstance(found, so.interference.Overlap) and not found.certain, (
                    place,
                    shape,
                )
                if method == "exact":
                    said = "solid is open, and pin lies inside of what it nearly encloses"
                    assert found.evidence == said and found.distance is None


@pytest.mark.parametrize("method", METHODS)
def test_what_is_beside_an_open_mesh_is_apart(method):
    points, faces = torus_arrays()
    ring = so.Mesh(points, faces[1:])
    found = judged({"ring": ring, "peg": so.Sphere(0.1)}, method)  # in the hole
    assert isinstance(found, so.interference.Gap)
    assert isinstance(
        judged({"ring": ring, "linked": (PIN, so.pose((0.5, 0, 0)))}, method),
        so.interference.Overlap,
    )
    if method == "exact":  # just above sheets, whichever way they face
        sheet = np.array([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], float)
        square = np.array([[0, 1, 2], [0, 2, 3]])
        tilted = so.pose((0, 0, 0.11), rpy=(0.1, 0.2, 0.3))
        for mesh in (
            (np.vstack([sheet, [[0, 0, 1]]]), np.vstack([square, [[0, 0, 4]]])),
            joined((sheet, square), (sheet - [0, 0, 0.1], square), (sheet - [0, 0, 0.2], square)),
        ):
            found = judged({"sheet": so.Mesh(*mesh), "pin": (PIN, tilted)}, method)
            assert isinstance(found, so.interference.Gap)


@pytest.mark.interpreted
def test_more_than_half_of_the_directions_end_at_what_encloses_a_point():
    points, faces = box_arrays(1, 1, 1)
    open_box = Part("box", so.Mesh(points, faces[2:]), np.eye(4))  # without the side at x = -0.5
    for x in (-0.45, 0.0, 0.45):
        dot = Part("dot", so.Sphere(0.001), so.pose((x, 0.1, -0.05)))
        said = "box is open, and dot lies inside of what it nearly encloses"
        assert nearly_enclosed(open_box, dot) == nearly_enclosed(dot, open_box) == said
    for x in (-0.5, -0.55, 0.51):
        dot = Part("dot", so.Sphere(0.001), so.pose((x, 0.1, -0.05)))
        assert nearly_enclosed(open_box, dot) is None
    assert nearly_enclosed(Part("box", so.Mesh(points, faces), np.eye(4)), dot) is None
    assert nearly_enclosed(Part("floor", so.HalfSpace(), np.eye(4)), open_box) is None


def test_an_egg_in_a_bowl_may_be_inside_and_one_above_its_rim_is_not():
    bowl = so.Mesh(*bowl_arrays(0.6))
    deep = judged({"bowl": bowl, "egg": (so.Sphere(0.2), so.pose((0, 0, -0.3)))}, "exact")
    assert isinstance(deep, so.interference.Overlap) and not deep.certain
    above = judged({"bowl": bowl, "egg": (so.Sphere(0.2), so.pose((0, 0, 0.05)))}, "exact")
    assert isinstance(above, so.interference.Gap) and above.exact
    through = judged({"bowl": bowl, "egg": (so.Sphere(0.2), so.pose((0, 0, -0.5)))}, "exact")
    assert isinstance(through, so.interference.Overlap) and through.certain


@pytest.mark.parametrize("method", METHODS)
def test_a_pin_in_a_sheet_is_apart(method):
    points, faces = box_arrays(1, 1, 1)
    parts = {"sheet": so.Mesh(points, faces[2:], sheet=True), "pin": (PIN, so.pose((0, 0, 0.1)))}
    found = judged(parts, method)
    if method == "projection":  # its outline is all of it
        assert isinstance(found, so.interference.Overlap) and not found.certain
    else:
        assert isinstance(found, so.interference.Gap)


def test_one_piece_of_a_part_inside_is_enough():
    points, faces = box_arrays(1, 1, 1)
    solid = so.Mesh(points, faces[1:])
    far = [box_arrays(0.05, 0.05, 0.05, centre=(2.0 + k, 0, 0)) for k in range(30)]
    crumbs = so.Mesh(*joined(*far, box_arrays(0.05, 0.05, 0.05, centre=(0.2, 0.1, 0.0))))
    found = judged({"solid": solid, "crumbs": crumbs}, "exact")
    assert isinstance(found, so.interference.Overlap) and not found.certain


def test_an_open_mesh_within_a_closed_cavity_stays_apart():
    shell = joined(box_arrays(2, 2, 2), (box_arrays(1, 1, 1)[0], box_arrays(1, 1, 1)[1][:, ::-1]))
    bowl = so.Mesh(*bowl_arrays(0.1))
    for parts in ({"shell": so.Mesh(*shell), "bowl": bowl}, {"bowl": bowl, "ring": torus()}):
        assert isinstance(judged(parts, "exact"), so.interference.Gap)
