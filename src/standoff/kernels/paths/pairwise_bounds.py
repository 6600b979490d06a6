"""How far the pairs of `pairwise` can move, and how long that keeps them apart."""

from __future__ import annotations

import math

from standoff.constants import EPS
from standoff.kernels.closing import nearing_speed
from standoff.kernels.jit import kernel
from standoff.kernels.kinematics import DEPTH
from standoff.kernels.motion import (
    BODY_FRAME,
    CHAIN0,
    curvature,
    joint_magnitudes,
    path_length,
    speed_slack,
    travel_beyond,
    widen_reach,
)
from standoff.kernels.paths.sampled import BODY_A, BODY_B, COMMON, PRIM_A, PRIM_B
from standoff.kernels.separation import free_span

#: Columns of ``limits``: λ, M, what is taken from a distance once, what is added to a speed.
LENGTH = 0
CURVATURE = 1
STRAY = 2
SLACK = 3
LIMIT_COLUMNS = 4

MOTION_ROWS = 8


@kernel
def measure(reals, ints, bodies, chain, reach, extent, size, pairs, qa, qb, motion, totals, limits):
    """``limits`` of every pair over the segment, ``totals`` of every body from the world on;
    ``motion`` is scratch of MOTION_ROWS rows, as long as there are joints, frames or chains."""
    frames, joints, links = reals.shape[0], qa.shape[0], reach.shape[0]
    low, high, moved, rounded = motion[0], motion[1], motion[2], motion[3]
    speed, error, beyond, wide = motion[4], motion[5], motion[6], motion[7]
    for j in range(joints):
        low[j], high[j] = min(qa[j], qb[j]), max(qa[j], qb[j])
        moved[j] = abs(qb[j] - qa[j])
        rounded[j] = EPS * (abs(qa[j]) + abs(qb[j]))
    joint_magnitudes(reals, ints, moved, speed)
    joint_magnitudes(reals, ints, rounded, error)
    widen_reach(reals, ints, bodies, chain, reach, low, high, wide[:links])
    travel_beyond(reals, ints, low, high, beyond[:frames])
    for j in range(joints):
        low[j] = max(abs(qa[j]), abs(qb[j]))
    for body in range(bodies.shape[0]):
        frame, first = bodies[body, BODY_FRAME], bodies[body, CHAIN0]
        last = first + ints[frame, DEPTH]
        far = extent[frame] + beyond[frame] + size[body]
        totals[body, LENGTH] = path_length(chain, wide, first, last, speed)
        totals[body, CURVATURE] = curvature(chain, wide, first, last, speed)
        totals[body, STRAY] = path_length(chain, wide, first, last, error)
        totals[body, SLACK] = speed_slack(
            reals, ints, chain, wide, first, last, speed, low, far
        )  # fmt: skip
    for p in range(pairs.shape[0]):
        a, b, common = pairs[p, BODY_A], pairs[p, BODY_B], pairs[p, COMMON]
        for k in range(LIMIT_COLUMNS):
            limits[p, k] = totals[a, k] + totals[b, k]
        if common == 0:
            continue
        limits[p, LENGTH] = limits[p, CURVATURE] = 0.0
        for side in range(2):
            body = pairs[p, BODY_A + side]
            first = bodies[body, CHAIN0]
            start, stop = first + ints[common, DEPTH], first + ints[bodies[body, BODY_FRAME], DEPTH]
            limits[p, LENGTH] += path_length(chain, wide, start, stop, speed)
            limits[p, CURVATURE] += curvature(chain, wide, start, stop, speed)


@kernel
def first_order(d, limits, p):
    """How long the pair stays free by the paper's bound."""
    return free_span(d - limits[p, STRAY], limits[p, LENGTH], 0.0)


@kernel
def second_order(span, limits, p, poses, twists, frames, slot, bodies, mpoints, pairs):
    """The same by the speed at this instant and the curvature, where that is longer. The distance
    is what the first order made its ``span`` of."""
    d = span * limits[p, LENGTH]
    if not d < math.inf:
        return span
    first, last = slot * frames, (slot + 1) * frames
    speed = limits[p, SLACK] + nearing_speed(
        poses[first:last], twists[first:last], bodies, mpoints,
        pairs[p, BODY_A], pairs[p, BODY_B], pairs[p, COMMON],
    )  # fmt: skip
    return max(span, free_span(d, speed, limits[p, CURVATURE]))


@kernel
def ball_gap(poses, balls, frame, pairs, p, first):
    """The gap between the balls around the two primitives of a pair, at the frames from row
    ``first`` of ``poses`` on."""
    i, j = pairs[p, PRIM_A], pairs[p, PRIM_B]
    f, g = first + frame[i], first + frame[j]
    total = 0.0
    for r in range(0, 12, 4):
        x = poses[f, r + 3] - poses[g, r + 3]
        for c in range(3):
            x += poses[f, r + c] * balls[i, c] - poses[g, r + c] * balls[j, c]
        total += x * x
    return math.sqrt(total) - balls[i, 3] - balls[j, 3]
