"""What once went wrong: contacts that nobody had announced, and doubts that were forgotten."""

import numpy as np
import pytest

import standoff as so

PERIOD = 0.01


def crowd(n=12, size=0.3):
    """A pair that closes in at 1 m/s far away from a crowd that takes all tests there are."""
    x = np.zeros((n, 3))
    x[2:] = np.random.default_rng(0).uniform(0.0, size, (n - 2, 3))
    x[0], x[1] = (0.0, -50.0, 0.0), (4.0, -50.0, 0.0)
    v = np.zeros((n, 3))
    v[1, 0] = -1.0
    return x, v


@pytest.mark.parametrize(
    "more", [{"tests": 1}, {"tests": 3}, {"tests": 3, "horizon": 5.0}], ids=str
)
def test_a_pair_that_fell_due_while_it_was_off_is_alarmed_when_it_is_on(more):
    x, v = crowd()
    predictor = so.Predictor([0.05] * 12, 1.0, period=PERIOD, schedule=so.predict.Deadlines(**more))
    predictor.step(x, v, 0.0)
    for k in range(1, 390):
        if k == 20:
            predictor.switch_off((0, 1))
        if k == 250:
            predictor.switch_on((0, 1))
        x = x + PERIOD * v
        step = predictor.step(x, v, k * PERIOD)
        alarmed = [0, 1] in step.alarms.tolist()
        assert step.keeping_up and not (alarmed and 20 <= k < 250)
        if alarmed and k >= 250:
            return
    raise AssertionError("they touched, and nobody had said so")


def test_a_pair_switched_off_while_it_waits_is_alarmed_or_looked_at_when_it_is_on():
    x, v = crowd()
    v[1] = 0.0
    predictor = so.Predictor(
        [0.05] * 12, 1.0, period=PERIOD, schedule=so.predict.Deadlines(tests=1)
    )
    k = 0
    while [0, 1] not in predictor.alarmed().tolist():
        predictor.step(x, v, k * PERIOD)
        k += 1
    predictor.switch_off((0, 1))
    assert [0, 1] not in predictor.alarmed().tolist()
    predictor.step(x, v, k * PERIOD)
    predictor.switch_on((0, 1))
    alarmed = [0, 1] in predictor.step(x, v, (k + 1) * PERIOD).alarms.tolist()
    assert alarmed or predictor._schedule.tables.pairs[0].seen == k + 1  # that step looked at it


def test_an_alarm_without_a_test_cannot_be_ruled_out():
    """For how long would it have to be? The next look may be far."""
    x, v = crowd(size=0.02)
    shapes = so.predict.ExactShapes([so.Sphere(0.05)] * 12)
    predictor = so.Predictor(
        [0.05] * 12, 1.0, period=PERIOD, schedule=so.predict.Deadlines(tests=3), exact=shapes
    )
    stands = False
    for k in range(390):
        step = predictor.step(x, v, k * PERIOD)
        for (a, b), true, until in zip(step.alarms.tolist(), step.true, step.until):
            assert true or until < np.inf
            if (a, b) == (0, 1):
                stands = bool(true)
        x = x + PERIOD * v
    assert stands


def test_a_custom_stage_cannot_rule_it_out_either():
    class Never:
        def check(self, *_):
            pass

        def judge(self, step, *_):
            return np.zeros(step.count, dtype=bool)

    x, v = crowd()
    predictor = so.Predictor(
        [0.05] * 12, 1.0, period=PERIOD, schedule=so.predict.Deadlines(tests=2), exact=Never()
    )
    endless = 0
    for k in range(50):
        step = predictor.step(x, v, k * PERIOD)
        assert (step.true == (step.until == np.inf)).all()
        endless += int((step.until == np.inf).sum())
        x = x + PERIOD * v
    assert endless


def test_nobody_waits_for_ever():
    """However many pairs are due in every step, those that are overdue have their turns."""
    x, v = crowd(size=0.02)
    v[1] = 0.0
    predictor = so.Predictor(
        [0.05] * 12, 1.0, period=PERIOD, schedule=so.predict.Deadlines(tests=3)
    )
    for k in range(1500):
        predictor.step(x, v, k * PERIOD)
    assert predictor._schedule.tables.pairs.seen.min() > 500


def test_asking_for_void_pairs_forgets_none_that_wait_for_a_turn():
    n = 60
    every = [(a, b) for a in range(n) for b in range(a + 1, n)]
    x, v = np.zeros((n, 3)), np.zeros((n, 3))
    x[:, 0] = 1000.0 * np.arange(n)
    predictor = so.Predictor(
        [0.1] * n, 0.001, period=PERIOD, off=every, schedule=so.predict.DynamicUrgency()
    )
    for _ in range(3):
        predictor.step(x, v)
    predictor.switch_on(every)
    kept = []
    for k in range(29):
        left = {*every[64 * k :]}
        assert left <= {*map(tuple, predictor.void().tolist())}
        kept.append(predictor.step(x, v).keeping_up)
    assert kept == [False] * 27 + [True] * 2  # 1,770 pairs, 64 in a step
    assert len(predictor.void()) == 0


@pytest.mark.parametrize("more", [{}, {"horizon": 3000.0}], ids=str)
@pytest.mark.parametrize("ask", [False, True])
def test_a_doubt_is_counted_in_time_and_not_in_steps(more, ask):
    """The wheel counts periods; twenty steps to each of them do not make it turn faster."""
    x = np.array([[0.0, 0, 0], [0.21, 0, 0], [500, 0, 0]])
    v = np.zeros((3, 3))
    predictor = so.Predictor(
        [0.1] * 3, 1.0, 1.0, period=PERIOD, schedule=so.predict.Deadlines(**more)
    )
    kept = []
    for k in range(6000):
        step = predictor.step(x, v, k * PERIOD / 20)
        kept.append(step.keeping_up)
        if ask and not step.keeping_up:
            predictor.void()
        assert [0, 2] not in step.alarms.tolist()
        if k == 100:
            x[0, 0] = 499.0
    first = kept.index(False)
    assert first < 150 and not any(kept[first:])


@pytest.mark.parametrize("share", [1, 20])
def test_a_clock_set_back_leaves_doubt_until_all_was_looked_at(share):
    real, clock, dt = 0.0, 100.0, PERIOD / share
    v = np.array([[0.0, 0, 0], [-1, 0, 0]])
    predictor = so.Predictor([0.1, 0.1], 0.0, 1.0, period=PERIOD)
    while real < 10.0:
        step = predictor.step(np.array([[0.0, 0, 0], [10.2 - real, 0, 0]]), v, clock)
        if step.count:
            return
        assert step.keeping_up == (real <= 1.0 + dt)
        if 1.0 <= real < 5.0:
            real, clock = real + 5.0, 50.0
        else:
            real, clock = real + dt, clock + dt
    assert not step.keeping_up


def far_apart(n=400):
    x, v = np.zeros((n, 3)), np.zeros((n, 3))
    x[:, 0] = 10.0 * np.arange(n)
    return x, v


@pytest.mark.parametrize("jumps", [5, 20, 50])
def test_a_jumped_body_is_registered_where_it_is(jumps):
    """It meets bodies that the horizon had left out."""
    x, v = far_apart()
    x[1], x[200] = (0.205, 0, 0), (-500.0, 0, 0)
    predictor = so.Predictor(
        [0.1] * 400, 1.0, 1.0, period=PERIOD, schedule=so.predict.Deadlines(horizon=4.0)
    )
    for k in range(jumps + 60):
        step = predictor.step(x, v, k * PERIOD)
        if not step.keeping_up:
            predictor.void()
        if [0, 200] in step.alarms.tolist():
            assert step.faults and k > jumps
            return
        if k == jumps:
            x[0] = (-500.6, 0, 0)
    raise AssertionError("nobody looked around it")


def test_a_horizon_promises_nothing_while_a_body_is_out_of_sight():
    x, v = far_apart()
    x[:, 1] = 100.0
    x[0], x[1] = (0.0, 0, 0), (6.0, 0, 0)
    v[0, 0] = 1.0
    predictor = so.Predictor(
        [0.1] * 400, 1.0, 1.0, period=PERIOD, schedule=so.predict.Deadlines(horizon=2.0)
    )
    kept = True
    for k in range(581):
        seen = x.copy()
        if 5 <= k < 560:
            seen[0] = np.nan
        step = predictor.step(seen, v, k * PERIOD)
        kept = step.keeping_up
        if not kept:
            predictor.void()
        if [0, 1] in step.alarms.tolist():
            break
        x = x + PERIOD * v
    assert not kept


def test_a_horizon_without_a_fault_has_no_void_pairs():
    x = np.array([[0.0, 0, 0], [0.5, 0, 0], [50, 0, 0]])
    v = np.zeros((3, 3))
    predictor = so.Predictor(
        [0.1] * 3, 0.1, 1.0, period=PERIOD, schedule=so.predict.Deadlines(horizon=2.0)
    )
    for k in range(10):
        assert predictor.step(x, v, k * PERIOD).keeping_up and len(predictor.void()) == 0


@pytest.mark.parametrize("how", [so.predict.DynamicUrgency(), so.predict.Deadlines()], ids=str)
def test_a_fault_of_all_bodies_is_one_of_all_pairs(how):
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    cell.add_body("post", so.Box((0.1, 0.1, 0.5)), so.pose((0.6, 0.0, 0.4)))
    predictor = so.Predictor.from_cell(cell, 1.0, period=1e-4, max_joint_speed=0.1, schedule=how)
    q, dq = np.zeros(len(cell.joints)), np.zeros(len(cell.joints))
    for k in range(3):
        predictor.step_cell(q, dq, k * 1e-4)
    dq[0] = 0.11
    step = predictor.step_cell(q, dq, 3e-4)
    assert step.faults[0].body is None and not step.keeping_up
    alarmed = {*map(tuple, predictor.alarmed().tolist())}
    off = {*map(tuple, predictor.spheres.off.tolist())}
    void = {*map(tuple, predictor.void().tolist())}
    assert void and len(void | alarmed | off) == predictor.pairs
    dq[0] = 0.0
    assert not predictor.step_cell(q, dq, 4e-4).keeping_up


def test_all_alarms_of_all_steps_are_listed():
    n = 1500
    x, v = np.random.default_rng(0).uniform(0.0, 1.0, (n, 3)), np.zeros((n, 3))
    predictor = so.Predictor([0.01] * n, 100.0, period=0.1)
    for k in range(2):
        step = predictor.step(x, v, 0.1 * k)
        assert step.count == len(step.alarms) == n * (n - 1) // 2 > 1 << 20
    step = predictor.step(x, v, 100.0)
    assert not step.keeping_up and len(step.alarms) == step.count


def test_all_void_pairs_are_listed():
    n = 500
    x, v = np.zeros((n, 3)), np.zeros((n, 3))
    x[:, 0] = np.arange(n)
    predictor = so.Predictor([0.01] * n, 1.0, period=PERIOD)
    predictor.step(x, v, 0.0)
    predictor.step(x, v, 1e4)
    assert len(predictor.void()) == n * (n - 1) // 2 > 1 << 16


def test_steps_in_time_keep_up_whatever_their_rhythm():
    rng = np.random.default_rng(0)
    x, v = rng.uniform(0.0, 1.5, (30, 3)), 0.1 * rng.normal(size=(30, 3))
    shapes = so.predict.ExactShapes([so.Sphere(0.05)] * 30)
    predictor = so.Predictor([0.05] * 30, 0.5, period=PERIOD, exact=shapes)
    now = 0.0
    for _ in range(300):
        step = predictor.step(x, v, now)
        assert step.keeping_up and not step.late
        dt = PERIOD * rng.uniform(0.2, 1.0)
        x, now = x + dt * v, now + dt


def test_what_was_ruled_out_before_a_fault_is_void_after_it():
    """The exact stage rules an alarm out until the next turn, as far as bounds hold."""
    rng = np.random.default_rng(3)
    n = 30
    x, v = rng.uniform(0.0, 1.5, (n, 3)), np.zeros((n, 3))
    shapes = so.predict.ExactShapes([so.Sphere(0.001)] * n)
    predictor = so.Predictor(
        [0.1] * n, 0.01, period=PERIOD, exact=shapes, schedule=so.predict.DynamicUrgency()
    )
    step = predictor.step(x, v)
    out = {tuple(pair) for pair, true in zip(step.alarms.tolist(), step.true) if not true}
    assert out
    x[0, 0] += 1.0
    while not step.faults:
        step = predictor.step(x, v)
    again = {*map(tuple, step.alarms.tolist())}
    void = {*map(tuple, predictor.void().tolist())}
    assert {pair for pair in out if 0 in pair} - again <= void | again
    assert all(0 in pair for pair in void)


def test_a_pair_that_was_off_during_a_fault_is_in_doubt_when_it_is_on():
    """It still has the slot of its last look, which was before the clock was set back."""
    v = np.zeros((2, 3))
    predictor = so.Predictor([0.1, 0.1], 1.0, 1.0, period=PERIOD)
    x = np.array([[0.0, 0, 0], [20.0, 0, 0]])
    predictor.step(x, v, 100.0)
    predictor.switch_off((0, 1))
    assert predictor.step(x, v, 50.0).faults
    assert len(predictor.void()) == 0
    predictor.step(x, v, 50.0 + PERIOD)
    predictor.switch_on((0, 1))
    x[1, 0] = 0.25  # meanwhile, nobody knows for how long
    step = predictor.step(x, v, 50.0 + 2 * PERIOD)
    assert not step.keeping_up and predictor.void().tolist() == [[0, 1]]


def test_the_period_can_be_read_and_not_set():
    predictor = so.Predictor([0.1, 0.1], 1.0, period=PERIOD, schedule=so.predict.DynamicUrgency())
    assert predictor.period == PERIOD
    with pytest.raises(AttributeError):
        predictor.period = 1.0


def test_a_horizon_of_four_periods_is_long_enough():
    x, v = far_apart(5)
    predictor = so.Predictor(
        [0.1] * 5, 1.0, period=0.02, schedule=so.predict.Deadlines(horizon=0.08)
    )
    assert all(predictor.step(x, v, 0.02 * k).keeping_up for k in range(50))
    with pytest.raises(so.errors.PredictError, match="four periods"):
        so.Predictor([0.1] * 5, 1.0, period=0.02, schedule=so.predict.Deadlines(horizon=0.0799))


def test_lengths_too_large_to_be_squared_are_no_reason_for_calm():
    for x, v in (
        (5e154, -1e154),
        (2e154, -1e153),
        (1.4e154, -1.0),
        (1e200, -1e200),
        (1e139, -1e130),
    ):
        state = (x, 0, 0), (v, 0, 0)
        assert so.predict.urgency(*state, 0.0) <= -x / v
        assert so.predict.urgency(*state, 1.0, -2 * v) <= -x / v
        assert so.predict.least_distance(*state, 0.0, -2 * x / v) == 0.0
