"""Pinocchio as the outside opinion on where links are and how they move."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin

from standoff.robots.kernels import kinematics
from standoff.robots.tree import Mount, Tree
from standoff.robots.urdf import read_robot

#: Revolute, continuous, prismatic and mimic joints are all among them.
ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
}


def urdf_path(name: str) -> Path:
    """A URDF of the package example-robot-data, which stands beside Pinocchio's own files."""
    prefix = next(p for p in Path(pin.__file__).parents if p.name == "lib").parent
    return prefix / "share" / "example-robot-data" / "robots" / ROBOTS[name]


@cache
def tree_of(name: str) -> Tree:
    return Tree([Mount("r", read_robot(urdf_path(name), geometry="none"))])


class Oracle:
    """A robot as Pinocchio sees it, with every joint its own (``mimic=False``) or with Pinocchio's
    own mimic joints; `at` takes configurations of our tree."""

    def __init__(self, name: str, mimic: bool) -> None:
        self.tree = tree_of(name)
        self.model = pin.buildModelFromUrdf(str(urdf_path(name)), mimic)
        self.data = self.model.createData()
        self.links = [link for link in self.tree.links if self.model.existBodyName(link[2:])]
        self.ids = [self.model.getBodyId(link[2:]) for link in self.links]

    def at(self, q, dq):
        """Poses (links, 4, 4) and velocities (links, 6: angular, linear) of `links`."""
        self.update(*self.configuration(q, dq))
        poses = np.array([self.data.oMf[i].homogeneous for i in self.ids])
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        motions = [pin.getFrameVelocity(self.model, self.data, i, axes) for i in self.ids]
        return poses, np.array([np.concatenate([m.angular, m.linear]) for m in motions])

    def update(self, q, v):
        pin.forwardKinematics(self.model, self.data, q, v)
        pin.updateFramePlacements(self.model, self.data)

    def configuration(self, q, dq):
        """Ours in Pinocchio's order; its continuous joints are the cosine and sine of an angle."""
        pq, pv = np.zeros(self.model.nq), np.zeros(self.model.nv)
        tree = self.tree
        for f in range(1, tree.frames):
            name = tree.frame_joint[f][2:]
            i = self.model.getJointId(name)
            if self.model.joints[i].shortname() == "JointModelMimic":
                continue
            multiplier = tree.reals[f, kinematics.MULTIPLIER]
            index = tree.ints[f, kinematics.INDEX]
            value = multiplier * q[index] + tree.reals[f, kinematics.OFFSET]
            at, rows = self.model.joints[i].idx_q, self.model.joints[i].nq
            pq[at : at + rows] = value if rows == 1 else (np.cos(value), np.sin(value))
            pv[self.model.joints[i].idx_v] = multiplier * dq[index]
        return pq, pv


def random_configurations(tree: Tree, count: int, rng: np.random.Generator):
    """Any angle, up to two turns either way; slides within their limits; and velocities."""
    slides = np.array([kind == "prismatic" for kind in tree.kinds])
    low = np.where(slides, tree.lower, -4.0 * np.pi)
    high = np.where(slides, tree.upper, 4.0 * np.pi)
    shape = (count, len(tree.joints))
    return rng.uniform(low, high, shape), rng.normal(size=shape)


def link_states(tree: Tree, links, q, dq):
    """What `Oracle.at` gives, by our own kinematics."""
    poses, twists = tree.velocities(q, dq)
    frames, offsets = zip(*(tree.link(link) for link in links))
    frames = np.array(frames)
    placed = poses[frames] @ np.array(offsets)
    levers = placed[:, :3, 3] - poses[frames, :3, 3]
    moved = twists[frames]
    moved[:, 3:] += np.cross(moved[:, :3], levers)
    return placed, moved
