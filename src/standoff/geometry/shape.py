"""What every shape has in common: its kind, its size row, its geometry, a few measures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from standoff.errors import ShapeError
from standoff.geometry.narrowphase.bodies import Solids
from standoff.geometry.pose import Array
from standoff.scalars import number
from standoff.tolerances import COORDINATE_LIMIT

#: Smallest radius, or length of a cylinder, [m]. Fourth powers of lengths from here to
#: COORDINATE_LIMIT stay far from underflow and overflow; a body beyond is a slip.
SMALLEST_SIZE = 1e-9

#: A length that may be 0 is 0 below this, [m]: its square would lose digits to underflow.
ZERO_LENGTH = 1e-100


IntArray = NDArray[np.int64]
AnyArray = TypeVar("AnyArray", Array, IntArray)


@dataclass(frozen=True)
class Geometry:
    """Points, faces and trees of one shape, or of many; see `geometry.narrowphase.layout`.

    Not to be written to, but not marked read-only either: Numba would compile every kernel anew
    for each combination of read-only and other arrays.
    """

    points: Array
    faces: IntArray
    nodes: Array
    ints: IntArray

    @cached_property
    def solids(self) -> Solids:
        """The same as a set for kernels."""
        return Solids(points=self.points, faces=self.faces, nodes=self.nodes, ints=self.ints)


EMPTY = Geometry(
    np.zeros((0, 3)),
    np.zeros((0, 3), dtype=np.int64),
    np.zeros((0, 16)),
    np.zeros(0, dtype=np.int64),
)


class Shape:
    """A body's form, centred on its own origin; not to be changed once made.

    Attributes:
        kind: the number of the shape in `geometry.narrowphase.layout`.
        size_row: the size columns of `geometry.narrowphase.layout`, [m].
        convex: whether every segment between two of its points stays inside.
        bounded: whether it fits into a ball.
    """

    kind: ClassVar[int]
    convex: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    size_row: Array

    @property
    def geometry(self) -> Geometry:
        """Points, faces and trees; empty for a primitive."""
        return EMPTY

    @property
    def flags(self) -> int:
        """Bits of `geometry.narrowphase.layout`; 0 for all but meshes."""
        return 0

    @property
    def volume(self) -> float:
        """Enclosed volume, [m³]; 0 for a surface, infinite for a half space."""
        raise NotImplementedError

    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper corner of the axis-aligned box in the shape's own frame, [m]."""
        raise NotImplementedError

    def core(self) -> tuple[Array, float]:
        """Points (n, 3) and a radius: the shape lies within the hull of the points grown by the
        radius, [m], and is exactly that for all shapes but cylinders, of which this is the
        bounding capsule."""
        raise NotImplementedError

    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments by name, as plain numbers and lists; for files."""
        raise NotImplementedError

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in self.parameters().items())
        return f"{type(self).__name__}({inside})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shape) or type(self) is not type(other):
            return NotImplemented
        return self.parameters() == other.parameters()

    def __hash__(self) -> int:
        return hash((type(self), repr(self.parameters())))


def length(value: Any, shape: str, name: str, *, zero: bool = False) -> float:
    """A finite length, positive (or not negative where ``zero``)."""
    result = number(
        f"{shape}.{name}", value, ShapeError, least=0.0 if zero else SMALLEST_SIZE,
        most=COORDINATE_LIMIT, unit="m", problem="not a possible length",
    )  # fmt: skip
    return result if result >= ZERO_LENGTH else 0.0


def frozen(array: AnyArray) -> AnyArray:
    """A read-only view, for people; kernels get the array itself."""
    view = array.view()
    view.setflags(write=False)
    return view


def size_row(*values: float) -> Array:
    """The four size columns of a row, frozen."""
    row = np.zeros(4)
    row[: len(values)] = values
    row.setflags(write=False)
    return row
