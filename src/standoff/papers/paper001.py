"""The experiments of paper 001: F. Schwarzer, M. Saha and J.-C. Latombe, "Exact collision checking
of robot paths", 2002; Tables 1 to 5, Fig. 4 and Fig. 5, ours beside the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from standoff.compiled.by_address import address_of
from standoff.papers import paper001_bounds
from standoff.papers.bench001 import Bench, exact_checkers
from standoff.papers.paper001_counts import counts
from standoff.papers.paper001_planning import table4
from standoff.papers.paper001_segments import colliding, covers, free
from standoff.papers.paper001_walks import table5
from standoff.papers.result import Result
from standoff.papers.running import run_experiments
from standoff.papers.sampled001 import SampledChecker
from standoff.papers.sbl001 import SAMPLE_STEP, Samples
from standoff.plan.growing import compile_for

TITLE = "Exact collision checking of robot paths (Schwarzer, Saha and Latombe, 2002)"


def fig5(bench: Bench) -> Result:
    """Fig. 5."""
    return paper001_bounds.fig5(100 if bench.quick else paper001_bounds.SEGMENTS, bench.tell)


#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "table1": counts,
    "fig4": covers,
    "fig5": fig5,
    "table2": colliding,
    "table3": free,
    "table4": table4,
    "table5": table5,
}

#: Experiments with the planner and the smoother, which need no checker but our own.
_APPLIED = {"table4", "table5"}


def run(
    only: Sequence[str], folder: Path, out: Console, notes: Console, *, quick: bool = False
) -> dict[str, Result]:
    """Run the experiments named, or all; tables on ``out`` as they come, a progress bar on
    ``notes``, plots into ``folder``.

    Raises:
        Error: an experiment nobody knows.
    """

    def prepared(chosen: Sequence[str]) -> Bench:
        bench = Bench(quick=quick)
        warm_up(bench, chosen)
        return bench

    title = f"[bold]Paper 001[/bold]: {TITLE}"
    return run_experiments(title, EXPERIMENTS, prepared, only, folder, out, notes)


def warm_up(bench: Bench, chosen: Sequence[str]) -> None:
    """Call what the experiments need, so that none of it is compiled under a clock."""
    if set(chosen) - _APPLIED:
        cell = bench.cell("6b-one")
        q = cell.q[None]
        for checker in (SampledChecker(cell, 1.0), *exact_checkers(cell, 0.0).values()):
            checker.segments(q, q)
    if "table4" in chosen:
        compile_for(Samples.kernel)
        address_of(SAMPLE_STEP)
    if "table5" in chosen:
        for entry in ("papers.kernels.random_walk.walk", "plan.kernels.shortcut.shorten"):
            compile_for(entry)
