"""Sources and sinks as the command line writes them: ``kind:where?option=value&option=value``.

The help of the command line is made of these tables, so a stream is imported when it is opened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from standoff.errors import StreamError, nearest
from standoff.streams.limits import QUIET_LINE_PERIOD
from standoff.streams.zenoh_session import Link

if TYPE_CHECKING:
    from standoff.streams.protocols import Live, Recorded, Sink

#: Each may stand several times.
Options = dict[str, list[str]]


@dataclass(frozen=True)
class Asked:
    """What a stream is opened with.

    Attributes:
        text: the whole of it, as it was written.
        name: what messages call it.
        where: what stands behind the colon, without the options.
        link: how Zenoh reaches others where the options do not say.
        progress: of a recording, for the terminal to show.
    """

    text: str
    name: str
    where: str
    options: Options
    link: Link | None
    progress: Callable[[], float] | None = None

    @property
    def used_link(self) -> Link:
        """A link of Zenoh with the addresses that the options give, those of ``link`` for the
        rest."""
        base = Link() if self.link is None else self.link
        return replace(
            base,
            listen=tuple(self.options.get("listen", base.listen)),
            connect=tuple(self.options.get("connect", base.connect)),
        )

    @property
    def keys(self) -> list[str]:
        """Those of Zenoh that a source listens to."""
        return [key for key in (self.where, *self.options.get("topic", [])) if key]

    def one(self, key: str, usual: str) -> str:
        """An option of a source that may stand once."""
        values = self.options.get(key, [usual])
        if len(values) > 1:
            raise StreamError(
                f"{key} is given twice", element="--from", value=values, allowed="once"
            )
        return values[0]


@dataclass(frozen=True)
class Kind:
    """A kind of source or of sink.

    Attributes:
        open: how it is opened.
        usage: how it is written, for people.
        options: those that it takes.
        suffixes: of files that need no kind.
        place: ``file``, ``key``, or empty where it has no place with a name.
        pipe: whether ``-`` is standard input.
    """

    open: Callable[[Asked], Any]
    usage: str
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    place: str = "file"
    pipe: bool = False

    def options_of(self, query: str | None, name: str, argument: str, text: str) -> Options:
        """The options behind the question mark, in the order given; ``argument`` and ``text`` are
        what the user wrote.

        Raises:
            StreamError: one that this kind does not have, or without a value.
        """
        found: Options = {}
        for part in [] if query is None else query.split("&"):
            key, mark, value = part.partition("=")
            if key not in self.options or not mark or not value:
                raise StreamError(
                    f"not an option of {name}: {part!r}", element=argument, value=text,
                    allowed=", ".join(f"{known}=…" for known in self.options) or "none",
                )  # fmt: skip
            found.setdefault(key, []).append(unquote(value))
        return found


def _csv(asked: Asked) -> Recorded | Live:
    from standoff.streams.sources.csv_table import CsvPipe, CsvTable

    return CsvPipe(asked.name) if asked.where == "-" else CsvTable(asked.where, asked.name)


def _jsonl(asked: Asked) -> Recorded | Live:
    from standoff.streams.sources.lines import JsonLines, JsonPipe

    return JsonPipe(asked.name) if asked.where == "-" else JsonLines(asked.where, asked.name)


def _bag(asked: Asked) -> Recorded:
    from standoff.streams.decoders import WORLD
    from standoff.streams.sources.bag import Bag

    topics = asked.options.get("topic", [])
    return Bag(asked.where, topics, asked.one("world", WORLD), asked.name)


def _zenoh(asked: Asked) -> Live:
    from standoff.streams.decoders import JOINT_STATE, WORLD
    from standoff.streams.sources.zenoh_topic import ZenohTopic

    kind, world = asked.one("type", JOINT_STATE), asked.one("world", WORLD)
    return ZenohTopic(asked.keys, asked.used_link, kind, world, asked.name)


def _terminal(asked: Asked) -> Sink:
    from standoff.streams.sinks.terminal import TerminalLines

    return TerminalLines(plain=asked.text.startswith("plain"), progress=asked.progress)


def _json_lines(asked: Asked) -> Sink:
    from standoff.streams.sinks.json_lines import JsonLines

    return JsonLines(asked.where, every=_every(asked))


def _recorder(asked: Asked) -> Sink:
    from standoff.streams.record.recorder import Recorder

    return Recorder(asked.where)


def _publisher(asked: Asked) -> Sink:
    from standoff.streams.sinks.zenoh_topics import ZenohTopics

    return ZenohTopics(asked.where, asked.used_link)


def _every(asked: Asked) -> float:
    (given,) = asked.options.get("every", [str(QUIET_LINE_PERIOD)])[-1:]
    try:
        every = float(given)
    except ValueError:
        every = -1.0
    if not 0.0 <= every < math.inf:
        raise StreamError(
            "every is no time", element="--to", value=asked.text,
            allowed="seconds; 0 for every cycle",
        )  # fmt: skip
    return every


_LINES: Final = (".jsonl", ".ndjson")

SOURCES: Final[dict[str, Kind]] = {
    "csv": Kind(_csv, "csv:FILE", (), (".csv", ".tsv"), pipe=True),
    "jsonl": Kind(_jsonl, "jsonl:FILE", (), _LINES, pipe=True),
    "bag": Kind(
        _bag, "bag:FILE or bag:FOLDER (ROS 1 or ROS 2)", ("topic", "world"), (".bag", ".db3")
    ),
    "mcap": Kind(_bag, "mcap:FILE", ("topic", "world"), (".mcap",)),
    "zenoh": Kind(_zenoh, "zenoh:KEY", ("topic", "listen", "connect", "type", "world"), (), "key"),
}

SINKS: Final[dict[str, Kind]] = {
    "terminal": Kind(_terminal, "terminal", place=""),
    "plain": Kind(_terminal, "plain", place=""),
    "jsonl": Kind(_json_lines, "jsonl:FILE or jsonl:- (standard output)", ("every",), _LINES),
    "mcap": Kind(_recorder, "mcap:FILE (the recording, for replay and Foxglove)", (), (".mcap",)),
    "zenoh": Kind(_publisher, "zenoh:KEY", ("listen", "connect"), (), "key"),
}


def _suffixes(kinds: Mapping[str, Kind]) -> dict[str, str]:
    """What a suffix stands for."""
    return {suffix: name for name, kind in kinds.items() for suffix in kind.suffixes}


def _usages(kinds: Mapping[str, Kind]) -> str:
    return ", ".join(kind.usage for kind in kinds.values())


#: What may be written, for people.
ALLOWED_SOURCES: Final = (
    _usages(SOURCES)
    + f"; {' or '.join(f'{name}:-' for name, kind in SOURCES.items() if kind.pipe)} "
    + f"(standard input); FILE alone where it ends in {', '.join(_suffixes(SOURCES))}, or is the "
    + "folder of a bag"
)
ALLOWED_SINKS: Final = (
    _usages(SINKS) + f"; FILE alone where it ends in {', '.join(_suffixes(SINKS))}"
)


def open_source(text: str, *, link: Link | None = None) -> Recorded | Live:
    """Open what the command line says.

    ``csv:run.csv``, ``jsonl:-`` (standard input), ``bag:run.bag?topic=/joint_states`` (``topic``
    may stand several times, with ``&`` between), ``mcap:run.mcap``, ``zenoh:cell/joint_states``.
    The kind may be left out where the suffix tells, or for the folder of a bag. Names that hold a
    ``?`` are taken whole where there is such a file. The source is called ``kind:where`` whichever
    way it was written, so that a rule of the cell file for ``csv:*`` holds for ``run.csv``.

    Args:
        link: how Zenoh reaches others where the text does not say (``?listen=``, ``?connect=``).

    Raises:
        StreamError: no such kind, file, topic or option, or it cannot be opened.
        MissingPackageError: it needs a package that is not installed.
    """
    kind, asked = _source(text, link)
    if not asked.where and not (kind == "zenoh" and "topic" in asked.options):
        raise StreamError(
            "where from is missing", element="--from", value=text, allowed=ALLOWED_SOURCES
        )
    opened: Recorded | Live = SOURCES[kind].open(asked)
    return opened


def source_files(text: str) -> list[Path]:
    """The files that a source reads; the folder of a bag and all in it; none for a pipe or a topic.

    Raises:
        StreamError: no such kind.
    """
    kind, whole = source_kind(text)
    where, _ = _source_parts(whole)
    if SOURCES[kind].place != "file" or where in ("", "-"):
        return []
    path = Path(where)
    try:
        return [path, *path.iterdir()] if _is_folder(where) else [path]
    except OSError:
        return [path]


def source_keys(text: str) -> list[str]:
    """The keys that a source listens to, with their wildcards; none where it is not of Zenoh.

    Raises:
        StreamError: no such kind or option.
    """
    kind, asked = _source(text, None)
    return asked.keys if kind == "zenoh" else []


def check_one_reader(sources: Sequence[str]) -> None:
    """Refuse two that read standard input: each would get some of the lines.

    Raises:
        StreamError: it names them.
    """
    asked = {text: source_kind(text) for text in sources}
    readers = [t for t in sources if asked[t][1] == "-" and SOURCES[asked[t][0]].pipe]
    if len(readers) > 1:
        raise StreamError(
            "standard input is read twice", element="--from", value=", ".join(readers),
            allowed="one of them",
        )  # fmt: skip


def source_kind(text: str) -> tuple[str, str]:
    """The kind, and where it comes from with its options.

    Raises:
        StreamError: no such kind.
    """
    kind, colon, where = text.partition(":")
    if colon and kind in SOURCES:
        return kind, where
    path = text if _exists(text) else text.partition("?")[0]
    if text and _is_folder(path):
        return "bag", text
    by_suffix = _suffixes(SOURCES).get(Path(path).suffix.lower())
    if by_suffix is None:
        hint = nearest(kind, SOURCES, 1) if colon and "/" not in kind else []
        raise StreamError(
            "not a source",
            element="--from",
            value=text,
            allowed=ALLOWED_SOURCES + (f" (did you mean {hint[0]}:?)" if hint else ""),
        )
    return by_suffix, text


def _source(text: str, link: Link | None) -> tuple[str, Asked]:
    kind, whole = source_kind(text)
    where, query = _source_parts(whole)
    options = SOURCES[kind].options_of(query, kind, "--from", text)
    return kind, Asked(text, f"{kind}:{whole}", where, options, link)


def _source_parts(whole: str) -> tuple[str, str | None]:
    """Where from, and what stands behind the question mark, None where there is none."""
    plain, mark, query = whole.partition("?")
    return (plain, query) if mark and not _exists(whole) else (whole, None)


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def sink_kind(text: str) -> tuple[str, str]:
    """The kind and where it goes.

    Raises:
        StreamError: no such kind.
    """
    kind, colon, where = text.partition(":")
    if kind in SINKS and (colon or not SINKS[kind].place):
        return kind, where
    by_suffix = _suffixes(SINKS).get(Path(text.partition("?")[0]).suffix.lower())
    if by_suffix is None or text.startswith(":"):
        raise StreamError("not a sink", element="--to", value=text, allowed=ALLOWED_SINKS)
    return by_suffix, text


def _sink_parts(text: str) -> tuple[str, str, str | None]:
    """The kind, where to, and what stands behind the question mark, None where there is none. In
    the name of a file of a kind without options a question mark is like any other character."""
    kind, whole = sink_kind(text)
    where, mark, query = whole.partition("?")
    return (kind, where, query) if mark and SINKS[kind].options else (kind, whole, None)


def sink_file(text: str) -> Path | None:
    """The file that a sink writes; None where it writes none.

    Raises:
        StreamError: no such kind.
    """
    kind, where, _ = _sink_parts(text)
    return Path(where) if SINKS[kind].place == "file" and where not in ("", "-") else None


def sink_key(text: str) -> str | None:
    """The key below which a sink publishes; None where it does not.

    Raises:
        StreamError: no such kind.
    """
    kind, where, _ = _sink_parts(text)
    return where if SINKS[kind].place == "key" and where else None


def to_stdout(text: str) -> bool:
    """Whether a sink writes its own lines to standard output, so that none for people belong there.

    Raises:
        StreamError: no such kind.
    """
    kind, where, _ = _sink_parts(text)
    return SINKS[kind].place == "file" and where == "-"


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
    name, where, query = _sink_parts(text)
    kind = SINKS[name]
    options = kind.options_of(query, name, "--to", text)
    if kind.place and not where:
        raise StreamError("where to is missing", element="--to", value=text, allowed=ALLOWED_SINKS)
    if where and not kind.place:
        raise StreamError(f"{name} has no name", element="--to", value=text, allowed=ALLOWED_SINKS)
    opened: Sink = kind.open(Asked(text, name, where, options, link, progress))
    return opened


def check_not_own_topics(sources: Sequence[str], sinks: Sequence[str]) -> None:
    """Refuse a source of Zenoh whose keys are also those that a sink publishes. Each report would
    be a message that is none, and so the next report: a fault without end. Whatever addresses they
    have: a router may bring back what was sent elsewhere.

    Raises:
        StreamError: it names both, and the keys.
    """
    from standoff.streams.sinks.zenoh_topics import topics_of

    published = {text: topics_of(key) for text in sinks if (key := sink_key(text))}
    subscribed = {text: source_keys(text) for text in sources}
    if not published or not any(subscribed.values()):
        return
    try:
        import zenoh
    except ImportError:
        return  # who opens them says so
    for source, keys in subscribed.items():
        for sink, topics in published.items():
            both = [topic for topic in topics if any(_meet(zenoh, key, topic) for key in keys)]
            if both:
                raise StreamError(
                    f"the watch would hear itself: --to {sink} publishes {' and '.join(both)}",
                    element="--from", value=source,
                    allowed="keys without these, such as cell/joint_states or cell/*/joint_states",
                )  # fmt: skip


def _meet(zenoh: Any, one: str, other: str) -> bool:
    """Whether two expressions have a key in common; not where one is none: who opens it says so."""
    try:
        return bool(zenoh.KeyExpr.autocanonize(one).intersects(zenoh.KeyExpr.autocanonize(other)))
    except zenoh.ZError:
        return False
