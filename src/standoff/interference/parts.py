"""Parts, named shapes at poses, and the numbers that people give when they ask for interference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff import scalars
from standoff.broadphase.index import DEEPEST_LEVEL
from standoff.errors import InterferenceError
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.aabb import bound_all
from standoff.geometry.narrowphase.bodies import Bodies
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.shape import SMALLEST_SIZE, Shape
from standoff.geometry.table import pack
from standoff.tolerances import COORDINATE_LIMIT

#: What a part may be given as: a shape at the origin, or a shape and its pose (4 x 4).
PartLike = Shape | tuple[Shape, ArrayLike | None]


_PARTS = "a dict of names to shapes, or to (shape, pose)"


@dataclass(frozen=True, eq=False)
class Part:
    """A shape at a pose in the world (4 x 4), by name."""

    name: str
    shape: Shape
    pose: Array


#: What several parts may be given as.
Parts = Iterable[Part] | Mapping[str, PartLike]


def parts_of(given: Mapping[str, PartLike]) -> list[Part]:
    """The parts of a mapping, in its order, checked."""
    if not isinstance(given, Mapping):
        raise InterferenceError("not parts", value=given, allowed=_PARTS)
    return [part_of(name, value) for name, value in given.items()]


def checked_parts(given: Parts) -> list[Part]:
    """Parts as a list."""
    if isinstance(given, Mapping):
        return parts_of(given)
    parts = list(given) if isinstance(given, Iterable) else None
    if parts is None or not all(isinstance(part, Part) for part in parts):
        raise InterferenceError("not parts", element="parts", value=given, allowed=_PARTS)
    return parts


def part_of(name: str, value: PartLike) -> Part:
    """A part, checked."""
    if not isinstance(name, str) or not name:
        raise InterferenceError("not a name", value=name, allowed="text")
    shape, pose = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    if not isinstance(shape, Shape):
        raise InterferenceError(
            "not a part", element=name, value=value, allowed="a shape, or (shape, pose)"
        )
    return Part(name, shape, np.eye(4) if pose is None else as_pose(pose, f"{name}: pose"))


def placed_bodies(parts: Sequence[Part]) -> Bodies:
    """Parts in tables that kernels take."""
    rows, refs, g = pack([part.shape for part in parts])
    for row, part in zip(rows, parts):
        row[: layout.SIZE] = part.pose[:3].reshape(12)
    return Bodies(rows=rows, refs=refs, solids=g.solids)


def world_box(shape: Shape, pose: Array) -> Array:
    """The box of a placed shape along the axes, a rounding wider: low x y z, high x y z, [m];
    infinite where the shape is."""
    rows = np.zeros((1, layout.ROW_COLUMNS))
    rows[0, : layout.SIZE] = pose[:3].ravel()
    rows[0, layout.SIZE :] = shape.size_row
    # The vertices and not the geometry of a mesh, whose tree nobody may need.
    points = np.array(shape.vertices) if isinstance(shape, Mesh) else shape.geometry.points
    refs = np.zeros((1, layout.REF_COLUMNS), dtype=np.int64)
    refs[0, layout.KIND], refs[0, layout.POINTS] = shape.kind, len(points)
    box = np.empty((1, 6))
    bound_all(rows, refs, points, box)
    return np.asarray(box[0])


#: What a root cube is given as: its centre and its edge, [m].
Root = tuple[ArrayLike, float]


def amount(element: str, value: Any, unit: str, *, zero: bool = True) -> float:
    """A finite number above 0, or 0 itself where ``zero``; ``element`` and ``unit`` name it."""
    most = COORDINATE_LIMIT if unit == "m" else scalars.FINITE
    return scalars.amount(element, value, InterferenceError, unit, zero=zero, most=most)


def level_count(value: Any) -> int:
    """How many levels below its root a tree may have."""
    return scalars.whole("levels", value, InterferenceError, 0, DEEPEST_LEVEL)


def root_cube(root: Any) -> tuple[Array, float]:
    """Low corner and edge of a root cube given by its centre and edge."""
    try:
        centre, edge = root
        middle = np.array(centre, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InterferenceError(
            "not a cube", element="root", value=root, allowed="((x, y, z), edge), [m]"
        ) from error
    if middle.shape != (3,) or not (np.abs(middle) <= COORDINATE_LIMIT).all():
        raise InterferenceError(
            "not a point", element="centre of the root cube", value=centre, allowed="x, y, z, [m]"
        )
    length = scalars.number(
        "edge of the root cube", edge, InterferenceError,
        least=SMALLEST_SIZE, most=COORDINATE_LIMIT, unit="m",
    )  # fmt: skip
    return middle - 0.5 * length, length
