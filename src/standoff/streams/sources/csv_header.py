"""The header of a table of readings: which column is what.

| column | is |
|---|---|
| ``time``, ``t``, ``timestamp``, ``__time`` | the clock of the recording, [s] |
| ``stamp`` | when the reading was taken, [s]; that of ``time`` where there is none |
| ``velocity:elbow`` | the velocity of a joint |
| ``pose:cart.x`` … ``.y``, ``.z``, ``.qw``, ``.qx``, ``.qy``, ``.qz`` | the pose of a body |
| ``attach`` | ``box > left/hand``: the link takes the body |
| ``detach`` | ``box``: it is let go |
| any other | the position of the joint of this name |

A unit may follow in brackets, ``elbow [rad]``; only rad, m and s are read. Others stay out of the
header, and the cell file says that the stream has degrees or millimetres: converted here, too, they
would be converted twice.

A line that begins with # is a comment, unless it has a column of times: NumPy writes headers so.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import Final

from standoff.streams.limits import MAX_STREAM_NAMES
from standoff.streams.wire import GarbledError, checked_names

TIMES: Final = ("time", "t", "timestamp", "__time")
PARTS: Final = ("x", "y", "z", "qw", "qx", "qy", "qz")
UNIT: Final = re.compile(r"\s*[\[(]\s*([^\])]*?)\s*[\])]$")
_UNITS: Final = ("rad", "m", "s", "rad/s", "m/s", "")
MARKS: Final = (",", ";", "\t")


@dataclass(frozen=True)
class Header:
    """Attributes:
    mark: what stands between the fields.
    width: how many there are.
    time, stamp, attach, detach: columns, -1 where there is none.
    joints: the names of joints and the column of each.
    velocities: the columns of the velocities of the joints that have one.
    poses: the seven columns of each body.
    names: of all columns but that of the times.
    """

    mark: str
    width: int
    time: int
    stamp: int
    attach: int
    detach: int
    joints: dict[str, int]
    velocities: dict[str, int]
    poses: dict[str, tuple[int, ...]]
    names: frozenset[str]


def found_header(line: bytes, timed: bool) -> Header | None:
    """As `read_header`; None for an empty line and for a comment."""
    if not line.strip(b" \t,;"):
        return None
    if not line.lstrip().startswith(b"#"):
        return read_header(line, timed)
    try:
        return read_header(line, timed=True)
    except GarbledError:
        return None


def read_header(line: bytes, timed: bool) -> Header:
    """The columns of a header line.

    Args:
        timed: whether a column of times must be there.

    Raises:
        GarbledError: it is none, and why.
    """
    mark, names = _column_names(line)
    columns = {name: k for k, name in enumerate(names)}
    time = _one_of(TIMES, columns)
    others = frozenset(columns)
    stamp, attach, detach = (columns.pop(key, -1) for key in ("stamp", "attach", "detach"))
    if timed and time < 0:
        raise GarbledError(
            f"no column of times among {', '.join(names)[:200]}; allowed: one of {', '.join(TIMES)}"
        )
    velocities = _taken_out("velocity:", columns)
    poses = _poses(_taken_out("pose:", columns))
    if velocities and velocities.keys() != columns.keys():
        odd = sorted(velocities.keys() ^ columns.keys())
        raise GarbledError(f"velocities are not of the same joints: {', '.join(odd)[:200]}")
    if not columns and not poses and attach < 0 and detach < 0:
        raise GarbledError(f"no joint among the columns {', '.join(names)[:200]!r}")
    return Header(
        mark, len(names), time, stamp, attach, detach, columns,
        {name: velocities[name] for name in columns} if velocities else {}, poses,
        others,
    )  # fmt: skip


def _column_names(line: bytes) -> tuple[str, list[str]]:
    """What stands between the columns, and their names without units."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GarbledError(f"not UTF-8: {error.reason} at byte {error.start}") from error
    text = text.lstrip("# ")  # as NumPy writes a header
    mark = max(MARKS, key=text.count)
    fields = split(text, mark)
    if any(is_number(field) for field in fields):
        raise GarbledError(f"no header: {text[:60]!r}; allowed: time and the names of the joints")
    if len(fields) > 4 * MAX_STREAM_NAMES:
        raise GarbledError(f"{len(fields)} columns; at most {4 * MAX_STREAM_NAMES} are read")
    names = [_plain(field) for field in fields]
    while names and not names[-1]:
        names.pop()
    if "" in names:
        raise GarbledError(f"column {names.index('') + 1} of the header has no name")
    checked_names(tuple(names))
    return mark, names


def split(text: str, mark: str) -> list[str]:
    """The fields of a line; those in quotes may hold the mark."""
    try:
        row = next(csv.reader([text], delimiter=mark, skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise GarbledError(f"not a line of a table: {error}") from error
    return [field.strip() for field in row]


def _one_of(keys: tuple[str, ...], columns: dict[str, int]) -> int:
    """The column of the first of the keys that is there, taken out."""
    for key in keys:
        for name in columns:
            if name.lower() == key:
                return columns.pop(name)
    return -1


def _taken_out(prefix: str, columns: dict[str, int]) -> dict[str, int]:
    """The columns with such names, without the prefix, taken out."""
    names = [name for name in columns if name.startswith(prefix)]
    return {name.removeprefix(prefix): columns.pop(name) for name in names}


def _plain(field: str) -> str:
    """A name without the unit behind it."""
    found = UNIT.search(field)
    if found is None:
        return field
    if found[1] not in _UNITS:
        name = field[: found.start()]
        how = f"{name[:60]!r} without a unit, and a [[stream]] of the cell file with "
        how += 'angles = "deg" or lengths = "mm"'
        if name.lower() in (*TIMES, "stamp"):
            how = "a column of seconds"
        raise GarbledError(
            f"unit {found[1][:20]!r} of {field[:60]!r} is not read; allowed: rad, m and s; or {how}"
        )
    return field[: found.start()]


def _poses(columns: dict[str, int]) -> dict[str, tuple[int, ...]]:
    found: dict[str, dict[str, int]] = {}
    for name, column in columns.items():
        body, _, part = name.rpartition(".")
        if not body or part not in PARTS:
            raise GarbledError(
                f"{'pose:' + name!r} is no column of a pose; allowed: pose:BODY.x … .qz"
            )
        found.setdefault(body, {})[part] = column
    for body, parts in found.items():
        if len(parts) < len(PARTS):
            missing = ", ".join(f"pose:{body}.{part}" for part in PARTS if part not in parts)
            raise GarbledError(f"no column {missing}")
    return {body: tuple(parts[part] for part in PARTS) for body, parts in found.items()}


def is_number(text: str) -> bool:
    """Whether it is one, with a point or a comma."""
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True
