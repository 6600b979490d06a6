"""Sources as the command line writes them: ``kind:where?option=value``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from standoff.errors import StreamError, nearest
from standoff.streams.decoders import JOINT_STATE, WORLD
from standoff.streams.kind_options import Options, link_of, options_of
from standoff.streams.source import Live, Recorded
from standoff.streams.sources.bag import Bag
from standoff.streams.sources.csv_table import CsvPipe, CsvTable
from standoff.streams.sources.jsonl import JsonLines, JsonPipe
from standoff.streams.sources.zenoh_topic import ZenohTopic
from standoff.streams.zenoh_session import Link

#: What a suffix stands for.
SUFFIXES: Final = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".bag": "bag",
    ".db3": "bag",
    ".mcap": "mcap",
}

ALLOWED: Final = (
    "csv:FILE, jsonl:FILE, csv:- or jsonl:- (standard input), bag:FILE or bag:FOLDER, mcap:FILE, "
    "zenoh:KEY; FILE alone where it ends in .csv, .jsonl, .bag, .db3 or .mcap, or is the folder "
    "of a bag"
)


def _csv(where: str, options: Options, name: str, link: Link | None) -> Recorded | Live:
    return CsvPipe(name) if where == "-" else CsvTable(where, name)


def _jsonl(where: str, options: Options, name: str, link: Link | None) -> Recorded | Live:
    return JsonPipe(name) if where == "-" else JsonLines(where, name)


def _bag(where: str, options: Options, name: str, link: Link | None) -> Recorded | Live:
    return Bag(where, options.get("topic", []), _one(options, "world", WORLD), name)


def _zenoh(where: str, options: Options, name: str, link: Link | None) -> Recorded | Live:
    keys = [key for key in (where, *options.get("topic", [])) if key]
    kind = _one(options, "type", JOINT_STATE)
    return ZenohTopic(keys, link_of(options, link), kind, _one(options, "world", WORLD), name)


_Open = Callable[[str, Options, str, Link | None], Recorded | Live]

#: Kinds: how each is opened, and the options it takes.
KINDS: Final[dict[str, tuple[_Open, tuple[str, ...]]]] = {
    "csv": (_csv, ()),
    "jsonl": (_jsonl, ()),
    "bag": (_bag, ("topic", "world")),
    "mcap": (_bag, ("topic", "world")),
    "zenoh": (_zenoh, ("topic", "listen", "connect", "type", "world")),
}


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
    """
    kind, whole = source_kind(text)
    options: Options = {}
    where, query = _parts(whole)
    if query is not None:
        options = options_of(query, KINDS[kind][1], kind, "--from", text)
    if not where and not (kind == "zenoh" and "topic" in options):
        raise StreamError("where from is missing", element="--from", value=text, allowed=ALLOWED)
    return KINDS[kind][0](where, options, f"{kind}:{whole}", link)


def source_files(text: str) -> list[Path]:
    """The files that a source reads; the folder of a bag and all in it; none for a pipe or a topic.

    Raises:
        StreamError: no such kind.
    """
    kind, whole = source_kind(text)
    where, _ = _parts(whole)
    if kind == "zenoh" or where in ("", "-"):
        return []
    path = Path(where)
    try:
        return [path, *path.iterdir()] if _is_folder(where) else [path]
    except OSError:
        return [path]


def check_one_reader(sources: Sequence[str]) -> None:
    """Refuse two that read standard input: each would get some of the lines.

    Raises:
        StreamError: it names them.
    """
    readers = [text for text in sources if source_kind(text) in (("csv", "-"), ("jsonl", "-"))]
    if len(readers) > 1:
        raise StreamError(
            "standard input is read twice", element="--from", value=", ".join(readers),
            allowed="one of them",
        )  # fmt: skip


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
