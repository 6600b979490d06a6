"""OMPL's planners on the exact checker: what they call a path is proved. Skipped without OMPL."""

from __future__ import annotations

import numpy as np
import pytest

import standoff as so
from standoff.plan import ompl_adapter
from tests.worlds.problem_files import ARM, content, write

JOINTS = tuple(f"panda/{joint}" for joint in ARM)


@pytest.fixture
def placed(tmp_path):
    """A Panda with a can between start and goal."""
    return so.plan.read_problem(write(tmp_path, content()), 7).build("builtin:panda")


@pytest.fixture
def ompl():
    if not ompl_adapter.have_ompl():
        pytest.skip("OMPL is not installed")
    from ompl import base, geometric, util

    util.setLogLevel(util.LOG_NONE)
    return base, geometric, util


@pytest.fixture
def space(placed, ompl):
    return so.plan.OmplSpace(so.PathChecker(placed.cell), placed.joints, placed.start)


def test_without_ompl_it_says_how_to_get_it(placed, monkeypatch):
    monkeypatch.setattr(ompl_adapter, "have_ompl", lambda: False)
    with pytest.raises(so.errors.MissingPackageError, match=r"pip install 'standoff\[plan\]'"):
        so.plan.OmplSpace(so.PathChecker(placed.cell))


def test_states_are_judged_by_the_checker(space, placed):
    rng = np.random.default_rng(3)
    tree = placed.cell.tree
    q = np.tile(placed.start, (200, 1))
    q[:, :7] = rng.uniform(tree.lower[:7], tree.upper[:7], (200, 7))
    said = [space.information.isValid(space.state(row)) for row in q]
    assert said == space.checker.segments(q, q).tolist() and 0.1 < np.mean(said) < 0.9
    beyond = placed.start.copy()
    beyond[0] = tree.upper[0] + 0.1
    assert space.checker.segments(beyond[None], beyond[None])[0]
    assert not space.information.isValid(space.state(beyond))


def test_motions_are_judged_by_the_checker(space, placed):
    start, goal = space.state(placed.start), space.state(placed.goals[0])
    assert not space.information.checkMotion(start, goal)
    contact = space.checker.segment(placed.start, placed.goals[0], first=True).free_until
    near = placed.start + 0.5 * contact * (placed.goals[0] - placed.start)
    assert space.information.checkMotion(start, space.state(near))
    assert space.motions.checked == 2


def test_a_wire_between_two_samples_of_ompl_is_found(ompl):
    """OMPL's own validator, with the same opinion on states, steps over it."""
    base, _, _ = ompl
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    here = np.array([0.0, 0.6, 0.0, -1.6, 0.0, 2.2, -0.785, 0.0])
    turn = np.array([0.26, *np.zeros(7)])
    tip = cell.pose("panda/panda_hand", here + 0.25 * turn) @ so.pose((0.0, 0.0, 0.11))
    cell.add_body("wire", so.Capsule(0.0005, 0.05), tip)
    space = so.plan.OmplSpace(so.PathChecker(cell), JOINTS, here)
    sampled = base.SpaceInformation(space.space)
    sampled.setStateValidityChecker(space.states)
    sampled.setup()
    a, b = space.state(here), space.state(here + turn)
    assert space.space.validSegmentCount(a, b) == 2
    assert sampled.checkMotion(a, b)
    assert not space.information.checkMotion(a, b)
    assert "wire" in space.checker.segment(here, here + turn).pair


@pytest.mark.parametrize("way", ["there", "back"])
def test_the_last_valid_state_is_one_from_which_a_planner_can_go_on(space, placed, way):
    a, b = placed.start, placed.goals[0]
    if way == "back":
        a, b = b, a
    first, second, last = space.state(a), space.state(b), space.space.allocState()
    valid, fraction = space.motions.checkMotionWithLastValid(first, second, last)
    assert not valid and 0.0 < fraction < 1.0
    reached = np.array(last[0:7])
    assert np.allclose(reached, (a + fraction * (b - a))[:7], rtol=0.0, atol=1e-12)
    assert space.information.isValid(last) and space.information.checkMotion(first, last)
    # The contact is not much later.
    contact = space.checker.segment(a, b, first=True)
    assert fraction <= contact.free_until < fraction + 0.05
    assert space.motions.checkMotionWithLastValid(first, second) == (False, fraction)


def test_the_last_valid_state_of_a_motion_that_starts_in_contact(space, placed):
    verdict = space.checker.segment(placed.start, placed.goals[0])
    inside = space.state(verdict.q)
    last = space.space.allocState()
    assert space.motions.checkMotionWithLastValid(inside, inside, last) == (False, 0.0)
    assert list(last[0:7]) == list(inside[0:7])


def test_the_last_valid_state_of_a_free_motion_is_left_alone(space, placed):
    last = space.state(placed.goals[0])
    here = space.state(placed.start)
    assert space.motions.checkMotionWithLastValid(here, here, last) == (True, 1.0)
    assert list(last[0:7]) == placed.goals[0][:7].tolist()


@pytest.mark.parametrize("name", ["RRTConnect", "RRT", "PRM", "BKPIECE1", "LBKPIECE1", "KPIECE1"])
def test_what_a_planner_finds_is_proved(space, placed, ompl, name):
    _, geometric, util = ompl
    util.RNG.setSeed(1)
    planner = getattr(geometric, name)(space.information)
    definition = space.problem(placed.start, placed.goals)
    planner.setProblemDefinition(definition)
    planner.setup()
    assert planner.solve(20.0)
    path = definition.getSolutionPath()
    found = space.waypoints(path)
    assert np.allclose(found[0], placed.start) and np.allclose(found[-1], placed.goals[0])
    assert (found[:, 7] == placed.start[7]).all()
    assert space.verdict(path).free
    before = path.length()
    geometric.PathSimplifier(space.information).simplify(path, 0.5)
    assert space.verdict(path).free and path.length() <= before + 1e-9
    assert so.verify(placed.cell, space.verdict(path).certificate(), engine="plain").verified


def test_bounds_that_are_missing_or_wrong(placed, ompl):
    checker = so.PathChecker(placed.cell)
    with pytest.raises(so.errors.UnknownNameError, match="panda_joint7"):
        so.plan.OmplSpace(checker, ["panda/panda_joint"])
    with pytest.raises(so.errors.PlanError, match="no joint to plan"):
        so.plan.OmplSpace(checker, [])
    assert so.plan.OmplSpace(checker, ["panda_joint2"]).columns.tolist() == [1]
    assert so.plan.OmplSpace(checker, ["panda"]).columns.tolist() == list(range(8))
    with pytest.raises(so.errors.PlanError, match="no bounds for joint 'panda/panda_joint1'"):
        so.plan.OmplSpace(checker, JOINTS, bounds={"panda/panda_joint1": (0.0, np.inf)})
    with pytest.raises(so.errors.UnknownNameError, match="planned joint"):
        so.plan.OmplSpace(checker, JOINTS, bounds={"panda/panda_finger_joint1": (0.0, 0.1)})


def test_joints_that_are_not_planned_must_be_where_they_stay(space, placed):
    moved = placed.start.copy()
    moved[placed.cell.joints.index("panda/panda_finger_joint1")] += 0.01
    with pytest.raises(so.errors.PlanError, match=r"finger_joint1.* not planned"):
        space.problem(moved, placed.goals)
    with pytest.raises(so.errors.PlanError, match=r"finger_joint1.* not planned"):
        space.problem(placed.start, [moved])


@pytest.mark.parametrize("pair", [(1,), None, "ab", ("a", "b")])
def test_bounds_that_are_no_numbers(placed, ompl, pair):
    checker = so.PathChecker(placed.cell)
    with pytest.raises(so.errors.PlanError, match="bounds"):
        so.plan.OmplSpace(checker, bounds={"panda/panda_joint1": pair})
    with pytest.raises(so.errors.PlanError, match="bounds"):
        so.plan.OmplSpace(checker, bounds=5)
