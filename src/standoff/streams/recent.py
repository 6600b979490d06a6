"""How recent is what is known of a robot, and how late is an event?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from standoff.streams.messages import Grasp
from standoff.streams.publishers import Clock, delay, none

if TYPE_CHECKING:
    from standoff.streams.senses import Senses


def joints_of(senses: Senses, link: str) -> set[int]:
    """All joints of the robot that a link is of; none where there is no such robot."""
    robot = link.partition("/")[0] + "/"
    return {j for j, joint in enumerate(senses.joints) if joint.startswith(robot)}


def knows(senses: Senses, link: str) -> bool:
    """Whether all joints of its robot have been heard of, or rest."""
    heard = all(senses.fed[j] > -math.inf for j in joints_of(senses, link))
    return heard or (senses.rest and len(senses.told) == len(senses.sources))


def longest_age(senses: Senses, link: str) -> float:
    """How long the joints of its robot may be silent, [s]."""
    ages = [senses.options.age_of(senses.joints[j]) for j in joints_of(senses, link)]
    return max(ages, default=math.inf)


def fresh(senses: Senses, link: str, now: float) -> bool:
    """Whether somebody has told of each joint of its robot of late; those that rest need not be
    told of."""
    told = (senses.until > now) & (senses.until < math.inf)
    recent = told.any(axis=0) | ((senses.fed == -math.inf) & senses.rest)
    return all(recent[j] for j in joints_of(senses, link))


def behind(
    senses: Senses, now: float, source: int, link: str, message: Grasp
) -> tuple[float, float] | None:
    """How much longer an event of a source took than its readings do, and how much longer these
    may, [s]; None where it has none to compare with. Those of its robot and its body count, or all
    where there are none."""
    if none(message.stamp):
        return None
    owner, clocks = senses.owner[source], senses.voices[source].clocks
    near: list[Clock | None] = [owner[j] for j in joints_of(senses, link)]
    near.append(clocks.get(("pose", message.body)))
    every = [*owner, *(clock for (what, _), clock in clocks.items() if what == "pose")]
    took = float(delay(now, message.stamp))  # type: ignore[arg-type]
    for those in (near, every):
        known = [c for c in those if c is not None and math.isfinite(c.quickest)]
        if known:
            late = [(took - clock.quickest, clock.age) for clock in known]
            return max(late, key=lambda one: one[0] - one[1])
    return None
