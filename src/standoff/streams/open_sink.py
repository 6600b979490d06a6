"""Sinks as the command line writes them: ``kind:where?option=value``.

The help of the command line is made of this table, so a sink is imported when it is opened.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from standoff.errors import StreamError
from standoff.streams.kind_options import Options, link_of, options_of
from standoff.streams.limits import QUIET_LINE_PERIOD
from standoff.streams.zenoh_session import Link

if TYPE_CHECKING:
    from standoff.streams.sink import Sink


@dataclass(frozen=True)
class Asked:
    """What a sink is opened with: the whole text, what stands behind the colon, the options."""

    text: str
    where: str
    options: Options
    link: Link | None
    progress: Callable[[], float] | None


@dataclass(frozen=True)
class Kind:
    """A kind of sink.

    Attributes:
        open: how it is opened.
        usage: how it is written, for people.
        options: those that it takes.
        suffixes: of files that need no kind.
        place: ``file``, ``key``, or empty where it goes to no place that has a name.
    """

    open: Callable[[Asked], Sink]
    usage: str
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    place: str = "file"


def _terminal(asked: Asked) -> Sink:
    from standoff.streams.sinks.terminal import TerminalLines

    return TerminalLines(progress=asked.progress)


def _plain(asked: Asked) -> Sink:
    from standoff.streams.sinks.terminal import TerminalLines

    return TerminalLines(plain=True, progress=asked.progress)


def _jsonl(asked: Asked) -> Sink:
    from standoff.streams.sinks.json_lines import JsonLines

    return JsonLines(asked.where, every=_every(asked.options, asked.text))


def _mcap(asked: Asked) -> Sink:
    from standoff.streams.record.recorder import Recorder

    return Recorder(asked.where)


def _zenoh(asked: Asked) -> Sink:
    from standoff.streams.sinks.zenoh_topics import ZenohTopics

    return ZenohTopics(asked.where, link_of(asked.options, asked.link))


KINDS: Final[dict[str, Kind]] = {
    "terminal": Kind(_terminal, "terminal", place=""),
    "plain": Kind(_plain, "plain", place=""),
    "jsonl": Kind(
        _jsonl, "jsonl:FILE or jsonl:- (standard output)", ("every",), (".jsonl", ".ndjson")
    ),
    "mcap": Kind(_mcap, "mcap:FILE (the recording, for replay and Foxglove)", (), (".mcap",)),
    "zenoh": Kind(_zenoh, "zenoh:KEY", ("listen", "connect"), place="key"),
}

#: What a suffix stands for.
SUFFIXES: Final = {suffix: name for name, kind in KINDS.items() for suffix in kind.suffixes}

#: What may be written, for people.
ALLOWED: Final = (
    ", ".join(kind.usage for kind in KINDS.values())
    + f"; FILE alone where it ends in {', '.join(SUFFIXES)}"
)


def sink_kind(text: str) -> tuple[str, str]:
    """The kind and where it goes.

    Raises:
        StreamError: no such kind.
    """
    kind, colon, where = text.partition(":")
    if kind in KINDS and (colon or not KINDS[kind].place):
        return kind, where
    by_suffix = SUFFIXES.get(Path(text.partition("?")[0]).suffix.lower())
    if by_suffix is None or text.startswith(":"):
        raise StreamError("not a sink", element="--to", value=text, allowed=ALLOWED)
    return by_suffix, text


def sink_file(text: str) -> Path | None:
    """The file that a sink writes; None where it writes none.

    Raises:
        StreamError: no such kind.
    """
    kind, whole = sink_kind(text)
    where, _ = _parts(kind, whole)
    return Path(where) if KINDS[kind].place == "file" and where not in ("", "-") else None


def sink_key(text: str) -> str | None:
    """The key below which a sink publishes; None where it does not.

    Raises:
        StreamError: no such kind.
    """
    kind, whole = sink_kind(text)
    where, _ = _parts(kind, whole)
    return where if KINDS[kind].place == "key" and where else None


def to_stdout(text: str) -> bool:
    """Whether a sink writes its own lines to standard output, so that none for people belong there.

    Raises:
        StreamError: no such kind.
    """
    kind, whole = sink_kind(text)
    return KINDS[kind].place == "file" and _parts(kind, whole)[0] == "-"


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
        MissingPackageError: it needs a package that is not installed.
    """
    name, whole = sink_kind(text)
    kind = KINDS[name]
    where, query = _parts(name, whole)
    options = {} if query is None else options_of(query, kind.options, name, "--to", text)
    if kind.place and not where:
        raise StreamError("where to is missing", element="--to", value=text, allowed=ALLOWED)
    if where and not kind.place:
        raise StreamError(f"{name} has no name", element="--to", value=text, allowed=ALLOWED)
    return kind.open(Asked(text, where, options, link, progress))


def _parts(kind: str, whole: str) -> tuple[str, str | None]:
    """Where to, and what stands behind the question mark, None where there is none. In the name of
    a file of a kind without options a question mark is like any other character."""
    where, mark, query = whole.partition("?")
    return (where, query) if mark and KINDS[kind].options else (whole, None)


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
