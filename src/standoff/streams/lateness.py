"""Did a message come late, by the clock of its source?"""

from __future__ import annotations

import math

from standoff.streams.clocks import Clock, delay, none
from standoff.streams.messages import Grasp
from standoff.streams.senses import Senses


def behind(
    senses: Senses, now: float, source: int, link: str, message: Grasp
) -> tuple[float, float] | None:
    """How much longer an event of a source took than its readings do, and how much longer these
    may, [s]; None where it has none to compare with. Those of its robot and its body count, or all
    where there are none."""
    if none(message.stamp):
        return None
    owner, clocks = senses.owner[source], senses.voices[source].clocks
    near: list[Clock | None] = [owner[j] for j in senses.joints_of(link)]
    near.append(clocks.get(("pose", message.body)))
    every = [*owner, *(clock for (what, _), clock in clocks.items() if what == "pose")]
    took = float(delay(now, message.stamp))  # type: ignore[arg-type]
    for those in (near, every):
        known = [c for c in those if c is not None and math.isfinite(c.quickest)]
        if known:
            late = [(took - clock.quickest, clock.age) for clock in known]
            return max(late, key=lambda one: one[0] - one[1])
    return None
