"""Which pairs can never touch, as tables on a terminal."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from standoff.cell.cell import Cell
from standoff.paths.apart import Apart, CanTouch, prove_apart
from standoff.view.progress import announced, waiting
from standoff.view.words import counted, marked, table_of


def proved(cell: Cell, clearance: float, budget: int, console: Console) -> Apart:
    """Try to prove all watched pairs apart, under a bar where it takes long."""
    with announced(console), waiting(console, "Proving pairs apart") as done:
        return prove_apart(cell, clearance=clearance, budget=budget, progress=done)


def show(result: Apart, cell: Cell, console: Console) -> None:
    """Print the pairs that were proved apart, those that can touch, and those that are open."""
    counts = (len(result.apart), len(result.touching), len(result.open))
    gap = f"stay more than {1e3 * result.clearance:g} mm apart" if result.clearance else ""
    marked(
        console,
        f"[bold]{counted(sum(counts), 'watched pair')}[/bold]: {counts[0]} "
        f"{gap or 'can never touch'} within the joint limits, "
        f"{counts[1]} {'do not' if gap else 'can'}, {counts[2]} stay open",
    )
    for table in (_apart(result), _touching(result, cell), _open(result)):
        if table.row_count:
            console.print()
            console.print(table)


def show_allowed(result: Apart, file: Path, console: Console) -> None:
    """Say what a cell file allows now."""
    count = f"{len(result.apart)} proved pair" + (" is" if len(result.apart) == 1 else "s are")
    marked(
        console,
        f"{count} allowed in {escape(str(file))}, for as long as shapes, joints and limits are "
        "those of the proof",
    )


def _apart(result: Apart) -> Table:
    table = table_of("Proved apart", "body", "and", r"farther than \[mm]", "boxes")
    for pair in result.apart:
        table.add_row(
            escape(pair.a), escape(pair.b), _floored(1e3 * pair.distance), f"{pair.boxes:,}"
        )
    for column in table.columns[2:]:
        column.justify = "right"
    return table


def _floored(value: float) -> str:
    """With three digits, never more than the value: it is what was proved."""
    return f"{Context(prec=3, rounding=ROUND_FLOOR).create_decimal(value).normalize():f}"


def _touching(result: Apart, cell: Cell) -> Table:
    near = f"{1e3 * result.clearance:g} mm"
    title = f"Can come within {near}" if result.clearance else "Can touch"
    # The first configuration found, which is not the nearest one.
    table = table_of(title, "body", "and", r"example distance \[mm]", "where")
    for pair in result.touching:
        table.add_row(
            escape(pair.a), escape(pair.b), f"{1e3 * pair.distance:.3f}", _where(pair, cell)
        )
    table.columns[2].justify = "right"
    return table


def _where(pair: CanTouch, cell: Cell) -> str:
    """The joints that move the two against each other, without the robot's name where they are all
    of one."""
    robots = {name.partition("/")[0] for name in pair.joints}
    values = dict(zip(cell.joints, pair.q, strict=True))
    shown = []
    for name in pair.joints:
        short = name.partition("/")[2] if len(robots) == 1 else name
        shown.append(f"{escape(short)} {round(float(values[name]), 3) + 0.0:g}")
    return ", ".join(shown)


def _open(result: Apart) -> Table:
    table = table_of("Open, and to be watched", "body", "and", "because", r"nearest found \[mm]")
    for pair in result.open:
        nearest = "" if pair.nearest is None else f"{1e3 * pair.nearest:.3f}"
        table.add_row(escape(pair.a), escape(pair.b), escape(pair.reason), nearest)
    table.columns[3].justify = "right"
    return table
