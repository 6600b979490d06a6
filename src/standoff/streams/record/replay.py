"""A record once more, through the same engine: does it say the same?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from standoff.errors import StreamError
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.streams.batch import Batch, Part
from standoff.streams.engine import WatchEngine
from standoff.streams.history import History
from standoff.streams.limits import RECORD_BLOCK
from standoff.streams.record.about import DamagedError, reopened
from standoff.streams.record.blocks import (
    ANSWER,
    GAP,
    JOINTS,
    RECORD_NAMES,
    TICK,
    Inputs,
    Rows,
    answer,
    read_inputs,
)
from standoff.streams.record.mcap import McapReader
from standoff.streams.record.recorder import ANSWERS, INPUT
from standoff.streams.report import Report, State, Summary
from standoff.streams.runner import STRETCH, STRETCH_BREAK


@dataclass(frozen=True)
class Difference:
    """A cycle whose answer is not what the record says.

    Attributes:
        number: of the cycle; time: of it, [s].
        what: which part of the answer: ``state``, ``clearance``, ``scale``, ``reasons``, ``time``.
        was, now: what was recorded, and what it is.
    """

    number: int
    time: float
    what: str
    was: Any
    now: Any

    def __str__(self) -> str:
        return (
            f"cycle {self.number} at {self.time:.6f} s: {self.what} was {self.was}, "
            f"and is {self.now}"
        )


@dataclass(frozen=True)
class Replayed:
    """What came of a replay. True where it is `verified`.

    Attributes:
        summary: of the replay.
        difference: the first cycle that is not as it was recorded; None where there is none, or
            nobody asked.
        compared: how many cycles were held against the record.
        gap: cycles that the record does not have, as the disk was full; what comes after them is
            not replayed.
        torn: why the record ends before its end; empty where it does not.
        damaged: what in it is not as it was written; empty where all is.
    """

    summary: Summary
    difference: Difference | None
    compared: int
    gap: int
    torn: str
    damaged: str = ""

    @property
    def verified(self) -> bool:
        """Whether there was an answer for each cycle, one at least, and it was the same. A record
        that was torn is one up to there."""
        return (
            self.difference is None
            and not self.damaged
            and not self.gap
            and self.compared == self.summary.cycles > 0
        )

    def __bool__(self) -> bool:
        return self.verified


class Replay:
    """Reads a record and runs it again.

    Args:
        path: of the record.

    Raises:
        DamagedError: what it says of its cell and options is not what was written, or not there.
        StreamError: not a record, or the robots of its cell are not the same any more.

    Attributes:
        engine: as new.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = McapReader(self.path)
        self._messages = self._file.messages()
        self._first = next(self._messages, None)
        texts = self._file.metadata.get("standoff")
        if texts is None:
            allowed = "what `standoff watch --to mcap:FILE` writes"
            why = self._file.damaged or self._file.torn
            if why:
                text = f"damaged, or not a record of standoff: {why}"
                raise DamagedError(text, file=self.path, allowed=allowed)
            raise StreamError("not a record of standoff", file=self.path, allowed=allowed)
        self.cell, options, sources, sinks = reopened(texts, self.path)
        self.sources = tuple(sources)
        self.engine = WatchEngine(self.cell, options, sources, sinks)

    def run(
        self,
        *,
        verify: bool = False,
        progress: Callable[[float], None] | None = None,
        history: History | None = None,
    ) -> Replayed:
        """Everything, from the first cycle on; up to the first difference where ``verify``.

        Args:
            progress: called with how much was read, 0 to 1.
            history: where everything is noted for a report on near misses.

        Raises:
            DamagedError: what its checksums say is right makes no sense.
        """
        run = _Run(self.engine, verify, history)
        names: dict[int, tuple[str, ...]] = {}
        for topic, data in self._content():
            if progress is not None:
                progress(self._file.progress)
            if topic == INPUT:
                run.inputs(read_inputs(data, names, str(self.path)))
            elif not run.answers(_answers(data, self.path)):
                break
        file = self._file
        return Replayed(run.summary, run.difference, run.compared, run.gap, file.torn, file.damaged)

    def _content(self) -> Iterator[tuple[str, memoryview]]:
        if self._first is not None and self._first[0] in (INPUT, ANSWERS):
            yield self._first[0], self._first[2]
        for topic, _, data in self._messages:
            if topic in (INPUT, ANSWERS):
                yield topic, data


def _answers(data: memoryview, path: Path) -> Rows:
    if len(data) % ANSWER.itemsize:
        raise DamagedError("damaged: not a table of answers", file=path)
    return np.frombuffer(data, ANSWER)


class _Run:
    """A replay on its way. Inputs come before their answers, a block of one after one of the
    other."""

    def __init__(self, engine: WatchEngine, verify: bool, history: History | None) -> None:
        self.engine = engine
        self.summary = Summary(engine.options.longest_age)
        self.difference: Difference | None = None
        self.compared = self.gap = 0
        self._verify = verify
        self._history = history
        #: Answers that wait to be compared: rows, one after the other.
        self._made: list[Rows] = []
        self._careful = 0

    def inputs(self, block: Inputs) -> None:
        """Run a block, up to where cycles are missing."""
        rows = block.rows
        plain = (rows["kind"] == JOINTS) & (rows["begin"] == 1)
        plain[:-1] &= rows["begin"][1:] == 1
        plain &= rows["count"] == _lengths(block)[rows["names"]]
        # Where the stretch of plain readings that each row is in ends.
        ends = np.flatnonzero(~plain)
        at, end = 0, len(rows)
        while at < end:
            k = int(np.searchsorted(ends, at))
            until = int(ends[k]) if k < len(ends) else end
            if until - at >= STRETCH_BREAK and self._careful <= 0 and self.engine.quiet:
                done = self._stretch(block, at, min(until, at + STRETCH))
                self._careful = 0 if done >= STRETCH_BREAK else STRETCH_BREAK
                at += done
                continue
            self._careful -= 1
            if rows["kind"][at] == GAP:
                self.gap += int(rows["count"][at])
                return
            last = at + 1
            while last < end and not rows["begin"][last]:
                last += 1
            self._cycle(block, at, last)
            at = last

    def _cycle(self, block: Inputs, first: int, last: int) -> None:
        ticked = block.rows["kind"][first] == TICK
        try:
            inputs = () if ticked else tuple(block.message(k) for k in range(first, last))
        except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
            raise DamagedError(f"damaged: row {first} of a block makes no sense") from error
        self._said(self.engine.cycle(float(block.rows["now"][first]), inputs))

    def _said(self, report: Report) -> None:
        self.summary.add(report)
        if self._history is not None:
            self._history.put(report)
        if self._verify:
            self._made.append(np.array([answer(report)], dtype=ANSWER))

    def _stretch(self, block: Inputs, first: int, last: int) -> int:
        stretch, report = self.engine.stretch(_batch(block, first, last))
        quiet, times, clearances = len(stretch), stretch.times, stretch.clearances
        if quiet:
            self.summary.add_quiet(times)
            if self._history is not None:
                self._history.put_quiet(times, clearances)
            if self._verify:
                self._made.append(_quiet_answers(stretch.number, times, clearances))
        if report is not None:
            self._said(report)
            return quiet + 1
        return quiet

    def answers(self, rows: Rows) -> bool:
        """Hold a block of answers against what was said; whether to go on."""
        if not self._verify:
            return not self.gap
        made = np.concatenate(self._made) if self._made else np.zeros(0, ANSWER)
        count = min(len(made), len(rows))
        different = made[:count].view((np.void, ANSWER.itemsize)) != rows[:count].view(
            (np.void, ANSWER.itemsize)
        )
        where = np.flatnonzero(different)
        if len(where):
            self.compared += int(where[0])
            self.difference = _difference(rows[where[0]], made[where[0]])
            return False
        self.compared += count
        if self.gap:
            return False
        if len(rows) > len(made):
            row = rows[count]
            self.difference = Difference(
                int(row["number"]), float(row["time"]), "cycle", "there", "not made from the inputs"
            )
            return False
        self._made = [made[count:]] if len(made) > count else []
        return True


def _lengths(block: Inputs) -> IntArray:
    """How many names each list has, by its number; -1 where there is none."""
    most = max((*block.names, int(block.rows["names"].max(initial=0))), default=0)
    if most > 2 * RECORD_BLOCK + RECORD_NAMES or block.rows["names"].min(initial=0) < 0:
        raise DamagedError("damaged: a list of names is missing")
    lengths: IntArray = np.full(most + 1, -1, dtype=np.int64)
    for number, listed in block.names.items():
        lengths[number] = len(listed)
    return lengths


def _batch(block: Inputs, first: int, last: int) -> Batch:
    rows = block.rows[first:last]
    sources, names = rows["source"].astype(np.int64), rows["names"].astype(np.int64)
    partial = (rows["rates"] & 2).astype(np.int64) // 2
    lists = max(block.names, default=0) + 1
    which = (sources * lists + names) * 2 + partial
    parts = []
    for key in np.unique(which).tolist():
        at: IntArray = np.flatnonzero(which == key)
        source, number = divmod(key // 2, lists)
        listed = block.names.get(number)
        if listed is None:
            raise DamagedError("damaged: a list of names is missing")
        starts = rows["first"][at].astype(np.int64)
        positions: Array = _positions(block.values, starts, len(listed))
        stamps = rows["stamp"][at].astype(np.float64)
        parts.append(Part(source, listed, at, stamps, positions, bool(key % 2)))
    return Batch(np.ascontiguousarray(rows["now"], dtype=np.float64), tuple(parts))


def _positions(values: Array, starts: IntArray, count: int) -> Array:
    """Rows of the values, without going through them one by one where they lie evenly."""
    if len(starts) and int(starts.max()) + count > len(values):
        raise DamagedError("damaged: values are missing")
    steps = np.diff(starts)
    if len(starts) > 1 and steps[0] >= count and (steps == steps[0]).all():
        start, step = int(starts[0]), int(steps[0])
        short = start + step * (len(starts) - 1)
        rows: Array = np.empty((len(starts), count))
        rows[:-1] = values[start:short].reshape(-1, step)[:, :count]
        rows[-1] = values[short : short + count]
        return rows
    rows = values[starts[:, None] + np.arange(count)]
    return rows


def _quiet_answers(number: int, times: Array, clearances: Array) -> Rows:
    rows: Rows = np.zeros(len(times), ANSWER)
    rows["number"] = np.arange(number, number + len(times))
    rows["time"], rows["clearance"], rows["scale"] = times, clearances, 1.0
    return rows


def _difference(was: Any, now: Any) -> Difference:
    number, time = int(was["number"]), float(was["time"])
    if was["number"] != now["number"] or was["time"] != now["time"]:
        return Difference(number, time, "time", time, float(now["time"]))
    if was["state"] != now["state"]:
        names = [_state(int(row["state"])) for row in (was, now)]
        return Difference(number, time, "state", *names)
    for what in ("clearance", "scale"):
        a, b = float(was[what]), float(now[what])
        if a != b and not (math.isnan(a) and math.isnan(b)):
            return Difference(number, time, what, a, b)
    return Difference(number, time, "reasons", f"{was['crc']:08x}", f"{now['crc']:08x}")


def _state(value: int) -> str:
    return State(value).name if value in tuple(State) else str(value)
