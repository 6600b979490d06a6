"""What a cycle said, in a form that is compared bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

import standoff as so

Answer = tuple[tuple[Any, ...], ...]


def exact(cycle: so.Cycle) -> Answer:
    """All of an answer, to the last bit."""
    warnings = tuple(
        (
            w.a,
            w.b,
            np.array(
                [w.distance, w.threshold, w.closing_speed, w.time_to_contact, w.when]
            ).tobytes(),
            w.point_a.tobytes() + w.point_b.tobytes() + w.normal.tobytes(),
            w.approaching,
        )
        for w in cycle.warnings
    )
    faults = tuple((f.kind, f.element, str(f.value), f.allowed) for f in cycle.faults)
    return warnings, faults, (np.float64(cycle.clearance).tobytes(), cycle.safe)


def explain(cycle: so.Cycle, other: so.Cycle | None = None) -> str:
    """What a cycle says; beside another one only what the two do not have in common."""

    def lines(of: so.Cycle) -> list[str]:
        warnings = [
            f"{k}: {w} {w.distance!r} {w.normal} speed {w.closing_speed!r}"
            for k, w in enumerate(of.warnings)
        ]
        return [*warnings, *map(str, of.faults)]

    known = set() if other is None else {*lines(other)}
    return "\n".join([repr(cycle), *(line for line in lines(cycle) if line not in known)])
