"""Numbers that people give when they ask for interference."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.broadphase.octree import DEEPEST_LEVEL
from standoff.errors import InterferenceError
from standoff.geometry.pose import Array
from standoff.geometry.shape import SMALLEST_SIZE
from standoff.tolerances import COORDINATE_LIMIT

#: What a root cube is given as: its centre and its edge, [m].
Root = tuple[ArrayLike, float]


def amount(element: str, value: Any, unit: str, *, zero: bool = True) -> float:
    """A finite number above 0, or 0 itself where ``zero``; ``element`` and ``unit`` name it."""
    most = COORDINATE_LIMIT if unit == "m" else sys.float_info.max
    allowed = f"{'0' if zero else 'more than 0'} to {most:.3g} [{unit}]"
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)):
            raise TypeError("not a number")
        result = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InterferenceError(
            "not a number", element=element, value=value, allowed=allowed
        ) from error
    if not (0.0 <= result <= most and (zero or result > 0.0)):
        raise InterferenceError(
            "not a possible value", element=element, value=value, allowed=allowed
        )
    return result


def level_count(value: Any) -> int:
    """How many levels below its root a tree may have."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        problem = "not a whole number"
    elif not 0 <= value <= DEEPEST_LEVEL:
        problem = "not a possible number of levels"
    else:
        return int(value)
    raise InterferenceError(problem, element="levels", value=value, allowed=f"0 to {DEEPEST_LEVEL}")


def root_cube(root: Any) -> tuple[Array, float]:
    """Low corner and edge of a root cube given by its centre and edge."""
    try:
        centre, edge = root
        middle = np.array(centre, dtype=np.float64)
        length = float(edge)
    except (TypeError, ValueError, OverflowError) as error:
        raise InterferenceError(
            "not a cube", element="root", value=root, allowed="((x, y, z), edge), [m]"
        ) from error
    if middle.shape != (3,) or not (np.abs(middle) <= COORDINATE_LIMIT).all():
        raise InterferenceError(
            "not a point", element="centre of the root cube", value=centre, allowed="x, y, z, [m]"
        )
    if not SMALLEST_SIZE <= length <= COORDINATE_LIMIT or not math.isfinite(length):
        raise InterferenceError(
            "not a possible edge",
            element="edge of the root cube",
            value=edge,
            allowed=f"{SMALLEST_SIZE:g} to {COORDINATE_LIMIT:g} m",
        )
    return middle - 0.5 * length, length
