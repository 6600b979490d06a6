"""What the check proves free can be listed and is verified, on robots from everywhere.

`make soak` takes 1,000 plans, paths and curves of 13 robots; the suite takes a seeded part."""

from __future__ import annotations

import os

import numpy as np
import pytest

import standoff as so
from tests.worlds.robot_files import example

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "talos": "talos_data/robots/talos_left_arm.urdf",
    "z1": "z1_description/urdf/z1.urdf",
    "xarm": "xarm_description/urdf/xarm7.urdf",
    "so100": "so_arm_description/urdf/so100.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
}
COUNT = 78 if os.environ.get("STANDOFF_SOAK") else 3


def crowded(path, rng):
    """The robot among boxes, cylinders, spheres and capsules that it does not touch at rest, with
    the limits of its joints; what touches there may touch."""
    cell = so.Cell()
    cell.add_robot(path, name="r")
    own = [cell.robots["r"].robot.joints[name.split("/", 1)[1]] for name in cell.joints]
    low = np.array([max(joint.lower, -3.0) for joint in own])
    high = np.array([min(joint.upper, 3.0) for joint in own])
    rest = np.clip(0.0, low, high)
    clearance = float(rng.choice([0.0, 0.001, 0.005]))
    for near in so.Monitor(cell, buffer=clearance).update(rest).warnings:
        cell.allow(near.a, near.b)
    checker = so.PathChecker(cell, clearance=clearance)
    while not (verdict := checker.segment(rest, rest)).free:
        cell.allow(*verdict.pair)
    reach = max(0.3, *(np.abs(cell.tree.forward(q)[:, :3, 3]).max() for q in (low, rest, high)))
    for k in range(8):
        x, y, z = rng.uniform(0.06, 0.24, 3) * reach
        kinds = so.Box((x, y, z)), so.Cylinder(x / 2, 2 * y), so.Sphere(x / 2), so.Capsule(z / 3, y)
        at = so.pose(rng.uniform(-reach, reach, 3), rpy=rng.uniform(-3.0, 3.0, 3))
        cell.add_body(f"body{k}", kinds[k % 4], at)
        if not checker.segment(rest, rest).free:
            cell.remove_body(f"body{k}")
    return checker, low, high, rest


def free_motions(checker, low, high, rest, count, rng):
    """Verdicts of free paths, curves and plans in turn: each from where the last path ended."""
    planner = so.Planner(checker.cell, checker=checker)
    q, found = rest, 0
    for seed in range(400 * count):
        far = rng.choice([0.01, 0.03, 0.1]) * (high - low)
        goal = np.clip(q + far * rng.normal(size=len(q)), low, high)
        if found % 3 == 2:
            plan = planner.plan(q, goal, seed=seed, timeout=2.0)
            if not plan.solved:
                continue
            verdict = plan.verdict
        elif found % 3 == 1:
            c = np.zeros((1, 6, len(q)))
            c[0, 0], c[0, 1], c[0, 2] = q, 0.5 * (goal - q), 0.5 * (goal - q)
            verdict = checker.curve(so.paths.Pieces(np.array([0.0, 1.0]), c, np.zeros((1, len(q)))))
        else:
            verdict = checker.path([q, goal])
        if verdict.free:
            q = goal if found % 3 == 0 else q
            found += 1
            yield verdict
        if found == count:
            return
    raise AssertionError(f"only {found} of {count} motions are free")


@pytest.mark.soak
@pytest.mark.parametrize("robot", ROBOTS)
def test_what_is_proved_free_can_be_listed_and_is_verified(robot):
    rng = np.random.default_rng(sum(map(ord, robot)))
    checker, *limits = crowded(example(ROBOTS[robot]), rng)
    for verdict in free_motions(checker, *limits, COUNT, rng):
        found = so.verify(checker.cell, verdict.certificate(), engine="plain")
        assert found.verified, found.reason
