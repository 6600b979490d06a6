"""The command ``standoff``."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

import standoff
from standoff.constants import USUAL_APART_BUDGET
from standoff.errors import CellError, Error

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Keeps robots apart: certified collision monitoring, path checking and prediction.",
)
out = Console()
notes = Console(stderr=True)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"standoff {standoff.__version__}")
        raise typer.Exit


@app.callback()
def _standoff(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command(
    epilog="Example: [bold]standoff info cells/two_arms.toml[/bold], "
    "[bold]standoff info robot.urdf --srdf robot.srdf --geometry capsules[/bold], "
    "[bold]standoff info builtin:panda[/bold]"
)
def info(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CELL_OR_URDF",
            help="A cell file (.toml), a robot (.urdf, .xacro) or a shipped model (builtin:panda).",
        ),
    ],
    srdf: Annotated[
        Path | None, typer.Option(help="SRDF of the robot: the pairs it disables are allowed.")
    ] = None,
    geometry: Annotated[
        str, typer.Option(help="auto, primitives, capsules or mesh; of a robot given by URDF.")
    ] = "auto",
    capsules_per_link: Annotated[
        int, typer.Option(help="At most this many capsules where capsules are laid.")
    ] = 2,
    search_path: Annotated[
        list[Path] | None, typer.Option(help="Folder to look for package:// in; repeatable.")
    ] = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="List each pair left to watch.")] = False,
) -> None:
    """Show what is in a cell or a robot: joints, bodies, allowed pairs, pairs left to watch."""
    from standoff.cell import Cell
    from standoff.view.compiling import announced
    from standoff.view.info import show

    given = (srdf, search_path) != (None, None) or (geometry, capsules_per_link) != ("auto", 2)
    if source.endswith(".toml") and given:
        raise CellError(
            "a cell file says itself how its robots are modelled",
            file=source,
            allowed="--srdf, --geometry, --capsules-per-link and --search-path with a robot's file",
        )
    with announced(notes):
        if source.endswith(".toml"):
            cell = Cell.load(source)
        else:
            cell = Cell()
            cell.add_robot(
                source,
                srdf=srdf,
                geometry=geometry,  # type: ignore[arg-type]
                capsules_per_link=capsules_per_link,
                search_paths=search_path or (),
            )
    show(cell, source, out, pairs=pairs)


@app.command(
    epilog="Example: [bold]standoff apart cells/two_arms.toml[/bold], "
    "[bold]standoff apart builtin:panda --clearance 0.01 --allow panda.toml[/bold]"
)
def apart(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CELL",
            help="A cell file (.toml), a robot (.urdf, .xacro) or a shipped model (builtin:panda).",
        ),
    ],
    clearance: Annotated[
        float, typer.Option(help="How far apart each pair must stay to be proved, in metres.")
    ] = 0.0,
    budget: Annotated[
        int, typer.Option(help="Boxes of joint values to look at for each pair, at most.")
    ] = USUAL_APART_BUDGET,
    allow: Annotated[
        Path | None,
        typer.Option(metavar="OUT.toml", help="Write the cell with the proved pairs allowed."),
    ] = None,
) -> None:
    """Prove which watched pairs can never touch within the joint limits, and show which can."""
    from standoff.cell import Cell
    from standoff.view.apart import proved, show
    from standoff.view.compiling import announced

    if allow is not None and (allow.suffix != ".toml" or not os.access(allow.parent, os.W_OK)):
        allowed = "a .toml in a folder that can be written to"
        raise Error("cannot write a cell there", value=str(allow), allowed=allowed)
    with announced(notes):
        if source.endswith(".toml"):
            cell = Cell.load(source)
        else:
            cell = Cell()
            cell.add_robot(source)
    result = proved(cell, clearance, budget, notes)
    show(result, cell, out)
    if allow is not None:
        result.allow(cell)
        cell.save(allow)
        out.print(
            f"{len(result.apart)} proved pairs are allowed in {escape(str(allow))}, each for as "
            "long as its shapes, joints and limits are those of the proof",
            highlight=False,
            soft_wrap=True,
        )


@app.command(epilog="Example: [bold]standoff demo --plot clearance.png[/bold]")
def demo(
    plot: Annotated[Path, typer.Option(help="Where the clearance over time goes, a PNG.")] = Path(
        "clearance.png"
    ),
) -> None:
    """Watch two arms do the three tasks of paper 000: who comes too close to what, and when."""
    from standoff.papers.testbed import BUFFER, TASKS, testbed_cell, testbed_monitor
    from standoff.view.demo import Recording, save_plot, show, watch

    _check_plot(plot)
    cell = testbed_cell()
    moving = sum(frame != 0 for frame in cell.world.frame)
    out.print(
        f"Two arms of 7 joints, {moving} capsules, among {len(cell.world.names) - moving} boxes; "
        f"{cell.pairs.count()} pairs to watch, a buffer of {1e3 * BUFFER:.1f} mm on all that moves",
        highlight=False,
        soft_wrap=True,
    )
    tasks = [Recording(task.name, task.title, task.joints(cell)) for task in TASKS]
    watched = watch(lambda: testbed_monitor(cell), tasks, notes)
    out.print()
    show(watched, out)
    save_plot(watched, lambda width: testbed_monitor(cell, buffer=width), BUFFER, plot, out, notes)


@app.command(
    epilog="Example: [bold]standoff papers 000[/bold], [bold]standoff papers 000 --only N[/bold]"
)
def papers(
    number: Annotated[str, typer.Argument(metavar="PAPER", help="The paper's number: 000.")],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rounds and points.")] = False,
    plots: Annotated[
        Path | None, typer.Option("--out", help="Folder of the plots; papers-NUMBER by default.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="One experiment by its name; repeatable.")
    ] = None,
) -> None:
    """Run a paper's experiments: ours beside what the paper says."""
    from standoff.papers import PAPERS

    if number not in PAPERS:
        raise Error("unknown paper", value=number, allowed=", ".join(PAPERS))
    from standoff.papers.paper000 import run

    folder = plots or Path(f"papers-{number}")
    folder.mkdir(parents=True, exist_ok=True)  # or say so now, and not after two minutes
    run(only or (), folder, out, notes, quick=quick)


def _check_plot(path: Path) -> None:
    """Refuse a file that cannot be written before the work for it is done."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".png" or path.is_dir() or not os.access(path.parent, os.W_OK):
        allowed = "a .png in a folder that can be written to"
        raise Error("cannot write a plot there", value=str(path), allowed=allowed)


@app.command(name="compile", epilog="Example: [bold]standoff compile[/bold]")
def compile_() -> None:
    """Compile all kernels now, so that no later command has to wait for it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from standoff.kernels.build import build_all, entry_names
    from standoff.view.compiling import cache_name

    start = time.perf_counter()
    fresh = 0
    columns = (
        TextColumn("Compiling"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    total = len(entry_names())
    with Progress(*columns, console=notes, transient=True) as bar:
        task = bar.add_task("", total=total)
        for name, new in build_all():
            fresh += new
            bar.update(task, advance=1, description=name)
    spent = time.perf_counter() - start
    out.print(
        f"{total} kernels ready in {spent:.1f} s ({fresh} compiled, {total - fresh} from the cache "
        f"in {cache_name()})",
        soft_wrap=True,
        highlight=False,
    )


def main() -> None:
    """Entry point: errors of ours are printed as one message, status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × or – gets a ?
    try:
        app()
    except (Error, OSError) as error:
        notes.print(f"[bold red]{type(error).__name__}[/bold red]: ", end="")
        notes.print(str(error), markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
