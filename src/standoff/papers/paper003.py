"""The experiments of paper 003: C. Tzafestas and P. Coiffet, "Real-time collision detection using
spherical octrees: virtual reality application", 1996; Table 1, Figs. 2, 4 and 5, ours beside the
paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from standoff.papers.bench003 import Bench
from standoff.papers.paper003_growth import growth
from standoff.papers.paper003_hand import cost, hand
from standoff.papers.paper003_levels import checks, optimum, table
from standoff.papers.result import Result
from standoff.papers.running import run_experiments

TITLE = (
    "Real-time collision detection using spherical octrees: virtual reality application "
    "(Tzafestas and Coiffet, 1996)"
)

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "table1": table,
    "checks": checks,
    "fig4": optimum,
    "fig5": growth,
    "hand": hand,
    "scene": cost,
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
        warm_up(chosen)
        return Bench(quick=quick)

    title = f"[bold]Paper 003[/bold]: {TITLE}"
    return run_experiments(title, EXPERIMENTS, prepared, only, folder, out, notes)


def warm_up(chosen: Sequence[str]) -> None:
    """Call what the experiments need, so that none of it is compiled under a clock."""
    small = Bench(quick=True)
    small.ways, small.steps, small.rounds, small.hand = 4, 4, 1, 40
    small.vertices = (8, 20)
    for name in chosen:
        EXPERIMENTS[name](small)
