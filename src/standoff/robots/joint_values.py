"""Numbers a joint, checked at the border: configurations, speeds, limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import ConfigurationError, PoseError
from standoff.geometry.pose import Array, numbers


def joint_values(
    value: ArrayLike,
    joints: Sequence[str],
    what: str,
    *,
    negative: bool = True,
    infinite: bool = False,
) -> Array:
    """A copy of one number a joint; `JointNames.values` takes them by name.

    Raises:
        ConfigurationError: too many or too few, a number that is not finite (not a number, where
            ``infinite`` ones are allowed), or below 0 where it may not be.
    """
    result = _shaped(value, joints, what, 1)
    _check(result, joints, what, negative, infinite)
    return result


def joint_rows(value: ArrayLike, joints: Sequence[str], what: str) -> Array:
    """A copy of rows (n, joints) of finite numbers."""
    result = _shaped(value, joints, what, 2)
    _check(result, joints, what, True, False)
    return result


def _shaped(value: ArrayLike, joints: Sequence[str], what: str, dimensions: int) -> Array:
    expected = f"{len(joints)} numbers: {', '.join(joints) or 'no joints'}"
    if dimensions == 2:
        expected = f"rows of {expected}"
    try:
        result = numbers(value, what)
    except PoseError as error:
        raise ConfigurationError(
            "not numbers", element=what, value=value, allowed=expected
        ) from error
    if result.ndim != dimensions or result.shape[-1] != len(joints):
        raise ConfigurationError("wrong shape", element=what, value=result.shape, allowed=expected)
    return np.ascontiguousarray(result)


def _check(values: Array, joints: Sequence[str], what: str, negative: bool, infinite: bool) -> None:
    good = ~np.isnan(values) if infinite else np.isfinite(values)
    if not negative:
        good &= values >= 0.0
    if good.all():
        return
    at = tuple(np.argwhere(~good)[0])
    allowed = "a number" if infinite else "a finite number"
    raise ConfigurationError(
        f"impossible value for joint {joints[at[-1]]!r}",
        element=what if len(at) == 1 else f"{what}[{at[0]}]",
        value=float(values[at]),
        allowed=allowed if negative else f"{allowed} >= 0",
    )
