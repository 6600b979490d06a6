"""The experiments of paper 003: C. Tzafestas and P. Coiffet, "Real-time collision detection using
spherical octrees: virtual reality application", 1996; Table 1, Figs. 2, 4 and 5, ours beside the
paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from standoff.errors import Error
from standoff.papers.bench003 import Bench
from standoff.papers.paper003_growth import growth
from standoff.papers.paper003_hand import cost, hand
from standoff.papers.paper003_levels import checks, optimum, table
from standoff.papers.result import Result, show
from standoff.view.compiling import announced
from standoff.view.plots import MISSING, have_matplotlib

TITLE = (
    "Real-time collision detection using spherical octrees: virtual reality application "
    "(Tzafestas and Coiffet, 1996)"
)

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "table1": table,
    "checks": checks,
    "fig4": optimum,
    "fig5": growth,
    "hand": hand,
    "scene": cost,
}


def run(
    only: Sequence[str], folder: Path, out: Console, notes: Console, *, quick: bool = False
) -> dict[str, Result]:
    """Run the experiments named, or all; tables on ``out`` as they come, a progress bar on
    ``notes``, plots into ``folder``.

    Raises:
        Error: an experiment nobody knows.
    """
    for name in only:
        if name not in EXPERIMENTS:
            raise Error("unknown experiment", value=name, allowed=", ".join(EXPERIMENTS))
    chosen = [name for name in EXPERIMENTS if not only or name in only]
    out.print(f"[bold]Paper 003[/bold]: {TITLE}", highlight=False)
    found = {}
    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with announced(notes):
        bench = Bench(quick=quick)
        warm_up(chosen)
    with Bar(*columns, console=notes, transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=1.0)

        def tell(what: str, part: float) -> None:
            bar.update(task, description=what, completed=part)
            bar.refresh()

        bench.tell = tell
        for name in chosen:
            found[name] = EXPERIMENTS[name](bench)
            show(found[name], out)
    _plots(found, folder, out)
    return found


def warm_up(chosen: Sequence[str]) -> None:
    """Call what the experiments need, so that none of it is compiled under a clock."""
    small = Bench(quick=True)
    small.ways, small.steps, small.rounds, small.hand = 4, 4, 1, 40
    small.vertices = (8, 20)
    for name in chosen:
        EXPERIMENTS[name](small)


def _plots(found: Mapping[str, Result], folder: Path, out: Console) -> None:
    plots = {name: result.plot for name, result in found.items() if result.plot is not None}
    if not plots:
        return
    if not have_matplotlib():
        out.print(MISSING, highlight=False, markup=False, soft_wrap=True)
        return
    for name, plot in plots.items():
        plot(folder / f"{name}.png")
    names = ", ".join(f"{name}.png" for name in plots)
    out.print(f"plots in {folder}: {names}", highlight=False, markup=False, soft_wrap=True)
