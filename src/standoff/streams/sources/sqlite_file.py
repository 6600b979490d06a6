"""Bags of ROS 2 in SQLite (``.db3``)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from standoff.constants import MAX_STREAM_MESSAGE, MAX_STREAM_TOPICS, STREAM_BLOCK
from standoff.errors import StreamError
from standoff.streams.decoders import Topic, plain_type
from standoff.streams.sources.bag_file import Channel, Choose, Entry

MAGIC: Final = b"SQLite format 3\0"
_TABLES: Final = (
    "SELECT name, sql FROM sqlite_master "
    "WHERE type = 'table' AND name IN ('topics', 'messages') ORDER BY name"
)


class SqliteFile:
    """See `BagFile`. ``size`` and ``read`` count messages."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._base = _opened(path)
            self.size = self._checked()
        except sqlite3.Error as error:
            raise StreamError(f"not a database: {error}", file=path) from error
        self.read = 0

    def close(self) -> None:
        self._base.close()

    def _checked(self) -> int:
        """The number of messages; the tables must be tables, and no program in disguise."""
        tables = self._base.execute(_TABLES).fetchall()
        plain = [name for name, sql in tables if not str(sql).upper().startswith("CREATE VIRTUAL")]
        if plain != ["messages", "topics"]:
            raise StreamError(
                "not a bag of ROS 2: no tables of topics and messages",
                file=self._path,
                value=plain,
                allowed="a .db3 file that ros2 bag wrote",
            )
        return int(self._base.execute("SELECT COUNT(*) FROM messages").fetchone()[0])

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
        try:
            channels: dict[Any, Channel] = {}
            for number, topic in self._topics():
                chosen = choose(topic)
                if chosen is not None:
                    channels[number] = chosen
            marks = ",".join("?" * len(channels))
            # What is too long is not asked for: SQLite would end the whole query there.
            rows = self._base.execute(
                "SELECT topic_id, timestamp, length(data), "
                f"CASE WHEN length(data) <= {MAX_STREAM_MESSAGE} THEN data END FROM messages "
                f"WHERE topic_id IN ({marks}) ORDER BY timestamp",
                list(channels),
            )
            while found := rows.fetchmany(STREAM_BLOCK):
                block: list[Entry] = []
                for number, time, size, data in found:
                    if type(size) is int and size > MAX_STREAM_MESSAGE and type(time) is int:
                        last = time
                        text = f"has a message of {size} bytes; {MAX_STREAM_MESSAGE} are read"
                        block.append((time, None, text))
                        continue
                    if type(time) is not int or type(data) is not bytes:
                        block.append((last, None, "has a message without time or content"))
                        continue
                    last = time
                    block.append((time, channels[number], data))
                self.read += len(found)
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
            base.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
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
