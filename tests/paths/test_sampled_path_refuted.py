"""Paths that OMPL's RRT-Connect calls free at its own resolution, and that are not.

`benchmarks/planning.py` found them on MotionBenchMaker's problems for the Panda: motions sampled
every 0.01 of the space's extent (OMPL's default), states checked by Pinocchio and Coal on meshes.
Here is the segment, and the body that is in its way between two samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import standoff as so
from tests.oracles.coal import distance, geometry
from tests.oracles.pinocchio import urdf_path


@dataclass(frozen=True)
class Case:
    """Configurations of the arm, the fingers at 0.065; how many parts OMPL cuts the segment into;
    the body at its position, turned about z by the quaternion (w, z); who meets it, and when."""

    start: tuple[float, ...]
    end: tuple[float, ...]
    parts: int
    body: so.Shape
    position: tuple[float, float, float]
    turn: tuple[float, float]
    link: str
    between: tuple[float, float]


CASES = {
    # Problem 3 of the set `cage`, the path shortened by OMPL: 11 mm into a wall.
    "wall": Case(
        (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785),
        (0.3979186593008852, -0.7067256967010526, 0.562666225735861, -2.340459644068548,
         -0.644884871275736, 2.3867010269725544, 0.6162339716390599),
        10, so.Box((0.7, 0.04, 0.7)),
        (0.6809827613248695, 0.4404002832224239, 0.6091577443336935),
        (0.9921454248870558, 0.1250897912528577),
        "panda/panda_leftfinger", (0.9, 1.0),
    ),
    # Problem 23 of the set `bookshelf_small`, as the planner found it: 11 mm into a can.
    "can": Case(
        (-1.1364284857118, 0.2468898201311004, -0.4995286520029245, -1.8940428766505246,
         1.3768688825384312, 3.3144545974673885, -2.2880284149757024),
        (-0.4327404842868607, -0.3779012505555074, 1.181619647388487, -2.267206496151354,
         -0.2161903913131994, 3.7525, -1.821338326704459),
        20, so.Cylinder(0.03, 0.14),
        (0.3714925226263464, 0.5168059027581242, 0.5431071828880933),
        (0.9089661795340565, 0.4168698651417027),
        "panda/panda_leftfinger", (0.95, 1.0),
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=CASES)
def case(request):
    found = CASES[request.param]
    urdf = urdf_path("panda")
    cell = so.Cell()
    cell.add_robot(urdf, "panda", srdf=urdf.parent.parent / "srdf" / "panda.srdf")
    w, z = found.turn
    cell.add_body("obstacle", found.body, so.pose(found.position, (w, 0.0, 0.0, z)))
    return found, cell, np.array([*found.start, 0.065]), np.array([*found.end, 0.065])


def nearest(cell, q):
    """The smallest distance by Coal's own kernels over all watched pairs; 0 or less: contact."""
    model, frames = cell.model, cell.tree.forward(q)
    return min(
        distance(
            geometry(shape), frames[model.frame[i]] @ pose,
            geometry(other), frames[model.frame[j]] @ there,
        )[0]
        for a, b in cell.pairs.watched()
        for i, j in [(model.index[a], model.index[b])]
        for shape, pose in model.parts[i]
        for other, there in model.parts[j]
    )  # fmt: skip


def test_every_sample_is_free(case):
    found, cell, start, end = case
    samples = start + np.linspace(0.0, 1.0, found.parts + 1)[:, None] * (end - start)
    assert all(nearest(cell, q) > 0.0 for q in samples)
    assert so.PathChecker(cell, tolerance=1e-4).segments(samples, samples).all()


def test_the_path_is_not(case):
    found, cell, start, end = case
    verdict = so.PathChecker(cell, tolerance=1e-4).segment(start, end)
    assert verdict.kind == "collision" and verdict.pair == (found.link, "obstacle")
    assert verdict.distance < -0.005 and nearest(cell, verdict.q) < -0.005
    low, high = found.between
    assert low < verdict.t < high and low < verdict.free_until < verdict.t


def test_the_contact_is_found_in_a_batch_and_on_the_way_back(case):
    _, cell, start, end = case
    checker = so.PathChecker(cell)
    assert not checker.segments(np.stack([start, end]), np.stack([end, start])).any()
