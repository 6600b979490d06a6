"""The experiments of paper 002: N. Ahuja, R. T. Chien, R. Yen and N. Bridwell, "Interference
detection and collision avoidance among three dimensional objects", 1980. It has no tables; what its
sections II, III and IV claim is tested, claim by claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from standoff.papers.paper002_avoid import avoidance, separation
from standoff.papers.paper002_octrees import many, methods, nodes, resolution
from standoff.papers.paper002_parts import Bench
from standoff.papers.paper002_projections import (
    cost,
    defeated,
    envelopes,
    missed,
    order,
    planes,
    shapes,
    vertices,
)
from standoff.papers.toolkit import Paper, Result

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "missed": missed,
    "planes": planes,
    "devised": defeated,
    "shapes": shapes,
    "vertices": vertices,
    "cost": cost,
    "envelopes": envelopes,
    "order": order,
    "resolution": resolution,
    "nodes": nodes,
    "many": many,
    "separation": separation,
    "avoidance": avoidance,
    "methods": methods,
}


_TITLE = (
    "Interference detection and collision avoidance among three dimensional objects (Ahuja, Chien, "
    "Yen and Bridwell, 1980)"
)

run = Paper("002", _TITLE, EXPERIMENTS, lambda chosen, quick: Bench(quick=quick)).run
