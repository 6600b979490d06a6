"""Coal's opinion on pairs of parts, and its time for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import coal

from standoff.interference.parts import Part
from tests.oracles.coal import geometry, transform

#: A geometry and where it is.
Body = tuple[Any, Any]


def bodies(parts: Sequence[Part]) -> list[Body]:
    return [(geometry(p.shape), transform(p.pose)) for p in parts]


def collisions(made: Sequence[Body], pairs: Iterable[tuple[int, int]]) -> list[bool]:
    """Whether each pair collides, called pair by pair: of meshes, whether their surfaces do."""
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    collide, clear = coal.collide, result.clear
    hits = []
    for i, j in pairs:
        clear()
        hits.append(collide(*made[i], *made[j], request, result) > 0)
    return hits
