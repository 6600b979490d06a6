"""The experiments of paper 002: N. Ahuja, R. T. Chien, R. Yen and N. Bridwell, "Interference
detection and collision avoidance among three dimensional objects", 1980. It has no tables; what its
sections II, III and IV claim is tested, claim by claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from standoff.papers.bench002 import Bench
from standoff.papers.paper002_avoid import avoidance, separation
from standoff.papers.paper002_cost import cost, envelopes, order, vertices
from standoff.papers.paper002_methods import methods
from standoff.papers.paper002_octree import many, nodes, resolution
from standoff.papers.paper002_planes import defeated, missed, planes, shapes
from standoff.papers.result import Result
from standoff.papers.running import run_experiments

TITLE = (
    "Interference detection and collision avoidance among three dimensional objects (Ahuja, Chien, "
    "Yen and Bridwell, 1980)"
)

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


def run(
    only: Sequence[str], folder: Path, out: Console, notes: Console, *, quick: bool = False
) -> dict[str, Result]:
    """Run the experiments named, or all; tables on ``out`` as they come, a progress bar on
    ``notes``, plots into ``folder``.

    Raises:
        Error: an experiment nobody knows.
    """

    def prepared(chosen: Sequence[str]) -> Bench:
        return Bench(quick=quick)

    title = f"[bold]Paper 002[/bold]: {TITLE}"
    return run_experiments(title, EXPERIMENTS, prepared, only, folder, out, notes)
