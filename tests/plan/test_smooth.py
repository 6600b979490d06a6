"""The smoother: never longer, certified at any time, the same for the same seed."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from tests.worlds.plan_cells import LEFT, RIGHT, coal_clearance, gate, slider

#: Through both gaps, with needless corners.
DETOUR = np.array(
    [
        [-0.8, 0.0], [-0.9, -0.8], [-0.5, -0.2], [-0.8, 0.4], [-0.5, 0.67], [-0.1, 0.67],
        [0.0, 0.9], [0.1, -0.2], [-0.1, -0.3], [0.1, -0.67], [0.5, -0.67], [0.9, 0.9],
        [0.6, 0.1], [0.8, 0.0],
    ]
)  # fmt: skip

#: A tight string past the four corners of the gaps is 3.24 long, about: a wall reaches 0.05 from
#: its middle, and the ball, of radius 0.05, as far again.
SHORTEST, SHORT = 3.2, 3.3


def length(q):
    return np.linalg.norm(np.diff(q, axis=0), axis=1).sum()


@pytest.fixture(scope="module")
def checker(tmp_path_factory):
    return so.PathChecker(gate(tmp_path_factory.mktemp("gate")))


def test_a_detour_is_pulled_tight(checker):
    found = so.smooth(checker, DETOUR, steps=2000, seed=0)
    assert found.before == pytest.approx(length(DETOUR))
    assert found.after == pytest.approx(length(found.waypoints))
    assert SHORTEST < found.after < SHORT < 0.5 * found.before
    assert found.verdict.free and found.stopped == "steps" and found.steps == 2000
    assert so.verify(checker.cell, found.certificate()).verified
    assert coal_clearance(checker.cell, found.waypoints, 0.005) > 0.0
    assert np.array_equal(found[0], DETOUR[0]) and np.array_equal(found[-1], DETOUR[-1])


@pytest.mark.interpreted
@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=st.integers(0, 10**6), steps=st.integers(0, 120))
def test_stopped_anywhere_it_is_free_and_not_longer(checker, seed, steps):
    found = so.smooth(checker, DETOUR, steps=steps, seed=seed)
    assert found.after <= found.before and length(found.waypoints) <= length(DETOUR) + 1e-12
    assert checker.path(found.waypoints).free and found.steps == steps
    assert (found.waypoints[[0, -1]] == DETOUR[[0, -1]]).all()


def test_longer_smoothing_never_lengthens(checker):
    lengths = [so.smooth(checker, DETOUR, steps=n, seed=4).after for n in (0, 5, 20, 80, 320, 1280)]
    assert lengths[0] == pytest.approx(length(DETOUR))
    assert all(a >= b for a, b in pairwise(lengths))


@pytest.mark.interpreted
def test_the_same_seed_gives_the_same_path(checker, monkeypatch):
    first = so.smooth(checker, DETOUR, steps=300, seed=7)
    monkeypatch.setattr("standoff.plan.growing._TRIES", 1)
    monkeypatch.setattr("standoff.plan.growing._SLICE", 0.0001)
    monkeypatch.setattr("standoff.plan.growing._FEW", 5)
    monkeypatch.setattr("standoff.plan.smoother._SPARE", 2)
    sliced = so.smooth(checker, DETOUR, steps=300, seed=7)
    assert np.array_equal(first.waypoints, sliced.waypoints)
    assert first.taken == sliced.taken and first.after == sliced.after
    other = so.smooth(checker, DETOUR, steps=300, seed=8)
    assert not np.array_equal(first.waypoints, other.waypoints)


def test_stopping_early(checker):
    seen = []
    cancelled = so.smooth(
        checker, DETOUR, steps=10**9, progress=seen.append, cancelled=lambda: len(seen) > 2
    )
    assert cancelled.stopped == "cancelled" and cancelled.verdict.free
    assert seen[0].length >= seen[-1].length == pytest.approx(cancelled.after)
    timed = so.smooth(checker, DETOUR, steps=10**9, timeout=0.05)
    assert timed.stopped == "timeout" and timed.verdict.free and timed.after < timed.before
    patient = so.smooth(checker, DETOUR, steps=10**6, patience=200)
    assert patient.stopped == "patience" and patient.after < 3.6


def test_a_path_that_is_not_free_is_refused(checker):
    with pytest.raises(so.errors.PathError, match="first below"):
        so.smooth(checker, [LEFT, RIGHT])
    with pytest.raises(so.errors.PathError, match="two or more"):
        so.smooth(checker, [LEFT])
    with pytest.raises(so.errors.ConfigurationError):
        so.smooth(checker, [[0.0], [1.0]])
    for bad in ({"steps": -1}, {"seed": 0.5}, {"timeout": 0.0}, {"patience": 0}):
        with pytest.raises(so.errors.PlanError, match=next(iter(bad))):
            so.smooth(checker, DETOUR, **bad)


def test_a_straight_line_stays(checker):
    way = np.array([[-0.9, -0.9], [-0.9, 0.9]])
    found = so.smooth(checker, way, steps=200)
    assert np.array_equal(found.waypoints, way) and found.taken == 0


def test_joints_that_rest_stay_at_rest(tmp_path):
    cell = slider(tmp_path)
    cell.add_robot(tmp_path / "slider.urdf", name="b", base=so.pose((0, 3, 0)))
    way = np.array([[-0.5, 0.1], [0.0, 0.7], [0.5, -0.2], [0.1, 0.3]])
    path = np.hstack([way, np.full((4, 2), 1.0 / 3.0)])
    found = so.smooth(so.PathChecker(cell), path, steps=200)
    assert (found.waypoints[:, 2:] == 1.0 / 3.0).all() and len(found) == 2


def test_weights_choose_what_is_short(checker):
    found = so.smooth(checker, DETOUR, steps=1500, weights={"s/y": 10.0})
    way = np.diff(found.waypoints, axis=0) * (1.0, 10.0)
    assert found.after == pytest.approx(np.linalg.norm(way, axis=1).sum())


def test_it_can_be_given_as_waypoints(checker):
    found = so.smooth(checker, DETOUR, steps=100)
    assert checker.path(found).free
    assert np.asarray(found).shape == found.waypoints.shape == (len(found), 2)
    assert "shortcuts" in str(found)


def test_long_walks_shrink(tmp_path):
    """A random walk of one joint a step, as in paper 001's section 4.3."""
    cell = gate(tmp_path)
    checker = so.PathChecker(cell)
    rng = np.random.default_rng(1)
    q, walk = np.array([-0.8, 0.0]), [np.array([-0.8, 0.0])]
    while len(walk) < 3000:
        new = q.copy()
        new[rng.integers(2)] += rng.uniform(-0.1, 0.1)
        if (np.abs(new) < 0.95).all() and checker.segments(q[None], new[None], threads=1)[0]:
            q = new
            walk.append(q)
    found = so.smooth(checker, np.array(walk), steps=1500)
    assert found.verdict.free and found.after < 0.1 * found.before
    # However long it stays, and however little a check may take: what each segment takes is enough.
    spent = so.PathChecker(cell).path(walk)
    budget = (spent.intervals + spent.distances) // 3
    assert so.PathChecker(cell, budget=budget).path(walk).kind == "undecided"
    long = so.smooth(so.PathChecker(cell, budget=budget), np.array(walk), steps=0)
    assert long.verdict.free and len(long) == 3000
    one = long.certificate(len(long) - 2)
    assert so.verify(cell, one, engine="plain").verified
    assert len(next(long.certificates()).times) == 2


@pytest.mark.parametrize("how", ["a new body", "a body that drives"])
def test_a_cell_that_changes_meanwhile_leaves_no_path(tmp_path, how):
    """What holds of the cell as it was is not handed out as if it held of the cell as it is."""
    cell = gate(tmp_path)
    cell.add_body("cart", so.Sphere(0.2), so.pose((0.0, 0.0, 3.0)), moving=True)
    checker = so.PathChecker(cell)

    def change(_):
        if how == "a new body" and "late" not in cell.bodies:
            cell.add_body("late", so.Sphere(0.2), so.pose((*LEFT, 0.0)))
        elif how != "a new body":
            cell.set_state(poses={"cart": so.pose((*LEFT, 0.0))})

    with pytest.raises(so.errors.PathError, match=r"not free any more: .* collide"):
        so.smooth(checker, DETOUR, steps=500, progress=change)


def test_a_planner_will_do_for_its_checker(tmp_path):
    cell = gate(tmp_path)
    planner = so.Planner(cell, clearance=0.001)
    found = planner.plan(LEFT, RIGHT)
    shorter = so.smooth(planner, found.waypoints, steps=50)
    assert shorter.after < shorter.before
    assert planner.checker.path(shorter.waypoints).free
    with pytest.raises(so.errors.PlanError, match="a PathChecker or a Planner"):
        so.smooth(cell, found.waypoints)


def test_a_plan_goes_wherever_waypoints_go(checker):
    """Bit for bit as its waypoints do; one that is not solved says so everywhere."""
    planner = so.Planner(checker.cell, checker=checker)
    plan = planner.plan(LEFT, RIGHT, seed=2)
    assert plan and len(plan) > 2 and np.array_equal(plan, plan.waypoints)
    assert np.array_equal(plan[0], LEFT) and [*map(tuple, plan)][-1] == tuple(RIGHT)
    assert checker.path(plan).free and checker.segments(plan).tolist() == [True] * (len(plan) - 1)
    curve = so.paths.as_pieces(checker.cell, plan)
    assert np.array_equal(curve.times, np.arange(float(len(plan))))
    assert np.array_equal(curve.at(1.0), plan[1]) and checker.curve(plan).free
    assert np.array_equal(so.paths.unwrap(checker.cell, plan), plan.waypoints)
    shorter = so.smooth(planner, plan, steps=50)
    assert np.array_equal(shorter, so.smooth(checker, plan.waypoints, steps=50))
    assert checker.path(shorter).free and checker.curve(shorter).free
    assert checker.segments(DETOUR[[0, -1, 0]]).tolist() == [False, False]

    none = planner.plan(LEFT, RIGHT, cancelled=lambda: True)
    assert not none and none.reason == "cancelled"
    for take in (
        checker.path, checker.segments, checker.curve, lambda p: so.smooth(planner, p),
        lambda p: so.paths.unwrap(checker.cell, p), so.paths.Pieces.path,
    ):  # fmt: skip
        with pytest.raises(so.errors.PlanError, match=r"no path; got 'cancelled'; allowed: a plan"):
            take(none)
