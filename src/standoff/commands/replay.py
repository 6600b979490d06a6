"""``standoff replay``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from standoff.commands.app import app, notes, out
from standoff.commands.arguments import option


@app.command(
    epilog="Example: [bold]standoff replay run.mcap --verify[/bold], "
    "[bold]standoff replay run.mcap --report near.html[/bold]. Exit status: that of the watch; "
    "with --verify 0 the same, 1 not the same, 3 it is damaged or has a gap; 2 bad input."
)
def replay(
    record: Annotated[
        Path, typer.Argument(metavar="RECORD", help="What watch --to mcap:RECORD wrote.")
    ],
    verify: Annotated[
        bool, option("", "Name the first cycle whose answer differs in any bit.", "--verify")
    ] = False,
    report: Annotated[Path | None, option("OUT.html", "Write a page on all near misses.")] = None,
) -> None:
    """Run a recording of watch again, as fast as it goes: same input, same bits."""
    from standoff.view.replay import replay as run

    raise typer.Exit(run(record, out, notes, verify=verify, report=report))
