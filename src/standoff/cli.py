"""The command ``standoff``."""

from __future__ import annotations

import importlib
import io
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

import standoff
from standoff.constants import (
    USUAL_APART_BUDGET,
    USUAL_BUFFER,
    USUAL_HYSTERESIS,
    USUAL_RECOVER,
    USUAL_STOP_DISTANCE,
)
from standoff.errors import Error
from standoff.view.pipes import Forgiving

if TYPE_CHECKING:
    from standoff.view.live.commands import Serving

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Keeps robots apart: certified collision monitoring, path checking and prediction.",
)
out = Console()
notes = Console(stderr=True)

#: Exit status where Standoff itself failed, which says nothing about what was asked: not 1, which
#: is an answer to most commands. The number is that of sysexits.h for an error in the software.
CRASHED = 70

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

_Clearance = Annotated[
    float, typer.Option(metavar="M", help=r"Free is what stays farther apart than this, \[m].")
]
_Tolerance = Annotated[
    float, typer.Option(metavar="M", help=r"Nearer than this to the clearance is too close, \[m].")
]


_View = Annotated[bool, typer.Option("--view", help="Then show it on a live page.")]
_Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Who may see the page; this machine by default.")
]
_Port = Annotated[
    int, typer.Option(metavar="N", help="Of the page; the next free one where it is taken.")
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
    from standoff.view.sources import open_cell

    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path)
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
    from standoff.view.sources import open_cell
    from standoff.view.targets import check_writable

    if allow is not None:
        check_writable(allow, ".toml", what="a cell")
    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path)
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
    clearance: _Clearance = 0.0,
    tolerance: _Tolerance = 0.001,
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
    srdf: _Srdf = None,
    geometry: _Geometry = "auto",
    capsules_per_link: _CapsulesPerLink = 2,
    search_path: _SearchPath = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the verdict as JSON, for machines.")
    ] = False,
    live: _View = False,
    host: _Host = "127.0.0.1",
    port: _Port = 8080,
) -> None:
    """Prove that a path is free at every instant of it, or show where it is not."""
    from standoff.paths.reading import read_path
    from standoff.view import check as view
    from standoff.view.check_plot import save_path_plot, save_path_strip
    from standoff.view.compiling import announced
    from standoff.view.sources import check_order, open_cell
    from standoff.view.targets import check_distinct, check_png, check_writable

    if live:
        _serving(host, port, out)
    if plot is not None:
        check_png(plot)
    if certificate is not None:
        check_writable(certificate)
    if picture is not None:
        check_png(picture)
    check_distinct((plot, picture, certificate), (source, file))
    check_order(source, file)
    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path)
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
        _serving(host, port, said).path(checked, source)
    if not checked.verdict.free:
        raise typer.Exit(1)


@app.command(
    epilog="Example: [bold]standoff plan builtin:panda --start 0,-0.8,0,-2.4,0,1.6,0.8,0.02 "
    "--goal 1.2,0.3,0,-2,0,2.3,0.8,0.02 --out path.csv --certificate proof.json[/bold], "
    "[bold]standoff plan cell.toml --start start.csv --goal elbow=1.2,wrist=0.3 --goal elbow=0.8 "
    "--joints left --smooth 2000 --picture strip.png[/bold]. "
    "Exit status: 0 solved, 1 not solved, 2 bad input."
)
def plan(
    source: _CellSource,
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
    clearance: _Clearance = 0.0,
    tolerance: _Tolerance = 0.001,
    no_limits: Annotated[
        bool, typer.Option("--no-limits", help="Take a start or goal beyond its limits as it is.")
    ] = False,
    srdf: _Srdf = None,
    geometry: _Geometry = "auto",
    capsules_per_link: _CapsulesPerLink = 2,
    search_path: _SearchPath = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what came of it as JSON, for machines.")
    ] = False,
    live: _View = False,
    host: _Host = "127.0.0.1",
    port: _Port = 8080,
) -> None:
    """Find a path from one configuration to another that is proved free at every instant of it."""
    from standoff.paths.writing import SUFFIXES, write_path
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
        _serving(host, port, out)
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
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path)
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
        _serving(host, port, said).plan(planned, source)
    if not solved:
        raise typer.Exit(1)


@app.command(
    epilog="Example: [bold]standoff interfere bracket.stl bolt.stl --unit mm[/bold], "
    "[bold]standoff interfere *.stl --clearance 0.001 --picture pairs[/bold], "
    "[bold]standoff interfere cell.toml gripper.stl@mm --method projection --planes 9[/bold]. "
    "Exit status: 0 none, 1 some, 2 bad input."
)
def interfere(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="PART…",
            help="Meshes (.stl, .obj, .ply, .off, .glb, .dae; part.stl@mm where one has a unit of "
            "its own) and cells (.toml, .urdf), of which every body is a part.",
        ),
    ],
    method: Annotated[
        str,
        typer.Option(help="exact, projection or octree; the latter two may raise false alarms."),
    ] = "exact",
    planes: Annotated[
        int | None, typer.Option(metavar="N", help="Planes to project on; 3 by default.")
    ] = None,
    outline: Annotated[
        str | None, typer.Option(help="hull, or true with concavities and holes.")
    ] = None,
    resolution: Annotated[
        float | None, typer.Option(metavar="M", help=r"Smallest cube of the octrees, \[m].")
    ] = None,
    clearance: Annotated[
        float, typer.Option(metavar="M", help=r"As near as this counts as interference, \[m].")
    ] = 0.0,
    scale: Annotated[
        float | None, typer.Option(metavar="S", help="Factor from a mesh's lengths to metres.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="Unit of the mesh files: m, cm, mm, in or ft.")
    ] = None,
    q: Annotated[
        str | None,
        typer.Option(
            "--q", metavar="Q", help="Joint values of a cell, as for plan; where it has them."
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png|FOLDER", help="Draw each pair that overlaps."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the pairs as JSON, for machines.")
    ] = False,
) -> None:
    """Tell which parts overlap or come too near, how deep or how far apart, and why."""
    from standoff.view import interfere as view
    from standoff.view.interfere_picture import check_target, save_pictures
    from standoff.view.targets import check_distinct

    if picture is not None:
        check_target(picture)
        check_distinct((picture,), sources)
    asked, factor = view.options(method, planes, outline, resolution, scale, unit)
    try:
        compared = view.run(
            sources, notes, method=method, clearance=clearance, asked=asked, scale=factor, q=q
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
            out.print(f"  picture: {file}", markup=False, highlight=False, soft_wrap=True)
    if overlaps:
        raise typer.Exit(1)


@app.command(epilog="Example: [bold]standoff demo --plot clearance.png[/bold]")
def demo(
    plot: Annotated[Path, typer.Option(help="Where the clearance over time goes, a PNG.")] = Path(
        "clearance.png"
    ),
    live: _View = False,
    host: _Host = "127.0.0.1",
    port: _Port = 8080,
) -> None:
    """Watch two arms do the three tasks of paper 000: who comes too close to what, and when."""
    from standoff.papers.testbed import BUFFER, PERIOD, TASKS, testbed_cell, testbed_monitor
    from standoff.view.demo import Recording, save_plot, show, watch
    from standoff.view.targets import check_png

    check_png(plot)
    if live:
        _serving(host, port, out)  # or say so now, and not after the watch
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
    if live:
        from standoff.view.live.motion import recorded

        motions = [recorded(f"task {t.name}, {t.title}", t.joints, PERIOD) for t in tasks]
        _serving(host, port, out).motions(
            motions, "demo", lambda period: testbed_monitor(cell, period=period)
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
    clearance: _Clearance = 0.0,
    tolerance: _Tolerance = 0.001,
    count: Annotated[int, typer.Option(metavar="N", help="Balls of the swarm.")] = 200,
    srdf: _Srdf = None,
    geometry: _Geometry = "auto",
    capsules_per_link: _CapsulesPerLink = 2,
    search_path: _SearchPath = None,
    host: _Host = "127.0.0.1",
    port: _Port = 8080,
) -> None:
    """Show a cell on a live page: drive it by hand, or play a path with its verdict."""
    from standoff.monitor.monitor import Monitor
    from standoff.paths.reading import read_path
    from standoff.view.check import check
    from standoff.view.compiling import announced
    from standoff.view.live.commands import is_scene
    from standoff.view.sources import check_order, open_cell

    serving = _serving(host, port, out)
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


def _serving(host: str, port: int, said: Console) -> Serving:
    """A page to be served from here; says so at once where viser is missing."""
    from standoff.view.live.commands import Serving
    from standoff.view.live.needed import need_viser

    need_viser()
    return Serving(said, notes, host=host, port=port)


@app.command(
    epilog="Example: [bold]standoff papers 000[/bold], [bold]standoff papers 001 --quick[/bold], "
    "[bold]standoff papers 001 --only table3 --only fig5 --out plots[/bold]"
)
def papers(
    number: Annotated[
        str, typer.Argument(metavar="PAPER", help="The paper's number: 000, 001, 002, 003, 004.")
    ],
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
    from standoff.view.targets import make_folder

    if number not in PAPERS:
        raise Error("unknown paper", value=number, allowed=", ".join(PAPERS))
    run = importlib.import_module(f"standoff.papers.paper{number}").run
    folder = plots or Path(f"papers-{number}")
    # Or say so now, and not after two minutes.
    make_folder(folder, "cannot write there", folder, "a folder that can be made")
    numbered = [f"table{n.strip()}" for n in tables.split(",")] if tables else []
    run([*(only or ()), *numbered], folder, out, notes, quick=quick)


@app.command(
    epilog="Example: [bold]standoff verify proof.json[/bold], "
    "[bold]standoff verify proof.json --cell cells/two_arms.toml --engine plain[/bold]"
)
def verify(
    file: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="A certificate, JSON.")],
    cell: Annotated[
        str | None,
        typer.Option(
            metavar="CELL",
            help="The cell, as for check, where the file does not bring it.",
        ),
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


@app.command(
    epilog="Example: [bold]standoff watch robot.urdf --from run.bag --report near.html[/bold], "
    "[bold]standoff watch cell.toml --from left.csv --from right.csv --to run.mcap[/bold], "
    "[bold]standoff watch cell.toml --from zenoh:cell/joint_states --to zenoh:cell/standoff "
    "--on-warning 'notify-send stop'[/bold]. Exit status: 0 SAFE all along, 1 warnings, 2 bad "
    "input, 3 STALE or at FAULT at any time, 4 both."
)
def watch(
    source: _CellSource,
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="Where joint states come from; repeatable. csv:FILE, jsonl:FILE, csv:- or jsonl:- "
            "(standard input), bag:FILE (ROS 1, or a file or folder of ROS 2), mcap:FILE, "
            "zenoh:KEY; FILE alone where its suffix tells. bag:FILE?topic=/joint_states picks one.",
        ),
    ] = None,
    sinks: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            metavar="SINK",
            help="Where reports go; repeatable. terminal (by default), plain, jsonl:FILE, jsonl:-, "
            "mcap:FILE (the recording, for replay and Foxglove), zenoh:KEY.",
        ),
    ] = None,
    buffer: Annotated[
        float, typer.Option(metavar="M", help=r"Around whatever moves, \[m].")
    ] = USUAL_BUFFER,
    self_: Annotated[
        float | None,
        typer.Option("--self", metavar="M", help=r"For links of one robot instead, \[m]."),
    ] = None,
    period: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help=r"Of the slowest source, \[s]; as files have it, and 0.01 of a live one.",
        ),
    ] = None,
    max_age: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help=r"STALE without a word from a joint for so long, \[s]; 0.1, or three periods.",
        ),
    ] = None,
    max_speed: Annotated[
        float | None,
        typer.Option(
            metavar="M/S",
            help=r"What moves faster has jumped, \[m/s]; as the speeds of the joints have it.",
        ),
    ] = None,
    recover: Annotated[
        int, typer.Option(metavar="N", help="Good readings in a row that end a fault.")
    ] = USUAL_RECOVER,
    between: Annotated[
        bool, typer.Option("--between", help="Certify the motion between readings, too.")
    ] = False,
    rest: Annotated[
        bool,
        typer.Option("--rest", help="Joints that nobody speaks of stay where the cell has them."),
    ] = False,
    slow: Annotated[
        float | None,
        typer.Option(metavar="M", help=r"The speed scale is 1 from here on, \[m]; the threshold."),
    ] = None,
    stop: Annotated[
        float, typer.Option(metavar="M", help=r"The speed scale is 0 up to here, \[m].")
    ] = USUAL_STOP_DISTANCE,
    retreat_slow: Annotated[
        float | None,
        typer.Option(metavar="M", help=r"--slow of pairs that surely part, \[m]; the same."),
    ] = None,
    retreat_stop: Annotated[
        float | None,
        typer.Option(metavar="M", help=r"--stop of pairs that surely part, \[m]; the same."),
    ] = None,
    hysteresis: Annotated[
        float,
        typer.Option(
            metavar="M",
            help=r"The speed scale rises when a pair is farther apart by this than it was, \[m].",
        ),
    ] = USUAL_HYSTERESIS,
    speed: Annotated[
        str | None,
        typer.Option(
            metavar="X",
            help="Of files: 1 as recorded, max as fast as it goes; max, and 1 with --view.",
        ),
    ] = None,
    on_warning: Annotated[
        str | None,
        typer.Option(metavar="CMD", help="Run this at the first warning, without a shell."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="OUT.html", help="Write a page on all near misses.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="No colours, nothing in place.")] = False,
    live: Annotated[
        bool, typer.Option("--view", help="Show it on a live page while it is watched.")
    ] = False,
    host: _Host = "127.0.0.1",
    port: _Port = 8080,
    listen: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Zenoh listens there: tcp/127.0.0.1:7447."),
    ] = None,
    connect: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Zenoh connects there; repeatable."),
    ] = None,
    remote: Annotated[
        bool, typer.Option("--remote", help="Let addresses be other than of this machine.")
    ] = False,
    scouting: Annotated[
        bool, typer.Option("--scouting", help="Let Zenoh look for others in the network.")
    ] = False,
    srdf: _Srdf = None,
    geometry: _Geometry = "auto",
    capsules_per_link: _CapsulesPerLink = 2,
    search_path: _SearchPath = None,
) -> None:
    """Watch joint states, live or recorded, and warn: SAFE, WARNING, STALE or FAULT."""
    from standoff.streams.options import WatchOptions
    from standoff.streams.zenoh_session import Link
    from standoff.view import watch as view
    from standoff.view.compiling import announced
    from standoff.view.sources import open_cell

    view.check_asked(source, sources or [], sinks or [], report)
    given = {} if period is None else {"period": period}
    options = WatchOptions(
        buffer=buffer, self_=self_, max_age=max_age, recover=recover, between=between, rest=rest,
        slow=slow, stop=stop, retreat_slow=retreat_slow, retreat_stop=retreat_stop,
        hysteresis=hysteresis, max_speed=max_speed, **given,
    )  # fmt: skip
    rate = view.speed_of(speed or ("1" if live else "max"))
    link = None
    if listen or connect or remote or scouting:
        link = Link(tuple(listen or ()), tuple(connect or ()), scouting, remote)
    with announced(notes):
        cell = open_cell(source, srdf, geometry, capsules_per_link, search_path)
    summary = view.watch(
        cell, source, sources or [], sinks or [], options, out, notes, period=period, speed=rate,
        link=link, on_warning=on_warning, report=report, plain=plain,
        page=(host, port) if live else None,
    )  # fmt: skip
    raise typer.Exit(summary.status)


@app.command(
    epilog="Example: [bold]standoff replay run.mcap --verify[/bold], "
    "[bold]standoff replay run.mcap --report near.html[/bold]. Exit status: that of the watch; "
    "with --verify 0 the same, 1 not the same, 3 there is a gap in it; 2 bad input."
)
def replay(
    record: Annotated[
        Path, typer.Argument(metavar="RECORD", help="What watch --to mcap:RECORD wrote.")
    ],
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Name the first cycle whose answer differs in any bit."),
    ] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="OUT.html", help="Write a page on all near misses.")
    ] = None,
) -> None:
    """Run a recording of watch again, as fast as it goes: same input, same bits."""
    from standoff.view.replay import replay as run

    raise typer.Exit(run(record, out, notes, verify=verify, report=report))


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
    """Entry point: errors of ours are printed as one message, status 2. Whatever nobody thought of
    gets its traceback and status 70."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × or – gets a ?
    before = sys.stdout
    sys.stdout = patient = Forgiving(before)
    try:
        app()
    except (Error, OSError) as error:
        notes.print(f"[bold red]{type(error).__name__}[/bold red]: ", end="")
        notes.print(str(error), markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except Exception as error:
        for line in traceback.format_exception(error):
            notes.print(line, end="", markup=False, highlight=False, soft_wrap=True)
        notes.print(
            "[bold red]An error in standoff itself[/bold red]: nothing is known of what was asked"
        )
        sys.exit(CRASHED)
    finally:
        patient.flush()
        sys.stdout = before


if __name__ == "__main__":
    main()
