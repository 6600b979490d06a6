"""The experiments of paper 002, which has no tables: what it claims is tested, claim by claim."""

from __future__ import annotations

from standoff.papers import paper002_avoid as avoid
from standoff.papers import paper002_octrees as octrees
from standoff.papers import paper002_projections as projections
from standoff.papers.paper002_parts import Bench
from standoff.papers.toolkit import Paper

PAPER = Paper(
    "002",
    "Interference detection and collision avoidance among three dimensional objects (Ahuja, Chien, "
    "Yen and Bridwell, 1980)",
    {
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
    },
    Bench,
)
