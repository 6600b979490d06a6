"""The convex hull and the polyhedron made of it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from standoff.errors import ShapeError
from standoff.geometry.convex_hull import HULL_OUTSIDE, convex_hull, hull_tolerance
from standoff.geometry.narrowphase import layout
from standoff.geometry.polyhedron import Polyhedron
from standoff.tolerances import EPS
from tests.worlds.convex_cases import rotations

CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def on_sphere(rng, n):
    points = rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def on_box(rng, n):
    """Random points on the six faces of a box, in their planes to the last bit."""
    points = rng.uniform(-0.5, 0.5, (n, 3))
    axis = rng.integers(0, 3, n)
    points[np.arange(n), axis] = np.copysign(0.5, points[np.arange(n), axis])
    return points * (0.6, 0.8, 1.0)


def grid_on_box(k):
    steps = np.linspace(-0.5, 0.5, k)
    return np.array([p for p in itertools.product(steps, repeat=3) if max(map(abs, p)) == 0.5])


def prism(sides):
    turn = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    return np.array([(np.cos(t), np.sin(t), z) for t in turn for z in (-1.0, 0.0, 0.3, 1.0)])


def turned(points, seed):
    return points @ rotations(np.random.default_rng(seed), 1)[0].T


def assert_hull_of(points, vertices, faces):
    """Closed, outward, one piece; corners from the input; every point inside."""
    edges = [(int(f[k]), int(f[(k + 1) % 3])) for f in faces for k in range(3)]
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)
    assert len(vertices) - len(edges) // 2 + len(faces) == 2
    assert set(faces.ravel()) == set(range(len(vertices)))
    assert {v.tobytes() for v in vertices} <= {p.tobytes() for p in points}
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    shape, cloud = vertices - middle, points - middle
    a, b, c = (shape[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    area = np.linalg.norm(normals, axis=1)
    assert (area > 0.0).all()
    normals /= area[:, None]
    level = np.einsum("ij,ij->i", normals, a)
    # A needle of a face knows its plane less well than the hull knows itself.
    wide = area > 1e-9 * np.ptp(points, axis=0).max() ** 2
    heights = cloud @ normals[wide].T - level[wide]
    assert heights.max() <= hull_tolerance(points)


CLOUDS = {
    "sphere": lambda: on_sphere(np.random.default_rng(1), 2000),
    "ball": lambda: np.random.default_rng(2).normal(size=(5000, 3)),
    "cube filled": lambda: np.random.default_rng(3).uniform(-1, 1, (5000, 3)),
    "10,000 points on a box": lambda: on_box(np.random.default_rng(4), 10_000),
    "the same turned": lambda: turned(on_box(np.random.default_rng(4), 10_000), 5),
    "the same turned and far away": lambda: (
        turned(on_box(np.random.default_rng(4), 10_000), 6) + 1e4
    ),
    "near flat": lambda: np.random.default_rng(7).normal(size=(2000, 3)) * (1.0, 1.0, 1e-7),
    "needle": lambda: turned(np.random.default_rng(8).normal(size=(500, 3)) * (1, 1e-3, 1e-6), 9),
    "prism": lambda: prism(180),
    "prism turned": lambda: turned(prism(180), 10),
    "tiny": lambda: turned(on_sphere(np.random.default_rng(11), 500), 12) * 1e-4,
    "tiny and far away": lambda: on_sphere(np.random.default_rng(13), 300) * 1e-4 + 1e3,
    "large": lambda: on_sphere(np.random.default_rng(14), 500) * 1e3 + (1e4, 0.0, -1e4),
}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_hull_agrees_with_qhull(cloud):
    points = CLOUDS[cloud]()
    vertices, faces = convex_hull(points)
    assert_hull_of(points, vertices, faces)
    middle = points.mean(axis=0)
    oracle = ConvexHull(points - middle)
    volume = np.einsum(
        "ij,ij->i",
        vertices[faces[:, 0]] - middle,
        np.cross(vertices[faces[:, 1]] - middle, vertices[faces[:, 2]] - middle),
    )
    skin = oracle.area * HULL_OUTSIDE * EPS * np.abs(points).max()
    assert volume.sum() / 6.0 == pytest.approx(oracle.volume, rel=1e-12, abs=skin)


def farthest_out_exactly(points, vertices, faces):
    """How far a point stands out of the vertices along the normal of a face, at most: in exact
    arithmetic but for the last division; float64 picks the three that look highest."""
    middle = points.mean(axis=0)
    farthest = 0.0
    for face in faces:
        a, b, c = (vertices[k] - middle for k in face)
        rough = np.cross(b - a, c - a)
        o, p, q = ([Fraction(x) for x in vertices[k]] for k in face)
        u, v = ([x - y for x, y in zip(end, o, strict=True)] for end in (p, q))
        n = [u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)]
        tops = []
        for cloud in (points, vertices):
            high = cloud[np.argsort((cloud - middle) @ rough)[-3:]]
            tops.append(max(sum(m * Fraction(x) for m, x in zip(n, p, strict=True)) for p in high))
        farthest = max(farthest, float(tops[0] - tops[1]) / math.sqrt(sum(x * x for x in n)))
    return farthest


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("out", [1e-14, 1e-12, 1e-10])
def test_no_point_is_left_outside_by_more_than_rounding(seed, out):
    """A cube of 1000 m with points a nanometre and less outside its faces, and the like on turned
    boxes: each of them is a part of the body."""
    rng = np.random.default_rng(seed)
    bumps = on_box(rng, 60) * (1.0 + out * rng.uniform(0, 1, (60, 1)))
    corners = 0.5 * CUBE * (0.6, 0.8, 1.0)
    for points in (
        1e3 * np.vstack([CUBE, [[1.0 + out, 0.0, 0.0], [0.3, -1.0 - out, 0.2]]]),
        turned(np.vstack([corners, bumps]), seed),
        turned(np.vstack([corners, bumps]), seed) + 10.0,
    ):
        vertices, faces = convex_hull(points)
        assert_hull_of(points, vertices, faces)
        allowed = 2.0 * HULL_OUTSIDE * EPS * np.abs(points).max()
        assert farthest_out_exactly(points, vertices, faces) <= allowed


def test_a_vertex_a_nanometre_outside_a_cube_of_1000_m_stays():
    points = np.vstack([500.0 * CUBE, [[500.0 + 1e-9, 0.0, 0.0]]])
    assert convex_hull(points)[0].tolist() == points.tolist()


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e3])
def test_only_the_corners_of_a_box_remain(scale, offset):
    if scale < 1.0 and offset > 0.0:
        pytest.skip("a box of 1e-4 m at 1e4 m has lost its flat faces to rounding")
    grid = grid_on_box(21)
    for points in (grid, turned(grid, 20), np.repeat(turned(grid, 21), 2, axis=0)):
        placed = points * scale + offset
        vertices, faces = convex_hull(placed)
        assert len(vertices) == 8 and len(faces) == 12
        assert_hull_of(placed, vertices, faces)


def test_points_along_edges_and_in_faces_drop_out():
    vertices, faces = convex_hull(turned(prism(180), 10))
    assert len(vertices) == 360 and len(faces) == 2 * 360 - 4


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.integers(0, 2**32), st.integers(4, 40), st.booleans())
def test_hull_of_points_on_a_coarse_grid(seed, n, turn):
    """Small integers: doubles, collinear and coplanar points everywhere."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-3, 4, size=(n, 3)).astype(float)
    flat = np.linalg.matrix_rank(points - points[0]) < 3
    placed = turned(points, seed) if turn else points
    if flat:
        with pytest.raises(ShapeError, match="flat"):
            convex_hull(placed)
        return
    vertices, faces = convex_hull(placed)
    assert_hull_of(placed, vertices, faces)
    assert len(vertices) == len(ConvexHull(points).vertices)


def test_points_square_to_the_first_direction_looked_along():
    """A sheet and a plate across that direction are neither a point nor torn."""
    across = np.linalg.qr(
        np.array([[0.7390851332151607], [0.5671432904097838], [0.3627138416839562]]),
        mode="complete",
    )[0]
    flat = np.random.default_rng(34).uniform(-1, 1, (200, 3)) * (0.0, 1.0, 1.0) @ across.T
    with pytest.raises(ShapeError, match="lie in one plane"):
        convex_hull(flat)
    plate = np.random.default_rng(35).uniform(-1, 1, (200, 3)) * (1e-6, 1.0, 1.0) @ across.T
    assert_hull_of(plate, *convex_hull(plate))


def test_equal_input_gives_equal_bits():
    points = turned(on_box(np.random.default_rng(30), 3000), 31)
    one, two = convex_hull(points), convex_hull(points.tolist())
    assert one[0].tobytes() == two[0].tobytes()
    assert one[1].tobytes() == two[1].tobytes()


def test_polyhedron_of_points():
    shape = Polyhedron(np.vstack([CUBE, 0.3 * CUBE, CUBE]))
    assert shape.kind == layout.POLYHEDRON and shape.convex
    assert shape.vertices.tolist() == CUBE.tolist()
    assert len(shape.faces) == 12
    assert shape.volume == pytest.approx(8.0)
    assert [b.tolist() for b in shape.bounds()] == [[-1.0] * 3, [1.0] * 3]
    points, radius = shape.core()
    assert points.tolist() == CUBE.tolist() and radius == 0.0
    assert shape.geometry.points.tolist() == CUBE.tolist()
    assert shape.geometry.faces.tolist() == shape.faces.tolist()
    assert repr(shape) == "Polyhedron(8 vertices, 12 faces)"
    with pytest.raises(ValueError, match="read-only"):
        shape.vertices[0, 0] = 3.0


def test_parameters_make_the_same_polyhedron_again():
    shape = Polyhedron(turned(on_sphere(np.random.default_rng(32), 40), 33) + 7.0)
    again = Polyhedron(**shape.parameters())
    assert again == shape and hash(again) == hash(shape)
    assert again.vertices.tobytes() == shape.vertices.tobytes()
    assert again.faces.tobytes() == shape.faces.tobytes()
    assert shape != Polyhedron(CUBE)


def test_polyhedron_of_given_faces():
    shape = Polyhedron(CUBE, QUADS)
    assert shape.volume == pytest.approx(8.0) and len(shape.faces) == 12
    unused = Polyhedron(np.vstack([CUBE, [[0.0, 0.0, 0.0]]]), QUADS)
    assert unused.vertices.tolist() == CUBE.tolist()
    # Every face with vertices of its own, as mesh files often have them.
    split = CUBE[np.concatenate(QUADS)]
    joined = Polyhedron(split, np.arange(24).reshape(6, 4))
    assert len(joined.vertices) == 8 and joined.volume == pytest.approx(8.0)


DENTED = CUBE.copy()
DENTED[7] *= 0.2

BAD = {
    "a vertex in front of a face": (DENTED, QUADS, "not convex: vertex .* in front of face .*Mesh"),
    "an unused vertex outside": (np.vstack([CUBE, [[0, 0, 1.1]]]), QUADS, "vertex 8 .*Mesh"),
    "open": (CUBE, QUADS[:5], "open at an edge of face .*Mesh"),
    "one face turned": (CUBE, [QUADS[0][::-1], *QUADS[1:]], "same direction.*Mesh"),
    "all faces turned": (CUBE, [q[::-1] for q in QUADS], "clockwise"),
    "an index too large": (CUBE, [[0, 1, 8]], r"faces\[0\]: no such vertex.*0 to 7"),
    "a negative index": (CUBE, [[0, 1, -1]], r"faces\[0\]: no such vertex"),
    "half an index": (CUBE, [[0, 1, 1.5]], r"faces\[0\]: not indices"),
    "two corners": (CUBE, [[0, 1]], r"faces\[0\]: not indices"),
    "a corner twice": (CUBE, [[0, 1, 1]], r"faces\[0\]: a vertex occurs twice"),
    "no faces": (CUBE, [], "no faces"),
    "faces that are none": (CUBE, "xyz", "not indices"),
    "a number as faces": (CUBE, 5, "no faces"),
    "one point": ([[1.0, 2.0, 3.0]] * 9, None, "all points are one point"),
    "a line": ([[x, 2 * x, 0.0] for x in range(9)], None, "all points lie on one line"),
    "a plane": (turned(CUBE * (1, 1, 0), 40), None, "all points lie in one plane"),
    "a plane but for rounding": (turned(CUBE * (1, 1, 1e-13), 41), None, "lie in one plane"),
    "flat faces": (CUBE * (1, 1, 0), [[0, 2, 4], [0, 4, 2]], "lie in one plane"),
    "no points": ([], None, "wrong shape"),
    "points in a plane's coordinates": ([[0, 1], [2, 3]], None, "wrong shape"),
    "rows of different length": ([[0, 1, 2], [0, 1]], None, "not points"),
    "words": ("abc", None, "not points"),
    "not a number": (
        [[0, 0, 0], [1, 0, 0], [0, 1, np.nan], [0, 0, 1]],
        None,
        r"vertices\[2\]: not",
    ),
    "infinite": (
        [[0, 0, 0], [1, 0, 0], [0, np.inf, 0], [0, 0, 1]],
        None,
        r"vertices\[2\]: not fin",
    ),
    "too large": (1e200 * CUBE, None, "too far from the origin"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_polyhedra_say_what_is_wrong(case):
    vertices, faces, message = BAD[case]
    with pytest.raises(ShapeError, match=message):
        Polyhedron(vertices, faces)
