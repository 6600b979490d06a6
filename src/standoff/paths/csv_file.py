"""Paths as text, one waypoint a line: commas, semicolons, tabs or spaces between the numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from standoff.errors import PathError
from standoff.paths.columns import TIMES
from standoff.paths.file_table import PathTable, is_number

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
    comment: tuple[int, str] | None = None
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(_LINE_END.split(text), 1):
        bare = line.strip()
        if bare.startswith("#"):
            comment = comment if lines else (number, bare.lstrip("# \t"))
        elif bare:
            lines.append((number, _TAIL.sub("", line)))
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
