"""Cells as one names them on the command line; files to be written, refused before the work."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from standoff.cell.cell import Cell
from standoff.cell.shipped import shipped_cell
from standoff.errors import CellError, Error, reason_of
from standoff.paths.path_file import SUFFIXES
from standoff.paths.verdict import Verdict
from standoff.robots.mounted import BUILTIN
from standoff.view.progress import announced, waiting

#: How the files of cells, and of robots alone, end.
_CELLS = (".toml", ".urdf", ".xacro")


def check_order(source: str, file: Path) -> None:
    """Refuse a path in the place of the cell and a cell in that of the path."""
    other = str(file)
    swapped = Path(source).suffix.lower() in SUFFIXES
    if swapped and (file.suffix.lower() in _CELLS or other.startswith(BUILTIN)):
        raise CellError(
            "the cell and the path seem to be swapped",
            value=f"{source} {other}",
            allowed=f"CELL PATH: {other} {source}",
        )


def open_cell(
    source: str,
    srdf: Path | None = None,
    geometry: str = "auto",
    capsules_per_link: int = 2,
    search_path: list[Path] | None = None,
    unwatched: bool = False,
) -> Cell:
    """The cell of a file, one that ships with Standoff, or a robot alone."""
    options = {
        "--srdf": (srdf, None),
        "--geometry": (geometry, "auto"),
        "--capsules-per-link": (capsules_per_link, 2),
        "--search-path": (search_path, None),
        "--unwatched": (unwatched, False),
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
        return warn_open_meshes(Cell.load(shipped_cell(source) if shipped else source))
    cell = Cell("allow" if unwatched else "refuse")
    cell.add_robot(
        source,
        srdf=srdf,
        geometry=geometry,  # type: ignore[arg-type]
        capsules_per_link=capsules_per_link,
        search_paths=search_path or (),
    )
    return warn_open_meshes(cell)


def warn_open_meshes(cell: Cell) -> Cell:
    """The cell, with a warning where meshes of it count as solid although they are open."""
    if cell.open_meshes:
        names = ", ".join(cell.open_meshes)
        warnings.warn(
            f"open meshes count as solid where their winding number is at least 1/2: {names}; "
            "close them, or see sheet=True",
            stacklevel=2,
        )
    return cell


def check_writable(path: Path | None, *suffixes: str, what: str = "") -> None:
    """Make the folder where it is missing; ``suffixes`` are those allowed, if not all are. None is
    a file that nobody wants."""
    if path is None:
        return
    kind = f"a {' or '.join(suffixes)}" if suffixes else "a file"
    allowed = f"{kind} in a folder that can be written to"
    problem = f"cannot write {what} there" if what else "cannot write there"
    make_folder(path.parent, problem, path, allowed)
    wrong = suffixes and path.suffix.lower() not in suffixes
    shut = not os.access(path if path.exists() else path.parent, os.W_OK)
    if wrong or path.is_dir() or shut:
        raise Error(problem, value=str(path), allowed=allowed)


def make_folder(folder: Path, problem: str, path: Path, allowed: str) -> None:
    """A folder for ``path``, or one line on why there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"{problem}: {reason_of(error)}"
        raise Error(why, value=str(path), allowed=allowed) from error


def save_certificate(verdict: Verdict, cell: Cell, path: Path, notes: Console) -> None:
    """Write the proof with its cell, under a bar where it takes long."""
    with announced(notes), waiting(notes, "Writing the proof"):
        verdict.certificate().save(path, cell)


def check_png(path: Path | None) -> None:
    """A plot or a picture."""
    check_writable(path, ".png", what="a plot")


def check_distinct(targets: Iterable[Path | None], sources: Iterable[str | Path | None]) -> None:
    """Refuse a target that is an input, or another target."""
    read = {_identity(Path(source)) for source in sources if source is not None}
    written = set()
    for target in targets:
        if target is None:
            continue
        if _identity(target) in read:
            raise Error("would write over its own input", value=str(target), allowed="another file")
        if _identity(target) in written:
            raise Error("two things in one file", value=str(target), allowed="a file for each")
        written.add(_identity(target))


def _identity(path: Path) -> tuple[int, int] | Path:
    """The same for all names of one file, whatever links lead to it."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return path.absolute() if "\0" in str(path) else path.resolve()
    return found.st_dev, found.st_ino
