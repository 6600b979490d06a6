"""A path checked, and the verdict in words, as pictures and for machines."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from standoff.cell.cell import Cell
from standoff.cell.nearest_pair import Among, Progress
from standoff.geometry.pose import Array
from standoff.paths.checker import PathChecker
from standoff.paths.path_file import PathFile
from standoff.paths.profile import Profile, profile, profile_at
from standoff.paths.verdict import Verdict
from standoff.plan.growing import EDGE_BUDGET
from standoff.view.plots import can_draw, new_figure, save
from standoff.view.progress import announced, waiting
from standoff.view.strip import Mark, save_strip
from standoff.view.words import (
    counted,
    kept_apart,
    listed,
    met,
    mm,
    moving_note,
    not_watched,
    show_outcome,
    witness_facts,
)

#: Tests that a path of a few segments may take; a long one as many as a planner spends on an edge,
#: for each of its segments, so that whatever was planned can be checked.
USUAL_BUDGET = 1_000_000

#: Places of a path at which distances are looked at, [-].
SAMPLES = 400


@dataclass(frozen=True, eq=False)
class Checked:
    """A verdict with what it is about.

    Attributes:
        clearance, tolerance: that were asked for, [m]; deviation: of every joint, [rad or m].
        starts: whether the path is not free where it starts.
    """

    cell: Cell
    path: PathFile
    verdict: Verdict
    clearance: float
    tolerance: float
    deviation: float
    starts: bool

    @property
    def place(self) -> float | None:
        """Where the verdict points to, as `Profile` counts: the number of the segment plus the
        fraction of it; on a curve the time."""
        if self.verdict.t is None or self.path.motion is not None:
            return self.verdict.t
        return None if self.verdict.segment is None else self.verdict.segment + self.verdict.t

    def segment_at(self, place: float) -> tuple[int, float]:
        """The segment that a place is on, and the fraction of it."""
        waypoints = np.arange(float(len(self.path.waypoints)))
        if self.path.motion is not None and self.path.times is not None:
            place = float(np.interp(place, self.path.times, waypoints))
        segment = min(int(place), len(waypoints) - 2)
        return segment, place - segment

    def time_at(self, place: float) -> float | None:
        """When a place is passed, [s]; None in a path that is not timed."""
        if self.path.times is None or self.path.motion is not None:
            return None if self.path.times is None else place
        return float(np.interp(place, np.arange(len(self.path.times)), self.path.times))

    def profile(
        self, among: Among = "all", samples: int = SAMPLES, progress: Progress | None = None
    ) -> Profile:
        """Sampled distances along the path, at its waypoints and where the verdict points to."""
        also = [] if self.place is None else [self.place]
        motion, times = self.path.motion, self.path.times
        if motion is None or times is None:
            return profile(
                self.cell, self.path.waypoints, samples, also=also, among=among, progress=progress
            )
        places = [np.linspace(times[0], times[-1], samples), np.array(also)]
        s: Array = np.unique(np.concatenate([*places, times if len(times) <= samples else []]))
        return profile_at(self.cell, s, motion.at(s), among=among, progress=progress)


def check(
    cell: Cell,
    path: PathFile,
    notes: Console,
    *,
    clearance: float = 0.0,
    tolerance: float,
    deviation: float = 0.0,
    budget: int | None = None,
    first: bool = False,
) -> Checked:
    """The verdict on a path, under a bar on ``notes`` where it takes long."""
    with announced(notes), waiting(notes, "Checking") as done:
        checker = PathChecker(
            cell,
            clearance=clearance,
            tolerance=tolerance,
            deviation=deviation or None,
            budget=max(USUAL_BUDGET, EDGE_BUDGET * len(path.waypoints))
            if budget is None
            else budget,
        )
        # Wherever else the path meets something, this is what has to be mended first.
        starts = not checker.path(path.waypoints[:1]).free
        first = first or starts
        if path.motion is not None:
            verdict = checker.curve(path.motion, first=first, progress=done)
        else:
            verdict = checker.path(path.waypoints, first=first, progress=done)
        _ = verdict.free_until  # worked out here, under the bar
    return Checked(cell, path, verdict, clearance, tolerance, deviation, starts)


def seen(checked: Checked, notes: Console) -> Profile:
    """Sampled distances along the path, under a bar where it takes long."""
    with announced(notes), waiting(notes, "Sampling distances") as done:
        return checked.profile(progress=done)


def show(checked: Checked, console: Console, seen: Profile | None = None) -> None:
    """Print the verdict in words; ``seen`` are sampled distances, for the nearest of them."""
    verdict = checked.verdict
    kind = verdict.kind.replace("_", " ")
    facts = _facts(checked, seen)
    show_outcome(console, verdict.free, kind, sentence(checked), _notes(checked), facts)
    if verdict.q is not None:
        console.print()
        console.print(_configuration(checked.cell, verdict.q), highlight=False)


def as_json(checked: Checked) -> str:
    """The verdict for machines, one object: lengths in metres, angles in radians."""
    verdict, joints = checked.verdict, checked.cell.joints
    content = {
        "verdict": verdict.kind,
        "free": verdict.free,
        "segment": verdict.segment,
        "t": verdict.t,
        "time": None if checked.place is None else checked.time_at(checked.place),
        "q": None if verdict.q is None else dict(zip(joints, listed(verdict.q) or ())),
        "pair": None if verdict.pair is None else list(verdict.pair),
        "distance": verdict.distance,
        "point_a": listed(verdict.point_a),
        "point_b": listed(verdict.point_b),
        "normal": listed(verdict.normal),
        "free_until": verdict.free_until,
        "starts_free": not checked.starts,
        "clearance": checked.clearance,
        "tolerance": checked.tolerance,
        "deviation": checked.deviation,
        "intervals": verdict.intervals,
        "distances": verdict.distances,
        "path": checked.path.file,
        "waypoints": len(checked.path.waypoints),
        "notes": _notes(checked),
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def sentence(checked: Checked) -> str:
    """What the verdict means."""
    verdict = checked.verdict
    if verdict.free:
        said = kept_apart(checked.clearance, " of the path")
        if checked.deviation:
            said += f", even where every joint is off by up to {checked.deviation:g}"
        return said + " (certified)"
    a, b = verdict.pair or ("?", "?")
    if verdict.kind == "undecided":
        if _strayed(checked):
            return (
                f"nothing can be proved where joints are off by up to {checked.deviation:g}: "
                f"{a} and {b} are {mm(verdict.distance or 0.0)} apart here, too little for that"
            )
        said = "the budget ran out before the path was proved free or shown otherwise"
        return said if verdict.pair is None else f"{said}; {a} and {b} may touch"
    distance = verdict.distance or 0.0
    starts = "the path starts in collision: " if distance <= 0.0 else "the path starts too close: "
    said = met(verdict, "come as near as {}", checked.clearance, checked.tolerance)
    return (starts if checked.starts else "") + said


def _strayed(checked: Checked) -> bool:
    """Whether deviations alone are why nothing came out."""
    verdict = checked.verdict
    return bool(checked.deviation) and verdict.pair is not None and verdict.distance is not None


def _facts(checked: Checked, seen: Profile | None) -> list[tuple[str, str]]:
    verdict, path = checked.verdict, checked.path
    count = len(path.waypoints)
    segments = counted(count - 1, "segment")
    facts = [("path", f"{count} waypoints, {segments}, counted from 0")]
    if checked.place is not None and not verdict.free:
        facts.append(("where", _where(checked, checked.place)))
    facts += witness_facts(verdict)
    if not verdict.free:
        until = verdict.free_until
        text = "nothing" if until <= 0.0 else f"up to {_where(checked, until, lines=False)}"
        facts.append(("certified free", text))
    if verdict.kind == "undecided":
        tolerance = mm(checked.tolerance)
        helps = f"a higher --budget, or a --tolerance above {tolerance}"
        facts.append(("what helps", "a smaller --deviation" if _strayed(checked) else helps))
    if seen is not None and math.isfinite(seen.distance[seen.nearest]):
        k = seen.nearest
        a, b = seen.pair[k] or ("?", "?")
        where = _where(checked, float(seen.s[k]), lines=False)
        near = float(seen.distance[k])
        apart = f"{mm(near)} apart" if near >= 0.0 else f"overlap by {mm(-near)}"
        text = f"{a} – {b}, {apart}, on {where} ({len(seen.s)} samples)"
        facts.append(("nearest seen", text))
    facts.append(("watched", f"{counted(checked.cell.pairs.count(), 'pair')} of bodies"))
    facts.extend(not_watched(checked.cell).items())
    looked = counted(verdict.intervals, "configuration")
    facts.append(("work", f"{looked}, {counted(verdict.distances, 'distance')}"))
    return facts


def _where(checked: Checked, place: float, *, lines: bool = True) -> str:
    """A place on the path: ``segment 3, t = 0.25 (from waypoint 3 to 4, lines 5 and 6), 1.5 s``."""
    segment, t = checked.segment_at(place)
    text = f"segment {segment}, t = {t:.6g}"
    if lines:
        inside = f"from waypoint {segment} to {segment + 1}"
        if checked.path.lines is not None:
            inside += f", lines {checked.path.lines[segment]} and {checked.path.lines[segment + 1]}"
        text += f" ({inside})"
    time = checked.time_at(place)
    return text if time is None else f"{text}, at {time:.6g} s"


def _notes(checked: Checked) -> list[str]:
    return [*checked.path.notes, *moving_note(checked.cell)]


def _configuration(cell: Cell, q: Array) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("joint", overflow="fold")
    for column in (r"\[rad or m]", r"\[deg]"):
        table.add_column(column, justify="right")
    for name, unit, value in zip(cell.joints, cell.tree.units, q):
        degrees = f"{math.degrees(value):.3f}" if unit == "rad" else ""
        table.add_row(escape(name), f"{value:.6f}", degrees)
    return table


#: Waypoints marked on the axis at most; more would be a grey band, [-].
_MARKED = 60

#: Chords that stand for a curve in a picture.
_CHORDS = 400


def save_path_plot(
    checked: Checked, path: Path, console: Console, notes: Console
) -> Profile | None:
    """Draw the smallest distance over the path, of each robot's own links and of all other pairs;
    without matplotlib a word on how to get it. Gives back what was sampled."""
    if not can_draw(console):
        return None
    with announced(notes), waiting(notes, "Sampling distances") as done:
        own = checked.profile("self", progress=lambda part: done(part / 2.0))
        others = checked.profile("others", progress=lambda part: done(0.5 + part / 2.0))
    _draw(checked, own, others, path)
    return _smaller(own, others)


def save_path_strip(checked: Checked, path: Path, console: Console, notes: Console) -> bool:
    """Draw the motion as a strip of poses, that of the verdict among them; without matplotlib a
    word on how to get it, and False."""
    waypoints, times, verdict = checked.path.waypoints, checked.path.times, checked.verdict
    place = checked.place
    if checked.path.motion is not None and times is not None:
        at = np.linspace(times[0], times[-1], _CHORDS + 1)
        waypoints = checked.path.motion.at(at)
        place = None if place is None else float(np.interp(place, at, range(len(at))))
    mark = None
    if place is not None and verdict.point_a is not None:
        mark = Mark(place, verdict.kind.replace("_", " "), verdict.point_a)
    return save_strip(checked.cell, waypoints, path, console, notes, mark)


def _smaller(a: Profile, b: Profile) -> Profile:
    """The smaller distance of two profiles at the same places."""
    first = a.distance <= b.distance
    pair = tuple(p if f else q for f, p, q in zip(first, a.pair, b.pair))
    return Profile(a.s, np.minimum(a.distance, b.distance), pair)


def _draw(checked: Checked, own: Profile, others: Profile, path: Path) -> None:
    figure, (axis,) = new_figure()
    x = _axis(checked, own.s)
    for title, found in (("links of one robot", own), ("all other pairs", others)):
        if np.isfinite(found.distance).any():
            axis.plot(x, 1e3 * found.distance, lw=1.4, label=title)
    ways = _waypoints(checked)
    if len(ways) <= _MARKED:
        axis.vlines(ways, 0.0, 0.03, transform=axis.get_xaxis_transform(), color="0.5", lw=0.8)
    clearance = 1e3 * checked.clearance
    axis.axhline(clearance, color="tab:red", lw=1.0, label=f"clearance asked for: {clearance:g} mm")
    low, high = axis.get_ylim()  # the clearance in it, wherever the curves are
    axis.axhspan(low - (high - low), clearance, color="tab:red", alpha=0.12)
    axis.set_ylim(low, high)
    verdict = checked.verdict
    if checked.place is not None and verdict.pair is not None and verdict.distance is not None:
        at = _axis(checked, np.array([checked.place]))
        label = f"{verdict.kind.replace('_', ' ')}: {' – '.join(verdict.pair)}"
        axis.plot(at, [1e3 * verdict.distance], "o", ms=7, color="tab:red", label=label)
        axis.axvline(at[0], color="tab:red", lw=2.0, alpha=0.4)
    axis.set_title(_title(checked, len(own.s)), fontsize=9, loc="left")
    axis.set_xlabel("time [s]" if checked.path.times is not None else "waypoint [-]")
    axis.set_ylabel("smallest distance [mm]")
    axis.set_xlim(x[0], x[-1])
    axis.legend(fontsize=8, framealpha=0.9)
    save(figure, path)


def _title(checked: Checked, samples: int) -> str:
    words = {
        "free": "free at every instant",
        "collision": "collision",
        "too_close": "too close",
        "undecided": "undecided",
    }
    said = words.get(checked.verdict.kind, checked.verdict.kind)
    return f"{Path(checked.path.file).name}: {said} (the curve: {samples} samples)"


def _axis(checked: Checked, s: Array) -> Array:
    """Times where there are some, places otherwise."""
    if checked.path.times is None:
        return s
    return np.array([checked.time_at(place) for place in s.tolist()], dtype=float)


def _waypoints(checked: Checked) -> Array:
    times = checked.path.times
    return np.arange(float(len(checked.path.waypoints))) if times is None else times
