"""How a check says no.

Which proof is meant, in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from standoff.paths.certificate import GROUP, METHODS

if TYPE_CHECKING:
    from standoff.paths.verify.rows import Rows


class NotProvedError(Exception):
    """A certificate does not prove what it says; the message is the reason in words."""


def describe(rows: Rows, k: int) -> str:
    """``proof 12 (shape), left/link3 and table, piece 0, u from 0.25 to 0.5``."""
    row = rows.proofs[k]
    a = rows.scene.part(int(rows.a[k]))
    b = f"group {row['b']}" if row["method"] == GROUP else str(rows.scene.part(int(rows.b[k])))
    return (
        f"proof {rows.number[k]} ({METHODS[row['method']]}), {a} and {b}, "
        f"piece {row['piece']}, u from {row['start']:.9g} to {row['end']:.9g}"
    )
