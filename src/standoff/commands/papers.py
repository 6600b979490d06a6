"""``standoff papers``."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated

import typer

from standoff.commands.app import app, notes, out
from standoff.commands.arguments import option
from standoff.errors import Error


@app.command(
    epilog="Example: [bold]standoff papers 000[/bold], [bold]standoff papers 001 --quick[/bold], "
    "[bold]standoff papers 001 --only table3 --only fig5 --out plots[/bold]"
)
def papers(
    number: Annotated[
        str, typer.Argument(metavar="PAPER", help="The paper's number: 000, 001, 002, 003, 004.")
    ],
    quick: Annotated[
        bool, option("", "Fewer rounds, points, segments; indicative only.", "--quick")
    ] = False,
    plots: Annotated[
        Path | None, option("", "Folder of the plots; papers-NUMBER by default.", "--out")
    ] = None,
    only: Annotated[list[str] | None, option("", "One experiment by its name; repeatable.")] = None,
    tables: Annotated[
        str | None, option("", "Tables of the paper by their numbers, such as 4,5.")
    ] = None,
) -> None:
    """Run a paper's experiments: ours beside what the paper says."""
    from standoff.papers import PAPERS
    from standoff.view.files import make_folder

    if number not in PAPERS:
        raise Error("unknown paper", value=number, allowed=", ".join(PAPERS))
    paper = importlib.import_module(f"standoff.papers.paper{number}").PAPER
    folder = plots or Path(f"papers-{number}")
    # Or say so now, and not after two minutes.
    make_folder(folder, "cannot write there", folder, "a folder that can be made")
    numbered = [f"table{n.strip()}" for n in tables.split(",")] if tables else []
    if quick:
        out.print("--quick: fewer rounds, points and segments. All figures are indicative only.\n")
    paper.run([*(only or ()), *numbered], folder, out, notes, quick=quick)
