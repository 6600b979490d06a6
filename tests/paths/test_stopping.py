"""Braking: where each joint comes to rest, when, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.paths.end_stops import _highest, overruns
from standoff.paths.verify.kinematics import extremes
from standoff.tolerances import EPS
from tests.oracles.exact_curves import horner, instants, polynomial, when

pytestmark = pytest.mark.interpreted
LAWS = settings(deadline=None, max_examples=80, derandomize=True)
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def cell():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    return cell


def exact(q, v, a, r, t):
    """Where a joint is at ``t``, in rational arithmetic."""
    q, v, a, r = (Fraction(float(x)) for x in (q, v, a, r))
    if t <= r or v == 0:
        return q + v * t
    s, stop = t - r, abs(v) / a
    s = min(s, stop)
    return q + v * r + v * s - (a if v > 0 else -a) * s * s / 2


def random_stop(rng):
    q = rng.uniform(-3, 3, 7) * 10.0 ** rng.uniform(-3, 1)
    v = rng.normal(size=7) * 10.0 ** rng.uniform(-9, 2, 7) * (rng.random(7) < 0.8)
    a = 10.0 ** rng.uniform(-2, 3, 7)
    r = float(rng.choice([0.0, rng.uniform(0, 0.5), 10.0 ** rng.uniform(-12, 3)]))
    return q, v, a, r


@LAWS
@given(SEEDS)
def test_braking_is_exact_within_its_rounding(cell, seed):
    rng = np.random.default_rng(seed)
    q, v, a, r = random_stop(rng)
    if rng.random() < 0.3:  # stops that end together but for rounding
        v, a = v[0] * np.arange(1.0, 8.0), a[0] * np.arange(1.0, 8.0)
    motion = so.paths.braking_curve(cell, q, v, a, r)
    for k in range(len(motion)):
        for u in instants(rng, 1):
            t = when(motion.times, k, u)
            for j in range(7):
                c, allowed = motion.coefficients[k, :, j], Fraction(float(motion.rounding[k, j]))
                truth = exact(q[j], v[j], a[j], r, t)
                assert abs(polynomial(c, Fraction(u)) - truth) <= allowed
                assert abs(horner(c, u) - truth) <= allowed
    size = np.abs(q) + np.abs(v) * motion.end
    assert (motion.rounding <= 60 * EPS * size + 1e-299).all()


@LAWS
@given(SEEDS)
def test_each_joint_ends_at_rest_where_its_brake_takes_it(cell, seed):
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-2, 2, 7), rng.normal(size=7), rng.uniform(0.5, 20, 7)
    r = float(rng.uniform(0, 0.3))
    motion = so.paths.braking_curve(cell, q, v, a, r)
    still = r + np.abs(v) / a
    np.testing.assert_allclose(motion.times, np.sort([0.0, r, *still]), rtol=1e-14)
    np.testing.assert_allclose(motion.at(motion.end), q + v * r + v * abs(v) / (2 * a), atol=1e-14)
    np.testing.assert_allclose(motion.velocity(motion.end), np.zeros(7), atol=1e-12)
    np.testing.assert_allclose(motion.velocity(0.0), v, rtol=1e-13)
    for j in range(7):
        np.testing.assert_allclose(motion.velocity(min(still[j], motion.end))[j], 0.0, atol=1e-12)
        t = rng.uniform(r, still[j])
        speed = v[j] - np.sign(v[j]) * a[j] * (t - r)
        np.testing.assert_allclose(motion.velocity(t)[j], speed, atol=1e-12)
    # Speeds go down alone: no joint turns round or speeds up.
    speeds = np.abs(motion.velocity(np.linspace(0, motion.end, 50)))
    assert (np.diff(speeds, axis=0) <= 1e-12).all()


@LAWS
@given(SEEDS)
def test_synchronised_joints_stop_together_on_a_line(cell, seed):
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-2, 2, 7), rng.normal(size=7), rng.uniform(0.5, 20, 7)
    r = float(rng.choice([0.0, 0.1]))
    motion = so.paths.braking_curve(cell, q, v, a, r, synchronised=True)
    stop = (np.abs(v) / a).max()
    np.testing.assert_allclose(motion.times, [0.0, r, r + stop] if r else [0.0, stop], rtol=1e-14)
    way = motion.at(np.linspace(0, motion.end, 20)) - q
    np.testing.assert_allclose(way, np.outer(way @ v / (v @ v), v), atol=1e-13)
    np.testing.assert_allclose(motion.at(motion.end), q + v * (r + stop / 2), atol=1e-13)
    effort = 2.0 * np.abs(motion.coefficients[-1, 2]) / motion.durations[-1] ** 2
    assert (effort <= a * (1 + 1e-12)).all() and np.isclose((effort / a).max(), 1.0)


def test_equal_stops_share_one_breakpoint(cell):
    v = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    motion = so.paths.braking_curve(cell, np.zeros(7), v, v * 3.0, 0.1)
    assert len(motion) == 2


@pytest.mark.parametrize("r", [0.0, 0.5])
@pytest.mark.parametrize("a", [1.0, 0.0, {}])
def test_what_stands_needs_no_brake(cell, r, a):
    motion = so.paths.braking_curve(cell, np.ones(7), np.zeros(7), a, r)
    np.testing.assert_array_equal(motion.times, [0.0, 1.0])
    np.testing.assert_array_equal(motion.at([0.0, 0.4, 1.0]), np.ones((3, 7)))
    tiny = so.paths.braking_curve(cell, np.ones(7), np.full(7, 5e-324), 2.0, r)
    assert (np.abs(tiny.at(tiny.end) - 1.0) <= tiny.rounding[-1]).all()


def test_limits_by_name_and_as_a_number(cell):
    v = np.array([1.0, 0, 0, -2.0, 0, 0, 0])
    for a in (4.0, np.full(7, 4.0), {"arm/joint1": 4.0, "arm/joint4": 4.0}, np.float64(4.0)):
        motion = so.paths.braking_curve(cell, np.zeros(7), v, a)
        np.testing.assert_allclose(motion.times, [0.0, 0.25, 0.5])
        np.testing.assert_allclose(motion.at(0.5)[[0, 3]], [0.125, -0.5])
    named = so.paths.braking_curve(cell, np.zeros(7), dict(zip(cell.joints, v, strict=True)), 4.0)
    np.testing.assert_array_equal(named.coefficients, motion.coefficients)


@pytest.mark.parametrize(
    "settings_, problem",
    [
        ({"deceleration": 0.0}, "deceleration of joint 'arm/joint1': a joint that moves without"),
        ({"deceleration": -1.0}, "without a brake"),
        ({"deceleration": np.inf}, "without a brake"),
        ({"deceleration": np.nan}, "deceleration"),
        ({"deceleration": "much"}, "not numbers"),
        ({"deceleration": np.ones(3)}, "wrong shape"),
        ({"deceleration": {"arm/joint2": 1.0}}, "joints are missing"),
        ({"deceleration": {"arm/jiont1": 1.0}}, "unknown name 'arm/jiont1'"),
        ({"reaction": -0.1}, "reaction: not a possible time"),
        ({"reaction": np.nan}, "reaction"),
        ({"reaction": "soon"}, "reaction: not a possible time"),
        ({"q": np.full(7, np.nan)}, "impossible value for joint 'arm/joint1'"),
        ({"dq": np.ones(6)}, "dq: wrong shape"),
        ({"deceleration": 1e-320}, "joint 'arm/joint1': a stop without end"),
        ({"reaction": 1e12}, "too far"),
    ],
)
def test_what_is_no_stop_is_refused(cell, settings_, problem):
    given_ = {"q": np.zeros(7), "dq": np.ones(7), "deceleration": 1.0, **settings_}
    with pytest.raises(so.Error, match=problem):
        so.paths.braking_curve(cell, **given_)


def test_a_stop_is_free_or_shown_not_to_be(cell):
    """The wall is moved to where the stop ends, and a little nearer."""
    walled = so.Cell()
    walled.add_robot("builtin:arm7", name="arm")
    q, v = np.zeros(7), np.zeros(7)
    q[1], v[1] = 0.6, 0.8
    stand = so.paths.braking_curve(cell, q, v, 2.0, 0.1).at(0.5)
    far = max(
        (
            walled.pose("arm/link7", so.paths.braking_curve(cell, q, v, 2.0, 0.1).at(t))
            @ [0, 0, 0.3, 1]
        )[0]
        for t in np.linspace(0.0, 0.5, 50)
    )
    walled.add_body("wall", so.Box((0.02, 4, 4)), so.pose((far + 0.4, 0, 0)))
    checker = so.PathChecker(walled, clearance=0.01)
    verdict = so.paths.check_stop(checker, q, v, 2.0, 0.1)
    assert isinstance(verdict, so.Verdict) and verdict.free and verdict.free_until == 0.5
    assert so.paths.check_stop(walled, q, v, 2.0, 0.1, clearance=0.01).free
    with pytest.raises(so.errors.PathError, match="settings belong to the checker"):
        so.paths.check_stop(checker, q, v, 2.0, clearance=0.1)
    # Through the wall at standstill, and not before the brakes act.
    walled.remove_body("wall")
    tip = (walled.pose("arm/link7", stand) @ [0, 0, 0, 1])[:3]
    start = (walled.pose("arm/link7", q) @ [0, 0, 0, 1])[:3]
    side = (tip - start) / np.linalg.norm(tip - start)
    walled.add_body("ball", so.Sphere(0.05), so.pose(tip + 0.01 * side))
    verdict = so.paths.check_stop(checker, q, v, 2.0, 0.1, first=True)
    assert verdict.kind in ("collision", "too_close") and verdict.pair[1] == "ball"
    assert 0.1 < verdict.t < 0.5 and verdict.free_until <= verdict.t
    np.testing.assert_allclose(
        verdict.q, so.paths.braking_curve(cell, q, v, 2.0, 0.1).at(verdict.t), atol=1e-12
    )
    assert so.paths.check_stop(checker, q, v, 50.0).free
    assert not so.paths.check_stop(checker, q, v, 2.0, 0.1, synchronised=True).free


def test_bodies_move_while_robots_stop(cell):
    walled = so.Cell()
    walled.add_robot("builtin:arm7", name="arm")
    walled.add_body("cart", so.Sphere(0.1), so.pose((2.0, 0, 0.8)), moving=True)
    q, v = np.zeros(7), np.full(7, 0.1)
    assert so.paths.check_stop(walled, q, v, 0.2).free
    comes = {"cart": so.Glide(so.pose((2.0, 0, 0.8)), linear=(-4.0, 0, 0))}
    verdict = so.paths.check_stop(walled, q, v, 0.2, moving=comes)
    assert verdict.kind == "collision" and "cart" in verdict.pair


def test_a_joint_that_reaches_its_end_stop_is_named(cell):
    checker = so.PathChecker(cell)
    q, v = np.zeros(7), np.zeros(7)
    upper = float(cell.tree.upper[2])
    q[2], v[2] = upper - 0.1, 1.0
    assert so.paths.check_stop(checker, q, v, 5.01).free
    with pytest.raises(
        so.errors.PathError, match="joint 'arm/joint3': runs into its end stop"
    ) as told:
        so.paths.check_stop(checker, q, v, 4.99)
    assert told.value.value == pytest.approx(upper + 0.1 / 4.99 * 5 - 0.1)
    assert so.paths.check_stop(checker, q, v, 4.99, limits=False).free
    with pytest.raises(so.errors.PathError, match=r"joint3.*down to"):
        so.paths.check_stop(checker, -q, -v, 4.99)
    q[2] = upper + 0.01  # beyond already, and on its way back
    assert so.paths.check_stop(checker, q, -v, 1.0).free
    with pytest.raises(so.errors.PathError, match="joint3"):
        so.paths.check_stop(checker, q, v, 100.0)


@LAWS
@given(SEEDS)
def test_overruns_find_the_farthest_point_beyond_a_limit(cell, seed):
    rng = np.random.default_rng(seed)
    c = rng.normal(size=(3, 6, 7)) * 2.0
    c[0, 0] = rng.uniform(-0.5, 0.5, 7)
    for k in (1, 2):
        c[k, 0] = c[k - 1].sum(axis=0)
    motion = so.paths.Pieces.make([0.0, 1.0, 3.0, 3.5], c)
    t = np.linspace(0.0, 3.5, 4001)
    q = motion.at(t)
    found = {(o.joint, o.limit): o for o in overruns(cell, motion)}
    for j, name in enumerate(cell.joints):
        for limit, side in ((cell.tree.lower[j], -1), (cell.tree.upper[j], 1)):
            seen = (side * q[:, j]).max()
            if (name, limit) in found:
                o = found[name, limit]
                assert side * o.position >= seen - 1e-9
                assert abs(motion.at(o.time)[j] - o.position) <= 1e-9
                assert side * o.position > side * limit
            else:
                assert seen <= side * limit + 1e-12


def test_brakes_are_given_by_joint_by_robot_and_for_the_rest():
    """As a `Stopping` of a monitor has them."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_robot("builtin:panda", name="right", base=so.pose((0.0, 1.0, 0.0)))
    v = np.full(len(cell.joints), 0.1)
    given = {"left/panda_joint1": 2.0, "right": 3.0, "default": 4.0}
    each = [2.0 if n == "left/panda_joint1" else 3.0 if n.startswith("right") else 4.0
            for n in cell.joints]  # fmt: skip
    q = np.zeros(len(v))
    found = so.paths.braking_curve(cell, q, v, given, 0.1)
    expected = so.paths.braking_curve(cell, q, v, each, 0.1)
    assert np.array_equal(found.times, expected.times)
    assert np.array_equal(found.coefficients, expected.coefficients)


@LAWS
@given(SEEDS)
def test_the_highest_value_of_a_polynomial_is_the_one_that_verify_finds(seed):
    """Held against the independent search of `standoff.paths.verify`, with double roots of the
    derivative, flat tops and leading coefficients that are nearly nothing."""
    rng = np.random.default_rng(seed)
    c = rng.normal(size=6) * 10.0 ** rng.integers(-8, 3, 6) * (rng.random(6) < 0.8)
    if rng.random() < 0.3:
        c = -polynomial_of_roots(rng.uniform(0.0, 1.0, 2).repeat(2))
    _, most = extremes(c[None], np.zeros(1), np.ones(1))
    u, top, bound = _highest(c)
    size = np.abs(c).sum()
    assert top == pytest.approx(np.polynomial.polynomial.polyval(u, c), abs=1e-14 * size)
    assert most[0] - 1e-14 * size <= bound <= most[0] + 4e-12 * size


def polynomial_of_roots(roots):
    return np.append(np.polynomial.polynomial.polyfromroots(roots), 0.0)


def test_what_is_no_number_ends_the_search_for_the_highest_value():
    assert np.isnan(_highest(np.full(6, np.nan))[2])
