"""HPP's `Dichotomy(0)`, the one other certified path check, agrees on a sample of 1,000 segments.

Skipped where HPP is not installed; see `benchmarks/peers/paths_hpp.py` for where it is looked for.
"""

import math
from pathlib import Path

import numpy as np
import pytest

import standoff as so
from tests.worlds.path_worlds import OBSTACLES, ROBOTS, PathWorld

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SHARE = math.ceil(1000 / (len(ROBOTS) * len(OBSTACLES)))


@pytest.mark.parametrize("obstacles", OBSTACLES)
@pytest.mark.parametrize("robot", ROBOTS)
def test_hpp_agrees(robot, obstacles, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from peers.paths_hpp import Hpp, interpreter

    python = interpreter()
    if python is None:
        pytest.skip("hpp-python is not installed, and STANDOFF_HPP_PYTHON names no Python with it")
    # An even seed: HPP has no half spaces.
    world = PathWorld(robot, obstacles, 200)
    starts, ends = world.segments(SHARE)
    # Fingers that mimic each other are more than HPP's reader takes: they stand still.
    frozen = {name: 0.01 for name in world.cell.joints if "finger" in name}
    columns = [world.cell.joints.index(name) for name in frozen]
    starts[:, columns] = ends[:, columns] = 0.01
    ours = so.PathChecker(world.cell).segments(starts, ends)
    with Hpp(python, world.cell, frozen, starts, ends) as hpp:
        theirs, _ = hpp.run(range(SHARE))
    assert 0.1 < ours.mean() < 0.95
    for k in np.flatnonzero(ours != theirs):
        nearest = world.oracle.nearest(starts[k], ends[k])
        # A pass within the tolerance may be called too close; within a micrometre of touching,
        # Coal's own tolerance decides what HPP sees.
        near = -1e-6 < nearest.distance < (1e-3 if theirs[k] else 1e-6)
        assert near, (robot, obstacles, starts[k].tolist(), ends[k].tolist(), nearest)
