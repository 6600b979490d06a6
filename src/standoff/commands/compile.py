"""``standoff compile``."""

from __future__ import annotations

import os
import time
from typing import Annotated

import typer

from standoff.commands.app import app, notes, out


@app.command(name="compile", epilog="Example: [bold]standoff compile[/bold]")
def compile_(
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", min=0, help="Processes that compile; 0: one a processor, at most 8."
        ),
    ] = 0,
) -> None:
    """Compile all kernels but those of `papers` now, so that no later command has to wait."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from standoff.compiled.build import build_all, entry_names
    from standoff.view.progress import cache_name

    start = time.perf_counter()
    fresh = 0
    columns = (
        TextColumn("Compiling"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    total = len(entry_names())
    with Progress(*columns, console=notes, transient=True) as bar:
        task = bar.add_task("", total=total)
        for name, new in build_all(jobs or _processors()):
            fresh += new
            bar.update(task, advance=1, description=name)
    spent = time.perf_counter() - start
    out.print(
        f"{total} kernels ready in {spent:.1f} s ({fresh} compiled, {total - fresh} from the cache "
        f"in {cache_name()})",
        soft_wrap=True,
        highlight=False,
        markup=False,
    )


def _processors() -> int:
    """How many this process may run on; no more than 8, as each compiler takes half a gigabyte."""
    if hasattr(os, "sched_getaffinity"):
        return min(8, len(os.sched_getaffinity(0)))
    return min(8, os.cpu_count() or 1)
