"""What the path checker itself takes for the motion of a mover: λ, M and position error are those
of the tested motion bound from every depth on, and its margin holds what rounding hides."""

from __future__ import annotations

import math

import numpy as np
import pytest

import standoff as so
from standoff.cell.model import Primitive
from standoff.compiled.jit import entry
from standoff.geometry.pose import pose
from standoff.motion.kernels.bound import CHAIN0, curvature, path_length
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.links import MANY, near_links
from standoff.paths.kernels.motion import bound_motion, load_motion, place_at, place_ball
from standoff.paths.kernels.pair import ball_test
from standoff.paths.path_search import new_scratch
from standoff.paths.tables import Movers, Settings, build_tables
from standoff.robots.description import Mimic
from standoff.robots.kernels import kinematics
from standoff.tolerances import EPS
from tests.worlds.arms import FREE, Z, arm
from tests.worlds.random_trees import World

#: What the order of a sum may change of it, relative to it: far below MOTION_ROUNDING, by which all
#: are raised.
ORDER = 1e-12

exact = pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 0.01 * EPS, reason="no floats finer than float64"
)


@entry("void(int64, int64, float64[:, ::1], float64, float64)")
def bound_at(cell, search, rounding, t, h):
    """Everything about the piece in the scratch, on the interval ``h`` about ``t``."""
    fixed, scratch = p.cell_at(cell), p.search_at(search)
    load_motion(fixed, scratch, rounding, 0, False)
    if h < 0.5:
        bound_motion(fixed, scratch, t, h)
    scratch.now.t, scratch.now.half = t, h
    place_at(fixed, scratch, t)
    for i in range(fixed.counts.movers):
        place_ball(fixed, scratch, i)


class Carried:
    """Small balls about points of frames of a tree, as the path checker lays out what moves."""

    def __init__(self, tree, points, deviation=0.0):
        self.tree, joints = tree, len(tree.joints)
        given = tuple(
            Primitive("x", k, frame, so.Sphere(1e-3), pose(point))
            for k, (frame, point) in enumerate(sorted(points, key=lambda x: x[0]))
        )
        movers = Movers(tree, given, {})
        count = len(movers.primitives)
        depth = tree.ints[:, kinematics.DEPTH]
        self.cell = p.PathCell(
            tree=tree.reals, linkage=tree.ints, movers=movers.rows, motion_bodies=movers.bodies,
            carried=movers.bound.bodies, chain=movers.bound.chain, reach=movers.bound.reach,
            cores=movers.cores, balls=movers.balls.view(p.BALL).reshape(-1),
            deviation=np.full(joints, deviation),
        )  # fmt: skip
        counts = self.cell.counts
        counts.movers, counts.single, counts.frames = count, len(given), tree.frames
        counts.deepest, counts.slides = depth.max(initial=0), 1
        by_joint = dict.fromkeys(("low", "high", "largest", "q", "dq"), joints)
        by_frame = dict.fromkeys(
            ("speed", "acceleration", "position_error", "position_size", "poses", "twists"),
            tree.frames,
        )
        self.search = p.Search(
            **by_joint, **by_frame, coefficients=(p.POWERS, joints), glides=0,
            wide=movers.bound.reach.copy(), tails=count * (int(counts.deepest) + 1), margin=count,
            turns=tree.scratch(), centres=count, stamps=count,
        )  # fmt: skip
        self.search.stamps.ball = -1

    def load(self, coefficients, rounding, t, h):
        self.search.coefficients[:] = 0.0
        self.search.coefficients[: len(coefficients)] = coefficients
        bound_at(self.cell.address, self.search.address, np.atleast_2d(rounding), t, h)

    def truth(self, i, t):
        """Place and velocity of the centre of ball ``i`` in extended precision."""
        tree, ball = self.tree, self.cell.balls[i]
        c, u = self.search.coefficients.astype(np.longdouble), np.longdouble(t)
        q = sum(c[k] * u**k for k in range(p.POWERS))
        dq = sum(k * c[k] * u ** (k - 1) for k in range(1, p.POWERS))
        frames, f = [], int(self.cell.movers[i].frame)
        while f:
            frames.insert(0, f)
            f = int(tree.ints[f, kinematics.PARENT])
        R, x = np.eye(3, dtype=np.longdouble), np.zeros(3, dtype=np.longdouble)
        w, v = x.copy(), x.copy()
        for f in frames:
            row = tree.reals[f].astype(np.longdouble)
            j, times = tree.ints[f, kinematics.INDEX], row[kinematics.MULTIPLIER]
            value, rate = times * q[j] + row[kinematics.OFFSET], times * dq[j]
            origin = row[:12].reshape(3, 4)
            lever, R = R @ origin[:, 3], R @ origin[:, :3]
            if tree.ints[f, kinematics.JOINT_KIND] == kinematics.PRISMATIC:
                lever = lever + R[:, 2] * value
            x, v = x + lever, v + np.cross(w, lever)
            if tree.ints[f, kinematics.JOINT_KIND] == kinematics.PRISMATIC:
                v = v + R[:, 2] * rate
            else:
                w = w + R[:, 2] * rate
                s, k = np.sin(value), np.cos(value)
                R = R @ np.array([[k, -s, 0], [s, k, 0], [0, 0, 1]], dtype=np.longdouble)
        lever = R @ np.array([ball.x, ball.y, ball.z], dtype=np.longdouble)
        return x + lever, v + np.cross(w, lever)

    def hidden(self, i, t):
        """What rounding hides of where the centre of ball ``i`` is, and of how far its velocity
        takes it in half a piece, [m]."""
        at, (place, velocity) = self.search.centres[i], self.truth(i, t)
        off = np.array([at.x, at.y, at.z]) - place
        slow = np.array([at.vx, at.vy, at.vz]) - velocity
        return float(np.linalg.norm(off) + 0.5 * np.linalg.norm(slow))


def random_motions(seed, count, most):
    """Balls on random trees and a polynomial motion of degree ``most`` at most, loaded at a random
    interval."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        world = World(rng)
        points = [
            (world.tree.link(str(name))[0], 0.3 * world.size * rng.normal(size=3))
            for name in rng.choice(world.names, 3)
        ]
        carried = Carried(world.tree, [x for x in points if x[0]], rng.choice([0.0, 0.01]))
        if not len(carried.cell.movers):
            continue
        qa, qb = world.random_segment(rng)
        c = np.stack([qa, qb - qa, *rng.normal(size=(int(rng.integers(1, most + 1)) - 1, len(qa)))])
        h = float(rng.choice([0.5, 0.1, 0.01]))
        t = float(rng.uniform(h, 1.0 - h))
        carried.load(c, rng.choice([0.0, 1e-3]) * rng.random(len(qa)), t, h)
        yield rng, carried, t, h


def test_the_bounds_of_a_mover_from_each_depth_on_are_those_of_the_motion_bound():
    looked = 0
    for _, carried, _, _ in random_motions(41, 400, p.DEGREE):
        cell, search = carried.cell, carried.search
        steps = int(cell.counts.deepest) + 1
        for i, mover in enumerate(cell.movers):
            first = int(cell.motion_bodies[i, CHAIN0])
            last = first + int(mover.joints)
            for depth in range(int(mover.joints) + 1):
                tail, span = search.tails[i * steps + depth], (first + depth, last)
                chain = cell.chain, search.wide, *span
                length = path_length(*chain, search.speed)
                bend = curvature(*chain, search.speed) + path_length(*chain, search.acceleration)
                error = path_length(*chain, search.position_error)
                for own, sum_ in ((tail.length, length), (tail.bend, bend), (tail.error, error)):
                    assert sum_ * (1.0 - ORDER) <= own <= sum_ * (1.0 + ORDER)
                    looked += own > 0.0
    assert looked > 2000


def test_no_joint_is_faster_or_speeds_up_more_than_its_pace():
    for _, carried, t, h in random_motions(42, 400, p.DEGREE):
        tree, search = carried.tree, carried.search
        times = np.linspace(t - h, t + h, 41)[:, None]
        c = np.array(search.coefficients)
        speed = sum(k * c[k] * times ** (k - 1) for k in range(1, p.POWERS))
        change = sum(k * (k - 1) * c[k] * times ** (k - 2) for k in range(2, p.POWERS))
        for f in range(1, tree.frames):
            j, multiplier = (
                tree.ints[f, kinematics.INDEX],
                abs(tree.reals[f, kinematics.MULTIPLIER]),
            )
            for found, pace in ((speed, search.speed[f]), (change, search.acceleration[f])):
                assert multiplier * np.abs(found[:, j]).max() <= pace * (1.0 + ORDER)


@exact
def test_the_margin_of_a_mover_holds_what_rounding_hides_of_it():
    worst = 0.0
    for _, carried, t, _ in random_motions(43, 300, p.DEGREE):
        for i in range(len(carried.cell.movers)):
            hidden, margin = carried.hidden(i, t), float(carried.search.margin[i])
            assert hidden <= margin
            worst = max(worst, hidden / margin)
    assert worst > 1e-4


@exact
@pytest.mark.parametrize("limits", [(0.0, 1e7), (0.0, 1.0)])
def test_the_margin_holds_far_out_on_a_rail(limits):
    """Ten thousand kilometres out, within the rail's limits or beyond them, a coordinate rounds to
    nanometres."""
    tree = arm(
        ("prismatic", (0, 0, 0), (1, 0, 0), limits, None),
        ("continuous", (0, 0, 0), Z, FREE, None),
        ("prismatic", (0.7, 0.1, 0), (1, 0, 0), (0, 1), None),
    )
    carried = Carried(tree, [(2, (0, 0, 0)), (3, (0, 0, 0))])
    for angle in np.linspace(0.1, 6.2, 60):
        carried.load([[9.87e6, angle, 0.3], [0.0, 1.0, 1.0]], np.zeros(3), 0.3, 0.3)
        for i in range(len(carried.cell.movers)):
            assert carried.hidden(i, 0.3) <= carried.search.margin[i]


@exact
def test_the_margin_holds_of_a_point_far_up_its_axis_and_of_a_mimic_that_rounds_its_angle():
    axis = np.array([1.0, 2.0, 3.0]) / math.sqrt(14)
    high = Carried(arm(("continuous", (0, 0, 0), axis, FREE, None)), [(1, (0, 0, 1e4))])
    fast = arm(
        ("continuous", (0, 0, 0), Z, FREE, None),
        ("continuous", (1, 0, 0), Z, FREE, Mimic("j0", 1000.0, 0.3)),
    )
    thousand = Carried(fast, [(2, (1.0, 0, 0))])
    for q in np.random.default_rng(18).uniform(20, 60, 300):
        for carried in (high, thousand):
            carried.load([[q], [1.0]], np.zeros(1), 0.4, 0.1)
            for i in range(len(carried.cell.movers)):
                assert carried.hidden(i, 0.4) <= carried.search.margin[i]


@entry("void(int64, int64, float64, float64)")
def load_whole(cell, search, t, h):
    fixed, scratch = p.cell_at(cell), p.search_at(search)
    load_motion(fixed, scratch, scratch.exact, 0, False)
    scratch.now.t, scratch.now.half = t, h
    place_at(fixed, scratch, t)


@entry("int64(int64, int64)")
def list_pairs(cell, search):
    """Where the codes of the sphere pairs end that may meet."""
    return near_links(p.cell_at(cell), p.search_at(search), 0)


@entry("boolean(int64, int64, int64)")
def spheres_free(cell, search, k):
    """By `ball_test`, which the pair would have got; from the frame it is tested in, or from the
    world."""
    fixed, scratch = p.cell_at(cell), p.search_at(search)
    pair, h = fixed.sphere_pairs[k], scratch.now.half
    clearance = fixed.links[pair.first].clearance
    near = ball_test(fixed, scratch, pair.a, pair.b, pair.common, pair.depth, clearance, h)
    far = ball_test(fixed, scratch, pair.a, pair.b, 0, 0, clearance, h)
    return (near[0] < 0.0 and near[1] < 0.0) or (far[0] < 0.0 and far[1] < 0.0)


def test_of_many_sphere_pairs_only_those_are_left_out_that_are_free():
    rng = np.random.default_rng(44)
    cell = so.Cell()
    for k in range(3):
        cell.add_robot("builtin:panda", name=f"arm{k}", base=so.pose((0.7 * k, 0.0, 0.0)))
    tables = build_tables(cell, Settings(0.01, 1e-3, {}, np.zeros(len(cell.joints))))
    scratch = new_scratch(tables, 1)
    sets = tables.cell.address, scratch.address
    links, pairs = len(tables.cell.links), tables.cell.sphere_pairs
    assert len(pairs) >= MANY and tables.cell.counts.sparing
    frame, balls = tables.cell.movers.frame, tables.layout.balls
    low, high = cell.tree.lower, cell.tree.upper
    dropped = kept = agreed = 0
    for _ in range(60):
        a, b = rng.uniform(low, high, (2, len(low)))
        scratch.coefficients[:] = 0.0
        scratch.coefficients[0], scratch.coefficients[1] = a, b - a
        h = float(rng.choice([1e-4, 0.003, 0.02, 0.1, 0.5]))
        t = float(rng.uniform(h, 1.0 - h))
        load_whole(*sets, t, h)
        end = list_pairs(*sets)
        listed = {-1 - links - int(code) for code in scratch.pool[:end]}
        settled = set(np.flatnonzero(scratch.settled).tolist())
        poses = [cell.tree.forward(a + u * (b - a)) for u in np.linspace(t - h, t + h, 21)]
        for k in set(range(len(pairs))) - listed - settled:
            one, other = int(pairs[k].a), int(pairs[k].b)
            ends = [
                np.array([x[frame[i], :3, :3] @ balls[i, :3] + x[frame[i], :3, 3] for x in poses])
                for i in (one, other)
            ]
            apart = np.linalg.norm(ends[0] - ends[1], axis=1).min()
            assert apart > balls[one, 3] + balls[other, 3] + 0.01
            agreed += spheres_free(*sets, k)
            dropped += 1
        kept += end
    assert dropped > 200 and kept > 200
    # The way of one ball may be bounded by its velocity and that of the other by its length;
    # `ball_test` takes either for both.
    assert agreed > 0.99 * dropped
