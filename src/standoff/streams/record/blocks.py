"""Inputs and answers as tables, bit for bit.

A block of inputs is a head (rows, values, bytes of text), the rows, the values, and JSON: the lists
of names that are new in it, and what is no numbers. A block of answers is its rows.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.pose import Array
from standoff.streams.engine import Input
from standoff.streams.limits import RECORD_BLOCK
from standoff.streams.messages import BodyPose, End, Grasp, Joints, Message, Trouble
from standoff.streams.record.about import DamagedError
from standoff.streams.report import Report

#: Lists of names that a record refers back to, [-]; after as many it repeats them.
RECORD_NAMES = 256


#: What a row is. GAP: cycles are missing here that the disk did not take.
TICK, JOINTS, POSE, EVENT, GAP = range(5)

#: ``begin`` is 1 in the first row of a cycle; ``names`` the number of a list of names or of a text
#: or event of the block; ``first`` and ``count`` its values; ``rates`` has bit 1 where velocities
#: follow, as many, and bit 2 where a reading is partial.
ROW = np.dtype(
    [
        ("now", "<f8"), ("stamp", "<f8"), ("source", "<i4"), ("kind", "u1"), ("begin", "u1"),
        ("rates", "<u2"), ("names", "<i4"), ("first", "<u4"), ("count", "<u4"), ("spare", "<u4"),
    ]
)  # fmt: skip

#: ``crc`` is that of all reasons and of the bits of the hits; 0 where it is SAFE.
ANSWER = np.dtype(
    [
        ("number", "<u8"), ("time", "<f8"), ("clearance", "<f8"), ("scale", "<f8"),
        ("state", "<u4"), ("crc", "<u4"),
    ]
)  # fmt: skip

Rows = NDArray[Any]
_HEAD = Struct("<4sIII")
_MARK = b"SOI1"


def answer(report: Report) -> tuple[Any, ...]:
    """A report as a row of `ANSWER`. The name of a file that is no UTF-8 may be in its reasons, as
    Python has it: in halves of characters, which count like all others."""
    cycle = report.cycle
    crc = 0
    if report.reasons:
        for r in report.reasons:
            text = f"{r.state:d}\0{r.kind}\0{r.element}\0{r.text}\0"
            crc = zlib.crc32(text.encode(errors="surrogatepass"), crc)
        if cycle is not None:
            crc = zlib.crc32(cycle.bits, crc)
        crc = crc or 1
    clearance = math.nan if cycle is None else cycle.clearance
    return report.number, report.time, clearance, report.scale, int(report.state), crc


class InputBlock:
    """Inputs on their way into a record."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], int] = {}
        self.clear()

    def clear(self) -> None:
        """Begin the next block. Names that were in one before are not repeated, unless there are
        too many of them."""
        if len(self._names) > RECORD_NAMES:
            self._names.clear()
        self._rows: list[tuple[Any, ...]] = []
        self._values: list[Array] = []
        self._count = 0
        self._new: dict[int, tuple[str, ...]] = {}
        self._events: list[dict[str, Any]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def gap(self, now: float, cycles: int) -> None:
        """So many cycles are not here."""
        self._rows.append((now, math.nan, -1, GAP, 1, 0, 0, 0, cycles, 0))

    def add(self, now: float, inputs: tuple[Input, ...]) -> None:
        """One cycle."""
        if not inputs:
            self._rows.append((now, math.nan, -1, TICK, 1, 0, 0, 0, 0, 0))
        begin = 1
        for source, message in inputs:
            self._rows.append(self._row(now, source, message, begin))
            begin = 0

    def _row(self, now: float, source: int, message: Message, begin: int) -> tuple[Any, ...]:
        if type(message) is Joints:
            number = self._names.get(message.names)
            if number is None:
                number = self._names[message.names] = len(self._names)
                self._new[number] = message.names
            first, count = self._count, message.positions.size
            self._keep(message.positions)
            rates = 2 if message.partial else 0
            if message.velocities is not None and message.velocities.size == count:
                self._keep(message.velocities)
                rates += 1
            return now, message.stamp, source, JOINTS, begin, rates, number, first, count, 0
        first = self._count
        stamp, kind = math.nan, EVENT
        event: dict[str, Any] = {}
        if type(message) is BodyPose:
            self._keep(message.pose)
            stamp, kind, event = message.stamp, POSE, {"body": message.body}
        elif type(message) is Grasp:
            stamp = message.stamp
            event = {"body": message.body, "link": message.link, "touch": list(message.touch)}
        elif type(message) is Trouble:
            event = {"trouble": message.kind, "text": message.text}
        elif type(message) is End:
            event = {"end": message.text}
        self._events.append(event)
        return (
            now, stamp, source, kind, begin, 0, len(self._events) - 1, first,
            self._count - first, 0,
        )  # fmt: skip

    def _keep(self, values: Array) -> None:
        flat = np.ascontiguousarray(values, dtype="<f8").reshape(-1)
        self._values.append(flat)
        self._count += flat.size

    def pack(self) -> bytes:
        """The block."""
        rows = np.array(self._rows, dtype=ROW)
        values = np.concatenate(self._values) if self._values else np.zeros(0)
        texts = json.dumps({"names": self._new, "events": self._events}).encode()
        head = _HEAD.pack(_MARK, len(rows), len(values), len(texts))
        return b"".join((head, rows.tobytes(), values.astype("<f8").tobytes(), texts))


@dataclass(frozen=True, eq=False)
class Inputs:
    """A block that was read.

    Attributes:
        rows: of `ROW`; values: of all of them.
        names: lists of names by number, of this block and those before.
        events: what has no numbers.
    """

    rows: Rows
    values: Array
    names: dict[int, tuple[str, ...]]
    events: list[dict[str, Any]]

    def message(self, k: int) -> tuple[int, Message]:
        """Row ``k`` as it came in, with its source."""
        row = self.rows[k]
        source, kind, stamp = int(row["source"]), int(row["kind"]), float(row["stamp"])
        first, count = int(row["first"]), int(row["count"])
        values = self.values[first : first + count]
        if kind == JOINTS:
            flags, names = int(row["rates"]), self.names[int(row["names"])]
            rates = self.values[first + count : first + 2 * count] if flags & 1 else None
            return source, Joints(stamp, names, values, rates, bool(flags & 2))
        event = self.events[int(row["names"])]
        if kind == POSE:
            pose = values.reshape(4, 4) if count == 16 else values
            return source, BodyPose(stamp, event["body"], pose)
        if "trouble" in event:
            return source, Trouble(event["trouble"], event["text"])
        if "end" in event:
            return source, End(event["end"])
        return source, Grasp(stamp, event["body"], event["link"], tuple(event["touch"]))


def read_inputs(data: memoryview, names: dict[int, tuple[str, ...]], file: str) -> Inputs:
    """A block; ``names`` is filled on.

    Raises:
        DamagedError: it is none.
    """
    try:
        mark, count, values, texts = _HEAD.unpack_from(data, 0)
        if mark != _MARK or count > 2 * RECORD_BLOCK:
            raise ValueError("not a block of inputs")
        at = _HEAD.size
        rows = np.frombuffer(data, ROW, count, at)
        at += rows.nbytes
        numbers = np.frombuffer(data, "<f8", values, at).astype(np.float64)
        at += 8 * values
        found = json.loads(bytes(data[at : at + texts]))
        for number, listed in found["names"].items():
            names[int(number)] = tuple(str(name) for name in listed)
        return Inputs(rows, numbers, names, list(found["events"]))
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError, struct.error) as error:
        raise DamagedError(f"damaged: {error}", file=file) from error
