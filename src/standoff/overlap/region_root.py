"""A root cube for parts that are to be compared, and how often to cut it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from standoff.broadphase.index import ROOT_MARGIN
from standoff.broadphase.octree import DEEPEST_LEVEL
from standoff.errors import InterferenceError
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.geometry.shape import SMALLEST_SIZE
from standoff.overlap.amounts import amount
from standoff.overlap.part import Part
from standoff.overlap.region import MOST_REGION_LEAVES, placed_box
from standoff.tolerances import COORDINATE_LIMIT


def common_root(parts: Iterable[Part], *, grow: float = 0.0) -> tuple[Array, float]:
    """Middle and edge of a cube with room around all parts that are bounded, each grown by
    ``grow`` [m], so that none of their trees reaches outside. Half spaces do not count; without
    anything else it is the unit cube about the origin."""
    bounded = [part for part in parts if part.shape.bounded]
    boxes = np.array([placed_box(part.shape, part.pose) for part in bounded])
    if not len(boxes):
        return np.zeros(3), 1.0
    reach = amount("grow", grow, "m")
    low, high = boxes[:, :3].min(axis=0) - reach, boxes[:, 3:].max(axis=0) + reach
    edge = float((high - low).max()) * (1.0 + 2.0 * ROOT_MARGIN)
    if edge > COORDINATE_LIMIT:
        axis = int((high - low).argmax())
        ends = boxes[:, axis].argmin(), boxes[:, 3 + axis].argmax()
        names = " to ".join(dict.fromkeys(bounded[int(k)].name for k in ends))
        raise InterferenceError(
            "too large a scene for an octree", element=names, value=f"{edge:.3g} m",
            allowed=f"a cube of {COORDINATE_LIMIT:g} m around all parts, with their clearance; is "
            "a part in another unit? The other methods take it as it is",
        )  # fmt: skip
    return 0.5 * (low + high), max(edge, SMALLEST_SIZE)


def check_leaves(parts: Iterable[Part], width: float, grow: float = 0.0) -> None:
    """Raise where trees with nodes of ``width`` [m] would have far too many leaves, and say so
    before the memory is full: a surface of area A crosses some ``A / width²`` nodes, and no
    body of volume V has less of it than a ball. Half of that is counted."""
    for part in parts:
        shape = part.shape
        if not shape.bounded:
            continue
        if isinstance(shape, Mesh):
            area = shape.area if grow == 0.0 else 0.0  # what is grown may have lost its folds
        else:
            area = (36.0 * math.pi * shape.volume**2) ** (1.0 / 3.0)
        if 0.5 * area > MOST_REGION_LEAVES * width**2:
            raise too_fine(part.name, width, math.sqrt(0.5 * area / MOST_REGION_LEAVES))


def too_fine(name: str, width: float, least: float) -> InterferenceError:
    """What is said of a part with more leaves than a tree may have."""
    return InterferenceError(
        f"too fine for {name}, whose octree would have more than {MOST_REGION_LEAVES:,} leaves",
        element="resolution",
        value=width,
        allowed=f"{least:.2g} m or more",
    )


def levels_for(edge: float, resolution: float) -> int:
    """How often a cube of that edge is cut in two until nodes are no wider than ``resolution``,
    [m]."""
    width = amount("resolution", resolution, "m", zero=False)
    levels = max(0, math.ceil(math.log2(edge) - math.log2(width)))  # the quotient may overflow
    while levels <= DEEPEST_LEVEL and edge / 2.0**levels > width:  # the logarithm was rounded
        levels += 1
    if 0 < levels <= DEEPEST_LEVEL + 1 and edge / 2.0 ** (levels - 1) <= width:  # or up
        levels -= 1
    if levels > DEEPEST_LEVEL:
        raise InterferenceError(
            "too fine for the size of the scene",
            element="resolution",
            value=resolution,
            allowed=f"at least {edge / 2.0**DEEPEST_LEVEL:.3g} m, 2^-{DEEPEST_LEVEL} of the root",
        )
    return levels
