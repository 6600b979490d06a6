"""Motions as polynomials: what is refused, how they are evaluated, cut and joined."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.motion.pieces import LONGEST_GAP
from standoff.tolerances import EPS
from tests.oracles.exact_curves import horner, instants, polynomial, when

pytestmark = pytest.mark.interpreted
LAWS = settings(deadline=None, max_examples=60, derandomize=True)
SEEDS = st.integers(0, 2**32 - 1)


def random_pieces(rng, n=4, joints=3, scale=1.0):
    """A motion without jumps: each piece's constant is where the one before ended."""
    times = np.cumsum(rng.uniform(0.01, 3.0, n + 1)) - 2.0
    c = rng.normal(size=(n, 6, joints)) * scale
    for k in range(1, n):
        c[k, 0] = c[k - 1].sum(axis=0)
    return so.paths.Pieces.make(times, c)


@LAWS
@given(SEEDS)
def test_a_path_is_its_segments_within_its_rounding(seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(5, 2)) * 10.0 ** rng.uniform(-6, 6)
    motion = so.paths.Pieces.path(q)
    assert motion.start == 0.0 and motion.end == 4.0 and len(motion) == 4
    for k in range(4):
        for u in instants(rng):
            for j in range(2):
                a, b = Fraction(float(q[k, j])), Fraction(float(q[k + 1, j]))
                truth = a + Fraction(u) * (b - a)
                c, allowed = motion.coefficients[k, :, j], Fraction(float(motion.rounding[k, j]))
                assert abs(polynomial(c, Fraction(u)) - truth) <= allowed
                assert abs(horner(c, u) - truth) <= allowed
    assert motion.rounding.max() <= 100 * EPS * np.abs(q).max()


@LAWS
@given(SEEDS)
def test_at_and_velocity_answer_for_the_polynomials(seed):
    rng = np.random.default_rng(seed)
    motion = random_pieces(rng)
    t = rng.uniform(motion.start, motion.end, 20)
    k, _ = motion.locate(t)
    assert ((motion.times[k] <= t) & (t <= motion.times[k + 1])).all()
    size = np.abs(motion.coefficients).sum(axis=1)
    for i, piece in enumerate(k):
        for j in range(3):
            span = motion.durations[piece]
            u = (Fraction(t[i]) - Fraction(motion.times[piece])) / (
                Fraction(motion.times[piece + 1]) - Fraction(motion.times[piece])
            )
            c = motion.coefficients[piece, :, j]
            bound = motion.rounding[piece, j] + 12 * EPS * size[piece, j]
            assert abs(float(polynomial(c, u)) - motion.at(t)[i, j]) <= bound
            slope = np.arange(1, 6) * c[1:]
            off = abs(float(polynomial(slope, u)) / span - motion.velocity(t)[i, j])
            assert off <= 100 * EPS * size[piece, j] / span
    assert motion.at(t[0]).shape == motion.velocity(t[0]).shape == (3,)
    np.testing.assert_array_equal(motion.at(t)[0], motion.at(t[0]))
    np.testing.assert_array_equal(motion.at(motion.start), motion.coefficients[0, 0])


@LAWS
@given(SEEDS)
def test_a_part_is_the_motion_itself_within_its_rounding(seed):
    rng = np.random.default_rng(seed)
    motion = random_pieces(rng)
    t0, t1 = np.sort(rng.uniform(motion.start, motion.end, 2))
    if rng.random() < 0.3:
        t0 = float(motion.times[rng.integers(0, 2)])
    if rng.random() < 0.3:
        t1 = float(motion.times[rng.integers(2, 5)])
    if not t0 < t1:
        return
    part = motion.part(t0, t1)
    assert part.start == t0 and part.end == t1
    for k in range(len(part)):
        middle = float(0.5 * (part.times[k] + part.times[k + 1]))
        piece = int(motion.locate(middle)[0])
        for u in instants(rng):
            t = when(part.times, k, u)
            a, b = Fraction(motion.times[piece]), Fraction(motion.times[piece + 1])
            for j in range(3):
                truth = polynomial(motion.coefficients[piece, :, j], (t - a) / (b - a))
                mine = polynomial(part.coefficients[k, :, j], Fraction(u))
                assert abs(mine - truth) <= Fraction(float(part.rounding[k, j]))
    assert (part.rounding.max(axis=0) <= motion.rounding.max(axis=0) * 20).all()


def test_a_part_that_ends_at_a_breakpoint_has_no_piece_beyond():
    motion = so.paths.Pieces.path([[0.0], [1.0], [3.0], [2.0]])
    np.testing.assert_array_equal(motion.part(0.5, 2.0).times, [0.5, 1.0, 2.0])
    np.testing.assert_array_equal(motion.part(1.0, 2.0).coefficients, motion.coefficients[1:2])
    np.testing.assert_array_equal(motion.part().times, motion.times)


def test_where_pieces_meet_the_later_one_answers():
    motion = so.paths.Pieces.path([[0.0], [1.0], [0.0]])
    assert motion.at(1.0) == [1.0]
    assert motion.velocity(1.0) == [-1.0] and motion.velocity(2.0) == [-1.0]


def test_a_jump_is_refused_with_its_time_and_its_joint():
    c = np.zeros((2, 6, 2))
    c[1, 0, 1] = 2.0 * LONGEST_GAP
    with pytest.raises(
        so.errors.PathError, match=r"joint 'elbow' at t = 3\.0: the motion jumps"
    ) as told:
        so.paths.Pieces.make([2.0, 3.0, 4.0], c, joints=("base", "elbow"))
    assert told.value.value == 2.0 * LONGEST_GAP


def test_a_small_gap_is_part_of_what_is_certified():
    """Every position between the two ends is within the rounding of one of the pieces."""
    gap = 0.5 * LONGEST_GAP
    c = np.zeros((2, 6, 1))
    c[1, 0, 0] = gap
    motion = so.paths.Pieces.make([0.0, 1.0, 2.0], c)
    assert motion.rounding[0, 0] + motion.rounding[1, 0] >= gap
    with pytest.raises(so.errors.PathError, match=r"joint number 0 at t = 1\.0"):
        so.paths.Pieces([0.0, 1.0, 2.0], c, np.zeros((2, 1)))


def test_a_motion_can_be_made_again_from_its_arrays():
    motion = random_pieces(np.random.default_rng(3))
    again = so.paths.Pieces(
        motion.times.tolist(), motion.coefficients.tolist(), motion.rounding.tolist()
    )
    for name in ("times", "coefficients", "rounding"):
        np.testing.assert_array_equal(getattr(again, name), getattr(motion, name))
    with pytest.raises(ValueError, match="read-only"):
        motion.coefficients[0, 0, 0] = 1.0


@pytest.mark.parametrize(
    "times, coefficients, rounding, message",
    [
        ([0, 1], np.zeros((1, 4, 2)), 0.0, r"\(1, 4, 2\)"),
        ([0, 1], np.zeros((0, 6, 2)), 0.0, "pieces >= 1"),
        ([0], np.zeros((1, 6, 2)), 0.0, "wrong number of times"),
        ([0, 0], np.zeros((1, 6, 2)), 0.0, r"times\[1\]: times do not increase"),
        ([0, 2, 1], np.zeros((2, 6, 2)), 0.0, r"times\[2\]"),
        ([0, np.inf], np.zeros((1, 6, 2)), 0.0, r"times\[1\]: not finite"),
        ([-1e308, 1.7e308], np.zeros((1, 6, 2)), 0.0, "do not increase"),
        ([0, 1], np.full((1, 6, 2), np.nan), 0.0, r"coefficients\[0, 0, 0\]: not finite"),
        ([0, 1], np.full((1, 6, 2), 1e9), 0.0, "joint number 0 from t = 0.0 on: too far"),
        ([0, 1], np.zeros((1, 6, 2)), -1.0, "rounding: negative"),
        ([0, 1], np.zeros((1, 6, 2)), np.nan, "rounding"),
        ([0, 1], np.zeros((1, 6, 2)), np.zeros(2), r"rounding: wrong shape; got \(2,\)"),
        (["a", "b"], np.zeros((1, 6, 2)), 0.0, "times: not numbers"),
        ([0, 1], np.zeros((1, 6)), 0.0, "3 dimensions"),
    ],
)
def test_what_is_no_motion_is_refused(times, coefficients, rounding, message):
    with pytest.raises(so.errors.PathError, match=message):
        so.paths.Pieces.make(times, coefficients, rounding)


def test_what_is_no_path_is_refused():
    with pytest.raises(so.errors.PathError, match="no waypoint"):
        so.paths.Pieces.path(np.zeros((0, 3)))
    with pytest.raises(so.errors.PathError, match="wrong number of times"):
        so.paths.Pieces.path(np.zeros((3, 2)), [0.0, 1.0])
    with pytest.raises(so.errors.PathError, match="one waypoint takes no time"):
        so.paths.Pieces.path(np.zeros((1, 2)), [0.0])
    with pytest.raises(so.errors.PathError, match=r"waypoints\[1, 0\]: not finite"):
        so.paths.Pieces.path([[0.0], [np.nan]])


def test_one_waypoint_stands_still_and_no_joints_are_a_motion_too():
    rest = so.paths.Pieces.path([[1.0, 2.0]])
    np.testing.assert_array_equal(rest.at([0.0, 0.3, 1.0]), [[1.0, 2.0]] * 3)
    assert not rest.velocity(0.5).any()
    empty = so.paths.Pieces.segment([], [])
    assert empty.coefficients.shape == (1, 6, 0) and empty.at(0.5).shape == (0,)


@pytest.mark.parametrize("t", [-0.1, 1.1, np.nan, np.inf, [0.5, 2.0], "x"])
def test_nothing_is_extrapolated(t):
    motion = so.paths.Pieces.segment([0.0], [1.0])
    with pytest.raises(so.errors.PathError):
        motion.at(t)
    with pytest.raises(so.errors.PathError):
        motion.velocity(t)


def test_a_part_beyond_the_motion_is_refused():
    motion = so.paths.Pieces.segment([0.0], [1.0])
    with pytest.raises(so.errors.PathError, match="outside the motion"):
        motion.part(0.5, 1.5)
    with pytest.raises(so.errors.PathError, match="start before end"):
        motion.part(0.5, 0.5)
