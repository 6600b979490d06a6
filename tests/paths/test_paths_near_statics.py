"""The statics that a mover may reach: none is left out by the tree of boxes around them."""

from __future__ import annotations

import numpy as np
import pytest

import standoff as so
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.motion import load_motion, place_at
from standoff.paths.kernels.statics import MASK, near_statics
from standoff.paths.search import new_scratch
from standoff.paths.tables import build_tables

CLEARANCE = 0.01


@pytest.mark.parametrize("count", [3, 64, 65, 700])
def test_whatever_a_ball_can_meet_is_listed(count):
    rng = np.random.default_rng(count)
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    for k in range(count):
        shape = so.Box(rng.uniform(0.01, 0.1, 3)) if k % 2 else so.Sphere(rng.uniform(0.01, 0.06))
        cell.add_body(f"s{k}", shape, so.pose(rng.uniform(-0.8, 0.8, 3), rpy=rng.normal(size=3)))
    tables = build_tables(cell, CLEARANCE, 1e-3, {}, np.zeros(len(cell.joints)), True, True)
    scratch, arena = new_scratch(tables, 1), tables.arena
    F, W = arena.F, arena.W
    low, high, none = cell.tree.lower, cell.tree.upper, np.zeros((1, len(cell.joints)))
    first, statics = tables.movers, len(tables.primitives) - tables.movers
    reached = passed = 0
    for _ in range(40):
        a, b = rng.uniform(low, high, (2, len(low)))
        scratch["coefficients"][:] = 0.0
        scratch["coefficients"][0], scratch["coefficients"][1] = a, b - a
        load_motion(F, W, scratch.F, scratch.W, none, 0, False)
        h = rng.choice([1e-4, 1e-3, 0.02, 0.1, 0.5])
        start = rng.uniform(0.0, 1.0 - 2 * h)
        # Where the centre of each mover's ball gets on the interval, and what it meets there.
        times = np.linspace(start, start + 2 * h, 33)
        met = np.zeros((tables.movers, statics), dtype=bool)
        centres = np.zeros((len(times), tables.movers, 3))
        for n, u in enumerate(times):
            poses = cell.tree.forward(a + u * (b - a))
            for mover in range(tables.movers):
                x, y, z, radius = arena["balls"][mover]
                frame = poses[arena["movers"][mover, p.FRAME]]
                centre = frame[:3, :3] @ (x, y, z) + frame[:3, 3]
                centres[n, mover] = centre
                apart = np.linalg.norm(arena["balls"][first:, :3] - centre, axis=1)
                met[mover] |= apart <= radius + arena["balls"][first:, 3] + CLEARANCE
        place_at(F, W, scratch.F, scratch.W, start + h)
        for mover in range(tables.movers):
            skips = slice(*arena["skips"][mover])
            end = near_statics(
                F, W, scratch.F, scratch.W, 0, mover, start + h, h, 0, len(scratch["pool"])
            )
            listed = set((scratch["pool"][:end, 0] & MASK).tolist())
            wanted = set((first + np.flatnonzero(met[mover])).tolist())
            ball = so.Sphere(arena["balls"][mover, 3])
            for k in wanted - set(arena["skipped"][skips, 0].tolist()) - listed:
                # Its ball is met; it may be left out where it is not itself.
                other = tables.primitives[k]
                for centre in centres[:, mover]:
                    gap = so.distance(ball, so.pose(centre), other.shape, other.pose).value
                    assert gap > CLEARANCE
            reached += len(wanted)
            passed += statics - len(listed)
    assert reached > 20
    assert passed > 20
