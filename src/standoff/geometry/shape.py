"""What every shape has in common: its kind, its size row, its geometry, a few measures.

docs/extending.md says how to add a shape.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache, cached_property
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


#: Points times directions that `Shape.support` looks at together.
_TOGETHER = 1 << 20


class Shape:
    """A body's form, centred on its own origin, which a primitive holds; not to be changed once
    made.

    Attributes:
        kind: the number of the shape in `geometry.narrowphase.layout`.
        size_row: the size columns of `geometry.narrowphase.layout`, [m].
        swept_radius: what it is grown by about the rest of it: a sphere about its centre and a
            capsule about its axis by their radius, all others by 0, [m].
        convex: whether every segment between two of its points stays inside.
        bounded: whether it fits into a ball.
    """

    kind: ClassVar[int]
    convex: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    swept_radius: float = 0.0
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

    def outline(self, sides: int) -> Array:
        """Points (n, 3) whose hull grown by `swept_radius` holds the shape, [m]; it is the shape,
        but for one with curved sides, where it is a polytope of so many ``sides`` that touch it.
        None for what has no bounds."""
        return self.core()[0] if self.bounded else np.zeros((0, 3))

    def support(self, directions: Array) -> Array:
        """The points (k, 3) farthest along directions (k, 3) of any length; of what is swept, of
        the centre or axis alone."""
        points = self.outline(0)
        step = max(1, _TOGETHER // max(1, len(points)))
        parts = [directions[k : k + step] for k in range(0, len(directions), step)]
        found = [np.argmax(part @ points.T, axis=1) for part in parts]
        return np.asarray(points[np.concatenate(found)] if found else np.zeros((0, 3)))

    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments by name, as plain numbers and lists; for files."""
        own: Any = type(self)
        return {name: getattr(self, name) for name in arguments(own)}

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in self.parameters().items())
        return f"{type(self).__name__}({inside})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shape) or type(self) is not type(other):
            return NotImplemented
        return self.parameters() == other.parameters()

    def __hash__(self) -> int:
        return hash((type(self), repr(self.parameters())))


@cache
def arguments(kind: Any) -> dict[str, bool]:
    """The constructor's arguments by name, and whether each must be given."""
    given = inspect.signature(kind).parameters.values()
    return {p.name: p.default is p.empty for p in given}


def directions(around: int) -> Array:
    """Unit vectors: both poles, and between them rings of so many, an even number."""
    turn = np.arange(around) * (2.0 * np.pi / around)
    rise = np.linspace(-0.5 * np.pi, 0.5 * np.pi, around // 2 + 1)[1:-1, None]
    x, y = np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn)
    rings = np.stack([x, y, np.sin(rise) + 0.0 * turn], axis=-1).reshape(-1, 3)
    return np.concatenate([[[0.0, 0.0, -1.0]], rings, [[0.0, 0.0, 1.0]]])


def surface_points(shape: Shape, around: int) -> Array:
    """Points (n, 3) of a convex shape where it is farthest along `directions`, each once, [m]."""
    ways = directions(around)
    found = shape.support(ways) + shape.swept_radius * ways
    size = np.abs(found).max()
    return np.asarray(size * np.unique(np.round(found / size, 12), axis=0))


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
