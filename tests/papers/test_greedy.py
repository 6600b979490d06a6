"""Greedy distances: never above the true distance, and right about the threshold, beside the exact
distance of ours and Coal's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.geometry.mesh import Mesh
from standoff.papers.kernels.greedy import FRONT_PAIRS
from tests.geometry.test_mesh_oracle import coal_distances
from tests.worlds.greedy_batch import greedy
from tests.worlds.mesh_batch import distances
from tests.worlds.mesh_shapes import (
    bowl_arrays,
    box_mesh,
    random_poses,
    star,
    torus,
)

#: Of Coal and of ours beside each other, for bodies of about 1 m, [m].
EXACT = 1e-9

MESHES = {
    "torus": torus(around=14, across=6),
    "star": star(3, around=6, rings=4),
    "bowl": Mesh(*bowl_arrays(rings=3, around=9), sheet=True),
    "box": box_mesh(0.7, 0.5, 0.2),
    "one triangle": Mesh(np.eye(3) * 0.6, [[0, 1, 2]]),
}
BODIES = {
    "torus mesh": torus(ring=0.3, tube=0.1, around=9, across=5),
    "open mesh": Mesh(*bowl_arrays(radius=0.3, rings=2, around=7), sheet=True),
    "plate": box_mesh(0.4, 0.25, 0.01),
}


def keeps_its_word(bounds, farther, delta, exact, slack):
    """The three promises, for distances ``exact`` that are sure to within ``slack``, which is no
    less than what rounding may do to a bound."""
    upper, lower = exact + slack, exact - slack
    assert (bounds[farther] > delta).all()
    assert (bounds[farther] <= upper[farther]).all()
    assert (upper[farther] > delta).all()
    assert (lower[~farther] <= delta + np.broadcast_to(slack, exact.shape)[~farther]).all()


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("body", BODIES)
def test_bound_and_threshold_agree_with_coal(mesh, body):
    a, b = MESHES[mesh], BODIES[body]
    rng = np.random.default_rng([3, list(MESHES).index(mesh), list(BODIES).index(body)])
    poses_a, poses_b = random_poses(rng, 200, 0.1), random_poses(rng, 200, 1.0)
    # Coal knows surfaces only, as the greedy distance does
    exact = np.maximum(coal_distances(a, b, poses_a, poses_b), 0.0)
    for delta in (0.0, 0.05, float(np.median(exact))):
        for swapped in (False, True):
            out, farther, _ = greedy(a, b, poses_a, poses_b, delta, swapped=swapped)
            assert 0 < farther.sum() < len(out)
            keeps_its_word(out, farther, delta, exact, EXACT)


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
    a, b = MESHES["torus"], BODIES[body]
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
    for b in (box_mesh(1.0, 1.0, 4e-9), box_mesh(1.0, 1.0, 4e-7)):
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


def test_effort_raises_the_bound_to_the_distance():
    rng = np.random.default_rng(9)
    a, b = MESHES["torus"], BODIES["torus mesh"]
    poses_a, poses_b = random_poses(rng, 300, 0.1), random_poses(rng, 300, 1.5)
    exact, slack = surfaces(a, b, poses_a, poses_b)
    before, farther, _ = greedy(a, b, poses_a, poses_b, effort=0)
    means = []
    for effort in (0, 1, 4, 16, 64, 1_000_000):
        out, same, visits = greedy(a, b, poses_a, poses_b, effort=effort)
        assert (same == farther).all()
        assert (out[farther] >= before[farther]).all()
        assert (visits[~farther] > 0).any()
        before = out
        means.append((out[farther] / exact[farther]).mean())
    assert means == sorted(means)
    # nine in ten end at the distance itself, the others where the front was full
    reached = np.isclose(before[farther], (exact - slack)[farther], rtol=0.0, atol=1e-12)
    assert reached.mean() > 0.9 and means[-1] > 0.99


def test_no_effort_is_spent_on_more_than_is_wanted():
    rng = np.random.default_rng(10)
    a, b = MESHES["torus"], BODIES["torus mesh"]
    poses_a, poses_b = random_poses(rng, 300, 0.1), random_poses(rng, 300, 1.5)
    exact, _ = surfaces(a, b, poses_a, poses_b)
    wanted = 0.6 * exact[exact > 0.0].min() + 0.4 * np.median(exact)
    quick, farther, few = greedy(a, b, poses_a, poses_b, wanted=0.0)
    out, _, visits = greedy(a, b, poses_a, poses_b, wanted=wanted, effort=1_000_000)
    assert ((out > wanted) == (exact > wanted))[farther].all()
    content = farther & (quick > wanted)
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
    a, b = MESHES["torus"], BODIES[body]
    poses_a, poses_b = random_poses(rng, 100, 0.1), random_poses(rng, 100, 1.0)
    clean, dirty = (greedy(a, b, poses_a, poses_b, 0.05, dirt=d) for d in (0.0, 3.0))
    for first, second in zip(clean, dirty):
        assert np.array_equal(first, second, equal_nan=True)


def test_a_pose_that_is_no_number_is_near():
    a = MESHES["torus"]
    here, nowhere = np.eye(4)[None], np.full((1, 4, 4), np.nan)
    assert not greedy(a, MESHES["star"], here, nowhere)[1][0]
    assert not greedy(a, MESHES["star"], nowhere, here)[1][0]


@pytest.mark.interpreted
def test_compiled_or_not_the_laws_hold():
    rng = np.random.default_rng(12)
    a = torus(around=6, across=4)
    for b in (star(5, around=4, rings=2), box_mesh(0.3, 0.2, 0.1)):
        poses_a, poses_b = random_poses(rng, 8, 0.1), random_poses(rng, 8, 1.2)
        exact = np.maximum(coal_distances(a, b, poses_a, poses_b), 0.0)
        out, farther, _ = greedy(a, b, poses_a, poses_b, 0.01)
        keeps_its_word(out, farther, 0.01, exact, EXACT)
