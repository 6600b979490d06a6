"""The experiments of paper 004: V. Hayward, S. Aubry, A. Foisy and Y. Ghallab, "Efficient collision
prediction among many moving objects", 1995; Tables 1 to 3 and Figs. 8 to 10, ours beside the
paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from standoff.papers.bench004 import Bench
from standoff.papers.paper004_alarms import one, own
from standoff.papers.paper004_belief import belief
from standoff.papers.paper004_cost import cost, growth
from standoff.papers.paper004_period import shorter
from standoff.papers.result import Result
from standoff.papers.running import run_experiments

TITLE = (
    "Efficient collision prediction among many moving objects (Hayward, Aubry, Foisy and Ghallab, "
    "1995)"
)

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "table1": cost,
    "fig9": growth,
    "table2": own,
    "one": one,
    "period": shorter,
    "table3": belief,
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

    title = f"[bold]Paper 004[/bold]: {TITLE}"
    return run_experiments(title, EXPERIMENTS, prepared, only, folder, out, notes)


def warm_up(chosen: Sequence[str]) -> None:
    """Call what the experiments need, so that none of it is compiled under a clock."""
    small = Bench(quick=True)
    small.worlds = small.beliefs = small.rounds = small.readings = 1
    for name in chosen:
        EXPERIMENTS[name](small)
