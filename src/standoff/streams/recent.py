"""How recent is what is known of a robot, and how late is an event?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from standoff.streams.messages import Grasp
from standoff.streams.publishers import Clock, delay, none

if TYPE_CHECKING:
    from standoff.streams.received import Received


def joints_of(received: Received, link: str) -> set[int]:
    """All joints of the robot that a link is of; none where there is no such robot."""
    robot = link.partition("/")[0] + "/"
    return {j for j, joint in enumerate(received.joints) if joint.startswith(robot)}


def knows(received: Received, link: str) -> bool:
    """Whether all joints of its robot have a value, or rest."""
    known = all(received.last_update[j] > -math.inf for j in joints_of(received, link))
    return known or (received.rest and len(received.contributing) == len(received.sources))


def longest_age(received: Received, link: str) -> float:
    """How long the joints of its robot may be silent, [s]."""
    ages = [received.options.age_of(received.joints[j]) for j in joints_of(received, link)]
    return max(ages, default=math.inf)


def fresh(received: Received, link: str, now: float) -> bool:
    """Whether a recent value of each joint of its robot is known; those that rest need none."""
    published = (received.deadline > now) & (received.deadline < math.inf)
    recent = published.any(axis=0) | ((received.last_update == -math.inf) & received.rest)
    return all(recent[j] for j in joints_of(received, link))


def behind(
    received: Received, now: float, source: int, link: str, message: Grasp
) -> tuple[float, float] | None:
    """How much longer an event of a source took than its readings do, and how much longer these
    may, [s]; None where it has none to compare with. Those of its robot and its body count, or all
    where there are none."""
    if none(message.stamp):
        return None
    owner, clocks = received.owner[source], received.publishers[source].clocks
    near: list[Clock | None] = [owner[j] for j in joints_of(received, link)]
    near.append(clocks.get(("pose", message.body)))
    every = [*owner, *(clock for (what, _), clock in clocks.items() if what == "pose")]
    took = float(delay(now, message.stamp))  # type: ignore[arg-type]
    for those in (near, every):
        known = [c for c in those if c is not None and math.isfinite(c.quickest)]
        if known:
            late = [(took - clock.quickest, clock.age) for clock in known]
            return max(late, key=lambda one: one[0] - one[1])
    return None
