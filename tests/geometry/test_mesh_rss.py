"""Swept rectangles: their distance against bounded least squares, their trees against the mesh."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase.bvh import TREE_DEPTH, node_count
from standoff.geometry.narrowphase.rss import rectangle_bound, rss_bound
from standoff.geometry.narrowphase.triangle import TRIANGLE_WORK, triangle_triangle
from tests.worlds.mesh_shapes import joined, star, torus, torus_arrays

HERE = np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])


def rectangles(rng, kind):
    """Half lengths (4), centre, the second rectangle's axes."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    if kind == "nearly parallel":
        q, _ = np.linalg.qr(np.eye(3) + 10.0 ** rng.uniform(-17, -2) * rng.normal(size=(3, 3)))
    if kind == "parallel":
        turn = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(turn), np.sin(turn)
        q = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    half = rng.uniform(0, 1, 4) * 10.0 ** rng.uniform(-2, 0, 4)
    if kind == "needles":
        half[rng.integers(0, 4, 2)] = 0.0
    centre = rng.normal(size=3) * 10.0 ** rng.uniform(-2, 0.5)
    if kind == "one plane":
        q = np.eye(3)
        centre[2] = 0.0
    return half, centre, q[:, 0], q[:, 1]


def least_squares(half, centre, m, n):
    """min |c + a m + b n - (x, y, 0)| over the box of (a, b, x, y)."""
    limits = np.maximum(half[[2, 3, 0, 1]], 1e-13)
    matrix = np.stack([m, n, [-1.0, 0, 0], [0, -1.0, 0]], axis=1)
    found = lsq_linear(matrix, -centre, bounds=(-limits, limits), method="bvls", tol=1e-15)
    return float(np.linalg.norm(matrix @ found.x + centre))


def bound(case, settled, enough):
    half, *vectors = (tuple(float(x) for x in part) for part in case)
    return rectangle_bound(half[:2], half[2:], *vectors, settled, enough)


@pytest.mark.parametrize(
    "kind", ["anywhere", "needles", "parallel", "nearly parallel", "one plane"]
)
def test_rectangle_distance_is_the_least_squares_one(kind):
    rng = np.random.default_rng(2)
    for _ in range(400):
        half, centre, m, n = rectangles(rng, kind)
        exact = least_squares(half, centre, m, n)
        value = bound((half, centre, m, n), 0.0, np.inf)
        assert abs(value - exact) <= 1e-8 * (1.0 + exact)
        assert value <= exact + 1e-12


def test_stopping_early_keeps_its_word():
    """A lower bound always, above ``enough`` where the distance is, exact between the two."""
    rng = np.random.default_rng(3)
    for k in range(3000):
        case = rectangles(rng, ("anywhere", "nearly parallel")[k % 2])
        exact = bound(case, 0.0, np.inf)
        settled, enough = np.sort(rng.uniform(0, 1.5, 2)) * exact
        value = bound(case, settled, enough)
        assert value <= exact * (1 + 1e-12)
        if exact > enough:
            assert value > enough * (1 - 1e-12)
        elif exact > settled:
            assert value >= exact * (1 - 1e-9)


def leaves(geometry, triangles, node=0):
    """The triangles below a node, in an explicit walk."""
    found, waiting, deepest = [], [(node, 1)], 0
    while waiting:
        code, depth = waiting.pop()
        deepest = max(deepest, depth)
        if code < 0:
            found.append(~code)
            continue
        waiting += [(c, depth + 1) for c in geometry.ints[2 * code : 2 * code + 2]]
    return found, deepest


def shrinking_strip(count=900):
    """Triangles that halve in size one after another: the mean always cuts off the largest."""
    scale = 0.5 ** np.arange(count)
    corner = np.array([[1.0, 0, 0], [2.0, 0, 0], [1.0, 1.0, 0]])
    points = (scale[:, None, None] * corner).reshape(-1, 3)
    return points, np.arange(3 * count).reshape(-1, 3)


MESHES = {
    "torus": torus(),
    "star": star(2),
    "one triangle": Mesh(np.eye(3), [[0, 1, 2]]),
    "two triangles": Mesh(np.eye(3), [[0, 1, 2], [2, 1, 0]]),
    "degenerate": Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2], [0, 0, 1], [2, 2, 2]]),
    "one point many times": Mesh([[1.0, 2.0, 3.0]], [[0, 0, 0]] * 9),
    "shrinking": Mesh(*shrinking_strip()),
    "far away": Mesh(star(4).vertices * 1e-3 + 1e3, star(4).faces),
}


@pytest.mark.parametrize("name", MESHES)
def test_every_triangle_is_inside_all_nodes_above_it(name):
    mesh = MESHES[name]
    g = mesh.geometry
    assert g.nodes.shape == (node_count(mesh.triangles), 16)
    everything, depth = leaves(g, mesh.triangles)
    assert sorted(set(everything)) == list(range(mesh.triangles))
    assert depth <= TREE_DEPTH + 1
    for n, row in enumerate(g.nodes):
        axes = row[:9].reshape(3, 3)
        assert np.abs(axes @ axes.T - np.eye(3)).max() < 1e-14
        below = mesh.vertices[mesh.faces[leaves(g, mesh.triangles, n)[0]]].reshape(-1, 3)
        x, y, z = axes @ (below - row[9:12]).T
        x, y = np.maximum(np.abs(x) - row[12], 0), np.maximum(np.abs(y) - row[13], 0)
        assert (np.sqrt(x * x + y * y + z * z) <= row[14]).all()


def test_node_bound_never_exceeds_the_triangles_below():
    a, b = torus(around=10, across=5), star(6, around=5, rings=3)
    ga, gb = a.geometry, b.geometry
    rng = np.random.default_rng(8)
    w = np.zeros(TRIANGLE_WORK)
    for _ in range(150):
        p, q = rng.integers(len(ga.nodes)), rng.integers(len(gb.nodes))
        rel = HERE.copy()
        rel[:9] = np.linalg.qr(rng.normal(size=(3, 3)))[0].ravel()
        rel[9:] = rng.normal(size=3)
        nearest = np.inf
        for s in leaves(ga, a.triangles, p)[0]:
            w[:9] = a.vertices[a.faces[s]].ravel()
            for t in leaves(gb, b.triangles, q)[0]:
                w[9:18] = (b.vertices[b.faces[t]] @ rel[:9].reshape(3, 3).T + rel[9:]).ravel()
                nearest = min(nearest, np.sqrt(triangle_triangle(w, 3, 3, np.inf)))
        bound = rss_bound(ga.nodes, p, gb.nodes, q, rel, 0.0, np.inf)
        assert bound <= nearest + 1e-14


def bytes_a_triangle(mesh):
    g = mesh.geometry
    return sum(a.nbytes for a in (g.points, g.faces, g.nodes, g.ints)) / mesh.triangles


def test_a_mesh_with_its_tree_takes_at_most_250_bytes_a_triangle():
    points, faces = torus_arrays(around=250, across=70)
    assert len(faces) == 35_000
    assert bytes_a_triangle(Mesh(points, faces)) < 185
    # loose triangles that share no vertex are the worst case
    loose = np.random.default_rng(0).normal(size=(3 * 2000, 3))
    assert bytes_a_triangle(Mesh(loose, np.arange(len(loose)).reshape(-1, 3))) <= 250


def test_geometries_can_be_concatenated():
    """All numbers count from the mesh's own first entry."""
    g = Mesh(*joined(torus_arrays(), (torus_arrays()[0] + 3.0, torus_arrays()[1]))).geometry
    children = g.ints[: 2 * len(g.nodes)]
    assert children.max() == len(g.nodes) - 1 and children.min() == -len(g.faces)
    parts = g.ints[2 * len(g.nodes)]
    assert parts == 2 and len(g.ints) == 2 * len(g.nodes) + 1 + parts
