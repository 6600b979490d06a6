"""Urgency: no motion within the bounds makes contact earlier, and the best one hardly later."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.predict.kernels import nearest, time_to_contact
from standoff.predict.kernels.time_to_contact import (
    BLOCK_ROWS,
    BOUNDED,
    FREE,
    urgency_many,
)
from standoff.predict.pair_bounds import URGENCY_BLOCK
from tests.oracles.tau_as_printed import tau_paper
from tests.oracles.urgency_adversary import first_root, known_contact, nearest_by_search

SEEDED = settings(deadline=None, max_examples=150, derandomize=True)
lengths = st.floats(-5.0, 5.0)
vectors = st.tuples(lengths, lengths, lengths)


def by_coordinates(kernel):
    """A kernel of a point and its velocity, asked with their six coordinates."""
    return lambda *given: kernel(given[:3], given[3:6], *given[6:])


tau_free = by_coordinates(time_to_contact.tau_free)
tau_bounded = by_coordinates(time_to_contact.tau_bounded)
least_distance = by_coordinates(nearest.least_distance)


def state(rng, size, speed):
    return rng.normal(size=3) * size, rng.normal(size=3) * speed


def extreme(rng):
    """A state of any scale: nanometres to a million kilometres, next to contact or far, slow or
    fast, head on, tangential or receding, with hardly any acceleration or nothing but."""
    size = 10.0 ** rng.uniform(-9, 9)
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    side = np.cross(n, rng.normal(size=3))
    side /= np.linalg.norm(side)
    eps = size * rng.choice([0.0, 1e-6, 0.1, 1.0, 1e3])
    gap = size * 10.0 ** rng.choice([-12.0, -6.0, -1.0, 0.0])
    speed = size * 10.0 ** rng.uniform(-6, 6) * rng.choice([0.0, 1.0], p=[0.1, 0.9])
    heading = rng.choice([-1.0, 1.0, 0.0]) * n + rng.choice([0.0, 1e-8, 0.1, 1.0]) * side
    A = size * 10.0 ** rng.uniform(-12, 12) * rng.choice([0.0, 1.0], p=[0.1, 0.9])
    return (eps + gap) * n, speed * heading, A, eps


@pytest.mark.interpreted
def test_free_is_the_smallest_root_by_exact_arithmetic():
    rng = np.random.default_rng(0)
    for _ in range(300):
        x, v = state(rng, 3.0, 10.0 ** rng.uniform(-1, 1))
        A, eps = 10.0 ** rng.uniform(-2, 1), rng.uniform(0.0, 0.5)
        if np.linalg.norm(x) <= eps + 1e-3:
            continue
        tau = tau_free(*x, *v, A, eps)
        assert first_root(x, v, A, eps, tau) == 0
        assert first_root(x, v, A, eps, tau * (1.0 + 1e-8)) >= 1


def test_free_is_never_late_at_any_scale():
    rng = np.random.default_rng(1)
    tight = 0
    for _ in range(600):
        x, v, A, eps = extreme(rng)
        tau = tau_free(*x, *v, A, eps)
        assert tau >= 0.0
        until = tau if math.isfinite(tau) else 1e30
        assert first_root(x, v, A, eps, until) == 0, (x, v, A, eps, tau)
        if 0.0 < tau < math.inf:
            tight += first_root(x, v, A, eps, 1.01 * tau) >= 1
    assert tight > 400  # the rest is within rounding of touching


def test_free_is_reached_by_a_constant_acceleration():
    rng = np.random.default_rng(2)
    for _ in range(300):
        x, v = state(rng, 3.0, 1.0)
        A, eps = 10.0 ** rng.uniform(-1, 1), 0.3
        tau = 1.000001 * tau_free(*x, *v, A, eps)
        if tau == 0.0:
            continue
        u = x + tau * v
        a = -A * u / np.linalg.norm(u)
        assert np.linalg.norm(u + 0.5 * a * tau**2) <= eps + 1e-5 or 0.5 * A * tau**2 > (
            np.linalg.norm(u)
        )


def test_the_papers_case_with_a_speed_bound_is_too_late():
    """A quarter of a circle at full speed arrives at pi / 2, before the paper's 1.640."""
    given = (-1.0, -1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0)
    late = tau_paper(given[:3], given[3:6], *given[6:])
    assert late == pytest.approx(1.640, abs=5e-4)
    t = math.pi / 2.0
    arc = np.array([-math.cos(t), math.sin(t) - 1.0])
    assert np.abs(arc).max() < 1e-15
    tau = tau_bounded(*given)
    assert tau < t < late
    assert tau == pytest.approx(1.5698, abs=1e-4)  # cutting the corner a little beats the arc
    rng = np.random.default_rng(3)
    x, v = np.array([-1.0, -1.0]), np.array([0.0, 1.0])
    assert nearest_by_search(x, v, 1.0, 1.0, 0.0, tau, rng) > 0.0
    assert nearest_by_search(x, v, 1.0, 1.0, 0.0, 1.01 * tau, rng) < 0.005


@pytest.mark.parametrize("coasting", [True, False])
def test_bounded_is_right_where_the_answer_is_known(coasting):
    rng = np.random.default_rng(4)
    for _ in range(250):
        x, v, eps, truth = known_contact(rng, coasting)
        scale, pace = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-3, 3)
        # In other units: lengths times scale, times over pace.
        tau = tau_bounded(
            x[0] * scale, 0.0, x[1] * scale, v[0] * scale * pace, 0.0, v[1] * scale * pace,
            scale * pace**2, scale * pace, eps * scale,
        )  # fmt: skip
        assert tau * pace <= truth * (1.0 + 1e-8)
        assert tau * pace >= truth * 0.99


def test_no_motion_beats_bounded_and_the_best_comes_within_a_per_cent():
    rng = np.random.default_rng(5)
    for _ in range(12):
        A, V = 10.0 ** rng.uniform(-1, 1), 10.0 ** rng.uniform(-0.5, 0.5)
        v = rng.normal(size=2)
        v *= V * rng.uniform(0.1, 1.0) / np.linalg.norm(v)
        x = rng.normal(size=2)
        x *= rng.uniform(0.4, 3.0) * V**2 / A / np.linalg.norm(x)
        eps = 0.1 * np.linalg.norm(x)
        tau = tau_bounded(x[0], x[1], 0.0, v[0], v[1], 0.0, A, V, eps)
        ends = x + tau * v
        starts = [math.atan2(-ends[1], -ends[0]), math.atan2(-v[1], -v[0])]
        assert nearest_by_search(x, v, A, V, eps, tau, rng, starts) > -1e-9 * eps
        assert nearest_by_search(x, v, A, V, eps, 1.01 * tau, rng, starts) <= 0.0


def test_bounded_is_never_late_at_any_scale():
    """On a line the answer is a rational number: speed up to V, then go at V."""
    rng = np.random.default_rng(8)
    for _ in range(400):
        size = 10.0 ** rng.uniform(-9, 9)
        V = size * 10.0 ** rng.uniform(-6, 6)
        A = V * V / size * 10.0 ** rng.uniform(-6, 10)
        w = V * rng.choice([-1.0, -0.3, 0.0, 0.5, 0.999999, 1.0])
        eps = size * rng.choice([0.0, 1e-6, 1.0])
        d = eps + size * 10.0 ** rng.choice([-9.0, -3.0, 0.0])
        tau = tau_bounded(d, 0.0, 0.0, -w, 0.0, 0.0, A, V, eps)
        X, Y, B, C, E = (Fraction(float(c)) for c in (d, w, A, V, eps))
        full = (C - Y) / B
        left = X - E - (Y * full + B * full * full / 2)
        if left >= 0:
            assert Fraction(tau) <= full + left / C
            assert Fraction(tau) >= (full + left / C) * Fraction(1.0 - 1e-5)
        else:
            assert Y * Fraction(tau) + B * Fraction(tau) ** 2 / 2 <= X - E


def test_no_search_beats_bounded_at_odd_scales():
    """The turning radius far larger or smaller than the distance; at full speed or nearly at rest;
    head on, tangential, receding."""
    rng = np.random.default_rng(9)
    for k in range(60):
        size = 10.0 ** rng.uniform(-9, 9)
        V = size * 10.0 ** rng.uniform(-6, 6)
        A = V * V / size * 10.0 ** rng.uniform(-3, 5)
        turn = rng.choice([0.0, 1e-8, 0.1, 1.0, 2.0, 3.14])
        v = V * rng.choice([1e-9, 0.1, 0.99, 1.0]) * np.array([-math.cos(turn), math.sin(turn)])
        x = np.array([size, 0.0])
        eps = size * rng.choice([0.0, 0.5, 0.999])
        tau = tau_bounded(x[0], x[1], 0.0, v[0], v[1], 0.0, A, V, eps)
        assert 0.0 < tau < math.inf
        ends = x + tau * v
        starts = [math.atan2(-ends[1], -ends[0])]
        least = nearest_by_search(x, v, A, V, eps, tau, rng, starts, rounds=300)
        assert least > -1e-9 * size, k


def test_no_random_motion_in_space_beats_bounded():
    """Bang-bang sequences in three dimensions, all at once."""
    rng = np.random.default_rng(6)
    for _ in range(60):
        A, V = 10.0 ** rng.uniform(-1, 1), 10.0 ** rng.uniform(-0.5, 0.5)
        x, v = state(rng, V * V / A, 0.4 * V)
        v *= min(1.0, V / np.linalg.norm(v))
        eps = 0.2 * np.linalg.norm(x)
        tau = tau_bounded(*x, *v, A, V, eps)
        count, steps, switches = 300, 100, 4
        dt = tau / steps
        aims = rng.normal(size=(count, switches, 3)) - 2.0 * (x / np.linalg.norm(x)) * rng.uniform(
            0, 1, (count, 1, 1)
        )
        aims /= np.linalg.norm(aims, axis=2, keepdims=True)
        p, w = np.tile(x, (count, 1)), np.tile(v, (count, 1))
        for k in range(steps):
            new = w + A * dt * aims[:, k * switches // steps]
            new *= np.minimum(1.0, V / np.linalg.norm(new, axis=1))[:, None]
            p += 0.5 * dt * (w + new)
            w = new
            if k < steps - 1:
                assert (np.linalg.norm(p, axis=1) > eps).all()


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["free", "bounded", "paper"])
def test_not_a_number_is_urgent(kind):
    def urgent(*given):
        if kind == "free":
            return tau_free(*given[:7], given[8])
        return tau_bounded(*given) if kind == "bounded" else by_coordinates(tau_paper)(*given)

    good = [3.0, 1.0, 0.0, -1.0, 0.5, 0.0, 1.0, 2.0, 0.5]
    assert urgent(*good) > 0.0
    # What a kind does not look at cannot spoil it.
    for i in set(range(9)) - ({7} if kind == "free" else set()):
        bad = list(good)
        bad[i] = math.nan
        assert urgent(*bad) == 0.0


@pytest.mark.interpreted
def test_edges():
    still = (0.0, 0.0, 0.0)
    for tau in (lambda *a: tau_free(*a), lambda *a: tau_bounded(*a[:-1], 5.0, a[-1])):
        assert tau(1.0, 0.0, 0.0, *still, 2.0, 1.0) == 0.0  # touching
        assert tau(0.5, 0.0, 0.0, *still, 2.0, 1.0) == 0.0  # overlapping
        assert tau(0.0, 0.0, 0.0, *still, 2.0, 0.0) == 0.0  # one in the other
        assert tau(3.0, 0.0, 0.0, *still, 0.0, 1.0) == math.inf  # nobody can move
        assert tau(3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) == math.inf  # receding for ever
        assert tau(-3.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) == math.inf  # passing for ever
        assert tau(-3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) == pytest.approx(2.0, rel=1e-12)
        assert tau(3.0, 0.0, 0.0, *still, 2.0, 1.0) == pytest.approx(math.sqrt(2.0), rel=1e-12)
        assert tau(3.0, 0.0, 0.0, *still, 2.0, 1.0) <= math.sqrt(2.0)
    # 2 m at 1 m/s once it is reached, half a metre on the way to it.
    assert tau_bounded(3.0, 0.0, 0.0, *still, 1.0, 1.0, 1.0) == pytest.approx(2.5, rel=1e-12)
    assert tau_bounded(3.0, 0.0, 0.0, *still, 1.0, 0.0, 1.0) == math.inf
    # Faster than its bound: the bound is wrong, and the velocity counts.
    assert tau_bounded(-3.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 1.0, 1.0) <= 1.0


def test_overflow_and_underflow_are_urgent():
    for x, v, A in ((1e200, 0.0, 1.0), (1e10, 1e200, 1.0), (1e-170, 0.0, 1.0), (1.0, 0.0, 1e308)):
        for way in (1.0, -1.0):
            tau = tau_free(x, 0.0, 0.0, way * v, 0.0, 0.0, A, 0.0)
            assert tau <= math.sqrt(2.0 * x / A) or tau == 0.0
    assert tau_free(1.0, 0.0, 0.0, -1e-170, 0.0, 0.0, 0.0, 0.0) <= 1e170
    assert tau_free(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-320, 0.0) <= math.sqrt(2.0 / 1e-320)


@SEEDED
@given(vectors, vectors, st.floats(0.01, 10.0), st.floats(0.0, 2.0), st.floats(1.0, 3.0))
def test_laws(x, v, A, eps, more):
    speed = float(np.linalg.norm(v)) + 0.01
    free = tau_free(*x, *v, A, eps)
    bounded = tau_bounded(*x, *v, A, more * speed, eps)
    slack = 1.0 + 1e-5
    assert bounded >= free
    assert tau_bounded(*x, *v, A, math.inf, eps) == free
    assert tau_free(*(-c for c in x), *(-c for c in v), A, eps) == free
    assert tau_free(*x, *v, more * A, eps) <= slack * free
    assert tau_free(*x, *v, A, more * eps) <= slack * free
    # The search for the best turn may leave half a per cent.
    assert bounded <= 1.01 * tau_bounded(*x, *v, A, speed, eps)


@SEEDED
@given(vectors, vectors, st.floats(0.01, 10.0), st.floats(0.0, 1.0), st.floats(0.01, 10.0))
def test_the_smallest_gap_and_the_earliest_contact_say_the_same(x, v, A, eps, dt):
    speed = 1.5 * float(np.linalg.norm(v)) + 0.1
    for V in (math.inf, speed):
        least = least_distance(*x, *v, A, V, eps, dt)
        t = np.linspace(0.0, dt, 1001)
        free = np.linalg.norm(np.array(x) + t[:, None] * v, axis=1) - eps - 0.5 * A * t * t
        if math.isinf(V):
            step = (float(np.linalg.norm(v)) + A * dt) * dt / 1000
            assert least <= max(0.0, free.min())
            assert least >= free.min() - step
        tau = tau_bounded(*x, *v, A, V, eps)
        if least > 0.0:
            assert tau >= dt * (1.0 - 1e-9)
            # That much wider, contact is at the end of the interval, or where they are nearest.
            assert tau_bounded(*x, *v, A, V, eps + 0.999999 * least) >= dt * (1.0 - 1e-4)


def test_many_are_as_one():
    rng = np.random.default_rng(7)
    n = 3 * URGENCY_BLOCK + 5
    x, v = rng.normal(size=(n, 3)) * 3.0, rng.normal(size=(n, 3))
    A, V, eps = rng.uniform(0.1, 3.0, n), rng.uniform(3.0, 6.0, n), np.full(n, 0.4)
    A[::17] = 0.0
    x[5] = math.nan
    tau = np.empty(n)
    block = np.empty((BLOCK_ROWS, URGENCY_BLOCK))
    urgency_many(FREE, x, v, A, V, eps, block, tau)
    alone = np.array([tau_free(*x[i], *v[i], A[i], eps[i]) for i in range(n)])
    assert tau[5] == 0.0
    np.testing.assert_allclose(tau, alone, rtol=1e-9)
    urgency_many(BOUNDED, x, v, A, V, eps, block, tau)
    assert tau.tolist() == [tau_bounded(*x[i], *v[i], A[i], V[i], eps[i]) for i in range(n)]


def test_public_urgency_of_one_pair_and_of_many():
    assert so.predict.urgency((3, 0, 0), (0, 0, 0), 2.0, margin=1.0) == pytest.approx(
        math.sqrt(2.0)
    )
    assert so.predict.urgency((1, 0, 0), (0, 0, 0), 2.0, margin=1.0) == 0.0
    many = so.predict.urgency(np.ones((4, 5, 3)), (0, 1, 0), 1.0, [1.0, 2.0, 3.0, 4.0, 5.0])
    assert many.shape == (4, 5)
    assert (np.diff(many, axis=1) <= 0.0).all()
    assert so.predict.urgency(np.zeros((0, 3)), (0, 0, 0), 1.0).shape == (0,)
    assert so.predict.least_distance((3, 0, 0), (0, 0, 0), 2.0, 1.0) == pytest.approx(2.0)
    assert so.predict.least_distance((3, 0, 0), (0, 0, 0), 2.0, [1.0, 9.0], 1.0).shape == (2,)
    assert so.predict.least_distance((3, 0, 0), (0, 0, 0), 2.0, 9.0, margin=1.0) == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": (1, 2)}, "position: wrong shape"),
        ({"position": "here"}, "position: not numbers"),
        ({"velocity": (0, math.nan, 0)}, "velocity: not finite"),
        ({"max_acceleration": -1.0}, "max_acceleration: not a possible value"),
        ({"max_acceleration": [1.0, math.inf]}, r"max_acceleration\[1\]: not a possible value"),
        ({"max_speed": math.nan}, "max_speed: not a possible value"),
        ({"margin": -0.1}, "margin: not a possible value"),
        ({"position": np.ones((2, 3)), "margin": [1.0] * 3}, "do not fit each other"),
    ],
)
def test_what_makes_no_sense_is_refused(change, message):
    good = {"position": (3, 0, 0), "velocity": (0, 0, 0), "max_acceleration": 1.0, "max_speed": 1.0}
    with pytest.raises(so.errors.PredictError, match=message):
        so.predict.urgency(**{**good, **change})
