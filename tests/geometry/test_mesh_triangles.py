"""Triangle distances prove themselves: the nearest points lie on the triangles, and the direction
between them separates the two by the distance claimed, so nothing can be nearer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from standoff.geometry.narrowphase.rss_fit import triangle_rss
from standoff.geometry.narrowphase.triangle import TRIANGLE_WORK, triangle_triangle
from standoff.tolerances import MESH_ROUNDING

RNG = np.random.default_rng


def measure(a, b, cutoff=np.inf):
    w = np.zeros(TRIANGLE_WORK)
    w[: a.size], w[9 : 9 + b.size] = a.ravel(), b.ravel()
    squared = triangle_triangle(w, len(a), len(b), cutoff)
    return np.sqrt(squared), w[18:21].copy(), w[21:24].copy()


def off_body(x, corners):
    """How far x is from the hull of one, two or three corners, by least squares on weights."""
    best = np.inf
    for keep in ([0], [1], [2], [0, 1], [1, 2], [2, 0], [0, 1, 2]):
        if max(keep) >= len(corners):
            continue
        p = corners[keep]
        weights = np.linalg.lstsq((p[1:] - p[0]).T, x - p[0], rcond=None)[0] if len(p) > 1 else []
        weights = np.array([1.0 - np.sum(weights), *weights])
        if (weights >= -1e-9).all():
            best = min(best, np.linalg.norm(weights @ p - x))
    return best


def check(a, b):
    distance, x, y = measure(a, b)
    size = max(np.abs(a).max(), np.abs(b).max(), 1e-300)
    assert off_body(x, a) <= 1e-9 * size and off_body(y, b) <= 1e-9 * size
    assert abs(np.linalg.norm(x - y) - distance) <= 1e-14 * size
    if distance > 1e-13 * size:
        n = (x - y) / np.linalg.norm(x - y)
        lower = (a @ n).min() - (b @ n).max()
        # n itself is only good to rounding over distance
        assert lower >= distance - (1e-12 + 1e-14 * size / distance) * size
    swapped, _, _ = measure(b, a)
    assert abs(swapped - distance) <= 1e-14 * size
    return distance


def crossing(rng):
    """One edge of b goes through the inside of a."""
    a = rng.normal(size=(3, 3))
    through = rng.dirichlet([2, 2, 2]) @ a
    d = rng.normal(size=3)
    return a, np.array([through + d, through - rng.uniform(0.1, 1) * d, rng.normal(size=3)])


def parallel(rng):
    a = rng.normal(size=(3, 3))
    n = np.cross(a[1] - a[0], a[2] - a[0])
    n /= np.linalg.norm(n)
    shift = (a[1] - a[0]) * rng.normal() + (a[2] - a[0]) * rng.normal()
    return a, a + shift + n * 10.0 ** rng.uniform(-9, 0)


def coplanar(rng):
    a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    a[:, 2] = b[:, 2] = 0.0
    return a, b


def sliver(rng):
    a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    off = rng.normal(size=3) * 10.0 ** rng.uniform(-18, -3)
    a[2] = a[0] + rng.uniform(-0.2, 1.2) * (a[1] - a[0]) + off
    return a, b


def needle(rng):
    a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    b[2] = b[1] + rng.normal(size=3) * 10.0 ** rng.uniform(-18, -6)
    return a, b


def points_and_segments(rng):
    a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    if rng.random() < 0.5:
        a[1] = a[0]
    if rng.random() < 0.5:
        a[2] = a[0]
    b[2] = b[1]
    return a, b


def shared_edge(rng):
    a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    b[:2] = a[:2]
    return a, b


def nearly_parallel_edges(rng):
    a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    b[1] = b[0] + (a[1] - a[0]) + rng.normal(size=3) * 10.0 ** rng.uniform(-17, -5)
    return a, b


def anywhere(rng):
    return rng.normal(size=(3, 3)), rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-3, 1)


@pytest.mark.parametrize(
    "make",
    [
        anywhere,
        crossing,
        parallel,
        coplanar,
        sliver,
        needle,
        points_and_segments,
        shared_edge,
        nearly_parallel_edges,
    ],
)
def test_distance_is_proved_by_its_own_points(make):
    rng = RNG(3)
    found = [check(*make(rng)) for _ in range(1500)]
    if make is crossing:
        assert max(found) <= 1e-13
    if make is shared_edge:
        assert max(found) == 0.0


@pytest.mark.parametrize(("na", "nb"), [(3, 1), (3, 2), (2, 3), (1, 3), (2, 2), (1, 1)])
def test_points_and_segments_have_fewer_corners(na, nb):
    rng = RNG(4)
    for _ in range(500):
        check(rng.normal(size=(na, 3)), rng.normal(size=(nb, 3)))


def test_known_distances():
    a = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert measure(a, a + np.array([0.1, 0.1, 0.5]))[0] == 0.5  # face over face
    assert measure(a, a + np.array([0, 0, 0]))[0] == 0.0  # the same triangle
    assert measure(a, a + np.array([3, 0, 0]))[0] == 2.0  # corner to corner, in one plane
    assert measure(a, np.array([[0.2, 0.2, -1], [0.2, 0.2, 1], [0.3, 0.2, 1]]))[0] == 0.0
    assert measure(a, np.array([[0.2, 0.2, 0.25]]))[0] == 0.25


def test_cutoff_gives_up_only_beyond_it():
    rng = RNG(5)
    gave_up = 0
    for _ in range(2000):
        a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)) + np.array([2.0, 0, 0])
        exact = measure(a, b)[0]
        cutoff = exact * rng.uniform(0.5, 1.5)
        limited = measure(a, b, cutoff**2)[0]
        gave_up += limited == np.inf
        assert limited == exact if exact <= cutoff else limited in (exact, np.inf)
    assert gave_up > 300


def exact_distance(a, b):
    """Distance of two bodies of one to three corners, in rational numbers: every corner over a
    face, every edge through one, every pair of edges and of corners."""
    a, b = ([tuple(Fraction(float(c)) for c in p) for p in corners] for corners in (a, b))
    best = min(dot(minus(p, q), minus(p, q)) for p in a for q in b)
    for one, other in ((a, b), (b, a)):
        for k, p in enumerate(one):
            if len(other) == 3:
                best = min(best, over_face(p, one[(k + 1) % len(one)], other))
            for j in range(len(other)):
                best = min(best, over_edge(p, other[j], other[(j + 1) % len(other)]))
    for i in range(len(a)):
        for j in range(len(b)):
            best = min(best, lines(a[i], a[(i + 1) % len(a)], b[j], b[(j + 1) % len(b)]))
    return np.sqrt(float(best))


def minus(p, q):
    return tuple(x - y for x, y in zip(p, q))


def dot(p, q):
    return sum(x * y for x, y in zip(p, q))


def cross(p, q):
    return tuple(p[k - 2] * q[k - 1] - p[k - 1] * q[k - 2] for k in range(3))


def over_face(p, q, face):
    """Squared height of p over the face, 0 where the edge from p to q goes through it."""
    n = cross(minus(face[1], face[0]), minus(face[2], face[0]))
    nn = dot(n, n)
    if nn == 0:
        return np.inf

    def over(x):
        sides = (cross(minus(face[k], face[k - 1]), minus(x, face[k - 1])) for k in range(3))
        return all(dot(n, side) >= 0 for side in sides)

    h, g = dot(n, minus(p, face[0])), dot(n, minus(q, face[0]))
    if h * g < 0 and over(tuple(x + h / (h - g) * (y - x) for x, y in zip(p, q))):
        return 0
    return h * h / nn if over(p) else np.inf


def over_edge(p, q, r):
    v = minus(r, q)
    t = dot(minus(p, q), v)
    if not 0 < t < dot(v, v):
        return np.inf
    d = minus(p, q)
    return dot(d, d) - t * t / dot(v, v)


def lines(p, q, r, s):
    """Squared distance of the lines p q and r s where their nearest points are on the edges."""
    u, v, d = minus(q, p), minus(s, r), minus(r, p)
    n = cross(u, v)
    nn = dot(n, n)
    if nn == 0:
        return np.inf
    inside = 0 <= dot(cross(d, v), n) <= nn and 0 <= dot(cross(d, u), n) <= nn
    return dot(d, n) ** 2 / nn if inside else np.inf


def thin(rng):
    """A triangle of any thinness down to none, and a unit normal."""
    a, d, e = rng.normal(size=(3, 3))
    n = np.cross(d, e) / np.linalg.norm(np.cross(d, e))
    height = rng.choice([0.0, 1.0], p=[0.05, 0.95]) * 10.0 ** rng.uniform(-17, -2)
    apex = a + rng.uniform(0.1, 0.9) * d + height * np.cross(n, d)
    return np.roll([a, a + d, apex], rng.integers(3), axis=0), n


def corner_over_sliver(rng):
    a, n = thin(rng)
    tip = rng.dirichlet([1, 1, 1]) @ a + 10.0 ** rng.uniform(-15, 0) * n
    return a, np.array([tip, *(tip + n + 0.3 * rng.normal(size=(2, 3)))])


def sliver_pierced(rng):
    """One edge of b goes through a face, at any slope down to along it."""
    a, n = thin(rng)
    through = rng.dirichlet([1, 1, 1]) @ a
    d = rng.normal(size=3)
    d = d - (d @ n) * n * (1.0 - 10.0 ** rng.uniform(-12, 0))
    return a, np.array([through + d, through - rng.uniform(0.1, 1) * d, rng.normal(size=3)])


def sliver_through(rng):
    """The long edges of a go through the face of b, which is small or large."""
    a = thin(rng)[0]
    b = 10.0 ** rng.uniform(-6, 0) * rng.normal(size=(3, 3))
    return a, b + rng.dirichlet([1, 1, 1]) @ a - rng.dirichlet([1, 1, 1]) @ b


def two_slivers(rng):
    a, b = thin(rng)[0], thin(rng)[0]
    gap = 10.0 ** rng.uniform(-15, 0) * rng.normal(size=3)
    return a, b + rng.dirichlet([1, 1, 1]) @ a - rng.dirichlet([1, 1, 1]) @ b + gap


def sliver_and_fewer(rng):
    """A sliver and a segment or a point at or near it, the cores of capsules and spheres."""
    a, n = thin(rng)
    x = rng.dirichlet([1, 1, 1]) @ a + rng.choice([0.0, 1.0]) * 10.0 ** rng.uniform(-15, 0) * n
    return a, np.array([x, x + rng.normal(size=3)])[: rng.integers(1, 3)]


@pytest.mark.parametrize(
    "make",
    [corner_over_sliver, sliver_pierced, sliver_through, two_slivers, sliver_and_fewer, anywhere],
)
def test_slivers_are_measured_as_well_as_any_triangle(make):
    """Against rational arithmetic, and with a cutoff that the distance only just passes."""
    rng = RNG(8)
    for _ in range(400):
        a, b = make(rng)
        exact = exact_distance(a, b)
        rounding = 0.5 * MESH_ROUNDING * (np.abs(a).max() + np.abs(b).max())
        for first, second in ((a, b), (b, a)):
            distance, x, y = measure(first, second)
            assert abs(distance - exact) <= rounding
            assert abs(np.linalg.norm(x - y) - exact) <= rounding
            limited = measure(first, second, (exact + rounding) ** 2)[0]
            assert abs(limited - exact) <= rounding


@pytest.mark.parametrize("make", [anywhere, sliver, needle, points_and_segments])
def test_a_triangle_lies_in_its_rectangle(make):
    rng = RNG(6)
    node = np.zeros((1, 16))
    for _ in range(1000):
        corners = make(rng)[0]
        triangle_rss(corners.ravel().copy(), node, 0)
        u, v, w = axes = node[0, :9].reshape(3, 3)
        assert np.abs(axes @ axes.T - np.eye(3)).max() < 1e-14
        d = corners - node[0, 9:12]
        tight = 32 * np.finfo(float).eps * np.abs(corners).max()
        assert (np.abs(d @ u) <= node[0, 12] + tight).all()
        assert (np.abs(d @ v) <= node[0, 13] + tight).all()
        assert (np.abs(d @ w) <= node[0, 14] + tight).all()
