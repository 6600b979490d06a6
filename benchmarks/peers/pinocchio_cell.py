"""A cell as Pinocchio and Coal see it: the same shapes, the same watched pairs, some joints."""

from __future__ import annotations

from collections.abc import Sequence

import coal
import numpy as np
import pinocchio as pin

import standoff as so
from tests.oracles.coal import geometry, surface


class PinocchioCell:
    """Whether anything touches at a configuration, by a broad phase of Coal's.

    The kinematics is Pinocchio's own, from the URDF; joints that are not planned stay where they
    are at ``still``. Shapes and pairs are the cell's, so that both sides look at the same.

    Args:
        cell: of one robot, whose URDF is a file, and static bodies.
        joints: names in the cell of those that move, which are the columns of ``q`` here.
    """

    def __init__(self, cell: so.Cell, joints: Sequence[str], still: np.ndarray) -> None:
        ((self.name, mounted),) = cell.robots.items()
        self.model = pin.buildModelFromUrdf(file_of(mounted.source))
        self.data = self.model.createData()
        values = dict(zip(cell.joints, still))
        self._q = pin.neutral(self.model)
        for joint in mounted.robot.joints.values():
            if joint.kind == "fixed":
                continue
            master = joint.mimic
            if master is None:
                value = values[f"{self.name}/{joint.name}"]
            else:
                value = master.multiplier * values[f"{self.name}/{master.joint}"] + master.offset
            self._q[self._place(joint.name)] = value
        self.columns = np.array([self._place(name.split("/", 1)[1]) for name in joints])
        self._add_geometry(cell, mounted)

    def free(self, q: Sequence[float]) -> bool:
        """Whether no watched pair touches; ``q`` in the order of the joints given."""
        self._q[self.columns] = q
        return not pin.computeCollisions(
            self.model, self.data, self._broad, self._callback, self._q
        )

    def _place(self, joint: str) -> int:
        """Where a joint stands in a configuration of Pinocchio's."""
        model = self.model.joints[self.model.getJointId(joint)]
        if model.nq != 1:
            raise ValueError(
                f"joint {joint!r}: an angle without limits is two numbers to Pinocchio"
            )
        return model.idx_q

    def _add_geometry(self, cell: so.Cell, mounted: object) -> None:
        geometry = pin.GeometryModel()
        members: dict[str, list[int]] = {}
        base = pin.SE3(mounted.base)
        for name, link in mounted.robot.links.items():
            frame = self.model.frames[self.model.getFrameId(name, pin.FrameType.BODY)]
            for k, element in enumerate(link.elements):
                place = frame.placement * pin.SE3(element.origin)
                if frame.parentJoint == 0:
                    place = base * place
                full = f"{self.name}/{name}"
                part = pin.GeometryObject(
                    f"{full} {k}", frame.parentJoint, place, coal_shape(element.shape)
                )
                members.setdefault(full, []).append(geometry.addGeometryObject(part))
        for name, body in cell.bodies.items():
            part = pin.GeometryObject(name, 0, pin.SE3(body.pose), coal_shape(body.shape))
            members.setdefault(name, []).append(geometry.addGeometryObject(part))
        for a, b in cell.pairs.watched():
            for i in members[a]:
                for j in members[b]:
                    geometry.addCollisionPair(pin.CollisionPair(i, j))
        self.geometry, self._found = geometry, pin.GeometryData(geometry)
        self._broad = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(
            self.model, geometry, self._found
        )
        self._callback = pin.CollisionCallBackDefault(geometry, self._found, True)


def file_of(source: str) -> str:
    builtin = "builtin:"
    if source.startswith(builtin):
        return str(so.robots.model_path(source.removeprefix(builtin)))
    return source


def coal_shape(shape: so.Shape) -> coal.CollisionGeometry:
    """The same shape for Coal; a mesh and a polyhedron as a tree of their triangles."""
    return (surface if isinstance(shape, (so.Mesh, so.Polyhedron)) else geometry)(shape)
