"""``standoff plan``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from standoff.commands.app import app, notes, out
from standoff.commands.arguments import (
    CapsulesPerLink,
    CellSource,
    Clearance,
    Geometry,
    Host,
    Port,
    SearchPath,
    Srdf,
    Tolerance,
    Unwatched,
    View,
)
from standoff.commands.page import page_at
from standoff.errors import Error


@app.command(
    epilog="Example: [bold]standoff plan builtin:panda --start 0,-0.8,0,-2.4,0,1.6,0.8,0.02 "
    "--goal 1.2,0.3,0,-2,0,2.3,0.8,0.02 --out path.csv --certificate proof.json[/bold], "
    "[bold]standoff plan cell.toml --start start.csv --goal elbow=1.2,wrist=0.3 --goal elbow=0.8 "
    "--joints left --smooth 2000 --picture strip.png[/bold]. "
    "Exit status: 0 solved, 1 not solved, 2 bad input."
)
def plan(
    source: CellSource,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="Q",
            help="Where to start: values (0,0.3,…), names with values (elbow=0.3,…), or a file as "
            "[bold]check[/bold] reads it; where the cell has the joints by default.",
        ),
    ] = None,
    goal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="Q",
            help="Where to go, as --start; repeatable, any of them will do. Joints that are left "
            "out end where they start.",
        ),
    ] = None,
    problem: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Start, goals and obstacles from a file of planning problems (MotionBenchMaker).",
        ),
    ] = None,
    index: Annotated[
        int | None, typer.Option(metavar="N", help="Which problem of it; the first by default.")
    ] = None,
    joints: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Joints, or robots, that may move, by commas; repeatable. All by default.",
        ),
    ] = None,
    path: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="Write the path there: .csv, .json."),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the proof there, as JSON.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw the motion there, as a strip of poses."),
    ] = None,
    save_cell: Annotated[
        Path | None,
        typer.Option(metavar="OUT.toml", help="Write the cell, with a problem's obstacles."),
    ] = None,
    smooth: Annotated[
        str | None,
        typer.Option(metavar="EFFORT", help="Shorten it: shortcuts (2000) or seconds (1.5s)."),
    ] = None,
    method: Annotated[str, typer.Option(help="rrt-connect or sbl.")] = "rrt-connect",
    seed: Annotated[int, typer.Option(metavar="N", help="The same one, the same path.")] = 0,
    timeout: Annotated[
        float, typer.Option(metavar="S", help=r"Give up after so long, \[s].")
    ] = 10.0,
    clearance: Clearance = 0.001,
    tolerance: Tolerance = 0.001,
    no_limits: Annotated[
        bool, typer.Option("--no-limits", help="Take a start or goal beyond its limits as it is.")
    ] = False,
    srdf: Srdf = None,
    geometry: Geometry = "auto",
    capsules_per_link: CapsulesPerLink = 2,
    search_path: SearchPath = None,
    unwatched: Unwatched = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what came of it as JSON, for machines.")
    ] = False,
    live: View = False,
    host: Host = "127.0.0.1",
    port: Port = 8080,
) -> None:
    """Find a path from one configuration to another that is proved free at every instant of it."""
    from standoff.paths.path_file import WRITTEN_SUFFIXES as SUFFIXES
    from standoff.paths.path_file import write_path
    from standoff.view import plan as view
    from standoff.view.compiling import announced
    from standoff.view.plan_request import problem_request, request
    from standoff.view.sources import open_cell
    from standoff.view.strip import save_strip
    from standoff.view.targets import check_distinct, check_png, check_writable

    if problem is not None and (start or goal or joints):
        raise Error(
            "a problem brings its own start, goals and joints", element="--problem",
            value=str(problem), allowed="without --start, --goal and --joints",
        )  # fmt: skip
    if index is not None and problem is None:
        raise Error("which problem, but of no file", element="--index", allowed="with --problem")
    if live:
        page_at(host, port, out)
    effort = None if smooth is None else view.effort(smooth)
    if path is not None:
        check_writable(path, *SUFFIXES, what="a path")
    if certificate is not None:
        check_writable(certificate)
    if picture is not None:
        check_png(picture)
    if save_cell is not None:
        check_writable(save_cell, ".toml", what="a cell")
    check_distinct((path, certificate, picture, save_cell), (source, problem, start, *(goal or ())))
    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path, unwatched)
    if problem is not None:
        wanted = problem_request(cell, problem, index, clearance=clearance, tolerance=tolerance)
    else:
        wanted = request(
            cell, start, goal or (), joints or (), limits=not no_limits,
            clearance=clearance, tolerance=tolerance,
        )  # fmt: skip
    planned = view.find(wanted, notes, method=method, seed=seed, timeout=timeout, smoothing=effort)
    if save_cell is not None:
        cell.save(save_cell)
    solved = planned.plan.solved
    if path is not None and solved:
        write_path(path, cell, planned.waypoints)
    if certificate is not None and solved:
        view.save_certificate(planned, certificate, notes)
    said = notes if as_json else out
    drawn = (
        picture is not None and solved and save_strip(cell, planned.waypoints, picture, said, notes)
    )
    written = {
        "path": path if solved else None,
        "certificate": certificate if solved else None,
        "picture": picture if drawn else None,
        "cell": save_cell,
    }
    if as_json:
        print(view.as_json(planned, written))
    else:
        view.show(planned, out)
        for name, file in written.items():
            if file is not None:
                word = "proof" if name == "certificate" else name
                out.print(f"  {word}: {file}", markup=False, highlight=False, soft_wrap=True)
    if live and solved:
        page_at(host, port, said).plan(planned, source)
    if not solved:
        raise typer.Exit(1)
