"""``standoff check``."""

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

if TYPE_CHECKING:
    from standoff.cell.cell import Cell
    from standoff.paths.path_file import PathFile
    from standoff.paths.profile import Profile
    from standoff.view.check import Checked


@dataclass(frozen=True)
class _Asked:
    """What is to be certified of the path."""

    clearance: Clearance = 0.0
    tolerance: Tolerance = 0.001
    deviation: Annotated[
        float, option("RAD", "Certify all motions within this of the path, each joint.")
    ] = 0.0
    first: Annotated[bool, option("", "Find the earliest contact, and not any.", "--first")] = False


@dataclass(frozen=True)
class _Files:
    """What is written besides the verdict."""

    certificate: Certificate = None
    plot: Annotated[Path | None, option("FILE.png", "Draw the clearance along the path.")] = None
    picture: Annotated[Path | None, option("FILE.png", "Draw the motion, as a strip of poses.")] = (
        None
    )

    def refuse_unwritable(self, source: str, path: Path) -> None:
        """Before any work is done for them."""
        from standoff.view.files import check_distinct, check_png, check_writable

        check_png(self.plot)
        check_writable(self.certificate)
        check_png(self.picture)
        check_distinct((self.plot, self.picture, self.certificate), (source, path))

    def write(self, checked: Checked, said: Console) -> tuple[dict[str, Path], Profile | None]:
        """What was written, by what it is, and what was sampled for the plot."""
        from standoff.view.check import save_path_plot, save_path_strip
        from standoff.view.files import save_certificate

        written: dict[str, Path] = {}
        seen = None if self.plot is None else save_path_plot(checked, self.plot, said, notes)
        if self.plot is not None and seen is not None:
            written["plot"] = self.plot
        if self.picture is not None and save_path_strip(checked, self.picture, said, notes):
            written["picture"] = self.picture
        if self.certificate is not None:
            save_certificate(checked.verdict, checked.cell, self.certificate, notes)
            undecided = checked.verdict.kind == "undecided"
            written["undecided, so no proof" if undecided else "proof"] = self.certificate
        return written, seen


@dataclass(frozen=True)
class _Reading:
    """How the file is read."""

    no_limits: Annotated[
        bool, option("", "Take joints beyond their limits as they are.", "--no-limits")
    ] = False
    unwrap: Annotated[
        bool | None,
        option(
            "",
            "Continuous joints go the shorter way from waypoint to waypoint, or as written; "
            "without a word on it a jump by more than half a turn is an error.",
        ),
    ] = None
    rest: Annotated[
        bool, option("", "Joints not in the file stay where the cell has them.", "--rest")
    ] = False

    def path(self, file: Path, cell: Cell) -> PathFile:
        """The path of a file for a cell."""
        from standoff.paths.path_file import read_path

        limits = not self.no_limits
        return read_path(file, cell, limits=limits, unwrap=self.unwrap, rest=self.rest)


@command(
    epilog="Example: [bold]standoff check cells/two_arms.toml path.csv --plot clearance.png[/bold],"
    " [bold]standoff check builtin:panda path.json --clearance 0.01 --first[/bold]. "
    "Exit status: 0 free, 1 not free, 2 bad input."
)
def check(
    *,
    source: CellSource,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="The path: CSV (.csv, .tsv, .txt, .dat), .json, .npy or .npz; radians and metres.",
        ),
    ],
    asked: _Asked,
    files: _Files,
    budget: Annotated[
        int | None,
        option(
            "N",
            "Give up, undecided, after so many distances; by default 1,000,000, or 20,000 a "
            "segment where that is more.",
        ),
    ] = None,
    reading: _Reading,
    model: Model,
    as_json: Annotated[
        bool, option("", "Print the verdict as JSON, for machines.", "--json")
    ] = False,
    live: View = False,
    page: PageAddress,
) -> None:
    """Prove that a path is free at every instant of it, or show where it is not."""
    from standoff.view import check as view
    from standoff.view.files import check_order
    from standoff.view.words import plain

    if live:
        page.serving()
    files.refuse_unwritable(source, file)
    check_order(source, file)
    cell = model.cell(source)
    path = reading.path(file, cell)
    checked = view.check(cell, path, notes, budget=budget, **vars(asked))
    # Machines get nothing but the verdict on stdout.
    said = notes if as_json else out
    written, seen = files.write(checked, said)
    if as_json:
        print(view.as_json(checked))
    else:
        view.show(checked, out, view.seen(checked, notes) if seen is None else seen)
        for name, target in written.items():
            plain(out, f"  {name}: {target}")
    if live:
        page.serving(said).path(checked, source)
    if not checked.verdict.free:
        raise typer.Exit(1)
