"""The planner: it finds the planted ways, proves what it finds, and says why where it does not."""

import threading
from itertools import pairwise
from time import perf_counter

import numpy as np
import pytest

import standoff as so
from standoff.plan.growing import Connect
from standoff.plan.query import build_query, chosen_joints
from tests.oracles.paths import Oracle
from tests.worlds.plan_cells import (
    LEFT,
    PANDA_GOAL,
    PANDA_START,
    RIGHT,
    add_wall,
    coal_clearance,
    gate,
    pandas,
    slider,
    turner,
    two_sliders,
)

METHODS = ("rrt-connect", "sbl")


def certified(cell, plan, start, goal, clearance=0.0):
    """Whether a plan is what it says: solved, from start to goal, free by the checker, by the
    verifier and by Coal's samples, within the limits."""
    assert plan.solved and plan.reason is None and plan.verdict.free, str(plan)
    q = plan.waypoints
    assert np.array_equal(q[0], start)
    assert np.array_equal(q[-1], goal)
    assert (q >= cell.tree.lower).all() and (q <= cell.tree.upper).all()
    assert plan.length == pytest.approx(np.linalg.norm(np.diff(q, axis=0), axis=1).sum())
    assert so.verify(cell, plan.certificate()).ok
    return coal_clearance(cell, q, 0.02) > clearance


@pytest.mark.interpreted
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_planted_narrow_passages_are_found(tmp_path, method, seed):
    """Two gaps that leave 2 cm to either side of the ball."""
    cell = gate(tmp_path)
    plan = so.Planner(cell, method=method).plan(LEFT, RIGHT, seed=seed, timeout=600)
    assert certified(cell, plan, LEFT, RIGHT)
    x, y = plan.waypoints.T
    assert np.interp(-0.3, x[: 1 + np.argmax(x > -0.3)], y[: 1 + np.argmax(x > -0.3)]) > 0.6


@pytest.mark.parametrize("method", METHODS)
def test_a_wall_without_a_gap_is_not_passed(tmp_path, method):
    """It is 1e-5 m thick, which no sampling would notice."""
    cell = slider(tmp_path)
    cell.add_body("sheet", so.Box((1e-5, 2.6, 0.4)))
    plan = so.Planner(cell, method=method).plan(LEFT, RIGHT, timeout=0.3)
    assert not plan.solved and plan.reason == "timeout"
    assert len(plan.waypoints) == 0 and plan.verdict is None and plan.goal is None
    assert plan.edges > 0 and plan.time >= 0.3


@pytest.mark.parametrize("method", METHODS)
def test_clearance_is_kept(tmp_path, method):
    cell = gate(tmp_path, gap=0.16)
    plan = so.Planner(cell, 0.02, method=method).plan(LEFT, RIGHT, timeout=600)
    assert certified(cell, plan, LEFT, RIGHT, clearance=0.02)
    narrow = so.Planner(cell, 0.031, method=method).plan(LEFT, RIGHT, timeout=0.2)
    assert narrow.reason == "timeout"


@pytest.mark.parametrize("method", METHODS)
def test_an_arm_among_posts(method):
    cell = pandas()
    planner = so.Planner(cell, method=method)
    plan = planner.plan(PANDA_START, PANDA_GOAL, seed=1, timeout=600)
    assert plan.solved and so.verify(cell, plan.certificate()).ok
    oracle = Oracle(cell)
    for a, b in pairwise(plan.waypoints):
        assert oracle.touches(a, b).distance == np.inf
    q = a + 0.37 * (b - a)
    assert min(oracle.witness_distance(q, *pair) for pair in cell.pairs.watched()) > 0.0


@pytest.mark.interpreted
@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_path(tmp_path, method, monkeypatch):
    """However long the slices are, and however many random numbers are drawn at once."""
    cell = gate(tmp_path)
    planner = so.Planner(cell, method=method)
    first = planner.plan(LEFT, RIGHT, seed=5, timeout=600)
    again = planner.plan(LEFT, RIGHT, seed=5, timeout=600)
    other = planner.plan(LEFT, RIGHT, seed=6, timeout=600)
    monkeypatch.setattr("standoff.plan.growing._TRIES", 1)
    monkeypatch.setattr("standoff.plan.growing._SLICE", 0.0001)
    monkeypatch.setattr("standoff.plan.growing._FEW", 7)
    monkeypatch.setattr("standoff.plan.growing._TREE_NODES", 4)
    monkeypatch.setattr("standoff.plan.growing._MILESTONES", 8)
    sliced = so.Planner(gate(tmp_path), method=method).plan(LEFT, RIGHT, seed=5, timeout=600)
    assert np.array_equal(first.waypoints, again.waypoints)
    assert np.array_equal(first.waypoints, sliced.waypoints)
    assert (first.edges, first.nodes) == (sliced.edges, sliced.nodes)
    assert not np.array_equal(first.waypoints, other.waypoints)


@pytest.mark.parametrize("method", METHODS)
def test_start_and_goal_that_are_not_free_are_named(tmp_path, method):
    cell = gate(tmp_path)
    inside = np.array([-0.3, 0.0])
    planner = so.Planner(cell, method=method)
    start = planner.plan(inside, RIGHT)
    assert start.reason == "start" and start.verdict.pair == ("s/ball", "first below")
    assert start.verdict.kind == "collision" and start.verdict.distance < 0.0
    assert "first below" in str(start)
    goal = planner.plan(LEFT, inside)
    assert goal.reason == "goal" and set(goal.verdict.pair) == {"s/ball", "first below"}
    wary = so.Planner(cell, 0.01, method=method)
    near = wary.plan(LEFT, np.array([-0.405, 0.0]))
    assert near.reason == "goal" and near.verdict.kind == "too_close"
    for plan in (start, goal):
        assert not plan.solved and plan.edges == 0
        with pytest.raises(so.errors.PlanError):
            plan.certificate()


@pytest.mark.parametrize("method", METHODS)
def test_any_of_several_goals_will_do(tmp_path, method):
    """The first one is in a wall, the second behind bars, the third can be reached."""
    cell = slider(tmp_path)
    add_wall(cell, 0.0, 0.0, 0.0)
    goals = [[0.0, 0.5], [0.8, 0.0], [-0.2, 0.9]]
    plan = so.Planner(cell, method=method).plan(LEFT, goals, timeout=600)
    assert plan.goal == 2 and certified(cell, plan, LEFT, goals[2])
    by_name = so.Planner(cell, method=method).plan(LEFT, [{"s/x": 0.0}, {"s/y": 0.9}], timeout=600)
    assert by_name.goal == 1 and np.array_equal(by_name.waypoints[-1], [-0.8, 0.9])


@pytest.mark.parametrize("method", METHODS)
def test_cancelling(tmp_path, method):
    cell = slider(tmp_path)
    add_wall(cell, 0.0, 0.0, 0.0)
    event, seen = threading.Event(), []

    def progress(now):
        seen.append(now)
        if len(seen) == 3:
            event.set()

    plan = so.Planner(cell, method=method).plan(
        LEFT, RIGHT, timeout=600, progress=progress, cancelled=event.is_set
    )
    assert plan.reason == "cancelled" and not plan.solved
    assert len(seen) == 3
    assert seen[0].nodes <= seen[1].nodes and seen[0].time < seen[2].time
    assert plan.nodes == seen[-1].nodes


@pytest.mark.parametrize("method", METHODS)
def test_two_robots_change_places(tmp_path, method):
    """One has to wait for the other; each alone would go straight."""
    cell = two_sliders(tmp_path)
    start, goal = np.array([-0.5, 0.0, 0.5, 0.0]), np.array([0.5, 0.0, -0.5, 0.0])
    plan = so.Planner(cell, method=method).plan(start, goal, seed=2, timeout=600)
    assert certified(cell, plan, start, goal)


@pytest.mark.parametrize("method", METHODS)
def test_a_subset_of_the_joints(tmp_path, method):
    cell = two_sliders(tmp_path)
    start = np.array([-0.5, 0.3, 0.5, -0.4])
    goal = np.array([0.5, 0.3, 0.5, -0.4])
    plan = so.Planner(cell, method=method).plan(start, goal, joints=["a"], timeout=600)
    assert certified(cell, plan, start, goal)
    assert (plan.waypoints[:, 2:] == start[2:]).all()
    stuck = so.Planner(cell, method=method).plan(start, goal, joints=["a/x"], timeout=0.2)
    assert stuck.reason == "timeout"
    with pytest.raises(so.errors.PlanError, match="b/x"):
        so.Planner(cell).plan(start, goal + np.array([0, 0, 0.1, 0]), joints=["a"])


@pytest.mark.interpreted
@pytest.mark.parametrize("method", METHODS)
def test_circles_are_gone_round(tmp_path, method):
    """The post stands at angle 0: from 2.5 to -2.5 the way is past half a turn."""
    cell = turner(tmp_path)
    plan = so.Planner(cell, method=method).plan([2.5], [-2.5], timeout=600)
    assert plan.solved and plan.waypoints[0, 0] == 2.5
    assert plan.waypoints[-1, 0] == pytest.approx(2 * np.pi - 2.5, abs=1e-12)
    assert plan.length == pytest.approx(2 * np.pi - 5.0)
    assert so.verify(cell, plan.certificate()).ok
    wound = so.Planner(cell, method=method).plan([2.5 + 40 * np.pi], [0.7], timeout=600)
    assert wound.solved
    turns = (wound.waypoints[-1, 0] - 0.7) / (2 * np.pi)
    assert turns == pytest.approx(20.0, abs=1e-9) and wound.length < 2.0


@pytest.mark.parametrize("method", METHODS)
def test_joints_with_limits_are_no_circles(tmp_path, method):
    """The same arm with limits beyond half a turn on both sides: there is no way round."""
    cell = turner(tmp_path, kind="revolute")
    plan = so.Planner(cell, method=method).plan([2.5], [-2.5], timeout=0.3)
    assert plan.reason == "timeout"
    on = so.Planner(cell, method=method).plan([2.5], [3.49], timeout=600)
    assert certified(cell, on, [2.5], [3.49])


@pytest.mark.parametrize("method", METHODS)
def test_a_circle_that_another_joint_follows_by_half_is_none(tmp_path, method):
    """After a turn of the one, the other has made half a turn, and points another way."""
    follower = (
        '<link name="pointer"/><joint name="half" type="continuous"><parent link="arm"/>'
        '<child link="pointer"/><axis xyz="1 0 0"/><mimic joint="turn" multiplier="0.5"/></joint>'
    )
    cell = turner(tmp_path, follower)
    plan = so.Planner(cell, method=method).plan([2.5], [-2.5], timeout=0.3)
    assert plan.reason == "timeout"
    there = so.Planner(cell, method=method).plan([2.5], [3.6], timeout=600)
    assert there.solved and there.waypoints[-1, 0] == 3.6


def test_the_cell_is_followed(tmp_path):
    cell = gate(tmp_path)
    planner = so.Planner(cell)
    assert planner.plan(LEFT, RIGHT, timeout=600).solved
    cell.add_body("crate", so.Box((0.2, 0.2, 0.2)), so.pose((0.8, 0.0, 0.0)))
    assert planner.plan(LEFT, RIGHT, timeout=600).verdict.pair == ("s/ball", "crate")


def test_moving_bodies_stand_where_the_cell_has_them(tmp_path):
    cell = gate(tmp_path)
    cell.add_body("cart", so.Box((0.2, 0.2, 0.2)), so.pose((0.8, 0.9, 0.0)), moving=True)
    for method in METHODS:
        planner = so.Planner(cell, method=method)
        assert planner.plan(LEFT, RIGHT, timeout=600).solved
        cell.set_state(poses={"cart": so.pose((0.8, 0.0, 0.0))})
        assert planner.plan(LEFT, RIGHT).reason == "goal"
        cell.set_state(poses={"cart": so.pose((0.8, 0.9, 0.0))})


def test_weights_say_what_is_near(tmp_path):
    cell = slider(tmp_path)
    plan = so.Planner(cell, weights={"s/x": 3.0}).plan(LEFT, [-0.4, 0.3])
    assert plan.length == pytest.approx(np.hypot(3 * 0.4, 0.3))


def test_limits(tmp_path):
    cell = gate(tmp_path)
    planner = so.Planner(cell)
    with pytest.raises(
        so.errors.PlanError, match=r"'s/x' is beyond its limits; got 1.1; allowed: -1 to"
    ):
        planner.plan(LEFT, [1.1, 0.0])
    with pytest.raises(so.errors.PlanError, match="start"):
        planner.plan([-1.1, 0.0], RIGHT)
    beyond = planner.plan(LEFT, [1.1, 0.0], limits=False, timeout=600)
    assert beyond.solved and np.array_equal(beyond.waypoints[-1], [1.1, 0.0])
    rounded = planner.plan([-1.0 - 1e-9, 0.0], RIGHT, timeout=600)
    assert rounded.solved and rounded.waypoints[0, 0] == -1.0 - 1e-9


def test_bad_input(tmp_path):
    cell = slider(tmp_path)
    planner = so.Planner(cell)
    for bad in ({"method": "prm"}, {"step": 0.0}, {"reach": -1}, {"weights": [1.0, 0.0]}):
        with pytest.raises(so.errors.PlanError, match=next(iter(bad))):
            so.Planner(cell, **bad)
    with pytest.raises(so.errors.PlanError, match="checker"):
        so.Planner(cell, checker=so.PathChecker(so.Cell(unwatched="allow")))
    with pytest.raises(so.errors.PathError, match="tolerance"):
        so.Planner(cell, 0.0, 0.0)
    for bad in (
        {"seed": -1}, {"seed": 1.5}, {"timeout": 0}, {"timeout": "soon"},
        {"joints": []},
    ):  # fmt: skip
        with pytest.raises(so.errors.PlanError, match=next(iter(bad))):
            planner.plan(LEFT, RIGHT, **bad)
    with pytest.raises(so.errors.PlanError, match="no goal"):
        planner.plan(LEFT, [])
    with pytest.raises(so.errors.UnknownNameError, match="s/x"):
        planner.plan(LEFT, RIGHT, joints=["s/z"])
    for goal in ([0.0], [0.0, np.nan], None, [[0.0, 0.0], [0.0]]):
        with pytest.raises(so.errors.ConfigurationError):
            planner.plan(LEFT, goal)
    for goal in ("here", {"s/q": 1.0}):
        with pytest.raises(so.errors.UnknownNameError):
            planner.plan(LEFT, goal)


def test_start_that_is_the_goal(tmp_path):
    for method in METHODS:
        plan = so.Planner(gate(tmp_path), method=method).plan(LEFT, LEFT)
        assert plan.solved and plan.length == 0.0 and len(plan.waypoints) == 2


def test_lazy_checks_no_edge_twice(tmp_path):
    """Each edge of the roadmap counts once, in however many paths it turns up, and most of them
    are never looked at."""
    cell = gate(tmp_path)
    plan = so.Planner(cell, method="sbl").plan(LEFT, RIGHT, seed=3, timeout=600)
    assert plan.solved and plan.edges < 2 * sum(plan.nodes)


def test_nodes_in_tight_places_try_short_edges(tmp_path):
    """A ball with half a centimetre to either side and no way out, a goal outside: edges of the
    start, which are hardly ever free, become short, and shorter than those of the goal."""
    cell = slider(tmp_path)
    for name, at, size in (
        ("left", (-0.9, 0.0), (0.1, 0.5)),
        ("right", (-0.69, 0.0), (0.1, 0.5)),
        ("over", (-0.8, 0.25), (0.5, 0.1)),
        ("under", (-0.8, -0.25), (0.5, 0.1)),
    ):
        cell.add_body(name, so.Box((*size, 0.4)), so.pose((*at, 0.0)))
    start = np.array([-0.795, 0.0])
    query = build_query(cell, start, RIGHT, None, np.ones(2), True)
    growing = Connect(so.PathChecker(cell), query, seed=0, step=1.0)
    end = perf_counter() + 0.5
    assert growing.run(perf_counter(), end, None, None) == "timeout"
    inside, outside = growing.trees.strides
    assert inside[0] == pytest.approx(1.0 / 16.0)
    assert outside[0] > inside[0]
    count = growing.nodes[0]
    ball, parents = growing.trees.nodes[:2, :count], growing.trees.parents[0, 1:count]
    assert (np.linalg.norm(ball[:, 1:] - ball[:, parents], axis=0) <= 1.0 + 1e-9).all()


@pytest.mark.parametrize("method", METHODS)
def test_every_segment_has_its_certificate(tmp_path, method):
    cell = gate(tmp_path)
    plan = so.Planner(cell, method=method).plan(LEFT, RIGHT, timeout=600)
    found = list(plan.certificates())
    assert len(found) == len(plan.waypoints) - 1 > 1
    for k, proof in enumerate(found):
        assert proof.times.tolist() == [k, k + 1] and (proof.proofs["piece"] == 0).all()
        assert np.array_equal(proof.coefficients[0, 0], plan.waypoints[k])
        assert so.verify(cell, proof, engine="plain").ok
    assert len(plan.certificate().times) == len(plan.waypoints)
    for bad in (-1, len(found), 0.5, True, "first"):
        with pytest.raises(so.errors.PathError, match="no such segment"):
            plan.certificate(bad)
    blocked = so.PathChecker(cell).path([LEFT, RIGHT])
    with pytest.raises(so.errors.PathError, match="not free"):
        blocked.certificate(0)


@pytest.mark.parametrize("method", METHODS)
def test_no_path_is_too_long_for_its_proof(tmp_path, method):
    """A budget that is enough for every edge is enough for all of them."""
    cell = gate(tmp_path)
    checker = so.PathChecker(cell, budget=40)
    plan = so.Planner(cell, checker=checker, method=method, step=0.05, reach=0.1).plan(
        LEFT, RIGHT, timeout=60
    )
    assert plan.solved and plan.verdict.free
    assert plan.verdict.intervals + plan.verdict.distances > checker.budget
    assert checker.path(plan.waypoints[::-1].copy()).kind in ("free", "undecided")
    assert so.verify(cell, plan.certificate(), engine="plain").ok


def test_joints_may_be_named_without_their_robot(tmp_path):
    cell = slider(tmp_path)
    assert chosen_joints(cell, ["y"]).tolist() == [1]
    assert chosen_joints(cell, ["s"]).tolist() == [0, 1]
    two = two_sliders(tmp_path)
    assert chosen_joints(two, ["b", "a/y"]).tolist() == [1, 2, 3]
    with pytest.raises(so.errors.ConfigurationError, match="several robots"):
        chosen_joints(two, ["x"])
    with pytest.raises(so.errors.UnknownNameError, match="'s'"):
        chosen_joints(cell, ["t"])
    finger = chosen_joints(pandas(), ["panda_finger_joint1"]).tolist()
    assert chosen_joints(pandas(), ["panda_finger_joint2"]).tolist() == finger


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("how", ["new bodies", "a body that drives"])
def test_a_cell_that_changes_meanwhile(tmp_path, method, how):
    """The path found in the cell as it was is not free in the cell as it is, and nothing goes on in
    tables of the one with scratch of the other."""
    cell = gate(tmp_path)
    cell.add_body("cart", so.Sphere(0.2), so.pose((0.0, 0.0, 3.0)), moving=True)

    def change():
        if how == "new bodies" and "late0" not in cell.bodies:
            for k in range(60):
                cell.add_body(f"late{k}", so.Sphere(0.2), so.pose((*LEFT, 0.0)), moving=True)
        elif how != "new bodies":
            cell.set_state(poses={"cart": so.pose((*LEFT, 0.0))})
        return False

    with pytest.raises(so.errors.PlanError, match="the cell changed"):
        so.Planner(cell, method=method).plan(LEFT, RIGHT, timeout=600, cancelled=change)


@pytest.mark.parametrize("weight", [0.0, -1.0, 1e-200, 1e300, np.inf, np.nan])
def test_weights_whose_squares_are_no_numbers(tmp_path, weight):
    with pytest.raises(so.Error, match="s/x"):
        so.Planner(slider(tmp_path), weights={"s/x": weight})


def test_input_of_the_wrong_kind(tmp_path):
    cell = slider(tmp_path)
    with pytest.raises(so.errors.PlanError, match="no such method"):
        so.Planner(cell, method=["sbl"])
    planner = so.Planner(cell)
    with pytest.raises(so.Error, match="goal"):
        planner.plan(LEFT, [[[1], [1, 2]]])
    with pytest.raises(so.errors.ConfigurationError, match="not a name"):
        planner.plan(LEFT, RIGHT, joints=[["s/x"]])


def test_a_goal_that_is_shut_in_does_not_hold_the_other_tree_back(tmp_path):
    cell = slider(tmp_path)
    for k, (x, y) in enumerate([(0.06, 0.0), (-0.06, 0.0), (0.0, 0.06), (0.0, -0.06)]):
        size = (0.01, 0.13, 0.4) if x else (0.13, 0.01, 0.4)
        cell.add_body(f"side{k}", so.Box(size), so.pose((0.8 + x, y, 0.0)))
    seen = []
    found = so.Planner(cell, clearance=0.0).plan(
        LEFT, RIGHT, timeout=600.0, progress=seen.append,
        cancelled=lambda: bool(seen) and seen[-1].edges > 30_000,
    )  # fmt: skip
    assert found.reason == "cancelled"
    # The larger tree grows where it has fewer than one node for 256 edges.
    assert 260 * max(found.nodes) > found.edges - 1000


def test_an_end_that_is_not_free_is_so_at_no_instant(tmp_path):
    cell = slider(tmp_path)
    cell.add_body("box", so.Box((0.1, 0.1, 0.4)), so.pose((0.8, 0.0, 0.0)))
    text = str(so.Planner(cell).plan(LEFT, RIGHT))
    assert text.startswith("the goal is not free: ")
    assert "s/ball and box collide: -" in text
    assert "t = " not in text


def test_a_path_passes_by_more_than_a_robot_is_off(tmp_path):
    """With a clearance of 0, shortened paths passed obstacles by hundredths of a millimetre."""
    cell = gate(tmp_path)
    planner = so.Planner(cell)
    plan = planner.plan(LEFT, RIGHT)
    certified(cell, plan, LEFT, RIGHT, 0.001)
    assert "every watched pair more than 1 mm apart" in str(plan)
    shorter = so.smooth(planner, plan.waypoints, steps=300)
    assert coal_clearance(cell, shorter.waypoints) > 0.001
    assert "never touching" in str(so.Planner(cell, 0.0).plan(LEFT, RIGHT))


def test_an_end_nearer_than_the_clearance_is_said_to_be_so(tmp_path):
    cell = slider(tmp_path)
    cell.add_body("box", so.Box((0.1, 0.1, 0.4)), so.pose((0.9004, 0.0, 0.0)))
    text = str(so.Planner(cell).plan(LEFT, RIGHT))
    assert "the goal is too close: s/ball and box are 0.4 mm apart" in text
    assert "the clearance is 1 mm and the tolerance 1 mm; a smaller" in text
    assert so.Planner(cell, 0.0).plan(LEFT, RIGHT).solved


def test_a_tube_that_cannot_be_certified_names_pair_and_deviation(tmp_path):
    cell = slider(tmp_path)
    cell.add_body("box", so.Box((0.1, 0.1, 0.4)), so.pose((0.91, 0.0, 0.0)))
    checker = so.PathChecker(cell, deviation=0.02)
    text = str(so.Planner(cell, checker=checker).plan(LEFT, RIGHT))
    assert text.startswith("the goal is not free: s/ball and box may touch: 0.01 m apart, too")
    assert "too near for a proof with this deviation" in text
