"""``standoff info``."""

from __future__ import annotations

from typing import Annotated

import typer

from standoff.commands.app import app, notes, out
from standoff.commands.arguments import (
    CapsulesPerLink,
    CellSource,
    Geometry,
    SearchPath,
    Srdf,
    Unwatched,
)


@app.command(
    epilog="Example: [bold]standoff info cells/two_arms.toml[/bold], "
    "[bold]standoff info robot.urdf --srdf robot.srdf --geometry capsules[/bold], "
    "[bold]standoff info builtin:panda[/bold]"
)
def info(
    source: CellSource,
    srdf: Srdf = None,
    geometry: Geometry = "auto",
    capsules_per_link: CapsulesPerLink = 2,
    search_path: SearchPath = None,
    unwatched: Unwatched = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="List each pair left to watch.")] = False,
) -> None:
    """Show what is in a cell or a robot: joints, bodies, allowed pairs, pairs left to watch."""
    from standoff.view.compiling import announced
    from standoff.view.info import show
    from standoff.view.sources import open_cell

    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path, unwatched)
    show(cell, source, out, pairs=pairs)
