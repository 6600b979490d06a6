"""How early two bodies can touch, and how near they can get: for any number of pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels.nearest import least_many
from standoff.predict.kernels.time_to_contact import (
    BLOCK_ROWS,
    BOUNDED,
    FREE,
    urgency_many,
)
from standoff.predict.options import amounts, numbers

#: Pairs of a block where nothing else is said, [-]: its rows stay in the first cache.
URGENCY_BLOCK = 64


_ROWS = "(3,) or (..., 3) finite numbers"


def urgency(
    position: ArrayLike,
    velocity: ArrayLike,
    max_acceleration: ArrayLike,
    max_speed: ArrayLike | None = None,
    margin: ArrayLike = 0.0,
) -> Any:
    """The earliest time at which two bodies can be within ``margin`` of each other, whatever they
    do within their bounds: never too late, and less than 1 % early.

    Args:
        position: of one body less that of the other, (..., 3), [m].
        velocity: the same of their velocities, (..., 3), [m/s].
        max_acceleration: the sum of both bounds, [m/s²]; 0: both move straight on.
        max_speed: the sum of both bounds, [m/s]; None: there are none. A velocity above it counts
            as the bound, since the bodies are that fast now.
        margin: what counts as contact, [m]: both radii, and how near they may come.

    Returns:
        A float for one pair, an array of the shape that the arguments have together for many, [s]:
        0 where they touch or overlap already, infinity where they never can.

    Raises:
        PredictError: an argument that is not finite, or negative where it may not be, or of a shape
            that does not fit the others.
    """
    bounds = _bounds(max_acceleration, max_speed, margin)
    x, v, shape = _states(position, velocity, *bounds)
    kind = FREE if max_speed is None else BOUNDED
    block, tau = np.empty((BLOCK_ROWS, URGENCY_BLOCK)), np.empty(len(x))
    urgency_many(kind, x, v, *(_for_all(given, shape) for given in bounds), block, tau)
    return float(tau[0]) if shape == () else tau.reshape(shape)


def least_distance(
    position: ArrayLike,
    velocity: ArrayLike,
    max_acceleration: ArrayLike,
    duration: ArrayLike,
    max_speed: ArrayLike | None = None,
    margin: ArrayLike = 0.0,
) -> Any:
    """The smallest distance, less ``margin``, that two bodies can have within ``duration`` [s],
    whatever they do within their bounds; (3) of paper 004. Never too large; 0 where contact is
    possible by then. The other arguments, the shape of the result and the errors are those of
    `urgency`, [m]. With a bound on speed it may be smaller than need be, as turning takes time that
    it does not count.
    """
    bounds = *_bounds(max_acceleration, max_speed, margin), amounts("duration", duration, "s")
    x, v, shape = _states(position, velocity, *bounds)
    least = np.empty(len(x))
    least_many(x, v, *(_for_all(given, shape) for given in bounds), least)
    return float(least[0]) if shape == () else least.reshape(shape)


def _states(
    position: ArrayLike, velocity: ArrayLike, *others: Array
) -> tuple[Array, Array, tuple[int, ...]]:
    """Positions and velocities as rows, and the shape that all arguments have together."""
    x, v = numbers("position", position, _ROWS), numbers("velocity", velocity, _ROWS)
    for element, given in (("position", x), ("velocity", v)):
        if given.ndim == 0 or given.shape[-1] != 3:
            raise PredictError("wrong shape", element=element, value=given.shape, allowed=_ROWS)
        if not np.isfinite(given).all():
            raise PredictError("not finite", element=element, value=given.tolist())
    shapes = [x.shape[:-1], v.shape[:-1], *(o.shape for o in others)]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise PredictError(
            "shapes that do not fit each other", value=shapes, allowed="one for each pair, or one"
        ) from error
    # Copies: a read-only array would compile the kernels anew.
    rows = [np.array(np.broadcast_to(a, (*shape, 3)), order="C").reshape(-1, 3) for a in (x, v)]
    return rows[0], rows[1], shape


def _bounds(
    max_acceleration: ArrayLike, max_speed: ArrayLike | None, margin: ArrayLike
) -> tuple[Array, Array, Array]:
    most = amounts("max_acceleration", max_acceleration, "m/s²")
    speed = np.array(math.inf) if max_speed is None else amounts("max_speed", max_speed, "m/s")
    return most, speed, amounts("margin", margin, "m")


def _for_all(given: Array, shape: tuple[int, ...]) -> Array:
    """One for each pair."""
    return np.array(np.broadcast_to(given, shape), order="C").reshape(-1)
