"""Planes to project on: nested, spread, and none made of bad input."""

import numpy as np
import pytest

from standoff.errors import InterferenceError
from standoff.interference.outlines import plane_bases, plane_normals


@pytest.mark.interpreted
def test_one_more_plane_keeps_all_before():
    longest = plane_normals(40)
    for n in range(1, 40):
        assert np.array_equal(plane_normals(n), longest[:n])
    assert np.array_equal(longest[:3], [[0, 0, 1], [1, 0, 0], [0, 1, 0]])


def angle_to_next(normals):
    """The smallest angle between two planes, in degrees."""
    cosines = np.abs(normals @ normals.T)
    np.fill_diagonal(cosines, 0.0)
    return np.degrees(np.arccos(cosines.max()))


@pytest.mark.interpreted
def test_planes_are_spread():
    """n equal caps on a half sphere have radii of about acos(1 - 1/n); no two planes here are
    nearer than three quarters of that."""
    for n in range(2, 60):
        assert angle_to_next(plane_normals(n)) > 0.75 * np.degrees(np.arccos(1 - 1 / n))


@pytest.mark.interpreted
def test_bases_are_right_handed_and_those_of_coordinate_planes_are_axes():
    for row in plane_bases(plane_normals(60)).reshape(-1, 3, 3):
        assert np.allclose(row @ row.T, np.eye(3), rtol=0, atol=1e-15)
        assert np.linalg.det(row) > 0
    assert set(plane_bases(plane_normals(3)).ravel().tolist()) == {0.0, 1.0}


@pytest.mark.interpreted
def test_normals_are_made_unit_length_and_doubles_are_dropped():
    given = [[0, 0, 5], [0, 0, -1], [1e-200, 0, 0], [1, 1e-12, 0], [3e200, 4e200, 0]]
    found = plane_normals(given)
    assert np.allclose(found, [[0, 0, 1], [1, 0, 0], [0.6, 0.8, 0]], rtol=0, atol=1e-15)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "bad",
    [0, -1, 100_000, True, 2.5, "three", None, [], [[1, 2]], [1, 0, 0], [[0, 0, 0]],
     [[np.nan, 0, 1]], [[np.inf, 0, 0]], [["a", "b", "c"]], [[1, 0, 0], [1, 0]]],
)  # fmt: skip
def test_bad_planes_are_refused_and_named(bad):
    with pytest.raises(InterferenceError, match="planes"):
        plane_normals(bad)
