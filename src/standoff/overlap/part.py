"""A part: a named shape at a pose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import InterferenceError
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.shape import Shape

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
