"""What an experiment found, beside what the paper says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table

#: Where the paper's prose gives no number.
UNSAID = "–"

#: Widest table, in characters.
_WIDEST = 1000


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
        justify: JustifyMethod = "right" if k else "left"
        table.add_column(escape(column), header_style="dim", justify=justify, overflow="fold")
    for row in result.rows:
        table.add_row(*map(escape, row))
    width = console.width
    if not console.is_terminal:
        # Into a file or a pipe in full width: what is folded there is hard to read.
        wide = console.options.update(max_width=_WIDEST)
        console.width = max(width, Measurement.get(console, wide, table).maximum)
    console.print(table)
    console.width = width
    for remark in result.remarks:
        text = Padding(escape(remark), (0, 0, 0, 2))
        console.print(text, highlight=False, style="italic")
    console.print()
