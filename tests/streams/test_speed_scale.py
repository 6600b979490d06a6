"""The speed scale: laws that hold for whatever pairs come."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.errors import StreamError
from standoff.streams.report import State
from standoff.streams.scale import Ramp, SpeedScale
from tests.worlds.stream_reports import cycle, hit

LAW = settings(deadline=None, max_examples=300, derandomize=True)
#: What rounding may do to a distance of some tens of centimetres, [m].
ROUNDING = 1e-12

#: Of either kind: any at all, and few that come again and again with small steps between them.
distances = st.one_of(st.floats(-0.02, 0.3), st.integers(0, 30).map(lambda k: 0.004 * k))
speeds = st.one_of(st.floats(-1.0, 1.0), st.just(math.nan))
thresholds = st.floats(0.05, 0.25)


@st.composite
def scales(draw):
    stop = draw(st.floats(0.0, 0.04))
    slow = draw(st.one_of(st.none(), st.floats(stop + 0.001, 0.3)))
    parting_stop = draw(st.floats(0.0, stop))
    parting_slow = slow
    if slow is not None:
        parting_slow = draw(st.floats(max(parting_stop + 0.0001, stop), slow))
    elif draw(st.booleans()):
        parting_slow = parting_stop + draw(st.floats(0.001, 0.2))
    return SpeedScale(
        Ramp(stop, slow), Ramp(parting_stop, parting_slow), draw(st.floats(0.0, 0.05))
    )


def step(scale, distance, threshold, closing):
    """One pair; it is no warning beyond its threshold."""
    seen = cycle() if distance > threshold else cycle(
        hit(distance, 0, 1, threshold=threshold, closing=closing)
    )  # fmt: skip
    return scale.update(State.WARNING if seen.warnings else State.SAFE, seen)


@LAW
@given(scales(), thresholds, st.lists(st.tuples(distances, speeds), min_size=1, max_size=40))
def test_it_is_0_when_stopped_1_when_clear_and_between_otherwise(scale, threshold, steps):
    for distance, closing in steps:
        value = step(scale, distance, threshold, closing)
        assert 0.0 <= value <= 1.0
        if distance <= scale.retreating.stop:
            assert value == 0.0
        if closing >= 0.0 and distance <= scale.approaching.stop:
            assert value == 0.0
        if distance > threshold:
            assert value == 1.0


@LAW
@given(scales(), thresholds, st.lists(st.tuples(distances, speeds), min_size=2, max_size=60))
def test_once_fallen_it_rises_no_sooner_than_after_the_hysteresis_distance(scale, threshold, steps):
    value, lowest = 1.0, math.inf
    ramps = (scale.approaching, scale.retreating)
    tops = [threshold if r.slow is None else min(r.slow, threshold) for r in ramps]
    room = min(top - ramp.stop for top, ramp in zip(tops, ramps))
    gap = min(scale.hysteresis, 0.5 * room)
    for distance, closing in steps:
        before, value = value, step(scale, distance, threshold, closing)
        lowest = distance if value < before else min(lowest, distance)
        if value > before and room > 0.0:  # a threshold within the stop distance has no ramp
            assert distance >= lowest + gap - ROUNDING


@LAW
@given(scales(), thresholds, st.lists(distances, min_size=2, max_size=30), speeds)
def test_nearer_is_never_faster(scale, threshold, path, closing):
    """Of two fresh scales, the one of the nearer pair is no higher; and one that falls step by
    step along ever smaller distances is where it would be at once."""
    path = sorted(path, reverse=True)
    values = []
    for distance in path:
        fresh = SpeedScale(scale.approaching, scale.retreating, scale.hysteresis)
        values.append((step(scale, distance, threshold, closing),
                       step(fresh, distance, threshold, closing)))  # fmt: skip
    for (a, fresh_a), (b, fresh_b) in itertools.pairwise(values):
        assert b <= a and fresh_b <= fresh_a
    for a, fresh in values:
        assert a == fresh


@LAW
@given(scales(), thresholds, distances, distances, speeds, speeds)
def test_one_more_pair_never_makes_it_faster(scale, threshold, d, e, v, w):
    one, two = scale, SpeedScale(scale.approaching, scale.retreating, scale.hysteresis)
    first = hit(d, 0, 1, threshold=threshold, closing=v)
    other = hit(e, 0, 2, threshold=threshold, closing=w)
    alone = one.update(State.WARNING, cycle(first))
    assert two.update(State.WARNING, cycle(first, other)) <= alone


@LAW
@given(thresholds, st.lists(st.tuples(distances, speeds), min_size=1, max_size=40))
def test_parting_pairs_are_never_slower_than_if_they_neared(threshold, steps):
    both = SpeedScale(Ramp(0.03, 0.2), Ramp(0.0, 0.1), 0.01)
    one = SpeedScale(Ramp(0.03, 0.2), None, 0.01)
    for distance, closing in steps:
        assert step(both, distance, threshold, closing) >= step(one, distance, threshold, closing)


def test_noise_about_one_distance_does_not_move_it():
    scale = SpeedScale(Ramp(0.02, 0.1), Ramp(0.0, 0.05), 0.01)
    values = {step(scale, 0.04 + 0.004 * (k % 2), 0.1, 0.1 * (-1) ** k) for k in range(100)}
    assert len(values) == 1


def test_a_pair_that_parts_gets_its_own_ramp_after_the_hysteresis():
    scale = SpeedScale(Ramp(0.05, 0.1), Ramp(0.0, 0.05), 0.01)
    assert step(scale, 0.03, 0.1, 0.2) == 0.0
    assert step(scale, 0.035, 0.1, -0.2) == 0.0
    assert step(scale, 0.04, 0.1, -0.2) == pytest.approx((0.04 - 0.01) / 0.04)
    assert step(scale, 0.04, 0.1, 0.2) == 0.0


@pytest.mark.parametrize("state", [State.STALE, State.FAULT])
def test_doubt_stops(state):
    scale = SpeedScale()
    assert scale.update(State.SAFE, cycle()) == 1.0
    assert scale.update(state, cycle()) == 0.0
    assert scale.update(State.SAFE, None) == 0.0
    assert scale.update(State.SAFE, cycle()) == 1.0


def test_an_unknown_distance_stops():
    assert step(SpeedScale(), math.nan, 0.1, 0.0) == 0.0


def test_a_threshold_within_the_stop_distance_stops():
    scale = SpeedScale(Ramp(0.05))
    assert step(scale, 0.02, 0.02, 0.1) == 0.0


def test_a_stop_that_is_not_free_stops():
    class Unproved(type(cycle())):
        stopping = object()

    assert SpeedScale().update(State.WARNING, Unproved(1, 0.0, math.inf)) == 0.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Ramp(-0.1),
        lambda: Ramp(math.nan),
        lambda: Ramp(0.1, 0.1),
        lambda: Ramp(0.1, math.inf),
        lambda: SpeedScale(hysteresis=-1.0),
        lambda: SpeedScale(Ramp(0.01), Ramp(0.02)),
        lambda: SpeedScale(Ramp(0.01, 0.05), Ramp(0.01, 0.06)),
        lambda: SpeedScale(Ramp(0.01, 0.05), Ramp(0.01)),
    ],
)
def test_distances_that_make_no_sense_are_refused(wrong):
    with pytest.raises(StreamError) as error:
        wrong()
    assert isinstance(error.value, so.Error) and "allowed" in str(error.value)
