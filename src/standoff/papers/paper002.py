"""The experiments of paper 002: N. Ahuja, R. T. Chien, R. Yen and N. Bridwell, "Interference
detection and collision avoidance among three dimensional objects", 1980. It has no tables; what its
sections II, III and IV claim is tested, claim by claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from standoff.errors import Error
from standoff.papers.bench002 import Bench
from standoff.papers.paper002_avoid import avoidance, separation
from standoff.papers.paper002_cost import cost, envelopes, order, vertices
from standoff.papers.paper002_methods import methods
from standoff.papers.paper002_octree import many, nodes, resolution
from standoff.papers.paper002_planes import defeated, missed, planes, shapes
from standoff.papers.result import Result, show
from standoff.view.compiling import announced
from standoff.view.plots import MISSING, have_matplotlib

TITLE = (
    "Interference detection and collision avoidance among three dimensional objects (Ahuja, Chien, "
    "Yen and Bridwell, 1980)"
)

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "missed": missed,
    "planes": planes,
    "devised": defeated,
    "shapes": shapes,
    "vertices": vertices,
    "cost": cost,
    "envelopes": envelopes,
    "order": order,
    "resolution": resolution,
    "nodes": nodes,
    "many": many,
    "separation": separation,
    "avoidance": avoidance,
    "methods": methods,
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
    out.print(f"[bold]Paper 002[/bold]: {TITLE}", highlight=False)
    found = {}
    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    bench = Bench(quick=quick)
    with (
        announced(notes),
        Bar(*columns, console=notes, transient=True, auto_refresh=False) as bar,
    ):
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
