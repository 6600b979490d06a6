"""Every experiment of paper 000: C. A. Shaffer and G. M. Herb, "A Real-Time Robot Arm Collision
Avoidance System", 1992; ours beside what its prose gives (its figures are not in the text).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from standoff.papers.paper000_bench import Bench, prepared
from standoff.papers.paper000_choices import buffer, grid, n_objects, techniques, updates
from standoff.papers.paper000_cycle import costs, cycle, region, shares, structure
from standoff.papers.paper000_worlds import far, growing, links
from standoff.papers.toolkit import Paper, Result

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
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
}


def _note(bench: Bench) -> str:
    return (
        "As published: the paper's algorithm. Default: with a reserve, near pairs kept from cycle "
        f"to cycle. Times: lowest of {bench.rounds} rounds, variants in turn, over the "
        f"{bench.cycles} cycles of the three tasks."
    )


_TITLE = "A Real-Time Robot Arm Collision Avoidance System (Shaffer and Herb, 1992)"

run = Paper("000", _TITLE, EXPERIMENTS, prepared, _note).run
