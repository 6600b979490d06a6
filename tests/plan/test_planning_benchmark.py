"""The planning benchmark is fair and its judge is right: same shapes, same pairs, same verdicts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import standoff as so
from tests.oracles.pinocchio import urdf_path
from tests.worlds.problem_files import content, write

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def peers(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.fixture
def placed(tmp_path):
    urdf = urdf_path("panda")
    srdf = urdf.parent.parent / "srdf" / "panda.srdf"
    return so.plan.read_problem(write(tmp_path, content()), 7).build(urdf, srdf, "capsules")


def test_pinocchio_and_coal_see_the_same_cell(peers, placed):
    from peers.pinocchio_cell import PinocchioCell

    engine = PinocchioCell(placed.cell, placed.joints, placed.start)
    rng = np.random.default_rng(5)
    low, high = placed.cell.tree.lower[:7], placed.cell.tree.upper[:7]
    q = np.tile(placed.start, (1000, 1))
    q[:, :7] = rng.uniform(low, high, (1000, 7))
    ours = so.PathChecker(placed.cell, tolerance=1e-9).segments(q, q)
    theirs = np.array([engine.free(row[:7]) for row in q])
    assert 0.1 < ours.mean() < 0.9 and np.array_equal(ours, theirs)


def test_a_path_through_an_obstacle_is_refuted(peers, placed):
    from peers.pinocchio_cell import PinocchioCell
    from peers.planning_contest import SHORTER, Attempt, Summary, contest

    engine = PinocchioCell(placed.cell, placed.joints, placed.start)

    class Straight:
        """Looks at the ends alone, then stays where it is."""

        def __init__(self, placed):
            self.ends = np.stack([placed.start, placed.goals[0]])

        def plan(self, seed, timeout):
            return Attempt(self.ends, 0.25, Attempt(self.ends[[0, 0]], 0.5))

        def touches(self, q):
            return not engine.free(q[:7])

    class Nothing(Straight):
        def plan(self, seed, timeout):
            return Attempt(None, timeout)

    results = {}
    contest(placed, {"straight": Straight, "nothing": Nothing}, 3.0, results)
    length = float(np.linalg.norm(placed.goals[0] - placed.start))
    assert Summary.of(results["straight"]) == Summary(1, 1, 0.25, 0.25, length, 0, 1, 1)
    assert Summary.of(results["straight" + SHORTER]) == Summary(1, 1, 0.5, 0.5, 0.0, 1, 0, 0)
    missed = Summary.of(results["nothing"])
    assert (missed.solved, missed.median, missed.refuted) == (0, 3.0, 0)
    assert results["straight"][0].verdict.pair[1] == "can"
