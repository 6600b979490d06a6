"""The motion bound: no point of any body is ever outside it, and it is about as tight as it can be.

Truth comes from `tests.worlds.random_trees`, plain kinematics that share nothing with the
kernels."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.errors import (
    CellError,
    ConfigurationError,
    DuplicateNameError,
    PoseError,
    ShapeError,
    UnknownNameError,
)
from standoff.geometry.pose import pose
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.motion.kernels import bound as chains
from standoff.motion.kernels.certify import (
    agreeing_free,
    bent,
    direction_free,
    drift,
    ends_free,
    half_free,
    uncovered,
)
from standoff.motion.kernels.closing import closing_speeds, nearing_speed
from standoff.motion.motion_bound import MotionBound, MovingBody
from standoff.robots.description import Mimic
from standoff.robots.kernels import kinematics
from standoff.robots.tree import WORLD, Mount, Tree
from standoff.tolerances import EPS
from tests.worlds.arms import FREE, Z, arm, planar
from tests.worlds.random_trees import World, track

#: What the rounding of the truth itself may be, relative to lengths moved and coordinates.
ROUNDING = 1e-12


def positions(world, body, stop, Q):
    link, points = body
    out = np.empty((len(Q), len(points), 3))
    track(world.plain, link, stop, points, np.ascontiguousarray(Q), out)
    return out


class Draw:
    """Two bodies on random links of a world (or one of them static), their pair and their truth."""

    def __init__(self, world: World, bound: MotionBound, names, bodies) -> None:
        self.world, self.bound, self.bodies = world, bound, bodies
        self.pair = bound.pair(*names)
        self.spans = (self.pair.chain_a, self.pair.chain_b)
        # frames of the tree and links of the table stand in the same order, after the world
        self.stop = self.pair.common - 1

    def truth(self, Q):
        """Positions of both bodies' points, seen from their common frame."""
        return [positions(self.world, body, self.stop, Q) for body in self.bodies]

    def common_frame(self, q):
        """Origin and axes of the frame they are seen from, by the truth."""
        if self.pair.common == WORLD:
            return np.zeros(3), np.eye(3)
        corner = np.concatenate([np.zeros((1, 3)), np.eye(3)])
        placed = positions(self.world, (self.stop, corner), -1, q[None])[0]
        return placed[0], (placed[1:] - placed[0]).T


def draws(seed, worlds, pairs):
    """Random pairs of bodies on random worlds: about a fifth of them against the static world."""
    rng = np.random.default_rng(seed)
    for _ in range(worlds):
        world = World(rng)
        count = len(world.names)
        bodies = []
        for i in range(2 * pairs):
            link = int(rng.integers(count)) if i % 2 or rng.random() < 0.8 else -1
            points = rng.normal(size=(int(rng.integers(1, 4)), 3)) * 0.3 * world.size
            bodies.append((link, points))
        moving = []
        for i, (link, points) in enumerate(bodies):
            frame, offset = (WORLD, np.eye(4)) if link < 0 else world.tree.link(world.names[link])
            moving.append(MovingBody(f"{i}", frame, points @ offset[:3, :3].T + offset[:3, 3]))
        bound = MotionBound(world.tree, moving)
        for i in range(0, 2 * pairs, 2):
            yield rng, Draw(world, bound, (f"{i}", f"{i + 1}"), bodies[i : i + 2])


def twists_of(bound, pair, q, dq):
    """What the speeds of a pair are computed from."""
    tree = bound.tree
    poses, twists = np.empty((tree.frames, 12)), np.empty((tree.frames, 6))
    kinematics.forward_velocity(
        tree.reals, tree.ints, *(np.asarray(x, dtype=float) for x in (q, dq)), tree.scratch(),
        poses, twists,
    )  # fmt: skip
    return poses, twists, bound.bodies, bound.points, pair.a, pair.b, pair.common


def closing(bound, pair, q, dq, n):
    """How fast the pair nears along ``n``, back and forward."""
    return closing_speeds(*twists_of(bound, pair, q, dq), tuple(map(float, n)))


def nearing(bound, pair, q, dq):
    return nearing_speed(*twists_of(bound, pair, q, dq))


def check_instant(rng, draw, motion, tc, times, q_of, dq):
    """All that is claimed about an interval around ``tc``, at sampled ``times`` of it."""
    pair, bound = draw.pair, draw.bound
    q = q_of(np.array([tc]))[0]
    span = np.abs(times - tc)
    here, there = draw.truth(q[None]), draw.truth(q_of(times))
    origin, axes = draw.common_frame(q)
    poses, twists = bound.tree.velocities(q, dq)
    slack = ROUNDING * (1.0 + bound.extent.max()) * (1.0 + motion.speed.sum())
    for k, body_span in enumerate(draw.spans):
        frame = int(bound.bodies[(pair.a, pair.b)[k], chains.BODY_FRAME])
        v = seen_from(twists, poses, frame, pair.common, origin + here[k][0] @ axes.T) @ axes
        moved = there[k] - here[k][0]
        M = chains.curvature(bound.chain, motion.reach, *body_span, motion.speed)
        M += chains.path_length(bound.chain, motion.reach, *body_span, motion.acceleration)
        length = chains.path_length(bound.chain, motion.reach, *body_span, motion.speed)
        beside = np.linalg.norm(moved - span_signed(times, tc) * v, axis=2).max(axis=1)
        assert (beside <= 0.5 * span**2 * M + slack).all()
        assert (np.linalg.norm(moved, axis=2).max(axis=1) <= span * length + slack).all()
    M = motion.curvature(pair)
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    back, forward = closing(bound, pair, q, dq, axes @ n)
    gap = there[0].dot(n).min(axis=1) - there[1].dot(n).max(axis=1)
    gap0 = here[0].dot(n).min() - here[1].dot(n).max()
    speed = np.where(times < tc, back, forward)
    assert (gap >= gap0 - span * speed - 0.5 * span**2 * M - slack).all()
    apart = np.linalg.norm(there[0][:, :, None] - there[1][:, None], axis=3).min(axis=(1, 2))
    apart0 = np.linalg.norm(here[0][:, :, None] - here[1][:, None], axis=3).min()
    near = nearing(bound, pair, q, dq)
    assert near <= motion.length(pair) + slack
    assert (apart >= apart0 - span * near - 0.5 * span**2 * M - slack).all()


def span_signed(times, tc):
    return (times - tc)[:, None, None]


def seen_from(twists, poses, frame, common, points):
    """Velocities of world points of ``frame``, seen from ``common``, along the world's axes."""
    result = twists[frame, 3:] - twists[common, 3:]
    for f, sign in ((frame, 1.0), (common, -1.0)):
        (x, y, z), lever = twists[f, :3], points - poses[f, :3, 3]
        result = result + sign * lever @ np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
    return result


def check_segment(rng, draw):
    qa, qb = draw.world.random_segment(rng)
    error = np.abs(rng.normal(size=len(qa))) * rng.choice([0.0, 0.05, 0.5])
    dq = qb - qa
    still = np.zeros(len(qa))
    low, high = np.minimum(qa, qb) - error, np.maximum(qa, qb) + error
    motion = draw.bound.curve(low, high, np.abs(dq), still)

    def q_of(times):
        return qa + times[:, None] * dq

    tc = rng.uniform()
    half = rng.choice([1.0, 0.2, 0.02])
    times = np.clip(np.append(tc + half * rng.uniform(-1, 1, 20), (tc - half, tc + half)), 0, 1)
    check_instant(rng, draw, motion, tc, times, q_of, dq)
    strayed = q_of(times) + error * rng.choice([-1.0, 1.0, 0.3], (len(times), len(error)))
    most = draw.bound.curve(low, high, error, still).length(draw.pair)
    nominal, off = draw.truth(q_of(times)), draw.truth(strayed)
    total = sum(np.linalg.norm(b - a, axis=2).max(axis=1) for a, b in zip(nominal, off))
    assert (total <= most + ROUNDING * (1.0 + draw.bound.extent.max())).all()


def check_curve(rng, draw):
    """Cubics in time, with the exact extremes of position, speed and acceleration on [0, 1]."""
    tree = draw.bound.tree
    c = rng.normal(size=(4, len(tree.joints))) * rng.choice([0.3, 1.0, 4.0])
    slides = np.array([kind == "prismatic" for kind in tree.kinds])
    c[0, slides] += np.where(slides, tree.lower, 0.0)[slides]

    def at(times, order):
        t = np.asarray(times, dtype=float)
        t = t[:, None] if t.ndim == 1 else t
        if order == 0:
            return c[0] + t * (c[1] + t * (c[2] + t * c[3]))
        return c[1] + t * (2 * c[2] + 3 * t * c[3]) if order == 1 else 2 * c[2] + 6 * t * c[3]

    root = np.sqrt(np.maximum(0.0, c[2] ** 2 - 3 * c[1] * c[3]))
    turning = np.stack([(-c[2] + root) / (3 * c[3]), (-c[2] - root) / (3 * c[3])])
    ends = np.array([0.0, 1.0])
    values = np.concatenate([at(ends, 0), at(np.clip(turning, 0, 1), 0)])
    bend = np.clip(-c[2] / (3 * c[3]), 0, 1)[None]
    speed = np.abs(np.concatenate([at(ends, 1), at(bend, 1)])).max(axis=0)
    motion = draw.bound.curve(
        values.min(axis=0), values.max(axis=0), speed, np.abs(at(ends, 2)).max(axis=0)
    )
    tc = rng.uniform()
    times = np.append(rng.uniform(0, 1, 20), ends)
    check_instant(rng, draw, motion, tc, times, lambda t: at(t, 0), at(np.array([tc]), 1)[0])


#: Eight pairs of bodies on each world; `make soak` takes ten times as many worlds.
WORLDS = 25000 if os.environ.get("STANDOFF_SOAK") else 2500


#: Worlds on which the reach is climbed against.
CLIMBS = 3000 if os.environ.get("STANDOFF_SOAK") else 500


@pytest.mark.soak
def test_no_point_is_outside_its_bound_on_20000_segments():
    for rng, draw in draws(seed=11, worlds=WORLDS, pairs=8):
        check_segment(rng, draw)


@pytest.mark.soak
def test_no_point_is_outside_its_bound_on_curves():
    for rng, draw in draws(seed=12, worlds=WORLDS // 8, pairs=8):
        check_curve(rng, draw)


def body(tree, link, *points, name="body"):
    frame, offset = tree.link(link)
    points = np.array(points, dtype=float)
    return MovingBody(name, frame, points @ offset[:3, :3].T + offset[:3, 3])


def check_dense(tree, link, point, qa, qb, count=200):
    """First and second order bounds of one point against the world, on many instants."""
    qa, qb = np.array(qa, dtype=float), np.array(qb, dtype=float)
    bound = MotionBound(tree, [body(tree, link, point)])
    pair, motion = bound.pair("body"), bound.segment(qa, qb)
    tc, t = 0.5, np.linspace(0, 1, count)
    frame, point = int(bound.bodies[1, 0]), np.append(bound.points[0], 1.0)
    poses, twists = tree.velocities(qa + tc * (qb - qa), qb - qa)
    here = (poses[frame] @ point)[:3]
    v = twists[frame, 3:] + np.cross(twists[frame, :3], here - poses[frame, :3, 3])
    there = np.array([(tree.forward(qa + s * (qb - qa))[frame] @ point)[:3] for s in t])
    beside = np.linalg.norm(there - here - (t - tc)[:, None] * v, axis=1)
    assert (beside <= 0.5 * (t - tc) ** 2 * motion.curvature(pair) + 1e-13).all()
    length = motion.length(pair)
    assert (np.linalg.norm(there - here, axis=1) <= np.abs(t - tc) * length + 1e-13).all()
    return motion.curvature(pair), length, beside.max()


def test_planted_zero_motion_is_bounded_by_zero():
    curvature, length, beside = check_dense(planar(3), "a/l2", (1, 0, 0), [1, 2, 3], [1, 2, 3], 5)
    assert curvature == length == beside == 0.0


def test_planted_full_turns_of_one_joint():
    curvature, length, _ = check_dense(planar(1), "a/l0", (1, 0, 0), [0], [6 * math.pi], 50)
    assert math.isclose(length, 6 * math.pi, rel_tol=1e-8)
    assert math.isclose(curvature, (6 * math.pi) ** 2, rel_tol=1e-8)


def test_planted_slide_beyond_a_turning_joint_counts_limits_and_the_motion_itself():
    tree = arm(
        ("revolute", (0, 0, 0), Z, (-3, 3), None), ("prismatic", (0, 0, 0), (1, 0, 0), (0, 1), None)
    )
    bound = MotionBound(tree, [body(tree, "a/l1", (0, 0, 0))])
    assert math.isclose(bound.reach[0], 1.0, rel_tol=5e-3)
    assert bound.reach[1] == 1.0
    inside, outside = bound.segment([0, 0], [1, 0.5]), bound.segment([0, 0], [1, 3.0])
    assert outside.reach[0] - inside.reach[0] == pytest.approx(2.0)
    below = bound.curve([0, -4.25], [1, 0.75], [1, 4.5], [0, 0])
    assert below.reach[0] - inside.reach[0] == pytest.approx(4.25)
    check_dense(tree, "a/l1", (0, 0, 0), [0, 0], [4, 3.0], 50)
    check_dense(tree, "a/l1", (0, 0.2, 0), [0, -4], [-2, 0.5], 50)


def test_planted_mimic_finger_moves_with_a_master_that_lies_elsewhere():
    tree = arm(
        ("revolute", (0, 0, 0), Z, (-3, 3), None),
        ("prismatic", (0.5, 0, 0), (0, 1, 0), (-9, 9), Mimic("j2", -0.5, 0.1)),
        ("continuous", (0, 0, 0.3), (1, 0, 0), FREE, None),
    )
    bound = MotionBound(tree, [body(tree, "a/l1", (0, 0, 0)), body(tree, "a/l0", Z, name="palm")])
    motion = bound.segment([0, 0], [0, 3.0])
    pair = bound.pair("body", "palm")
    assert motion.length(pair) == pytest.approx(1.5)
    assert motion.curvature(pair) == 0.0
    assert bound.segment([0, 0], [7, 0]).length(pair) == 0.0
    check_dense(tree, "a/l1", (0, 0, 0.2), [0, 0], [2, 8.0], 50)


def test_planted_two_links_of_one_arm_count_only_the_joints_between_them():
    tree = planar(4)
    bodies = [body(tree, f"a/l{i}", (1, 0, 0), name=f"l{i}") for i in range(4)]
    bound = MotionBound(tree, bodies)
    pair = bound.pair("l3", "l1")
    assert pair.common == tree.link("a/l1")[0] and pair.chain_b[0] == pair.chain_b[1]
    only_inner = bound.segment(np.zeros(4), [5, 5, 0, 0])
    assert only_inner.length(pair) == only_inner.curvature(pair) == 0.0
    back, forward = closing(bound, pair, [0.3, 0.2, 0.1, 0.4], [5, 5, 0, 0], [0, 1, 0])
    assert abs(back) < 1e-9 and abs(forward) < 1e-9
    both = bound.segment(np.zeros(4), [5, 5, 1, 2])
    assert both.length(pair) == pytest.approx(2 * 1 + 1 * 2, rel=1e-2)


def test_planted_two_arms_moving_in_step_do_not_close():
    tree = Tree([Mount(n, planar(3).mounts[0].robot, pose((0, 0, k))) for k, n in enumerate("ab")])
    bound = MotionBound(tree, [body(tree, f"{n}/l2", (1, 0, 0), name=n) for n in "ab"])
    q, dq = np.tile([0.3, 1.0, -0.4], 2), np.tile([1.0, 2.0, -1.0], 2)
    for n in np.eye(3):
        back, forward = closing(bound, bound.pair("b", "a"), q, dq, n)
        assert abs(back) < 1e-9 and abs(forward) < 1e-9
    assert nearing(bound, bound.pair("b", "a"), q, dq) < 1e-9
    alone = closing(bound, bound.pair("b"), q, dq, [0, 1, 0])
    assert alone[0] == pytest.approx(-alone[1], abs=1e-9) and abs(alone[0]) > 0.1


def test_planted_cylinder_turns_inside_the_capsule_around_it():
    tree = planar(1)
    disc = Cylinder(1.0, 0.02)
    local = pose(rpy=(math.pi / 2, 0, 0))
    bound = MotionBound(tree, [MovingBody.of_shape("disc", 1, disc, local)])
    assert 1.0 <= bound.reach[0] < 1.09


@pytest.mark.parametrize(
    ("shape", "reach"),
    [(Sphere(0.3), 2.0), (Capsule(0.2, 1.0), math.hypot(2.0, 0.5)), (Box((2, 1, 4)), 0.0)],
)
def test_the_radius_of_a_round_body_does_not_enter_the_motion(shape, reach):
    local = pose((2, 0, 0), rpy=(math.pi / 2, 0, 0))
    bound = MotionBound(planar(1), [MovingBody.of_shape("x", 1, shape, local)])
    reach = reach or math.hypot(3.0, 2.0)
    assert bound.reach[0] == pytest.approx(reach, rel=1e-8)


@pytest.mark.parametrize("count", [1, 2, 4, 7, 12])
def test_the_reach_of_a_planar_linkage_is_the_number_of_links_beyond(count):
    tree = planar(count)
    bound = MotionBound(tree, [body(tree, f"a/l{count - 1}", (1, 0, 0))])
    for i, value in enumerate(bound.reach):
        assert count - i <= value <= (count - i) * 1.0025 ** (count - i)


def test_the_reach_does_not_add_what_cannot_add_up():
    """A wrist that turns about its own length cannot swing its offset out of the line."""
    tree = arm(
        ("continuous", (0, 0, 0), (0, 1, 0), FREE, None),
        ("continuous", (0, 0, 3.0), Z, FREE, None),
    )
    bound = MotionBound(tree, [body(tree, "a/l1", (0.4, 0, 1.0))])
    assert bound.reach[0] == pytest.approx(math.hypot(4.0, 0.4), rel=3e-3)


def test_many_points_move_by_the_corners_of_their_box_but_reach_by_themselves():
    rng = np.random.default_rng(0)
    ball = rng.normal(size=(500, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    bound = MotionBound(planar(1), [MovingBody("ball", 1, ball)])
    assert len(bound.points) == 8
    assert bound.reach[0] <= 1.0 + 1e-8


def test_planted_mimic_of_multiplier_0_stands_at_its_offset():
    """A finger held 5 m out, its own limits 0.1 m, its master without limits."""
    tree = arm(
        ("continuous", (0, 0, 0), Z, FREE, None),
        ("prismatic", (0, 0, 0), (1, 0, 0), (0, 0.1), Mimic("j2", 0.0, 5.0)),
        ("continuous", (0, 0, 0), Z, FREE, None),
    )
    bound = MotionBound(tree, [body(tree, "a/l1", (0, 0, 0))])
    assert bound.reach[0] >= 5.0
    endless = bound.curve([-math.inf] * 2, [math.inf] * 2, [1.0, 0.0], [0.0, 0.0])
    for motion in (bound.segment([0, 0], [1, 0]), endless):
        assert 5.0 <= motion.length(bound.pair("body")) < 5.02
        assert 5.0 <= motion.curvature(bound.pair("body")) < 5.02
    # whatever travel the reach was made for, what the offset lies beyond it counts
    tree.reals[2, [kinematics.LOWEST, kinematics.HIGHEST]] = 0.0, 0.1
    bound = MotionBound(tree, [body(tree, "a/l1", (0, 0, 0))])
    assert bound.segment([0, 0], [1, 0]).length(bound.pair("body")) >= 5.0


def test_planted_joint_at_rest_adds_nothing_however_far_a_slide_may_go():
    tree = arm(
        ("continuous", (0, 0, 0), Z, FREE, None), ("prismatic", (0, 0, 0), (1, 0, 0), (0, 1), None)
    )
    bound = MotionBound(tree, [body(tree, "a/l1", (0, 0, 0))])
    pair = bound.pair("body")
    motion = bound.curve([-math.inf] * 2, [math.inf] * 2, [0.0, 1.0], [0.0, 0.0])
    assert motion.curvature(pair) == 0.0
    assert motion.length(pair) == pytest.approx(1.0)
    _, forward = closing(bound, pair, [0, 0], [0, 1], [-1, 0, 0])
    assert forward == pytest.approx(1.0)
    assert half_free(0.5, forward, 0.0, 0.499) and not half_free(0.5, forward, 0.0, 0.501)
    turning = bound.curve([-math.inf] * 2, [math.inf] * 2, [1e-9, 1.0], [0.0, 0.0])
    assert turning.curvature(pair) == turning.length(pair) == math.inf


def farthest_by_climbing(rng, plain, row, link, points, low, high):
    """The farthest that the points of a link were found from the axis of joint ``row``, all joints
    beyond it free from ``low`` to ``high``: each joint in turn takes the best of many values."""
    beyond = []
    at = link
    while at != row:
        beyond.append(at)
        at = int(plain[at, 18])
    axis, slides = plain[row, 12:15], plain[:, 17] == 1.0

    def distances(Q):
        out = np.empty((len(Q), len(points), 3))
        track(plain, link, row, points, Q, out)
        along = out @ axis
        return np.sqrt(np.maximum(0.0, (out * out).sum(axis=2) - along**2)).max(axis=1)

    farthest = 0.0
    for _ in range(4):
        q = np.where(slides, low, rng.uniform(-math.pi, math.pi, len(plain)))
        for step in (math.pi, math.pi, math.pi, 0.2, 0.05, 0.02, 0.01):
            for joint in beyond:
                ends = low[joint], high[joint]
                trials = ends if slides[joint] else q[joint] + step * np.linspace(-1, 1, 25)
                Q = np.repeat(q[None], len(trials), axis=0)
                Q[:, joint] = trials
                found = distances(Q)
                q = Q[np.argmax(found)]
                farthest = max(farthest, float(found.max()))
    return farthest


def test_no_climb_gets_farther_from_an_axis_than_the_reach():
    rng = np.random.default_rng(14)
    closest = 0.0
    for _ in range(CLIMBS):
        world = World(rng)
        link = int(rng.integers(len(world.names)))
        points = rng.normal(size=(int(rng.integers(1, 5)), 3)) * 0.3 * world.size
        frame, offset = world.tree.link(world.names[link])
        placed = points @ offset[:3, :3].T + offset[:3, 3]
        bound = MotionBound(world.tree, [MovingBody("body", frame, placed)])
        # every joint free of its master, and slides over the travel that the reach counts on
        plain = world.plain.copy()
        plain[:, 15], plain[:, 16], plain[:, 19] = 1.0, 0.0, np.arange(len(plain))
        low = world.tree.reals[1:, kinematics.LOWEST]
        high = world.tree.reals[1:, kinematics.HIGHEST]
        for f, reach in zip(bound.chain[:, 0], bound.reach):
            if plain[f - 1, 17] == 0.0:
                far = farthest_by_climbing(rng, plain, f - 1, link, points, low, high)
                assert far <= reach * (1.0 + ROUNDING) + ROUNDING * bound.extent.max()
                closest = max(closest, far / reach)
    assert closest > 0.9999


def test_the_reach_of_two_rims_about_a_tilted_axis():
    """Joint 1, at L on x, is tilted by t towards x: the circles that its points sweep get at least
    as far as ``L + max(r cos t + z sin t)`` from joint 0, whichever of them is the farther."""
    for tilt in np.linspace(0.01, 1.55, 100):
        axis = (math.sin(tilt), 0.0, math.cos(tilt))
        tree = arm(
            ("continuous", (0, 0, 0), Z, FREE, None),
            ("continuous", (3.0, 0, 0), axis, FREE, None),
        )
        for between in np.linspace(0.02, 1.54, 20):  # where one rim takes over from the other
            side = np.array([-math.sin(between), math.cos(between)])
            rims = np.array([1.0, 0.5]) + np.outer([-0.4, 0.4], side)
            points = np.array([[r, 0.0, z] for r, z in rims])
            bound = MotionBound(tree, [MovingBody("rims", 2, points)])
            assert bound.reach[0] >= 3.0 + (rims @ [math.cos(tilt), math.sin(tilt)]).max()


def test_the_reach_is_not_short_by_a_rounding():
    rng = np.random.default_rng(15)
    for x, y in rng.normal(size=(100, 2)):
        bound = MotionBound(planar(1), [MovingBody("x", 1, [[x, y, 0.0]])])
        assert Fraction(float(bound.reach[0])) ** 2 >= Fraction(x) ** 2 + Fraction(y) ** 2


def test_the_reach_is_not_short_by_the_rounding_of_the_lengths_it_does_not_see():
    """A point on the axis of joint 1, a thousand kilometres up, where it is back beside the axis of
    joint 0, nanometres off: what the tables say, exactly."""
    rng = np.random.default_rng(21)
    for axis in rng.normal(size=(100, 3)):
        axis /= np.linalg.norm(axis)
        origin = tuple(-1e6 * axis + 1e-8 * rng.normal(size=3))
        tree = arm(
            ("continuous", (0, 0, 0), Z, FREE, None), ("continuous", origin, axis, FREE, None)
        )
        bound = MotionBound(tree, [MovingBody("x", 2, [[0.0, 0.0, 1e6]])])
        row = tree.reals[2]
        x, y = (Fraction(row[k + 3]) + 10**6 * Fraction(row[k + 2]) for k in (0, 4))
        assert bound.reach[0] > 0.0 and Fraction(float(bound.reach[0])) ** 2 >= x * x + y * y


def speeds_about_z(points, n):
    """Largest and smallest ``n·v`` of points that turn about z at 1 rad/s."""
    along = np.stack([-points[:, 1], points[:, 0], 0.0 * points[:, 0]], axis=1) @ n
    return along.max(), along.min()


def check_turning_body(moving, points):
    """`closing` and `nearing` of a body that turns about z before the static world, against
    many true points of it."""
    bound = MotionBound(planar(1), [moving])
    pair = bound.pair(moving.name)
    for turn in np.linspace(0, 2 * math.pi, 33):
        n = np.array([math.cos(turn), math.sin(turn), 0.0])
        highest, lowest = speeds_about_z(points, n)
        back, forward = closing(bound, pair, [0], [1], n)
        assert highest <= back + 1e-15 and -lowest <= forward + 1e-15
    assert nearing(bound, pair, [0], [1]) >= np.hypot(points[:, 0], points[:, 1]).max() - 1e-15


@pytest.mark.parametrize("out", [0.0, 3.0])
def test_planted_cylinder_nears_as_fast_as_its_rim(out):
    turns = np.linspace(0, 2 * math.pi, 65)
    for towards in np.linspace(0, math.pi / 4, 9):
        centre = out * np.array([math.cos(towards), math.sin(towards)])
        rim = centre + np.stack([np.cos(turns), np.sin(turns)], axis=1)
        rim = np.append(rim, [centre + np.array([math.cos(towards), math.sin(towards)])], axis=0)
        points = np.concatenate([np.insert(rim, 2, z, axis=1) for z in (-0.2, 0.2)])
        local = pose((*centre, 0.0))
        check_turning_body(MovingBody.of_shape("drum", 1, Cylinder(1.0, 0.4), local), points)


def test_planted_body_of_120_points_nears_as_fast_as_each_of_them():
    points = np.random.default_rng(16).normal(size=(120, 3))
    check_turning_body(MovingBody("cloud", 1, points), points)


numbers = st.floats(-10, 10)
positive = st.just(0.0) | st.floats(1e-100, 10)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(positive, numbers, positive, positive, st.floats(0, 1))
def test_a_free_half_is_free_at_each_of_its_instants(d, closing, M, h, part):
    if half_free(d, closing, M, h):
        assert half_free(d, closing, M, part * h)
        s = part * h
        assert d - s * closing - 0.5 * s * s * M > 0.0
    clamped = d > h * max(0.0, closing) + 0.5 * h * h * M
    assert not clamped or half_free(d, closing, M, h)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(positive, numbers, positive, positive, positive, st.floats(0, 1))
def test_what_is_covered_stays_apart_all_along(d, closing, M, length, h, part):
    """The form that path checks, mesh walks and stops ask: free by either bound, and by no other;
    with the drift clamped at 0 or the speed, whichever is worse."""
    way = drift(closing, M, h)
    free = uncovered(d, way, h * length) < 0.0
    assert free == (half_free(d, closing, M, h) or half_free(d, length, 0.0, h))
    assert (uncovered(d, way, math.inf) < 0.0) == half_free(d, closing, M, h)
    clamped = h * max(0.0, closing) + 0.5 * h * h * M
    assert not uncovered(d, clamped, math.inf) < 0.0 or half_free(d, closing, M, h)
    if free:
        s = part * h
        assert d - min(s * closing + 0.5 * s * s * M, s * length) > 0.0
        assert uncovered(2.0 * d, way, h * length) < 0.0
    else:
        # What is said to be missing is what it takes.
        more = uncovered(d, way, h * length)
        assert uncovered(d + (1.0 + 1e-9) * more + 1e-300, way, h * length) <= 0.0


def test_a_drift_whose_first_part_is_a_length_is_as_safe():
    """Balls and volumes of meshes add `bent` to a length. Either sum is off the exact one by three
    units of rounding of its terms at most, which MOTION_ROUNDING in M and the margins exceed."""
    rng = np.random.default_rng(22)
    for closing, M, h in rng.normal(size=(2000, 3)) * 10.0 ** rng.integers(-6, 7, (2000, 3)):
        M, h = abs(M), abs(h)
        exact = Fraction(h) * Fraction(closing) + Fraction(h) ** 2 * Fraction(M) / 2
        terms = abs(Fraction(h) * Fraction(closing)) + Fraction(h) ** 2 * Fraction(M) / 2
        for way in (drift(closing, M, h), h * closing + bent(M, h)):
            assert abs(Fraction(way) - exact) <= 3 * Fraction(EPS) * terms


def test_no_half_has_a_negative_length():
    assert not half_free(1.0, 5.0, 0.0, -10.0) and not half_free(1.0, 0.0, 0.0, -0.1)
    assert half_free(1.0, 5.0, 0.0, 0.0)
    assert not half_free(1.0, -math.inf, 1.0, 1.0) and not half_free(1.0, 0.0, 0.0, math.inf)


def test_both_ends_count_the_clearance_twice_and_their_rounding():
    assert not ends_free(1.0, 1.0, 0.9, 0.9, 0.15)  # between one clearance and two
    assert ends_free(1.0, 1.0, 0.9, 0.9, 0.09)
    rng = np.random.default_rng(20)
    for d_a, d_b, a, delta in rng.uniform(0, 1, (2000, 4)):
        for b in (d_a + d_b - 2.0 * delta - a) * (1.0 + EPS * np.arange(-40, 4)):
            exact = sum(map(Fraction, (d_a, d_b))) - 2 * Fraction(delta)
            assert not ends_free(d_a, d_b, a, b, delta) or Fraction(a) + Fraction(b) < exact


def bowed(rng, count):
    """Points that run from one place to another within (0, 1), and bend by no more than 1 each:
    (times, count, 3)."""
    t = np.linspace(0.0, 1.0, 401)[:, None, None]
    start, end = rng.uniform(-1.0, 1.0, (2, count, 3))
    axis = rng.normal(size=(count, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    return start + t * (end - start) + 0.5 * t * (1.0 - t) * rng.uniform(-1, 1, (count, 1)) * axis


def test_one_direction_at_both_ends_holds_on_the_way():
    """Two bodies of points whose accelerations are at most 1: M is 2."""
    rng = np.random.default_rng(31)
    free = 0
    for _ in range(400):
        a, b = bowed(rng, 3), bowed(rng, 3)
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        b -= (1.5 + rng.uniform(-1.0, 1.0)) * n
        apart = (a @ n).min(axis=1) - (b @ n).max(axis=1)
        level = rng.uniform(0.0, 0.2)
        if direction_free(apart[0], apart[-1], 2.0, level):
            assert apart.min() > level - 1e-12
            free += 1
    assert 20 < free < 380
    assert not direction_free(1.0, 0.25, 1.0, 0.125) and direction_free(1.0, 0.26, 1.0, 0.125)
    for values in (
        (math.nan, 1, 0, 0),
        (1, math.nan, 0, 0),
        (1, 1, math.nan, 0),
        (1, 1, 0, math.nan),
    ):
        assert not direction_free(*map(float, values))


def test_motions_that_agree_keep_their_distance():
    """The distance of two sets of points, which no direction need separate."""
    rng = np.random.default_rng(32)
    free = 0
    for _ in range(400):
        common = rng.uniform(-3.0, 3.0, 3) * np.linspace(0.0, 1.0, 401)[:, None, None]
        a, b = common + bowed(rng, 2), common + bowed(rng, 2)
        a[:] += rng.uniform(0.0, 4.0) * np.array([1.0, 0.0, 0.0])
        moved = (a[-1] - a[0])[:, None] - (b[-1] - b[0])[None]
        most = float(np.linalg.norm(moved, axis=2).max())
        distance = np.linalg.norm(a[:, :, None] - b[:, None], axis=3).min(axis=(1, 2))
        level = rng.uniform(0.0, 0.2)
        if agreeing_free(distance[0], distance[-1], most, 2.0, level):
            assert distance.min() > level - 1e-12
            free += 1
    assert 20 < free < 380
    exact = agreeing_free(1.0, 1.0, 1.0, 2.0, 0.25)
    assert not exact and agreeing_free(1.0, 1.0, 1.0, 2.0, 0.24)
    assert not agreeing_free(math.nan, 1.0, 0.0, 0.0, 0.0)
    assert not agreeing_free(1.0, 1.0, math.nan, 0.0, 0.0)


def test_what_is_not_a_number_is_not_free():
    nan = math.nan
    for values in ((nan, 0, 0, 0), (1, nan, 0, 0.1), (1, 0, nan, 0.1), (1, 0, 0, nan)):
        assert not half_free(*map(float, values))
    for values in ((nan, 0, 0), (1, nan, nan), (1, nan, 2), (1, 2, nan)):
        assert not uncovered(*map(float, values)) < 0.0
    assert not ends_free(nan, 1.0, 0.0, 0.0, 0.0)
    assert ends_free(1.0, 1.0, 0.9, 0.9, 0.05) and not ends_free(1.0, 1.0, 1.0, 1.0, 0.0)


def test_bad_bodies_and_motions_are_refused():
    tree = planar(2)
    point = np.zeros((1, 3))
    with pytest.raises(DuplicateNameError, match="twice"):
        MotionBound(tree, [MovingBody("twice", 1, point), MovingBody("twice", 2, point)])
    with pytest.raises(ShapeError, match="half"):
        MovingBody.of_shape("half", 1, HalfSpace(), np.eye(4))
    with pytest.raises(ShapeError, match="finite"):
        MotionBound(tree, [MovingBody("x", 1, point * math.nan)])
    with pytest.raises(UnknownNameError, match="frame"):
        MotionBound(tree, [MovingBody("x", 9, point)])
    floor = MovingBody.of_shape("floor", WORLD, HalfSpace(), np.eye(4))
    bound = MotionBound(tree, [floor, MovingBody("x", 2, point)])
    assert bound.segment([0, 0], [1, 1]).length(bound.pair("x", "floor")) > 0.0
    with pytest.raises(UnknownNameError, match="floor"):
        bound.pair("flor")
    with pytest.raises(ConfigurationError, match="a/j1"):
        bound.segment([0, 0], [0, math.inf])
    with pytest.raises(ConfigurationError, match=">= 0"):
        bound.curve([0, 0], [0, 0], [0, -1], [0, 0])
    with pytest.raises(ConfigurationError, match="speed"):
        bound.segment([-1.7e308, 0], [1.7e308, 0])
    with pytest.raises(ConfigurationError, match="a/j0"):
        bound.curve([1, 0], [0, 0], [1, 1], [1, 1])


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((2, 2)),
        np.zeros((3, 2)),
        np.zeros(3),
        np.zeros((1, 1, 3)),
        np.zeros((0, 3)),
        [["a", "b", "c"]],
        "abc",
        None,
        [[0, 0, 0], [1, 2]],
        [[1j, 0, 0]],
        [[0, 0, math.inf]],
        [[0, 0, 1e200]],
        [[0, 2e9, 0]],
    ],
)
def test_points_that_make_no_body_are_refused_by_its_name(points):
    with pytest.raises(ShapeError, match="crate"):
        MovingBody("crate", 1, points)


@pytest.mark.parametrize("frame", [1.5, 1.0, "a/l1", None, True, -1, 9, 10**30])
def test_frames_that_are_none_are_refused_by_the_name_of_the_body(frame):
    with pytest.raises(CellError, match="crate"):
        MotionBound(planar(2), [MovingBody("crate", frame, np.zeros((1, 3)))])
    MotionBound(planar(2), [MovingBody("crate", np.int64(1), [[0, 0, 0]])])


def test_a_bad_pose_of_a_body_is_refused():
    with pytest.raises(PoseError, match="crate"):
        MovingBody.of_shape("crate", 1, Sphere(1.0), np.full((4, 4), math.nan))


def test_planted_cases_hold_without_the_compiler():
    """The kernels are Python, too: the planted cases again, run as such."""
    environment = dict(os.environ, NUMBA_DISABLE_JIT="1")
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "pytest", "-q", "-k", "planted and not compiler", __file__]
    done = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
