"""Times as texts and numbers of a stream write them, in seconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from standoff.streams.limits import TIME_LIMIT
from standoff.streams.wire import GarbledError
from standoff.units import PER_SECOND, time_unit

#: The unit at the end of the name of a column: ``time_ms``, ``time [ms]``, ``time (ms)``.
_UNIT: Final = re.compile(r"^(.*?)(?:\s*[\[(]\s*([^\])]*?)\s*[\])]|_([a-zµμ]+))$")


class OtherUnitError(GarbledError):
    """A time that looks like milliseconds, microseconds or nanoseconds."""


def named_unit(field: str, names: tuple[str, ...]) -> tuple[str, str] | None:
    """The name and the unit of a column of times that says its unit; None for any other."""
    found = _UNIT.match(field)
    if found is None or found[1].lower() not in names:
        return None
    unit = found[2] or found[3]
    return (found[1], unit) if unit in PER_SECOND else None


def in_seconds(time: float, unit: str, what: str) -> float:
    """A time of a unit in seconds.

    Raises:
        OtherUnitError: it is none, but would be a time of these days in another unit.
    """
    result = time / PER_SECOND[unit]
    looks = time_unit(result) if abs(result) > TIME_LIMIT else ""
    if looks:
        raise OtherUnitError(
            f"{what}: {time:.10g} looks like {looks} since 1970, and is read as {unit}; "
            f"csv:FILE?time={looks} and jsonl:FILE?time={looks} take {looks}, and so does a "
            f"column 'time [{looks}]'"
        )
    return result


def of_text(text: str) -> float | None:
    """Seconds since 1970 of a time in ISO 8601, such as ``2026-05-04T12:00:00.25Z``; one without a
    zone is of UTC. None where it is not one."""
    if text.isdecimal():
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
