"""Files to be written, refused before the work for them is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from standoff.errors import Error


def check_writable(path: Path | None, *suffixes: str, what: str = "") -> None:
    """Make the folder where it is missing; ``suffixes`` are those allowed, if not all are. None is
    a file that nobody wants."""
    if path is None:
        return
    kind = f"a {' or '.join(suffixes)}" if suffixes else "a file"
    allowed = f"{kind} in a folder that can be written to"
    problem = f"cannot write {what} there" if what else "cannot write there"
    make_folder(path.parent, problem, path, allowed)
    wrong = suffixes and path.suffix.lower() not in suffixes
    shut = not os.access(path if path.exists() else path.parent, os.W_OK)
    if wrong or path.is_dir() or shut:
        raise Error(problem, value=str(path), allowed=allowed)


def make_folder(folder: Path, problem: str, path: Path, allowed: str) -> None:
    """A folder for ``path``, or one line on why there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"{problem}: {error.strerror or error}"
        raise Error(why, value=str(path), allowed=allowed) from error


def check_png(path: Path | None) -> None:
    """A plot or a picture."""
    check_writable(path, ".png", what="a plot")


def check_distinct(targets: Iterable[Path | None], sources: Iterable[str | Path | None]) -> None:
    """Refuse a target that is an input, or another target."""
    read = {_identity(Path(source)) for source in sources if source is not None}
    written = set()
    for target in targets:
        if target is None:
            continue
        if _identity(target) in read:
            raise Error("would write over its own input", value=str(target), allowed="another file")
        if _identity(target) in written:
            raise Error("two things in one file", value=str(target), allowed="a file for each")
        written.add(_identity(target))


def _identity(path: Path) -> tuple[int, int] | Path:
    """The same for all names of one file, whatever links lead to it."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return path.absolute() if "\0" in str(path) else path.resolve()
    return found.st_dev, found.st_ino
