"""Which of several readings is shown where one can be: the worst, and not the last."""

from __future__ import annotations

import math

from standoff.view.live.seen import State

#: What is told before all else, from bad to worse. Of the rest, the last is.
_RANKS: dict[State, int] = {"NOT CERTIFIED": 1, "STALE": 2, "WARNING": 3, "FAULT": 4}
_NEAR = _RANKS["WARNING"]

#: Greater is worse.
Severity = tuple[int, float]


def severity(state: State, distance: float) -> Severity:
    """Of a reading; among those that warn or are at fault the smallest distance [m] counts, too.
    What is no number is as near as can be."""
    rank = _RANKS.get(state, 0)
    if rank < _NEAR:
        return rank, 0.0
    return rank, math.inf if math.isnan(distance) else -distance
