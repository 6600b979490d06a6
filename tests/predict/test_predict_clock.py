"""Clocks that are set, that run for long, and whose stamps are rounded."""

import numpy as np
import pytest

import standoff as so
from standoff.predict import predictor as module
from tests.predict import test_predict_never_late as never_late
from tests.predict import test_predict_never_silent as never_silent

EPOCH = 1.7e9
WAYS = {
    "dua": {"schedule": so.predict.DynamicUrgency()},
    "deadlines": {"schedule": so.predict.Deadlines()},
    "few tests": {"schedule": so.predict.Deadlines(tests=1)},
    "horizon": {"schedule": so.predict.Deadlines(horizon=0.5)},
}
ways = pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)


@ways
def test_a_clock_that_is_set_after_the_first_step_goes_on(how):
    """1.7e12 periods are more than deadlines are counted in."""
    dt = 2.0**-10
    x, v = np.array([[0.0, 0, 0], [2, 0, 0]]), np.array([[1.0, 0, 0], [-1, 0, 0]])
    predictor = so.Predictor([0.1, 0.1], 1.0, 2.0, period=1e-3, **how)
    predictor.step(x, v, 0.0)
    for k in range(int(0.9 / dt)):
        step = predictor.step(x + k * dt * v, v, EPOCH + k * dt)
        assert not step.faults and bool(step.late) == (k == 0) and step.keeping_up == (k > 0)
        if step.count:
            return
    raise AssertionError("they touched, and nobody had said so")


def test_a_late_step_after_that_has_void_pairs():
    n = 60
    x, v = np.zeros((n, 3)), np.zeros((n, 3))
    x[:, 0] = 100.0 * np.arange(n)
    predictor = so.Predictor(
        [0.1] * n, 1.0, 30.0, period=1e-3, schedule=so.predict.DynamicUrgency()
    )
    predictor.step(x, v, 0.0)
    for k in range(10):
        predictor.step(x, v, EPOCH + k * 2.0**-10)
    assert predictor.step(x, v, EPOCH + 60.0).late > 59.0
    assert len(predictor.void()) > 1000
    assert not predictor.step(x, v, EPOCH + 60.0 + 2.0**-10).keeping_up


@ways
@pytest.mark.parametrize("first", [0.0, EPOCH, -EPOCH])
def test_rounded_stamps_are_neither_late_nor_faults(how, first):
    """Decimals of today's time are 0.2 µs apart. Bodies that move straight on, and one that
    accelerates as much as it may, leave no room for that but what is counted on."""
    rng = np.random.default_rng(5)
    x, v = rng.uniform(-50.0, 50.0, (12, 3)), rng.normal(size=(12, 3))
    most = np.zeros(12)
    most[0], a = 1.0, np.zeros((12, 3))
    a[0] = v[0] / np.linalg.norm(v[0])
    predictor = so.Predictor([0.01] * 12, most, period=0.01, **how)
    predictor.step(x, v, first)
    for k in range(600):
        x, v = x + 0.01 * v + 0.5e-4 * a, v + 0.01 * a
        step = predictor.step(x, v, EPOCH + 0.01 * (k + 1))
        # Where the clock is set, they are not where they would have got since.
        assert (k == 0 and first != EPOCH) or not (step.faults or step.late)


def test_a_clock_set_back_is_as_sharp_as_one_that_was_never_ahead():
    x, v = np.array([[0.0, 0, 0], [5, 0, 0]]), np.zeros((2, 3))
    predictor = so.Predictor([0.1, 0.1], 1.0, period=1e-4, schedule=so.predict.DynamicUrgency())
    predictor.step(x, v, 1e30)
    assert predictor.step(x, v, 0.0).faults
    late = [predictor.step(x, v, t).late for t in (1e-4, 2e-4, 3.1e-4, 4.1e-4)]
    assert [one > 0.0 for one in late] == [False, False, True, False]


@pytest.mark.parametrize("periods", [3.0, 37.0])
@pytest.mark.parametrize("name", never_late.WAYS)
def test_no_contact_is_late_where_the_clock_begins_anew(name, periods, monkeypatch):
    monkeypatch.setattr(module, "CLOCK_PERIODS", periods)
    contacts = 0
    for n in (2, 5, 12):
        for timed in (False, True):
            way = never_late.WAYS[name]
            contacts += never_late.watch(4, n, way, steps=150, hostile=True, timed=timed)[0]
    assert contacts > 10


@pytest.mark.parametrize("exact", [False, True], ids=["", "exact"])
@pytest.mark.parametrize("name", never_silent.WAYS)
def test_nor_silent(name, exact, monkeypatch):
    monkeypatch.setattr(module, "CLOCK_PERIODS", 19.0)
    for n in (2, 5, 8):
        never_silent.run(11, n, never_silent.WAYS[name], steps=250, exact=exact)


@ways
def test_what_was_alarmed_before_the_clock_began_anew_is_a_repetition(how, monkeypatch):
    monkeypatch.setattr(module, "CLOCK_PERIODS", 5.0)
    x, v = np.array([[0.0, 0, 0], [0.2, 0, 0], [9, 0, 0]]), np.zeros((3, 3))
    predictor = so.Predictor([0.1] * 3, 1e-6, 1e-6, period=0.01, **how)
    for k in range(30):
        assert predictor.step(x, v, 0.01 * k).keeping_up
    assert (predictor.raised, predictor.repeated) == (1, 29)


@ways
def test_a_jump_is_a_fault_even_in_the_step_that_begins_the_clock_anew(how, monkeypatch):
    monkeypatch.setattr(module, "CLOCK_PERIODS", 5.0)
    x, v = np.array([[0.0, 0, 0], [5, 0, 0]]), np.zeros((2, 3))
    predictor = so.Predictor([0.1, 0.1], 0.1, period=0.01, **how)
    for k in range(6):
        if k == 5:
            x[1, 0] = 4.0
        step = predictor.step(x, v)
    assert [(f.kind, f.body) for f in step.faults] == [("jump", 1)] and not step.keeping_up
