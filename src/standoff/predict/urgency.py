"""How early two bodies can touch, and how near they can get: for any number of pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.constants import URGENCY_BLOCK
from standoff.errors import PredictError
from standoff.kernels.predict.layout import BOUNDED
from standoff.kernels.predict.nearest import least_many
from standoff.kernels.predict.urgencies import tau_free_many, urgency_many
from standoff.kernels.predict.urgency import BLOCK_ROWS
from standoff.predict.amounts import NOT_NUMBERS
from standoff.shapes.pose import Array


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
    x, v, shape = _states(position, velocity, max_acceleration, max_speed, margin)
    acceleration = _amounts("max_acceleration", max_acceleration, shape, "m/s²")
    radius = _amounts("margin", margin, shape, "m")
    tau = np.empty(len(x))
    if max_speed is None:
        tau_free_many(x, v, acceleration, radius, np.empty((BLOCK_ROWS, URGENCY_BLOCK)), tau)
    else:
        speed = _amounts("max_speed", max_speed, shape, "m/s")
        urgency_many(BOUNDED, x, v, acceleration, speed, radius, tau)
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
    x, v, shape = _states(position, velocity, max_acceleration, duration, max_speed, margin)
    acceleration = _amounts("max_acceleration", max_acceleration, shape, "m/s²")
    speed = (
        np.full(len(x), math.inf)
        if max_speed is None
        else _amounts("max_speed", max_speed, shape, "m/s")
    )
    radius = _amounts("margin", margin, shape, "m")
    least = np.empty(len(x))
    interval = _amounts("duration", duration, shape, "s")
    least_many(x, v, acceleration, speed, radius, interval, least)
    return float(least[0]) if shape == () else least.reshape(shape)


def _states(
    position: ArrayLike, velocity: ArrayLike, *others: ArrayLike | None
) -> tuple[Array, Array, tuple[int, ...]]:
    """Positions and velocities as rows, and the shape that all arguments have together."""
    x, v = _numbers("position", position), _numbers("velocity", velocity)
    for element, given in (("position", x), ("velocity", v)):
        if given.ndim == 0 or given.shape[-1] != 3:
            raise PredictError(
                "wrong shape", element=element, value=given.shape, allowed="(3,) or (..., 3)"
            )
        if not np.isfinite(given).all():
            raise PredictError("not finite", element=element, value=given.tolist())
    shapes = [x.shape[:-1], v.shape[:-1], *(np.shape(o) for o in others if o is not None)]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise PredictError(
            "shapes that do not fit each other", value=shapes, allowed="one for each pair, or one"
        ) from error
    # Copies: a read-only array would compile the kernels anew.
    rows = [np.array(np.broadcast_to(a, (*shape, 3)), order="C").reshape(-1, 3) for a in (x, v)]
    return rows[0], rows[1], shape


def _amounts(element: str, value: ArrayLike, shape: tuple[int, ...], unit: str) -> Array:
    """A finite number of 0 or more for each pair."""
    given = _numbers(element, value)
    if not (np.isfinite(given) & (given >= 0.0)).all():
        raise PredictError(
            "not a possible value",
            element=element,
            value=given.tolist(),
            allowed=f"finite numbers of 0 or more [{unit}]",
        )
    return np.array(np.broadcast_to(given, shape), order="C").reshape(-1)


def _numbers(element: str, value: ArrayLike) -> Array:
    try:
        return np.asarray(value, dtype=np.float64)
    except NOT_NUMBERS as error:
        raise PredictError("not numbers", element=element, value=value) from error
