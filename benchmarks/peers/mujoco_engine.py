"""MuJoCo: the arms as trees of hinges, free movers on free joints, boxes fixed to the world."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from peers.engine import Pairs
from peers.scene import BASES, BUFFER, LENGTH, LINKS, RADIUS, Scene

VERSION = f"MuJoCo {mujoco.__version__}"

#: So many boxes stand on bodies of their own, more are geoms of the world: whichever is quicker.
#: Measured: 21 boxes 7.8 and 9.6 µs, 100 boxes 18.5 and 14.4, 10,000 boxes 9,160 and 128.
BOXES_ON_BODIES = 50
#: Margins of two geoms add up.
CAPSULE = f'type="capsule" size="{RADIUS} {LENGTH / 2}" margin="{BUFFER}"'


class MuJoCo:
    """`mj_kinematics`, `mj_comPos`, `mj_collision`, and the contacts' geoms and distances."""

    def __init__(self, scene: Scene) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf(scene))
        self.data = mujoco.MjData(self.model)
        self.qpos = self.data.qpos
        if scene.joints is None:
            quaternions = np.empty((scene.count, 4))
            for q, pose in zip(quaternions, scene.movers[0]):
                mujoco.mju_mat2Quat(q, pose[:3, :3].ravel())
            state = np.empty((scene.loop, scene.count, 7))
            state[..., :3], state[..., 3:] = scene.movers[..., :3, 3], quaternions
            self.state = state.reshape(scene.loop, -1)
        else:
            self.state = scene.joints
        names = [f"mover{i}" for i in range(scene.count)]
        names += [f"box{i}" for i in range(len(scene.boxes))]
        self.number = {self.model.geom(name).id: i for i, name in enumerate(names)}

    def cycle(self, k: int) -> tuple[list[list[int]], list[float]]:
        model, data = self.model, self.data
        self.qpos[:] = self.state[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        if not data.ncon:
            return [], []
        contact = data.contact
        return contact.geom.tolist(), contact.dist.tolist()

    def pairs(self, answer: Any) -> Pairs:
        """Two shapes may have several contacts: the deepest is their distance."""
        found: Pairs = {}
        for (a, b), distance in zip(*answer):
            i, j = sorted((self.number[a], self.number[b]))
            found[i, j] = min(distance, found.get((i, j), np.inf))
        return found


def mjcf(scene: Scene) -> str:
    own = len(scene.boxes) <= BOXES_ON_BODIES
    boxes = "".join(
        f'<body {pose_text(pose)}><geom name="box{i}" type="box" size="{text(size / 2)}"/></body>'
        if own
        else f'<geom name="box{i}" type="box" size="{text(size / 2)}" {pose_text(pose)}/>'
        for i, (size, pose) in enumerate(zip(scene.sizes, scene.boxes))
    )
    if scene.joints is None:
        movers = "".join(
            f'<body {pose_text(pose)}><freejoint/><geom name="mover{i}" {CAPSULE}/></body>'
            for i, pose in enumerate(scene.movers[0])
        )
    else:
        movers = "".join(arm(k * LINKS, x) for k, x in enumerate(BASES))
    # A body and its parent never collide in MuJoCo, so links that share a joint are left out.
    return (
        '<mujoco><compiler angle="radian"/><size memory="256M"/>'
        f"<worldbody>{boxes}{movers}</worldbody></mujoco>"
    )


def arm(first: int, base: float) -> str:
    opening = "".join(
        f'<body pos="{f"{base} 0 0" if i == 0 else f"0 0 {LENGTH}"}">'
        f'<joint type="hinge" axis="{"0 0 1" if i % 2 == 0 else "0 1 0"}"/>'
        f'<geom name="mover{first + i}" pos="0 0 {LENGTH / 2}" {CAPSULE}/>'
        for i in range(LINKS)
    )
    return opening + "</body>" * LINKS


def pose_text(pose: np.ndarray) -> str:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, pose[:3, :3].ravel())
    return f'pos="{text(pose[:3, 3])}" quat="{text(quaternion)}"'


def text(numbers: np.ndarray) -> str:
    return " ".join(map(repr, numbers.tolist()))
