"""Greedy distances: never above the true distance, and right about the threshold, beside the exact
distance of ours and Coal's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.compiled.jit import entry
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase.bodies import bodies_at
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from standoff.papers.kernels.greedy import (
    FRONT_PAIRS,
    NEAR,
    call_greedy,
    greedy_address,
    greedy_scratch_at,
)
from tests.geometry.test_mesh_oracle import coal_distances
from tests.worlds.greedy_batch import greedy, question
from tests.worlds.mesh_batch import distances, table
from tests.worlds.mesh_shapes import (
    bowl_arrays,
    box_mesh,
    random_poses,
    star,
    torus,
)

#: Of Coal on curved bodies, and of both beside each other elsewhere, for bodies of about 1 m, [m].
ITERATIVE = 3e-6
EXACT = 1e-9

MESHES = {
    "torus": torus(around=14, across=6),
    "star": star(3, around=6, rings=4),
    "bowl": Mesh(*bowl_arrays(rings=3, around=9), sheet=True),
    "box": box_mesh(0.7, 0.5, 0.2),
    "one triangle": Mesh(np.eye(3) * 0.6, [[0, 1, 2]]),
}
BODIES = {
    "sphere": (Sphere(0.15), EXACT),
    "capsule": (Capsule(0.08, 0.4), EXACT),
    "box": (Box((0.4, 0.25, 0.15)), ITERATIVE),
    "cylinder": (Cylinder(0.15, 0.3), ITERATIVE),
    "polyhedron": (Polyhedron(np.random.default_rng(1).normal(size=(14, 3)) * 0.15), ITERATIVE),
    "torus mesh": (torus(ring=0.3, tube=0.1, around=9, across=5), EXACT),
    "open mesh": (Mesh(*bowl_arrays(radius=0.3, rings=2, around=7), sheet=True), EXACT),
}


def keeps_its_word(out, farther, delta, exact, slack):
    """The three promises, for distances ``exact`` that are sure to within ``slack``."""
    upper, lower = exact + slack, exact - slack
    assert (out[farther, 0] > delta).all()
    assert (out[farther, 0] <= upper[farther]).all()
    assert (upper[farther] > delta).all()
    assert (lower[~farther] <= delta + out[~farther, 10]).all()


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("body", BODIES)
def test_bound_and_threshold_agree_with_coal(mesh, body):
    a, (b, tolerance) = MESHES[mesh], BODIES[body]
    rng = np.random.default_rng([3, list(MESHES).index(mesh), list(BODIES).index(body)])
    poses_a, poses_b = random_poses(rng, 200, 0.1), random_poses(rng, 200, 1.0)
    # Coal knows surfaces only, as the greedy distance does
    exact = np.maximum(coal_distances(a, b, poses_a, poses_b), 0.0)
    for delta in (0.0, 0.05, float(np.median(exact))):
        for swapped in (False, True):
            out, farther, _ = greedy(a, b, poses_a, poses_b, delta, swapped=swapped)
            assert 0 < farther.sum() < len(out)
            keeps_its_word(out, farther, delta, exact, tolerance)


def surfaces(a, b, poses_a, poses_b):
    """Our own exact distance of two meshes as surfaces, and its slack."""
    out = distances(a, b, poses_a, poses_b)
    return np.abs(out[:, 0]), out[:, 10]


def sliver_arrays(rng, count):
    """Loose triangles of every shape, from fat to needles of no width."""
    points = rng.normal(size=(count, 3, 3)) * 0.3
    along = points[:, 1] - points[:, 0]
    width = 10.0 ** rng.uniform(-18, 0, count)[:, None]
    points[:, 2] = points[:, 0] + rng.uniform(0, 1, (count, 1)) * along + width * points[:, 2]
    return points.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.floats(-6, 5),
    away=st.sampled_from([0.0, 1.0, 1e3]),
    effort=st.sampled_from([0, 1, 8, 1000]),
)
def test_holds_for_loose_slivers_at_any_scale_and_any_threshold(seed, scale, away, effort):
    rng = np.random.default_rng(seed)
    size = 10.0**scale
    meshes = []
    for _ in range(2):
        points, faces = sliver_arrays(rng, int(rng.integers(1, 30)))
        meshes.append(Mesh(size * points, faces))
    poses_a, poses_b = random_poses(rng, 20, 0.2), random_poses(rng, 20, 1.5)
    for poses in (poses_a, poses_b):
        poses[:, :3, 3] = size * (poses[:, :3, 3] + away)
    exact, slack = surfaces(*meshes, poses_a, poses_b)
    for delta in (0.0, float(rng.uniform(0, 1.5) * np.median(exact)), float(exact.max())):
        out, farther, _ = greedy(*meshes, poses_a, poses_b, delta, effort=effort)
        keeps_its_word(out, farther, delta, exact, slack.max())


@pytest.mark.parametrize("body", ["torus mesh", "open mesh"])
def test_holds_near_contact(body):
    """Moved along the normal until 1e-16 to 1e-2 m are left, or they overlap."""
    rng = np.random.default_rng(5)
    a, b = MESHES["torus"], BODIES[body][0]
    poses_a, poses_b = random_poses(rng, 600, 0.1), random_poses(rng, 600, 1.0)
    out = distances(a, b, poses_a, poses_b)
    left = 10.0 ** rng.uniform(-16, -2, len(out)) * rng.choice([1.0, 1.0, -1.0], len(out))
    poses_b[:, :3, 3] += out[:, 7:10] * (out[:, 0] - left)[:, None]
    exact, slack = surfaces(a, b, poses_a, poses_b)
    out, farther, _ = greedy(a, b, poses_a, poses_b)
    keeps_its_word(out, farther, 0.0, exact, slack)
    assert farther.any() and not farther.all()
    out, farther, _ = greedy(a, b, poses_a, poses_b, 1e-5)
    keeps_its_word(out, farther, 1e-5, exact, slack)


def test_holds_for_wide_plates_that_nearly_touch():
    """A direction between points 1e-8 m apart is off by 1e-8 through rounding alone, and a metre
    away that is all of the gap."""
    rng = np.random.default_rng(14)
    a = sheet(rng, 1, 0.0)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    plates = Box((1.0, 1.0, 4e-9)), box_mesh(1.0, 1.0, 4e-9)
    for b in (*plates, Polyhedron(corners * [0.5, 0.5, 2e-7])):
        poses_a = random_poses(rng, 1000, 1.0)
        poses_b = np.empty_like(poses_a)
        for k, pose_a in enumerate(poses_a):
            tilted = np.eye(4)
            turn = rng.normal(size=3) * 10.0 ** rng.uniform(-9, -7)
            tilted[:3, :3] += np.cross(np.eye(3), turn)
            tilted[:2, 3] = rng.uniform(0.1, 0.9, 2)
            tilted[2, 3] = b.bounds()[1][2] + 10.0 ** rng.uniform(-9, -7)
            poses_b[k] = pose_a @ tilted
        out = distances(a, b, poses_a, poses_b)
        apart = out[:, 0] > out[:, 10]
        assert apart.sum() > 100
        poses_a, poses_b, out = poses_a[apart], poses_b[apart], out[apart]
        for effort in (0, 8):
            found, farther, _ = greedy(a, b, poses_a, poses_b, effort=effort)
            keeps_its_word(found, farther, 0.0, out[:, 0], out[:, 10])


def test_a_threshold_that_is_the_distance_itself_is_not_exceeded():
    rng = np.random.default_rng(6)
    a, b = MESHES["torus"], MESHES["star"]
    poses_a, poses_b = random_poses(rng, 60, 0.1), random_poses(rng, 60, 1.5)
    exact, slack = surfaces(a, b, poses_a, poses_b)
    for k in np.flatnonzero(exact > 0.0):
        one = slice(k, k + 1)
        assert not greedy(a, b, poses_a[one], poses_b[one], exact[k])[1][0]
        assert greedy(a, b, poses_a[one], poses_b[one], exact[k] - 4.0 * slack[k])[1][0]


def triangle(mesh, pose, number):
    return mesh.vertices[mesh.faces[number]] @ pose[:3, :3].T + pose[:3, 3]


def in_triangle(point, corners):
    """Distance of a point to a triangle's plane, and whether its weights are all >= 0."""
    u, v = corners[1] - corners[0], corners[2] - corners[0]
    weights, *_ = np.linalg.lstsq(np.stack([u, v], axis=1), point - corners[0], rcond=None)
    off = np.linalg.norm(corners[0] + weights[0] * u + weights[1] * v - point)
    return off < 1e-9 and weights.min() > -1e-9 and weights.sum() < 1.0 + 1e-9


def one(a, b, pose_a, pose_b, delta, swapped=False):
    """A single pair as a checker asks, by address: code, row, triangles."""
    bodies, pairs = table(a, b, pose_a[None], pose_b[None])
    pair = np.ascontiguousarray(pairs[:, ::-1]) if swapped else pairs
    scratch = question(delta)
    out = np.zeros((1, 11))
    code = _asked(greedy_address(), bodies.address, pair, scratch.address, out)
    state = scratch.pair.mesh.state
    return code, out[0], [state.triangle_a, state.triangle_b]


@entry("int64(int64, int64, int64[:,::1], int64, float64[:,::1])")
def _asked(address, bodies, pair, scratch, out):
    A, room = bodies_at(bodies), greedy_scratch_at(scratch)
    return call_greedy(address, A, pair[0, 0], A, pair[0, 1], room, out, 0)


@pytest.mark.parametrize("swapped", [False, True])
def test_what_is_near_is_shown(swapped):
    """Points of the two triangles that are named, as far apart as the value says, along n."""
    rng = np.random.default_rng(7)
    a, b = MESHES["torus"], BODIES["torus mesh"][0]
    poses_a, poses_b = random_poses(rng, 150, 0.1), random_poses(rng, 150, 1.0)
    seen = 0
    for p, q in zip(poses_a, poses_b):
        code, row, numbers = one(a, b, p, q, 0.2, swapped)
        if code != NEAR:
            continue
        seen += 1
        x, y, n = row[1:4], row[4:7], row[7:10]
        assert 0.0 <= row[0] <= 0.2 + row[10]
        assert abs(np.linalg.norm(n) - 1.0) < 1e-12
        np.testing.assert_allclose(x - y, row[0] * n, atol=1e-12)
        first, second = (b, q), (a, p)
        if not swapped:
            first, second = second, first
        assert in_triangle(x, triangle(*first, numbers[0]))
        if row[0] > 0.0:
            assert in_triangle(y, triangle(*second, numbers[1]))
    assert seen > 50


@pytest.mark.parametrize("body", ["sphere", "box", "cylinder", "polyhedron"])
def test_what_is_near_is_shown_for_a_convex_body(body):
    rng = np.random.default_rng(8)
    a, b = MESHES["star"], BODIES[body][0]
    poses_a, poses_b = random_poses(rng, 60, 0.1), random_poses(rng, 60, 1.0)
    seen = 0
    for p, q in zip(poses_a, poses_b):
        code, row, numbers = one(a, b, p, q, 0.1)
        if code == NEAR:
            seen += 1
            assert row[0] <= 0.1 + row[10]
            np.testing.assert_allclose(row[1:4] - row[4:7], row[0] * row[7:10], atol=1e-9)
            if row[0] > 0.0:
                assert in_triangle(row[1:4], triangle(a, p, numbers[0]))
    assert seen > 5


def test_effort_raises_the_bound_to_the_distance():
    rng = np.random.default_rng(9)
    a, b = MESHES["torus"], BODIES["torus mesh"][0]
    poses_a, poses_b = random_poses(rng, 300, 0.1), random_poses(rng, 300, 1.5)
    exact, slack = surfaces(a, b, poses_a, poses_b)
    before, farther, _ = greedy(a, b, poses_a, poses_b, effort=0)
    means = []
    for effort in (0, 1, 4, 16, 64, 1_000_000):
        out, same, visits = greedy(a, b, poses_a, poses_b, effort=effort)
        assert (same == farther).all()
        assert (out[farther, 0] >= before[farther, 0]).all()
        assert (visits[~farther] > 0).any()
        before = out
        means.append((out[farther, 0] / exact[farther]).mean())
    assert means == sorted(means)
    # nine in ten end at the distance itself, the others where the front was full
    reached = np.isclose(before[farther, 0], (exact - slack)[farther], rtol=0.0, atol=1e-12)
    assert reached.mean() > 0.9 and means[-1] > 0.99


def test_no_effort_is_spent_on_more_than_is_wanted():
    rng = np.random.default_rng(10)
    a, b = MESHES["torus"], BODIES["torus mesh"][0]
    poses_a, poses_b = random_poses(rng, 300, 0.1), random_poses(rng, 300, 1.5)
    exact, _ = surfaces(a, b, poses_a, poses_b)
    wanted = 0.6 * exact[exact > 0.0].min() + 0.4 * np.median(exact)
    quick, farther, few = greedy(a, b, poses_a, poses_b, wanted=0.0)
    out, _, visits = greedy(a, b, poses_a, poses_b, wanted=wanted, effort=1_000_000)
    assert ((out[:, 0] > wanted) == (exact > wanted))[farther].all()
    content = farther & (quick[:, 0] > wanted)
    assert content.any() and (visits[content] == few[content]).all()


def sheet(rng, side, rough):
    """A square of 1 m in ``2 side²`` triangles, its vertices up to ``rough`` [m] out of plane."""
    x, y = np.meshgrid(np.linspace(0, 1, side + 1), np.linspace(0, 1, side + 1), indexing="ij")
    points = np.stack([x, y, rng.uniform(-rough, rough, x.shape)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(range(side), range(side), indexing="ij"))
    a = i * (side + 1) + j
    b, c, d = a + side + 1, a + side + 2, a + 1
    return Mesh(points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]))


def test_a_front_that_overflows_keeps_its_word():
    """Two sheets face to face: thousands of pairs are hardly farther than the threshold."""
    rng = np.random.default_rng(13)
    a, b = sheet(rng, 30, 1e-3), sheet(rng, 30, 1e-3)
    poses_a, poses_b = np.tile(np.eye(4), (20, 1, 1)), np.tile(np.eye(4), (20, 1, 1))
    poses_b[:, 2, 3] = np.linspace(0.003, 0.05, 20)
    exact, slack = surfaces(a, b, poses_a, poses_b)
    for delta in (0.0, 0.99 * float(exact[0]), 0.9 * float(exact[10])):
        for effort in (0, 50, 5000):
            out, farther, visits = greedy(a, b, poses_a, poses_b, delta, effort=effort)
            keeps_its_word(out, farther, delta, exact, slack)
            assert farther.any()
    assert visits.max() > 4 * FRONT_PAIRS


@pytest.mark.parametrize("body", BODIES)
def test_nothing_depends_on_what_was_in_the_scratch(body):
    rng = np.random.default_rng(11)
    a, b = MESHES["torus"], BODIES[body][0]
    poses_a, poses_b = random_poses(rng, 100, 0.1), random_poses(rng, 100, 1.0)
    clean, dirty = (greedy(a, b, poses_a, poses_b, 0.05, dirt=d) for d in (0.0, 3.0))
    for first, second in zip(clean, dirty):
        assert np.array_equal(first, second, equal_nan=True)


def test_a_pose_that_is_no_number_is_near():
    a = MESHES["torus"]
    here, nowhere = np.eye(4)[None], np.full((1, 4, 4), np.nan)
    for b in (MESHES["star"], Sphere(0.1), Box((0.1, 0.2, 0.3))):
        assert not greedy(a, b, here, nowhere)[1][0]
        assert not greedy(a, b, nowhere, here)[1][0]


@pytest.mark.interpreted
def test_compiled_or_not_the_laws_hold():
    rng = np.random.default_rng(12)
    a = torus(around=6, across=4)
    for b in (star(5, around=4, rings=2), Capsule(0.1, 0.3), Box((0.3, 0.2, 0.1))):
        poses_a, poses_b = random_poses(rng, 8, 0.1), random_poses(rng, 8, 1.2)
        exact = np.maximum(coal_distances(a, b, poses_a, poses_b), 0.0)
        out, farther, _ = greedy(a, b, poses_a, poses_b, 0.01)
        keeps_its_word(out, farther, 0.01, exact, ITERATIVE)
