"""Which stretches of a path are proved free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from standoff.errors import Error
from standoff.paths.checker import PathChecker
from standoff.plan.growing import EDGE_BUDGET
from standoff.view.check import USUAL_BUDGET, Checked

#: Intervals of a proof that are drawn one by one, [-]: there are no more pixels.
BAND_INTERVALS = 400


def certified(checked: Checked) -> list[tuple[float, float]]:
    """Intervals of places of a path, in order, that are proved free; of one that is free the
    intervals of its proof.

    Of a path of straight lines each segment is asked by itself, so that what is free after the
    first contact is known, too, and those that follow each other are one interval; of a curve what
    comes before its first contact is.
    """
    path, verdict = checked.path, checked.verdict
    if verdict.free:
        return _proof(checked)
    until = verdict.free_until
    if path.motion is not None or (path.times is None and len(path.waypoints) < 2):
        start = 0.0 if path.times is None else float(path.times[0])
        return [(start, until)] if until > start else []
    checker = _checker(checked)
    Q = path.waypoints
    free = checker.segments(np.ascontiguousarray(Q[:-1]), np.ascontiguousarray(Q[1:]))
    found = [(float(k), float(k + 1)) for k in np.flatnonzero(free).tolist()]
    part = int(until)
    if until > part and part < len(free) and not free[part]:
        found.append((float(part), until))
    return joined(sorted(found))


def joined(intervals: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Intervals in order, with those as one of which one begins where another ends."""
    found: list[tuple[float, float]] = []
    for a, b in intervals:
        if found and a <= found[-1][1]:
            found[-1] = found[-1][0], max(b, found[-1][1])
        else:
            found.append((a, b))
    return found


def covered(intervals: Sequence[tuple[float, float]], start: float, end: float) -> bool:
    """Whether all from ``start`` to ``end`` is within intervals, which are in order and of which
    one may begin where another ends."""
    for a, b in intervals:
        if a <= start <= b:
            if end <= b:
                return True
            start = b
    return False


def earliest(checked: Checked) -> Checked:
    """What was checked with the verdict on its first contact; a verdict may be of any contact, and
    one that found none is as it was."""
    if checked.verdict.kind not in ("collision", "too_close"):
        return checked
    checker, path = _checker(checked), checked.path
    if path.motion is not None:
        found = checker.curve(path.motion, first=True)
    else:
        found = checker.path(path.waypoints, first=True)
    return checked if found.kind not in ("collision", "too_close") else replace(
        checked, verdict=found
    )  # fmt: skip


def _checker(checked: Checked) -> PathChecker:
    return PathChecker(
        checked.cell, clearance=checked.clearance, tolerance=checked.tolerance,
        deviation=checked.deviation or None,
        budget=max(USUAL_BUDGET, EDGE_BUDGET * len(checked.path.waypoints)),
    )  # fmt: skip


def _proof(checked: Checked) -> list[tuple[float, float]]:
    """Where the intervals of the proof begin and end: the shortest of all pairs at each place."""
    path = checked.path
    try:
        certificate = checked.verdict.certificate()
    except Error:  # a proof too long to be written out is one all the same
        last = len(path.waypoints) - 1.0
        return [(0.0, last)] if path.times is None or path.motion is None else [
            (float(path.times[0]), float(path.times[-1]))
        ]  # fmt: skip
    times, proofs = certificate.times, certificate.proofs
    if path.motion is None:
        times = np.arange(len(times), dtype=float)
    begin, length = times[proofs["piece"]], np.diff(times)[proofs["piece"]]
    cuts = np.unique(
        np.round(
            np.concatenate(
                [times, begin + proofs["start"] * length, begin + proofs["end"] * length]
            ),
            9,
        )
    )
    # Rounding takes together cuts that are one; it takes nothing from what is proved.
    cuts[0], cuts[-1] = times[0], times[-1]
    if len(cuts) > BAND_INTERVALS:
        cuts = cuts[np.linspace(0, len(cuts) - 1, BAND_INTERVALS).astype(np.int64)]
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
