"""What is in a cell, as tables on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from standoff.cell.allowed import ADJACENT, HELD, RIGID
from standoff.cell.cell import Cell
from standoff.cell.model import Model
from standoff.geometry.mesh import Mesh
from standoff.geometry.shape import Shape
from standoff.robots.mounted import MountedRobot
from standoff.view.words import counted, marked, table_of


def show(cell: Cell, title: str, console: Console, *, pairs: bool = False) -> None:
    """Print robots, joints, bodies by shape, allowed pairs with reasons, pairs left to watch."""
    model = cell.model
    marked(
        console,
        f"[bold]{escape(title)}[/bold]: {counted(len(cell.robots), 'robot')}, "
        f"{counted(len(cell.joints), 'joint')}, {counted(len(model.names), 'body', 'bodies')} "
        f"of {counted(sum(map(len, model.parts)), 'shape')}",
    )
    tables = _robots(cell), _joints(cell), _groups(cell), _states(cell), _bodies(cell)
    for table in (*tables, _allowed(cell)):
        if table.row_count:
            console.print()
            console.print(table)
    console.print()
    _notes(cell, console)
    _watched(cell, console, listed=pairs)


def _robots(cell: Cell) -> Table:
    table = _table("Robots", "name", "model", "links", "joints", "geometry", r"base x y z \[m]")
    for name, mounted in cell.robots.items():
        moving = [j for j in mounted.robot.joints.values() if j.kind != "fixed"]
        table.add_row(
            escape(name),
            escape(mounted.robot.name),
            str(len(mounted.robot.links)),
            str(len(moving)),
            _choice(mounted),
            "  ".join(f"{x:.3f}" for x in mounted.base[:3, 3]),
        )
    return table


def _choice(mounted: MountedRobot) -> str:
    text: str = mounted.choice.geometry
    if mounted.coverings:
        added = sum(c.volume for c in mounted.coverings.values())
        hull = sum(c.hull_volume for c in mounted.coverings.values())
        if hull > 0.0:
            text += f"; covered links {added / hull:.2f} × their hulls"
    return text


def _joints(cell: Cell) -> Table:
    table = _table("Joints", "#", "name", "kind", "lower", "upper", "speed", "unit")
    numbers = {name: str(i) for i, name in enumerate(cell.joints)}
    for robot, mounted in cell.robots.items():
        for joint in mounted.robot.joints.values():
            if joint.kind == "fixed":
                continue
            full = f"{robot}/{joint.name}"
            kind: str = joint.kind
            if joint.mimic is not None:
                factor = f"{joint.mimic.multiplier:g} × {joint.mimic.joint}"
                shift = f" + {joint.mimic.offset:g}" if joint.mimic.offset else ""
                kind += f", mimics {escape(factor)}{shift}"
            table.add_row(
                numbers.get(full, "–"),
                escape(full),
                kind,
                *(_limit(x) for x in (joint.lower, joint.upper, joint.velocity)),
                "m" if joint.kind == "prismatic" else "rad",
            )
    for column in table.columns[3:6]:
        column.justify = "right"
    return table


def _groups(cell: Cell) -> Table:
    table = _table("Groups (--joints)", "name", "joints")
    for name, joints in cell.groups.items():
        robot = name.partition("/")[0]
        table.add_row(escape(name), escape(", ".join(j.removeprefix(f"{robot}/") for j in joints)))
    return table


def _states(cell: Cell) -> Table:
    table = _table("Named states (--start, --goal)", "name", "positions")
    for name, values in cell.states.items():
        robot = name.partition("/")[0]
        parts = (f"{j.removeprefix(f'{robot}/')} {at:g}" for j, at in values.items())
        table.add_row(escape(name), escape(", ".join(parts)))
    return table


def _bodies(cell: Cell) -> Table:
    table = _table("Bodies", "name", "shapes", "moves with", "capsules over hull")
    model = cell.model
    joints = _frame_names(cell)
    for number, (name, parts) in enumerate(zip(model.names, model.parts, strict=True)):
        robot, _, link = name.partition("/")
        covering = cell.robots[robot].coverings.get(link) if robot in cell.robots else None
        known = covering is not None and covering.hull_volume > 0.0
        table.add_row(
            escape(name),
            _shapes(shape for shape, _ in parts),
            escape(joints[model.frame[number]]),
            f"{covering.ratio:.2f} ×" if covering is not None and known else "",
        )
        if table.row_count == _MOST_ROWS and len(model.names) > _MOST_ROWS:
            table.add_row(f"… and {len(model.names) - _MOST_ROWS} more", _rest(model), "", "")
            break
    if not any(m.coverings for m in cell.robots.values()):
        table.columns.pop()
    return table


#: Bodies listed one by one; a cell with more is summed up, [-].
_MOST_ROWS = 200


def _rest(world: Model) -> str:
    return _shapes(shape for parts in world.parts[_MOST_ROWS:] for shape, _ in parts)


def _frame_names(cell: Cell) -> list[str]:
    names = ["stands still", *cell.tree.frame_joint[1:]]
    return [*names, *("given each cycle" for _ in cell.moving)]


def _shapes(shapes: Iterable[Shape]) -> str:
    """What a body is made of: ``2 capsules, 1 mesh (350 triangles, open)``."""
    counts: Counter[str] = Counter()
    triangles = points = opened = 0
    for shape in shapes:
        counts[type(shape).__name__.lower()] += 1
        if isinstance(shape, Mesh):
            triangles += len(shape.faces)
            opened += shape.open_solid
        elif shape.geometry.points.size:
            points += len(shape.geometry.points)
    plural = {"box": "boxes", "mesh": "meshes", "polyhedron": "polyhedra"}
    parts = []
    for kind, count in counts.items():
        text = counted(count, kind, plural.get(kind, ""))
        if kind == "mesh":
            text += f" ({counted(triangles, 'triangle')}{', open' if opened else ''})"
        elif kind == "polyhedron":
            text += f" ({counted(points, 'vertex', 'vertices')})"
        parts.append(text)
    return ", ".join(parts)


def _allowed(cell: Cell) -> Table:
    """One row for each name and reason: against whom. What is rigidly joined is one row a group."""
    allowed = cell.allowed()
    table = _table(f"Allowed pairs: {len(allowed)}", "body", "may touch", "because")
    rows: dict[tuple[str, str], list[str]] = {}
    for pair in allowed:
        rows.setdefault((pair.reason, pair.a), []).append(pair.b)
    known = [ADJACENT, HELD, RIGID]
    for reason in [*known, *sorted({p.reason for p in allowed} - set(known))]:
        grouped: set[str] = set()
        for a in sorted(name for why, name in rows if why == reason):
            if a in grouped:
                continue
            others = _short(a, rows[reason, a])
            if reason == RIGID:
                grouped.update(rows[reason, a])
                others += " and each other" if len(rows[reason, a]) > 1 else ""
            table.add_row(escape(a), escape(others), escape(reason))
    return table


def _short(a: str, others: list[str]) -> str:
    """The names, without the robot's where it is that of ``a``."""
    robot, slash, _ = a.partition("/")
    return ", ".join(b.removeprefix(robot + slash) if slash else b for b in others)


def _watched(cell: Cell, console: Console, *, listed: bool) -> None:
    count = cell.pairs.count()
    console.print(f"[bold]Pairs left to watch:[/bold] {count}", highlight=False)
    if listed:
        rows: dict[str, list[str]] = {}
        for a, b in cell.pairs.watched():
            rows.setdefault(a, []).append(b)
        table = _table("", "body", "is watched against")
        for a, others in rows.items():
            table.add_row(escape(a), escape(", ".join(others)))
        console.print(table)
    elif count:
        console.print("(standoff info --pairs lists them)", style="dim")


def _notes(cell: Cell, console: Console) -> None:
    """What the files left open and how it was understood: nothing is dropped in silence."""
    notes = [f"{name}: {note}" for name, m in cell.robots.items() for note in m.written.notes]
    for name, body in cell.bodies.items():
        if isinstance(body.shape, Mesh):
            notes.extend(f"{name}: mesh: {problem}" for problem in body.shape.problems)
    notes.extend(
        f"{a} – {b}: {why}, but it is not that any more: watched again"
        for (a, b), why in cell.stale.items()
    )
    for note in notes:
        console.print(f"[yellow]note[/yellow] {escape(note)}", highlight=False)
    if notes:
        console.print()


def _table(title: str, *columns: str) -> Table:
    return table_of(title, *columns, whole=("name", "body", "#", "moves with"))


def _limit(value: float) -> str:
    return "none" if not np.isfinite(value) else f"{value:.4f}"
