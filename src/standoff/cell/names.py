"""Names in a cell: ``left`` (a robot), ``left/link3`` (its link), ``table`` (a body)."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from standoff.errors import CellError, DuplicateNameError

#: Longest name accepted, [characters]; longer ones are noise rather than names.
_LONGEST = 200


def check_name(name: Any, what: str, *taken: Container[str]) -> str:
    """``name`` if it can name a new robot or body, else an error that says why not."""
    allowed = "text without '/', line breaks or control characters, 1 to 200 characters long"
    if not isinstance(name, str):
        raise CellError(f"the name of a {what} is not text", value=name, allowed=allowed)
    if not name or len(name) > _LONGEST or "/" in name or not name.isprintable():
        raise CellError(f"not a name for a {what}", value=name, allowed=allowed)
    if any(name in names for names in taken):
        raise DuplicateNameError(f"the name {name!r} is taken", allowed="a name nobody bears yet")
    return name
