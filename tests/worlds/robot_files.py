"""Where the tests find robots that are not ours, and small URDFs of their own."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from standoff.robots import xml
from standoff.robots.geometry import Meshes
from standoff.robots.packages import Packages
from standoff.robots.urdf import robot_of


def example(path: str) -> Path:
    """A file of the package example-robot-data, which is data alone and imports nothing."""
    import pinocchio

    for folder in Path(pinocchio.__file__).parents:
        found = folder / "share" / "example-robot-data" / "robots" / path
        if found.is_file():
            return found
    raise FileNotFoundError(f"example-robot-data has no {path}; it is part of the extra 'dev'")


EXAMPLES = {
    "panda": "panda_description/urdf/panda.urdf",
    "panda_collision": "panda_description/urdf/panda_collision.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
}


def shared(path: str) -> Path:
    """A file below the folder that STANDOFF_DATA names; the test is skipped without it."""
    folder = os.environ.get("STANDOFF_DATA")
    if not folder:
        pytest.skip("STANDOFF_DATA names no folder of robots")
    return Path(folder) / "robots" / path


def robot_text(
    joint: str = '<limit lower="-1" upper="2" velocity="3" effort="4"/>',
    link: str = "",
    kind: str = "revolute",
    more: str = "",
) -> str:
    """Two links and a joint, with room for what a test wants to add."""
    return f"""<robot name="r">
  <link name="a"/>
  <link name="b">{link}</link>
  <joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{joint}</joint>
  {more}
</robot>"""


def collision(shape: str, origin: str = "") -> str:
    return f"<collision>{origin}<geometry>{shape}</geometry></collision>"


def read_text(text: str | bytes, srdf: str | bytes | None = None, file: str = "r.urdf"):
    """A robot from text that never was on a disk."""
    root = xml.parse(text.encode() if isinstance(text, str) else text, file)
    described = None
    if srdf is not None:
        described = xml.parse(srdf.encode() if isinstance(srdf, str) else srdf, "r.srdf")
    return robot_of(root, described, Meshes(Packages(Path(file))))


def link_poses(robot, q: dict[str, float]) -> dict[str, np.ndarray]:
    """Poses of all links in the root's frame; plain and slow, against which others are held."""
    poses = {robot.root: np.eye(4)}
    for joint in robot.joints.values():
        value = q.get(joint.name, 0.0)
        if joint.mimic is not None:
            value = joint.mimic.multiplier * q.get(joint.mimic.joint, 0.0) + joint.mimic.offset
        motion = np.eye(4)
        if joint.kind == "prismatic":
            motion[:3, 3] = value * joint.axis
        elif joint.kind != "fixed":
            x, y, z = joint.axis
            cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            motion[:3, :3] += np.sin(value) * cross + (1 - np.cos(value)) * cross @ cross
        poses[joint.child] = poses[joint.parent] @ joint.origin @ motion
    return poses
