"""What looks like degrees, millimetres or milliseconds: decided here, for all callers.

Nothing is converted. What is refused anyway gets a hint in its message; what is possible but
unlikely is a `UnitsWarning`, whose text does not change from call to call, so that Python shows
it once for each line of a program.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from standoff.errors import UnitsWarning

#: Yes or no for each value.
Flags = NDArray[np.bool_]

#: How often beyond its limits a joint must be before its unit is doubted, [-].
_BY_FAR: Final = 2.0

#: No joint is doubted below this value, [rad or m]: nobody gives parts of a degree or a millimetre.
_LEAST: Final = 1.0

#: How far beyond its limits a joint may be in the other unit, [-]: limits in files are tighter
#: than what some robots reach.
_SLACK: Final = 1.1

#: The other units of joints: of [rad] and of [m], by what they are multiplied, and in words.
_OTHERS: Final = (("rad", math.pi / 180.0, "degrees"), ("m", 0.001, "millimetres"))

#: Angles up to a full turn are not doubted, [rad]; files round it up to 6.2832.
_TURN = math.tau + 1e-3

#: Buffers and clearances up to this are not doubted, [m]: fast robots among people have them.
_LEAST_GAP: Final = 2.0

#: From this edge on a body is doubted, [m]: that of the cube that has the volume of its bounding
#: box. A ground of 100 m by 100 m by 0.1 m has 10 m, a plate of 400 mm by 400 mm by 20 mm in
#: millimetres 147 m.
_LARGE_BODY: Final = 20.0

#: From this distance on a place is doubted, [m]; 100 mm in millimetres is as much.
_FAR: Final = 100.0


def warn(text: str) -> None:
    """A `UnitsWarning` at the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("standoff."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, UnitsWarning, stacklevel=level)


def joint_unit(values: Any, lower: Any, upper: Any, units: Sequence[str]) -> str:
    """What joint values (…, joints) are in, ``degrees`` or ``millimetres``, where some are far
    beyond their limits and all that are beyond would lie within them in that unit; else empty."""
    size = np.maximum(np.abs(lower), np.abs(upper))
    far = np.abs(values) > np.maximum(_BY_FAR * size, _LEAST)
    if not far.any():
        return ""
    beyond = (values < lower) | (values > upper)
    slack = (_SLACK - 1.0) * size
    for unit, factor, name in _OTHERS:
        meant = np.array([u == unit for u in units])
        other = factor * np.asarray(values)
        fits = (other >= lower - slack) & (other <= upper + slack)
        if (far & meant).any() and (fits | ~(beyond & meant)).all():
            return name
    return ""


def joint_hint(values: Any, lower: Any, upper: Any, units: Sequence[str]) -> str:
    """`joint_unit` as part of a message; empty where nothing is doubted."""
    name = joint_unit(values, lower, upper, units)
    return f"these look like {name}; [{_wanted(name)}] is wanted" if name else ""


def warn_joints(element: str, values: Any, lower: Any, upper: Any, units: Sequence[str]) -> None:
    """Warn of joint values that look like another unit."""
    name = joint_unit(values, lower, upper, units)
    if name:
        how = "np.deg2rad converts degrees" if name == "degrees" else "divide by 1000"
        warn(
            f"{element}: joint values far beyond their limits, which would fit as {name}; "
            f"[{_wanted(name)}] is wanted: {how}"
        )


def _wanted(name: str) -> str:
    return next(unit for unit, _, other in _OTHERS if other == name)


def warn_angles(element: str, angles: Any) -> None:
    """Warn of angles beyond a full turn."""
    if np.abs(angles).max(initial=0.0) > _TURN:
        warn(
            f"{element}: an angle of more than a full turn; these look like degrees; [rad] is "
            "wanted: np.deg2rad converts degrees"
        )


def warn_gap(element: str, gap: Any, at_least: Callable[[float], bool]) -> None:
    """Warn of a buffer, a clearance or a threshold [m] that is larger than the cell.

    Args:
        at_least: whether the cell is so large across, [m].
    """
    given = isinstance(gap, (int, float, np.integer, np.floating)) and not isinstance(gap, bool)
    if given and math.isfinite(gap) and abs(gap) > _LEAST_GAP and not at_least(abs(gap)):
        warn(
            f"{element}: {gap:g} m is more than the whole cell is across; this looks like "
            "millimetres; [m] is wanted"
        )


def warn_body(element: str, low: Any, high: Any, remedy: str = "") -> None:
    """Warn of a body as large as only one in millimetres is; ``low`` and ``high`` are the corners
    of its bounding box."""
    extents = np.subtract(high, low)
    if np.prod(extents) >= _LARGE_BODY**3:
        size = " × ".join(f"{x:.4g}" for x in extents)
        warn(f"{element}: {size} m; this looks like millimetres; [m] is wanted{remedy}")


def warn_far(element: str, place: Any, robots: Sequence[Any], others: Iterable[Any]) -> None:
    """Warn of a place (3,) that is far from all robots, if there are any, and from all else."""
    away = [math.dist(place, other) for other in robots]
    if away and min(away) >= _FAR and not any(math.dist(place, o) < _FAR for o in others):
        warn(
            f"{element}: {min(away):.4g} m from all robots; this looks like millimetres; [m] is "
            "wanted"
        )


def warn_order(quaternion: Any) -> None:
    """Warn of (0, 0, 0, 1): half a turn about z as w, x, y, z, and no turn at all in the other
    order, of ROS and SciPy."""
    if np.array_equal(quaternion, (0.0, 0.0, 0.0, 1.0)):
        warn(
            "quaternion (0, 0, 0, 1) is half a turn about z, as the order is w, x, y, z; "
            "quaternion_xyzw= takes x, y, z, w; rpy=(0, 0, math.pi) is half a turn without this "
            "warning"
        )


#: Units of times, and how many of each are a second.
PER_SECOND: Final = {"s": 1.0, "ms": 1e3, "us": 1e6, "µs": 1e6, "μs": 1e6, "ns": 1e9}

#: From 2001-09-09 to 2128-06-11, [s] since 1970: a time of these days in another unit is in none of
#: the ranges of the others.
_EPOCH: Final = (1e9, 5e9)


def time_unit(time: float) -> str:
    """The unit of a time of these days that is counted from 1970, where it is not [s]; empty where
    it is none."""
    for unit in ("ms", "us", "ns"):
        if _EPOCH[0] <= time / PER_SECOND[unit] <= _EPOCH[1]:
            return unit
    return ""
