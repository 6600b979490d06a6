"""A cell as one URDF text for Pinocchio and HPP: the same shapes in the same frames.

The world is the root link and holds all that stands still; each moving frame of the cell's tree is
one link. Capsules are cylinders that a ``collision_checking`` element turns into capsules, as
Pinocchio reads it. Continuous joints become revolute ones with far limits: their angles are taken
as they are given, with no wrapping.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import standoff as so
from standoff.robots.kernels import kinematics

#: Stands for no limit at all, [rad].
FAR = 1e3


@dataclass(frozen=True, eq=False)
class Export:
    """A cell for the peers.

    Attributes:
        urdf: the text; meshes lie in files beside it.
        joints: names in ``urdf`` of the joints that move, in the order of ``columns``.
        columns: where they are in the cell's ``q``.
        geometries: what Pinocchio calls each shape.
        pairs: (n, 2) numbers of shapes: all of the pairs the cell watches.
    """

    urdf: str
    joints: list[str]
    columns: list[int]
    geometries: list[str]
    pairs: np.ndarray


def export(
    cell: so.Cell, frozen: Mapping[str, float], folder: Path, *, capsules: bool = True
) -> Export:
    """``frozen`` joints, and those that mimic them, are written as fixed at their values. Without
    ``capsules`` each becomes a cylinder and two spheres."""
    tree, model = cell.tree, cell.model
    placed: dict[int, list[tuple[int, so.Shape, np.ndarray]]] = {f: [] for f in range(tree.frames)}
    number, first = 0, []
    for frame, parts in zip(model.frame, model.parts):
        first.append(number)
        for shape, pose in parts if capsules else split(parts):
            placed[frame].append((number, shape, pose))
            number += 1
    first.append(number)
    geometries = [""] * number
    lines, joints, columns = ['<robot name="cell">'], [], []
    for f in range(tree.frames):
        lines.append(link(f, placed[f], folder))
        for k, (n, _, _) in enumerate(placed[f]):
            geometries[n] = f"l{f:03}_{k}"
        if f > 0:
            text, moves = joint(tree, f, frozen)
            lines.append(text)
            if moves:
                joints.append(f"j{f:03}")
                columns.append(int(tree.ints[f, kinematics.INDEX]))
    index = model.index
    pairs = [
        (i, j)
        for a, b in cell.pairs.watched()
        for i in range(first[index[a]], first[index[a] + 1])
        for j in range(first[index[b]], first[index[b] + 1])
    ]
    lines.append("</robot>")
    return Export("\n".join(lines), joints, columns, geometries, np.array(pairs).reshape(-1, 2))


def split(parts: Iterable[tuple[so.Shape, np.ndarray]]) -> Iterator[tuple[so.Shape, np.ndarray]]:
    """The same bodies with no capsule among their shapes."""
    for shape, pose in parts:
        if isinstance(shape, so.Capsule):
            yield so.Cylinder(shape.radius, shape.length), pose
            for end in (-0.5, 0.5):
                yield so.Sphere(shape.radius), pose @ so.pose((0, 0, end * shape.length))
        else:
            yield shape, pose


def link(f: int, parts: list[tuple[int, so.Shape, np.ndarray]], folder: Path) -> str:
    lines = [f'<link name="l{f:03}">']
    round_ends = []
    for n, shape, pose in parts:
        name = f"p{n}"
        lines.append(f'<collision name="{name}">{origin(pose)}<geometry>')
        if isinstance(shape, so.Sphere):
            lines.append(f'<sphere radius="{shape.radius!r}"/>')
        elif isinstance(shape, so.Box):
            lines.append(f'<box size="{numbers(shape.size)}"/>')
        elif isinstance(shape, so.Capsule | so.Cylinder):
            lines.append(f'<cylinder radius="{shape.radius!r}" length="{shape.length!r}"/>')
            if isinstance(shape, so.Capsule):
                round_ends.append(name)
        else:
            file = folder / f"{name}.obj"
            file.write_text(wavefront(shape))
            lines.append(f'<mesh filename="{file}"/>')
        lines.append("</geometry></collision>")
    if round_ends:
        names = "".join(f'<capsule name="{name}"/>' for name in round_ends)
        lines.append(f"<collision_checking>{names}</collision_checking>")
    lines.append("</link>")
    return "".join(lines)


def joint(tree: so.robots.tree.Tree, f: int, frozen: Mapping[str, float]) -> tuple[str, bool]:
    """The joint of frame ``f``, and whether it moves."""
    row, ints = tree.reals[f], tree.ints[f]
    pose = np.vstack([row[:12].reshape(3, 4), [0, 0, 0, 1]])
    index = ints[kinematics.INDEX]
    name = tree.joints[index]
    prismatic = ints[kinematics.JOINT_KIND] == kinematics.PRISMATIC
    head = f'<parent link="l{ints[kinematics.PARENT]:03}"/><child link="l{f:03}"/>'
    if name in frozen:
        value = row[kinematics.MULTIPLIER] * frozen[name] + row[kinematics.OFFSET]
        own = so.pose((0, 0, value)) if prismatic else so.pose((0, 0, 0), rpy=(0, 0, value))
        return f'<joint name="j{f:03}" type="fixed">{head}{origin(pose @ own)}</joint>', False
    if row[kinematics.MULTIPLIER] != 1.0 or row[kinematics.OFFSET] != 0.0:
        raise ValueError(f"{tree.frame_joint[f]} mimics {name}, which moves: freeze it")
    low, high = float(tree.lower[index]), float(tree.upper[index])
    if not np.isfinite(low + high):
        low, high = -FAR, FAR
    kind = "prismatic" if prismatic else "revolute"
    return (
        f'<joint name="j{f:03}" type="{kind}">{head}{origin(pose)}<axis xyz="0 0 1"/>'
        f'<limit lower="{low!r}" upper="{high!r}" velocity="1" effort="1"/></joint>'
    ), True


def origin(pose: np.ndarray) -> str:
    return f'<origin xyz="{numbers(pose[:3, 3])}" rpy="{numbers(rpy(pose[:3, :3]))}"/>'


def rpy(R: np.ndarray) -> np.ndarray:
    """Roll, pitch and yaw; where the pitch is a right angle, the yaw is 0."""
    level = np.hypot(R[0, 0], R[1, 0])
    pitch = np.arctan2(-R[2, 0], level)
    if level > 1e-6:
        return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])
    return np.array([np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0])


def wavefront(shape: so.Shape) -> str:
    points, faces = shape.geometry.points, shape.geometry.faces
    corners = (f"v {numbers(p)}" for p in points)
    return "\n".join([*corners, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces)]) + "\n"


def numbers(values: np.ndarray) -> str:
    return " ".join(repr(float(v)) for v in values)
