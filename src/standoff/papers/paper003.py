"""The experiments of paper 003: Table 1, Figs. 2, 4 and 5, ours beside the paper's."""

from __future__ import annotations

from standoff.papers.paper003_hand import cost, hand
from standoff.papers.paper003_levels import Bench, checks, growth, optimum, table
from standoff.papers.toolkit import Paper

PAPER = Paper(
    "003",
    "Real-time collision detection using spherical octrees: virtual reality application "
    "(Tzafestas and Coiffet, 1996)",
    {
        "table1": table,
        "checks": checks,
        "fig4": optimum,
        "fig5": growth,
        "hand": hand,
        "scene": cost,
    },
    Bench,
    least={"ways": 4, "steps": 4, "rounds": 1, "hand": 40, "vertices": (8, 20)},
)
