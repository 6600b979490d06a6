"""JSON lines: one object of `json_message` a line."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from standoff.streams.json_message import JsonDecoder
from standoff.streams.messages import Message
from standoff.streams.sources.lines import LineFile, LinePipe


class _Lines:
    def __init__(self) -> None:
        self._decode = JsonDecoder()

    def __call__(self, line: bytes) -> tuple[float, tuple[Message, ...]]:
        if not line or line.isspace():
            return 0.0, ()
        return self._decode(line)


class JsonLines(LineFile):
    """A file; each line has its ``time``."""

    def __init__(self, path: str | Path, name: str = "") -> None:
        super().__init__(path, _Lines, name or f"jsonl:{path}")


class JsonPipe(LinePipe):
    """A pipe; lines count when they come, and ``time`` is the stamp where there is one."""

    def __init__(self, name: str = "jsonl:-", stream: BinaryIO | None = None) -> None:
        super().__init__(_Lines(), name, stream)
