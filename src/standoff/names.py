"""Names, texts, paths and lists as they come from outside.

Names in a cell: ``left`` (a robot), ``left/link3`` (its link), ``table`` (a body).
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from standoff.errors import CellError, DuplicateNameError

#: Longest name of a link, a joint, a robot or a body, [characters]; longer ones are noise.
MAX_NAME_LENGTH = 200

#: The rule in words, to follow "text without".
NAME_RULE = f"line breaks or control characters, 1 to {MAX_NAME_LENGTH} characters long"


def is_name(text: str) -> bool:
    """Whether ``text`` can stand in a message, a table or a log as one short word of one line."""
    return 0 < len(text) <= MAX_NAME_LENGTH and text.isprintable()


def check_name(name: Any, what: str, *taken: Container[str]) -> str:
    """``name`` if it can name a new robot or body, else an error that says why not."""
    allowed = f"text without '/', {NAME_RULE}"
    if not isinstance(name, str):
        raise CellError(f"the name of a {what} is not text", value=name, allowed=allowed)
    if "/" in name or not is_name(name):
        raise CellError(f"not a name for a {what}", value=name, allowed=allowed)
    if any(name in names for names in taken):
        raise DuplicateNameError(f"the name {name!r} is taken", allowed="a name nobody bears yet")
    return name


def check_text(text: Any, what: str) -> str:
    """One line of text that can be written to a file."""
    if not isinstance(text, str) or not text.isprintable():
        raise CellError(f"not a {what}", value=text, allowed="one line of text")
    return text


def as_path(value: Any, what: str) -> Path:
    """A path, or an error that says what was given instead."""
    try:
        if not isinstance(value, (str, Path)) or b"\0" in os.fsencode(value) or not str(value):
            raise ValueError("not a path")
    except ValueError as error:
        raise CellError("not a path", element=what, value=value, allowed="a file's path") from error
    return Path(value)


def listed(values: Any, what: str) -> list[Any]:
    """The items of a list, a tuple or the like; one text alone is not a list of its letters."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise CellError("not a list", element=what, value=values, allowed="a list")
    return list(values)
