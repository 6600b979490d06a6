"""Open meshes on paths: a body gets into one through its opening, and meets no surface."""

import numpy as np
import pytest

import standoff as so
from standoff.errors import PathError

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.15
SIDES = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
]  # fmt: skip
BOTTOM = [[0, 2, 6], [0, 6, 4]]
ABOVE = so.pose((0.0, 0.0, 0.8))


def cell(faces):
    """A ball that moves, and a square box without a lid, or a square pipe."""
    made = so.Cell()
    made.add_body("box", so.Mesh(CORNERS, faces))
    made.add_body("ball", so.Sphere(0.05), ABOVE, moving=True)
    return made


def down(metres):
    return {"ball": so.Glide(ABOVE, (0.0, 0.0, -metres))}


@pytest.mark.parametrize("first", [False, True])
def test_a_path_that_ended_deep_in_an_open_box_was_free(first):
    """The end of a path was not looked at, and was not free as a path of its own."""
    checker = so.PathChecker(cell(SIDES + BOTTOM))
    verdict = checker.segment((), (), moving=down(0.8), first=first)
    assert verdict.kind == "collision" and verdict.t == 1.0
    assert verdict.pair == ("box", "ball")
    assert so.verify(checker.cell, verdict.certificate(), engine="plain").verified
    assert checker.segment((), (), moving=down(0.6), first=first).free


def test_a_waypoint_deep_in_an_open_box_was_free():
    poses = np.array([ABOVE, so.pose((0.0, 0.0, 0.0)), ABOVE])
    verdict = so.PathChecker(cell(SIDES + BOTTOM)).path(np.zeros((3, 0)), moving={"ball": poses})
    assert verdict.kind == "collision"
    assert (verdict.segment, verdict.t) in ((0, 1.0), (1, 0.0))


def test_segments_that_ended_deep_in_an_open_box_were_free(tmp_path):
    file = tmp_path / "slide.urdf"
    file.write_text(
        '<robot name="r"><link name="a"/><link name="b"><collision><geometry>'
        '<sphere radius="0.05"/></geometry></collision></link>'
        '<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>'
    )
    made = so.Cell()
    made.add_robot(file)
    made.add_body("box", so.Mesh(CORNERS, SIDES + BOTTOM))
    kinds = so.PathChecker(made).segments([[0.8], [0.0], [0.8]], [[0.0], [0.8], [0.4]])
    assert kinds.tolist() == [False, False, True]
    assert not so.Planner(made).plan([0.8], [0.0], timeout=1.0).solved


def test_a_proof_through_a_pipe_was_said_to_be_within_rounding_error():
    checker = so.PathChecker(cell(SIDES))
    verdict = checker.segment((), (), moving=down(1.6))
    assert verdict.free  # only its ends and the instants of the search are looked at
    with pytest.raises(PathError, match="one of them an open mesh, overlap"):
        verdict.certificate()


def test_a_certificate_whose_motion_ends_in_an_open_box_was_verified():
    """Surfaces alone: proofs of a sheet, brought forward for the same mesh as a solid."""
    solid, sheet = cell(SIDES + BOTTOM), so.Cell()
    sheet.add_body("box", so.Mesh(CORNERS, SIDES + BOTTOM, sheet=True))
    sheet.add_body("ball", so.Sphere(0.05), ABOVE, moving=True)
    for metres, inside in ((0.71, True), (0.6, False)):
        made = so.PathChecker(sheet).segment((), (), moving=down(metres)).certificate()
        assert so.verify(sheet, made, engine="plain").verified
        found = so.verify(solid, made, engine="plain")
        assert found.verified != inside, found.reason
        assert not inside or "is inside the other in piece 0 at u = 1" in found.reason
