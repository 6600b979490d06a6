"""Path files in: CSV, JSON or NumPy, checked against the cell they are for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from standoff.cell import Cell
from standoff.cell.names import as_path
from standoff.errors import PathError
from standoff.paths.columns import Columns, find_columns
from standoff.paths.csv_file import parse_csv
from standoff.paths.joint_range import check_limits, unwrapped
from standoff.paths.json_file import is_trajectory, parse_json, table_of_json
from standoff.paths.numpy_file import parse_npy, parse_npz
from standoff.paths.table import PathTable, as_number
from standoff.robots.tree import Tree
from standoff.shapes.pose import Array
from standoff.shapes.regular_file import read_regular

#: Largest path file that is read, [bytes]; a million waypoints of seven joints are about 150 MB.
LARGEST_FILE = 512 * 2**20

#: Suffixes of text files.
_TEXT = (".csv", ".tsv", ".txt", ".dat")
_SUFFIXES = (*_TEXT, ".json", ".npy", ".npz")


@dataclass(frozen=True, eq=False)
class PathFile:
    """A path as a file has it, in the order of ``cell.joints``.

    Attributes:
        file: where it came from.
        waypoints: (n, joints), n >= 2, [rad or m].
        times: of the waypoints, increasing, [s]; None where the path is not timed.
        motion: the curve through the waypoints at their times, where the file says more of it than
            the waypoints; None for straight lines between them.
        lines: line of each waypoint in the file, from 1; None where the format has no lines.
        notes: what the file left open, and how it was understood.
    """

    file: str
    waypoints: Array
    times: Array | None = None
    motion: Any = None
    lines: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()


def read_path(
    file: str | Path,
    cell: Cell,
    *,
    limits: bool = True,
    unwrap: bool = True,
    rest: bool = False,
) -> PathFile:
    """The path in a file, for the joints of a cell; radians, metres, seconds.

    - CSV (``.csv``, ``.tsv``, ``.txt``, ``.dat``): one waypoint a line. A header names the joints,
      in any order, and maybe a ``time``; without one there are exactly the cell's joints in their
      order. Commas, semicolons, tabs or spaces; lines that start with ``#`` are comments.
    - JSON: a list of rows; ``{"joints": […], "waypoints": [[…], …], "times": […]}`` where only the
      waypoints must be there; or ``{"waypoints": [{joint: value, …}, …]}``.
    - NumPy: ``.npy`` of shape (n, joints); ``.npz`` with ``waypoints``, and maybe ``joints`` and
      ``times``. No pickles.

    A joint may be named without its robot where one robot alone has it.

    Args:
        limits: refuse joints beyond their limits.
        unwrap: where all angles of a continuous joint lie within one turn and it jumps by more
            than half of it, it passed the end of the scale: it is read as going the shorter way,
            and a note says so. Otherwise it is taken to turn all the way back.
        rest: joints that the file's columns do not name stay where the cell has them.

    Raises:
        PathError: says what is wrong, in which file, at which line or waypoint, for which joint.
    """
    path = as_path(file, "path file")
    data = read_regular(path, LARGEST_FILE, "a path file", PathError)
    tree = cell.tree
    table = _parse(path, data, tree)
    count = len(table.rows)
    if count == 0:
        raise PathError("no waypoints in it", file=path, allowed="two or more")
    columns = _columns(table, tree, path, rest)
    values, times = _numbers(table, columns, cell, path)
    _check_finite(values, table, tree, path)
    if count == 1:
        raise PathError(
            "one waypoint makes no path", file=path, element=table.places[0], allowed="two or more"
        )
    if times is not None:
        _check_times(times, table, path)
    notes = _resting(columns, cell)
    if unwrap:
        values, turned = unwrapped(values, tree)
        notes += turned
    if limits:
        check_limits(values, tree, path, table.places)
    return PathFile(str(path), values, times, lines=table.lines, notes=notes)


def _parse(path: Path, data: bytes, tree: Tree) -> PathTable:
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise PathError(
            "unknown kind of path file", file=path, value=suffix, allowed=", ".join(_SUFFIXES)
        )
    if not data:
        raise PathError("the file is empty", file=path, allowed="two waypoints or more")
    if suffix == ".npy":
        return parse_npy(data, path)
    if suffix == ".npz":
        return parse_npz(data, path, LARGEST_FILE)
    if suffix == ".json":
        content = parse_json(data, path)
        if is_trajectory(content):
            raise PathError("a trajectory", file=path)
        return table_of_json(content, path)
    return parse_csv(data, path, tree.joints)


def _resting(columns: Columns, cell: Cell) -> tuple[str, ...]:
    names = [n for n, column in zip(cell.joints, columns.joints) if column is None]
    if not names:
        return ()
    return (f"joints that the file leaves out stay where the cell has them: {', '.join(names)}",)


def _columns(table: PathTable, tree: Tree, path: Path, rest: bool) -> Columns:
    """Which column is which joint; every row is as long as there are columns."""
    if table.names is None:
        width, said = len(tree.joints), "no header, so one a joint"
        columns = Columns(tuple(range(width)), None)
    else:
        width, said = len(table.names), f"as many as {table.header} names"
        columns = find_columns(table.names, tree, path, table.header, rest=rest)
        if columns.time is not None and table.times is not None:
            raise PathError("the times stand there twice", file=path, value=table.header)
    for row, place in zip(table.rows, table.places):
        if len(row) != width:
            names = tree.joints if table.names is None else table.names
            raise PathError(
                "wrong number of values",
                file=path,
                element=place,
                value=len(row),
                allowed=f"{width} ({said}: {', '.join(names) or 'no joints'})",
            )
    return columns


def _numbers(
    table: PathTable, columns: Columns, cell: Cell, path: Path
) -> tuple[Array, Array | None]:
    """Waypoints in the cell's order, and the times."""

    def column(at: int, what: str) -> Array:
        if isinstance(table.rows, np.ndarray):
            return np.array(table.rows[:, at])
        pairs = zip(table.rows, table.places)
        return np.array([as_number(row[at], path, place, what) for row, place in pairs])

    values = np.tile(cell.q, (len(table.rows), 1))
    for joint, at in enumerate(columns.joints):
        if at is not None:
            values[:, joint] = column(at, f"joint {cell.joints[joint]!r}")
    times = None
    if columns.time is not None:
        times = column(columns.time, "time")
    elif table.times is not None:
        given = enumerate(table.times)
        times = np.array([as_number(t, path, f"times[{k}]", "time") for k, t in given])
    return values, times


def _check_finite(values: Array, table: PathTable, tree: Tree, path: Path) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, joint = bad[0]
        raise PathError(
            f"joint {tree.joints[joint]!r} is not finite",
            file=path,
            element=table.places[row],
            value=float(values[row, joint]),
            allowed=f"a finite number [{tree.units[joint]}]",
        )


def _check_times(times: Array, table: PathTable, path: Path) -> None:
    for k, time in enumerate(times.tolist()):
        if not np.isfinite(time):
            raise PathError(
                "the time is not finite", file=path, element=table.places[k], value=time
            )
        if k and not time > times[k - 1]:
            raise PathError(
                "times do not increase",
                file=path,
                element=table.places[k],
                value=time,
                allowed=f"more than {times[k - 1]:g} [s], the time of the waypoint before",
            )
