"""Recorded joint angles through a monitor, cycle by cycle, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.monitor.monitor import Monitor
from standoff.monitor.report import PairWarning
from standoff.view.plots import Curves, Panel, can_draw, clearance_plot
from standoff.view.progress import announced, drawn_by_hand


@dataclass(frozen=True, eq=False)
class Recording:
    """Joint angles (cycles, joints), [rad], in the order of ``cell.joints``."""

    name: str
    title: str
    joints: Array


@dataclass(frozen=True, eq=False)
class Watched:
    """What a monitor said of a recording.

    Attributes:
        recording: the one.
        period: time between two cycles, [s].
        spent: of each cycle, measured around ``monitor.update``, [µs].
        clearance: of each cycle, [m]; infinite while nothing is near anything.
        first: the first warning and the cycle it came in, counted from 1.
        warned: in how many cycles there was a warning; faulty: in how many a fault.
    """

    recording: Recording
    period: float
    spent: Array
    clearance: Array
    first: tuple[int, PairWarning] | None
    warned: int
    faulty: int


#: How far the plot looks, [m].
_RULER = 0.5

#: Pairs whose distance varies by less say nothing of a motion, [m].
_STILL = 0.001

#: Cycles of a recording that the plot looks at, [-].
_SAMPLES = 400

#: Cycles from one move of the progress bar to the next, [-].
_STRIDE = 50


def watch(
    make: Callable[[], Monitor], recordings: Sequence[Recording], notes: Console
) -> list[Watched]:
    """Each recording through a monitor of its own, under a progress bar on ``notes``."""
    with announced(notes):
        make().update(recordings[0].joints[0])  # compiled, or read from the cache, before the clock
    with drawn_by_hand(notes) as tell:
        return [_watch_one(make(), recording, tell) for recording in recordings]


def _watch_one(
    monitor: Monitor, recording: Recording, tell: Callable[[str, float], None]
) -> Watched:
    cycles = len(recording.joints)
    spent, clearance = np.zeros(cycles), np.zeros(cycles)
    first = None
    warned = faulty = 0
    for k, q in enumerate(recording.joints):
        start = time.perf_counter_ns()
        cycle = monitor.update(q)
        spent[k] = time.perf_counter_ns() - start
        clearance[k] = cycle.clearance
        if not cycle.safe:
            warned += bool(cycle.warnings)
            faulty += bool(cycle.faults)
            if first is None and cycle.warnings:
                first = k + 1, cycle.warnings[0]
        if (k + 1) % _STRIDE == 0:
            tell(f"task {recording.name}", (k + 1) / cycles)
    return Watched(recording, monitor.period, spent / 1e3, clearance, first, warned, faulty)


def show(watched: Sequence[Watched], console: Console) -> None:
    """Print a row for each recording, and how the first warning came about."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("task", header_style="dim")
    for column in (
        "cycles", "warnings in", r"cycle, median \[µs]", r"99.9 % \[µs]", r"worst \[µs]",
        r"closest pair \[mm]",
    ):  # fmt: skip
        table.add_column(column, header_style="dim", justify="right")
    for w in watched:
        table.add_row(
            escape(w.recording.name),
            str(len(w.spent)),
            str(w.warned),
            f"{np.median(w.spent):.1f}",
            f"{np.percentile(w.spent, 99.9):.1f}",
            f"{w.spent.max():.1f}",
            f"{1e3 * w.clearance.min():.1f}",
        )
    console.print(table)
    for w in watched:
        console.print()
        line = f"[bold]task {escape(w.recording.name)}[/bold] ({escape(w.recording.title)}): "
        console.print(line + escape(_ending(w)), highlight=False, soft_wrap=True)


def _ending(w: Watched) -> str:
    trouble = f"; faults in {w.faulty} cycles" if w.faulty else ""
    if w.first is None:
        return f"no warning in {len(w.spent)} cycles{trouble}"
    cycle, warning = w.first
    return (
        f"first warning in cycle {cycle}, after {(cycle - 1) * w.period:.2f} s: "
        f"{warning.a} – {warning.b}, {1e3 * warning.distance:.1f} mm apart "
        f"(too close from {1e3 * warning.threshold:.1f} mm on), {_way(warning)}{trouble}"
    )


def _way(warning: PairWarning) -> str:
    speed = warning.closing_speed
    if np.isnan(speed):
        return "at a speed not known yet"
    if not warning.approaching:
        return f"parting at {-1e3 * speed:.0f} mm/s"
    if speed <= 0.0:
        return "approaching, but not at its nearest points"
    return f"closing at {1e3 * speed:.0f} mm/s, so in touch {warning.time_to_contact:.2f} s later"


def save_plot(
    watched: Sequence[Watched],
    make: Callable[[float], Monitor],
    buffer: float,
    path: Path,
    console: Console,
    notes: Console,
) -> None:
    """The clearance over time as a PNG; without matplotlib a word on how to get it. ``make`` makes
    a monitor with a buffer of that width, [m]."""
    if not can_draw(console):
        return
    panels = []
    for w in watched:
        with announced(notes):
            sampled, curves = _approach(make, w.recording)
        title = f"task {w.recording.name}: {w.recording.title}"
        panels.append(Panel(title, w.period * sampled.astype(np.float64), curves, _mark(w)))
    clearance_plot(panels, buffer, _RULER, path)
    text = f"each arm's clearance from what is not its own, over time: {escape(str(path))}"
    console.print(text, highlight=False, soft_wrap=True)


def _approach(make: Callable[[float], Monitor], recording: Recording) -> tuple[IntArray, Curves]:
    """Which cycles were looked at, and for each robot the distance to the nearest body that is not
    its own, [m]; NaN beyond `_RULER`. Pairs that keep their distance throughout, as a base link and
    its pedestal do, say nothing and are left out.

    The ruler is a monitor whose buffer is as wide as the plot is high: all that is nearer warns.
    """
    cycles = len(recording.joints)
    sampled = np.unique(np.linspace(0, cycles - 1, _SAMPLES).round().astype(np.int64))
    ruler = make(_RULER)
    robots = list(ruler.cell.robots)
    found: dict[tuple[str, str], Array] = {}
    for k, cycle in enumerate(sampled):
        for a, b, distance in ruler.update(recording.joints[cycle]).pairs:
            if a.partition("/")[0] != b.partition("/")[0]:
                row = found.setdefault((a, b), np.full(len(sampled), np.nan))
                row[k] = distance
    curves: dict[str, Array] = {robot: np.full(len(sampled), np.nan) for robot in robots}
    for (a, b), row in found.items():
        if np.nanmax(row) - np.nanmin(row) < _STILL:
            continue
        for robot in {a.partition("/")[0], b.partition("/")[0]} & set(robots):
            curves[robot] = np.fmin(curves[robot], row)
    return sampled, curves


def _mark(w: Watched) -> tuple[float, str] | None:
    if w.first is None:
        return None
    cycle, warning = w.first
    return (cycle - 1) * w.period, f"{warning.a} – {warning.b}"
