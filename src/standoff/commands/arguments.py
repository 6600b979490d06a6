"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

CellSource = Annotated[
    str,
    typer.Argument(
        metavar="CELL",
        help="A cell file (.toml), a shipped cell (testbed, two_arms), a robot alone (.urdf, "
        ".xacro) or a shipped model (builtin:panda).",
    ),
]
# How a robot that is named by its own file is to be modelled.
Srdf = Annotated[
    Path | None, typer.Option(help="SRDF of a robot alone: the pairs it disables are allowed.")
]
Geometry = Annotated[
    str, typer.Option(help="auto, primitives, capsules, mesh or visual; for a robot's own file.")
]
CapsulesPerLink = Annotated[
    int, typer.Option(help="At most this many capsules where capsules are laid.")
]
SearchPath = Annotated[
    list[Path] | None, typer.Option(help="Folder to look for package:// in; repeatable.")
]
Unwatched = Annotated[
    bool,
    typer.Option("--unwatched", help="Accept a robot's own file of which nothing can be watched."),
]
Clearance = Annotated[
    float, typer.Option(metavar="M", help=r"Free is what stays farther apart than this, \[m].")
]
Tolerance = Annotated[
    float, typer.Option(metavar="M", help=r"Nearer than this to the clearance is too close, \[m].")
]
View = Annotated[bool, typer.Option("--view", help="Then show it on a live page.")]
Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Who may see the page; this machine by default.")
]
Port = Annotated[
    int, typer.Option(metavar="N", help="Of the page; the next free one where it is taken.")
]
