"""Parts compared, and the pairs in a table, as pictures and for machines; what is odd about parts,
and what was assumed of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from standoff.errors import Error
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.interference.comparison import compare
from standoff.interference.exact import AT_LEAST, ExactMethod
from standoff.interference.findings import Comparison, Gap, Gaps, Overlap
from standoff.interference.mesh_faults import self_crossing
from standoff.interference.parts import Part
from standoff.view.interfere_parts import UNITS, Assembly, as_scale, gather
from standoff.view.progress import announced, waiting
from standoff.view.words import marked, mm


def length(distance: float) -> str:
    """In millimetres, or in metres from 10 m on."""
    return mm(distance) if abs(distance) < 10.0 else f"{distance:,.5g} m"


def overlap_words(overlap: Overlap) -> str:
    """How deep, or how near where a clearance makes it an overlap."""
    distance = overlap.distance
    if distance is None:
        return "–"
    if overlap.touching:
        return "touching"
    if distance == 0.0 and overlap.certain:
        return "depth unknown"
    if distance < 0.0:
        bound = "≥ " if AT_LEAST in overlap.evidence else ""
        return f"{bound}{length(-distance)} deep"
    return "0 mm" if distance == 0.0 else length(distance)


def gap_words(gap: Gap) -> str:
    """How far apart, or how far at least."""
    return f"{'' if gap.exact else '≥ '}{length(gap.distance)}"


#: How much larger or smaller than the others a part must be to be asked about its unit, [-]: an
#: inch is 25 mm, and parts of one machine differ by as much; a metre is 1000.
UNIT_RATIO = 300.0


#: What is larger is hardly a part in metres: a machine hall.
_LARGEST = 100.0

Notes = list[tuple[str, str]]


def mesh_notes(parts: Sequence[Part], progress: Callable[[float], object]) -> Notes:
    """Name and note, for every part that is a mesh; a mesh used twice is looked at once."""
    found: Notes = []
    known: dict[int, list[str]] = {}
    for k, part in enumerate(parts):
        progress(k / len(parts))
        if isinstance(part.shape, Mesh):
            if id(part.shape) not in known:
                known[id(part.shape)] = _of_mesh(part.shape)
            found += [(part.name, text) for text in known[id(part.shape)]]
    return found


def _of_mesh(mesh: Mesh) -> list[str]:
    notes = list(mesh.problems)
    if mesh.open_solid:
        notes[-1] += "; assumed: a surface, but what it nearly encloses may be inside it"
    crossing = self_crossing(mesh)
    if crossing is not None:
        low, high = (
            " ".join(f"{x:.4g}" for x in corner) for corner in (crossing.low, crossing.high)
        )
        text = f"{crossing.count} pairs of triangles cross each other, between {low} and {high} m"
        if mesh.closed:
            text += "; assumed: inside is whatever the surface goes around"
        notes.append(text)
    return notes


def unit_notes(parts: Sequence[Part], given: dict[str, str]) -> Notes:
    """Parts far larger or smaller than the others, or than any part is. What the others are like is
    the size that half of them do not exceed, or that half of them reach, whichever is nearer: of
    three parts with one in another unit, that one alone is odd."""
    sizes: dict[str, float] = {}
    for part in parts:
        if part.shape.bounded:
            low, high = part.shape.bounds()
            sizes[part.name] = float(np.linalg.norm(high - low))
    notes: Notes = []
    for name, size in sizes.items():
        others = [other for known, other in sizes.items() if known != name]
        usual = _nearer_half(size, others)
        large = size > UNIT_RATIO * usual > 0.0
        if large or (size > _LARGEST and name in given):
            times = f", {size / usual:,.0f} times as large as the others" if large else ""
            text = f"{_extent(size)} across{times}: are its lengths in millimetres?"
            notes.append((name, text + _large(given.get(name))))
        elif 0.0 < UNIT_RATIO * size < usual and len(others) > 1:
            times = f", {usual / size:,.0f} times as small as the others"
            text = f"{_extent(size)} across{times}: is it in another unit?"
            notes.append((name, text + _small(given.get(name))))
    return notes


def _nearer_half(size: float, others: list[float]) -> float:
    """The median of sizes; of an even number of them the middle one that is nearer to ``size``."""
    if not others:
        return size
    middle = np.quantile(others, 0.5, method="lower"), np.quantile(others, 0.5, method="higher")
    return float(np.clip(size, *middle))


def _large(source: str | None) -> str:
    """What to type."""
    if source is None:
        return ""
    return f" Then give {source.partition('@')[0]}@mm, or --unit mm for all; assumed: as given"


def _small(source: str | None) -> str:
    if source is None:
        return ""
    return f" Then give {source.partition('@')[0]}@m, or its factor as in @1000; assumed: as given"


def _extent(size: float) -> str:
    if size >= 1.0:
        return f"{size:,.4g} m" if size < 1e4 else f"{size / 1e3:,.4g} km"
    return f"{1e3 * size:.4g} mm"


#: Gaps in the table, and for machines: the nearest ones.
SHOWN = 20
LISTED = 10_000


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison with what it is about.

    Attributes:
        notes: what is odd about parts and what was assumed, by the name of the part.
        gaps: the nearest, nearest first; measured where the method is exact.
    """

    parts: tuple[Part, ...]
    method: str
    clearance: float
    comparison: Comparison
    gaps: tuple[Gap, ...]
    notes: Notes

    @property
    def overlaps(self) -> list[Overlap]:
        """Those that are certain first: what crosses, the deepest first, then what touches only,
        then what is nearer than the clearance."""

        def order(o: Overlap) -> tuple[bool, int, float]:
            if o.distance is None:
                return not o.certain, 0, math.inf
            return not o.certain, 1 if o.touching else 2 * (o.distance > 0.0), o.distance

        return sorted(self.comparison.overlaps, key=order)


def options(
    method: str,
    planes: int | None,
    outline: str | None,
    resolution: float | None,
    scale: float | None,
    unit: str | None,
) -> tuple[dict[str, Any], float]:
    """What `compare` is to be given, and the factor of mesh files; an option of another method is
    refused, and not ignored."""
    for name, value, owner in (
        ("--planes", planes, "projection"),
        ("--outline", outline, "projection"),
        ("--resolution", resolution, "octree"),
    ):
        if value is not None and method != owner:
            raise Error(
                f"an option of --method {owner}", element=name, value=value,
                allowed=f"with --method {owner}, and this is --method {method}",
            )  # fmt: skip
    if scale is not None and unit is not None:
        raise Error("a scale and a unit", element="--scale", value=scale, allowed="one of the two")
    if unit is not None and unit not in UNITS:
        raise Error("unknown unit", element="--unit", value=unit, allowed=", ".join(UNITS))
    factor = 1.0
    if scale is not None:
        factor = as_scale(str(scale), "--scale")
    elif unit is not None:
        factor = UNITS[unit]
    given = {"planes": planes, "outline": outline, "resolution": resolution}
    return {name: value for name, value in given.items() if value is not None}, factor


def run(
    sources: Sequence[str],
    notes: Console,
    *,
    method: str,
    clearance: float,
    asked: dict[str, Any],
    scale: float,
    q: str | None,
) -> Compared:
    """Read, look over and compare the parts, under a bar on ``notes`` where it takes long."""
    with announced(notes):
        with waiting(notes, "Reading"):
            assembly = gather(sources, scale, q)
        with waiting(notes, "Looking over the meshes") as done:
            odd = mesh_notes(assembly.parts, done)
        odd += unit_notes(assembly.parts, assembly.given)
        odd += [(name, "no collision geometry, not compared") for name in assembly.unwatched]
        with waiting(notes, "Comparing") as done:
            comparison = compare(
                {part.name: (part.shape, part.pose) for part in assembly.parts},
                method,
                clearance=clearance,
                allowed=assembly.may_touch,
                progress=lambda k, total: done(k / max(total, 1)),
                **asked,
            )
        with waiting(notes, "Measuring the nearest"):
            gaps = _nearest(assembly, comparison, clearance, measured=method == "exact")
    return Compared(tuple(assembly.parts), method, clearance, comparison, gaps, odd)


def _nearest(
    assembly: Assembly, comparison: Comparison, clearance: float, *, measured: bool
) -> tuple[Gap, ...]:
    """The nearest gaps. With ``measured``, the first SHOWN have their distance where a bound was
    enough to tell them apart, and none of the others is nearer than those."""
    assert isinstance(comparison.gaps, Gaps)
    found = comparison.gaps.nearest(LISTED)
    if not measured or all(gap.exact for gap in found[:SHOWN]):
        return tuple(found)
    number = {part.name: k for k, part in enumerate(assembly.parts)}
    exact = ExactMethod(assembly.parts, clearance=clearance)
    done: list[Gap] = []
    for k, gap in enumerate(found):
        nearest = sorted(known.distance for known in done)[:SHOWN]
        # Bounds ascend: what follows is no nearer than this one.
        if len(nearest) == SHOWN and gap.distance >= nearest[-1]:
            found = found[k:]
            break
        again = gap if gap.exact else exact.judge(number[gap.a], number[gap.b])
        done.append(again if isinstance(again, Gap) else gap)
    else:
        found = []
    return tuple(sorted([*done, *found], key=lambda gap: gap.distance))


def show(compared: Compared, console: Console) -> None:
    """What is odd, the table, and a line on what came of it."""
    for name, text in compared.notes:
        marked(console, f"[yellow]note[/yellow] {escape(name)}: {escape(text)}")
    if compared.notes:
        console.print()
    overlaps, total = compared.overlaps, len(compared.comparison.gaps)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("overlap", "part", "part"):
        table.add_column(column, overflow="fold")
    table.add_column("depth or distance", justify="right", no_wrap=True)
    table.add_column("evidence", overflow="fold")
    for overlap in overlaps:
        word = "[bold red]yes[/bold red]" if overlap.certain else "[bold yellow]may[/bold yellow]"
        if overlap.touching:
            word = "[yellow]touch[/yellow]"
        table.add_row(word, escape(overlap.a), escape(overlap.b), overlap_words(overlap),
                      escape(overlap.evidence))  # fmt: skip
    for gap in compared.gaps[:SHOWN]:
        table.add_row("[green]no[/green]", escape(gap.a), escape(gap.b),
                      gap_words(gap), escape(gap.evidence))  # fmt: skip
    if table.row_count:
        console.print(table)
    if total > SHOWN:
        farthest = length(compared.gaps[SHOWN - 1].distance)
        marked(console, f"… and {total - SHOWN:,} more pairs that are apart, by {farthest} or more")
    console.print()
    marked(console, _sentence(compared))
    allowed = compared.comparison.tests["allowed"]
    if allowed:
        marked(console, f"  {_pairs(allowed)} left out: the cell allows them to touch, or they "
               "are of one body, or links that cannot move against each other")  # fmt: skip


def _sentence(compared: Compared) -> str:
    parts, touch = len(compared.parts), sum(o.touching for o in compared.overlaps)
    sure = sum(o.certain and not o.touching for o in compared.overlaps)
    may = len(compared.overlaps) - sure - touch
    near = f" or come as near as {mm(compared.clearance)}" if compared.clearance else ""
    pairs = _pairs(compared.comparison.tests["pairs"] - compared.comparison.tests["allowed"])
    said = f"{parts} parts, {pairs}, method {compared.method}: "
    if not compared.overlaps:
        apart = f"more than {mm(compared.clearance)} apart" if near else "apart"
        proved = "proved; of open meshes for their surfaces" if _any_open(compared) else "proved"
        return f"{said}[bold green]no interference[/bold green], all are {apart} ({proved})"
    found = []
    if sure:
        found.append(f"[bold red]{sure} overlap[/bold red]{near}")
    if touch:
        found.append(f"[yellow]{touch} touch only[/yellow]")
    if may:
        found.append(f"[bold yellow]{may} may overlap[/bold yellow]{near}")
        if compared.method != "exact":
            found.append("--method exact tells")
    return said + ", ".join(found)


def _any_open(compared: Compared) -> bool:
    shapes = (part.shape for part in compared.parts)
    return any(isinstance(shape, Mesh) and not shape.closed for shape in shapes)


def as_json(compared: Compared, pictures: Sequence[Path]) -> str:
    """The pairs for machines, one object; lengths in metres, not finite ones null."""
    total = len(compared.comparison.gaps)
    content = {
        "method": compared.method,
        "clearance": compared.clearance,
        "interference": bool(compared.comparison.overlaps),
        "parts": [_part(part, compared.notes) for part in compared.parts],
        "overlaps": [_overlap(overlap) for overlap in compared.overlaps],
        "gaps": [
            {"a": g.a, "b": g.b, "distance": _number(g.distance), "exact": g.exact,
             "normal": None if g.normal is None else _list(g.normal), "evidence": g.evidence}
            for g in compared.gaps
        ],
        "gaps_left_out": total - len(compared.gaps),
        "tests": compared.comparison.tests,
        "pictures": [str(path) for path in pictures],
    }  # fmt: skip
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def _part(part: Part, notes: Notes) -> dict[str, Any]:
    shape = part.shape
    content: dict[str, Any] = {"name": part.name, "shape": type(shape).__name__.lower()}
    if isinstance(shape, Mesh):
        content["file"] = None if shape.source is None else str(shape.source)
        content["triangles"] = shape.triangles
        content["closed"] = shape.closed
    content["bounds"] = [_list(corner) for corner in shape.bounds()]
    content["notes"] = [text for name, text in notes if name == part.name]
    return content


def _overlap(overlap: Overlap) -> dict[str, Any]:
    return {
        "a": overlap.a,
        "b": overlap.b,
        "certain": overlap.certain,
        "touching": overlap.touching,
        "distance": None if overlap.distance is None else _number(overlap.distance),
        "low": _list(overlap.low),
        "high": _list(overlap.high),
        "evidence": overlap.evidence,
    }


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"


def _list(values: Array) -> list[float | None]:
    return [_number(float(x)) for x in values]


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
