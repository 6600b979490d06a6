"""The motion bound: no point of any body is ever outside it, and it is about as tight as it can be.

Truth comes from `tests.random_trees`, plain kinematics that share nothing with the kernels."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.constants import SPEED_ROUNDING
from standoff.errors import (
    ConfigurationError,
    DuplicateNameError,
    ShapeError,
    UnknownNameError,
)
from standoff.kernels import motion as chains
from standoff.kernels.separation import ends_free, free_span, half_free
from standoff.robots.description import Joint, Link, Mimic, Robot
from standoff.robots.motion import MotionBound
from standoff.robots.moving_body import MovingBody
from standoff.robots.tree import WORLD, Mount, Tree
from standoff.shapes.pose import pose
from standoff.shapes.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from tests.random_trees import World, track

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

    def axes(self, q):
        """The common frame's rotation in the world, by the truth."""
        if self.pair.common == WORLD:
            return np.eye(3)
        corner = np.concatenate([np.zeros((1, 3)), np.eye(3)])
        placed = positions(self.world, (self.stop, corner), -1, q[None])[0]
        return (placed[1:] - placed[0]).T


def draws(seed, worlds, pairs):
    """Random pairs of bodies on random worlds: about a fifth of them against the static world."""
    rng = np.random.default_rng(seed)
    for _ in range(worlds):
        world = World(rng)
        count = len(world.names)
        bodies = []
        for i in range(2 * pairs):
            link = int(rng.integers(count)) if i % 2 or rng.random() < 0.8 else -1
            points = rng.normal(size=(int(rng.integers(1, 4)), 3)) * 0.3
            bodies.append((link, points))
        moving = []
        for i, (link, points) in enumerate(bodies):
            frame, offset = (WORLD, np.eye(4)) if link < 0 else world.tree.link(world.names[link])
            moving.append(MovingBody(f"{i}", frame, points @ offset[:3, :3].T + offset[:3, 3]))
        bound = MotionBound(world.tree, moving)
        for i in range(0, 2 * pairs, 2):
            yield rng, Draw(world, bound, (f"{i}", f"{i + 1}"), bodies[i : i + 2])


def check_instant(rng, draw, motion, tc, times, q_of, dq):
    """All that is claimed about an interval around ``tc``, at sampled ``times`` of it."""
    pair, bound = draw.pair, draw.bound
    q = q_of(np.array([tc]))[0]
    span = np.abs(times - tc)
    here, there = draw.truth(q[None]), draw.truth(q_of(times))
    axes = draw.axes(q)
    poses, twists = bound.tree.velocities(q, dq)
    slack = ROUNDING * (1.0 + bound.extent.max()) + motion._slack(pair)
    for k, body_span in enumerate(draw.spans):
        frame = int(bound.bodies[(pair.a, pair.b)[k], chains.BODY_FRAME])
        world_points = poses[pair.common, :3, 3] + here[k][0] @ axes.T
        if pair.common != WORLD:
            corner = positions(draw.world, (draw.stop, np.zeros((1, 3))), -1, q[None])[0, 0]
            world_points = corner + here[k][0] @ axes.T
        v = seen_from(twists, poses, frame, pair.common, world_points) @ axes
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
    back, forward = motion.closing(pair, q, dq, axes @ n)
    gap = there[0].dot(n).min(axis=1) - there[1].dot(n).max(axis=1)
    gap0 = here[0].dot(n).min() - here[1].dot(n).max()
    closing = np.where(times < tc, back, forward)
    assert (gap >= gap0 - span * closing - 0.5 * span**2 * M - slack).all()
    apart = np.linalg.norm(there[0][:, :, None] - there[1][:, None], axis=3).min(axis=(1, 2))
    apart0 = np.linalg.norm(here[0][:, :, None] - here[1][:, None], axis=3).min()
    near = motion.nearing(pair, q, dq)
    assert near <= motion.length(pair) + slack
    assert (apart >= apart0 - span * near - 0.5 * span**2 * M - slack).all()


def span_signed(times, tc):
    return (times - tc)[:, None, None]


def seen_from(twists, poses, frame, common, points):
    """Velocities of world points of ``frame``, seen from ``common``, along the world's axes."""
    own = twists[frame, 3:] + np.cross(twists[frame, :3], points - poses[frame, :3, 3])
    shared = twists[common, 3:] + np.cross(twists[common, :3], points - poses[common, :3, 3])
    return own - shared


def check_segment(rng, draw):
    qa, qb = draw.world.random_segment(rng)
    error = np.abs(rng.normal(size=len(qa))) * rng.choice([0.0, 0.05, 0.5])
    motion = draw.bound.segment(qa, qb, deviation=error)
    dq = qb - qa

    def q_of(times):
        return qa + times[:, None] * dq

    tc = rng.uniform()
    half = rng.choice([1.0, 0.2, 0.02])
    times = np.clip(np.append(tc + half * rng.uniform(-1, 1, 20), (tc - half, tc + half)), 0, 1)
    check_instant(rng, draw, motion, tc, times, q_of, dq)
    strayed = q_of(times) + error * rng.choice([-1.0, 1.0, 0.3], (len(times), len(error)))
    stray = motion.stray(draw.pair)
    nominal, off = draw.truth(q_of(times)), draw.truth(strayed)
    total = sum(np.linalg.norm(b - a, axis=2).max(axis=1) for a, b in zip(nominal, off))
    assert (total <= stray + ROUNDING * (1.0 + draw.bound.extent.max())).all()


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


def test_no_point_is_outside_its_bound_on_20000_segments():
    for rng, draw in draws(seed=11, worlds=5000, pairs=4):
        check_segment(rng, draw)


def test_no_point_is_outside_its_bound_on_curves():
    for rng, draw in draws(seed=12, worlds=500, pairs=4):
        check_curve(rng, draw)


@pytest.mark.soak
def test_no_point_is_outside_its_bound_on_very_many_worlds():
    for rng, draw in draws(seed=13, worlds=20000, pairs=4):
        check_segment(rng, draw)
        check_curve(rng, draw)
