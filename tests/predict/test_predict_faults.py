"""What is wrong with the input is reported, with the body, and counts as danger."""

import numpy as np
import pytest

import standoff as so
from tests.worlds.predict_worlds import pairs_of

PERIOD = 0.01
METHODS = {
    "dua": {"schedule": so.predict.DynamicUrgency()},
    "deadlines": {"schedule": so.predict.Deadlines()},
    "horizon": {"schedule": so.predict.Deadlines(horizon=0.5)},
}

pytestmark = pytest.mark.interpreted


def four():
    """Four balls, the first two close to each other and at rest."""
    x = np.array([[0.0, 0, 0], [0.3, 0, 0], [5, 0, 0], [0, 5, 0]])
    return x, np.zeros((4, 3))


def make(how, **more):
    return so.Predictor([0.1] * 4, 1.0, period=PERIOD, **METHODS[how], **more)


def quiet(predictor, x, v, steps=3):
    for _ in range(steps):
        step = predictor.step(x, v)
        assert not step.faults and step.keeping_up
    return step


def until_fault(predictor, x, v, steps=200):
    """The faults of the first step that has one."""
    for _ in range(steps):
        step = predictor.step(x, v)
        if step.faults:
            return step
    raise AssertionError("no fault")


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["position", "velocity"])
def test_a_reading_that_is_not_finite(how, bad, where):
    predictor = make(how)
    x, v = four()
    quiet(predictor, x, v)
    (x if where == "position" else v)[1, 2] = bad
    step = until_fault(predictor, x, v)
    (fault,) = step.faults
    assert fault.kind == "missing" and fault.body == 1 and "finite" in str(fault)
    assert not step.safe and not step.keeping_up
    void = predictor.void()
    assert (void == 1).any(axis=1).all()
    if how == "horizon":  # found out when the body was to be registered anew, before its pairs
        assert len(void) or len(predictor.alarmed())
    else:
        assert (step.alarms == 1).any(axis=1).any() and step.tau.min() == 0.0


@pytest.mark.parametrize("how", METHODS)
def test_a_body_that_vanishes(how):
    predictor = make(how)
    x, v = four()
    quiet(predictor, x, v)
    step = until_fault(predictor, x[:1], v[:1])
    assert step.faults[0].kind == "missing" and step.faults[0].body == 1
    assert not step.keeping_up
    for _ in range(300):
        step = predictor.step(x[:1], v[:1])
        assert step.faults
        if any(f.body == 1 and f.value != f.value for f in step.faults):
            break
    else:
        raise AssertionError("the body itself was never looked for")


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("speed", lambda x, v: v.__setitem__((0, 0), 7.0)),
        ("acceleration", lambda x, v: v.__setitem__((0, 0), 1.5)),
        ("jump", lambda x, v: x.__setitem__((0, 1), 0.05)),
    ],
)
def test_a_body_that_breaks_its_bounds(how, kind, change):
    predictor = make(how, max_speed=2.0)
    x, v = four()
    quiet(predictor, x, v, 2)
    change(x, v)
    step = until_fault(predictor, x, v)
    (fault,) = step.faults
    assert (fault.kind, fault.body) == (kind, 0) and not step.safe
    assert "up to" in fault.allowed and fault.value > 0.0
    if kind != "speed":
        # A jump is one fault; from where it is now it may go on.
        x += 0.0 if kind == "jump" else PERIOD * v
        again = predictor.step(x, v)
        assert not again.faults and not again.keeping_up


@pytest.mark.parametrize("how", METHODS)
def test_within_its_bounds_nothing_is_a_fault(how):
    predictor = make(how, max_speed=2.0)
    x, v = four()
    a = np.zeros((4, 3))
    a[:, 2] = 1.0
    for k in range(400):
        assert not predictor.step(x, v).faults
        if k == 190:
            a = -a
        x, v = x + PERIOD * v + 0.5 * PERIOD**2 * a, v + PERIOD * a


@pytest.mark.parametrize("how", METHODS)
def test_input_that_is_none(how):
    for bad in (None, "x", [1, 2, 3], np.zeros((4, 2)), [[0, 0, "a"]], np.zeros((2, 2, 2)), {}):
        predictor = make(how)
        x, v = four()
        quiet(predictor, x, v)
        for given in ((bad, v), (x, bad)):
            step = predictor.step(*given)
            assert any(f.kind in ("input", "missing") for f in step.faults), bad
            assert not step.safe and not step.keeping_up
    more = np.zeros((5, 3))
    step = make(how).step(more, more)
    assert step.faults[0].kind == "input" and step.faults[0].body is None


class Elsewhere:
    """An array on a device that cannot be read from here."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("not here")


@pytest.mark.parametrize("how", METHODS)
def test_numbers_that_no_body_can_have(how):
    x, v = four()
    whole = x.astype(int)
    for bad in ([[10**400, 0, 0], *x[1:].tolist()], Elsewhere(), x + 5j, whole.astype("M8[s]"),
                x.astype(str)):  # fmt: skip
        predictor = make(how)
        quiet(predictor, x, v)
        step = predictor.step(bad, v)
        assert step.faults[0].kind == "input" and not step.keeping_up and not step.safe
    for time in (10**400, "later", object()):
        predictor = make(how)
        predictor.step(x, v, 0.0)
        assert predictor.step(x, v, time).faults[0].kind == "time"


def test_what_is_masked_is_missing():
    x, v = four()
    predictor = make("deadlines")
    quiet(predictor, x, v)
    masked = np.ma.masked_array(x, mask=np.eye(4, 3, dtype=bool))
    step = until_fault(predictor, masked, v)
    assert {f.kind for f in step.faults} == {"missing"} and step.faults[0].body == 0
    whole = np.ma.masked_array(x, mask=False)
    assert not make("dua").step(whole, v).faults


def test_lists_and_other_arrays_are_read():
    x, v = four()
    plain = [make("dua").step(*given) for given in (
        (x, v), (x.tolist(), v.tolist()), (np.asfortranarray(x), v.astype(np.float32))
    )]  # fmt: skip
    assert all(not step.faults for step in plain)
    assert len({str(step.alarms.tolist()) for step in plain}) == 1


@pytest.mark.parametrize("how", METHODS)
def test_a_step_that_comes_too_late_says_so(how):
    predictor = make(how)
    x, v = four()
    for k in range(4):
        assert predictor.step(x, v, time=1e6 + k * PERIOD).late == 0.0
    step = predictor.step(x, v, time=1e6 + 3 * PERIOD + 2.5)
    assert step.late == pytest.approx(2.5 - PERIOD) and not step.keeping_up and not step.safe
    void = {*map(tuple, predictor.void().tolist())}
    # At 0.1 m and 2 m/s² the two could have met in 0.3 s; those 4.8 m away could not.
    if how != "dua":
        assert (0, 1) in void and (2, 3) not in void


def test_which_pairs_a_late_step_leaves_without_a_promise():
    """With DUA: those that may touch before their next turn, and none that were alarmed."""
    rng = np.random.default_rng(2)
    x = rng.uniform(0.0, 30.0, (30, 3))
    v = np.zeros((30, 3))
    predictor = so.Predictor([0.1] * 30, 0.05, period=PERIOD, schedule=so.predict.DynamicUrgency())
    predictor.step(x, v, time=0.0)
    alarmed = {*map(tuple, predictor.alarmed().tolist())}
    assert len(predictor.void()) == 0 and len(alarmed) < 435
    late = 15.0
    step = predictor.step(x, v, time=late)
    assert not step.keeping_up
    void = {*map(tuple, predictor.void().tolist())}
    looked = {*map(tuple, predictor.alarmed().tolist())} - alarmed
    expected = set()
    for place, (a, b) in enumerate(pairs_of(predictor).tolist()):
        gap = np.linalg.norm(x[a] - x[b]) - 0.2
        first, size, turn = next(
            r for r in predictor._schedule.tables.buckets.tolist() if r[0] <= place < r[0] + r[1]
        )
        wait = (place - first - turn) % size or size
        since = late if wait == size else 0.0
        if since + np.sqrt(2 * gap / 0.1) <= late + (wait + 1) * PERIOD:
            expected.add((a, b))
    assert void == expected - alarmed - looked and void
    for _ in range(300):
        late += PERIOD
        step = predictor.step(x, v, time=late)
    assert step.keeping_up and len(predictor.void()) == 0


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize("time", [None, np.nan, 0.0, -5.0, "soon", np.inf])
def test_a_time_that_tells_nothing(how, time):
    predictor = make(how)
    x, v = four()
    for k in range(3):
        predictor.step(x, v, time=k * PERIOD)
    step = predictor.step(x, v, time=time)
    assert step.faults[0].kind == "time" and step.faults[0].body is None
    assert step.late == np.inf and not step.keeping_up
    assert len(predictor.void()) or len(predictor.alarmed()) == predictor.pairs


def test_times_where_there_were_none():
    predictor = make("dua")
    x, v = four()
    quiet(predictor, x, v)
    assert predictor.step(x, v, time=7.0).faults[0].kind == "time"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"radii": [0.1]}, "radii"),
        ({"radii": 0.1}, "radii"),
        ({"radii": [0.1, -1.0]}, "radii"),
        ({"radii": ["a", "b"]}, "radii"),
        ({"max_acceleration": -1.0}, "max_acceleration"),
        ({"max_acceleration": [1.0] * 3}, "max_acceleration"),
        ({"max_acceleration": np.nan}, "max_acceleration"),
        ({"max_speed": np.inf}, "max_speed"),
        ({"margin": -0.1}, "margin"),
        ({"period": 0.0}, "period"),
        ({"period": "short"}, "period"),
        ({"urgency": "bounded"}, "max_speed"),
        ({"urgency": "soon"}, "urgency"),
        ({"schedule": "deadlines"}, "schedule"),
        ({"schedule": so.predict.Deadlines}, "schedule"),
        ({"schedule": None}, "schedule"),
        ({"radii": [10**400, 1]}, "radii"),
        ({"max_acceleration": 10**400}, "max_acceleration"),
        ({"period": 10**400}, "period"),
        ({"period": np.array([0.1, 0.2])}, "period"),
        ({"period": 0.1, "schedule": so.predict.Deadlines(horizon=0.39)}, "horizon"),
        ({"off": [(0, 1), (1,)]}, "pairs"),
        ({"off": [(0, 10**30)]}, "pairs"),
        ({"off": [(0, 0)]}, "pairs"),
        ({"off": [(0, 2)]}, "pairs"),
        ({"off": [(0.5, 1)]}, "pairs"),
        ({"exact": 3}, "exact"),
        ({"exact": so.predict.ExactShapes([so.Sphere(0.1)])}, "shapes"),
    ],
)
def test_a_setting_that_makes_no_sense(arguments, word):
    with pytest.raises(so.errors.PredictError, match=word):
        so.Predictor(**({"radii": [0.1, 0.1], "max_acceleration": 1.0} | arguments))


@pytest.mark.parametrize(
    ("schedule", "arguments", "word"),
    [
        (so.predict.Deadlines, {"tests": 0}, "tests"),
        (so.predict.Deadlines, {"tests": 0.5}, "tests"),
        (so.predict.Deadlines, {"tests": 1.9}, "tests"),
        (so.predict.Deadlines, {"tests": 1e30}, "tests"),
        (so.predict.Deadlines, {"tests": True}, "tests"),
        (so.predict.Deadlines, {"horizon": 0.0}, "horizon"),
        (so.predict.Deadlines, {"horizon": np.nan}, "horizon"),
        (so.predict.DynamicUrgency, {"series": "many"}, "series"),
        (so.predict.DynamicUrgency, {"sort": "no"}, "sort"),
    ],
)
def test_a_setting_of_a_schedule_that_makes_no_sense(schedule, arguments, word):
    with pytest.raises(so.errors.PredictError, match=word):
        schedule(**arguments)


def test_a_horizon_shorter_than_a_round():
    x, v = four()
    with pytest.raises(so.errors.PredictError, match="horizon"):
        so.Predictor([0.1] * 4, 1.0, schedule=so.predict.Deadlines(horizon=0.02)).step(x, v)
