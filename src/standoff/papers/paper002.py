"""The experiments of paper 002: N. Ahuja, R. T. Chien, R. Yen and N. Bridwell, "Interference
detection and collision avoidance among three dimensional objects", 1980. It has no tables; what its
sections II, III and IV claim is tested, claim by claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from standoff.papers import paper002_avoid as avoid
from standoff.papers import paper002_octrees as octrees
from standoff.papers import paper002_projections as projections
from standoff.papers.paper002_parts import Bench
from standoff.papers.toolkit import Paper, Result

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "missed": projections.missed,
    "planes": projections.planes,
    "devised": projections.defeated,
    "shapes": projections.shapes,
    "vertices": projections.vertices,
    "cost": projections.cost,
    "envelopes": projections.envelopes,
    "order": projections.order,
    "resolution": octrees.resolution,
    "nodes": octrees.nodes,
    "many": octrees.many,
    "separation": avoid.separation,
    "avoidance": avoid.avoidance,
    "methods": octrees.methods,
}


_TITLE = (
    "Interference detection and collision avoidance among three dimensional objects (Ahuja, Chien, "
    "Yen and Bridwell, 1980)"
)

run = Paper("002", _TITLE, EXPERIMENTS, lambda chosen, quick: Bench(quick=quick)).run
