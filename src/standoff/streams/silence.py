"""Who has said nothing of use for too long."""

from __future__ import annotations

from collections.abc import Mapping

from standoff.streams.clocks import Clock, Who
from standoff.streams.found import Found

#: What each who speaks in a source tells of: names of joints and bodies, and when each of them has
#: been silent for too long, [s].
Told = Mapping[Clock, list[tuple[str, float]]]


def find_silent(now: float, source: str, told: Told, whos: Mapping[str, Who], found: Found) -> None:
    """A source of which all joints and bodies are silent; else a publisher of which all joints are,
    and each body; else a joint that its publisher leaves out. ``whos`` has the number of each joint
    by its name."""
    late = {
        clock: [(name, now - until + clock.age) for name, until in all_of if until <= now]
        for clock, all_of in told.items()
    }
    silent = {clock for clock, all_of in told.items() if len(late[clock]) == len(all_of)}
    if len(silent) == len(told):
        age = min(age for ages in late.values() for _, age in ages)
        about: set[Who] = set().union(*(clock.who for clock in told))
        found.add("silent", source, f"{source}: no valid message for {age:.3f} s", about)
        return
    for clock, ages in late.items():
        if clock in silent:
            who = ages[0][0] + (", …" if len(ages) > 1 else "")
            text = f"{source}: no valid message with {who} for {min(a for _, a in ages):.3f} s"
            found.add("silent", f"{source} ({who})", text, clock.who)
            continue
        for name, age in ages:
            found.add("missing", name, f"{name}: no value for {age:.3f} s", {whos[name]})
