"""What a record says of the watch that made it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

import standoff
from standoff.cell.cell import Cell
from standoff.cell.files import cell_text, load_text
from standoff.errors import StreamError
from standoff.streams.options import WatchOptions


class DamagedError(StreamError):
    """Something of a record was altered, or is missing from its middle."""


_FORMAT = "3"

#: The key of the digest of all the other texts.
_DIGEST = "texts"


def about(
    cell: Cell, options: WatchOptions, sources: Sequence[str], sinks: Sequence[str], folder: Path
) -> dict[str, str]:
    """Texts for a record in ``folder``, which the paths in the cell are relative to.

    Raises:
        StreamError: a file of the cell has a name that is no UTF-8, which a record is.
    """
    texts = {
        "format": _FORMAT,
        "cell": _utf_8(cell_text(cell, folder)),
        "digest": digest(cell),
        "options": json.dumps(asdict(options)),
        "sources": json.dumps([*sources]),
        "sinks": json.dumps([*sinks]),
        "standoff": standoff.__version__,
        "numpy": np.__version__,
        "machine": f"{platform.machine()} {platform.system()}",
    }
    return {**texts, _DIGEST: _digest_of(texts)}


def _utf_8(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text[text.rfind("\n", 0, error.start) + 1 :].partition("\n")[0]
        raise StreamError(
            "the cell has a file with a name that no record can have",
            element="mcap",
            value=line,
            allowed="names in UTF-8",
        ) from error
    return text


def _digest_of(texts: Mapping[str, str]) -> str:
    """Of all texts but itself, with the length of each: nothing moves from one to the next."""
    sum_ = hashlib.sha256()
    for text in (part for key in sorted({*texts} - {_DIGEST}) for part in (key, texts[key])):
        data = text.encode()
        sum_.update(b"%d:" % len(data) + data)
    return sum_.hexdigest()[:16]


def digest(cell: Cell) -> str:
    """Of all numbers of a cell, and of who may touch whom: what the files that it refers to say of
    either, too. Reasons decide nothing, and are left out."""
    tables, tree = cell.model.tables, cell.tree
    sum_ = hashlib.sha256()
    for array in (
        tables.owner, tables.frame, tables.local, tables.rows, tables.refs,
        *(value for value in vars(tables.geometry).values() if isinstance(value, np.ndarray)),
        tree.reals, tree.ints, tree.lower, tree.upper, tree.velocity,
    ):  # fmt: skip
        sum_.update(np.ascontiguousarray(array).tobytes())
    pairs = (name for pair in sorted(cell.pairs.reasons) for name in pair)
    for names in (cell.model.names, cell.joints, pairs):
        sum_.update("\0".join((*names, "\0")).encode())
    return sum_.hexdigest()[:16]


def reopened(
    texts: Mapping[str, str], path: Path
) -> tuple[Cell, WatchOptions, list[str], list[str]]:
    """Cell, options, sources and sinks of a record.

    Raises:
        DamagedError: the texts are not those that were written.
        StreamError: of another format, or what the files of the cell say of its robots, shapes and
            allowed pairs is not what it was.
    """
    whole = texts.get(_DIGEST) == _digest_of(texts)
    if texts.get("format") != _FORMAT and (whole or _DIGEST not in texts):
        raise StreamError(
            "not a record of standoff, or of another version", file=path,
            value=texts.get("format"), allowed=_FORMAT,
        )  # fmt: skip
    if not whole:
        raise DamagedError("damaged: what it says of its cell and options was altered", file=path)
    missing = {"cell", "digest", "options", "sources", "sinks"} - {*texts}
    if missing:
        raise DamagedError(f"damaged: it has no {', '.join(sorted(missing))}", file=path)
    cell = load_text(texts["cell"], str(path), path.absolute().parent)
    if digest(cell) != texts["digest"]:
        raise StreamError(
            "the robots, meshes or allowed pairs of its cell are not those that were recorded",
            file=path,
            value=digest(cell),
            allowed=texts["digest"],
        )
    try:
        options = WatchOptions.from_dict(json.loads(texts["options"]))
        sources, sinks = _names(texts["sources"]), _names(texts["sinks"])
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError(f"damaged: {error}", file=path) from error
    return cell, options, sources, sinks


def _names(text: str) -> list[str]:
    found = json.loads(text)
    if not (isinstance(found, list) and all(isinstance(name, str) for name in found)):
        raise ValueError("not a list of names")
    return found
