"""Sinks as the command line writes them: ``kind:where?option=value``."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from standoff.constants import QUIET_LINE_PERIOD
from standoff.errors import StreamError
from standoff.streams.kind_options import Options, link_of, options_of
from standoff.streams.record.recorder import Recorder
from standoff.streams.sink import Sink
from standoff.streams.sinks.json_lines import JsonLines
from standoff.streams.sinks.terminal import TerminalLines
from standoff.streams.sinks.zenoh_topics import ZenohTopics
from standoff.streams.zenoh_session import Link

KINDS = ("jsonl", "mcap", "zenoh", "terminal", "plain")

#: The options of those that have some.
OPTIONS = {"jsonl": ("every",), "zenoh": ("listen", "connect")}

#: What a suffix stands for.
SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".mcap": "mcap"}

ALLOWED = (
    "jsonl:FILE, jsonl:- (standard output), mcap:FILE, zenoh:KEY, terminal; "
    "FILE alone where it ends in .jsonl or .mcap"
)


def sink_kind(text: str) -> tuple[str, str]:
    """The kind and where it goes.

    Raises:
        StreamError: no such kind.
    """
    kind, colon, where = text.partition(":")
    if colon and kind in KINDS:
        return kind, where
    if text in ("terminal", "plain"):
        return text, ""
    by_suffix = SUFFIXES.get(Path(text.partition("?")[0]).suffix.lower())
    if by_suffix is None or text.startswith(":"):
        raise StreamError("not a sink", element="--to", value=text, allowed=ALLOWED)
    return by_suffix, text


def sink_file(text: str) -> Path | None:
    """The file that a sink writes; None where it writes none.

    Raises:
        StreamError: no such kind.
    """
    kind, where = sink_kind(text)
    path = where.partition("?")[0] if kind in OPTIONS else where
    return Path(path) if kind in ("jsonl", "mcap") and path not in ("", "-") else None


def open_sink(
    text: str,
    *,
    link: Link | None = None,
    progress: Callable[[], float] | None = None,
) -> Sink:
    """Open what a line of the command says.

    Args:
        text: ``jsonl:run.jsonl`` (``?every=S``: seconds between quiet lines, 0 for all cycles),
            ``jsonl:-`` (standard output), ``mcap:run.mcap``, ``zenoh:cell/standoff`` (``?listen=``
            and ``?connect=``, each repeatable with ``&``), ``terminal``, ``plain``; the kind may be
            left out where the suffix tells.
        link: how Zenoh reaches others.
        progress: of a recording, for the terminal to show.

    Raises:
        StreamError: no such kind, or it cannot be opened.
    """
    kind, where = sink_kind(text)
    where, mark, query = where.partition("?") if kind in OPTIONS else (where, "", "")
    options = options_of(query, OPTIONS[kind], kind, "--to", text) if mark else {}
    if not where and kind not in ("terminal", "plain"):
        raise StreamError("where to is missing", element="--to", value=text, allowed=ALLOWED)
    if kind == "mcap":
        return Recorder(where)
    if kind == "zenoh":
        return ZenohTopics(where, link_of(options, link))
    if kind == "jsonl":
        return JsonLines(where, every=_every(options, text))
    if where:
        raise StreamError("a terminal has no name", element="--to", value=text, allowed=ALLOWED)
    return TerminalLines(plain=kind == "plain", progress=progress)


def _every(options: Options, text: str) -> float:
    (given,) = options.get("every", [str(QUIET_LINE_PERIOD)])[-1:]
    try:
        every = float(given)
    except ValueError:
        every = -1.0
    if not 0.0 <= every < math.inf:
        raise StreamError(
            "every is no time", element="--to", value=text, allowed="seconds; 0 for every cycle"
        )
    return every
