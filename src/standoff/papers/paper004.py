"""The experiments of paper 004: V. Hayward, S. Aubry, A. Foisy and Y. Ghallab, "Efficient collision
prediction among many moving objects", 1995; Tables 1 to 3 and Figs. 8 to 10, ours beside the
paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from standoff.papers.paper004_alarms import belief, one, own, shorter
from standoff.papers.paper004_cost import cost, growth
from standoff.papers.paper004_worlds import Bench
from standoff.papers.toolkit import Paper, Result, rehearsed

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "table1": cost,
    "fig9": growth,
    "table2": own,
    "one": one,
    "period": shorter,
    "table3": belief,
}

_TITLE = (
    "Efficient collision prediction among many moving objects (Hayward, Aubry, Foisy and Ghallab, "
    "1995)"
)

_PREPARED = rehearsed(Bench, EXPERIMENTS, worlds=1, beliefs=1, rounds=1, readings=1)

run = Paper("004", _TITLE, EXPERIMENTS, _PREPARED).run
