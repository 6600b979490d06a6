"""Readings as a table: a header, then one row for each instant; `csv_header` has the columns."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from standoff.errors import Error, StreamError
from standoff.geometry.pose import pose
from standoff.streams.messages import BodyPose, Grasp, Joints, Message, as_stamp
from standoff.streams.sources.csv_header import Header, found_header, split
from standoff.streams.sources.csv_restart import may_be_header
from standoff.streams.sources.lines import BOM, LineFile, LinePipe, bounded_lines
from standoff.streams.wire import GarbledError, checked_names

#: A number with a decimal comma, which only semicolons and tabs leave room for.
_DECIMAL_COMMA: Final = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_NAN: Final = float("nan")


class _Rows:
    """Lines to messages. The first line that is no comment is the header; until there is one that
    can be read, each line is tried. So it is after a later line that looks like one and cannot be
    read: nobody knows whose the values are then."""

    def __init__(self, timed: bool) -> None:
        self._timed = timed
        self._header: Header | None = None
        self._plain = False
        self._known: frozenset[str] = frozenset()
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}

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
                    time = row[header.time] if header.time >= 0 else _NAN
                    if time - time == 0.0 or header.time < 0:
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
        time = _time(fields, header.time, header)
        stamp = _time(fields, header.stamp, header) if header.stamp >= 0 else as_stamp(time)
        found = [*self._joints(stamp, fields, header), *_poses_of(stamp, fields, header)]
        if header.detach >= 0 and fields[header.detach]:
            (body,) = checked_names((fields[header.detach],))
            found.append(Grasp(stamp, body, None))
        if header.attach >= 0 and fields[header.attach]:
            found.append(_taken(stamp, fields[header.attach]))
        if not found:
            raise GarbledError("a row of empty fields")
        return time, tuple(found)

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
    try:
        fields = split(line.decode("utf-8"), header.mark)
    except UnicodeDecodeError as error:
        raise GarbledError(f"not UTF-8: {error.reason} at byte {error.start}") from error
    if len(fields) == header.width + 1 and not fields[-1]:
        fields.pop()
    if len(fields) != header.width:
        hint = ""
        if header.mark == "," and len(fields) > header.width:
            hint = "; decimal commas need semicolons between the columns"
        raise GarbledError(f"{len(fields)} fields and {header.width} columns{hint}")
    return fields


def _time(fields: list[str], column: int, header: Header) -> float:
    if column < 0:
        return _NAN
    time = _number(fields[column], header.mark, "time")
    if not math.isfinite(time):
        raise GarbledError(f"time: {time}, not a time")
    return time


def _poses_of(stamp: float, fields: list[str], header: Header) -> Iterator[Message]:
    for body, columns in header.poses.items():
        texts = [fields[k] for k in columns]
        if any(texts):
            numbers = [_number(text, header.mark, f"pose:{body}") for text in texts]
            try:
                yield BodyPose(stamp, body, pose(numbers[:3], numbers[3:]))
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
    """A file. Its header is read when it is opened: what is wrong with it is a `StreamError`."""

    def __init__(self, path: str | Path, name: str = "") -> None:
        super().__init__(path, lambda: _Rows(timed=True), name or f"csv:{path}")
        number = 1
        try:
            for number, line in enumerate(bounded_lines(self._file), 1):  # noqa: B007
                if line is None:
                    raise GarbledError("longer than any header")
                if found_header(line, timed=True) is not None:
                    return
            raise GarbledError("nothing in it")
        except GarbledError as error:
            self.close()
            raise StreamError(str(error), file=path, element=f"line {number}") from error
        except OSError as error:
            self.close()
            raise StreamError(f"cannot be read: {error.strerror}", file=path) from error


class CsvPipe(LinePipe):
    """A pipe; rows count when they come, and ``time`` is the stamp where there is one."""

    def __init__(self, name: str = "csv:-", stream: BinaryIO | None = None) -> None:
        super().__init__(_Rows(timed=False), name, stream)
