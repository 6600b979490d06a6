"""What a contact scene does not take, and what it says then."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Body, Scene
from tests.worlds.contact_worlds import numbers_of

CUBE = so.Box((1, 1, 1))


def _scene():
    scene = Scene()
    scene.add("a", CUBE, levels=0)
    scene.add("b", CUBE, pose=so.pose((0, 0, 0.9)), damping=1.0, levels=0)
    scene.step()
    return scene


BODIES = {
    "a plate as thin as rounding": (lambda: Body(so.Box((1, 1, 1e-9)), levels=0), "thin"),
    "a thinner one": (lambda: Body(so.Box((1, 1, 5e-10)), levels=0), "thin"),
    "a needle": (lambda: Body(so.Box((1e-9, 1e-9, 1)), levels=0), "thin"),
    "a disc": (lambda: Body(so.Cylinder(1, 2e-9), levels=0), "thin"),
    "an atom's box": (lambda: Body(so.Box((1e-100,) * 3), levels=0), "too small"),
    "a union of a number": (lambda: Body.union(5), "no parts"),
    "a union of nothing": (lambda: Body.union(None), "no parts"),
    "a union of a mapping": (lambda: Body.union({"a": 1}), "no parts"),
    "a union of words": (lambda: Body.union(["a"]), "no part"),
    "a union of triples": (lambda: Body.union([(CUBE, None, None)]), "no part"),
    "levels of one argument": (lambda: Body(CUBE, levels=lambda c: 1), "two arguments"),
    "an unknown way to split": (
        lambda: Body.from_mesh(so.Mesh(CUBE.core()[0], so.Polyhedron(CUBE.core()[0]).faces),
                               split="bogus"),
        "no such way",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BODIES)
def test_no_body(case):
    make, message = BODIES[case]
    with pytest.raises(so.Error, match=message):
        make()


STEPS = {
    "a list of one pose": (([so.pose()],), "poses: wrong shape"),
    "one pose": ((np.eye(4),), "poses: wrong shape"),
    "velocities as a list": ((None, [1, 2]), "velocities: wrong shape"),
    "no numbers": (("a",), "not numbers"),
    "faster than light": ((None, {"a": np.full(6, 1e308)}), "too fast"),
    "a time that is a truth": ((None, None, True), "no time"),
    "a time that is none": ((None, None, np.nan), "no time"),
    "a time too short": (({"a": so.pose((0, 0, 0.1))}, None, 1e-320), "velocities"),
}


@pytest.mark.parametrize("case", STEPS)
def test_no_step(case):
    arguments, message = STEPS[case]
    scene = _scene()
    before = scene.step()
    with pytest.raises(so.errors.PoseError, match=message):
        scene.step(*arguments)
    assert np.array_equal(numbers_of(scene.step()), numbers_of(before))


def test_a_force_that_is_not_finite_is_refused():
    scene = Scene()
    scene.add("a", CUBE, damping=1e307, levels=0)
    scene.add("b", CUBE, pose=so.pose((0, 0, 0.9)), damping=1e307, levels=0)
    before = scene.step()
    with pytest.raises(so.errors.PoseError, match="not finite"):
        scene.step(None, {"a": (0, 0, 1e9, 0, 0, 0)})
    assert np.array_equal(numbers_of(scene.step()), numbers_of(before))


def test_numbers_of_any_kind_are_a_time():
    for dt in (1, 0.5, np.float32(0.5), np.int64(1)):
        assert len(_scene().step(dt=dt)) == 4


def test_names_that_are_none():
    scene = _scene()
    for name in ([1], None, 3, {}):
        for ask in (scene.remove, scene.body):
            with pytest.raises(so.errors.UnknownNameError):
                ask(name)


def test_parts_without_a_pose_are_where_they_are():
    shifted = so.Polyhedron(CUBE.core()[0] + np.array((1.0, 0.0, 0.0)))
    body = Body.union([CUBE, shifted, Body(so.Sphere(0.5)), (CUBE, so.pose((2, 0, 0)))], levels=0)
    assert len(body.pieces) == 4
    assert body.centroid[0] == pytest.approx(3.0 / (3 + np.pi / 6), abs=1e-12)


def test_a_body_that_stands_still_takes_no_other_pose():
    scene = Scene()
    scene.add("a", CUBE, moving=False, levels=0)
    scene.add("b", CUBE, pose=so.pose((5, 0, 0)), moving=False, levels=0)
    scene.add("c", CUBE, pose=so.pose((0, 0, 3)), levels=0)
    for arguments in ({"b": so.pose((0.5, 0, 0))}, np.stack([np.eye(4)] * 3)):
        with pytest.raises(
            so.errors.PoseError, match=r"poses\['b'\]: another pose for a body that stands"
        ):
            scene.step(arguments)
    # Its own is welcome, and a velocity: a belt runs and stands still.
    same = np.stack([so.pose(), so.pose((5, 0, 0)), so.pose((0, 0, 0.999))])
    step = scene.step(same, {"a": (1, 0, 0, 0, 0, 0)})
    assert len(step) == 4 and all(c.velocity[0] == 1.0 for c in step.contacts)
    assert len(scene.step({"a": np.eye(4)})) == 4
