"""A report as JSON: one object on one line, the same whatever it goes through.

JSON has no infinity and no NaN: a clearance of null is that of a cell in which no pair is within
its threshold, an age of null is that of a source never heard of, a speed of null is unknown. The
text is put together by hand: it is on the way of every warning, and a dict that is encoded takes
half as long again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from standoff.monitor.report import Warning
from standoff.streams.report import Report

#: Made once: `json.dumps` makes a new one for each text that is not as it would write it itself.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

#: Names that are written over and over.
_text = lru_cache(maxsize=4096)(_ENCODER.encode)


def one_line(value: Any) -> bytes:
    """UTF-8 and no line break: JSON text is ASCII here, so that no terminal takes a name in it for
    a command."""
    return _ENCODER.encode(value).encode()


def state_line(report: Report) -> bytes:
    """All of a report but the warnings."""
    return f"{_state(report)}}}".encode()


def report_line(report: Report) -> bytes:
    """All of a report."""
    return f'{_state(report)},"warnings":{_warnings(report)}}}'.encode()


def warnings_line(report: Report) -> bytes:
    """The number, the time and the warnings of a report."""
    head = f'{{"number":{report.number},"time":{_number(report.time)}'
    return f'{head},"warnings":{_warnings(report)}}}'.encode()


def _state(report: Report) -> str:
    """With its end open."""
    ages = ",".join(f"{_text(name)}:{_number(age)}" for name, age in report.ages.items())
    reasons = ",".join(
        f'{{"state":"{r.state.name}","kind":{_text(r.kind)},"element":{_text(r.element)},'
        f'"text":{_ENCODER.encode(r.text)}}}'
        for r in report.reasons
    )
    return (
        f'{{"number":{report.number},"time":{_number(report.time)},"state":"{report.state.name}",'
        f'"changed":{_flag(report.changed)},"clearance":{_number(report.clearance)},'
        f'"scale":{_number(report.scale)},"ages":{{{ages}}},"reasons":[{reasons}]'
    )


def _warnings(report: Report) -> str:
    """The pairs that are too close, the nearest first."""
    if report.cycle is None:
        return "[]"
    return f"[{','.join(map(_warning, report.cycle.warnings))}]"


def _warning(w: Warning) -> str:
    places = w.places
    return (
        f'{{"a":{_text(w.a)},"b":{_text(w.b)},"distance":{_number(w.distance)},'
        f'"threshold":{_number(w.threshold)},"approaching":{_flag(w.approaching)},'
        f'"closing_speed":{_number(w.closing_speed)},'
        f'"time_to_contact":{_number(w.time_to_contact)},"point_a":[{_numbers(places[:3])}],'
        f'"point_b":[{_numbers(places[3:6])}],"normal":[{_numbers(places[6:])}],'
        f'"when":{_number(w.when)}}}'
    )


def _numbers(values: Iterable[float]) -> str:
    return ",".join(map(_number, values))


def _number(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else "null"


def _flag(value: bool) -> str:
    return "true" if value else "false"
