"""The experiments of paper 000, ours beside what its prose gives; it gives no figures."""

from __future__ import annotations

from standoff.papers.paper000_bench import Bench, prepare
from standoff.papers.paper000_choices import buffer, grid, n_objects, techniques, updates
from standoff.papers.paper000_cycle import costs, cycle, region, shares, structure
from standoff.papers.paper000_worlds import far, growing, links
from standoff.papers.toolkit import Paper


def _note(bench: Bench) -> str:
    return (
        "As published: the paper's algorithm. Default: with a reserve, near pairs kept from cycle "
        f"to cycle. Times: lowest of {bench.rounds} rounds, variants in turn, over the "
        f"{bench.cycles} cycles of the three tasks."
    )


PAPER = Paper(
    "000",
    "A Real-Time Robot Arm Collision Avoidance System (Shaffer and Herb, 1992)",
    {
        "cycle": cycle,
        "shares": shares,
        "costs": costs,
        "structure": structure,
        "techniques": techniques,
        "updates": updates,
        "links": links,
        "buffer": buffer,
        "N": n_objects,
        "growing": growing,
        "far": far,
        "grid": grid,
        "region": region,
    },
    Bench,
    prepare,
    note=_note,
)
