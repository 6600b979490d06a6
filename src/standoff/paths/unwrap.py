"""Angles that were wrapped to one turn, made into the way that was meant."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell import Cell
from standoff.constants import HALF_TURN_ANGLE
from standoff.errors import PathError
from standoff.shapes.pose import Array


def unwrap(cell: Cell, waypoints: ArrayLike) -> Array:
    """The waypoints (n, joints) with each continuous joint going the shorter way from one to the
    next, by adding full turns; the first waypoint and all other joints stay as they are.

    Everywhere else in this package an angle is what it says: from 3 to -3 is 6 rad back, and not
    0.28 rad on. Whether a file means that or was wrapped cannot be told from its numbers.

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
