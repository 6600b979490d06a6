"""The hard cases of contact: flush, parallel, inside, thin, fast; and scenes that change."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Body, Scene
from tests.worlds.contact_worlds import RIGID, CoalPair, fresh, numbers_of

CUBE = so.Box((0.2, 0.2, 0.2))
UP = np.array((0.0, 0.0, 1.0))


def test_flush_boxes_touch_at_four_points():
    for shift in (0.0, 1e-15, 1e-13, 3e-12, 1e-10):
        step = fresh(CUBE, so.pose((shift, -shift, 0.199)), CUBE, so.pose())
        assert len(step) == 4, shift
        assert np.allclose(step.forces["a"], 0.004 * UP, atol=1e-9)
        assert np.allclose(step.moments["a"], 0.0, atol=1e-9)


@pytest.mark.parametrize("shift", [(0.05, 0, 0), (0, -0.07, 0), (0.05, 0.08, 0)])
def test_boxes_set_off_touch_at_the_corners_of_what_they_share(shift):
    step = fresh(CUBE, so.pose(np.array(shift) + 0.199 * UP), CUBE, so.pose())
    assert len(step) == 4
    x, y = abs(np.array(shift[:2]))
    centre = np.mean([c.point for c in step.contacts], axis=0)
    assert np.allclose(centre, (*(np.array(shift[:2]) / 2), 0.0995), atol=1e-9)
    spread = np.ptp([c.point for c in step.contacts], axis=0)
    assert np.allclose(spread[:2], (0.2 - x, 0.2 - y), atol=1e-9)
    assert np.allclose(step.forces["a"], 0.004 * UP, atol=1e-9)


def test_an_overhanging_box_keeps_its_contacts_at_the_rim_when_it_leans_a_little():
    for lean in (-1e-3, -1e-6, -1e-12, 0.0, 1e-12, 1e-6, 1e-3):
        step = fresh(CUBE, so.pose((0.05, 0, 0.199), rpy=(0, lean, 0)), CUBE, so.pose())
        assert len(step) == 4, lean
        assert step.forces["a"] @ UP == pytest.approx(0.004, abs=abs(lean) * 0.4 + 1e-9)


def test_parallel_edges_do_not_cross():
    """Two roofs, ridge on ridge: the short way out is along a slope, and what the two slopes share
    is a narrow strip with four corners: the end of either ridge, and an edge across each."""
    roof = so.pose(rpy=(np.pi / 4, 0, 0))
    reach = 0.1 * np.sqrt(2)
    step = fresh(CUBE, so.pose((0.03, 0, 2 * reach - 0.001)) @ roof, CUBE, roof)
    assert sorted(c.kind for c in step.contacts) == ["EE", "EE", "FV", "VF"]
    assert {round(float(c.point[0]), 6) for c in step.contacts} == {-0.07, 0.1}
    for contact in step.contacts:
        assert contact.depth == pytest.approx(0.001 / np.sqrt(2), abs=1e-9)
        assert np.allclose(contact.normal, step.contacts[0].normal, atol=1e-9)


def test_a_vertex_on_a_vertex_pushes_apart():
    tilt = so.pose(rpy=(np.pi / 4, np.arctan(1 / np.sqrt(2)), 0))
    reach = 0.1 * np.sqrt(3)
    for depth in (1e-6, 1e-3, 0.02):
        step = fresh(CUBE, so.pose((0, 0, 2 * reach - depth)) @ tilt, CUBE, tilt)
        assert len(step) > 0 and step.forces["a"] @ UP > 0.0


def test_a_body_wholly_inside_another_is_pushed_out_the_short_way():
    big, small = so.Box((1, 1, 1)), so.Box((0.1, 0.1, 0.1))
    for levels in (0, 4):
        pose = so.pose((0.2, 0.05, -0.1), rpy=(0.4, 0.5, 0.6))
        step = fresh(Body(small, levels=levels), pose, Body(big, levels=levels), so.pose())
        assert len(step) == 8
        assert step.forces["a"][0] > 0 and np.allclose(step.forces["a"][1:], 0.0, atol=1e-12)
        back = fresh(Body(big, levels=levels), so.pose(), Body(small, levels=levels), pose)
        assert np.allclose(back.forces["b"], step.forces["a"], atol=1e-9)


def test_a_nail_through_a_board_is_one_contact_of_the_whole():
    nail, board = so.Box((0.01, 0.01, 1.0)), so.Box((1, 0.5, 0.02))
    step = fresh(nail, so.pose((0.1, 0.2, 0)), board, so.pose())
    (contact,) = step.contacts
    assert contact.kind == "WW"
    assert np.allclose(contact.normal, (0, 1, 0), atol=1e-9)
    assert contact.depth == pytest.approx(0.055, abs=1e-9)
    assert np.allclose(contact.point, (0.1, 0.2, 0), atol=1e-9)


def test_touching_is_no_contact():
    assert len(fresh(CUBE, so.pose((0, 0, 0.2)), CUBE, so.pose())) == 0
    assert len(fresh(CUBE, so.pose((0, 0, 0.2 + 1e-9)), CUBE, so.pose())) == 0


def _pressed(scene, heights):
    return [scene.step({"a": so.pose((0.01, 0.02, z))}) for z in heights]


def test_a_box_pressed_through_a_thin_plate_stays_on_its_side():
    """Step by step ever deeper, past the middle and out below: the force keeps pushing back, and
    grows with the depth."""
    scene = Scene()
    scene.add("plate", so.Box((1, 1, 0.004)), moving=False, stiffness=1.0, levels=2)
    scene.add("a", CUBE, stiffness=RIGID, levels=1)
    heights = 0.102 - np.linspace(1e-4, 0.02, 200)
    depths = 0.102 - heights
    for step, depth in zip(_pressed(scene, heights), depths, strict=True):
        assert np.allclose(step.forces["a"], 4 * depth * UP, atol=1e-9)


def test_a_ball_pressed_into_a_plate_stays_on_its_side():
    scene = Scene()
    scene.add("plate", so.Box((1, 1, 0.02)), moving=False, stiffness=1.0, levels=2)
    scene.add("a", so.Sphere(0.05), stiffness=RIGID)
    for z in np.linspace(0.059, -0.008, 100):
        (contact,) = scene.step({"a": so.pose((0.01, 0.02, z))}).contacts
        assert np.allclose(contact.normal, -UP, atol=1e-12)
        assert contact.depth == pytest.approx(0.06 - z, abs=1e-9)


def test_a_fast_body_is_pushed_back_to_where_it_came_from():
    """In one step from above a plate to past its middle: the shortest way out is below."""
    for start, way in ((0.2, 1.0), (-0.2, -1.0)):
        scene = Scene()
        scene.add("plate", so.Box((1, 1, 0.1)), moving=False, stiffness=1.0, levels=2)
        scene.add("a", so.Box((0.1, 0.1, 0.1)), stiffness=RIGID, levels=1)
        assert len(scene.step({"a": so.pose((0, 0, start))})) == 0
        step = scene.step({"a": so.pose((0.01, 0, -0.3 * start))})
        assert step.forces["a"] @ UP * way > 0.0
        again = scene.step({"a": so.pose((0.011, 0, -0.3 * start))})
        assert again.forces["a"] @ UP * way > 0.0
        scene.forget()
        assert scene.step({"a": so.pose((0.01, 0, -0.3 * start))}).forces["a"] @ UP * way < 0.0


def test_a_body_that_passes_through_a_wall_in_one_step_is_reported():
    for shape in (so.Box((0.05, 0.05, 0.05)), so.Sphere(0.02)):
        scene = Scene()
        scene.add("wall", so.Box((0.01, 1, 1)), moving=False, levels=1)
        scene.add("bullet", shape, levels=0)
        assert scene.step({"bullet": so.pose((-0.5, 0, 0))}).passed == ()
        step = scene.step({"bullet": so.pose((0.5, 0.1, 0), rpy=(1, 0, 0))})
        assert len(step) == 0 and step.passed == (("wall", "bullet"),)
        assert scene.step({"bullet": so.pose((0.5, 0.1, 0))}).passed == ()
        # Beside the wall there is nothing to pass through.
        scene.step({"bullet": so.pose((0.5, 2, 0))})
        assert scene.step({"bullet": so.pose((-0.5, 2, 0))}).passed == ()


def test_a_blade_that_turns_through_a_post_is_reported():
    scene = Scene()
    scene.add(
        "post", so.Box((0.05, 0.05, 0.5)), pose=so.pose((0.4, 0.4, 0)), moving=False, levels=1
    )
    scene.add("blade", so.Box((2.0, 0.02, 0.1)), levels=1)
    scene.step({"blade": so.pose()})
    assert scene.step({"blade": so.pose(rpy=(0, 0, 1.5))}).passed == (("post", "blade"),)
    assert scene.step({"blade": so.pose(rpy=(0, 0, 2.0))}).passed == ()


def test_contacts_go_on_when_others_come_and_go():
    scene = Scene()
    scene.add("plate", so.Box((1, 1, 0.004)), moving=False, stiffness=1.0, levels=1)
    scene.add("a", CUBE, stiffness=RIGID, levels=1)
    for z in (0.1015, 0.1, 0.0995, 0.098):
        scene.step({"a": so.pose((0, 0, z))})
    scene.add("late", so.Sphere(0.1), pose=so.pose((3, 0, 0)))
    step = scene.step({"a": so.pose((0, 0, 0.097))})
    assert step.forces["a"] @ UP > 0 and step.cost.kept == 4
    scene.remove("late")
    assert scene.step({"a": so.pose((0, 0, 0.097))}).cost.kept == 4
    with pytest.raises(so.errors.UnknownNameError, match="late"):
        scene.step({"late": so.pose()})


def test_tables_grow_with_the_contacts():
    """300 small boxes on a table are 1,200 contacts, more than there is room for at first."""
    scene = Scene()
    scene.add("table", so.Box((20, 20, 1)), pose=so.pose((0, 0, -0.5)), moving=False, stiffness=1e4,
              levels=0)  # fmt: skip
    grid = [so.pose((0.5 * (k % 20) - 5, 0.5 * (k // 20) - 4, 0.0999)) for k in range(300)]
    scene.add("many", Body.union([(CUBE, pose) for pose in grid], levels=0), stiffness=RIGID)
    for _ in range(2):
        step = scene.step()
        assert len(step) == 1200
        assert step.forces["many"] @ UP == pytest.approx(1200 * 1e4 * 1e-4, rel=1e-9)
    assert step.cost.kept == 1200


def test_bad_input_is_refused_and_changes_nothing():
    scene = Scene()
    scene.add("a", CUBE, levels=0)
    scene.add("b", CUBE, pose=so.pose((0, 0, 0.19)), levels=0)
    before = scene.step()
    bad = np.eye(4)
    bad[0, 0] = np.nan
    moved = so.pose((5, 0, 0))
    with pytest.raises(so.errors.PoseError, match="finite"):
        scene.step({"a": moved, "b": bad})
    with pytest.raises(so.errors.UnknownNameError, match="did you mean"):
        scene.step({"a": moved, "bb": so.pose()})
    with pytest.raises(so.errors.PoseError, match="velocities"):
        scene.step({"a": moved}, {"b": (1, 2, 3)})
    with pytest.raises(so.errors.PoseError, match="dt"):
        scene.step({"a": moved}, dt=0.0)
    after = scene.step()
    assert np.array_equal(numbers_of(after), numbers_of(before)) and after.cost.kept == 4
    with pytest.raises(so.errors.DuplicateNameError):
        scene.add("a", CUBE)
    for name, value in (("stiffness", 0), ("damping", -1), ("friction", np.nan), ("coulomb", "x")):
        with pytest.raises(so.errors.CellError, match=name):
            scene.add("c", CUBE, **{name: value})
    scene.add("hard", CUBE, stiffness=RIGID, levels=0)
    with pytest.raises(so.errors.CellError, match="rigid"):
        scene.add("harder", CUBE, stiffness=RIGID, levels=0)
    assert scene.names == ("a", "b", "hard")


def test_an_empty_scene_has_nothing():
    step = Scene().step()
    assert step.contacts == () and step.forces == {} and step.passed == ()


def test_a_body_kept_in_contact_pushes_along_its_history():
    """A cube slides, sinks and turns on another at random; whatever it does, the total force has a
    part along the way it was pushed before, until they are apart."""
    rng = np.random.default_rng(4)
    coal = CoalPair(so.Polyhedron(CUBE.core()[0]), so.Polyhedron(CUBE.core()[0]))
    for _ in range(10):
        scene = Scene()
        scene.add("a", CUBE, stiffness=RIGID, levels=1)
        scene.add("b", CUBE, stiffness=1.0, levels=1)
        place, last = so.pose((0, 0, 0.195)), None
        for _ in range(200):
            place = place @ so.pose(rng.normal(size=3) * 3e-4, rpy=rng.normal(size=3) * 2e-3)
            step = scene.step({"a": place, "b": so.pose()})
            distance = coal.distance(place, np.eye(4))
            if abs(distance) > 3e-6:
                assert (len(step) > 0) == (distance < 0)
            force = step.forces["a"] if len(step) else None
            if force is not None and last is not None:
                assert force @ last > 0.0
            last = force


def test_levels_change_no_answer():
    flat = Body(so.Cylinder(0.1, 0.2), sides=64)
    assert flat.trees[0].level.max() == 0
    pose = so.pose((0.15, 0.02, 0.1), rpy=(0.3, 0.4, 0.5))
    steps = [fresh(b, pose, b, so.pose()) for b in (flat, flat.with_levels(1), flat.with_levels(3))]
    for step in steps[1:]:
        assert np.array_equal(numbers_of(step), numbers_of(steps[0]))
