"""What a `LivePage` is given, looked at before it goes to another process."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from standoff.errors import Error
from standoff.geometry.pose import Array, numbers
from standoff.scalars import amount


def widths(buffers: Any) -> float | dict[str, float] | None:
    """The buffers as plain numbers.

    Raises:
        Error: anything but None, a length, or lengths by name.
    """
    if buffers is None:
        return None
    if not isinstance(buffers, Mapping):
        return amount("buffers", buffers, Error, "m")
    for name in buffers:
        if not isinstance(name, str):
            raise Error("not a name", element="buffers", value=name, allowed="text")
    return {name: amount(f"buffers / {name}", w, Error, "m") for name, w in buffers.items()}


def joints_given(joints: Sequence[str], q: Any) -> Array:
    """A copy of the joints as an array; NaN where a dict leaves one out.

    Raises:
        Error: not numbers, or a name that is no joint.
    """
    if not isinstance(q, Mapping):
        return numbers(q, "q")
    found = np.full(len(joints), math.nan)
    for k, value in _places(joints, q, "q", "a name of cell.joints"):
        found[k] = _of_shape(value, (), f"q / {joints[k]}")
    return found


def poses_given(moving: Sequence[str], poses: Any) -> Array:
    """A copy of the poses as an array; NaN where a dict leaves one out.

    Raises:
        Error: not numbers, or a name that is no moving body.
    """
    if not isinstance(poses, Mapping):
        return numbers(poses, "poses")
    found = np.full((len(moving), 4, 4), math.nan)
    for k, value in _places(moving, poses, "poses", "a name of cell.moving"):
        found[k] = _of_shape(value, (4, 4), f"poses / {moving[k]}")
    return found


def _places(
    names: Sequence[str], given: Mapping[Any, Any], element: str, allowed: str
) -> list[tuple[int, Any]]:
    known = {name: k for k, name in enumerate(names)}
    for name in given:
        if name not in known:
            raise Error("unknown name", element=element, value=name, allowed=allowed)
    return [(known[name], value) for name, value in given.items()]


def _of_shape(value: Any, shape: tuple[int, ...], element: str) -> Array:
    found = numbers(value, element)
    if found.shape != shape:
        raise Error("wrong shape", element=element, value=found.shape, allowed=str(shape))
    return found


def words_given(value: Any, element: str) -> tuple[str, ...]:
    """Several texts.

    Raises:
        Error: anything else, one text too.
    """
    if value == ():
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str):
        found = tuple(value)
        if all(isinstance(text, str) for text in found):
            return found
    raise Error("not words", element=element, value=value, allowed="a list of texts")


def moment(value: Any, element: str) -> float:
    """A time as a plain number, which may be NaN.

    Raises:
        Error: no number.
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    raise Error("not a number", element=element, value=value, allowed="a number")
