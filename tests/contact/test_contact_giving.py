"""What a step of contact is given and what it gives back: by name, as arrays, and for how long."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Scene
from tests.worlds.contact_worlds import numbers_of

CUBE = so.Box((0.2, 0.2, 0.2))
NAMES = ("a", "b", "c")


def three():
    """Three cubes of which the first two overlap by 1 cm at `poses`."""
    scene = Scene()
    for name in NAMES:
        scene.add(name, CUBE, levels=0, stiffness=1e3, damping=10.0, friction=3.0)
    return scene


def poses():
    return np.array([so.pose((0, 0, 0.19)), so.pose(), so.pose((1, 0, 0), rpy=(0.1, 0.2, 0.3))])


def twists(seed=1):
    return np.random.default_rng(seed).normal(size=(3, 6)) * 0.01


def same(one, other):
    assert len(one) == len(other) and one.passed == other.passed and one.cost == other.cost
    assert np.array_equal(numbers_of(one), numbers_of(other))
    for name in NAMES:
        assert np.array_equal(one.forces[name], other.forces[name])
        assert np.array_equal(one.moments[name], other.moments[name])


def by_name(rows):
    return dict(zip(NAMES, rows))


@pytest.mark.parametrize(
    "given",
    [
        lambda rows: rows,
        lambda rows: rows.tolist(),
        lambda rows: np.asfortranarray(rows),
        by_name,
        lambda rows: {name: by_name(rows)[name] for name in reversed(NAMES)},
        lambda rows: {name: row.tolist() for name, row in by_name(rows).items()},
        lambda rows: {name: np.asfortranarray(row) for name, row in by_name(rows).items()},
        lambda rows: {name: row[::-1].copy()[::-1] for name, row in by_name(rows).items()},
        lambda rows: {name: row.astype(">f8") for name, row in by_name(rows).items()},
        lambda rows: by_name([rows[0], rows[1].tolist(), rows[2]]),
    ],
)
def test_all_ways_of_giving_poses_and_velocities_are_the_same(given):
    expected = three().step(by_name(poses()), by_name(twists()))
    assert len(expected) == 4
    same(three().step(given(poses()), given(twists())), expected)


def test_whole_numbers_are_numbers_and_not_their_bits():
    """As bytes, a velocity of whole numbers would be as good as none."""
    twist = np.array([[0, 0, -1, 0, 0, 0]] * 2 + [[0] * 6])
    expected = three().step(poses(), twist.astype(float))
    same(three().step(poses(), by_name(twist)), expected)
    same(three().step(poses(), twist), expected)
    turned = np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    places = by_name([poses()[0], poses()[1], turned])
    same(three().step(places), three().step(places | {"c": turned.astype(float)}))


def test_what_is_wrong_with_arrays_is_said_and_changes_nothing():
    scene = three()
    before = scene.step(poses())
    far = poses()
    far[:, 0, 3] += 10.0
    wrong = far.copy()
    wrong[2, 1, 1] = np.nan
    for given, velocities, said in (
        (far[:2], None, "shape"),
        (far[:, :3], None, "shape"),
        (far, twists()[:, :3], "shape"),
        (far, twists()[:1], "shape"),
        (wrong, None, r"poses\['c'\]"),
        (by_name(wrong), None, r"poses\['c'\]"),
        (far, np.full((3, 6), np.inf), r"velocities\['a'\]"),
        (far, by_name(np.full((3, 6), np.nan)), r"velocities\['a'\]"),
        (by_name(far) | {"c": far[2].ravel()}, None, r"poses\['c'\]"),
        (far, by_name(twists()) | {"b": np.zeros(7)}, r"velocities\['b'\]"),
        ("abc", None, "numbers"),
    ):
        with pytest.raises(so.errors.PoseError, match=said):
            scene.step(given, velocities)
    with pytest.raises(so.errors.UnknownNameError):
        scene.step({"a": far[0], "b": far[1], "d": far[2]})
    after = scene.step()
    assert np.array_equal(numbers_of(after), numbers_of(before)) and after.cost.kept == 4


def test_an_array_for_an_empty_scene():
    assert len(Scene().step(np.zeros((0, 4, 4)))) == 0
    with pytest.raises(so.errors.PoseError, match="no bodies"):
        Scene().step(poses())


def test_a_velocity_holds_for_one_step():
    """Each step begins at rest, whatever the last one was given and however."""
    still = three().step(poses()).forces["a"]
    scene = three()
    for velocities in (twists(), by_name(twists()), {"a": twists()[0]}, None):
        scene.step(poses(), velocities)
        assert np.array_equal(scene.step(poses()).forces["a"], still)
    scene.step(poses(), dt=0.1)
    assert np.array_equal(scene.step(poses(), {"c": twists()[2]}).forces["a"], still)


def test_a_result_stays_what_it_was():
    """A step is read after later ones wrote over the tables, and grew them; and nobody's numbers
    change with those of another."""
    scene = three()
    kept, copies = [], []
    for k in range(6):
        places = poses()
        places[0, 2, 3] += 0.001 * k if k < 5 else 5.0
        kept.append(scene.step(places, twists(k)))
        copies.append(three().step(places, twists(k)))
    scene.add("table", so.Box((3, 3, 0.1)), pose=so.pose((0, 0, -0.14)), levels=0)
    scene.step()
    assert [len(step) for step in kept] == [4, 4, 4, 4, 4, 0]
    for step, alone in zip(kept, copies):
        assert np.allclose(numbers_of(step), numbers_of(alone), atol=1e-12)
        for name in NAMES:
            assert np.allclose(step.forces[name], alone.forces[name], atol=1e-9)
            assert np.allclose(step.moments[name], alone.moments[name], atol=1e-9)
        assert step.cost.kept + step.cost.new == len(step) == len(step.contacts)
    kept[0].forces["a"][:] = 7.0
    assert np.all(kept[0].forces["a"] == 7.0)
    assert not np.any(kept[1].forces["a"] == 7.0) and not np.any(kept[0].moments["a"] == 7.0)
    assert not kept[5].forces["b"].any() and not kept[5].moments["b"].any()


def test_forces_are_a_mapping_by_name():
    forces = three().step(poses()).forces
    assert tuple(forces) == NAMES and len(forces) == 3 and "a" in forces and "d" not in forces
    assert forces.get("d") is None and "array" in repr(forces)
    with pytest.raises(KeyError):
        forces["d"]
    assert np.array_equal(sum(forces.values()), np.zeros(3))


def test_dt_gives_the_velocity_of_the_way_taken():
    """A body that turns about an axis off its centroid, beside the same motion given."""
    omega, dt = np.array((0.3, -0.2, 0.4)), 0.01
    shape = so.Polyhedron(so.Box((0.2, 0.2, 0.2)).core()[0] + (0.05, 0.02, 0.0))
    ways = []
    for given in (False, True):
        scene = Scene()
        scene.add("a", shape, levels=0, damping=10.0, friction=3.0)
        scene.add("b", CUBE, levels=0, moving=False)
        angle = np.linalg.norm(omega) * dt
        turn = so.pose((0, 0, 0), (np.cos(angle / 2), *(np.sin(angle / 2) * omega / (angle / dt))))
        start = so.pose((0, 0, 0.19), rpy=(0.01, 0.02, 0.5))
        end = so.pose((0.002, 0, -0.001)) @ start @ np.eye(4)
        end[:3, :3] = turn[:3, :3] @ start[:3, :3]
        scene.step({"a": start})
        if given:
            centroid = np.array((0.05, 0.02, 0.0))
            way = end[:3, :3] @ centroid + end[:3, 3] - start[:3, :3] @ centroid - start[:3, 3]
            ways.append(scene.step({"a": end}, {"a": (*(way / dt), *omega)}))
        else:
            ways.append(scene.step({"a": end}, dt=dt))
    assert len(ways[0]) > 0
    for one, other in zip(ways[0].contacts, ways[1].contacts, strict=True):
        assert np.allclose(one.velocity, other.velocity, atol=1e-9)


def test_pieces_that_were_apart_are_found_when_they_meet():
    """The direction along which two bodies were apart is tried first in the next step; it must
    neither outlive them nor hide an overlap."""
    rng = np.random.default_rng(3)
    scene, places = three(), poses()
    for k in range(300):
        for body in range(3):
            step = so.pose(rng.normal(size=3) * 0.02, rpy=rng.normal(size=3) * 0.1)
            places[body] = places[body] @ step
            places[body, :3, 3] *= 0.9
        if k % 50 == 49:
            scene.remove("b")
            scene.add("b", CUBE, levels=0, stiffness=1e3)
        names = {name: places[NAMES.index(name)] for name in scene.names}
        overlap = {
            frozenset((one, other))
            for one in NAMES
            for other in NAMES
            if one < other and so.distance(CUBE, names[one], CUBE, names[other]).distance < -1e-9
        }
        found = {frozenset((c.a, c.b)) for c in scene.step(names).contacts if c.depth > 1e-9}
        assert overlap <= found, k
