"""What every motion of polynomials has to be: finite, increasing in time, without jumps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from standoff.constants import COORDINATE_LIMIT
from standoff.errors import PathError, PoseError
from standoff.shapes.pose import Array, numbers

#: Powers of u in a piece, from 0 to the highest degree.
POWERS = 6


def finite(value: Any, element: str, dimensions: int | None = None) -> Array:
    """A copy as finite float64 numbers, in C order."""
    if np.iscomplexobj(value):
        raise PathError("complex", element=element, allowed="real numbers")
    try:
        result = numbers(value, element)
    except PoseError as error:
        raise PathError("not numbers", element=element, value=value) from error
    if dimensions is not None and result.ndim != dimensions:
        raise PathError(
            "wrong shape", element=element, value=result.shape, allowed=f"{dimensions} dimensions"
        )
    if not np.isfinite(result).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        raise PathError("not finite", element=f"{element}{list(at)}", value=float(result[at]))
    return np.asarray(result, order="C")


def check_shapes(times: Array, coefficients: Array) -> None:
    n, powers, _ = coefficients.shape
    if n < 1 or powers != POWERS:
        raise PathError(
            "wrong shape",
            element="coefficients",
            value=coefficients.shape,
            allowed=f"(pieces >= 1, {POWERS}, joints)",
        )
    if len(times) != n + 1:
        raise PathError(
            "wrong number of times", value=len(times), allowed=f"{n + 1}, one more than pieces"
        )


def check_times(times: Array) -> None:
    with np.errstate(over="ignore"):
        step = np.diff(times)
    good = (step > 0.0) & np.isfinite(step)
    if not good.all():
        k = int(np.argmin(good))
        raise PathError(
            "times do not increase",
            element=f"times[{k + 1}]",
            value=float(times[k + 1]),
            allowed=f"finite, more than {float(times[k])!r}",
        )


def check_size(times: Array, coefficients: Array, joints: Sequence[str] | None) -> None:
    with np.errstate(over="ignore"):
        size = np.abs(coefficients).sum(axis=1)
    if not (size <= COORDINATE_LIMIT).all():
        k, j = map(int, np.argwhere(~(size <= COORDINATE_LIMIT))[0])
        raise PathError(
            "too far",
            element=f"{_joint(joints, j)} from t = {float(times[k])!r} on",
            value=float(size[k, j]),
            allowed=f"positions within {COORDINATE_LIMIT:g} rad or m",
        )


def gaps(coefficients: Array) -> Array:
    """(n - 1, joints): how far each piece's end is from the next one's start."""
    end = coefficients[:-1, POWERS - 1]
    for p in range(POWERS - 2, -1, -1):
        end = end + coefficients[:-1, p]
    return np.asarray(np.abs(end - coefficients[1:, 0]))


def check_gaps(times: Array, gap: Array, allowed: Array, joints: Sequence[str] | None) -> None:
    if (gap <= allowed).all():
        return
    k, j = map(int, np.argwhere(~(gap <= allowed))[0])
    raise PathError(
        "the motion jumps",
        element=f"{_joint(joints, j)} at t = {float(times[k + 1])!r}",
        value=float(gap[k, j]),
        allowed=f"pieces that meet within {float(allowed[k, j]):.3g} rad or m",
    )


def _joint(joints: Sequence[str] | None, j: int) -> str:
    return f"joint number {j}" if joints is None else f"joint {joints[j]!r}"
