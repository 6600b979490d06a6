"""How the experiments of a paper are run: chosen by name, told of by a bar, shown, and plotted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from standoff.errors import Error
from standoff.papers.result import Result, show
from standoff.view.compiling import announced
from standoff.view.plots import MISSING, have_matplotlib


class Telling(Protocol):
    """What experiments work with: it says what is being done, and how much of that is."""

    tell: Callable[[str, float], None]


Bench = TypeVar("Bench", bound=Telling)


def chosen_of(experiments: Iterable[str], only: Sequence[str]) -> list[str]:
    """The experiments named, or all, in the order of the paper.

    Raises:
        Error: an experiment nobody knows.
    """
    known = list(experiments)
    for name in only:
        if name not in known:
            raise Error("unknown experiment", value=name, allowed=", ".join(known))
    return [name for name in known if not only or name in only]


def run_experiments(
    title: str,
    experiments: Mapping[str, Callable[[Bench], Result]],
    prepared: Callable[[Sequence[str]], Bench],
    only: Sequence[str],
    folder: Path,
    out: Console,
    notes: Console,
) -> dict[str, Result]:
    """Run the experiments named, or all; tables on ``out`` as they come, a progress bar on
    ``notes``, plots into ``folder``. ``prepared`` is given the names of those that will be run.

    Raises:
        Error: an experiment nobody knows.
    """
    chosen = chosen_of(experiments, only)
    out.print(title, highlight=False)
    found = {}
    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with announced(notes):
        bench = prepared(chosen)
        with Progress(*columns, console=notes, transient=True, auto_refresh=False) as bar:
            task = bar.add_task("", total=1.0)

            def tell(what: str, part: float) -> None:
                bar.update(task, description=what, completed=part)
                bar.refresh()

            bench.tell = tell
            for name in chosen:
                found[name] = experiments[name](bench)
                show(found[name], out)
    save_plots(found, folder, out)
    return found


def save_plots(found: Mapping[str, Result], folder: Path, out: Console) -> None:
    """Draw what there is to draw, and say where; or what is missing for it."""
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
