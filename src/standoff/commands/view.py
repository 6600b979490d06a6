"""``standoff view``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from standoff.commands.app import app, notes, out
from standoff.commands.arguments import (
    CapsulesPerLink,
    Clearance,
    Geometry,
    Host,
    Port,
    SearchPath,
    Srdf,
    Tolerance,
)
from standoff.commands.page import page_at
from standoff.constants import (
    USUAL_BUFFER,
)


@app.command(
    epilog="Example: [bold]standoff view cells/two_arms.toml[/bold], "
    "[bold]standoff view builtin:panda path.csv[/bold], [bold]standoff view contact[/bold], "
    "[bold]standoff view swarm[/bold]. Ctrl-C ends it."
)
def view(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CELL",
            help="A cell as for [bold]info[/bold]; or contact or swarm, scenes of their own.",
        ),
    ],
    file: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A path to play, as for check.")
    ] = None,
    buffer: Annotated[
        float, typer.Option(metavar="M", help=r"Buffer of what moves, \[m], without a path.")
    ] = USUAL_BUFFER,
    clearance: Clearance = 0.0,
    tolerance: Tolerance = 0.001,
    count: Annotated[int, typer.Option(metavar="N", help="Balls of the swarm.")] = 200,
    srdf: Srdf = None,
    geometry: Geometry = "auto",
    capsules_per_link: CapsulesPerLink = 2,
    search_path: SearchPath = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
) -> None:
    """Show a cell on a live page: drive it by hand, or play a path with its verdict."""
    from standoff.monitor.monitor import Monitor
    from standoff.paths.reading import read_path
    from standoff.view.check import check
    from standoff.view.compiling import announced
    from standoff.view.live.commands import is_scene
    from standoff.view.sources import check_order, open_cell

    serving = page_at(host, port, out)
    if is_scene(source):
        from standoff.papers.live import hand_scene, swarm

        if source == "contact":
            with announced(notes):
                hand = hand_scene()
            return serving.contact(*hand)
        return serving.swarm(swarm(count))
    if file is not None:
        check_order(source, file)
    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path)
    if file is None:
        serving.cell(cell, source, lambda period: Monitor(cell, buffer=buffer, period=period))
    else:
        path = read_path(file, cell)
        checked = check(cell, path, notes, clearance=clearance, tolerance=tolerance)
        serving.path(checked, source)
