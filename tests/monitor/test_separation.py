"""The buffer from speed: its laws, the paper's and the standards' numbers, what it refuses."""

import contextlib
import dataclasses
import io
import math
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so

INCH = 0.0254
PAGE = (Path(__file__).parents[2] / "docs" / "separation.md").read_text()

laws = settings(deadline=None, max_examples=200, derandomize=True)


def amounts(most, least=0.0):
    return st.floats(least, most, allow_nan=False, allow_subnormal=False)


common = {
    "speed": amounts(10, 0.01),
    "reaction": amounts(1),
    "period": amounts(1),
    "acceleration": amounts(50),
    "moved_mass": amounts(500, 0.1),
    "load": amounts(500),
    "intrusion": amounts(1),
    "position_error": amounts(0.1),
    "other_position_error": amounts(0.1),
    "other_speed": amounts(3),
}
#: Every way to describe a stop; a share of `speed × stopping_time` keeps the last one possible.
braking = st.fixed_dictionaries({**common, "deceleration": amounts(50, 0.01)})
timed = st.fixed_dictionaries({**common, "stopping_time": amounts(2)})
measured = st.builds(
    lambda given, share: {
        **given,
        "stopping_distance": share * given["speed"] * given["stopping_time"],
    },
    timed,
    amounts(1),
)
anything = st.one_of(braking, timed, measured)


@given(anything)
@laws
def test_the_terms_add_up_to_the_total(inputs):
    s = so.separation(**inputs)
    assert math.isclose(math.fsum(s.terms().values()), s.total, rel_tol=1e-12)
    assert all(value >= 0.0 for value in s.terms().values())
    assert s.terms() == {name: getattr(s, name) for name in s.terms()}


@given(anything, amounts(1))
@laws
def test_the_coefficients_are_the_buffer_at_every_speed(inputs, share):
    s = so.separation(**inputs)
    v = share * s.speed
    c0, c1, c2 = s.coefficients
    assert s.at(v) == c0 + v * (c1 + v * c2)
    assert s.at(s.speed) == s.total
    assert min(s.coefficients) >= 0.0


@given(st.one_of(braking, timed), amounts(1))
@laws
def test_another_speed_gives_what_a_separation_of_that_speed_gives(inputs, share):
    s = so.separation(**inputs)
    slower = so.separation(**{**inputs, "speed": share * s.speed})
    assert slower.coefficients == s.coefficients
    assert s.at(slower.speed) == slower.total


@given(anything, amounts(1), amounts(1))
@laws
def test_a_faster_body_has_no_smaller_buffer(inputs, a, b):
    s = so.separation(**inputs)
    assert s.at(min(a, b) * s.speed) <= s.at(max(a, b) * s.speed)


@given(
    anything,
    st.sampled_from(
        [
            "reaction",
            "period",
            "acceleration",
            "load",
            "intrusion",
            "position_error",
            "other_position_error",
            "other_speed",
            "stopping_time",
        ]
    ),
    amounts(1, 1e-3),
)
@laws
def test_more_of_anything_never_makes_the_buffer_smaller(inputs, name, more):
    if name not in inputs:
        return
    s, t = (so.separation(**given) for given in (inputs, {**inputs, name: inputs[name] + more}))
    assert all(t.terms()[term] >= s.terms()[term] for term in s.terms())
    assert t.total >= s.total
    assert all(high >= low for high, low in zip(t.coefficients, s.coefficients))


@given(braking, st.sampled_from(["deceleration", "moved_mass"]), amounts(1, 1e-3))
@laws
def test_better_brakes_never_make_the_buffer_larger(inputs, name, more):
    s, t = (so.separation(**given) for given in (inputs, {**inputs, name: inputs[name] + more}))
    assert t.total <= s.total


@given(braking)
@laws
def test_the_way_of_a_body_followed_step_by_step_ends_within_the_buffer(inputs):
    """Both drive on for a period and the reaction, the body speeding up; then it brakes."""
    s = so.separation(**inputs)
    speed, way = inputs["speed"], 0.0
    steps = 2000
    until = inputs["period"] + inputs["reaction"]
    for _ in range(steps):
        speed += inputs["acceleration"] * until / steps
        way += speed * until / steps
    heavier = (inputs["moved_mass"] + inputs["load"]) / inputs["moved_mass"]
    time = speed * heavier / inputs["deceleration"]
    for k in range(steps):
        way += speed * (1 - (k + 0.5) / steps) * time / steps
    way += inputs["other_speed"] * (until + time)
    way += inputs["intrusion"] + inputs["position_error"] + inputs["other_position_error"]
    # A sum of upper steps is too long by at most one step of the speed gained.
    excess = inputs["acceleration"] * until * until / (2 * steps)
    assert math.isclose(way - excess, s.total, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("arrive", "decide", "stop", "inches"),
    [
        (0.000, 0.030, 0.010, 0.96),  # 40 ms
        (0.040, 0.060, 0.020, 2.88),  # 120 ms
        (0.002, 0.030, 0.010, 1.008),  # the parts as the paper names them, 42 and 130 ms
        (0.050, 0.060, 0.020, 3.12),
    ],
)
def test_the_numbers_of_paper_000(arrive, decide, stop, inches):
    """Section IV: 24 in/s for 40 to 120 ms gives 1 to 3 in."""
    s = so.separation(24 * INCH, reaction=arrive + decide, period=0.0, stopping_time=stop)
    assert s.total == pytest.approx(inches * INCH, rel=1e-12)
    assert round(s.total / INCH) in (1, 3)


def test_an_example_after_iso_ts_15066_computed_by_hand():
    s = so.separation(
        0.8,
        period=0.02,
        reaction=0.08,
        stopping_time=0.25,
        stopping_distance=0.11,
        other_speed=1.6,
        intrusion=0.12,
        position_error=0.01,
        other_position_error=0.04,
    )
    assert s.terms() == pytest.approx(
        {
            "other": 0.56,  # S_h = 1.6 (0.1 + 0.25)
            "period": 0.016,  # S_r = 0.8 × 0.1, in two parts
            "reaction": 0.064,
            "acceleration": 0.0,
            "stopping": 0.11,  # S_s
            "load": 0.0,
            "intrusion": 0.12,  # C
            "position_error": 0.01,  # Z_r
            "other_position_error": 0.04,  # Z_d
        },
        rel=1e-12,
    )
    assert s.total == pytest.approx(0.92, rel=1e-12)
    assert s.at(0.4) == pytest.approx(0.92 - 0.04 - 0.055, rel=1e-12)
    assert s.fastest == 0.8 and s.period_time == 0.02


def test_a_machine_that_stands_gives_iso_13855():
    """S = K T + C."""
    s = so.separation(
        0.0, period=0.0, reaction=0.02, stopping_time=0.28, other_speed=1.6, intrusion=0.12
    )
    assert s.total == pytest.approx(1.6 * 0.3 + 0.12, rel=1e-12)


def test_a_load_lengthens_the_stop_by_the_ratio_of_the_masses():
    stop = {"reaction": 0.05, "period": 0.01, "deceleration": 5.0, "other_speed": 1.0}
    empty = so.separation(1.0, **stop, moved_mass=20.0)
    held = so.separation(1.0, **stop, moved_mass=20.0, load=10.0)
    assert empty == so.separation(1.0, **stop)
    assert held.stopping == empty.stopping == pytest.approx(0.1)
    assert held.stopping + held.load == pytest.approx(1.5 * empty.stopping)
    assert held.other == pytest.approx(0.06 + 1.5 * 0.2)


def test_speeding_up_until_the_brakes_act():
    s = so.separation(0.0, reaction=0.15, period=0.05, deceleration=5.0, acceleration=10.0)
    # From rest to 2 m/s in 0.2 s, 0.2 m of way, and 2² / (2 × 5) to stop.
    assert s.acceleration == pytest.approx(0.2 + 0.4)
    assert s.total == pytest.approx(0.6)


def test_a_measured_stop_says_nothing_of_higher_speeds():
    given = {"reaction": 0.1, "period": 0.01}
    for stop in ({"stopping_time": 0.2}, {"stopping_distance": 0.05}):
        s = so.separation(0.5, **given, **stop)
        assert s.at(0.5) == s.total
        with pytest.raises(so.errors.MonitorError, match=r"up to 0\.5 \[m/s\]"):
            s.at(0.51)
    s = so.separation(0.5, **given, deceleration=4.0)
    assert s.fastest == math.inf
    assert s.at(2.0) == so.separation(2.0, **given, deceleration=4.0).total


NAMES = [
    ("speed", "m/s"),
    ("reaction", "s"),
    ("period", "s"),
    ("stopping_time", "s"),
    ("stopping_distance", "m"),
    ("deceleration", "m/s²"),
    ("acceleration", "m/s²"),
    ("moved_mass", "kg"),
    ("load", "kg"),
    ("intrusion", "m"),
    ("position_error", "m"),
    ("other_position_error", "m"),
    ("other_speed", "m/s"),
]


@pytest.mark.parametrize(
    "value", [-0.1, math.nan, math.inf, -math.inf, "0.1", True, [0.1], 10**400]
)
@pytest.mark.parametrize(("name", "unit"), NAMES)
def test_what_is_no_possible_number_is_named(name, unit, value):
    given = {"speed": 1.0, "reaction": 0.1, "period": 0.01}
    if name not in ("stopping_time", "stopping_distance", "deceleration"):
        given["stopping_time"] = 0.1
    with pytest.raises(so.errors.MonitorError) as caught:
        so.separation(**{**given, name: value})
    assert caught.value.element == f"separation: {name}"
    assert caught.value.value is value or caught.value.value == value
    assert caught.value.allowed.endswith(f"[{unit}]")


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, None, "fast"])
def test_at_refuses_what_is_no_speed(value):
    s = so.separation(1.0, reaction=0.1, period=0.01, deceleration=2.0)
    with pytest.raises(so.errors.MonitorError, match="speed"):
        s.at(value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "the stop is not described"),
        ({"deceleration": 2.0, "stopping_distance": 0.1}, "described twice"),
        ({"deceleration": 2.0, "stopping_time": 0.1}, "described twice"),
        ({"deceleration": 0.0}, "more than 0"),
        ({"stopping_time": 0.1, "moved_mass": 0.0}, "more than 0"),
        ({"stopping_time": 0.1, "load": 2.0}, "without the mass"),
        ({"stopping_time": 0.1, "stopping_distance": 0.11}, "farther than 1 m/s gets"),
        ({"stopping_distance": 0.1, "other_speed": 1.6}, "the time to stop is missing"),
        ({"stopping_distance": 0.1, "speed": 0.0}, "at rest"),
        ({"deceleration": 1e-320}, "endless"),
        ({"stopping_time": 1e300, "speed": 1e300}, "endless"),
        ({"stopping_time": 0.1, "reaction": 1e200, "acceleration": 1e200}, "endless"),
    ],
)
def test_what_makes_no_sense_together_is_refused(given, words):
    with pytest.raises(so.errors.MonitorError, match=words) as caught:
        so.separation(**{"speed": 1.0, "reaction": 0.1, "period": 0.01, **given})
    assert caught.value.allowed


def test_at_refuses_a_speed_that_gives_an_endless_buffer():
    s = so.separation(1.0, reaction=0.1, period=0.01, deceleration=2.0)
    with pytest.raises(so.errors.MonitorError, match="endless"):
        s.at(1e200)


def test_a_way_of_full_speed_all_along_is_possible():
    """Though its distance be one rounding above speed × stopping_time."""
    s = so.separation(
        0.3, reaction=0.0, period=0.0, stopping_time=0.7, stopping_distance=math.nextafter(0.21, 1)
    )
    assert s.total == pytest.approx(0.21)


def test_a_separation_cannot_be_changed_and_can_be_kept():
    s = so.separation(1.0, reaction=0.1, period=0.01, deceleration=2.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        s.speed = 2.0
    assert pickle.loads(pickle.dumps(s)) == s
    assert len({s, so.separation(1.0, reaction=0.1, period=0.01, deceleration=2.0)}) == 1


def test_the_table_shows_every_term_with_its_numbers():
    s = so.separation(1.0, reaction=0.1, period=0.01, deceleration=2.0, moved_mass=8.0, load=2.0)
    first, *rows, last = str(s).splitlines()
    assert first.split() == ["term", "formula", "metres"]
    assert [row.split()[0] for row in rows] == list(s.terms())
    assert [float(row.split()[-1]) for row in rows] == pytest.approx(
        list(s.terms().values()), abs=5.1e-5
    )
    assert "(1 m/s)² / (2 × 2 m/s²)" in str(s) and "2 kg / 8 kg × 0.25 m" in str(s)
    assert last.split() == ["total", "S_p", "at", "1", "m/s", f"{s.total:.4f}"]
    assert len({len(row) for row in [first, *rows, last]}) == 1


def test_the_page_prints_what_it_says():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    (text,) = re.findall(r"```text\n(.*?)```", PAGE, re.S)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == text


def test_the_page_names_every_term_and_every_input():
    s = so.separation(1.0, reaction=0.1, period=0.01, deceleration=2.0)
    for name in [*s.terms(), *(name for name, _ in NAMES)]:
        assert f"`{name}`" in PAGE, name
    assert "not a safety-rated device" in PAGE and "no risk assessment" in PAGE
