"""False alarms and missed overlaps of every method on random pairs, against Coal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from peers.interference_coal import bodies, collisions
from standoff.interference.parts import Part
from standoff.interference.region_meets import meets_many
from standoff.papers.paper002_parts import MOST_PLANES, SOME_PLANES, judged, trees_of

#: Coal calls pairs that are apart by less than this a collision now and then, [m].
COAL_ROUNDING = 1e-6


@dataclass(frozen=True)
class Alarms:
    """What the methods make of one scene.

    Attributes:
        pairs, hits: all of them, and those that collide by Coal.
        inside: found to overlap by the exact distance alone, as one part is inside a mesh.
        rounding: hits that are apart by up to `COAL_ROUNDING`.
        missed: hits that a method calls apart, by its name, those of `rounding` left out.
        false: pairs that are apart, and that it does not tell apart.
    """

    pairs: int
    hits: int
    inside: int
    rounding: int
    missed: dict[str, int]
    false: dict[str, int]


def count_alarms(
    parts: list[Part], levels: range, true: bool, tell: Callable[[str], None]
) -> Alarms:
    """By the exact distance, by planes, and by octrees."""
    tell("the distance of each pair, and planes")
    found = judged(parts)
    tell("Coal")
    pairs = [tuple(pair) for pair in found.pairs.tolist()]
    hits = np.array(collisions(bodies(parts), pairs))
    overlap = found.distance <= 0.0
    rounding = hits & ~overlap & (found.distance < COAL_ROUNDING)
    real = (hits & ~rounding) | overlap
    told = {"exact": overlap}
    for n in SOME_PLANES:
        told[f"{n} planes, hull"] = found.hull >= n
        if true:
            told[f"{n} planes, true outline"] = found.true >= n
    for level in levels:
        tell(f"octrees of {level} levels")
        meeting = meets_many(trees_of(parts, level)).pairs
        told[f"octree, {level} levels"] = np.array([pair in meeting for pair in pairs])
    assert max(SOME_PLANES) == MOST_PLANES
    return Alarms(
        len(pairs),
        int(hits.sum()),
        int((overlap & ~hits).sum()),
        int(rounding.sum()),
        {name: int((real & ~alarm).sum()) for name, alarm in told.items()},
        {name: int((alarm & ~real).sum()) for name, alarm in told.items()},
    )
