"""A root cube for parts that are to be compared, and how often to cut it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from standoff.constants import DEEPEST_LEVEL, ROOT_MARGIN, SMALLEST_SIZE
from standoff.errors import InterferenceError
from standoff.overlap.amounts import amount
from standoff.overlap.part import Part
from standoff.overlap.region_leaves import placed_box
from standoff.shapes.pose import Array


def common_root(parts: Iterable[Part], *, grow: float = 0.0) -> tuple[Array, float]:
    """Middle and edge of a cube with room around all parts that are bounded, each grown by
    ``grow`` [m], so that none of their trees reaches outside. Half spaces do not count; without
    anything else it is the unit cube about the origin."""
    boxes = np.array([placed_box(p.shape, p.pose) for p in parts if p.shape.bounded])
    if not len(boxes):
        return np.zeros(3), 1.0
    reach = amount("grow", grow, "m")
    low, high = boxes[:, :3].min(axis=0) - reach, boxes[:, 3:].max(axis=0) + reach
    edge = float((high - low).max()) * (1.0 + 2.0 * ROOT_MARGIN)
    return 0.5 * (low + high), max(edge, SMALLEST_SIZE)


def levels_for(edge: float, resolution: float) -> int:
    """How often a cube of that edge is cut in two until nodes are no wider than ``resolution``,
    [m]."""
    width = amount("resolution", resolution, "m", zero=False)
    levels = max(0, math.ceil(math.log2(edge / width)))
    if edge / 2.0**levels > width:  # the logarithm was rounded
        levels += 1
    if levels > DEEPEST_LEVEL:
        raise InterferenceError(
            "too fine for the size of the scene",
            element="resolution",
            value=resolution,
            allowed=f"at least {edge / 2.0**DEEPEST_LEVEL:.3g} m, 2^-{DEEPEST_LEVEL} of the root",
        )
    return levels
