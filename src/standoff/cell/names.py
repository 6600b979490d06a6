"""Names in a cell: ``left`` (a robot), ``left/link3`` (its link), ``table`` (a body)."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from standoff.errors import CellError, DuplicateNameError
from standoff.names import NAME_RULE, is_name


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
