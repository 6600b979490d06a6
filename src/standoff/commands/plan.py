"""``standoff plan``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from standoff.commands.app import notes, out
from standoff.commands.arguments import (
    CellSource,
    Certificate,
    Clearance,
    Model,
    PageAddress,
    Tolerance,
    View,
    command,
    option,
)
from standoff.errors import Error

if TYPE_CHECKING:
    from standoff.cell.cell import Cell
    from standoff.view.plan import Effort, Planned, Wanted


@dataclass(frozen=True)
class _Ends:
    """From where to where, and what may move."""

    start: Annotated[
        str | None,
        option(
            "Q",
            "Where to start: values (0,0.3,…), names with values (elbow=0.3,…), a named state of "
            "the SRDF (ready), or a file as [bold]check[/bold] reads it; where the cell has the "
            "joints by default.",
        ),
    ] = None
    goal: Annotated[
        list[str] | None,
        option(
            "Q",
            "Where to go, as --start; repeatable, any of them will do. Joints that are left "
            "out end where they start.",
        ),
    ] = None
    problem: Annotated[
        Path | None,
        option(
            "FILE",
            "Start, goals and obstacles from a file of planning problems (MotionBenchMaker).",
        ),
    ] = None
    index: Annotated[int | None, option("N", "Which problem of it; the first by default.")] = None
    joints: Annotated[
        list[str] | None,
        option(
            "NAMES",
            "Groups of the SRDF (panda_arm), robots or joints that may move, by commas; "
            "repeatable. All by default.",
        ),
    ] = None

    def refuse_contradictions(self) -> None:
        """A problem of a file says all of it."""
        if self.problem is not None and (self.start or self.goal or self.joints):
            raise Error(
                "a problem brings its own start, goals and joints", element="--problem",
                value=str(self.problem), allowed="without --start, --goal and --joints",
            )  # fmt: skip
        if self.index is not None and self.problem is None:
            raise Error(
                "which problem, but of no file", element="--index", allowed="with --problem"
            )

    def request(self, cell: Cell, margins: _Margins) -> Wanted:
        """What is to be planned in a cell."""
        from standoff.view.plan import problem_request, request

        clearance, tolerance = margins.clearance, margins.tolerance
        if self.problem is not None:
            return problem_request(
                cell, self.problem, self.index, clearance=clearance, tolerance=tolerance
            )
        return request(
            cell, self.start, self.goal or (), self.joints or (), limits=not margins.no_limits,
            clearance=clearance, tolerance=tolerance,
        )  # fmt: skip


@dataclass(frozen=True)
class _Files:
    """What is written, besides what is said."""

    path: Annotated[Path | None, option("PATH", "Write the path there: .csv, .json.", "--out")] = (
        None
    )
    certificate: Certificate = None
    picture: Annotated[
        Path | None, option("FILE.png", "Draw the motion there, as a strip of poses.")
    ] = None
    save_cell: Annotated[
        Path | None, option("OUT.toml", "Write the cell, with a problem's obstacles.")
    ] = None

    def refuse_unwritable(self, source: str, ends: _Ends) -> None:
        """Before any work is done for them."""
        from standoff.paths.path_file import WRITTEN_SUFFIXES
        from standoff.view.files import check_distinct, check_png, check_writable

        check_writable(self.path, *WRITTEN_SUFFIXES, what="a path")
        check_writable(self.certificate)
        check_png(self.picture)
        check_writable(self.save_cell, ".toml", what="a cell")
        targets = self.path, self.certificate, self.picture, self.save_cell
        check_distinct(targets, (source, ends.problem, ends.start, *(ends.goal or ())))

    def write(self, planned: Planned, said: Console) -> dict[str, Path | None]:
        """What was written, by what it is; None for what was not."""
        from standoff.paths.path_file import write_path
        from standoff.view.files import save_certificate
        from standoff.view.strip import save_strip

        cell, waypoints = planned.wanted.cell, planned.waypoints
        written: dict[str, Path | None] = dict.fromkeys(("path", "certificate", "picture"))
        if self.save_cell is not None:
            cell.save(self.save_cell)
        if planned.plan.solved:
            if self.path is not None:
                write_path(self.path, cell, waypoints)
            if self.certificate is not None:
                assert planned.verdict is not None
                save_certificate(planned.verdict, cell, self.certificate, notes)
            written |= {"path": self.path, "certificate": self.certificate}
            if self.picture is not None and save_strip(cell, waypoints, self.picture, said, notes):
                written["picture"] = self.picture
        return {**written, "cell": self.save_cell}


@dataclass(frozen=True)
class _Search:
    """How a path is searched for."""

    smooth: Annotated[
        str | None, option("EFFORT", "Shorten it: shortcuts (2000) or seconds (1.5s).")
    ] = None
    method: Annotated[str, option("", "rrt-connect or sbl.")] = "rrt-connect"
    seed: Annotated[int, option("N", "The same one, the same path.")] = 0
    timeout: Annotated[float, option("S", r"Give up after so long, \[s].")] = 10.0

    def effort(self) -> Effort | None:
        """How long to shorten the path; None for not at all."""
        from standoff.view.plan import effort

        return None if self.smooth is None else effort(self.smooth)


@dataclass(frozen=True)
class _Margins:
    """How far bodies are to stay apart, and whether joint limits count."""

    clearance: Clearance = 0.001
    tolerance: Tolerance = 0.001
    no_limits: Annotated[
        bool, option("", "Take a start or goal beyond its limits as it is.", "--no-limits")
    ] = False


@command(
    epilog="Example: [bold]standoff plan builtin:panda --start ready --joints panda_arm "
    "--goal 1.2,0.3,0,-2,0,2.3,0.8 --out path.csv --certificate proof.json[/bold], "
    "[bold]standoff plan cell.toml --start start.csv --goal elbow=1.2,wrist=0.3 --goal elbow=0.8 "
    "--joints left --smooth 2000 --picture strip.png[/bold]. "
    "Exit status: 0 solved, 1 not solved, 2 bad input."
)
def plan(
    *,
    source: CellSource,
    ends: _Ends,
    files: _Files,
    search: _Search,
    margins: _Margins,
    model: Model,
    as_json: Annotated[
        bool, option("", "Print what came of it as JSON, for machines.", "--json")
    ] = False,
    live: View = False,
    page: PageAddress,
) -> None:
    """Find a path from one configuration to another that is proved free at every instant of it."""
    from standoff.view import plan as view
    from standoff.view.words import plain

    ends.refuse_contradictions()
    if live:
        page.serving()
    effort = search.effort()
    files.refuse_unwritable(source, ends)
    wanted = ends.request(model.cell(source), margins)
    planned = view.find(
        wanted, notes, method=search.method, seed=search.seed, timeout=search.timeout,
        smoothing=effort,
    )  # fmt: skip
    said = notes if as_json else out
    written = files.write(planned, said)
    if as_json:
        print(view.as_json(planned, written))
    else:
        view.show(planned, out)
        for name, file in written.items():
            if file is not None:
                word = "proof" if name == "certificate" else name
                plain(out, f"  {word}: {file}")
    if live and planned.plan.solved:
        page.serving(said).plan(planned, source)
    if not planned.plan.solved:
        raise typer.Exit(1)
