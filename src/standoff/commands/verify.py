"""``standoff verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from standoff.commands.app import app, notes, out
from standoff.commands.arguments import option


@app.command(
    epilog="Example: [bold]standoff verify proof.json[/bold], "
    "[bold]standoff verify proof.json --cell cells/two_arms.toml --engine plain[/bold]"
)
def verify(
    file: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="A certificate, JSON.")],
    cell: Annotated[
        str | None, option("CELL", "The cell, as for check, where the file does not bring it.")
    ] = None,
    engine: Annotated[
        str, option("", "plain; coal to ask Coal as well; auto asks it where installed.")
    ] = "auto",
    clearance: Annotated[
        float | None, option("", r"What it must claim at least for every pair, \[m].")
    ] = None,
) -> None:
    """Check a certificate again by plain code that shares nothing with the checker.

    Exit status: 0 verified, 1 refused, 2 bad input."""
    from standoff.view.progress import announced
    from standoff.view.verify import run

    with announced(notes):
        held = run(file, cell, engine, clearance, out, notes)  # type: ignore[arg-type]
    raise typer.Exit(0 if held else 1)
