"""False alarms of planar projections: how many there are, by the number of planes."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from standoff.errors import InterferenceError
from standoff.geometry.distance import distance
from standoff.overlap.part import Parts, checked_parts
from standoff.overlap.projection import Outline, ProjectionMethod


@dataclass(frozen=True)
class FalseAlarms:
    """How many pairs of a scene are apart and yet not told apart by so many planes.

    Attributes:
        outline: "hull" or "true".
        pairs: all pairs of the scene.
        apart: those among them that are apart, by their exact distance.
        planes: numbers of planes, of the sequence of `plane_normals`.
        alarms: for each of them, how many of the pairs that are apart none of the planes separates.
    """

    outline: str
    pairs: int
    apart: int
    planes: tuple[int, ...]
    alarms: tuple[int, ...]


def false_alarms(
    parts: Parts, planes: Iterable[int] = range(1, 25), outline: Outline = "hull"
) -> FalseAlarms:
    """Count the false alarms of a scene for each number of planes, against the exact distance.
    The first planes of the sequence are always the same, so more planes never have more.

    ``parts`` are shapes by name, each alone (at the origin) or with its pose, or some `Part`."""
    parts = checked_parts(parts)
    try:
        numbers = tuple(operator.index(n) for n in planes)
    except TypeError as error:
        raise InterferenceError(
            "not numbers of planes", element="planes", value=planes, allowed="whole numbers"
        ) from error
    if not numbers:
        raise InterferenceError("no numbers of planes", element="planes", allowed="at least one")
    method = ProjectionMethod(parts, planes=max(numbers), outline=outline)
    if min(numbers) < 1:
        raise InterferenceError(
            "not a number of planes", element="planes", value=min(numbers), allowed="1 or more"
        )
    pairs = method.pairs()
    # Not by area: the first plane of the sequence that separates a pair says for every number of
    # planes whether they do.
    first = method.separating_planes(pairs, order=np.arange(max(numbers), dtype=np.int64))
    never = [
        (i, j)
        for i, j in pairs[first < 0].tolist()
        if distance(parts[i].shape, parts[i].pose, parts[j].shape, parts[j].pose).value > 0.0
    ]
    found = first[first >= 0]
    alarms = tuple(len(never) + int((found >= n).sum()) for n in numbers)
    return FalseAlarms(outline, len(pairs), len(found) + len(never), numbers, alarms)
