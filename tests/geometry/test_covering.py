"""Capsules around bodies: nothing is left outside, and little is added."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import differential_evolution
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from standoff.errors import ShapeError
from standoff.geometry.capsule_search import union
from standoff.geometry.covering import cover_shapes
from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.soup import Soup

ROBOTS = Path(
    str(
        distribution("example-robot-data").locate_file(
            "cmeel.prefix/share/example-robot-data/robots"
        )
    )
)
PANDA = sorted((ROBOTS / "panda_description/meshes/collision").glob("*.stl"))
UR5 = sorted((ROBOTS / "ur_description/meshes/ur5/collision").glob("*.stl"))


def cover(points, faces=None, **options):
    """Of a mesh, or of the hull of points where no faces are given."""
    shape = Polyhedron(points) if faces is None else Mesh(points, faces)
    return cover_shapes([(shape, np.eye(4))], **options)


def strip(n):
    """Triangles between each three points in a row, of which there may be fewer."""
    return np.minimum(np.arange(max(n - 2, 1))[:, None] + np.arange(3), n - 1)


def outside(covering, points, radii=0.0):
    """How far each ball reaches out of the capsule that holds it best; not above 0 when inside."""
    points = np.atleast_2d(points)
    least = np.full(len(points), math.inf)
    for capsule, pose in covering.capsules:
        local = (points - pose[:3, 3]) @ pose[:3, :3]
        beyond = np.maximum(np.abs(local[:, 2]) - capsule.length / 2, 0.0)
        distance = np.sqrt(local[:, 0] ** 2 + local[:, 1] ** 2 + beyond**2)
        least = np.minimum(least, distance + radii - capsule.radius)
    return least


def placed(points, seed):
    rng = np.random.default_rng(seed)
    return points @ Rotation.random(rng=rng).as_matrix().T + rng.uniform(-1.0, 1.0, 3)


def random_points(seed, n=60, stretch=(3.0, 1.0, 0.6)):
    return np.random.default_rng(seed).normal(size=(n, 3)) * stretch


def mixtures(points, rng, n=2000, corners=4):
    """Random points of the hull."""
    return weighted(points[rng.integers(len(points), size=(n, corners))], rng)


def weighted(corners, rng):
    """A random point of the hull of each row of corners (n, k, 3)."""
    weights = rng.dirichlet(np.ones(corners.shape[1]), size=len(corners))
    return np.einsum("nk,nkc->nc", weights, corners)


def bent_tube(turns=40, sides=16, fill=0.95, radius=0.25):
    """Three quarters of a torus, closed at both ends, a solid far from its hull: points, faces, and
    samples of its inside, which fill the round tube to a part that its flat sides hold."""
    along = np.linspace(0.0, 1.5 * math.pi, turns)
    around = np.arange(sides) * 2 * math.pi / sides

    def at(a, b, r):
        out, up = 1.0 + r * np.cos(b), r * np.sin(b)
        return np.stack(np.broadcast_arrays(out * np.cos(a), out * np.sin(a), up), axis=-1)

    points = at(along[:, None], around[None, :], radius).reshape(-1, 3)
    faces = []
    for i in range(turns - 1):
        for j in range(sides):
            a, b = i * sides + j, i * sides + (j + 1) % sides
            faces += [(a, b, b + sides), (a, b + sides, a + sides)]
    last = (turns - 1) * sides
    for j in range(1, sides - 1):
        faces += [(0, j + 1, j), (last, last + j, last + j + 1)]
    rng = np.random.default_rng(0)
    n = 3000
    inside = at(
        rng.uniform(0, 1.5 * math.pi, n),
        rng.uniform(0, 2 * math.pi, n),
        fill * radius * np.sqrt(rng.random(n)),
    )
    return points, np.array(faces), inside


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("path", PANDA + UR5, ids=lambda p: p.stem)
def test_no_vertex_and_no_triangle_of_a_real_link_is_left_outside(path, count):
    mesh = Mesh.load(path)
    result = cover_shapes([(mesh, np.eye(4))], count=count)
    assert len(result.capsules) <= count
    assert outside(result, mesh.vertices).max() <= 0.0
    inner = weighted(mesh.vertices[mesh.faces], np.random.default_rng(1))
    assert outside(result, inner).max() <= 0.0


@pytest.mark.parametrize(("paths", "links"), [(PANDA, 10), (UR5, 7)], ids=["panda", "ur5"])
def test_two_capsules_a_link_stay_well_below_1_8_times_the_hull(paths, links):
    assert len(paths) == links
    meshes = [trimesh.load(path, force="mesh") for path in paths]
    results = [cover(mesh.vertices, mesh.faces, count=2) for mesh in meshes]
    hulls = [ConvexHull(mesh.vertices).volume for mesh in meshes]
    assert [r.hull_volume for r in results] == pytest.approx(hulls, rel=1e-9)
    # 1.43 and 1.48 are reached; the margin is for another machine's rounding.
    assert sum(r.volume for r in results) < 1.55 * sum(hulls)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_the_inside_of_a_hull_is_covered(count):
    points = placed(random_points(2), 2)
    result = cover(points, count=count)
    assert outside(result, points).max() <= 0.0
    assert outside(result, mixtures(points, np.random.default_rng(3))).max() <= 0.0
    assert result.volume >= result.hull_volume
    assert result.hull_volume == pytest.approx(ConvexHull(points).volume, rel=1e-9)


@pytest.mark.parametrize("count", [2, 4, 6])
def test_the_inside_of_a_bent_solid_is_covered_but_not_its_hull(count):
    points, faces, inside = bent_tube()
    result = cover(points, faces, count=count)
    assert outside(result, points).max() <= 0.0
    assert outside(result, inside).max() <= 0.0
    if count > 2:
        assert result.volume < cover(points, count=count).volume
        assert outside(result, np.zeros((1, 3)))[0] > 0.0  # the hole of the torus stays free


def test_parting_again_and_again_keeps_the_solid_in_the_hulls_of_its_parts():
    points, faces, inside = bent_tube(turns=12, sides=6, fill=0.7)
    rng = np.random.default_rng(5)
    cells = [(Soup(np.column_stack([points, np.zeros(len(points))]), faces), inside)]
    for _ in range(5):
        after = []
        for soup, samples in cells:
            normal = rng.normal(size=3)
            normal /= np.linalg.norm(normal)
            plane = np.append(normal, np.median(samples @ normal))
            upper = samples @ normal >= plane[3]
            for part, chosen in zip(soup.parted(plane), (samples[upper], samples[~upper])):
                after.append((part, chosen))
        cells = after
    assert sum(len(samples) for _, samples in cells) == len(inside)
    for soup, samples in cells:
        sides = ConvexHull(soup.balls[:, :3]).equations
        assert (samples @ sides[:, :3].T + sides[:, 3]).max() <= 1e-9


def test_a_plane_through_vertices_edges_and_faces_parts_cleanly():
    corners, _ = Box((2.0, 2.0, 2.0)).core()
    hull = ConvexHull(corners)
    soup = Soup(np.column_stack([corners, np.zeros(8)]), hull.simplices.astype(np.int64))
    for plane in ((1, 0, 0, 1.0), (1, 0, 0, 0.0), (math.sqrt(0.5), math.sqrt(0.5), 0, 0.0)):
        above, below = soup.parted(np.array(plane, dtype=float))
        for part, sign in ((above, 1.0), (below, -1.0)):
            assert (sign * (part.balls[:, :3] @ plane[:3] - plane[3])).min() >= -1e-12
        volumes = [
            ConvexHull(part.balls[:, :3], qhull_options="QJ").volume for part in (above, below)
        ]
        assert sum(volumes) == pytest.approx(8.0, rel=1e-6)


def test_one_capsule_is_as_tight_as_a_global_search():
    for path in (PANDA[0], PANDA[2], UR5[0], UR5[4]):
        points = trimesh.load(path, force="mesh").convex_hull.vertices
        size = np.ptp(points, axis=0).max()
        points = (points - points.mean(axis=0)) / size

        def volume(x, points=points):
            along = x[3:] - x[:3]
            t = np.clip((points - x[:3]) @ along / max(along @ along, 1e-12), 0.0, 1.0)
            r = np.linalg.norm(points - x[:3] - t[:, None] * along, axis=1).max()
            return math.pi * r * r * (np.linalg.norm(along) + 4 / 3 * r)

        best = differential_evolution(
            volume, [(-1.0, 1.0)] * 6, maxiter=250, popsize=12, polish=False, rng=0
        )
        assert cover(points).volume <= 1.005 * best.fun


@pytest.mark.parametrize("length", [0.0, 0.3, 2.0])
def test_a_capsule_is_found_again(length):
    rng = np.random.default_rng(4)
    normals = rng.normal(size=(2000, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    points = 0.2 * normals
    points[:, 2] += np.sign(normals[:, 2]) * length / 2
    result = cover(placed(points, 1))
    ((capsule, _),) = result.capsules
    assert capsule.radius == pytest.approx(0.2, rel=0.01)
    assert capsule.length == pytest.approx(length, abs=0.01)
    assert result.volume == pytest.approx(Capsule(0.2, length).volume, rel=0.01)


@pytest.mark.parametrize("size", [(1, 1, 1), (1, 1, 4), (0.2, 1, 3)])
def test_the_capsule_of_a_box_is_at_least_as_good_as_the_best_along_an_edge(size):
    corners, _ = Box(size).core()
    best = math.inf
    for k in range(3):
        across = math.dist((0, 0), np.delete(size, k)) / 2
        # A corner is held by a cap whose centre lies sqrt(r² - across²) within the end face.
        for r in np.linspace(across, 1.5 * across, 2000):
            length = max(0.0, size[k] - 2 * math.sqrt(r * r - across * across))
            if length > 0.0 or 4 * r * r >= np.square(size).sum():
                best = min(best, Capsule(r, length).volume)
    x, y, z = sorted(size)
    assert best < Capsule(math.hypot(x, y) / 2, z).volume
    assert cover(placed(corners, 3)).volume <= 1.001 * best


@pytest.mark.parametrize("seed", range(4))
def test_more_capsules_are_never_worse(seed):
    points = placed(random_points(seed, n=40), seed)
    volumes = [cover(points, count=count).volume for count in (1, 2, 3)]
    assert volumes[1] <= volumes[0]
    assert volumes[2] <= volumes[1]


def test_a_capsule_that_saves_nothing_is_not_taken():
    points = trimesh.creation.icosphere(subdivisions=3).vertices
    assert len(cover(points, count=3).capsules) == 1


def test_the_same_input_and_seed_give_the_same_bits():
    points = random_points(7)

    def bits(seed):
        covering = cover(points, count=3, seed=seed)
        rows = [(c.radius, c.length, pose.tobytes()) for c, pose in covering.capsules]
        return rows, covering.volume, covering.hull_volume

    first = bits(0)
    bits(1)
    assert bits(0) == first


DEGENERATE = {
    "one point": np.array([[1.0, 2.0, 3.0]]),
    "the origin": np.zeros((1, 3)),
    "two points": np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]),
    "equal": np.full((7, 3), 0.3),
    "collinear": np.outer(np.linspace(-1.0, 2.0, 9), [1.0, 2.0, 3.0]) + 5.0,
    "nearly collinear": np.outer(np.linspace(0, 1, 9), [1.0, 2.0, 3.0])
    + 1e-9 * random_points(1, n=9),
    "planar": random_points(2, stretch=(2.0, 1.0, 0.0)) @ Rotation.random(rng=1).as_matrix(),
    "square": np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]]),
    "triangle": random_points(3, n=3),
    "tetrahedron": random_points(3, n=4),
    "doubled": np.repeat(random_points(4, n=10), 3, axis=0),
    "tiny": 1e-4 * random_points(5),
    "huge": 1e3 * random_points(5),
    "far": random_points(5) + 1e4,
    "tiny and far": 1e-4 * random_points(5) + 1e4,
    "many": random_points(6, n=20_000),
}


@pytest.mark.parametrize(
    ("name", "count"),
    [(name, count) for name in DEGENERATE for count in (1, 2, 3) if (name, count) != ("many", 3)],
)
def test_degenerate_bodies_are_covered(name, count):
    points = DEGENERATE[name]
    faces = strip(len(points))
    result = cover(points, faces, count=count)
    assert 1 <= len(result.capsules) <= count
    assert outside(result, points).max() <= 0.0
    assert outside(result, weighted(points[faces], np.random.default_rng(0))).max() <= 0.0
    assert result.volume >= result.hull_volume >= 0.0 or count > 1
    assert math.isfinite(result.volume)
    assert (result.ratio == math.inf) == (result.hull_volume == 0.0)
    if "collinear" in name or "point" in name:
        assert result.capsules[0][0].radius < 1e-7


def test_size_does_not_matter():
    points = random_points(8)
    unit = cover(points, count=2)
    for size in (1e-4, 1e3):
        scaled = cover(points * size, count=2)
        assert scaled.ratio == pytest.approx(unit.ratio, rel=1e-6)


def test_balls_are_covered_with_their_radii():
    points, rng = random_points(9, n=30), np.random.default_rng(9)
    poses = np.tile(np.eye(4), (30, 1, 1))
    poses[:, :3, 3] = points
    for radii in (np.full(30, 0.4), rng.uniform(0.01, 1.0, 30)):
        for count in (1, 2):
            result = cover_shapes(zip(map(Sphere, radii), poses), count=count)
            assert len(result.capsules) <= count
            assert outside(result, points, radii).max() <= 0.0
    which = rng.integers(30, size=(2000, 3))
    weights = rng.dirichlet(np.ones(3), size=2000)
    inner = np.einsum("nk,nkc->nc", weights, points[which])
    grown = np.einsum("nk,nk->n", weights, radii[which])
    alone = cover_shapes(zip(map(Sphere, radii), poses))
    assert outside(alone, inner, grown).max() <= 0.0
    assert alone.ratio >= 1.0


def lens(distance):
    """Volume of two unit balls together."""
    shared = math.pi * (4 + distance) * (2 - distance) ** 2 / 12 if distance < 2 else 0.0
    return 8 / 3 * math.pi - shared


@pytest.mark.parametrize("distance", [0.0, 0.5, 1.0, 1.9, 3.0])
def test_the_union_of_two_balls_has_the_volume_of_the_textbook(distance):
    rows = [[0, 0, 0, 0, 0, 0, 1], [distance, 0, 0, distance, 0, 0, 1]]
    assert union(rows) == pytest.approx(lens(distance), rel=2e-4)


def test_the_union_of_capsules_agrees_with_random_points():
    rng = np.random.default_rng(11)
    for count in (2, 3, 5):
        rows = np.column_stack([rng.uniform(-1, 1, (count, 6)), rng.uniform(0.2, 0.8, count)])
        samples = rng.uniform(-2, 2, (400_000, 3))
        held = np.zeros(len(samples), dtype=bool)
        for row in rows:
            along = row[3:6] - row[:3]
            t = np.clip((samples - row[:3]) @ along / (along @ along), 0.0, 1.0)
            held |= np.linalg.norm(samples - row[:3] - t[:, None] * along, axis=1) < row[6]
        # Five standard deviations of the sampling.
        share = held.mean()
        allowed = 64 * 5 * math.sqrt(share * (1 - share) / len(samples))
        assert union(rows) == pytest.approx(64 * share, abs=allowed)


def test_parallel_and_equal_capsules_have_the_right_union():
    row = [0, 0, -1, 0, 0, 1, 0.5]
    beside = [5, 0, -1, 5, 0, 1, 0.5]
    one = Capsule(0.5, 2.0).volume
    assert union([row, row]) == pytest.approx(one, rel=2e-4)
    assert union([row, beside]) == pytest.approx(2 * one, rel=2e-3)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 80),
    thin=st.sampled_from([1.0, 0.3, 0.05]),
    motion=st.integers(0, 10_000),
)
def test_a_rigid_motion_leaves_the_volume(seed, n, thin, motion):
    points = random_points(seed, n=n, stretch=(2.0, 1.0, thin))
    there, here = cover(placed(points, motion)), cover(points)
    assert there.volume == pytest.approx(here.volume, rel=0.01)
    assert there.hull_volume == pytest.approx(here.hull_volume, rel=1e-6)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 40),
    count=st.integers(1, 3),
    size=st.sampled_from([1e-4, 1.0, 1e3]),
    offset=st.sampled_from([0.0, 1.0, 1e4]),
)
def test_points_and_their_mixtures_are_always_inside(seed, n, count, size, offset):
    points = random_points(seed, n=n) * size + offset
    faces = strip(n)
    result = cover(points, faces, count=count)
    assert outside(result, points).max() <= 0.0
    rng = np.random.default_rng(seed)
    assert outside(result, weighted(points[faces], rng)).max() <= 0.0


def test_spheres_and_capsules_are_given_back_as_they_are():
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(rng=2).as_matrix()
    pose[:3, 3] = (1.0, 2.0, 3.0)
    elements = [(Sphere(0.3), pose), (Capsule(0.1, 0.5), np.eye(4))]
    result = cover_shapes(elements, count=2)
    assert [capsule for capsule, _ in result.capsules] == [Capsule(0.3, 0.0), Capsule(0.1, 0.5)]
    assert all((a[1] == b[1]).all() for a, b in zip(result.capsules, elements))
    apart = Sphere(0.3).volume + Capsule(0.1, 0.5).volume
    assert result.volume == pytest.approx(apart, rel=1e-3)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_link_of_several_shapes_is_covered(count):
    rng = np.random.default_rng(12)
    elements = []
    for shape in (
        Sphere(0.2),
        Capsule(0.1, 0.6),
        Box((0.2, 0.3, 0.4)),
        Cylinder(0.15, 0.5),
        Polyhedron(0.3 * np.concatenate([np.eye(3), -np.eye(3)])),
    ):
        pose = np.eye(4)
        pose[:3, :3] = Rotation.random(rng=rng).as_matrix()
        pose[:3, 3] = rng.uniform(-0.5, 0.5, 3)
        elements.append((shape, pose))
    result = cover_shapes(elements, count=count)
    samples = rng.uniform(-1.0, 1.0, (20_000, 3))
    x, y, z = np.abs(samples.T)
    across = np.hypot(x, y)
    held = (
        np.hypot(across, z) <= 0.2,
        np.hypot(across, np.maximum(z - 0.3, 0)) <= 0.1,
        (x <= 0.1) & (y <= 0.15) & (z <= 0.2),
        (across <= 0.15) & (z <= 0.25),
        x + y + z <= 0.3,
    )
    for (_, pose), chosen in zip(elements, held):
        inside = samples[chosen] @ pose[:3, :3].T + pose[:3, 3]
        assert len(inside) > 50
        assert outside(result, inside).max() <= 0.0


@pytest.mark.parametrize("bad", [{"count": 0}, {"count": 1.5}, {"seed": -1}])
def test_bad_input_is_named(bad):
    with pytest.raises(ShapeError) as error:
        cover_shapes([(Box((1.0, 1.0, 1.0)), np.eye(4))], **bad)
    assert [error.value.element] == list(bad)


def test_what_cannot_be_covered_is_named():
    with pytest.raises(ShapeError, match="HalfSpace"):
        cover_shapes([(HalfSpace(), np.eye(4))])
    with pytest.raises(ShapeError, match="nothing"):
        cover_shapes([])


def test_the_kernels_run_without_the_compiler():
    code = """
import numpy as np
from standoff.geometry import capsule_search
from standoff.geometry.covering import cover_shapes
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.soup import Soup
points = np.random.default_rng(0).normal(size=(6, 3))
print(repr(cover_shapes([(Polyhedron(points), np.eye(4))]).volume))
soup = Soup(np.column_stack([points, np.zeros(6)]), np.array([[0, 1, 2], [3, 4, 5]]))
price = capsule_search._Price(capsule_search.Search(0), soup, np.zeros((0, 7)))
print(repr(price(np.array([1.0, 0.0, 0.0, 0.1]), capsule_search._SCAN)))
"""
    results = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        run = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        results.append([float(line) for line in run.stdout.split()])
    assert results[0] == pytest.approx(results[1], rel=1e-4)


def test_a_covering_read_from_the_cache_is_the_one_that_was_found(tmp_path, monkeypatch):
    monkeypatch.setattr("standoff.geometry.kept_file.CACHE_DIR", tmp_path)
    points = np.random.default_rng(8).normal(size=(30, 3))
    first = cover(points, count=2)
    (file,) = (tmp_path / "coverings").iterdir()
    monkeypatch.setattr("standoff.geometry.covering._searched", None)
    again = cover(points, count=2)
    assert (again.volume, again.hull_volume) == (first.volume, first.hull_volume)
    for (a, at_a), (b, at_b) in zip(first.capsules, again.capsules, strict=True):
        assert a == b and at_a.tobytes() == at_b.tobytes()
    monkeypatch.undo()
    monkeypatch.setattr("standoff.geometry.kept_file.CACHE_DIR", tmp_path)
    good = file.read_bytes()
    for bad in (b"", b"noise", good[:-1], good[:40] + bytes([good[40] ^ 1]) + good[41:]):
        file.write_bytes(bad)
        again = cover(points, count=2)
        assert again.volume == first.volume
        assert [c for c, _ in again.capsules] == [c for c, _ in first.capsules]
        assert file.read_bytes() == good


def test_another_body_is_never_answered_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("standoff.geometry.kept_file.CACHE_DIR", tmp_path)
    points = np.random.default_rng(9).normal(size=(30, 3))
    cover(points, count=2)
    cover(points * np.nextafter(1.0, 2.0), count=2)
    cover(points, count=3)
    cover(points, count=2, seed=1)
    assert len(list((tmp_path / "coverings").iterdir())) == 4
