"""How recent is what is known?"""

from __future__ import annotations

import math
from collections.abc import Set

from standoff.streams.clocks import delay, none
from standoff.streams.senses import Senses


def behind(senses: Senses, now: float, source: int, stamp: float) -> tuple[float, float]:
    """How much longer a message of a source took than its readings do, and how long they may, [s];
    0 where there are no stamps."""
    if none(stamp):
        return 0.0, math.inf
    voices = [v for v in senses.owner[source] if v is not None and math.isfinite(v.quickest)]
    took = float(delay(now, stamp))  # type: ignore[arg-type]
    late = [(took - voice.quickest, voice.age) for voice in voices]
    return min(late, default=(0.0, math.inf))


def fresh(senses: Senses, joints: Set[int], now: float) -> bool:
    """Whether somebody has told of each of these of late; those that rest need not be told of."""
    told = (senses.until > now) & (senses.until < math.inf)
    recent = told.any(axis=0) | ((senses.fed == -math.inf) & senses.rest)
    return all(recent[j] for j in joints)
