"""Cells as one names them on the command line."""

from __future__ import annotations

import warnings
from pathlib import Path

from standoff.cell import Cell
from standoff.cell.shipped import shipped_cell
from standoff.errors import CellError
from standoff.paths.path_file import SUFFIXES
from standoff.robots.mounted import BUILTIN

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
        return told(Cell.load(shipped_cell(source) if shipped else source))
    cell = Cell("allow" if unwatched else "refuse")
    cell.add_robot(
        source,
        srdf=srdf,
        geometry=geometry,  # type: ignore[arg-type]
        capsules_per_link=capsules_per_link,
        search_paths=search_path or (),
    )
    return told(cell)


def told(cell: Cell) -> Cell:
    """The cell, with a warning where meshes of it count as solid although they are open."""
    if cell.open_meshes:
        names = ", ".join(cell.open_meshes)
        warnings.warn(
            f"open meshes count as solid where their winding number is at least 1/2: {names}; "
            "close them, or see sheet=True",
            stacklevel=2,
        )
    return cell
