"""``standoff compile``."""

from __future__ import annotations

import time

from standoff.commands.app import app, notes, out


@app.command(name="compile", epilog="Example: [bold]standoff compile[/bold]")
def compile_() -> None:
    """Compile all kernels now, so that no later command has to wait for it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from standoff.kernels.build import build_all, entry_names
    from standoff.view.compiling import cache_name

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
        for name, new in build_all():
            fresh += new
            bar.update(task, advance=1, description=name)
    spent = time.perf_counter() - start
    out.print(
        f"{total} kernels ready in {spent:.1f} s ({fresh} compiled, {total - fresh} from the cache "
        f"in {cache_name()})",
        soft_wrap=True,
        highlight=False,
    )
