"""Path files in and out: CSV, JSON or NumPy, checked against the cell they are for; `path_formats`
reads the formats. What `write_path` writes, `read_path` takes in again to the bit.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from standoff.cell.cell import Cell
from standoff.cell.files import write_whole
from standoff.errors import Error, PathError
from standoff.geometry.pose import Array
from standoff.geometry.regular_file import read_regular
from standoff.motion.pieces import Pieces
from standoff.names import as_path
from standoff.paths.end_stops import overruns
from standoff.paths.joints import check_limits, check_turns
from standoff.paths.joints import unwrap as unwrapped
from standoff.paths.path_formats import (
    Columns,
    PathTable,
    as_number,
    check_complete,
    find_columns,
    parse_csv,
    parse_npy,
    parse_npz,
    table_of_json,
)
from standoff.paths.strict_json import parse_json
from standoff.paths.trajectory import ONE_ROBOT, is_trajectory, joint_trajectory, read_message
from standoff.robots.joint_values import joint_rows
from standoff.robots.tree import Tree
from standoff.tolerances import ENCODER_TOLERANCE

#: Largest path file that is read, [bytes]; a million waypoints of seven joints are about 150 MB.
LARGEST_FILE = 512 * 2**20

#: Suffixes of text files.
_TEXT = (".csv", ".tsv", ".txt", ".dat")
#: Those of files that hold a trajectory of ROS, if anything.
_YAML = (".yaml", ".yml")
#: Those of files that hold waypoints, or configurations.
SUFFIXES = (*_TEXT, ".json", ".npy", ".npz")


@dataclass(frozen=True, eq=False)
class PathFile:
    """A path as a file has it, in the order of ``cell.joints``.

    Attributes:
        file: where it came from.
        waypoints: (n, joints), n >= 2, [rad or m].
        places: where each stands in the file, for messages: ``line 7``, ``points[3]``.
        times: of the waypoints, increasing, [s]; None where the path is not timed.
        motion: the curve through the waypoints at their times, where the file says more of it than
            the waypoints; None for straight lines between them.
        lines: line of each waypoint in the file, from 1; None where the format has no lines.
        notes: what the file left open, and how it was understood.
    """

    file: str
    waypoints: Array
    places: tuple[str, ...]
    times: Array | None = None
    motion: Pieces | None = None
    lines: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()


def read_path(
    file: str | Path,
    cell: Cell,
    *,
    limits: bool = True,
    unwrap: bool | None = None,
    rest: bool = False,
) -> PathFile:
    """The path in a file, for the joints of a cell; radians, metres, seconds.

    - CSV (``.csv``, ``.tsv``, ``.txt``, ``.dat``): one waypoint a line. A header names the joints,
      in any order, and maybe a ``time``; without one there are exactly the cell's joints in their
      order. Commas, semicolons, tabs or spaces; lines that start with ``#`` are comments.
    - JSON: a list of rows; ``{"joints": […], "waypoints": [[…], …], "times": […]}`` where only the
      waypoints must be there; or ``{"waypoints": [{joint: value, …}, …]}``.
    - A ROS ``JointTrajectory`` or MoveIt ``RobotTrajectory``, as JSON or YAML: with velocities it
      is the curve that its controller follows, and not the straight lines between its points.
    - NumPy: ``.npy`` of shape (n, joints); ``.npz`` with ``waypoints``, and maybe ``joints`` and
      ``times``. No pickles.

    A joint may be named without its robot where one robot alone has it.

    Args:
        limits: refuse joints beyond their limits.
        unwrap: True takes continuous joints the shorter way from waypoint to waypoint, False takes
            every angle as it stands: from 3 to -3 is 6 rad back. None takes them as they stand,
            too, but refuses a path in which a wrapped angle seems to jump.
        rest: joints that the file's columns do not name stay where the cell has them.

    Raises:
        PathError: says what is wrong, in which file, at which line or waypoint, for which joint.
    """
    path = as_path(file, "path file")
    data = _content(path, (*SUFFIXES, *_YAML), "two waypoints or more")
    tree = cell.tree
    suffix = path.suffix.lower()
    if suffix in _YAML:
        found = _trajectory(path, path, cell, unwrap, rest)
    elif suffix == ".json" and is_trajectory(content := parse_json(data, path, PathError)):
        found = _trajectory(content, path, cell, unwrap, rest)
    else:
        if suffix == ".json":
            table = table_of_json(content, path)
        else:
            table = _table(data, path, cell)
        found = _from_table(table, path, cell, rest)
    if unwrap is None:
        check_turns(found.waypoints, tree, path, found.places)
    elif unwrap and found.motion is None:
        try:
            found = replace(found, waypoints=unwrapped(cell, found.waypoints))
        except Error as error:
            raise error.at(path) from error
    if limits:
        check_limits(found.waypoints, tree, path, found.places)
        if found.motion is not None:
            _check_swings(found.motion, cell, path)
    return found


def _check_swings(motion: Pieces, cell: Cell, file: Path) -> None:
    """Refuse a motion that leaves the limits between its points, where polynomials swing out."""
    for beyond in overruns(cell, motion):
        j = cell.joints.index(beyond.joint)
        raise PathError(
            f"joint {beyond.joint!r} swings beyond its limits between two points",
            file=file, element=f"t = {beyond.time:.6g}", value=beyond.position,
            allowed=f"{cell.tree.lower[j]:g} to {cell.tree.upper[j]:g} [{cell.tree.units[j]}]; "
            "limits=False or --no-limits takes it as it is",
        )  # fmt: skip


def read_configurations(
    file: str | Path, cell: Cell, others: Array
) -> tuple[Array, tuple[str, ...], tuple[str, ...]]:
    """Configurations (n, joints), n >= 1, from a file as `read_path` takes it, without times; as
    JSON one alone, too: a list of numbers, or an object of joints and values.

    Args:
        others: what the joints that the file does not name have.

    Returns:
        The configurations, where each stands in the file, and the joints that it does not name.

    Raises:
        PathError: says what is wrong, in which file, where.
    """
    path = as_path(file, "file of configurations")
    data = _content(path, SUFFIXES, "one configuration or more")
    if path.suffix.lower() == ".json":
        content = parse_json(data, path, PathError)
        one = isinstance(content, list) and not any(isinstance(x, list | dict) for x in content)
        if one or (isinstance(content, dict) and "waypoints" not in content):
            content = [content]
        table = table_of_json(content, path)
    else:
        table = _table(data, path, cell)
    if len(table.rows) == 0:
        raise PathError("no configuration in it", file=path, allowed="one or more")
    columns = _columns(table, cell, path, True)
    if columns.time is not None or table.times is not None:
        raise PathError("a timed path", file=path, allowed="configurations, without times")
    values, _ = _numbers(table, columns, cell, path, others)
    _check_finite(values, table, cell.tree, path)
    silent = tuple(name for name, at in zip(cell.joints, columns.joints) if at is None)
    return values, tuple(table.places), silent


def _content(path: Path, suffixes: Sequence[str], wanted: str) -> bytes:
    data = read_regular(path, LARGEST_FILE, "a path file", PathError)
    if path.suffix.lower() not in suffixes:
        raise PathError(
            "unknown kind of path file", file=path, value=path.suffix.lower(),
            allowed=", ".join(suffixes),
        )  # fmt: skip
    if not data:
        raise PathError("the file is empty", file=path, allowed=wanted)
    return data


def _table(data: bytes, path: Path, cell: Cell) -> PathTable:
    """The table of a file that is not JSON."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return parse_npy(data, path)
    if suffix == ".npz":
        return parse_npz(data, path, LARGEST_FILE)
    return parse_csv(data, path, cell.joints)


def _from_table(table: PathTable, path: Path, cell: Cell, rest: bool) -> PathFile:
    """Waypoints and times, checked but for what the joints can do."""
    count = len(table.rows)
    if count == 0:
        raise PathError("no waypoints in it", file=path, allowed="two or more")
    columns = _columns(table, cell, path, rest)
    values, times = _numbers(table, columns, cell, path, cell.q)
    _check_finite(values, table, cell.tree, path)
    if count == 1:
        raise PathError(
            "one waypoint makes no path", file=path, element=table.places[0], allowed="two or more"
        )
    if times is not None:
        _check_times(times, table, path)
    notes = _resting(cell, [k for k, at in enumerate(columns.joints) if at is None])
    notes += _following(table, columns, cell, path, values)
    places = tuple(table.places)
    return PathFile(str(path), values, places, times, lines=table.lines, notes=notes)


def _trajectory(message: Any, path: Path, cell: Cell, unwrap: bool | None, rest: bool) -> PathFile:
    """A ROS trajectory: the curve, and where it is at its points."""
    try:
        names = read_message(message).joint_names
        found = cell.tree.names.find_all(names, "joint_names", beside=f"; or {ONE_ROBOT}")
        named = {joint.column for joint in found}
        if not rest:
            check_complete(cell, named, path, "joint_names")
        motion = joint_trajectory(cell, message, rest="cell", unwrap=bool(unwrap))
    except Error as error:
        raise (error if error.file else error.at(path)) from error
    notes = _resting(cell, [k for k in range(len(cell.joints)) if k not in named])
    places = tuple(f"points[{k}]" for k in range(len(motion.times)))
    return PathFile(str(path), motion.at(motion.times), places, motion.times, motion, notes=notes)


def _resting(cell: Cell, joints: Sequence[int]) -> tuple[str, ...]:
    if not joints:
        return ()
    names = ", ".join(cell.joints[k] for k in joints)
    return (f"joints that the file leaves out stay where the cell has them: {names}",)


def _following(
    table: PathTable, columns: Columns, cell: Cell, path: Path, values: Array
) -> tuple[str, ...]:
    """What to say of mimic joints that have a column: each is where its master puts it."""
    notes = []
    for at, joint in columns.mimics:
        master = cell.joints[joint.column]
        given = _column(table, path, at, f"joint {joint.name!r}")
        follows = joint.multiplier * values[:, joint.column] + joint.offset
        off = ~(np.abs(given - follows) <= ENCODER_TOLERANCE)
        if off.any():
            k = int(np.argmax(off))
            raise PathError(
                f"mimic joint {joint.name!r} does not follow {master!r}",
                file=path,
                element=table.places[k],
                value=float(given[k]),
                allowed=f"{follows[k]:.6g} within {ENCODER_TOLERANCE:g}, or no column of its own",
            )
        notes.append(f"mimic joint {joint.name} follows {master}; its column is not used")
    return tuple(notes)


def _columns(table: PathTable, cell: Cell, path: Path, rest: bool) -> Columns:
    """Which column is which joint; every row is as long as there are columns."""
    if table.names is None:
        width, said = len(cell.joints), "no header, so one a joint"
        columns = Columns(tuple(range(width)), None)
    else:
        width, said = len(table.names), f"as many as {table.header} names"
        columns = find_columns(table.names, cell, path, table.header, rest=rest)
        if columns.time is not None and table.times is not None:
            raise PathError("the times stand there twice", file=path, value=table.header)
    for row, place in zip(table.rows, table.places):
        if len(row) != width:
            names = cell.joints if table.names is None else table.names
            raise PathError(
                "wrong number of values",
                file=path,
                element=place,
                value=len(row),
                allowed=f"{width} ({said}: {', '.join(names) or 'no joints'})",
            )
    return columns


def _numbers(
    table: PathTable, columns: Columns, cell: Cell, path: Path, others: Array
) -> tuple[Array, Array | None]:
    """Waypoints in the cell's order, with ``others`` for joints without a column; and the times."""
    values = np.tile(others, (len(table.rows), 1))
    for joint, at in enumerate(columns.joints):
        if at is not None:
            values[:, joint] = _column(table, path, at, f"joint {cell.joints[joint]!r}")
    times = None
    if columns.time is not None:
        times = _column(table, path, columns.time, "time")
    elif table.times is not None:
        given = enumerate(table.times)
        times = np.array([as_number(t, path, f"times[{k}]", "time") for k, t in given])
    return values, times


def _column(table: PathTable, path: Path, at: int, what: str) -> Array:
    if isinstance(table.rows, np.ndarray):
        return np.array(table.rows[:, at])
    pairs = zip(table.rows, table.places)
    return np.array([as_number(row[at], path, place, what) for row, place in pairs])


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


#: Suffixes of path files that can be written.
WRITTEN_SUFFIXES = (".csv", ".json")


def write_path(file: str | Path, cell: Cell, waypoints: Any) -> None:
    """Write waypoints (n, joints) with the names of their joints, as CSV or JSON by the suffix; the
    file whole or not at all.

    Raises:
        PathError: another suffix, or a file that cannot be written.
        ConfigurationError: waypoints that do not fit the cell.
    """
    path = as_path(file, "path file")
    rows = joint_rows(waypoints, cell.joints, "waypoints").tolist()
    suffix = path.suffix.lower()
    if suffix == ".csv":
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(cell.joints)
        lines.writerows([[repr(value) for value in row] for row in rows])
        content = text.getvalue()
    elif suffix == ".json":
        body = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        names = json.dumps(cell.joints, ensure_ascii=False)
        content = f'{{"joints": {names},\n"waypoints": [\n{body}]}}\n'
    else:
        raise PathError(
            "no kind of path file to write",
            file=path,
            value=suffix,
            allowed=", ".join(WRITTEN_SUFFIXES),
        )
    try:
        write_whole(path, content)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise PathError(f"cannot be written: {why}", file=path) from error
