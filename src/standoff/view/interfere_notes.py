"""What is odd about parts, and what was assumed: open, flipped, degenerate and self-crossing
meshes, and units that can hardly be meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.interference.mesh_faults import self_crossing
from standoff.interference.parts import Part

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
