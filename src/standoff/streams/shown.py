"""Names from outside, fit to be shown: nothing in them moves a cursor, rings a bell or breaks a
line.
"""

from __future__ import annotations

import sys

from standoff.names import MAX_NAME_LENGTH


def shown(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """``text`` on one line, in at most ``longest`` characters: whatever cannot be printed (control
    characters, line breaks, what turns the direction of writing, halves of characters) is written
    out as Python would, ``\\x1b`` for an escape. Markup and HTML are left to who shows it."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    if cut.isprintable():
        return cut
    out = "".join(c if c.isprintable() else _written_out(c) for c in cut)
    return out if len(out) <= longest else out[: longest - 1] + "…"


def shown_lines(text: str) -> str:
    """A message of ours, whole, with names from outside in it: as `shown`, but its lines stay."""
    return "\n".join(shown(line, sys.maxsize) for line in text.split("\n"))


def _written_out(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
