"""Where numbers, memory and patience end: far coordinates, crowds, and what is no number."""

import numpy as np
import pytest

import standoff as so
from standoff.predict import deadlines
from standoff.predict import predictor as module

PERIOD = 0.01


@pytest.mark.parametrize("far", [0.0, 1e6, 4e6])
def test_far_from_the_origin_a_jump_of_millimetres_is_one(far):
    """It reads 0 m/s, may have 0.1, and moves at 8."""
    origin = np.array([far, far, 0.75 * far])
    predictor = so.Predictor(
        [0.1, 0.1], 1.0, 0.1, period=1e-3, schedule=so.predict.DynamicUrgency()
    )
    for k in range(4):
        x = origin + np.array([[0.0, 0, 0], [0.3 - 0.008 * k, 0, 0]])
        step = predictor.step(x, np.zeros((2, 3)), 1e-3 * k)
        assert [fault.kind for fault in step.faults] == ["jump"] * (k > 0)


def test_sums_of_many_small_steps_are_no_jumps():
    """Each is rounded, and where a step is less than a unit all are rounded the same way."""
    rng = np.random.default_rng(2)
    x, v = rng.uniform(1e6, 2e6, (40, 3)), rng.uniform(0.1, 1.0, (40, 3))
    predictor = so.Predictor([0.1] * 40, 0.0, period=1e-3, schedule=so.predict.DynamicUrgency())
    for _ in range(1500):
        assert not predictor.step(x, v).faults
        x = x + 1e-3 * v


def test_the_first_alarm_that_stands_is_new():
    """Balls around two rods overlap long before the rods are near."""
    shapes = so.predict.ExactShapes([so.Box((0.02, 0.02, 1.0))] * 2)
    predictor = so.Predictor([0.5002] * 2, 0.5, period=PERIOD, exact=shapes)
    stood, counted = [], []
    for k in range(300):
        x = np.array([[0.0, 0, 0], [1.2 - 0.005 * k, 0, 0]])
        step = predictor.step(x, np.array([[0.0, 0, 0], [-0.5, 0, 0]]), k * PERIOD)
        stood += step.true.tolist()
        counted.append((predictor.raised, predictor.ruled_out))
        if step.count:
            first = len(stood) == 1 or (stood[-1] and not any(stood[:-1]))
            assert step.new.tolist() == [first]
    assert counted[-1] == (2, 1) and (1, 1) in counted and not stood[0] and any(stood)
    assert predictor.raised + predictor.repeated == len(stood)


def test_bodies_at_one_place_are_in_many_lists():
    """A pair is found without a walk through all others of its body."""
    n = 300
    predictor = so.Predictor(
        [0.1] * n, 1.0, period=PERIOD, schedule=so.predict.Deadlines(horizon=0.3)
    )
    assert predictor.step(np.zeros((n, 3)), np.zeros((n, 3))).count == n * (n - 1) // 2
    tables = predictor._schedule.tables
    lengths = []
    for entry in tables.lists.first.tolist():
        lengths.append(0)
        while entry >= 0:
            lengths[-1] += 1
            entry = int(tables.pairs[entry].beside)
    assert sum(lengths) == predictor.pairs == n * (n - 1) // 2
    assert max(lengths) <= 24


def short_of_memory(monkeypatch, most):
    lists = deadlines._lists

    def few(rows):
        if rows > most:
            raise MemoryError
        return lists(rows)

    monkeypatch.setattr(deadlines, "_lists", few)


@pytest.mark.parametrize("start", [0, 3])
def test_without_memory_for_all_pairs_nothing_is_promised(start, monkeypatch):
    monkeypatch.setattr(deadlines, "WHEEL_SLOTS", 32)
    n = 30
    apart, v = np.zeros((n, 3)), np.zeros((n, 3))
    apart[:, 0] = 10.0 * np.arange(n)
    predictor = so.Predictor(
        [0.1] * n, 1.0, period=PERIOD, schedule=so.predict.Deadlines(horizon=0.3)
    )
    short, seen = [], False
    with monkeypatch.context() as patch:
        short_of_memory(patch, 8 * n)
        for k in range(60):
            step = predictor.step(apart if k < start else 0.0 * apart, v, k * PERIOD)
            short.append([fault.body for fault in step.faults if fault.kind == "memory"])
            assert step.count == len(step.alarms) <= 8 * n
            seen = seen or bool(step.faults)
            assert step.keeping_up == (not seen) and seen == (k >= start)
        # Those that are registered in a step find each other, until there is no room.
        first = short.index([None])
        assert short[first:] == [[None]] * (60 - first)
    kept = []
    for k in range(60, 160):
        step = predictor.step(0.0 * apart, v, k * PERIOD)
        kept.append(step.keeping_up)
    assert not any(kept[:32]) and kept[-1]
    assert len(predictor.alarmed()) == n * (n - 1) // 2


def test_without_memory_a_pair_that_is_switched_on_is_in_doubt(monkeypatch):
    x, v = np.zeros((4, 3)), np.zeros((4, 3))
    x[:, 0] = np.arange(4)
    off = [(0, 1), (2, 3)]
    predictor = so.Predictor(
        [0.1] * 4, 1.0, period=PERIOD, schedule=so.predict.Deadlines(horizon=9.0), off=off
    )
    monkeypatch.setattr(deadlines, "_FIRST_ROOM", 1)
    short_of_memory(monkeypatch, 4)
    for k in range(3):
        assert predictor.step(x, v, k * PERIOD).keeping_up and predictor.pairs == 4
    predictor.switch_on((0, 1))
    for k in range(3, 9):
        step = predictor.step(x, v, k * PERIOD)
        assert not step.keeping_up and (k > 3 or step.faults[0].kind == "memory")


def test_without_memory_for_the_alarms_they_are_counted_still(monkeypatch):
    x, v = np.zeros((3, 3)), np.zeros((3, 3))
    predictor = so.Predictor([0.1] * 3, 1.0, period=PERIOD, schedule=so.predict.DynamicUrgency())
    predictor.step(x, v)
    monkeypatch.setattr(module, "listed", lambda rows: rows[:0])
    step = predictor.step(x, v)
    assert step.count == 2 and len(step.alarms) == 0
    assert [fault.kind for fault in step.faults] == ["memory"] and not step.keeping_up


class Bad:
    """Somebody's array that cannot be read."""

    def __array__(self, *_, **__):
        raise RuntimeError("x")

    def __float__(self):
        raise RuntimeError("x")

    __iter__ = __len__ = __index__ = __float__

    def __repr__(self):
        return "Bad()"


NO_NUMBERS = (
    Bad(), 10**400, "1", b"1", None, {}, [[1.0], [1.0, 2.0]], 1j, np.array(0 + 1j), np.array("1"),
    np.ma.masked, np.ma.array(1.0, mask=True), np.ma.array([1.0, 1.0], mask=[False, True]), True,
    [None], {1.0}, float("nan"), -1.0,
)  # fmt: skip


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: repr(value)[:30])
def test_what_is_no_number_is_an_error_of_ours(value):
    x, v = (1.0, 0, 0), (0.0, 0, 0)
    calls = [
        lambda: so.predict.urgency(value, v, 1.0),
        lambda: so.predict.urgency(x, value, 1.0),
        lambda: so.predict.urgency(x, v, value),
        lambda: so.predict.urgency(x, v, 1.0, margin=value),
        lambda: so.predict.least_distance(x, v, 1.0, value),
        lambda: so.Predictor(value, 1.0),
        lambda: so.Predictor([0.1, 0.1], value),
        lambda: so.Predictor([0.1, 0.1], 1.0, margin=value),
        lambda: so.Predictor([0.1, 0.1], 1.0, period=value),
    ]
    if value is not None:
        calls += [
            lambda: so.predict.urgency(x, v, 1.0, value),
            lambda: so.predict.least_distance(x, v, 1.0, 1.0, value),
            lambda: so.Predictor([0.1, 0.1], 1.0, value),
            lambda: so.predict.Deadlines(horizon=value),
        ]
    for call in calls:
        with pytest.raises(so.Error):
            call()


def test_masked_positions_are_not_read_past_their_mask():
    masked = np.ma.array([1.0, 1.0, 1.0], mask=[False, True, False])
    for position, velocity in ((masked, (0, 0, 0)), ((1, 0, 0), masked)):
        with pytest.raises(so.errors.PredictError):
            so.predict.urgency(position, velocity, 1.0)
        with pytest.raises(so.errors.PredictError):
            so.predict.least_distance(position, velocity, 1.0, 1.0)
    assert so.predict.urgency(np.ma.array([1.0, 0, 0]), (0, 0, 0), 2.0) == pytest.approx(
        1.0, rel=0.01
    )


@pytest.mark.parametrize("value", [Bad(), {}, "now", 10**400, 1j, np.ma.masked], ids=repr)
def test_a_time_that_is_none_is_a_fault(value):
    x, v = np.array([[0.0, 0, 0], [5, 0, 0]]), np.zeros((2, 3))
    predictor = so.Predictor([0.1, 0.1], 1.0)
    for time, bad in ((value, True), (0.0, True), (0.01, False), (value, True), (0.02, False)):
        step = predictor.step(x, v, time)
        assert [fault.kind for fault in step.faults] == ["time"] * bad


@pytest.mark.parametrize("pairs", [Bad(), [Bad()], "ab", 3, [[0, 1], [2]], [[0.0, 1.0]]], ids=repr)
def test_what_are_no_pairs_is_an_error_of_ours(pairs):
    with pytest.raises(so.errors.PredictError):
        so.Predictor([0.1, 0.1, 0.1], 1.0, off=pairs)
    with pytest.raises(so.errors.PredictError):
        so.Predictor([0.1, 0.1, 0.1], 1.0).switch_off(pairs)
