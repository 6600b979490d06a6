"""A path on a page: the verdict, the clearance over time, what is certified, and the motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from standoff.broadphase import Octree
from standoff.cell.nearest_pair import Among, NearestFinder, NearPair
from standoff.errors import Error
from standoff.monitor.buffers import Thresholds
from standoff.monitor.monitor import Monitor
from standoff.monitor.report import Cycle
from standoff.paths.checker import PathChecker
from standoff.paths.verdict import Verdict
from standoff.plan.growing import EDGE_BUDGET
from standoff.view.check import USUAL_BUDGET, Checked, sentence
from standoff.view.live.motion import Motion, along_path
from standoff.view.live.playback import SAME_INSTANT, Playback
from standoff.view.live.seen import Mark, Seen
from standoff.view.live.style import STATES, safe
from standoff.view.live.timeline import Timeline
from standoff.view.stage import Stage

if TYPE_CHECKING:
    import viser


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


#: Instants at which distances are looked at.
_SAMPLES = 400

#: Curves of their own: links of one robot may be near each other always, by the way it is built.
_AMONG: tuple[Among, Among] = ("others", "self")

#: Points of the line that a robot's end goes along.
_TRACK = 200


class PathPage(Playback):
    """Plays a path that was checked. The clearance that was asked for is what counts: whatever is
    nearer than that is red.

    A monitor looks at instants, and knows of no deviation. The sign is SAFE only where the check
    has proved all of the way that is shown; it is WARNING at an offence, which no tick passes over,
    and NOT CERTIFIED everywhere else.
    """

    def __init__(self, server: viser.ViserServer, title: str, checked: Checked) -> None:
        self._checked = checked
        self._gui = server.gui
        cell, motion = checked.cell, along_path(checked.cell, checked.path)
        # When it is not free, and the verdict that says so: first contact, and another's place.
        self._offences: dict[float, Verdict] = {}
        for found in (earliest(checked), checked):
            if found.place is not None and not found.verdict.free:
                self._offences.setdefault(motion.time(found.place), found.verdict)
        offences = sorted(self._offences)
        self._offending = offences[0] if offences else None
        self._later = offences[1] if len(offences) > 1 else None
        times = np.unique([*np.linspace(0.0, motion.duration, _SAMPLES), *offences])
        Q = np.array([motion.at(float(t)) for t in times])
        # A path that is free keeps its clearance; of another, doubt counts, too.
        near = checked.clearance + (0.0 if checked.verdict.free else checked.tolerance)
        others, own = (NearestFinder(cell, among, below=near) for among in _AMONG)
        proved = [(motion.time(a), motion.time(b)) for a, b in certified(checked)]
        self._line = Timeline(
            motion.duration,
            times,
            others.along(Q),
            checked.clearance,
            proved,
            self._offending,
            own.along(Q) if own.any else None,
            self._later,
        )
        self._threshold = near
        # A path may be faster than its joints are: that is for others to say, here it is shown.
        near = max(near, 0.0)
        rule = Thresholds(self_collision=near, robot_robot=near, robot_scene=near)
        super().__init__(
            server, title, [motion],
            lambda period: Monitor(
                cell, near, Octree(smallest=_SMALLEST), thresholds=rule, period=period,
                max_speed=_ANY_SPEED,
            ),
        )  # fmt: skip
        self._track(server, motion)

    def below(self) -> None:
        """The verdict above the time line, and a way to the offending instant."""
        verdict = self._checked.verdict
        colour = STATES["SAFE"] if verdict.free else STATES["WARNING"]
        word = verdict.kind.replace("_", " ").upper()
        self._verdict = self._gui.add_html(
            f'<div data-verdict="{verdict.kind}" style="margin:0.3em 0.6em;padding:0.45em 0.8em;'
            f'background:{colour};color:white;border-radius:6px;font-size:0.85em;line-height:1.35">'
            f'<b style="font-size:1.5em;letter-spacing:0.06em">{word}</b> the whole path<br>'
            f"{safe(sentence(self._checked))}</div>"
        )
        self._way_to("To the offending instant", self._offending)
        self._way_to("To that of the verdict", self._later)
        self._gui.add_html(self._line.svg())
        self._now = self._gui.add_html(self._line.now(0.0))
        self._gui.add_html(
            '<div style="margin:0 0.8em 0.4em;font-size:0.75em;color:#667">'
            f"{safe(self._line.legend(f'the {word.lower()} of the verdict'))}</div>"
        )

    def _way_to(self, name: str, when: float | None) -> None:
        if when is not None:
            button = self._gui.add_button(name, color=(201, 42, 42))
            button.on_click(lambda _: self.player.jump(when))

    def stops(self, motion: Motion, after: float, before: float) -> list[float]:
        """The offences."""
        return [t for t in sorted(self._offences) if after < t < before]

    def counted(self, cycle: Cycle) -> Cycle:
        """All but limits: a path beyond them gets here only where the check was told to leave them
        alone."""
        faults = tuple(fault for fault in cycle.faults if fault.kind != "limits")
        if len(faults) == len(cycle.faults):
            return cycle
        naming = ((), True) if cycle._hits is None else cycle._naming
        return Cycle(cycle.number, cycle.time, cycle.clearance, faults, cycle._hits, naming)

    def judged(self, seen: Seen, since: float) -> Seen:
        """What the check says of the way from ``since`` and of its instant: it counts tolerance and
        deviations, which a monitor does not."""
        now = seen.time
        assert now is not None
        verdict = self._offences.get(now)
        if self._threshold < 0.0:
            seen = _no_nearer(seen, self._threshold)
        if seen.state == "SAFE" and verdict is None:
            return self._certified(seen, since, now)
        if seen.state == "FAULT" or verdict is None:
            return seen
        marks = seen.marks
        if verdict.pair is not None and verdict.point_a is not None and verdict.point_b is not None:
            a, b = verdict.pair
            kept = [m for m in marks if {m.a, m.b} != {a, b}]
            distance = verdict.distance or 0.0
            found = Mark(a, b, distance, self._threshold, verdict.point_a, verdict.point_b)
            marks = tuple(sorted([found, *kept], key=lambda m: m.distance))
        return replace(seen, state="WARNING", marks=marks)

    def _certified(self, seen: Seen, since: float, now: float) -> Seen:
        """What the monitor finds nothing wrong with. Nor is that a word on the path."""
        if not covered(self._line.certified, since, now):
            return replace(seen, state="NOT CERTIFIED", word="the check has not proved this")
        verdict = self._checked.verdict
        if verdict.free or now < self.player.motion.duration - 2.0 * SAME_INSTANT:
            return replace(seen, word="this instant is certified free")
        word = f"the path is not free: {verdict.kind.replace('_', ' ')}"
        return replace(seen, state="ENDED", word=word)

    def shown(self, seen: Seen, nearest: NearPair | None, motion: Motion) -> None:
        """Move the line of now."""
        self._now.content = self._line.now(0.0 if seen.time is None else seen.time)

    def _track(self, server: viser.ViserServer, motion: Motion) -> None:
        """A thin line where each robot's end goes."""
        times = np.linspace(0.0, motion.duration, _TRACK)
        Q = np.array([motion.at(float(t)) for t in times])
        for k, line in enumerate(Stage(self._checked.cell).tips(Q)):
            server.scene.add_line_segments(
                f"/track/{k}", np.stack([line[:-1], line[1:]], axis=1), (120, 120, 130),
                thickness=1.5, thickness_units="screen",
            )  # fmt: skip


def _no_nearer(seen: Seen, allowed: float) -> Seen:
    """Without marks of what may overlap so far, [m], below 0: a monitor has no such threshold."""
    marks = tuple(mark for mark in seen.marks if not mark.distance > allowed)
    if len(marks) == len(seen.marks):
        return seen
    # The nearest come first: where one of these may be, so may all that are not listed.
    state = "SAFE" if seen.state == "WARNING" and not marks else seen.state
    return replace(seen, state=state, marks=marks, more=0)


#: No speed is a fault here, [m/s]; and the smallest cell of the octree, [m], hangs on no speed.
_ANY_SPEED = 1000.0
_SMALLEST = 0.1
