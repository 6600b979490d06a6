"""What the experiments of all papers share: results and how they are shown, clocks, and how the
experiments of a paper are run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table

from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.view.plots import can_draw, new_figure, save
from standoff.view.progress import announced, drawn_by_hand

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

#: Draws a result into a file.
Plot = Callable[[Path], None]

#: Where the paper's prose gives no number.
UNSAID = "–"

#: Widest table, in characters.
_WIDEST = 1000


@dataclass(frozen=True, eq=False)
class Result:
    """One experiment.

    Attributes:
        title: what was asked.
        columns: their headings, " | " between them; the first says of what a row is.
        rows: as text, one cell a column.
        remarks: how it was measured, and in plain words how the answer differs from the paper's.
        figures: the numbers behind the rows, by name.
        plot: draws them into a file.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    remarks: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    plot: Plot | None = None


def show(result: Result, console: Console) -> None:
    """Print the table and the remarks under it."""
    console.print(escape(result.title), style="bold", highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for k, column in enumerate(result.columns):
        justify: JustifyMethod = "right" if k else "left"
        table.add_column(escape(column), header_style="dim", justify=justify, overflow="fold")
    for row in result.rows:
        table.add_row(*map(escape, row))
    width = console.width
    if not console.is_terminal:
        # Into a file or a pipe in full width: what is folded there is hard to read.
        wide = console.options.update(max_width=_WIDEST)
        console.width = max(width, Measurement.get(console, wide, table).maximum)
    console.print(table)
    console.width = width
    for remark in result.remarks:
        text = Padding(escape(remark), (0, 0, 0, 2))
        console.print(text, highlight=False, style="italic")
    console.print()


def heads(text: str) -> list[str]:
    """Headings that stand in one text with ``" | "`` between them."""
    return text.split(" | ")


def cells(values: Iterable[Any], how: str = "") -> list[str]:
    """Values as text, all by one format; UNSAID for None."""
    return [UNSAID if value is None else f"{value:{how}}" for value in values]


def per_cent(part: float, whole: float) -> str:
    """A share with one digit behind the point."""
    return f"{100.0 * part / whole:.1f} %" if whole else "0.0 %"


def slope(x: Iterable[float], y: Iterable[float]) -> float:
    """The exponent of the power of ``x`` that ``y`` grows with, by least squares."""
    return float(np.polyfit(np.log([*x]), np.log([*y]), 1)[0])


def lines(
    x: Iterable[float],
    curves: Mapping[str, Sequence[float]],
    labels: tuple[str, str],
    log: tuple[bool, bool] = (False, False),
) -> Plot:
    """Curves over the same ``x``, with ``labels`` on the two axes, either of them logarithmic."""
    at = [*x]

    def draw(path: Path) -> None:
        from matplotlib.ticker import LogLocator

        figure, (axis,) = new_figure()
        for name, values in curves.items():
            axis.plot(at, values, marker="o", ms=4, lw=1.4, label=name)
        if log[0]:
            axis.set_xscale("log", base=2)
            axis.set_xticks(at, [f"{value:g}" for value in at])
            axis.minorticks_off()
        if log[1]:
            axis.set_yscale("log")
            axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.yaxis.set_major_formatter("{x:g}")
            axis.yaxis.set_minor_formatter("")
        else:
            axis.set_ylim(bottom=0.0)
        label_axis(axis, *labels)
        save(figure, path)

    return draw


def label_axis(axis: Any, x: str, y: str) -> None:
    """Labels of both directions, and the names of the curves."""
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.legend(fontsize=8)


def bars(series: Mapping[str, Mapping[str, float]], label: str, scale: float = 1.0) -> Plot:
    """Bars side by side: for each name within a series, one bar a series."""
    names = list(next(iter(series.values())))
    width = 0.8 / len(series)

    def draw(path: Path) -> None:
        figure, (axis,) = new_figure()
        for k, (title, values) in enumerate(series.items()):
            at = [n - 0.4 + (k + 0.5) * width for n in range(len(names))]
            axis.bar(at, [scale * values[name] for name in names], width, label=title)
        axis.set_xticks(range(len(names)), names, fontsize=8)
        label_axis(axis, "", label)
        save(figure, path)

    return draw


class Bench:
    """How much of a paper's experiments is run, and what was measured already.

    Attributes:
        quick: less of everything, for figures that are indicative only.
        rounds: how often each time is taken; the lowest counts.
        report: called with what is under way, and how far it is: 0 to 1.
    """

    def __init__(self, *, quick: bool = False, rounds: tuple[int, int] = (3, 10)) -> None:
        self.quick = quick
        self.rounds = rounds[not quick]
        self.report: Callable[[str, float], None] = lambda what, part: None
        self._kept: dict[Hashable, Any] = {}

    def points(self, all_of_them: Sequence[T], few: Sequence[T]) -> Sequence[T]:
        """The points of a sweep."""
        return few if self.quick else all_of_them

    def each(self, things: Collection[T], what: str) -> Iterator[T]:
        """One thing after the other, and how far that is; in ``what`` {} is the thing."""
        for k, thing in enumerate(things):
            self.report(what.format(thing), k / len(things))
            yield thing

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` returned when it was called for this key."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found


def lowest(
    timed: Mapping[K, Callable[[], Array]], rounds: int, enough: float = np.inf
) -> dict[K, Array]:
    """The lowest of all rounds of each time that each call measures. They take turns, so that
    whatever else the machine does hits all of them alike. No more rounds are run once the times add
    up to more than ``enough`` for each call."""
    best: dict[K, Array] = {}
    spent = 0.0
    for _ in range(rounds):
        for key, measure in timed.items():
            took = measure()
            best[key] = np.minimum(took, best.get(key, np.inf))
            spent += float(took.sum())
        if spent > enough * len(timed):
            break
    return best


def in_turn(
    calls: Mapping[K, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
    enough: float = np.inf,
) -> dict[K, float]:
    """The `lowest` time of each call, [s], after one call that may compile."""

    def timed(call: Callable[[], object]) -> Array:
        start = clock()
        call()
        return np.array(clock() - start)

    for call in calls.values():
        call()
    found = lowest({key: partial(timed, call) for key, call in calls.items()}, rounds, enough)
    return {key: float(took) for key, took in found.items()}


B = TypeVar("B", bound=Bench)


@dataclass(frozen=True)
class Paper(Generic[B]):
    """The experiments of a paper.

    Attributes:
        number, title: the paper's.
        experiments: by name, in the order of the paper.
        bench: makes what they work with.
        prepare: compiles what the experiments named need, so that nothing is compiled under a
            clock.
        least: in place of that, numbers of a bench on which they are run once before they count.
        note: what holds of all of them, printed first.
    """

    number: str
    title: str
    experiments: Mapping[str, Callable[[B], Result]]
    bench: Callable[..., B]
    prepare: Callable[[B, Sequence[str]], None] | None = None
    least: Mapping[str, Any] | None = None
    note: Callable[[B], str] | None = None

    def run(
        self,
        only: Sequence[str],
        folder: Path,
        out: Console,
        notes: Console,
        *,
        quick: bool = False,
    ) -> dict[str, Result]:
        """Run the experiments named, or all; tables on ``out`` as they come, a progress bar on
        ``notes``, plots into ``folder``.

        Raises:
            Error: an experiment nobody knows.
        """
        for name in only:
            if name not in self.experiments:
                known = ", ".join(self.experiments)
                raise Error("unknown experiment", value=name, allowed=known)
        chosen = [name for name in self.experiments if not only or name in only]
        out.print(f"[bold]Paper {self.number}[/bold]: {self.title}", highlight=False)
        found = {}
        with announced(notes):
            bench = self.bench(quick=quick)
            if self.prepare is not None:
                self.prepare(bench, chosen)
            if self.least is not None:
                small = self.bench(quick=True)
                vars(small).update(self.least)
                for name in chosen:
                    self.experiments[name](small)
            if self.note is not None:
                out.print(f"{self.note(bench)}\n", highlight=False)
            with drawn_by_hand(notes) as bench.report:
                for k, name in enumerate(chosen):
                    bench.report(name, k / len(chosen))
                    found[name] = self.experiments[name](bench)
                    show(found[name], out)
        save_plots(found, folder, out)
        return found


def save_plots(found: Mapping[str, Result], folder: Path, out: Console) -> None:
    """Draw what there is to draw, and say where; or what is missing for it."""
    plots = {name: result.plot for name, result in found.items() if result.plot is not None}
    if not plots:
        return
    if not can_draw(out):
        return
    for name, plot in plots.items():
        plot(folder / f"{name}.png")
    names = ", ".join(f"{name}.png" for name in plots)
    out.print(f"plots in {folder}: {names}", highlight=False, markup=False, soft_wrap=True)
