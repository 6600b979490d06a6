"""The experiments of paper 004: V. Hayward, S. Aubry, A. Foisy and Y. Ghallab, "Efficient collision
prediction among many moving objects", 1995; Tables 1 to 3 and Figs. 8 to 10, ours beside the
paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from standoff.papers.paper004_alarms import belief, one, own, shorter
from standoff.papers.paper004_cost import cost, growth
from standoff.papers.paper004_worlds import Bench
from standoff.papers.toolkit import Paper, Result

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "table1": cost,
    "fig9": growth,
    "table2": own,
    "one": one,
    "period": shorter,
    "table3": belief,
}


def _prepared(chosen: Sequence[str], quick: bool) -> Bench:
    small = Bench(quick=True)
    small.worlds = small.beliefs = small.rounds = small.readings = 1
    for name in chosen:
        EXPERIMENTS[name](small)
    return Bench(quick=quick)


_TITLE = (
    "Efficient collision prediction among many moving objects (Hayward, Aubry, Foisy and Ghallab, "
    "1995)"
)

run = Paper("004", _TITLE, EXPERIMENTS, _prepared).run
