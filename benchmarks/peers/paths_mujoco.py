"""MuJoCo on an edge: samples every 0.01 rad until one touches."""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np

import standoff as so
from peers.mujoco_engine import pose_text, text
from standoff.robots.kernels import kinematics

#: How far two samples are apart, [rad], Euclidean in joint space.
STEP = 0.01


class MujocoEdges:
    """`mj_kinematics`, `mj_comPos`, `mj_collision` at each sample, from Python."""

    def __init__(self, cell: so.Cell, frozen: Mapping[str, float]) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf(cell, frozen))
        self.data = mujoco.MjData(self.model)
        names = [self.model.joint(k).name for k in range(self.model.njnt)]
        at = [self.model.joint(name).qposadr[0] for name in names]
        columns = [cell.joints.index(name) for name in names]
        self.columns = np.array(columns)[np.argsort(at)]

    def free(self, start: np.ndarray, end: np.ndarray) -> bool:
        """Whether no sample touches. The samples are made within the time of the edge: a numpy
        expression of some 20 µs, a hundredth of the rest."""
        model, data, qpos = self.model, self.data, self.data.qpos
        kinematics, centres, collide = mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_collision
        count = math.ceil(math.dist(start, end) / STEP)
        way = np.linspace(start[self.columns], end[self.columns], count + 1)
        for q in way:
            qpos[:] = q
            kinematics(model, data)
            centres(model, data)
            collide(model, data)
            if data.ncon:
                return False
        return True


def mjcf(cell: so.Cell, frozen: Mapping[str, float]) -> str:
    """Each frame of the cell's tree is a body, and in it each link or body of the cell one of its
    own; all pairs that the cell allows are excluded by name, and nothing else is."""
    tree, model = cell.tree, cell.model
    inside: dict[int, list[str]] = {f: [] for f in range(tree.frames)}
    for n, (frame, parts) in enumerate(zip(model.frame, model.parts)):
        geoms = "".join(f"<geom {geom(shape)} {pose_text(pose)}/>" for shape, pose in parts)
        inside[frame].append(f'<body name="b{n}">{geoms}</body>')
    children: dict[int, list[int]] = {f: [] for f in range(tree.frames)}
    for f in range(1, tree.frames):
        children[int(tree.parent[f])].append(f)

    def body(f: int) -> str:
        rest = "".join(inside[f]) + "".join(map(body, children[f]))
        return rest if f == 0 else f"<body {joint(cell, f, frozen)}{rest}</body>"

    index = model.index
    excluded = "".join(
        f'<exclude body1="b{index[a]}" body2="b{index[b]}"/>' for a, b in cell.pairs.reasons
    )
    return (
        '<mujoco><compiler angle="radian" autolimits="false"/>'
        '<option><flag filterparent="disable"/></option><size memory="64M"/>'
        f"<worldbody>{body(0)}</worldbody><contact>{excluded}</contact></mujoco>"
    )


def joint(cell: so.Cell, f: int, frozen: Mapping[str, float]) -> str:
    """The rest of a body's opening tag, and its joint."""
    row, ints = cell.tree.reals[f], cell.tree.ints[f]
    name = cell.joints[ints[kinematics.INDEX]]
    pose = np.vstack([row[:12].reshape(3, 4), [0, 0, 0, 1]])
    slides = ints[kinematics.JOINT_KIND] == kinematics.PRISMATIC
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    if name in frozen:
        value = row[kinematics.MULTIPLIER] * frozen[name] + row[kinematics.OFFSET]
        own = so.pose((0, 0, value)) if slides else so.pose((0, 0, 0), rpy=(0, 0, value))
        return f"{pose_text(pose @ own)}>"
    kind = "slide" if slides else "hinge"
    return f'{pose_text(pose)}>{inertia}<joint name="{name}" type="{kind}" axis="0 0 1"/>'


def geom(shape: so.Shape) -> str:
    if isinstance(shape, so.Sphere):
        return f'type="sphere" size="{shape.radius!r}"'
    if isinstance(shape, so.Capsule):
        return f'type="capsule" size="{shape.radius!r} {shape.length / 2!r}"'
    if isinstance(shape, so.Box):
        return f'type="box" size="{text(np.asarray(shape.size) / 2)}"'
    raise ValueError(f"no {type(shape).__name__} in this benchmark's MuJoCo")
