"""Contacts exist exactly when Coal finds overlap, and their forces part the bodies."""

import os

import numpy as np
import pytest

import standoff as so
from standoff.contact import Body, Scene
from tests.worlds.contact_worlds import RIGID, CoalPair, random_pose, random_solid

#: Coal's search ends at 1e-6 or so: nearer to touching it decides nothing.
BLUR = 3e-6

SOAK = os.environ.get("STANDOFF_SOAK") == "1"


def _pairs(seed, count):
    """Pairs of random bodies at random poses, many of them just touching, deep or one inside the
    other; a new body now and then."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < count:
        a, b = random_solid(rng), random_solid(rng)
        if rng.random() < 0.15:
            b = so.Polyhedron(0.2 * b.vertices)
        coal = CoalPair(a, b)
        bodies = Body(a, levels=int(rng.integers(0, 4))), Body(b, levels=int(rng.integers(0, 4)))
        scene = Scene(continuous=False)
        scene.add("a", bodies[0], stiffness=RIGID)
        scene.add("b", bodies[1], stiffness=1.0)
        for _ in range(10):
            made += 1
            yield scene, coal, random_pose(rng, 0.15), random_pose(rng, 0.15)


def _check(seed, count):
    overlapping = apart = 0
    for scene, coal, pose_a, pose_b in _pairs(seed, count):
        scene.forget()
        step = scene.step({"a": pose_a, "b": pose_b})
        distance = coal.distance(pose_a, pose_b)
        if abs(distance) < BLUR:
            continue
        assert (len(step) > 0) == (distance < 0.0), (distance, pose_a, pose_b)
        if distance > 0.0:
            apart += 1
            continue
        overlapping += 1
        _check_parting(step, coal, pose_a, pose_b)
    return overlapping, apart


def _check_parting(step, coal, pose_a, pose_b):
    """Newton's third law; each contact and the sum push along Coal's way out; a small motion along
    the force lessens the penetration."""
    force = step.forces["a"]
    assert np.array_equal(force, -step.forces["b"])
    depth, way = coal.penetration(pose_a, pose_b)
    assert force @ way > 0.0
    for contact in step.contacts:
        assert contact.depth > 0.0
        assert np.linalg.norm(contact.normal) == pytest.approx(1.0, abs=1e-12)
    # The depth of two polyhedra is the least over the faces of their difference: linear up to where
    # another face is nearer. So from a small step on it must be less, if ever so little.
    push = force / np.linalg.norm(force)
    less = []
    for length in (1e-3, 1e-4, 1e-5):
        moved = pose_a.copy()
        moved[:3, 3] += length * min(depth, 0.1) * push
        less.append(depth - coal.penetration(moved, pose_b)[0])
    assert max(less) > 0.0, (depth, less, push @ way)


def test_contacts_exist_exactly_when_coal_finds_overlap():
    overlapping, apart = _check(seed=8, count=600)
    assert overlapping > 150 and apart > 100


@pytest.mark.soak
@pytest.mark.skipif(not SOAK, reason="STANDOFF_SOAK=1 asks for it")
@pytest.mark.parametrize("seed", range(10))
def test_contacts_exist_exactly_when_coal_finds_overlap_in_earnest(seed):
    overlapping = 0
    round_ = 0
    while overlapping < 2000:
        overlapping += _check(seed=1000 * (seed + 1) + round_, count=1000)[0]
        round_ += 1


def test_the_level_changes_nothing_but_the_time():
    rng = np.random.default_rng(5)
    for _ in range(10):
        a, b = random_solid(rng), random_solid(rng)
        scenes = []
        for levels in (0, 1, 3, lambda c, half: 4 if c[0] > 0 else 1):
            scene = Scene()
            scene.add("a", Body(a, levels=levels))
            scene.add("b", Body(b, levels=levels))
            scenes.append(scene)
        for _ in range(20):
            poses = {"a": random_pose(rng, 0.1), "b": random_pose(rng, 0.1)}
            steps = [scene.step(poses) for scene in scenes]
            for step in steps[1:]:
                assert np.array_equal(step._rows, steps[0]._rows)
                assert step.passed == steps[0].passed


def test_the_frame_of_the_world_does_not_matter():
    rng = np.random.default_rng(9)
    for _ in range(30):
        a, b = random_solid(rng), random_solid(rng)
        pose_a, pose_b = random_pose(rng, 0.08), random_pose(rng, 0.08)
        place = random_pose(rng, 3.0)
        steps = []
        for left in (np.eye(4), place):
            scene = Scene()
            scene.add("a", a, stiffness=RIGID, levels=1)
            scene.add("b", b, stiffness=1.0, levels=1)
            steps.append(scene.step({"a": left @ pose_a, "b": left @ pose_b}))
        assert len(steps[0]) == len(steps[1])
        turned = place[:3, :3] @ steps[0].forces["a"]
        assert np.allclose(steps[1].forces["a"], turned, atol=1e-9)


def test_spheres_touch_exactly_when_coal_says_so():
    rng = np.random.default_rng(12)
    touching = 0
    for _ in range(30):
        solid, radius = random_solid(rng), rng.uniform(0.01, 0.1)
        ball = so.Sphere(radius)
        coal = CoalPair(ball, solid)
        scene = Scene(continuous=False)
        scene.add("ball", ball, stiffness=RIGID)
        scene.add("solid", solid, stiffness=1.0, levels=2)
        for _ in range(10):
            pose_a, pose_b = random_pose(rng, 0.12), random_pose(rng, 0.12)
            scene.forget()
            step = scene.step({"ball": pose_a, "solid": pose_b})
            distance = coal.distance(pose_a, pose_b)
            if abs(distance) < BLUR:
                continue
            assert (len(step) > 0) == (distance < 0.0)
            if len(step):
                touching += 1
                assert step.deepest == pytest.approx(-distance, abs=BLUR)
    assert touching > 50


def test_a_union_is_the_sum_of_its_pieces():
    """An L of two boxes that share a face, on a table: at the seam, corners that two pieces share
    count once; six contacts where the L has six corners below."""
    parts = [
        (so.Box((0.4, 0.2, 0.2)), so.pose()),
        (so.Box((0.2, 0.2, 0.4)), so.pose((0.3, 0, 0.1))),
    ]
    body = Body.union(parts, levels=1)
    scene = Scene()
    scene.add("table", so.Box((4, 4, 1)), pose=so.pose((0, 0, -0.5)), moving=False, stiffness=1e4,
              levels=0)  # fmt: skip
    scene.add("L", body, stiffness=RIGID)
    step = scene.step({"L": so.pose((0, 0, 0.099))})
    assert len(step) == 6
    assert np.allclose(step.forces["L"], (0, 0, 6e4 * 0.001), atol=1e-9)
    assert {c.feature_b.piece for c in step.contacts} == {0, 1}
