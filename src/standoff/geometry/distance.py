"""The distance of two placed shapes, with its witnesses."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import PoseError, ShapeError, UnsupportedPairError
from standoff.geometry.narrowphase import batch, dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids
from standoff.geometry.pose import IDENTITY, Array, as_pose
from standoff.geometry.shape import EMPTY, Shape

#: The kinds of shapes that kernels know.
KINDS = range(layout.KINDS)


@dataclass(frozen=True, eq=False)
class DistanceResult:
    """How far two bodies are apart, or how deep in each other; world frame, [m]. True where they
    are proved to be `apart`.

    Attributes:
        distance: signed, negative where the bodies overlap.
        point_a: the witness on a, shape (3,).
        point_b: the witness on b; ``point_a - point_b == distance * normal``.
        normal: the unit vector from b to a.
        exact: False where an iteration did not converge: the distance is then a proved lower bound,
            and the witnesses need not attain it.
        slack: of bodies that do not overlap: they are at least ``distance - slack`` apart.
    """

    distance: float
    point_a: Array
    point_b: Array
    normal: Array
    exact: bool = True
    slack: float = 0.0

    @property
    def apart(self) -> bool:
        """Whether they neither overlap nor touch, the error of the distance counted against it."""
        return self.distance > self.slack

    def __bool__(self) -> bool:
        return self.apart


def distance(
    shape_a: Shape, pose_a: ArrayLike | None, shape_b: Shape, pose_b: ArrayLike | None
) -> DistanceResult:
    """The signed distance of two shapes at their poses (4 x 4, or ``None`` for the identity), [m].

    Apart: the distance is attained between the two witness points. Where several pairs of points
    attain it, as between parallel faces, they are one of these pairs.

    Touching: it is 0 but for rounding, and the normal is one that separates the bodies.

    Overlapping convex shapes, one inside the other included: minus the penetration depth, the
    length of the shortest translation that separates them. Moving a by ``-distance * normal``
    makes them touch; ``point_a`` is the point of a that lies deepest in b against the normal, and
    ``point_b`` the one of b deepest in a. Where several directions are as short (concentric
    spheres, crossing axes), the normal is one of them.

    A half space is all of z <= 0 in its frame. Against a bounded body the value is the height of
    the body's lowest point. Two half spaces that face each other (within 1e-12) have the gap
    between their planes; any other two overlap without end: the distance is -inf, and points and
    normal are NaN.

    A sphere, capsule or box against another one, and anything against a half space, is computed
    in closed form: within a few roundings of the sizes and coordinates. Cylinders and polyhedra
    are answered by iteration, within 1e-6 of their size; where that fails to converge, the
    distance is a proved lower bound, ``exact`` is False and the witnesses need not attain it: doubt
    counts as danger.

    A mesh is a surface, and a solid if it is closed, or open and not a sheet: see `Mesh`. Surfaces
    apart: the exact distance. Surfaces that touch or cross: 0, both witnesses at one common point.
    A body wholly inside a solid, or a mesh inside a convex body: minus the gap between the
    surfaces, which is a lower bound on the depth. Whether a body is inside is asked of one point of
    each of its connected parts.

    Raises:
        PoseError: a pose is not a finite right-handed rigid motion.
        UnsupportedPairError: no kernel answers for this pair of shapes.
    """
    for name, shape in (("shape_a", shape_a), ("shape_b", shape_b)):
        if not isinstance(shape, Shape):
            raise ShapeError("not a shape", element=name, value=shape, allowed="a standoff shape")
        if getattr(shape, "kind", None) not in KINDS:
            raise _unsupported(shape_a, shape_b)
    poses, out = _local.poses, _local.out
    poses[0] = _matrix(pose_a, "pose_a")
    poses[1] = _matrix(pose_b, "pose_b")
    out[0] = -np.inf  # what stood here belongs to another pair
    status = _ask(shape_a, shape_b)
    if status == batch.NOT_A_POSE:
        # Refused here for a reason, or a pose that `as_pose` has to tidy up first.
        poses[0] = as_pose(pose_a, "pose_a")
        poses[1] = as_pose(pose_b, "pose_b")
        status = _ask(shape_a, shape_b)
    if status == batch.NOT_A_POSE:
        raise PoseError("not a rigid motion", value=[poses[0].tolist(), poses[1].tolist()])
    if status == dispatch.UNSUPPORTED:
        raise _unsupported(shape_a, shape_b)
    row = out[0].copy()
    return DistanceResult(
        float(row[layout.DISTANCE]), row[layout.POINT_A : layout.POINT_B],
        row[layout.POINT_B : layout.NORMAL], row[layout.NORMAL : layout.SLACK],
        status == dispatch.DONE, float(row[layout.SLACK]),
    )  # fmt: skip


def _ask(a: Shape, b: Shape) -> int:
    """The status of the kernel that answers for two shapes at the poses of this thread."""
    poses, bodies, out = _local.poses, (_placed(_local.a, a), _placed(_local.b, b)), _local.out
    status: int
    if dispatch.has_closed_form(a.kind, b.kind):
        status = batch.one_closed(poses, *bodies, out)
    else:
        general = dispatch.general_address()  # compiled when the first such pair is asked for
        status = batch.one_general(general, poses, *bodies, _local.scratch.address, out)
    return status


def _unsupported(a: Shape, b: Shape) -> UnsupportedPairError:
    return UnsupportedPairError(f"no distance between {type(a).__name__} and {type(b).__name__}")


def _placed(bodies: Bodies, shape: Shape) -> Any:
    """The address of ``bodies``, whose one row is now the shape."""
    bodies.arrays["rows"][0, layout.SIZE :] = shape.size_row
    refs = bodies.arrays["refs"]
    refs[0, layout.KIND] = shape.kind
    refs[0, layout.FLAGS] = shape.flags
    if (geometry := shape.geometry) is not EMPTY:
        solids = geometry.solids
        refs[0, layout.POINTS] = len(solids.points)
        refs[0, layout.FACES] = len(solids.faces)
        bodies.solids = solids
    return bodies.address


def _matrix(pose: ArrayLike | None, element: str) -> Array:
    """A pose as it is, where it is an array of the right shape; otherwise checked and copied."""
    if pose is None:
        return IDENTITY
    if isinstance(pose, np.ndarray) and pose.shape == (4, 4) and pose.dtype == np.float64:
        return pose
    return as_pose(pose, element)


class _Scratch(threading.local):
    """What every call of a thread writes to anew; nothing is kept between calls."""

    def __init__(self) -> None:
        self.a, self.b = (Bodies(rows=1, refs=1, solids=Solids()) for _ in range(2))
        self.poses = np.zeros((2, 4, 4))
        self.scratch = PairScratch()
        self.out = np.zeros((1, layout.OUT_COLUMNS))


_local = _Scratch()
