"""``standoff interfere``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from standoff.commands.app import notes, out
from standoff.commands.arguments import command, option


@dataclass(frozen=True)
class _Approach:
    """How parts are compared."""

    method: Annotated[
        str, option("", "exact, projection or octree; the latter two may raise false alarms.")
    ] = "exact"
    planes: Annotated[int | None, option("N", "Planes to project on; 3 by default.")] = None
    outline: Annotated[str | None, option("", "hull, or true with concavities and holes.")] = None
    resolution: Annotated[float | None, option("M", r"Smallest cube of the octrees, \[m].")] = None


@dataclass(frozen=True)
class _Lengths:
    """What a length in a mesh file is."""

    scale: Annotated[float | None, option("S", "Factor from a mesh's lengths to metres.")] = None
    unit: Annotated[str | None, option("", "Unit of the mesh files: m, cm, mm, in or ft.")] = None


@command(
    epilog="Example: [bold]standoff interfere bracket.stl bolt.stl --unit mm[/bold], "
    "[bold]standoff interfere *.stl --clearance 0.001 --picture pairs[/bold], "
    "[bold]standoff interfere cell.toml gripper.stl@mm --method projection --planes 9[/bold]. "
    "Exit status: 0 none, 1 some, 2 bad input."
)
def interfere(
    *,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="PART…",
            help="Meshes (.stl, .obj, .ply, .off, .glb, .dae; part.stl@mm where one has a unit of "
            "its own) and cells (.toml, .urdf), of which every body is a part.",
        ),
    ],
    approach: _Approach,
    clearance: Annotated[
        float, option("M", r"As near as this counts as interference, \[m].")
    ] = 0.0,
    lengths: _Lengths,
    q: Annotated[
        str | None, option("Q", "Joint values of a cell, as for plan; where it has them.", "--q")
    ] = None,
    picture: Annotated[
        Path | None, option("FILE.png|FOLDER", "Draw each pair that overlaps.")
    ] = None,
    as_json: Annotated[
        bool, option("", "Print the pairs as JSON, for machines.", "--json")
    ] = False,
) -> None:
    """Tell which parts overlap or come too near, how deep or how far apart, and why."""
    from standoff.view import interfere as view
    from standoff.view.files import check_distinct
    from standoff.view.interfere_picture import check_target, save_pictures
    from standoff.view.words import plain

    if picture is not None:
        check_target(picture)
        check_distinct((picture,), sources)
    asked, factor = view.options(**vars(approach), **vars(lengths))
    try:
        compared = view.run(
            sources, notes, method=approach.method, clearance=clearance, asked=asked, scale=factor,
            q=q,
        )  # fmt: skip
    except KeyboardInterrupt:
        notes.print("interrupted: nothing is known of the pairs that were left")
        raise typer.Exit(130) from None
    overlaps = compared.overlaps
    drawn = []
    if picture is not None:
        drawn = save_pictures(compared.parts, overlaps, picture, notes if as_json else out, notes)
    if as_json:
        print(view.as_json(compared, drawn))
    else:
        view.show(compared, out)
        for file in drawn:
            plain(out, f"  picture: {file}")
    if overlaps:
        raise typer.Exit(1)
