"""Lengths, places and numbers in words; lines and tables as the commands print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array

if TYPE_CHECKING:
    from standoff.paths.verdict import Verdict


def mm(distance: float) -> str:
    """Such as ``3.2 mm``."""
    return f"{1e3 * distance:.4g} mm"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Such as ``1 segment`` and ``2 segments``."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def not_watched(cell: Cell) -> dict[str, str]:
    """The links and robots that are not watched, as a fact with its name; empty where all are."""
    bare, robots = cell.unwatched, cell.unwatched_robots
    words = [f"links without collision geometry ({', '.join(bare)})"] if bare else []
    if robots:
        words.append(f"robots without a watched pair ({', '.join(robots)})")
    return {"not watched": "; ".join(words)} if words else {}


def at_point(point: Array) -> str:
    """A point in the world."""
    return "at " + ", ".join(f"{x:.4f}" for x in point) + " m"


def marked(console: Console, text: str) -> None:
    """Print a line with markup, however long it is."""
    console.print(text, highlight=False, soft_wrap=True)


def plain(console: Console, text: str) -> None:
    """Print a line in which names from outside stand: nothing in it is markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def show_outcome(
    console: Console,
    good: bool,
    word: str,
    sentence: str,
    notes: Iterable[str],
    facts: Sequence[tuple[str, str]],
) -> None:
    """Print what came of something: a word, green where it is good, and a sentence; then notes,
    and facts with their names."""
    colour = "green" if good else "red"
    marked(console, f"[bold {colour}]{word}[/bold {colour}]: {escape(sentence)}")
    for note in notes:
        marked(console, f"  [yellow]note[/yellow] {escape(note)}")
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        marked(console, f"  [dim]{escape(name.ljust(width))}[/dim]  {escape(text)}")


def moving_note(cell: Cell) -> list[str]:
    """That bodies stand still which move by themselves; empty where there are none."""
    names = ", ".join(cell.moving)
    text = f"bodies that move by themselves stand where the cell has them: {names}"
    return [text] if cell.moving else []


def kept_apart(clearance: float, when: str) -> str:
    """What is proved of a path that is free."""
    if clearance == 0.0:
        return f"no two watched bodies touch at any instant{when}"
    if clearance > 0.0:
        return f"watched bodies stay more than {mm(clearance)} apart at every instant"
    return f"watched bodies overlap by less than {mm(-clearance)} at every instant"


def met(verdict: Verdict, come: str, clearance: float, tolerance: float) -> str:
    """Whose distance is too small, by how much; ``come``: how it is said of two that are apart."""
    a, b = verdict.pair or ("?", "?")
    distance = verdict.distance or 0.0
    if distance < 0.0:
        return f"{a} and {b} overlap by {mm(-distance)}"
    if distance == 0.0:
        return f"{a} and {b} touch"
    asked = f"a clearance of {mm(clearance)} (a tolerance of {mm(tolerance)} on top)"
    return f"{a} and {b} {come.format(mm(distance))}, and {asked} is asked for"


def witness_facts(verdict: Verdict | None) -> list[tuple[str, str]]:
    """Where the bodies of a verdict are nearest."""
    if verdict is None or verdict.pair is None:
        return []
    points = zip(verdict.pair, (verdict.point_a, verdict.point_b))
    return [(name, at_point(point)) for name, point in points if point is not None]


def listed(values: Array | None) -> list[float] | None:
    """For JSON."""
    return None if values is None else [float(x) for x in values]


def table_of(title: str, *columns: str, whole: tuple[str, ...] = ()) -> Table:
    """A table to be filled; of the columns ``whole`` no line is broken."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None)
    table.padding = (0, 2, 0, 0)
    for column in columns:
        no_wrap = column in whole
        table.add_column(column, header_style="dim", overflow="fold", no_wrap=no_wrap)
    return table
