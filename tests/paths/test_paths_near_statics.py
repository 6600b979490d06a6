"""The statics that a mover may reach: none is left out by the tree of boxes around them, and none
whose general test would not call it free."""

from __future__ import annotations

import math

import numpy as np
import pytest

import standoff as so
from standoff.compiled.jit import entry
from standoff.motion.kernels.certify import uncovered
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.motion import load_motion, place_at
from standoff.paths.kernels.pair import ball_test
from standoff.paths.kernels.statics import MASK, near_statics, swept_ball
from standoff.paths.path_search import new_scratch
from standoff.paths.tables import Settings, build_tables

CLEARANCE = 0.01


@entry("void(int64, int64)")
def load(cell, search):
    scratch = p.search_at(search)
    load_motion(p.cell_at(cell), scratch, scratch.exact, 0, False)


@entry("void(int64, int64, float64, float64)")
def place(cell, search, t, h):
    scratch = p.search_at(search)
    scratch.now.t, scratch.now.half = t, h
    place_at(p.cell_at(cell), scratch, t)


@entry("int64(int64, int64, int64)")
def near(cell, search, mover):
    scratch = p.search_at(search)
    return near_statics(p.cell_at(cell), scratch, mover, 0, len(scratch.pool))


@entry("boolean(int64, int64, int64, int64, float64)")
def balls_free(cell, search, mover, static, clearance):
    """By the balls around both."""
    scratch = p.search_at(search)
    back, ahead, _ = ball_test(
        p.cell_at(cell), scratch, mover, static, 0, 0, clearance, scratch.now.half
    )
    return back < 0.0 and ahead < 0.0


@entry("boolean(int64, int64, int64, float64[::1], float64)")
def box_free(cell, search, mover, box, clearance):
    """By the ball around the mover, and the box around what stands."""
    scratch, fixed = p.search_at(search), p.cell_at(cell)
    bow, most, taken = swept_ball(fixed, scratch, mover, scratch.now.half)
    ball = scratch.centres[mover]
    dx = max(box[0] - ball.x, ball.x - box[3], 0.0)
    dy = max(box[1] - ball.y, ball.y - box[4], 0.0)
    dz = max(box[2] - ball.z, ball.z - box[5], 0.0)
    run = scratch.now.half * math.sqrt(ball.vx**2 + ball.vy**2 + ball.vz**2)
    d = math.sqrt(dx * dx + dy * dy + dz * dz) - fixed.balls[mover].radius - clearance - taken
    return uncovered(d, run + bow, most) < 0.0


@pytest.mark.parametrize("count", [3, 64, 65, 700])
def test_whatever_a_ball_can_meet_is_listed(count):
    rng = np.random.default_rng(count)
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    for k in range(count):
        shape = so.Box(rng.uniform(0.01, 0.1, 3)) if k % 2 else so.Sphere(rng.uniform(0.01, 0.06))
        cell.add_body(f"s{k}", shape, so.pose(rng.uniform(-0.8, 0.8, 3), rpy=rng.normal(size=3)))
    tables = build_tables(cell, Settings(CLEARANCE, 1e-3, {}, np.zeros(len(cell.joints))))
    scratch, around = new_scratch(tables, 1), tables.layout.balls
    sets = tables.cell.address, scratch.address
    low, high = cell.tree.lower, cell.tree.upper
    first, statics = tables.movers, len(tables.primitives) - tables.movers
    reached = passed = 0
    for _ in range(40):
        a, b = rng.uniform(low, high, (2, len(low)))
        scratch.coefficients[:] = 0.0
        scratch.coefficients[0], scratch.coefficients[1] = a, b - a
        load(*sets)
        h = rng.choice([1e-4, 1e-3, 0.02, 0.1, 0.5])
        start = rng.uniform(0.0, 1.0 - 2 * h)
        # Where the centre of each mover's ball gets on the interval, and what it meets there.
        times = np.linspace(start, start + 2 * h, 33)
        met = np.zeros((tables.movers, statics), dtype=bool)
        centres = np.zeros((len(times), tables.movers, 3))
        for n, u in enumerate(times):
            poses = cell.tree.forward(a + u * (b - a))
            for mover in range(tables.movers):
                x, y, z, radius = around[mover]
                frame = poses[tables.cell.movers.frame[mover]]
                centre = frame[:3, :3] @ (x, y, z) + frame[:3, 3]
                centres[n, mover] = centre
                apart = np.linalg.norm(around[first:, :3] - centre, axis=1)
                met[mover] |= apart <= radius + around[first:, 3] + CLEARANCE
        place(*sets, start + h, h)
        for mover in range(tables.movers):
            row = tables.cell.movers[mover]
            skipped = set(tables.cell.skipped[row.first_skip : row.past_skips].tolist())
            listed = set((scratch.pool[: near(*sets, mover)] & MASK).tolist())
            wanted = set((first + np.flatnonzero(met[mover])).tolist())
            ball = so.Sphere(around[mover, 3])
            for k in wanted - skipped - listed:
                # Its ball is met; it may be left out where it is not itself.
                other = tables.primitives[k]
                for centre in centres[:, mover]:
                    gap = so.distance(ball, so.pose(centre), other.shape, other.pose).distance
                    assert gap > CLEARANCE
            for k in set(range(first, first + statics)) - skipped - listed:
                box = tables.primitives[k].box
                free = balls_free(*sets, mover, k, CLEARANCE)
                assert free or box_free(*sets, mover, box, CLEARANCE)
            reached += len(wanted)
            passed += statics - len(listed)
    assert reached > 20
    assert passed > 20
