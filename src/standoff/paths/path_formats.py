"""The formats of path files, each read into a `PathTable`, whatever cell it is for; and which
column of it is which joint (`find_columns`).

- Text, one waypoint a line: commas, semicolons, tabs or spaces between the numbers.
- JSON: rows of numbers, or rows by joint name.
- NumPy: an array in ``.npy``, named arrays in ``.npz``. No pickles.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import Error, PathError
from standoff.geometry.pose import Array
from standoff.paths.strict_json import Maybe, Reader
from standoff.robots.joint_names import Found

#: As editors count lines; Python's own splitlines knows eight more ends.
_LINE_END = re.compile(r"\r\n|\r|\n")

#: A comment behind the numbers; the blank before it keeps names such as ``joint#1`` whole.
_TAIL = re.compile(r"\s+#.*$")

#: A number with a decimal comma, which only semicolons leave room for.
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")


def parse_csv(data: bytes, file: Path, joints: Sequence[str]) -> PathTable:
    """The table of a text file.

    The first line is a header where it holds no number, or names a joint. Lines that start with
    ``#`` are comments; but one right before the first numbers that names joints, as NumPy's
    ``savetxt`` writes it, is the header: to skip it could mean to mix up the joints.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PathError(
            f"not UTF-8 text: {error.reason} at byte {error.start}",
            file=file,
            allowed="a text file",
        ) from error
    lines, comment = _lines(text)
    if not lines:
        return PathTable(None, "line 1", [], [], ())
    first = _fields(*lines[0], file)
    names, header = None, "line 1"
    if _is_header(first, joints):
        names, header = _trimmed(first), f"line {lines[0][0]}"
        lines = lines[1:]
    elif comment is not None:
        said = _fields(*comment, file)
        if len(said) == len(first) and _known(said, joints):
            names, header = said, f"line {comment[0]}"
    expected = len(names) if names is not None else len(joints)
    mark = _delimiter(lines[0][1]) if lines else ","
    rows = [_split(line, mark, number, file) for number, line in lines]
    rows = [row[:-1] if len(row) == expected + 1 and not row[-1] else row for row in rows]
    numbers = tuple(number for number, _ in lines)
    return PathTable(names, header, rows, [f"line {n}" for n in numbers], numbers)


def _lines(text: str) -> tuple[list[tuple[int, str]], tuple[int, str] | None]:
    """The lines with something in them, and the last comment before the first of these; each with
    its number."""
    comment: tuple[int, str] | None = None
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(_LINE_END.split(text), 1):
        bare = line.strip()
        if bare.startswith("#"):
            comment = comment if lines else (number, bare.lstrip("# \t"))
        elif bare:
            lines.append((number, _TAIL.sub("", line)))
    return lines, comment


def _delimiter(line: str) -> str:
    """What stands between the fields of a line; a blank stands for any run of white space."""
    return next((mark for mark in ";,\t" if mark in line), " ")


def _fields(number: int, line: str, file: Path) -> list[str]:
    """The fields of a line that stands for itself, such as the header."""
    return _split(line, _delimiter(line), number, file)


def _split(line: str, mark: str, number: int, file: Path) -> list[str]:
    if mark == " ":
        return line.split()
    try:
        fields = next(csv.reader([line], delimiter=mark, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise PathError(
            f"not a line of a table: {error}", file=file, element=f"line {number}", value=line
        ) from error
    fields = [field.strip() for field in fields]
    if mark == ";":
        fields = [f.replace(",", ".") if _DECIMAL_COMMA.fullmatch(f) else f for f in fields]
    return fields


def _is_header(fields: Sequence[str], joints: Sequence[str]) -> bool:
    return not any(map(is_number, fields)) or _known(fields, joints)


def _known(fields: Sequence[str], joints: Sequence[str]) -> bool:
    """Whether one of the fields is the name of a joint, or of the time."""
    names = {*joints, *(joint.partition("/")[2] for joint in joints), *TIMES}
    return any(re.split(r"\s*[\[(]", field)[0] in names or field in names for field in fields)


def _trimmed(fields: list[str]) -> list[str]:
    """Without the empty field behind a mark at the end of the line."""
    return fields[:-1] if fields and not fields[-1] else fields


_FORMS = (
    "a list of rows, {'joints': […], 'waypoints': [[…], …], 'times': […]}, "
    "{'waypoints': [{joint: value, …}, …]}, or a ROS JointTrajectory"
)

#: A path that is written as an object.
_OBJECT = {"joints": Maybe([str]), "waypoints": [object], "times": Maybe([object])}


def table_of_json(content: Any, file: Path) -> PathTable:
    """The table of a path in one of the plain forms."""
    if not isinstance(content, list | dict):
        raise PathError("not a path", file=file, value=content, allowed=_FORMS)
    reader, where = Reader(file, PathError), "waypoints"
    if isinstance(content, list):
        content, where = {"waypoints": content}, ""
    table = reader.read(content, _OBJECT)
    rows, times, names = table["waypoints"], table["times"], table["joints"]
    if times is not None and len(times) != len(rows):
        raise PathError(
            "as many times as waypoints are wanted", file=file, element="times", value=times,
            allowed=f"a list of {len(rows)} numbers [s]",
        )  # fmt: skip
    places = [f"{where}[{k}]" for k in range(len(rows))]
    if rows and all(isinstance(row, dict) for row in rows):
        if names is not None:
            raise PathError(
                "joints are named twice", file=file, element="joints", allowed="left out here"
            )
        names, rows = _by_name(rows, file, places)
        return PathTable(names, places[0], rows, places, times=times)
    rows = reader.read(rows, [[object]], (where,) if where else ())
    return PathTable(names, "joints", rows, places, times=times)


def _by_name(
    rows: list[dict[str, Any]], file: Path, places: Sequence[str]
) -> tuple[list[str], list[list[Any]]]:
    """Names and rows of waypoints that are objects; all of them have the keys of the first."""
    names = list(rows[0])
    for row, place in zip(rows, places):
        if row.keys() != rows[0].keys():
            raise PathError(
                "not the joints of the first waypoint",
                file=file,
                element=place,
                value=sorted(row.keys() ^ rows[0].keys()),
                allowed=", ".join(map(repr, names)),
            )
    return names, [[row[name] for name in names] for row in rows]


#: Arrays of an ``.npz``; all but the first may be left out.
ARRAY_KEYS = ("waypoints", "joints", "times")


def parse_npy(data: bytes, file: Path) -> PathTable:
    """The table of an array (waypoints, joints) in the cell's order."""
    return _table(_load(data, file), None, None, file)


def parse_npz(data: bytes, file: Path, limit: int) -> PathTable:
    """The table of ``waypoints``, with the names in ``joints`` and the ``times`` where they are
    there; unpacked they hold at most ``limit`` bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            for name in members:
                if name not in ARRAY_KEYS:
                    raise PathError(
                        "unknown array", file=file, value=name, allowed=", ".join(ARRAY_KEYS)
                    )
            if "waypoints" not in members:
                raise PathError(
                    "no waypoints", file=file, value=list(members), allowed="an array 'waypoints'"
                )
            if sum(info.file_size for info in members.values()) > limit:
                raise PathError("too large unpacked", file=file, allowed=f"at most {limit} bytes")
            loaded = {n: _load(archive.read(i), file, n) for n, i in members.items()}
    except PathError:
        raise
    except Exception as error:  # what zipfile, and the decompressors behind it, make of damage
        raise PathError(f"not an .npz file: {error}", file=file) from error
    names = None
    if "joints" in loaded:
        if loaded["joints"].dtype.kind != "U" or loaded["joints"].ndim != 1:
            raise PathError(
                "not a list of names",
                file=file,
                element="joints",
                value=f"{loaded['joints'].dtype}, {loaded['joints'].shape}",
                allowed="an array of texts",
            )
        names = [str(name) for name in loaded["joints"]]
    return _table(loaded["waypoints"], names, loaded.get("times"), file)


def _load(data: bytes, file: Path, name: str | None = None) -> Any:
    try:
        return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception as error:  # what numpy makes of bytes that are no array, and of huge shapes
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PathError(
            f"not an array that can be read: {reason}", file=file, element=name
        ) from error


def _table(rows: Any, names: list[str] | None, times: Any, file: Path) -> PathTable:
    for array, name, wanted in ((rows, "waypoints", 2), (times, "times", 1)):
        if array is None:
            continue
        if array.dtype.kind not in "iuf":
            raise PathError(
                "not numbers", file=file, element=name, value=str(array.dtype), allowed="float64"
            )
        if array.ndim != wanted:
            shape = "(waypoints, joints)" if wanted == 2 else "(waypoints,)"
            raise PathError(
                "wrong shape", file=file, element=name, value=array.shape, allowed=shape
            )
    if times is not None and len(times) != len(rows):
        raise PathError(
            "as many times as waypoints are wanted",
            file=file,
            element="times",
            value=len(times),
            allowed=str(len(rows)),
        )
    places = [f"waypoints[{k}]" for k in range(len(rows))]
    return PathTable(names, "joints", rows.astype(np.float64), places, times=times)


#: A number as files write it; Python itself would also take 1_000 and the digits of other scripts.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.A | re.I)


@dataclass(frozen=True, eq=False)
class PathTable:
    """The content of a path file, unchecked but for its outer form.

    Attributes:
        names: of the columns; None where the file names none.
        header: where the names stand, for messages.
        rows: one a waypoint, of texts or numbers, or an array.
        places: where each row stands, for messages: ``line 7``, ``waypoints[3]``.
        lines: number of the line of each row, from 1; None where the format has no lines.
        times: one a row, where they stand apart from the rows, [s].
    """

    names: Sequence[str] | None
    header: str
    rows: Sequence[Sequence[Any]] | Array
    places: Sequence[str]
    lines: tuple[int, ...] | None = None
    times: Sequence[Any] | None = None


def is_number(text: str) -> bool:
    """Whether a text is a number as files write it; ``nan`` and ``inf`` count."""
    return _NUMBER.fullmatch(text) is not None


def as_number(value: Any, file: Path, place: str, what: str) -> float:
    """A number, finite or not; ``place`` and ``what`` say where it stands."""
    element = f"{place}, {what}"
    if isinstance(value, str):
        text = value.strip()
        if not text:
            raise PathError("no number", file=file, element=element, allowed="a number")
        if is_number(text):
            return float(text)
    elif isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, complex)):
        try:
            return float(value)
        except (OverflowError, TypeError, ValueError):
            pass
    raise PathError("not a number", file=file, element=element, value=value, allowed="a number")


#: How the column of times may be called, where no joint is called so.
TIMES = ("time", "t", "time_from_start")

#: A unit behind a name: ``elbow [rad]``.
_UNIT = re.compile(r"\s*[\[(]\s*([^\])]*?)\s*[\])]$")


@dataclass(frozen=True)
class Columns:
    """The place among the columns of a file of each joint, in the cell's order, None for those that
    rest; of the time, None where there is none; and of mimic joints, which follow others."""

    joints: tuple[int | None, ...]
    time: int | None
    mimics: tuple[tuple[int, Found], ...] = ()


def find_columns(
    names: Sequence[str], cell: Cell, file: Path, header: str, *, rest: bool = False
) -> Columns:
    """Match names to joints: ``left/elbow``, or ``elbow`` where one robot alone has such a joint,
    in any order; a unit may follow in brackets.

    Raises:
        PathError: a name nobody bears, one that several joints bear, a joint twice or (unless it
            may ``rest``) not at all, a unit other than radians, metres and seconds.
    """
    tree = cell.tree
    found: dict[int, int] = {}
    mimics: dict[str, tuple[int, Found]] = {}
    time: int | None = None
    for column, written in enumerate(names):
        place = f"{header}, column {column + 1}"
        joint, unit = _match(written, cell, file, place)
        wanted = "s" if joint is None else tree.units[joint.column]
        if unit is not None and unit != wanted:
            raise PathError(
                f"a unit that is not read, of {written!r}",
                file=file,
                element=place,
                value=unit,
                allowed=wanted,
            )
        before = time
        if joint is not None:
            other = mimics.get(joint.name, (None,))[0]
            before = other if joint.mimic else found.get(joint.column)
        if before is not None:
            what = "the time" if joint is None else f"joint {joint.name!r}"
            raise PathError(
                f"two columns for {what}",
                file=file,
                element=header,
                value=[names[before], written],
                allowed=f"one of columns {before + 1} and {column + 1}",
            )
        if joint is None:
            time = column
        elif joint.mimic:
            mimics[joint.name] = column, joint
        else:
            found[joint.column] = column
    if not rest:
        check_complete(cell, found, file, header)
    joints = tuple(found.get(k) for k in range(len(tree.joints)))
    return Columns(joints, time, tuple(mimics.values()))


def check_complete(cell: Cell, named: Container[int], file: Path, element: str) -> None:
    """Refuse joints whose numbers are not among those ``named``."""
    missing = [repr(name) for k, name in enumerate(cell.joints) if k not in named]
    if missing:
        raise PathError(
            f"nothing for {'joint' if len(missing) == 1 else 'joints'} {', '.join(missing)}",
            file=file,
            element=element,
            allowed=(
                f"all {len(cell.joints)} joints, in any order; rest=True or --rest leaves the "
                "others where the cell has them"
            ),
        )


def _match(written: str, cell: Cell, file: Path, place: str) -> tuple[Found | None, str | None]:
    """The joint, None for the time; and the unit, None where none is written."""
    name, unit = written.strip(), None
    names = cell.tree.names
    if not names.could_be(name) and (bracket := _UNIT.search(name)):
        name, unit = name[: bracket.start()], bracket[1]
    if not names.could_be(name) and name.lower() in TIMES:
        return None, unit
    try:
        found = names.find(name, place)
    except Error as error:
        raise PathError(
            error.problem, file=file, element=place, value=written, allowed=error.allowed
        ) from error
    return found, unit
