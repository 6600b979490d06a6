"""The period as Culley and Kempf choose it."""

from __future__ import annotations

import math

import numpy as np

from standoff.errors import PredictError
from standoff.geometry.pose import Array
from standoff.predict.kernels import layout as p
from standoff.predict.kernels.select_all import smallest_gap


def driving_period(bodies: Array, positions: Array) -> float:
    """The smallest distance over the highest relative speed, [s]: how long the pair that drives the
    step cannot touch, whoever it is.

    Raises:
        PredictError: bodies that touch, or none that moves.
    """
    placed = bodies.copy()
    placed[: len(positions), p.POSITION : p.VELOCITY] = positions[: len(bodies)]
    fastest = float(np.sort(placed[:, p.SPEED])[-2:].sum())
    gap = float(smallest_gap(placed))
    if not (gap > 0.0 and fastest > 0.0 and math.isfinite(gap)):
        raise PredictError(
            "no period follows from this start",
            element="period",
            value=f"a smallest distance of {gap:g} m at {fastest:g} m/s",
            allowed="bodies apart and speeds above 0, or a period in seconds",
        )
    return gap / fastest
