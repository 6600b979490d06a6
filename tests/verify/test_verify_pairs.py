"""Certificates of pairs that are not like the others: clearances of their own, open meshes."""

from dataclasses import replace

import numpy as np
import pytest

import standoff as so


@pytest.fixture
def row_of_balls():
    cell = so.Cell()
    cell.add_body("cart", so.Box((0.2, 0.2, 0.2)), moving=True)
    for k in range(6):
        at = (1.5 + 0.1 * (k % 3), 0.0, 0.5 + 0.1 * (k // 3))
        cell.add_body(f"ball{k}", so.Sphere(0.05), so.pose(at))
    return cell, {"cart": so.Glide(so.pose((0.0, 0.0, 0.0)), (0.3, 0.0, 0.0))}


@pytest.mark.parametrize("usual", [0.0, -0.01])
def test_a_clearance_of_one_pair_did_not_count_against_all_of_its_group(row_of_balls, usual):
    """The checker proves that pair by itself; the verifier asked for as much of the group."""
    cell, moving = row_of_balls
    own = {("cart", "ball2"): 1.1, ("cart", "ball1"): -0.2}
    checker = so.PathChecker(cell, clearance=usual, clearances=own)
    made = checker.segment((), (), moving=moving).certificate()
    assert made.verdict.kind == "free" and made.groups
    found = so.verify(cell, made, engine="plain")
    assert found.verified, found.reason


def test_a_group_proves_no_clearance_of_a_pair_that_is_larger(row_of_balls):
    cell, moving = row_of_balls
    made = so.PathChecker(cell).segment((), (), moving=moving).certificate()
    assert made.groups and so.verify(cell, made, engine="plain").verified
    forged = replace(made, clearances={("cart", "ball2"): 1.3})
    found = so.verify(cell, forged, engine="plain")
    assert not found.verified and "nothing proves them apart" in found.reason


def test_a_clearance_of_a_body_that_was_removed_spoiled_the_certificate(row_of_balls):
    cell, moving = row_of_balls
    checker = so.PathChecker(cell, clearances={("cart", "ball2"): 0.1})
    cell.remove_body("ball2")
    made = checker.segment((), (), moving=moving).certificate()
    found = so.verify(cell, made, engine="plain")
    assert found.verified, found.reason


def open_box():
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.15
    faces = [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
        [0, 2, 6], [0, 6, 4],
    ]  # fmt: skip
    return so.Mesh(corners, faces)


def test_a_body_that_sticks_out_of_an_open_box_was_not_as_deep_as_its_gap():
    """The gap to the walls and the bottom was held against how deep the hulls are in each other:
    less than that of a ball in the mouth of the box."""
    cell = so.Cell()
    cell.add_body("box", open_box())
    cell.add_body("ball", so.Sphere(0.02), moving=True)
    at = so.Glide(so.pose((0.0, 0.0, 0.1)))
    made = so.PathChecker(cell).segment((), (), moving={"ball": at}).certificate()
    assert made.verdict.kind == "collision"
    assert made.verdict.distance < -0.12
    found = so.verify(cell, made, engine="plain")
    assert found.verified, found.reason
    for lie in (-0.14, -0.5, -1e9):
        claim = replace(made.verdict, distance=lie)
        assert not so.verify(cell, replace(made, verdict=claim), engine="plain").verified
