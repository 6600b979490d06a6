"""Readings as a table: a header, then one row for each instant.

`docs/streams.md` has the columns. Units of joints other than rad and m are refused: the
cell file says that a stream has degrees or millimetres, and converted here, too, they would be
converted twice. Times may be in ms, us or ns, where their column or the option ``time`` says so,
and in ISO 8601.

A header may stand in the middle of a table: a logger was started again, files were joined. Whatever
follows it is in its columns, so a row that may be one is not a bad row like others: under the
header of before, values would go to other joints than theirs.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from standoff.errors import Error, StreamError, reason_of
from standoff.geometry.pose import pose_of
from standoff.streams.limits import MAX_STREAM_NAMES, TIME_LIMIT
from standoff.streams.messages import BodyPose, Grasp, Joints, Message, as_stamp
from standoff.streams.sources.lines import BOM, LineFile, LinePipe, bounded_lines
from standoff.streams.times import OtherUnitError, in_seconds, named_unit, of_text
from standoff.streams.wire import GarbledError, checked_names
from standoff.units import PER_SECOND

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
    units: of the columns ``time`` and ``stamp``, where their names say one.
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
    units: dict[str, str]


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
    mark, names, units = _column_names(line)
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
        others, units,
    )  # fmt: skip


def _column_names(line: bytes) -> tuple[str, list[str], dict[str, str]]:
    """What stands between the columns, their names without units, and the units of times: that of
    ``stamp`` under its name, that of any other under ``time``."""
    text = _text(line).lstrip("# ")  # as NumPy writes a header
    mark = max(MARKS, key=text.count)
    fields = split(text, mark)
    if any(is_number(field) for field in fields):
        raise GarbledError(f"no header: {text[:60]!r}; allowed: time and the names of the joints")
    if len(fields) > 4 * MAX_STREAM_NAMES:
        raise GarbledError(f"{len(fields)} columns; at most {4 * MAX_STREAM_NAMES} are read")
    units: dict[str, str] = {}
    for k, field in enumerate(fields):
        said = named_unit(field, (*TIMES, "stamp"))
        if said is not None and said[0] not in fields:
            fields[k] = said[0]
            units["stamp" if said[0] == "stamp" else "time"] = said[1]
    names = [_plain(field) for field in fields]
    while names and not names[-1]:
        names.pop()
    if "" in names:
        raise GarbledError(f"column {names.index('') + 1} of the header has no name")
    checked_names(tuple(names))
    return mark, names, units


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GarbledError(f"not UTF-8: {error.reason} at byte {error.start}") from error


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
            how = "s, ms, us or ns"
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


#: What is left of the row that a header was written behind, without a new line.
_REST: Final = re.compile(r"^[-+.,\d]*")


def may_be_header(line: bytes, header: Header) -> bool:
    """Whether a row that cannot be read under ``header`` looks like another header: it has a column
    of times, a name of the header of before, or as many different words as that and no number.
    A comment has to have a column of times besides."""
    text = line.removeprefix(BOM).decode("utf-8", errors="replace").replace('"', "").strip()
    comment = text.startswith("#")
    text = text.lstrip("# ")
    parts = text.split(max(MARKS, key=text.count))
    fields = [UNIT.sub("", part.strip()).strip() for part in parts]
    while fields and not fields[-1]:
        fields.pop()
    timed = any(_is_time(field, len(fields) > header.width) for field in fields)
    known = not header.names.isdisjoint(fields)
    words = not any(not field or is_number(field) for field in fields)
    alike = words and len({*fields}) == len(fields) == header.width > 1
    if comment:
        return timed and (known or alike)
    return timed or known or alike


def _is_time(field: str, longer: bool) -> bool:
    """Whether it is the name of a column of times, perhaps behind the number that a row broke off
    with. A ``t`` behind a number counts only in a row with more fields than it should have: it may
    be a number that is damaged."""
    said = named_unit(field, TIMES)
    word = (field if said is None else said[0]).lower()
    rest = _REST.sub("", word)
    return word in TIMES or (rest in TIMES and (rest != "t" or longer))


#: A number with a decimal comma, which only semicolons and tabs leave room for.
_DECIMAL_COMMA: Final = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_NAN: Final = float("nan")


class _Rows:
    """Lines to messages. The first line that is no comment is the header; until there is one that
    can be read, each line is tried. So it is after a later line that looks like one and cannot be
    read: nobody knows whose the values are then."""

    def __init__(self, timed: bool, unit: str = "s") -> None:
        self._timed, self._unit = timed, unit
        self._header: Header | None = None
        self._plain = False
        self._known: frozenset[str] = frozenset()
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}

    @property
    def begun(self) -> bool:
        """Whether a header has been read."""
        return self._header is not None

    def __call__(self, line: bytes) -> tuple[float, tuple[Message, ...]]:
        header = self._header
        if header is None:
            self._begin(line)
            return _NAN, ()
        if self._plain:
            try:
                row = list(map(float, line.split(self._mark)))
            except ValueError:
                pass
            else:
                if len(row) == header.width and b"_" not in line:
                    time = row[header.time] / self._per_second if header.time >= 0 else _NAN
                    if abs(time) <= TIME_LIMIT or header.time < 0:
                        positions = np.array(row)[self._columns]
                        return time, (Joints(as_stamp(time), self._all, positions),)
        try:
            return self._slowly(line, header)
        except GarbledError:
            if not may_be_header(line, header):
                raise
        self._begin(line)
        return _NAN, ()

    def _begin(self, line: bytes) -> None:
        """A header, or none where it is a comment. Whoever had times goes on to have them, and
        whoever had none to have a name of before: words alone may be anything."""
        if self._header is not None:
            self._timed, self._known = self._timed or self._header.time >= 0, self._header.names
            self._header = None
        header = found_header(line.removeprefix(BOM), self._timed)
        if header is None:
            return
        if self._known and header.time < 0 and self._known.isdisjoint(header.names):
            raise GarbledError("a header without a time, and with none of the names before")
        self._header = header
        self._mark = header.mark.encode()
        self._per_second = PER_SECOND[header.units.get("time", self._unit)]
        self._all = tuple(header.joints)
        self._columns = np.array(list(header.joints.values()), dtype=np.int64)
        # Nothing but a time and positions: the rows that come by the million.
        others = header.velocities or header.poses or header.attach >= 0
        self._plain = not (others or header.detach >= 0 or header.stamp >= 0)

    def _slowly(self, line: bytes, header: Header) -> tuple[float, tuple[Message, ...]]:
        """A row with whatever may be in it."""
        if not line.strip():
            return _NAN, ()
        if line.lstrip().startswith(b"#"):
            if may_be_header(line, header):
                raise GarbledError("a header in a comment")
            return _NAN, ()
        fields = _fields(line, header)
        time = self._time(fields, header.time, "time", header)
        own = header.stamp >= 0
        stamp = self._time(fields, header.stamp, "stamp", header) if own else as_stamp(time)
        found = [*self._joints(stamp, fields, header), *_poses_of(stamp, fields, header)]
        if header.detach >= 0 and fields[header.detach]:
            (body,) = checked_names((fields[header.detach],))
            found.append(Grasp(stamp, body, None))
        if header.attach >= 0 and fields[header.attach]:
            found.append(_taken(stamp, fields[header.attach]))
        if not found:
            raise GarbledError("a row of empty fields")
        return time, tuple(found)

    def _time(self, fields: list[str], column: int, what: str, header: Header) -> float:
        if column < 0:
            return _NAN
        time = of_text(fields[column])
        if time is None:
            unit = header.units.get(what, self._unit)
            time = in_seconds(_number(fields[column], header.mark, "time"), unit, what)
        if not math.isfinite(time):
            raise GarbledError(f"time: {time}, not a time")
        return time

    def _joints(self, stamp: float, fields: list[str], header: Header) -> Iterator[Message]:
        """The joints with a value, where there are any."""
        said = {n: k for n, k in header.joints.items() if fields[k]}
        if said:
            positions = [_number(fields[k], header.mark, n) for n, k in said.items()]
            velocities = None
            if header.velocities:
                rates = [_number(fields[header.velocities[n]], header.mark, n) for n in said]
                velocities = np.array(rates)
            partial = len(said) < len(header.joints)
            names = self._kept(tuple(said))
            yield Joints(stamp, names, np.array(positions), velocities, partial)

    def _kept(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The very tuple that was handed out for these names before."""
        if names == self._all:
            return self._all
        if len(self._names) > 100:
            self._names.clear()
        return self._names.setdefault(names, names)


def _fields(line: bytes, header: Header) -> list[str]:
    """As many as there are columns."""
    fields = split(_text(line), header.mark)
    if len(fields) == header.width + 1 and not fields[-1]:
        fields.pop()
    if len(fields) != header.width:
        hint = ""
        if header.mark == "," and len(fields) > header.width:
            hint = "; decimal commas need semicolons between the columns"
        raise GarbledError(f"{len(fields)} fields and {header.width} columns{hint}")
    return fields


def _poses_of(stamp: float, fields: list[str], header: Header) -> Iterator[Message]:
    for body, columns in header.poses.items():
        texts = [fields[k] for k in columns]
        if any(texts):
            numbers = [_number(text, header.mark, f"pose:{body}") for text in texts]
            try:
                yield BodyPose(stamp, body, pose_of(numbers[:3], numbers[3:]))
            except Error as error:
                raise GarbledError(f"pose of {body!r}: {error}") from error


def _number(text: str, mark: str, what: str) -> float:
    if mark != "," and _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        if "_" in text or not text.isascii():
            raise ValueError("Python's own way of writing")
        return float(text)
    except ValueError as error:
        raise GarbledError(f"{what}: {text[:40]!r} is not a number") from error


def _taken(stamp: float, text: str) -> Grasp:
    body, mark, link = (part.strip() for part in text.partition(">"))
    if not mark:
        raise GarbledError(f"attach: {text[:60]!r}; allowed: BODY > ROBOT/LINK")
    checked_names((body, link))
    return Grasp(stamp, body, link)


class CsvTable(LineFile):
    """A file. Its header is read when it is opened, and its first row: what is wrong with the
    header, and times that look like another unit, are a `StreamError`.

    Args:
        unit: of the times, where the names of their columns do not say it.
    """

    def __init__(self, path: str | Path, name: str = "", unit: str = "s") -> None:
        super().__init__(path, lambda: _Rows(timed=True, unit=unit), name or f"csv:{path}")
        number, rows, begun = 1, _Rows(timed=True, unit=unit), False
        try:
            for number, line in enumerate(bounded_lines(self._file), 1):  # noqa: B007
                if line is None:
                    raise GarbledError("longer than any header")
                if rows(line)[1]:
                    return
                begun = begun or rows.begun
            if not begun:
                raise GarbledError("nothing in it")
        except GarbledError as error:
            # What is wrong with other rows is for whoever reads them.
            if not begun or isinstance(error, OtherUnitError):
                self.close()
                raise StreamError(str(error), file=path, element=f"line {number}") from error
        except OSError as error:
            self.close()
            raise StreamError(f"cannot be read: {reason_of(error)}", file=path) from error


class CsvPipe(LinePipe):
    """A pipe; rows count when they come, and ``time`` is the stamp where there is one."""

    def __init__(
        self, name: str = "csv:-", stream: BinaryIO | None = None, unit: str = "s"
    ) -> None:
        super().__init__(_Rows(timed=False, unit=unit), name, stream)
