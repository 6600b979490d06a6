"""Scenes of many bodies: pairs come from a broad phase."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Body, Scene
from tests.worlds.contact_worlds import numbers_of, random_pose

BLOCK = Body(so.Box((0.1, 0.1, 0.1)), levels=0)


def _at(x, y, z):
    return so.pose((x, y, z))


@pytest.mark.parametrize("axis", range(3))
def test_far_pairs_of_a_row_are_not_compared(axis):
    scene = Scene()
    places = np.zeros((60, 4, 4)) + np.eye(4)
    places[:, axis, 3] = 0.5 * np.random.default_rng(axis).permutation(60)
    for k in range(60):
        scene.add(f"{k}", BLOCK)
    scene.step(places)
    assert scene.step(places).cost.pair_tests == 0
    places[7, axis, 3] = places[3, axis, 3] + 0.09
    scene.forget()  # or it would have come all the way from its old place
    step = scene.step(places)
    assert {(c.a, c.b) for c in step.contacts} == {("3", "7")}
    assert step.cost.pair_tests <= 2


def test_contacts_of_many_bodies_are_those_of_each_pair():
    rng = np.random.default_rng(3)
    names = [f"{k}" for k in range(25)]
    bodies = [BLOCK, Body(so.Sphere(0.07)), Body(so.Box((0.2, 0.05, 0.05)), levels=1)]
    chosen = {name: bodies[int(rng.integers(3))] for name in names}
    poses = {name: random_pose(rng, 0.15) for name in names}
    scene = Scene()
    for name in names:
        scene.add(name, chosen[name], damping=3.0)
    every = scene.step(poses)
    alone = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            two = Scene()
            two.add(a, chosen[a], damping=3.0)
            two.add(b, chosen[b], damping=3.0)
            alone.append(numbers_of(two.step({a: poses[a], b: poses[b]})))
    assert len(every) > 30
    assert np.array_equal(numbers_of(every), np.concatenate(alone))
    pairs = [(int(c.a), int(c.b)) for c in every.contacts]
    assert pairs == sorted(pairs)


def test_more_near_pairs_than_there_was_room_for():
    """Room for pairs grows within a step, and what the last step left is still there."""
    scene = Scene()
    for k in range(30):
        scene.add(f"{k}", BLOCK, pose=_at(0.5 * k, 0.0, 0.0))
    scene.step({"1": _at(0.09, 0.0, 0.0)})
    step = scene.step({f"{k}": _at(0.001 * k, 0.0, 0.0) for k in range(2, 30)})
    assert step.cost.pair_tests == 30 * 29 // 2
    assert len({(c.a, c.b) for c in step.contacts}) == 30 * 29 // 2
    assert {(c.a, c.b) for c in step.contacts if c.kept} == {("0", "1")}


def test_a_fast_body_is_not_lost_between_far_boxes():
    scene = Scene()
    scene.add("wall", so.Box((0.02, 1.0, 1.0)), moving=False, levels=0)
    for k in range(10):
        scene.add(f"other {k}", BLOCK, pose=_at(0.0, 0.0, 3.0 + k), moving=False)
    scene.add("bullet", so.Sphere(0.01), pose=_at(-2.0, 0.0, 0.0))
    assert scene.step({}).cost.pair_tests == 0
    step = scene.step({"bullet": _at(2.0, 0.0, 0.0)})
    assert step.passed == (("wall", "bullet"),)
    assert step.cost.pair_tests == 1
