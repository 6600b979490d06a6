"""A path that OMPL's RRT-Connect calls free at its own resolution, and that runs through a wall.

`benchmarks/planning.py` found it: problem 3 of MotionBenchMaker's ``cage`` for the Panda, motions
sampled every 0.01 of the space's extent (OMPL's default), states checked by Pinocchio and Coal on
meshes, the path shortened by OMPL. Between two samples the left finger goes 11 mm into the wall.
"""

from __future__ import annotations

import numpy as np
import pytest

import standoff as so
from tests.coal_oracle import distance, geometry
from tests.pinocchio_oracle import urdf_path

START = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785, 0.065])
END = np.array(
    [
        0.3979186593008852,
        -0.7067256967010526,
        0.562666225735861,
        -2.340459644068548,
        -0.644884871275736,
        2.3867010269725544,
        0.6162339716390599,
        0.065,
    ]
)
#: OMPL looks at both ends and at nine places in between.
SAMPLES = np.linspace(0.0, 1.0, 11)


@pytest.fixture(scope="module")
def cell():
    urdf = urdf_path("panda")
    made = so.Cell()
    made.add_robot(urdf, "panda", srdf=urdf.parent.parent / "srdf" / "panda.srdf")
    turn = np.array([0.9921454248870558, 0.0, 0.0, 0.1250897912528577])
    place = so.pose((0.6809827613248695, 0.4404002832224239, 0.6091577443336935), turn)
    made.add_body("wall", so.Box((0.7, 0.04, 0.7)), place)
    return made


def nearest(cell, q):
    """The smallest distance by Coal's own kernels over all watched pairs; 0 or less: contact."""
    world, frames = cell.world, cell.tree.forward(q)
    return min(
        distance(
            geometry(shape), frames[world.frame[i]] @ pose,
            geometry(other), frames[world.frame[j]] @ there,
        )[0]
        for a, b in cell.pairs.watched()
        for i, j in [(world.index[a], world.index[b])]
        for shape, pose in world.parts[i]
        for other, there in world.parts[j]
    )  # fmt: skip


def test_every_sample_is_free(cell):
    samples = START + SAMPLES[:, None] * (END - START)
    assert all(nearest(cell, q) > 0.0 for q in samples)
    assert so.PathChecker(cell).segments(samples, samples).all()


def test_the_path_is_not(cell):
    verdict = so.PathChecker(cell).segment(START, END)
    assert verdict.kind == "collision" and verdict.pair == ("panda/panda_leftfinger", "wall")
    assert verdict.distance < -0.005 and nearest(cell, verdict.q) < -0.005
    assert 0.9 < verdict.t < 1.0 and 0.9 < verdict.free_until < verdict.t


def test_the_contact_is_found_in_a_batch_and_on_the_way_back(cell):
    checker = so.PathChecker(cell)
    assert not checker.segments(np.stack([START, END]), np.stack([END, START])).any()
