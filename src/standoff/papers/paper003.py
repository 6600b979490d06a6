"""The experiments of paper 003: C. Tzafestas and P. Coiffet, "Real-time collision detection using
spherical octrees: virtual reality application", 1996; Table 1, Figs. 2, 4 and 5, ours beside the
paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from standoff.papers.paper003_hand import cost, hand
from standoff.papers.paper003_levels import Bench, checks, growth, optimum, table
from standoff.papers.toolkit import Paper, Result, rehearsed

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "table1": table,
    "checks": checks,
    "fig4": optimum,
    "fig5": growth,
    "hand": hand,
    "scene": cost,
}

_TITLE = (
    "Real-time collision detection using spherical octrees: virtual reality application "
    "(Tzafestas and Coiffet, 1996)"
)

_PREPARED = rehearsed(Bench, EXPERIMENTS, ways=4, steps=4, rounds=1, hand=40, vertices=(8, 20))

run = Paper("003", _TITLE, EXPERIMENTS, _PREPARED).run
