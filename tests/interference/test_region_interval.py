"""How far apart two bodies must be at a look, against motion that tries to break it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so

LAWS = settings(deadline=None, max_examples=120, derandomize=True)
SPEED = st.floats(0.0, 3.0)
WAY = st.floats(0.0, 0.5)


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def test_the_papers_case():
    """2d head on, and less otherwise."""
    braking = (0.2, 0.2)
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    head_on = so.interference.safe_interval(
        (1.0, 1.0), braking, interval=0.0, directions=(x, (-1.0, 0.0, 0.0))
    )
    assert head_on.threshold == pytest.approx(0.4)
    across = so.interference.safe_interval((1.0, 1.0), braking, interval=0.0, directions=(x, y))
    assert across.threshold == pytest.approx(0.2 * math.sqrt(2))
    along = so.interference.safe_interval((1.0, 1.0), braking, interval=0.0, directions=(x, x))
    assert along.threshold == pytest.approx(0.2)
    unknown = so.interference.safe_interval((1.0, 1.0), braking, interval=0.0)
    assert unknown.threshold == pytest.approx(0.4) and unknown.reach == pytest.approx(0.0)
    away = so.interference.safe_interval(
        (1.0, 0.0), braking, interval=1.0, directions=(x, None), gap_along=(-1, 0, 0)
    )
    assert away.gap == pytest.approx(0.2)  # only the way that b may brake towards a
    assert away.threshold == pytest.approx(1.4)  # of a distance, wherever it is one, all of it
    grown = so.interference.safe_interval((1.0, 1.0), braking, reach=0.3)
    assert grown.interval == pytest.approx(0.3)  # D = v T for each


@LAWS
@given(SPEED, SPEED, WAY, WAY, st.floats(0.0, 2.0), st.integers(0, 2**32 - 1))
def test_motion_within_the_bounds_never_closes_a_greater_gap(v_a, v_b, d_a, d_b, T, seed):
    rng = np.random.default_rng(seed)
    u_a, u_b = unit(rng), unit(rng)
    known = [(u_a, u_b), (u_a, None), (None, u_b), (None, None)][seed % 4]
    along = unit(rng) if seed % 3 == 0 else None
    found = so.interference.safe_interval(
        (v_a, v_b), (d_a, d_b), interval=T, directions=known, gap_along=along
    )
    assert (found.gap is None) == (along is None)
    assert found.gap is None or found.gap <= found.threshold
    assert sum(found.growth) == pytest.approx(found.threshold, rel=1e-12)
    assert found.threshold <= (v_a * T + d_a + v_b * T + d_b) * (1 + 1e-12)
    for _ in range(20):
        way_a = (u_a if known[0] is not None else unit(rng)) * rng.uniform(0, v_a * T + d_a)
        way_b = (u_b if known[1] is not None else unit(rng)) * rng.uniform(0, v_b * T + d_b)
        # By how much two points, and the gap along any direction, come nearer.
        meet = way_a - way_b
        assert np.linalg.norm(meet) <= found.threshold * (1 + 1e-9) + 1e-12
        if along is not None:
            assert meet @ along <= found.gap * (1 + 1e-9) + 1e-12


def test_bars_apart_along_a_line_collide_though_their_distance_is_the_gap():
    """A plane across the line between the centres separates two bars, and one slides past it."""
    bar, other = so.Box((2, 0.02, 0.02)), np.array([0.3, 1.0, 0.0])
    w, u = other / np.linalg.norm(other), np.array([-0.8, 0.6, 0.0])
    found = so.interference.safe_interval(
        (1.0, 0.0), interval=1.7, directions=(u, None), gap_along=w
    )
    corners = np.array(np.meshgrid([-1, 1], [-0.01, 0.01], [-0.01, 0.01])).reshape(3, -1).T
    gap = ((corners + other) @ w).min() - (corners @ w).max()
    assert 0.0 < gap <= found.gap  # the gap along the line tells that they may meet
    # and their distance, which is what trees and grown bodies see, is within the separation
    distance = so.distance(bar, so.pose(), bar, so.pose(other)).distance
    assert found.gap < distance <= found.threshold
    assert so.distance(bar, so.pose(1.65 * u), bar, so.pose(other)).distance <= 0.0
    with pytest.raises(TypeError, match="towards"):
        so.interference.safe_interval((1.0, 0.0), interval=1.7, directions=(u, None), towards=w)


@LAWS
@given(SPEED, SPEED, WAY, WAY, st.floats(0.0, 2.0), st.integers(0, 2**32 - 1))
def test_the_longest_interval_for_a_gap_needs_no_more_than_that_gap(v_a, v_b, d_a, d_b, g, seed):
    rng = np.random.default_rng(seed)
    w = unit(rng)
    how = {"directions": (unit(rng), unit(rng) if seed % 2 else None), "gap_along": w}
    found = so.interference.safe_interval((v_a, v_b), (d_a, d_b), gap=g, **how)
    braking = so.interference.safe_interval((v_a, v_b), (d_a, d_b), interval=0.0, **how).gap
    assert found.gap <= max(g, braking) * (1 + 1e-12)
    assert found.interval == 0.0 or braking <= g
    if 1e-9 < found.interval < 1e6:
        more = so.interference.safe_interval(
            (v_a, v_b), (d_a, d_b), interval=1.001 * found.interval, **how
        )
        assert more.gap >= found.gap and more.gap > g * (1 - 1e-9)


def test_who_moves_apart_along_the_gap_may_be_looked_at_never_again():
    x = np.array([1.0, 0.0, 0.0])
    found = so.interference.safe_interval(
        (1.0, 2.0), (0.1, 0.2), gap=0.0, directions=(-x, x), gap_along=x
    )
    assert found.interval == math.inf and found.gap == 0.0
    assert found.threshold == math.inf  # which no distance alone would tell
    square = so.interference.safe_interval(
        (1.0, 0.0), gap=1.0, directions=((0, 1, 0), None), gap_along=x
    )
    assert 1e12 < square.interval < math.inf and square.gap <= 1.0


@LAWS
@given(SPEED, SPEED, WAY, WAY, st.floats(0.0, 1.0), st.integers(0, 2**32 - 1))
def test_interval_and_distance_are_inverse(v_a, v_b, d_a, d_b, D, seed):
    rng = np.random.default_rng(seed)
    known = (unit(rng), unit(rng)) if seed % 2 else (None, None)
    how = {"directions": known, "gap_along": unit(rng) if seed % 3 == 0 else None}
    found = so.interference.safe_interval((v_a, v_b), (d_a, d_b), reach=D, **how)
    room = d_a + d_b + 2 * D
    assert found.interval >= 0.0 and found.threshold <= room * (1 + 1e-12)
    if found.interval == math.inf:
        return
    back = so.interference.safe_interval((v_a, v_b), (d_a, d_b), interval=found.interval, **how)
    assert back.threshold <= room * (1 + 1e-12) + 1e-12
    more = so.interference.safe_interval(
        (v_a, v_b), (d_a, d_b), interval=1.001 * found.interval + 1e-3, **how
    )
    assert more.threshold > room * (1 - 1e-9) or v_a + v_b < 1e-6


def test_bodies_farther_apart_than_the_separation_come_to_rest_without_contact():
    """Two boxes driven as fast as allowed for one interval and braked then, step by step."""
    rng = np.random.default_rng(4)
    a, b = so.Box((0.3, 0.2, 0.1)), so.Box((0.2, 0.2, 0.4))
    near = 0
    for n in range(400):
        (v_a, v_b), braking = rng.uniform(0.0, 2.0, 2), rng.uniform(0.0, 0.2, 2)
        pose_a, pose_b = so.pose(), so.pose(1.5 * unit(rng), rpy=rng.uniform(-3, 3, 3))
        start = so.distance(a, pose_a, b, pose_b)
        u_a, u_b = (unit(rng) - 0.7 * start.normal, unit(rng) + 0.7 * start.normal)
        u_a, u_b = u_a / np.linalg.norm(u_a), u_b / np.linalg.norm(u_b)
        # Of two convex bodies the gap along the line of their nearest points is the distance.
        along = -start.normal if n % 2 else None
        found = so.interference.safe_interval(
            (v_a, v_b), tuple(braking), interval=0.2, directions=(u_a, u_b), gap_along=along
        )
        least = found.threshold if found.gap is None else found.gap
        # Just out of reach, along the line between the nearest points.
        pose_b[:3, 3] -= (least * (1 + 1e-9) + 1e-12 - start.distance) * start.normal
        for t in np.linspace(0.0, 1.0, 9):
            for way_b in (t, 1.0):  # and one of them may be late
                moved = [pose_a.copy(), pose_b.copy()]
                moved[0][:3, 3] += t * (v_a * 0.2 + braking[0]) * u_a
                moved[1][:3, 3] += way_b * (v_b * 0.2 + braking[1]) * u_b
                value = so.distance(a, moved[0], b, moved[1]).distance
                assert value > 0.0
                near += value < 0.05
    assert near > 200


def test_bodies_at_rest_may_be_looked_at_never_again():
    found = so.interference.safe_interval((0.0, 0.0), reach=0.1)
    assert found.interval == math.inf and found.threshold == pytest.approx(0.2)
    assert so.interference.safe_interval((0.0, 0.0), interval=5.0).threshold == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "interval, reach, gap"),
        ({"interval": 0.1, "reach": 0.1}, "interval, reach, gap"),
        ({"gap": 0.1}, "gap_along"),
        ({"speeds": (1e308, 1e308), "interval": 10.0}, "speeds, interval: ways too long"),
        ({"speeds": (1e308, 1e308), "interval": 1.0}, "speeds, interval: ways too long"),
        ({"interval": -1.0}, "interval"),
        ({"speeds": (1.0, -1.0), "interval": 1.0}, "speeds of b"),
        ({"speeds": 3.0, "interval": 1.0}, "speeds"),
        ({"braking": (math.nan, 0.0), "interval": 1.0}, "braking of a"),
        ({"interval": 1.0, "directions": ((1, 1, 0), None)}, "direction of a"),
        ({"interval": 1.0, "directions": 4}, "directions"),
        ({"interval": 1.0, "gap_along": (0, 0, 0)}, "gap_along"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(so.errors.InterferenceError, match=message):
        so.interference.safe_interval(**{"speeds": (1.0, 1.0), **change})
