"""``standoff check``."""

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


@app.command(
    epilog="Example: [bold]standoff check cells/two_arms.toml path.csv --plot clearance.png[/bold],"
    " [bold]standoff check builtin:panda path.json --clearance 0.01 --first[/bold]. "
    "Exit status: 0 free, 1 not free, 2 bad input."
)
def check(
    source: CellSource,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="The path: CSV (.csv, .tsv, .txt, .dat), .json, .npy or .npz; radians and metres.",
        ),
    ],
    clearance: Clearance = 0.0,
    tolerance: Tolerance = 0.001,
    deviation: Annotated[
        float,
        typer.Option(
            metavar="RAD", help="Certify all motions within this of the path, each joint."
        ),
    ] = 0.0,
    first: Annotated[
        bool, typer.Option("--first", help="Find the earliest contact, and not any.")
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the proof there, as JSON.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the clearance along the path.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the motion, as a strip of poses.")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Give up, undecided, after so many distances; by default 1,000,000, or 20,000 a "
            "segment where that is more.",
        ),
    ] = None,
    no_limits: Annotated[
        bool, typer.Option("--no-limits", help="Take joints beyond their limits as they are.")
    ] = False,
    unwrap: Annotated[
        bool | None,
        typer.Option(
            help="Continuous joints go the shorter way from waypoint to waypoint, or as written; "
            "without a word on it a jump by more than half a turn is an error."
        ),
    ] = None,
    rest: Annotated[
        bool,
        typer.Option("--rest", help="Joints not in the file stay where the cell has them."),
    ] = False,
    srdf: Srdf = None,
    geometry: Geometry = "auto",
    capsules_per_link: CapsulesPerLink = 2,
    search_path: SearchPath = None,
    unwatched: Unwatched = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the verdict as JSON, for machines.")
    ] = False,
    live: View = False,
    host: Host = "127.0.0.1",
    port: Port = 8080,
) -> None:
    """Prove that a path is free at every instant of it, or show where it is not."""
    from standoff.paths.path_file import read_path
    from standoff.view import check as view
    from standoff.view.check_plot import save_path_plot, save_path_strip
    from standoff.view.compiling import announced
    from standoff.view.sources import check_order, open_cell
    from standoff.view.targets import check_distinct, check_png, check_writable

    if live:
        page_at(host, port, out)
    if plot is not None:
        check_png(plot)
    if certificate is not None:
        check_writable(certificate)
    if picture is not None:
        check_png(picture)
    check_distinct((plot, picture, certificate), (source, file))
    check_order(source, file)
    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path, unwatched)
    path = read_path(file, cell, limits=not no_limits, unwrap=unwrap, rest=rest)
    checked = view.check(
        cell,
        path,
        notes,
        clearance=clearance,
        tolerance=tolerance,
        deviation=deviation,
        budget=budget,
        first=first,
    )
    # Machines get nothing but the verdict on stdout.
    said = notes if as_json else out
    seen = None if plot is None else save_path_plot(checked, plot, said, notes)
    drawn = picture is not None and save_path_strip(checked, picture, said, notes)
    if certificate is not None:
        view.save_certificate(checked, certificate, notes)
    if as_json:
        print(view.as_json(checked))
    else:
        view.show(checked, out, view.seen(checked, notes) if seen is None else seen)
        undecided = checked.verdict.kind == "undecided"
        proof = "undecided, so no proof" if undecided else "proof"
        written = {"plot": seen and plot, "picture": drawn and picture, proof: certificate}
        for name, target in written.items():
            if target:
                out.print(f"  {name}: {target}", markup=False, highlight=False, soft_wrap=True)
    if live:
        page_at(host, port, said).path(checked, source)
    if not checked.verdict.free:
        raise typer.Exit(1)
