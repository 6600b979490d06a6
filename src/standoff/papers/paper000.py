"""Every experiment of paper 000: C. A. Shaffer and G. M. Herb, "A Real-Time Robot Arm Collision
Avoidance System", 1992; ours beside what its prose gives (its figures are not in the text).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from standoff.papers.paper000_choices import buffer, grid, n_objects, techniques, updates
from standoff.papers.paper000_cycle import costs, cycle, shares
from standoff.papers.paper000_tree import region, structure
from standoff.papers.paper000_worlds import far, growing, links
from standoff.papers.result import Result, show
from standoff.papers.running import chosen_of, save_plots
from standoff.papers.timing import Bench, warm_up
from standoff.view.compiling import announced

TITLE = "A Real-Time Robot Arm Collision Avoidance System (Shaffer and Herb, 1992)"

#: In the order of the paper.
EXPERIMENTS: Mapping[str, Callable[[Bench], Result]] = {
    "cycle": cycle,
    "shares": shares,
    "costs": costs,
    "structure": structure,
    "techniques": techniques,
    "updates": updates,
    "links": links,
    "buffer": buffer,
    "N": n_objects,
    "growing": growing,
    "far": far,
    "grid": grid,
    "region": region,
}


def run(
    only: Sequence[str], folder: Path, out: Console, notes: Console, *, quick: bool = False
) -> dict[str, Result]:
    """Run the experiments named, or all; tables on ``out``, a progress bar on ``notes``, plots into
    ``folder``.

    Raises:
        Error: an experiment nobody knows.
    """
    chosen = chosen_of(EXPERIMENTS, only)
    with announced(notes):
        bench = Bench(quick=quick)
        warm_up(bench)
    out.print(f"[bold]Paper 000[/bold]: {TITLE}", highlight=False)
    out.print(
        "As published: the paper's algorithm. Default: with a reserve, near pairs kept from cycle "
        f"to cycle. Times: lowest of {bench.rounds} rounds, variants in turn, over the "
        f"{bench.cycles} cycles of the three tasks.\n",
        highlight=False,
    )
    found = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=notes, transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=len(chosen))
        for name in chosen:
            bar.update(task, description=name)
            bar.refresh()
            found[name] = EXPERIMENTS[name](bench)
            bar.update(task, advance=1)
            bar.refresh()
    for result in found.values():
        show(result, out)
    save_plots(found, folder, out)
    return found
