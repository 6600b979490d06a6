"""Sources as the command line writes them: ``kind:where?option=value``.

The help of the command line is made of this table, so a source is imported when it is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from standoff.errors import StreamError, nearest
from standoff.streams.kind_options import Options, link_of, options_of
from standoff.streams.zenoh_session import Link

if TYPE_CHECKING:
    from standoff.streams.source import Live, Recorded


def _csv(where: str, options: Options, name: str, link: Link | None) -> Recorded | Live:
    from standoff.streams.sources.csv_table import CsvPipe, CsvTable

    return CsvPipe(name) if where == "-" else CsvTable(where, name)


def _jsonl(where: str, options: Options, name: str, link: Link | None) -> Recorded | Live:
    from standoff.streams.sources.jsonl import JsonLines, JsonPipe

    return JsonPipe(name) if where == "-" else JsonLines(where, name)


def _bag(where: str, options: Options, name: str, link: Link | None) -> Recorded | Live:
    from standoff.streams.decoders import WORLD
    from standoff.streams.sources.bag import Bag

    return Bag(where, options.get("topic", []), _one(options, "world", WORLD), name)


def _zenoh(where: str, options: Options, name: str, link: Link | None) -> Recorded | Live:
    from standoff.streams.decoders import JOINT_STATE, WORLD
    from standoff.streams.sources.zenoh_topic import ZenohTopic

    kind = _one(options, "type", JOINT_STATE)
    return ZenohTopic(
        _keys(where, options), link_of(options, link), kind, _one(options, "world", WORLD), name
    )


@dataclass(frozen=True)
class Kind:
    """A kind of source.

    Attributes:
        open: how it is opened.
        usage: how it is written, for people.
        options: those that it takes.
        suffixes: of files that need no kind.
        pipe: whether ``-`` is standard input.
        files: whether it reads files.
    """

    open: Callable[[str, Options, str, Link | None], Recorded | Live]
    usage: str
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    pipe: bool = False
    files: bool = True


KINDS: Final[dict[str, Kind]] = {
    "csv": Kind(_csv, "csv:FILE", (), (".csv", ".tsv"), pipe=True),
    "jsonl": Kind(_jsonl, "jsonl:FILE", (), (".jsonl", ".ndjson"), pipe=True),
    "bag": Kind(
        _bag, "bag:FILE or bag:FOLDER (ROS 1 or ROS 2)", ("topic", "world"), (".bag", ".db3")
    ),
    "mcap": Kind(_bag, "mcap:FILE", ("topic", "world"), (".mcap",)),
    "zenoh": Kind(
        _zenoh, "zenoh:KEY", ("topic", "listen", "connect", "type", "world"), files=False
    ),
}

#: What a suffix stands for.
SUFFIXES: Final = {suffix: name for name, kind in KINDS.items() for suffix in kind.suffixes}

#: What may be written, for people.
ALLOWED: Final = (
    ", ".join(kind.usage for kind in KINDS.values())
    + f"; {' or '.join(f'{name}:-' for name, kind in KINDS.items() if kind.pipe)} (standard input)"
    + f"; FILE alone where it ends in {', '.join(SUFFIXES)}, or is the folder of a bag"
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
    kind, whole, where, options = _taken_apart(text)
    if not where and not (kind == "zenoh" and "topic" in options):
        raise StreamError("where from is missing", element="--from", value=text, allowed=ALLOWED)
    return KINDS[kind].open(where, options, f"{kind}:{whole}", link)


def source_files(text: str) -> list[Path]:
    """The files that a source reads; the folder of a bag and all in it; none for a pipe or a topic.

    Raises:
        StreamError: no such kind.
    """
    kind, whole = source_kind(text)
    where, _ = _parts(whole)
    if not KINDS[kind].files or where in ("", "-"):
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
    kind, _, where, options = _taken_apart(text)
    return _keys(where, options) if kind == "zenoh" else []


def check_one_reader(sources: Sequence[str]) -> None:
    """Refuse two that read standard input: each would get some of the lines.

    Raises:
        StreamError: it names them.
    """
    asked = {text: source_kind(text) for text in sources}
    readers = [t for t in sources if asked[t][1] == "-" and KINDS[asked[t][0]].pipe]
    if len(readers) > 1:
        raise StreamError(
            "standard input is read twice", element="--from", value=", ".join(readers),
            allowed="one of them",
        )  # fmt: skip


def _taken_apart(text: str) -> tuple[str, str, str, Options]:
    """The kind, what stands behind it, that without its options, and the options."""
    kind, whole = source_kind(text)
    where, query = _parts(whole)
    if query is None:
        return kind, whole, where, {}
    return kind, whole, where, options_of(query, KINDS[kind].options, kind, "--from", text)


def _keys(where: str, options: Options) -> list[str]:
    return [key for key in (where, *options.get("topic", [])) if key]


def _parts(where: str) -> tuple[str, str | None]:
    """Where from, and what stands behind the question mark, None where there is none."""
    plain, mark, query = where.partition("?")
    return (plain, query) if mark and not _exists(where) else (where, None)


def source_kind(text: str) -> tuple[str, str]:
    """The kind, and where it comes from with its options.

    Raises:
        StreamError: no such kind.
    """
    kind, colon, where = text.partition(":")
    if colon and kind in KINDS:
        return kind, where
    path = text if _exists(text) else text.partition("?")[0]
    if text and _is_folder(path):
        return "bag", text
    by_suffix = SUFFIXES.get(Path(path).suffix.lower())
    if by_suffix is None:
        hint = nearest(kind, KINDS, 1) if colon and "/" not in kind else []
        raise StreamError(
            "not a source",
            element="--from",
            value=text,
            allowed=ALLOWED + (f" (did you mean {hint[0]}:?)" if hint else ""),
        )
    return by_suffix, text


def _one(options: Options, key: str, usual: str) -> str:
    values = options.get(key, [usual])
    if len(values) > 1:
        raise StreamError(f"{key} is given twice", element="--from", value=values, allowed="once")
    return values[0]


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
