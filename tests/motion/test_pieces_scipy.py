"""SciPy's piecewise polynomials and B-splines, held against exact rational arithmetic."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import interpolate

import standoff as so
from standoff.motion.splines import read_spline
from standoff.tolerances import EPS
from tests.oracles.exact_curves import (
    b_spline,
    bernstein_curve,
    horner,
    instants,
    polynomial,
    power_curve,
    when,
)

LAWS = settings(deadline=None, max_examples=60, derandomize=True)
SEEDS = st.integers(0, 2**32 - 1)
JOINTS = 7


@pytest.fixture(scope="module")
def cell():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    return cell


def breakpoints(rng, n):
    """Lengths from 1 µs to 1000 s side by side, with an offset that costs digits."""
    return np.cumsum(10.0 ** rng.uniform(-6, 3, n + 1)) + rng.choice([0.0, -1e3, 1e5])


def joined(rng, n, degree, x=None, joints=JOINTS):
    """Coefficients of a PPoly whose pieces meet but for rounding; sizes differ by powers of ten."""
    c = rng.normal(size=(degree + 1, n, joints)) * 10.0 ** rng.uniform(-3, 1, (degree + 1, n, 1))
    if x is not None:
        c /= np.diff(x)[:, None] ** np.arange(degree, -1, -1)[:, None, None]
    return c


def exactly_within(motion, truth, rng):
    """Holds both the polynomials and their evaluation in float64 to the rounding; gives the largest
    part of it that was used up."""
    used = 0.0
    for k in range(len(motion)):
        for u in instants(rng, 2):
            t = when(motion.times, k, u)
            for j in rng.choice(JOINTS, 2, replace=False):
                value = truth(k, j, t)
                c, allowed = motion.coefficients[k, :, j], Fraction(float(motion.rounding[k, j]))
                for mine in (polynomial(c, Fraction(u)), horner(c, u)):
                    assert abs(mine - value) <= allowed, (k, j, u)
                    used = max(used, float(abs(mine - value) / allowed))
    return used


@LAWS
@given(SEEDS)
def test_powers_are_exact_within_their_rounding(cell, seed):
    """One piece at a time, as pieces of random polynomials would not meet."""
    rng = np.random.default_rng(seed)
    degree, x = int(rng.integers(0, 6)), breakpoints(rng, 1)
    c = joined(rng, 1, degree, x)
    motion = so.paths.as_pieces(cell, interpolate.PPoly(c, x))
    exactly_within(motion, lambda k, j, t: power_curve(c, x, k, j, t), rng)
    assert (motion.rounding <= 20 * EPS * np.abs(motion.coefficients).sum(axis=1) + 1e-299).all()


@LAWS
@given(SEEDS)
def test_bernstein_polynomials_are_exact_within_their_rounding(cell, seed):
    rng = np.random.default_rng(seed)
    degree, x = int(rng.integers(0, 6)), breakpoints(rng, 2)
    c = joined(rng, 2, degree)
    c[0, 1] = c[-1, 0]
    motion = so.paths.as_pieces(cell, interpolate.BPoly(c, x))
    exactly_within(motion, lambda k, j, t: bernstein_curve(c, x, k, j, t), rng)


@LAWS
@given(SEEDS)
def test_b_splines_are_exact_within_their_rounding(cell, seed):
    """Clamped or not, knots repeated up to the degree, spans from 1 µs to 1000 s."""
    rng = np.random.default_rng(seed)
    degree = int(rng.integers(1, 6))
    inner = np.repeat(breakpoints(rng, 3), rng.integers(1, degree + 1, 4))
    ends = degree + 1 if rng.random() < 0.5 else 1
    t = np.concatenate([[inner[0] - 1.0] * ends, inner, [inner[-1] + 1.0] * ends])
    t = np.concatenate([t, t[-1] + np.cumsum(rng.random(max(0, 2 * degree + 2 - len(t))))])
    n = len(t) - degree - 1
    c = rng.normal(size=(n, JOINTS)) * 10.0 ** rng.uniform(-3, 3)
    spans = [i for i in range(degree, n) if t[i] < t[i + 1]]
    if not spans:
        return
    motion = so.paths.as_pieces(cell, interpolate.BSpline(t, c, degree))
    np.testing.assert_array_equal(motion.times, [*t[spans], t[n]])
    exactly_within(motion, lambda k, j, x: b_spline(t, c, degree, spans[k], j, x), rng)
    assert motion.rounding.max() <= 5000 * EPS * np.abs(c).max()


@LAWS
@given(SEEDS)
def test_the_conversion_alone_keeps_its_own_bound(seed):
    """Before the rounding of evaluation is added, which would hide much."""
    rng = np.random.default_rng(seed)
    x = breakpoints(rng, 6)
    degree = int(rng.integers(1, 6))
    n = len(x) - degree - 1
    c = rng.normal(size=(6, 1, 1)) * 10.0 ** rng.uniform(-3, 3) + rng.choice([0.0, 1e3])
    cases = [
        (
            interpolate.PPoly(c[: degree + 1], x[:2]),
            lambda t: power_curve(c[: degree + 1], x, 0, 0, t),
        ),
        (interpolate.BPoly(c, x[:2]), lambda t: bernstein_curve(c, x, 0, 0, t)),
    ]
    if n > degree:
        spline = interpolate.BSpline(x, c[:n, 0], degree)
        cases.append((spline, lambda t: b_spline(x, c[:, 0], degree, degree, 0, t)))
    for curve, truth in cases:
        read = read_spline(curve)
        for u in instants(rng):
            mine = polynomial(read.coefficients[0, :, 0], Fraction(u))
            off = abs(mine - truth(when(read.times, 0, u)))
            assert off <= Fraction(float(read.rounding[0, 0]))


def test_the_rounding_is_not_far_from_what_happens(cell):
    """A bound a thousand times too large would pass all else here."""
    rng = np.random.default_rng(5)
    x = np.cumsum(rng.random(30))
    spline = interpolate.make_interp_spline(x, rng.normal(size=(30, JOINTS)), k=5)
    motion = so.paths.as_pieces(cell, spline)
    spans = range(5, len(spline.t) - 6)
    truth = lambda k, j, t: b_spline(spline.t, spline.c, 5, spans[k], j, t)  # noqa: E731
    assert 0.01 < exactly_within(motion, truth, rng) <= 1.0


MAKERS = {
    "CubicSpline": interpolate.CubicSpline,
    "natural": lambda x, y: interpolate.CubicSpline(x, y, bc_type="natural"),
    "Pchip": interpolate.PchipInterpolator,
    "Akima": interpolate.Akima1DInterpolator,
    "Hermite": lambda x, y: interpolate.CubicHermiteSpline(x, y, np.sin(y)),
    "linear": lambda x, y: interpolate.make_interp_spline(x, y, k=1),
    "quintic": lambda x, y: interpolate.make_interp_spline(x, y, k=5),
    "least squares": lambda x, y: interpolate.make_lsq_spline(
        x, y, np.r_[[x[0]] * 4, x[3:-3:2], [x[-1]] * 4], 3
    ),
    "from derivatives": lambda x, y: interpolate.BPoly.from_derivatives(
        x, np.stack([y, np.cos(y), y], axis=1)
    ),
    "derivative": lambda x, y: interpolate.CubicSpline(x, y).derivative(),
    "antiderivative": lambda x, y: interpolate.CubicSpline(x, y).antiderivative(),
}


@pytest.mark.parametrize("name", MAKERS)
def test_scipy_itself_says_the_same(cell, name):
    rng = np.random.default_rng(8)
    x, y = np.cumsum(rng.uniform(0.1, 2.0, 12)), rng.normal(size=(12, JOINTS))
    curve = MAKERS[name](x, y)
    motion = so.paths.as_pieces(cell, curve)
    t = np.concatenate([x, rng.uniform(x[0], x[-1], 200)])
    theirs = curve(t)
    size = np.abs(motion.coefficients).sum(axis=1).max()
    # Their own evaluation has a rounding of its own; a few dozen units of the terms it sums.
    np.testing.assert_allclose(
        motion.at(t), theirs, rtol=0, atol=motion.rounding.max() + 200 * EPS * size
    )
    slope = curve.derivative() if hasattr(curve, "derivative") else None
    if name != "linear" and slope is not None:
        fast = size / motion.durations.min()
        np.testing.assert_allclose(motion.velocity(t), slope(t), rtol=0, atol=1000 * EPS * fast)


def test_the_axis_of_interpolation_may_be_any(cell):
    rng = np.random.default_rng(9)
    x, y = np.arange(6.0), rng.normal(size=(6, JOINTS))
    for make in (
        interpolate.CubicSpline,
        interpolate.PchipInterpolator,
        interpolate.make_interp_spline,
    ):
        by_rows, by_columns = make(x, y, axis=0), make(x, y.T, axis=1)
        a, b = so.paths.as_pieces(cell, by_rows), so.paths.as_pieces(cell, by_columns)
        np.testing.assert_allclose(a.coefficients, b.coefficients, rtol=0, atol=1e-13)
        np.testing.assert_allclose(b.at(2.5), by_columns(2.5), rtol=0, atol=1e-13)


def test_some_joints_may_move_while_the_others_stay(cell):
    other = so.Cell()
    other.add_robot("builtin:arm7", name="left")
    other.add_robot("builtin:arm7", name="right", base=so.pose((0, 2, 0)))
    other.set_state(np.linspace(-1, 1, 14))
    x = np.arange(5.0)
    curve = interpolate.CubicSpline(x, np.random.default_rng(1).normal(size=(5, 2)))
    motion = so.paths.as_pieces(other, curve, joints=["right/joint3", "left/joint1"])
    at, rest = motion.at(1.7), np.linspace(-1, 1, 14)
    np.testing.assert_allclose(at[[9, 0]], curve(1.7), atol=1e-14)
    kept = [j for j in range(14) if j not in (9, 0)]
    np.testing.assert_array_equal(at[kept], rest[kept])
    with pytest.raises(so.errors.ConfigurationError, match="left/joint1 or right/joint1"):
        so.paths.as_pieces(other, curve, joints=["joint1", "left/joint2"])
    with pytest.raises(so.errors.UnknownNameError, match="did you mean"):
        so.paths.as_pieces(cell, curve, joints=["joint1", "jiont2"])
    with pytest.raises(so.errors.PathError, match="wrong number of columns"):
        so.paths.as_pieces(cell, curve, joints=["joint1", "arm/joint1"])
    one = interpolate.CubicSpline(x, x**2)
    np.testing.assert_allclose(
        so.paths.as_pieces(cell, one, joints=["joint2"]).at(1.5)[1], one(1.5)
    )


def test_a_mimic_joint_has_no_motion_of_its_own():
    panda = so.Cell()
    panda.add_robot("builtin:panda")
    one = interpolate.CubicSpline(np.arange(4.0), np.arange(4.0))
    with pytest.raises(so.errors.PathError, match="panda/panda_finger_joint1"):
        so.paths.as_pieces(panda, one, joints=["panda_finger_joint2"])


def _curve(c, x, kind=interpolate.PPoly):
    return kind(np.asarray(c), np.asarray(x))


def _spline(t, c, k):
    """A B-spline that SciPy's own checks did not see."""
    result = interpolate.BSpline(np.arange(8.0), np.zeros((4, JOINTS)), 3)
    result.t, result.c, result.k = np.asarray(t), np.asarray(c), k
    return result


def _with(curve, **attributes):
    for name, value in attributes.items():
        setattr(curve, name, value)
    return curve


ONES = np.ones((1, 2, JOINTS))
BAD = {
    "too high a degree": lambda: _curve(np.ones((7, 1, JOINTS)), [0.0, 1.0]),
    "too high a degree; got 6": lambda: _curve(
        np.ones((7, 1, JOINTS)), [0.0, 1.0], interpolate.BPoly
    ),
    "too high a degree; got 7": lambda: interpolate.make_interp_spline(
        np.arange(9.0), np.ones((9, JOINTS)), k=7
    ),
    "wrong number of columns; got 3": lambda: _curve(ONES[..., :3], [0.0, 1.0, 2.0]),
    "wrong number of columns; got 1": lambda: _curve(ONES[..., 0], [0.0, 1.0, 2.0]),
    "not one number a joint": lambda: _curve(np.ones((1, 2, JOINTS, 2)), [0.0, 1.0, 2.0]),
    "c: not numbers": lambda: _curve(ONES * 1j, [0.0, 1.0, 2.0]),
    r"c\[0, 0, 0\]: not finite": lambda: _curve(ONES * np.nan, [0.0, 1.0, 2.0]),
    r"x\[1\]: breakpoints run backwards": lambda: _curve(ONES, [2.0, 1.0, 0.0]),
    "spans no time": lambda: _curve(ONES, [1.0, 1.0, 1.0]),
    "joint 'arm/joint1' at t = 1.0: the motion jumps": lambda: _curve(
        np.arange(2.0)[None, :, None] + np.zeros((1, 2, JOINTS)), [0.0, 1.0, 2.0]
    ),
    "the motion jumps": lambda: interpolate.BSpline(
        [0.0, 1, 2, 3], np.arange(3.0)[:, None] + np.zeros((3, JOINTS)), 0
    ),
    "too few knots": lambda: _spline(np.arange(7.0), np.zeros((3, JOINTS)), 3),
    r"t\[4\]: breakpoints run": lambda: _spline([0, 1, 2, 3, 2, 5, 6, 7], np.zeros((4, JOINTS)), 3),
    r"x\[0\]: not finite": lambda: _with(_curve(ONES, [0.0, 1.0, 2.0]), x=[np.nan, 1.0, 2.0]),
    "a periodic motion jumps": lambda: _with(
        interpolate.CubicSpline(np.arange(3.0), np.arange(3.0)[:, None] * np.ones(JOINTS)),
        extrapolate="periodic",
    ),
    "not a motion": lambda: interpolate.interp1d(np.arange(3.0), np.arange(3.0)),
    "waypoints without times": lambda: np.zeros((3, JOINTS)),
    "too far": lambda: _curve(ONES * 1e300, [0.0, 1.0, 2.0]),
}


@pytest.mark.parametrize("message", BAD)
def test_what_cannot_be_taken_is_refused(cell, message):
    with pytest.raises(so.errors.PathError, match=message):
        so.paths.as_pieces(cell, BAD[message]())


def test_overflow_is_an_error_and_not_a_number(cell):
    for kind, size in ((interpolate.PPoly, 1e200), (interpolate.BPoly, 1.7e308)):
        c = np.array([1.0, -1.0, 1.0, -1.0])[:, None, None] * np.full((4, 1, JOINTS), size)
        with pytest.raises(so.errors.PathError, match=r"not finite|too far"):
            so.paths.as_pieces(cell, kind(c, [0.0, 1e100]))


def test_leading_zeros_do_not_count_as_degree(cell):
    c = np.zeros((9, 1, JOINTS))
    c[-2:] = 1.0
    assert so.paths.as_pieces(cell, interpolate.PPoly(c, [0.0, 2.0])).at(1.0)[0] == 2.0
    still = so.paths.as_pieces(cell, interpolate.PPoly(np.zeros((9, 1, JOINTS)), [0.0, 2.0]))
    assert not still.coefficients.any()


def test_a_periodic_spline_is_one_period(cell):
    x = np.linspace(0.0, 2 * np.pi, 9)
    y = np.outer(np.sin(x), np.ones(JOINTS))
    y[-1] = y[0]
    for curve in (
        interpolate.CubicSpline(x, y, bc_type="periodic"),
        interpolate.make_interp_spline(x, y, bc_type="periodic"),
    ):
        assert curve.extrapolate == "periodic"
        motion = so.paths.as_pieces(cell, curve)
        assert motion.start == x[0] and motion.end == x[-1]
        np.testing.assert_allclose(motion.at(1.3), curve(1.3), atol=1e-13)


def test_pieces_pass_as_they_are_and_are_checked(cell):
    motion = so.paths.Pieces.segment(np.zeros(JOINTS), np.ones(JOINTS))
    assert so.paths.as_pieces(cell, motion) is motion
    with pytest.raises(so.errors.PathError, match="wrong number of columns; got 2"):
        so.paths.as_pieces(cell, so.paths.Pieces.segment([0, 0], [1, 1]))
    some = so.paths.as_pieces(
        cell, so.paths.Pieces.segment([0, 0], [1, 1]), joints=["joint2", "joint1"]
    )
    np.testing.assert_array_equal(some.at(1.0)[:3], [1.0, 1.0, 0.0])


def test_pieces_of_no_length_are_left_out(cell):
    """SciPy's own conversion leaves them where knots are repeated."""
    x, y = np.arange(6.0), np.random.default_rng(2).normal(size=6)
    spline = interpolate.make_interp_spline(x, y, k=3)
    curve = interpolate.PPoly.from_spline(spline)
    assert (np.diff(curve.x) == 0.0).sum() == 6
    a = so.paths.as_pieces(cell, curve, joints=["joint4"])
    b = so.paths.as_pieces(cell, spline, joints=["joint4"])
    np.testing.assert_array_equal(a.times, b.times)
    np.testing.assert_allclose(a.coefficients, b.coefficients, rtol=0, atol=1e-13)


def test_scipy_is_not_needed():
    for path in Path(so.__file__).parent.rglob("*.py"):
        assert not re.search(r"^\s*(import|from) scipy", path.read_text(), re.M), path.name
