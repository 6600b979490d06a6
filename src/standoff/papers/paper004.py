"""The experiments of paper 004: Tables 1 to 3 and Figs. 8 to 10, ours beside the paper's."""

from __future__ import annotations

from standoff.papers.paper004_alarms import belief, one, own, shorter
from standoff.papers.paper004_cost import cost, growth
from standoff.papers.paper004_worlds import Bench
from standoff.papers.toolkit import Paper

PAPER = Paper(
    "004",
    "Efficient collision prediction among many moving objects (Hayward, Aubry, Foisy and Ghallab, "
    "1995)",
    {
        "table1": cost,
        "fig9": growth,
        "table2": own,
        "one": one,
        "period": shorter,
        "table3": belief,
    },
    Bench,
    least={"worlds": 1, "beliefs": 1, "rounds": 1, "readings": 1},
)
