"""The clearance along a checked path as a PNG."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console

from standoff.geometry.pose import Array
from standoff.paths.profile import Profile
from standoff.view.check import Checked
from standoff.view.compiling import announced
from standoff.view.plots import MISSING, have_matplotlib, new_figure, save
from standoff.view.strip import Mark, save_strip
from standoff.view.waiting import waiting

#: Waypoints marked on the axis at most; more would be a grey band, [-].
_MARKED = 60

#: Chords that stand for a curve in a picture.
_CHORDS = 400


def save_path_plot(
    checked: Checked, path: Path, console: Console, notes: Console
) -> Profile | None:
    """Draw the smallest distance over the path, of each robot's own links and of all other pairs;
    without matplotlib a word on how to get it. Gives back what was sampled."""
    if not have_matplotlib():
        console.print(MISSING, highlight=False, markup=False, soft_wrap=True)
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
