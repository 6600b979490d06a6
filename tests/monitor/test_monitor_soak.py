"""A watch that does not end: a million cycles with faults, each as naive says, in the same memory.

`make soak` runs all of them; the suite runs a part.
"""

import gc
import os
from pathlib import Path

import numpy as np
import pytest

import standoff as so
from tests.oracles.monitor_answers import exact, explain
from tests.worlds.monitor_worlds import PERIOD, nudge

CYCLES = int(os.environ.get("STANDOFF_SOAK_CYCLES", 0)) or (
    1_000_000 if os.environ.get("STANDOFF_SOAK") else 2_000
)
#: How much more memory the process may have in the last quarter than in the second, [bytes].
MORE = 2**20


def resident():
    """Memory of this process, [bytes]; None where the system does not tell."""
    statm = Path("/proc/self/statm")
    if not statm.is_file():
        return None
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def make_cell(rng):
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm", base=so.pose((0, 0, -0.6)))
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -0.7)))
    for k, shape in enumerate((so.Sphere(0.1), so.Capsule(0.05, 0.4), so.Box((0.2, 0.3, 0.1)))):
        cell.add_body(f"mover{k}", shape, so.pose((0.5 * k, 0.5, 0.5)), moving=True)
    for k in range(16):
        at = so.pose(rng.uniform(-1.2, 1.2, 3), rpy=rng.uniform(-3, 3, 3))
        cell.add_body(f"still{k}", so.Box(rng.uniform(0.05, 0.3, 3)), at)
    return cell


class Script:
    """Joints that swing, bodies that wander; one reading in thirty is bad."""

    def __init__(self, rng, cell):
        self.rng, self.cell = rng, cell
        self.poses = np.array([cell.bodies[n].pose for n in cell.moving])
        self.rate = rng.uniform(0.05, 0.4, len(cell.joints))
        self.speed = rng.normal(size=(3, 3)) * 0.4
        self.time = 0.0

    def reading(self, k):
        rng = self.rng
        self.time += PERIOD
        q = 1.2 * np.sin(self.rate * k * PERIOD)
        if k % 50 == 0:
            self.speed = rng.normal(size=(3, 3)) * 0.4 - 0.5 * self.poses[:, :3, 3]
        for b in range(3):
            if k % 3 == b:
                self.poses[b] = nudge(self.poses[b], 3 * PERIOD * self.speed[b], self.speed[b] / 9)
        poses, time = self.poses, self.time
        draw = rng.random()
        if draw < 0.005:
            q = q.copy()
            q[int(rng.integers(7))] = np.nan
        elif draw < 0.010:
            poses = poses.copy()
            poses[int(rng.integers(3)), int(rng.integers(3)), int(rng.integers(4))] = np.inf
        elif draw < 0.015:
            time -= 1.0
        elif draw < 0.020:
            q = q[:-1]
        elif draw < 0.024:
            poses = None
        elif draw < 0.027:
            self.poses[int(rng.integers(3)), :3, 3] = rng.uniform(-3, 3, 3)
        elif draw < 0.030:
            q = ["bad", None, {}][int(rng.integers(3))]
        elif draw < 0.033:
            self.time += 1.0
        return q, poses, time


def same(a, b):
    """Whether two cycles say the same, bit for bit, without making what nobody asked for."""
    if repr(a.clearance) != repr(b.clearance) or len(a.faults) != len(b.faults):
        return False
    if (a._hits is None) != (b._hits is None):
        return False
    if [(f.kind, f.element) for f in a.faults] != [(f.kind, f.element) for f in b.faults]:
        return False
    return a._hits is None or exact(a) == exact(b)


@pytest.mark.soak
def test_a_long_watch_agrees_with_naive_in_the_same_memory():
    rng = np.random.default_rng(1)
    cell = make_cell(rng)
    script = Script(rng, cell)
    how = {"buffer": {"default": 0.05, "arm": so.separation(
        2.0, reaction=0.02, period=PERIOD, deceleration=20.0)}}  # fmt: skip
    naive = so.Monitor(cell, index="naive", **how)
    ways = [
        so.Monitor(cell, index=so.Octree(3), **how),
        so.Monitor(cell, index=so.Octree(2, follow="neighbours"), **how),
        so.Monitor(cell, index=so.Grid(12), **how),
    ]
    told = {"warnings": 0, "faults": 0}
    settled, memory = [], []
    for k in range(CYCLES):
        q, poses, time = script.reading(k)
        expected = naive.update(q, poses, time)
        for monitor in ways:
            cycle = monitor.update(q, poses, time)
            assert same(cycle, expected), (
                k,
                explain(cycle, expected),
                explain(expected, cycle),
            )
        told["warnings"] += expected._hits is not None
        told["faults"] += bool(expected.faults)
        if k == CYCLES // 2:
            settled = [monitor.nbytes for monitor in ways]
        if k % (CYCLES // 40) == 0:
            gc.collect()
            memory.append(resident())
    assert told["warnings"] > CYCLES // 50 and told["faults"] > CYCLES // 50
    assert [monitor.nbytes for monitor in ways] == settled
    if None not in memory:
        # The allocator settles in the first half; a leak goes on.
        second, last = max(memory[10:20]), max(memory[30:])
        print(f"{second} bytes in the second quarter, {last} in the last; {told}")
        assert last - second <= MORE
