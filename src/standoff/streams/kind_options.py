"""What stands behind the question mark of a source or a sink: ``?option=value&option=value``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from standoff.errors import StreamError
from standoff.streams.zenoh_session import Link

#: Each may stand several times.
Options = dict[str, list[str]]


def options_of(query: str, known: Sequence[str], kind: str, argument: str, text: str) -> Options:
    """The options, in the order given.

    Raises:
        StreamError: one that ``kind`` does not have, or without a value; ``argument`` and ``text``
            are what the user wrote.
    """
    found: Options = {}
    for part in query.split("&"):
        key, mark, value = part.partition("=")
        if key not in known or not mark or not value:
            raise StreamError(
                f"not an option of {kind}: {part!r}",
                element=argument,
                value=text,
                allowed=", ".join(f"{name}=…" for name in known) or "none",
            )
        found.setdefault(key, []).append(unquote(value))
    return found


def link_of(options: Options, link: Link | None) -> Link:
    """A link of Zenoh with the addresses that the options give, those of ``link`` for the rest."""
    base = Link() if link is None else link
    return replace(
        base,
        listen=tuple(options.get("listen", base.listen)),
        connect=tuple(options.get("connect", base.connect)),
    )
