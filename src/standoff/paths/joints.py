"""Joint values as others write them, against what the joints can do; angles that were wrapped to
one turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standoff.cell.cell import Cell
from standoff.errors import PathError
from standoff.geometry.pose import Array
from standoff.robots.tree import Tree
from standoff.tolerances import ENCODER_TOLERANCE

#: Joint values that differ by less are the same, [rad or m]: files are written with six digits or
#: so.
LIMIT_ROUNDING = 1e-6


#: How near to half a turn a step of a wrapped angle may be, [rad], before nobody knows which way it
#: goes: files of seven digits are off by as much.
HALF_TURN_ANGLE = 1e-6


def check_limits(values: Array, tree: Tree, file: Path, places: Sequence[str]) -> None:
    """Refuse the first waypoint with a joint beyond its limits; how many more there are, and
    whether they look like another unit, is said, too."""
    beyond = beyond_limits(values, tree)
    bad = np.argwhere(beyond)
    if not len(bad):
        return
    row, joint = bad[0]
    unit = tree.units[joint]
    rest = f", and {len(bad) - 1} more values" if len(bad) > 1 else ""
    hint = _hint(values, beyond, tree)
    raise PathError(
        f"joint {tree.joints[joint]!r} is beyond its limits{rest}{hint}",
        file=file,
        element=places[row],
        value=float(values[row, joint]),
        allowed=(
            f"{tree.lower[joint]:g} to {tree.upper[joint]:g} [{unit}]; "
            "limits=False or --no-limits takes them as they are"
        ),
    )


#: Yes or no for each value.
Flags = NDArray[np.bool_]


def beyond_limits(values: Array, tree: Tree) -> Flags:
    """Which values (…, joints) are beyond their joints' limits, by more than ENCODER_TOLERANCE."""
    low, high = tree.lower - ENCODER_TOLERANCE, tree.upper + ENCODER_TOLERANCE
    result: Flags = (values < low) | (values > high)
    return result


#: How often beyond its limits a joint must be before its unit is doubted, [-].
_BY_FAR = 2.0


def _hint(values: Array, beyond: Flags, tree: Tree) -> str:
    """Whether what lies far beyond the limits would lie within them in another unit."""
    size = np.maximum(np.abs(tree.lower), np.abs(tree.upper))
    for unit, factor, words in (
        ("rad", math.pi / 180.0, "these look like degrees"),
        ("m", 0.001, "these look like millimetres"),
    ):
        meant = beyond & np.array([u == unit for u in tree.units])
        far = meant & (np.abs(values) > _BY_FAR * size)
        if far.any() and not (beyond_limits(factor * values, tree) & meant).any():
            return f" ({words}; [{unit}] is wanted)"
    return ""


#: A step beyond this may be no step but the end of a scale, [rad]: half a turn, and the rounding of
#: a file on top.
_JUMP = math.pi + LIMIT_ROUNDING


def check_turns(values: Array, tree: Tree, file: Path, places: Sequence[str]) -> None:
    """Refuse a continuous joint that jumps by more than half a turn while all its angles lie within
    [-π, π] or within [0, 2π]: it may have been wrapped by whoever wrote the file, or turn all the
    way back, and the numbers do not tell. One that counts its turns is taken at its word."""
    for k, kind in enumerate(tree.kinds):
        angles = values[:, k]
        jumps = np.flatnonzero(np.abs(np.diff(angles)) > _JUMP)
        if kind == "continuous" and len(jumps) and _one_turn(angles):
            at = int(jumps[0])
            rest = f", {len(jumps) - 1} more jumps behind it" if len(jumps) > 1 else ""
            raise PathError(
                f"joint {tree.joints[k]!r} jumps by more than half a turn{rest}",
                file=file,
                element=places[at + 1],
                value=(float(angles[at]), float(angles[at + 1])),
                allowed=(
                    "unwrap=True or --unwrap takes it the shorter way, past the end of the scale; "
                    "unwrap=False or --no-unwrap all the way back, as it says"
                ),
            )


def cut_turns(values: Array, tree: Tree) -> Array:
    """The same path with waypoints in between wherever a continuous joint goes on by more than half
    a turn, so that `check_turns` has nothing to ask."""
    turning = np.array([kind == "continuous" for kind in tree.kinds], dtype=bool)
    steps = np.abs(np.diff(values, axis=0))[:, turning].max(axis=1, initial=0.0)
    parts = np.maximum(np.ceil(steps / math.pi), 1.0).astype(int)
    if (parts == 1).all():
        return values
    rows = [values[:1]]
    for a, b, count in zip(values[:-1], values[1:], parts.tolist()):
        inner = np.linspace(0.0, 1.0, count + 1)[1:-1, None]
        rows += [a + inner * (b - a), b[None]]
    return np.concatenate(rows)


def _one_turn(angles: Array) -> bool:
    low, high = float(angles.min()), float(angles.max())
    return (low >= -math.pi - LIMIT_ROUNDING and high <= math.pi + LIMIT_ROUNDING) or (
        low >= -LIMIT_ROUNDING and high <= 2.0 * math.pi + LIMIT_ROUNDING
    )


def unwrap(cell: Cell, waypoints: ArrayLike) -> Array:
    """The waypoints (n, joints) with each continuous joint going the shorter way from one to the
    next, by adding full turns; the first waypoint and all other joints stay as they are.

    Everywhere else in this package an angle is what it says: from 3 to -3 is 6 rad back, and not
    0.28 rad on. Whether a file means that or was wrapped does not show in its numbers.

    Raises:
        PathError: a step within HALF_TURN_ANGLE of half a turn, which may go either way.
        ConfigurationError: waypoints that do not fit the cell.
    """
    q = cell.tree.configurations(waypoints, "waypoints")
    turning = [j for j, kind in enumerate(cell.tree.kinds) if kind == "continuous"]
    return unwrap_columns(q, turning, cell.joints)


def unwrap_columns(q: Array, columns: list[int], names: tuple[str, ...]) -> Array:
    """`unwrap` for the given columns of ``q``."""
    result = q.copy()
    for j in columns:
        step = np.diff(q[:, j])
        turns = np.rint(step / (2.0 * math.pi))
        shorter = step - turns * (2.0 * math.pi)
        doubt = np.abs(shorter) > math.pi - HALF_TURN_ANGLE
        if doubt.any():
            k = int(np.argmax(doubt))
            raise PathError(
                "half a turn, which may go either way",
                element=f"joint {names[j]!r} from waypoint {k} to {k + 1}",
                value=(float(q[k, j]), float(q[k + 1, j])),
                allowed="a waypoint in between",
            )
        result[1:, j] = q[1:, j] - np.cumsum(turns) * (2.0 * math.pi)
    return result
