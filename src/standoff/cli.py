"""The command ``standoff``."""

from __future__ import annotations

import importlib
import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

import standoff
from standoff.constants import USUAL_APART_BUDGET
from standoff.errors import CellError, Error

if TYPE_CHECKING:
    from standoff.cell import Cell

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Keeps robots apart: certified collision monitoring, path checking and prediction.",
)
out = Console()
notes = Console(stderr=True)

_CellSource = Annotated[
    str,
    typer.Argument(
        metavar="CELL",
        help="A cell file (.toml), a shipped cell (testbed, two_arms), a robot alone (.urdf, "
        ".xacro) or a shipped model (builtin:panda).",
    ),
]
# How a robot that is named by its own file is to be modelled.
_Srdf = Annotated[
    Path | None, typer.Option(help="SRDF of a robot alone: the pairs it disables are allowed.")
]
_Geometry = Annotated[
    str, typer.Option(help="auto, primitives, capsules or mesh; of a robot alone.")
]
_CapsulesPerLink = Annotated[
    int, typer.Option(help="At most this many capsules where capsules are laid.")
]
_SearchPath = Annotated[
    list[Path] | None, typer.Option(help="Folder to look for package:// in; repeatable.")
]


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
    source: _CellSource,
    srdf: _Srdf = None,
    geometry: _Geometry = "auto",
    capsules_per_link: _CapsulesPerLink = 2,
    search_path: _SearchPath = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="List each pair left to watch.")] = False,
) -> None:
    """Show what is in a cell or a robot: joints, bodies, allowed pairs, pairs left to watch."""
    from standoff.view.compiling import announced
    from standoff.view.info import show

    with announced(notes):
        cell = _open_cell(source, srdf, geometry, capsules_per_link, search_path)
    show(cell, source, out, pairs=pairs)


@app.command(
    epilog="Example: [bold]standoff apart cells/two_arms.toml[/bold], "
    "[bold]standoff apart builtin:panda --clearance 0.01 --allow panda.toml[/bold], "
    "[bold]standoff apart robot.urdf --srdf robot.srdf --geometry capsules[/bold]"
)
def apart(
    source: _CellSource,
    clearance: Annotated[
        float,
        typer.Option(metavar="M", help=r"How far apart a pair must stay to be proved, \[m]."),
    ] = 0.0,
    budget: Annotated[
        int,
        typer.Option(metavar="N", help="Boxes of joint values to look at for a pair, at most."),
    ] = USUAL_APART_BUDGET,
    allow: Annotated[
        Path | None,
        typer.Option(metavar="OUT.toml", help="Write the cell with the proved pairs allowed."),
    ] = None,
    srdf: _Srdf = None,
    geometry: _Geometry = "auto",
    capsules_per_link: _CapsulesPerLink = 2,
    search_path: _SearchPath = None,
) -> None:
    """Prove which watched pairs can never touch within the joint limits, and show which can."""
    from standoff.view.apart import proved, show, show_allowed
    from standoff.view.compiling import announced

    if allow is not None:
        if allow.suffix != ".toml":
            raise Error("cannot write a cell there", value=str(allow), allowed="a .toml")
        _check_writable(allow)
    with announced(notes):
        cell = _open_cell(source, srdf, geometry, capsules_per_link, search_path)
    result = proved(cell, clearance, budget, notes)
    show(result, cell, out)
    if allow is not None:
        result.allow(cell)
        cell.save(allow)
        show_allowed(result, allow, out)


@app.command(
    epilog="Example: [bold]standoff check cells/two_arms.toml path.csv --plot clearance.png[/bold],"
    " [bold]standoff check builtin:panda path.json --clearance 0.01 --first[/bold]. "
    "Exit status: 0 free, 1 not free, 2 bad input."
)
def check(
    source: _CellSource,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="The path: CSV (.csv, .tsv, .txt, .dat), .json, .npy or .npz; radians and metres.",
        ),
    ],
    clearance: Annotated[
        float, typer.Option(metavar="M", help=r"Free is what stays farther apart than this, \[m].")
    ] = 0.0,
    tolerance: Annotated[
        float,
        typer.Option(metavar="M", help=r"Nearer than this to the clearance is too close, \[m]."),
    ] = 0.001,
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
    budget: Annotated[
        int, typer.Option(metavar="N", help="Give up, undecided, after so many distances.")
    ] = 1_000_000,
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
    srdf: _Srdf = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the verdict as JSON, for machines.")
    ] = False,
) -> None:
    """Prove that a path is free at every instant of it, or show where it is not."""
    from standoff.paths.reading import read_path
    from standoff.view import check as view
    from standoff.view.check_plot import save_path_plot
    from standoff.view.compiling import announced

    if plot is not None:
        _check_plot(plot)
    if certificate is not None:
        _check_writable(certificate)
        if certificate.resolve() in (Path(source).resolve(), file.resolve()):
            raise Error(
                "would write over its own input", value=str(certificate),
                allowed="another file for the certificate",
            )  # fmt: skip
    with announced(notes):
        cell = _open_cell(source, srdf)
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
    if certificate is not None:
        view.save_certificate(checked, certificate, notes)
    if as_json:
        print(view.as_json(checked))
    else:
        view.show(checked, out, view.seen(checked, notes) if seen is None else seen)
        if seen is not None:
            out.print(f"  plot: {plot}", markup=False, highlight=False, soft_wrap=True)
        if certificate is not None:
            out.print(f"  proof: {certificate}", markup=False, highlight=False, soft_wrap=True)
    if not checked.verdict.free:
        raise typer.Exit(1)


def _open_cell(
    source: str,
    srdf: Path | None,
    geometry: str = "auto",
    capsules_per_link: int = 2,
    search_path: list[Path] | None = None,
) -> Cell:
    """The cell of a file, one that ships with Standoff, or a robot alone."""
    from standoff.cell import Cell
    from standoff.cell.shipped import shipped_cell

    options = {
        "--srdf": (srdf, None),
        "--geometry": (geometry, "auto"),
        "--capsules-per-link": (capsules_per_link, 2),
        "--search-path": (search_path, None),
    }
    shipped = not (Path(source).suffix or ":" in source or Path(source).exists())
    if shipped or source.endswith(".toml"):
        given = [f"{name} {value}" for name, (value, usual) in options.items() if value != usual]
        if given:
            raise CellError(
                "a cell file says itself how its robots are modelled",
                file=source,
                value=", ".join(given),
                allowed="such options with a robot's own file",
            )
        return Cell.load(shipped_cell(source) if shipped else source)
    cell = Cell()
    cell.add_robot(
        source,
        srdf=srdf,
        geometry=geometry,  # type: ignore[arg-type]
        capsules_per_link=capsules_per_link,
        search_paths=search_path or (),
    )
    return cell


def _check_writable(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        allowed = "a file in a folder that can be written to"
        raise Error("cannot write there", value=str(path), allowed=allowed)


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
    epilog="Example: [bold]standoff papers 000[/bold], [bold]standoff papers 001 --quick[/bold], "
    "[bold]standoff papers 001 --only table3 --only fig5 --out plots[/bold]"
)
def papers(
    number: Annotated[str, typer.Argument(metavar="PAPER", help="The paper's number: 000 or 001.")],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rounds, points, segments.")] = False,
    plots: Annotated[
        Path | None, typer.Option("--out", help="Folder of the plots; papers-NUMBER by default.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="One experiment by its name; repeatable.")
    ] = None,
    tables: Annotated[
        str | None, typer.Option(help="Tables of the paper by their numbers, such as 4,5.")
    ] = None,
) -> None:
    """Run a paper's experiments: ours beside what the paper says."""
    from standoff.papers import PAPERS

    if number not in PAPERS:
        raise Error("unknown paper", value=number, allowed=", ".join(PAPERS))
    run = importlib.import_module(f"standoff.papers.paper{number}").run
    folder = plots or Path(f"papers-{number}")
    folder.mkdir(parents=True, exist_ok=True)  # or say so now, and not after two minutes
    numbered = [f"table{n.strip()}" for n in tables.split(",")] if tables else []
    run([*(only or ()), *numbered], folder, out, notes, quick=quick)


@app.command(
    epilog="Example: [bold]standoff verify proof.json[/bold], "
    "[bold]standoff verify proof.json --cell cells/two_arms.toml --engine plain[/bold]"
)
def verify(
    file: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="A certificate, JSON.")],
    cell: Annotated[
        Path | None, typer.Option(help="The cell, where the file does not bring it or another.")
    ] = None,
    engine: Annotated[
        str, typer.Option(help="plain; coal to ask Coal as well; auto asks it where installed.")
    ] = "auto",
    clearance: Annotated[
        float | None, typer.Option(help=r"What it must claim at least for every pair, \[m].")
    ] = None,
) -> None:
    """Check a certificate again by plain code that shares nothing with the checker.

    Exit status: 0 verified, 1 refused, 2 bad input."""
    from standoff.view.compiling import announced
    from standoff.view.verify import run

    with announced(notes):
        held = run(file, cell, engine, clearance, out, notes)  # type: ignore[arg-type]
    raise typer.Exit(0 if held else 1)


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
