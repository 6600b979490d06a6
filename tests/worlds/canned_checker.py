"""A checker whose verdict is known beforehand, to see what is made of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from standoff.view import check as view


@dataclass(frozen=True, eq=False)
class CannedVerdict:
    """What `PathChecker.path` gives back, as far as the command reads it."""

    kind: str = "free"
    segment: int | None = None
    t: float | None = None
    q: np.ndarray | None = None
    pair: tuple[str, str] | None = None
    distance: float | None = None
    point_a: np.ndarray | None = None
    point_b: np.ndarray | None = None
    normal: np.ndarray | None = None
    free_until: float = 0.0
    intervals: int = 12
    distances: int = 34
    saved: list = field(default_factory=list)

    @property
    def free(self):
        return self.kind == "free"

    def certificate(self):
        return self

    def save(self, path, cell=None):
        path.write_text('{"format": "standoff-certificate"}')
        self.saved.append((path, cell))


class CannedChecker:
    """Gives the same verdict to every path; a path of one waypoint is free where it may be."""

    def __init__(self, verdict, start="free"):
        self.verdict, self.start = verdict, start
        self.options, self.asked = {}, []

    def make(self, cell, **options):
        self.options = options
        return self

    def path(self, waypoints, *, first=False, **_):
        self.asked.append((np.array(waypoints), first))
        if len(waypoints) == 1:
            return CannedVerdict(kind=self.start)
        return self.verdict

    def curve(self, motion, *, first=False, **_):
        self.asked.append((motion, first))
        return self.verdict


def can(monkeypatch, verdict=None, start="free", **fields):
    """Let the command check with a canned verdict; gives back the checker."""
    checker = CannedChecker(replace(verdict or CannedVerdict(), **fields), start)
    monkeypatch.setattr(view, "PathChecker", checker.make)
    return checker
