"""The experiments of paper 001: Tables 1 to 5, Fig. 4 and Fig. 5, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from standoff.compiled.by_address import address_of
from standoff.papers.paper001_bounds import counts, fig5
from standoff.papers.paper001_checkers import SampledChecker, exact_checkers
from standoff.papers.paper001_planning import SAMPLE_STEP, Samples, table4
from standoff.papers.paper001_segments import Bench, colliding, covers, free
from standoff.papers.paper001_walks import table5
from standoff.papers.toolkit import Paper
from standoff.plan.growing import compile_for


def _prepare(bench: Bench, chosen: Sequence[str]) -> None:
    if set(chosen) - {"table4", "table5"}:  # those need no checker but our own
        cell = bench.cell("6b-one")
        q = cell.q[None]
        for checker in (SampledChecker(cell, 1.0).segments, *exact_checkers(cell, 0.0).values()):
            checker(q, q)
    if "table4" in chosen:
        compile_for(Samples.kernel)
        address_of(SAMPLE_STEP)
    if "table5" in chosen:
        compile_for("plan.kernels.shortcut.shorten")


PAPER = Paper(
    "001",
    "Exact collision checking of robot paths (Schwarzer, Saha and Latombe, 2002)",
    {
        "table1": counts,
        "fig4": covers,
        "fig5": fig5,
        "table2": colliding,
        "table3": free,
        "table4": table4,
        "table5": table5,
    },
    Bench,
    _prepare,
)
