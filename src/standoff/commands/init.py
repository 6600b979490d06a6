"""``standoff init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from standoff.commands.app import app, notes, out
from standoff.commands.arguments import option
from standoff.defaults import USUAL_BUFFER


@app.command(
    epilog="Example: [bold]standoff init left.urdf right.urdf -o cell.toml[/bold], "
    "[bold]standoff init builtin:panda builtin:panda[/bold]"
)
def init(
    robots: Annotated[
        list[str],
        typer.Argument(
            metavar="ROBOT…", help="Robots (.urdf, .xacro) or shipped models (builtin:panda)."
        ),
    ],
    output: Annotated[Path, option("FILE", "The cell file to write.", "-o", "--output")] = Path(
        "cell.toml"
    ),
    buffer: Annotated[
        float, option("M", r"Pairs within this at the start are listed, \[m].")
    ] = USUAL_BUFFER,
    geometry: Annotated[str, option("", "auto, primitives, capsules, mesh or visual.")] = "auto",
    search_path: Annotated[
        list[Path] | None, option("", "Folder to look for package:// in; repeatable.")
    ] = None,
    force: Annotated[bool, option("", "Write over a file.", "--force")] = False,
) -> None:
    """Write a first cell file: the robots side by side, what is too close there, what to do next.

    The SRDF of each robot is looked for beside it. Pairs within the buffer at the start are listed
    as [[allow]] lines behind a #: remove it where they are meant to touch."""
    from standoff.view.files import check_writable, warn_open_meshes
    from standoff.view.progress import announced
    from standoff.view.starter import starter, write
    from standoff.view.words import counted, plain

    check_writable(output, ".toml", what="a cell file")
    with announced(notes):
        made = starter(
            robots,
            output.parent,
            buffer=buffer,
            geometry=geometry,  # type: ignore[arg-type]
            search_paths=search_path or (),
        )
        write(made, output, force=force)
    warn_open_meshes(made.cell)
    plain(
        out,
        f"{output}: {counted(len(made.cell.robots), 'robot')}, "
        f"{counted(len(made.cell.joints), 'joint')}, "
        f"{counted(made.cell.pairs.count(), 'pair')} to watch",
    )
    for note in made.notes:
        plain(out, f"  note {note}")
    if made.close:
        plain(
            out,
            f"  {counted(len(made.close), 'pair')} within the buffer at the start, listed there "
            "as [[allow]] lines behind a #",
        )
    plain(
        out,
        f"Next: standoff view {output}                            look at it\n"
        f"      standoff watch {output} --from recording.csv      watch a recording\n"
        f"      standoff apart {output}                           prove which pairs never touch",
    )
