"""A header in the middle of a table: a logger that was started again, files that were joined.

Whatever follows it is in its columns, so a row that may be one is not a bad row like others: under
the header of before, values would go to other joints than theirs.
"""

from __future__ import annotations

import re
from typing import Final

from standoff.streams.sources.csv_header import MARKS, TIMES, UNIT, Header, is_number
from standoff.streams.sources.lines import BOM

#: What is left of the row that a header was written behind, without a new line.
_REST: Final = re.compile(r"^[-+.,\d]*")


def may_be_header(line: bytes, header: Header) -> bool:
    """Whether a row that cannot be read under ``header`` looks like another header: it has a column
    of times, a name of the header of before, or as many different words as that and no number.
    A comment has to have a column of times besides."""
    text = line.removeprefix(BOM).decode("utf-8", errors="replace").replace('"', "").strip()
    comment = text.startswith("#")
    text = text.lstrip("# ")
    parts = text.split(max(MARKS, key=text.count))
    fields = [UNIT.sub("", part.strip()).strip() for part in parts]
    while fields and not fields[-1]:
        fields.pop()
    timed = any(_is_time(field, len(fields) > header.width) for field in fields)
    known = not header.names.isdisjoint(fields)
    words = not any(not field or is_number(field) for field in fields)
    alike = words and len({*fields}) == len(fields) == header.width > 1
    if comment:
        return timed and (known or alike)
    return timed or known or alike


def _is_time(field: str, longer: bool) -> bool:
    """Whether it is the name of a column of times, perhaps behind the number that a row broke off
    with. A ``t`` behind a number counts only in a row with more fields than it should have: it may
    be a number that is damaged."""
    word = field.lower()
    rest = _REST.sub("", word)
    return word in TIMES or (rest in TIMES and (rest != "t" or longer))
