"""How deep an octree is, and where: one number, one by region, or whatever a function says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np

from standoff.constants import CONTACT_MAX_LEVELS
from standoff.contact.octree import Levels
from standoff.errors import ShapeError
from standoff.shapes.pose import Array, vector

_ALLOWED = (
    f'0 to {CONTACT_MAX_LEVELS}, "auto", [((lower, upper), levels), ...] or '
    "a function of a cube's centre and half edge"
)


def levels_at(levels: Any, shift: Array, element: str) -> Levels:
    """The function that `octree_of` asks. ``shift`` leads from the octree's frame to the one in
    which regions are given.

    A list of regions: around a cube the octree is as deep as the deepest region asks that the cube
    meets, and not divided at all where there is none.
    """
    if callable(levels):
        return _checked(levels, shift, element)
    if isinstance(levels, Sequence) and not isinstance(levels, str):
        return _regions(levels, shift, element)
    depth = _depth(levels, element)
    return lambda centre, half: depth


def _checked(asked: Callable[[Array, float], int], shift: Array, element: str) -> Levels:
    try:
        signature(asked).bind(shift, 1.0)
    except TypeError as error:
        raise ShapeError(
            "not a function of two arguments", element=element, value=asked, allowed=_ALLOWED
        ) from error
    except ValueError:
        pass  # a function that does not tell what it takes
    return lambda centre, half: _depth(asked(centre + shift, half), element)


def _regions(levels: Sequence[Any], shift: Array, element: str) -> Levels:
    regions = []
    for number, item in enumerate(levels):
        where = f"{element}[{number}]"
        try:
            (lower, upper), depth = item
        except (TypeError, ValueError) as error:
            raise ShapeError("not a region", element=where, value=item, allowed=_ALLOWED) from error
        low, high = vector(lower, 3, where), vector(upper, 3, where)
        regions.append((low - shift, high - shift, _depth(depth, where)))

    def deepest(centre: Array, half: float) -> int:
        met = [
            depth
            for low, high, depth in regions
            if np.all(centre + half >= low) and np.all(centre - half <= high)
        ]
        return max(met, default=0)

    return deepest


def _depth(value: Any, element: str) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not 0 <= value <= CONTACT_MAX_LEVELS:
        raise ShapeError("no depth of an octree", element=element, value=value, allowed=_ALLOWED)
    return int(value)
