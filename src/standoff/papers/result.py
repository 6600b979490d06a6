"""What an experiment found, beside what the paper says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

#: Where the paper's prose gives no number.
UNSAID = "–"


@dataclass(frozen=True, eq=False)
class Result:
    """One experiment.

    Attributes:
        title: what was asked.
        columns: their headings; the first says of what a row is.
        rows: as text, one cell a column.
        remarks: how it was measured, and in plain words how the answer differs from the paper's.
        figures: the numbers behind the rows, by name.
        plot: draws them into a file.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    plot: Callable[[Path], None] | None = None


def show(result: Result, console: Console) -> None:
    """Print the table and the remarks under it."""
    console.print(escape(result.title), style="bold", highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for k, column in enumerate(result.columns):
        table.add_column(escape(column), header_style="dim", justify="right" if k else "left")
    for row in result.rows:
        table.add_row(*map(escape, row))
    console.print(table)
    for remark in result.remarks:
        text = Padding(escape(remark), (0, 0, 0, 2))
        console.print(text, highlight=False, style="italic")
    console.print()
