"""Where Coal 3.0.3 is wrong about a closed-form pair: the right answer, and why it is right.

Each case stands for a kind of disagreement seen among the poses of test_distance_analytic.py. Only
our own answer is asserted: a later Coal is welcome to agree.
"""

from __future__ import annotations

import numpy as np
import pytest

from standoff.geometry.distance import distance
from standoff.geometry.pose import pose
from standoff.geometry.primitives import Box, Capsule


@pytest.mark.parametrize("tilt", [1e-6, 1e-7, 3e-8, 1e-8, 1e-9, 1e-12, 1e-15])
def test_nearly_parallel_crossing_axes_lose_half_of_their_digits(tilt):
    """The axes cross, so the depth is the sum of the radii, 0.05. Coal, by way of 1 - cos², puts
    the nearest points at the wrong end of the crossing: 6e-8 too shallow at a tilt of 1e-7."""
    turned = pose(rpy=(0.3, 0.2, 0.1))
    a, b = Capsule(0.02, 1.0), Capsule(0.03, 0.8)
    found = distance(a, turned, b, turned @ pose((0.2 * np.sin(tilt), 0, 0.1), rpy=(0, -tilt, 0)))
    assert found.distance == pytest.approx(-0.05, abs=1e-15)


def test_axis_lying_in_a_sheet_has_a_depth():
    """A capsule whose axis lies in a box without thickness leaves it sideways: the radius. Coal's
    penetration search finds no volume to grow in and answers -1.8e308."""
    found = distance(
        Capsule(0.05, 0.3), pose((0.01, 0.02, 0), rpy=(0, np.pi / 2, 0.1)), Box((0.4, 0.4, 0)), None
    )
    assert found.distance == pytest.approx(-0.05, abs=1e-15)
    np.testing.assert_allclose(np.abs(found.normal), (0, 0, 1), atol=1e-15)


def test_needle_in_a_sheet_touches_it():
    """Two boxes in one plane have no depth: they part across it by nothing. Coal answers
    -1.8e308."""
    at = pose((0.01, 0.02, 0.03), rpy=(0.3, 0.2, 0.1))
    found = distance(Box((0.33, 0, 0.1)), at, Box((0, 0, 0.16)), at @ pose((0.02, 0, 0.01)))
    assert found.distance == pytest.approx(0.0, abs=1e-14)
    np.testing.assert_allclose(np.abs(at[:3, :3].T @ found.normal), (0, 1, 0), atol=1e-14)


@pytest.mark.parametrize("gap", [1e-6, 3e-7, 1e-8, 1e-11])
def test_boxes_within_a_micrometre_are_not_yet_in_contact(gap):
    """An edge above a crossed edge. Coal's search takes 1e-6 for contact and answers 0."""
    above = pose((0, 0, 0.2 * np.sqrt(2) + gap), rpy=(0, np.pi / 4, 0))
    found = distance(Box((0.2, 0.2, 0.2)), above, Box((0.2, 0.2, 0.2)), pose(rpy=(np.pi / 4, 0, 0)))
    assert found.distance == pytest.approx(gap, abs=1e-15)
    np.testing.assert_allclose(found.normal, (0, 0, 1), atol=1e-15)


def test_long_thin_boxes_are_not_searched_to_a_tolerance():
    """A beam of 200 m, 1 mm thick, over one of 300 m: edge against edge, so the distance is the gap
    along the common perpendicular of two edges. Coal stops 1e-8 before it."""
    a, b = Box((200.0, 0.001, 100.0)), Box((0.001, 300.0, 0.001))
    at = pose((150.0, 0, 5.0), rpy=(0.3, 0.2, 0.1))
    found = distance(a, at, b, None)
    n = found.normal
    reach_a = np.abs(at[:3, :3].T @ n) @ a.size_row[:3]
    reach_b = np.abs(n) @ b.size_row[:3]
    assert n @ at[:3, 3] - reach_a - reach_b == pytest.approx(found.distance, abs=1e-12)
    assert np.linalg.norm(found.point_a - found.point_b) == pytest.approx(found.distance, abs=1e-12)
