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
from standoff.scalars import instance
from standoff.streams.limits import QUIET_LINE_PERIOD
from standoff.streams.zenoh_session import Link
from standoff.units import PER_SECOND

if TYPE_CHECKING:
    from standoff.streams.protocols import Live, Recorded, Sink


@dataclass(frozen=True)
class Asked:
    """What somebody wrote, taken apart.

    Attributes:
        text: the whole of it.
        argument: of the command line, ``--from`` or ``--to``.
        kind: of stream; how: what is known of that.
        name: what messages call it: ``csv:run.csv``, whether or not the kind was written.
        where: what stands behind the colon, without the options.
        options: in the order given; each may stand several times.
    """

    text: str
    argument: str
    kind: str
    how: Kind
    name: str
    where: str
    options: dict[str, list[str]]

    @property
    def standard(self) -> bool:
        """Whether it is standard input or output."""
        return self.how.place == "file" and self.where == "-"

    @property
    def files(self) -> list[Path]:
        """The file that is read or written, or the folder and all in it; none for a pipe, a key or
        a terminal."""
        if self.how.place != "file" or self.where in ("", "-"):
            return []
        path = Path(self.where)
        try:
            return [path, *path.iterdir()] if _is(Path.is_dir, self.where) else [path]
        except OSError:
            return [path]

    @property
    def keys(self) -> list[str]:
        """Those of Zenoh, with their wildcards; none where it is not of Zenoh."""
        given = (self.where, *self.options.get("topic", []))
        return [key for key in given if key] if self.how.place == "key" else []

    def one(self, key: str, usual: str) -> str:
        """An option that may stand once."""
        values = self.options.get(key, [usual])
        if len(values) > 1:
            raise self.refused(f"{key} is given twice", values, "once")
        return values[0]

    def link(self, link: Link | None) -> Link:
        """A link of Zenoh with the addresses that the options give, those of ``link`` for the
        rest."""
        base = Link() if link is None else link
        listen, connect = self.options.get("listen"), self.options.get("connect")
        return replace(
            base, listen=tuple(listen or base.listen), connect=tuple(connect or base.connect)
        )

    def refused(self, why: str, value: object, allowed: str) -> StreamError:
        """What is wrong with it."""
        return StreamError(why, element=self.argument, value=value, allowed=allowed)


@dataclass(frozen=True)
class Kind:
    """A kind of source or of sink.

    Attributes:
        open: how it is opened; the link is that of the command line.
        usage: how it is written, for people.
        options: those that it takes.
        suffixes: of files that need no kind.
        place: ``file``, ``key``, or empty where it has no place with a name.
        pipe: whether ``-`` is standard input.
    """

    open: Callable[[Asked, Link | None], Any]
    usage: str
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    place: str = "file"
    pipe: bool = False


def _csv(asked: Asked, _: Link | None) -> Recorded | Live:
    from standoff.streams.sources.csv_table import CsvPipe, CsvTable

    unit = _time_unit(asked)
    pipe = asked.where == "-"
    return CsvPipe(asked.name, unit=unit) if pipe else CsvTable(asked.where, asked.name, unit)


def _jsonl(asked: Asked, _: Link | None) -> Recorded | Live:
    from standoff.streams.sources.lines import JsonLines, JsonPipe

    unit = _time_unit(asked)
    pipe = asked.where == "-"
    return JsonPipe(asked.name, unit=unit) if pipe else JsonLines(asked.where, asked.name, unit)


def _time_unit(asked: Asked) -> str:
    unit = asked.one("time", "s")
    if unit not in PER_SECOND:
        raise asked.refused(f"time is in no unit: {unit!r}", asked.text, "s, ms, us or ns")
    return unit


def _bag(asked: Asked, _: Link | None) -> Recorded:
    from standoff.streams.decoders import WORLD
    from standoff.streams.sources.bag import Bag

    topics = asked.options.get("topic", [])
    return Bag(asked.where, topics, asked.one("world", WORLD), asked.name)


def _zenoh(asked: Asked, link: Link | None) -> Live:
    from standoff.streams.decoders import JOINT_STATE, WORLD
    from standoff.streams.sources.zenoh_topic import ZenohTopic

    kind, world = asked.one("type", JOINT_STATE), asked.one("world", WORLD)
    return ZenohTopic(asked.keys, asked.link(link), kind, world, asked.name)


def _terminal(asked: Asked, _: Link | None) -> Sink:
    from standoff.streams.sinks.terminal import TerminalLines

    return TerminalLines(plain=asked.kind == "plain")


def _json_lines(asked: Asked, _: Link | None) -> Sink:
    from standoff.streams.sinks.json_lines import JsonLines

    try:
        every = float(asked.one("every", str(QUIET_LINE_PERIOD)))
    except ValueError:
        every = -1.0
    if not 0.0 <= every < math.inf:
        raise asked.refused("every is no time", asked.text, "seconds; 0 for every cycle")
    return JsonLines(asked.where, every=every)


def _recorder(asked: Asked, _: Link | None) -> Sink:
    from standoff.streams.record.recorder import Recorder

    return Recorder(asked.where)


def _publisher(asked: Asked, link: Link | None) -> Sink:
    from standoff.streams.sinks.zenoh_topics import ZenohTopics

    return ZenohTopics(asked.where, asked.link(link))


_LINES: Final = (".jsonl", ".ndjson")

SOURCES: Final[dict[str, Kind]] = {
    "csv": Kind(_csv, "csv:FILE (times in ms: ?time=ms)", ("time",), (".csv", ".tsv"), pipe=True),
    "jsonl": Kind(_jsonl, "jsonl:FILE", ("time",), _LINES, pipe=True),
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


def source_of(text: str) -> Asked:
    """A source, taken apart. A name that holds a ``?`` is taken whole where there is such a file.

    Raises:
        StreamError: no such kind or option.
    """
    kind, colon, whole = instance("source", text, StreamError, str).partition(":")
    if not (colon and kind in SOURCES):
        path = text if _is(Path.exists, text) else text.partition("?")[0]
        known = "bag" if text and _is(Path.is_dir, path) else _by_suffix(path, SOURCES)
        if known is None:
            hint = nearest(kind, SOURCES, 1) if colon and "/" not in kind else []
            allowed = ALLOWED_SOURCES + (f" (did you mean {hint[0]}:?)" if hint else "")
            raise StreamError("not a source", element="--from", value=text, allowed=allowed)
        kind, whole = known, text
    return _apart(text, "--from", kind, SOURCES[kind], whole, not _is(Path.exists, whole))


def sink_of(text: str) -> Asked:
    """A sink, taken apart. In the name of a file of a kind without options a question mark is like
    any other character.

    Raises:
        StreamError: no such kind or option.
    """
    kind, colon, whole = instance("sink", text, StreamError, str).partition(":")
    if not (kind in SINKS and (colon or not SINKS[kind].place)):
        known = _by_suffix(text.partition("?")[0], SINKS)
        if known is None or text.startswith(":"):
            raise StreamError("not a sink", element="--to", value=text, allowed=ALLOWED_SINKS)
        kind, whole = known, text
    return _apart(text, "--to", kind, SINKS[kind], whole, bool(SINKS[kind].options))


def _apart(text: str, argument: str, kind: str, how: Kind, whole: str, options: bool) -> Asked:
    where, mark, query = whole.partition("?") if options else (whole, "", "")
    asked = Asked(text, argument, kind, how, f"{kind}:{whole}", where, {})
    for part in query.split("&") if mark else ():
        key, given, value = part.partition("=")
        if key not in how.options or not given or not value:
            allowed = ", ".join(f"{known}=…" for known in how.options) or "none"
            raise asked.refused(f"not an option of {kind}: {part!r}", text, allowed)
        asked.options.setdefault(key, []).append(unquote(value))
    return asked


def _by_suffix(path: str, kinds: Mapping[str, Kind]) -> str | None:
    return _suffixes(kinds).get(Path(path).suffix.lower())


def _is(test: Callable[[Path], bool], path: str) -> bool:
    """`Path.exists` or `Path.is_dir`, of what may be no path at all."""
    try:
        return test(Path(path))
    except (OSError, ValueError):
        return False


def open_source(text: str, *, link: Link | None = None) -> Recorded | Live:
    """Open what the command line says.

    ``csv:run.csv``, ``jsonl:-`` (standard input), ``bag:run.bag?topic=/joint_states`` (``topic``
    may stand several times, with ``&`` between), ``csv:run.csv?time=ms`` (unit of the times: s, ms,
    us or ns), ``mcap:run.mcap``, ``zenoh:cell/joint_states``.
    The kind may be left out where the suffix tells, or for the folder of a bag. The source is
    called ``kind:where`` whichever way it was written, so that a rule of the cell file for
    ``csv:*`` holds for ``run.csv``.

    Args:
        link: how Zenoh reaches others where the text does not say (``?listen=``, ``?connect=``).

    Raises:
        StreamError: no such kind, file, topic or option, or it cannot be opened.
        MissingPackageError: it needs a package that is not installed.
    """
    asked = source_of(text)
    if not (asked.where or asked.keys):
        raise asked.refused("where from is missing", text, ALLOWED_SOURCES)
    opened: Recorded | Live = asked.how.open(asked, link)
    return opened


def open_sink(text: str, *, link: Link | None = None) -> Sink:
    """Open what a line of the command says.

    Args:
        text: ``jsonl:run.jsonl`` (``?every=S``: seconds between quiet lines, 0 for all cycles),
            ``jsonl:-`` (standard output), ``mcap:run.mcap``, ``zenoh:cell/standoff`` (``?listen=``
            and ``?connect=``, each repeatable with ``&``), ``terminal``, ``plain``; the kind may be
            left out where the suffix tells.
        link: how Zenoh reaches others.

    Raises:
        StreamError: no such kind, or it cannot be opened.
        MissingPackageError: it needs a package that is not installed.
    """
    asked = sink_of(text)
    if bool(asked.where) != bool(asked.how.place):
        why = f"{asked.kind} has no name" if asked.where else "where to is missing"
        raise asked.refused(why, text, ALLOWED_SINKS)
    opened: Sink = asked.how.open(asked, link)
    return opened


def check_one_reader(sources: Sequence[str]) -> None:
    """Refuse two that read standard input: each would get some of the lines.

    Raises:
        StreamError: it names them.
    """
    readers = [asked for asked in map(source_of, sources) if asked.standard and asked.how.pipe]
    if len(readers) > 1:
        texts = ", ".join(asked.text for asked in readers)
        raise readers[0].refused("standard input is read twice", texts, "one of them")


def check_not_own_topics(sources: Sequence[str], sinks: Sequence[str]) -> None:
    """Refuse a source of Zenoh whose keys are also those that a sink publishes. Each report would
    be a message that is none, and so the next report: a fault without end. Whatever addresses they
    have: a router may bring back what was sent elsewhere.

    Raises:
        StreamError: it names both, and the keys.
    """
    from standoff.streams.sinks.zenoh_topics import topics_of

    published = {text: topics_of(key) for text in sinks for key in sink_of(text).keys}
    subscribed = [asked for asked in map(source_of, sources) if asked.keys]
    if not published or not subscribed:
        return
    try:
        import zenoh
    except ImportError:
        return  # who opens them says so
    for asked in subscribed:
        for sink, topics in published.items():
            both = [t for t in topics if any(_meet(zenoh, key, t) for key in asked.keys)]
            if both:
                why = f"the watch would hear itself: --to {sink} publishes {' and '.join(both)}"
                allowed = "keys without these, such as cell/joint_states or cell/*/joint_states"
                raise asked.refused(why, asked.text, allowed)


def _meet(zenoh: Any, one: str, other: str) -> bool:
    """Whether two expressions have a key in common; not where one is none: who opens it says so."""
    try:
        return bool(zenoh.KeyExpr.autocanonize(one).intersects(zenoh.KeyExpr.autocanonize(other)))
    except zenoh.ZError:
        return False
