"""Bags of ROS 2 in SQLite (``.db3``)."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from standoff.errors import StreamError
from standoff.streams.decoders import Topic, plain_type
from standoff.streams.limits import (
    MAX_STREAM_CHUNK,
    MAX_STREAM_MESSAGE,
    MAX_STREAM_TOPICS,
    STREAM_BLOCK,
)
from standoff.streams.sources.bag_file import Budget, Channel, Choose, Entry

MAGIC: Final = b"SQLite format 3\0"

#: What a row takes in the file at least, beside its data, [bytes]: its length, number, header and
#: time.
_ROW: Final = 8

#: Steps of SQLite's machine for each byte of a file, after which a query is ended, [-]. A row of at
#: least 18 bytes takes some 30.
_STEPS: Final = 100

_TABLES: Final = (
    "SELECT name, sql FROM sqlite_master "
    "WHERE type = 'table' AND name IN ('topics', 'messages') ORDER BY name"
)


class SqliteFile:
    """See `BagFile`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.size = sum(f.stat().st_size for f in (path, Path(f"{path}-wal")) if f.exists())
        self.read = 0
        self.budget = Budget(self.size)
        try:
            self._base = _opened(path)
            self._check()
        except sqlite3.Error as error:
            raise StreamError(f"not a database: {error}", file=path) from error

    def close(self) -> None:
        self._base.close()

    def _check(self) -> None:
        """The tables must be tables, and no program in disguise: none whose rows are computed."""
        tables = self._base.execute(_TABLES).fetchall()
        plain = [name for name, sql in tables if not str(sql).upper().startswith("CREATE VIRTUAL")]
        computed = "SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden"
        plain = [name for name in plain if not self._base.execute(computed, (name,)).fetchone()]
        if plain != ["messages", "topics"]:
            raise StreamError(
                "not a bag of ROS 2: no tables of topics and messages",
                file=self._path,
                value=plain,
                allowed="a .db3 file that ros2 bag wrote",
            )

    def topics(self) -> list[Topic]:
        try:
            return [topic for _, topic in self._topics()]
        except sqlite3.Error as error:
            raise StreamError(f"its topics cannot be read: {error}", file=self._path) from error

    def _topics(self) -> list[tuple[int, Topic]]:
        rows = self._base.execute("SELECT id, name, type, serialization_format FROM topics")
        found = []
        for number, *texts in rows.fetchmany(MAX_STREAM_TOPICS):
            if isinstance(number, int) and all(isinstance(text, str) for text in texts):
                name, kind, encoding = texts
                found.append((number, Topic(name, plain_type(kind), encoding)))
        return found

    def blocks(self, choose: Choose) -> Iterator[list[Entry]]:
        last = 0
        self.read = 0
        steps = itertools.count()
        self._base.set_progress_handler(lambda: next(steps) > self.size, _STEPS)
        try:
            channels: dict[Any, Channel] = {}
            for number, topic in self._topics():
                chosen = choose(topic)
                if chosen is not None:
                    channels[number] = chosen
            marks = ",".join("?" * len(channels))
            # What is too long is not asked for: SQLite would end the whole query there. Rows come
            # as they were written: an order by time would hide a clock that was set back, and a
            # damaged index leaves rows out.
            rows = self._base.execute(
                "SELECT topic_id, timestamp, length(data), "
                f"CASE WHEN length(data) <= {MAX_STREAM_MESSAGE} THEN data END FROM messages "
                f"NOT INDEXED WHERE topic_id IN ({marks})",
                list(channels),
            )
            block: list[Entry] = []
            held = 0
            for number, time, size, data in rows:
                if type(size) is int and size > MAX_STREAM_MESSAGE and type(time) is int:
                    last = time
                    text = f"has a message of {size} bytes; at most {MAX_STREAM_MESSAGE} are read"
                    block.append((time, None, text))
                elif type(time) is not int or type(data) is not bytes:
                    block.append((last, None, "has a message without time or content"))
                else:
                    last = time
                    block.append((time, channels[number], data))
                    held += len(data)
                # Pages that several others point to: more comes out than is in the file.
                self.read += _ROW + (len(data) if type(data) is bytes else 0)
                if self.read > self.size:
                    block.append((last, None, "has more messages than fit into its size"))
                    break
                if len(block) >= STREAM_BLOCK or held > MAX_STREAM_CHUNK:
                    yield block
                    block, held = [], 0
            yield block
        except sqlite3.Error as error:
            yield [(last, None, f"cannot be read any further: {error}")]
        self.read = self.size


def _text(data: bytes) -> str:
    """Text that is none is told where it stands, and does not end the query."""
    return data.decode("utf-8", errors="replace")


def _opened(path: Path) -> sqlite3.Connection:
    """For reading alone. A recorder that was killed leaves its last messages in a second file,
    which is read with it; where that is not possible, the file is read as it is."""
    where = f"file:{quote(str(path.absolute()))}"
    for how in ("?mode=ro", "?mode=ro&immutable=1"):
        base = sqlite3.connect(where + how, uri=True, check_same_thread=False)
        base.text_factory = _text
        try:
            # No view, trigger or column of the file calls a function that has effects.
            base.execute("PRAGMA trusted_schema = OFF")
            base.execute("PRAGMA cell_size_check = ON")
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MAX_STREAM_MESSAGE)
            base.execute("SELECT name FROM sqlite_master LIMIT 1").fetchone()
        except sqlite3.OperationalError:
            base.close()
            if "immutable" in how:
                raise
            continue
        except sqlite3.Error:
            base.close()
            raise
        return base
    raise AssertionError("one of the two was returned or raised")
