"""Parts from the command line: mesh files, and all that is in a cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np

from standoff.cell.allowed import RIGID
from standoff.cell.cell import Cell
from standoff.errors import Error, InterferenceError, MeshError
from standoff.geometry.mesh import Mesh
from standoff.geometry.mesh_files.mesh_file import READERS
from standoff.interference.parts import Part
from standoff.robots.mounted import BUILTIN
from standoff.view.configurations import given_start
from standoff.view.files import open_cell

#: Metres in a unit.
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}

_CELLS = (".toml", ".urdf", ".xacro")
_KINDS = f"a mesh ({', '.join(sorted(READERS))}) or a cell ({', '.join(_CELLS)})"


@dataclass(eq=False)
class Assembly:
    """What is to be compared.

    Attributes:
        parts: by the order of the command line.
        body: of each part that came out of a cell, the cell and the body.
        given: of each mesh that came from a file, the argument it came from.
    """

    parts: list[Part] = field(default_factory=list)
    body: dict[str, tuple[Cell, str]] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)

    def may_touch(self, a: str, b: str) -> bool:
        """Whether a cell allows two parts to touch: shapes of one body, pairs that it allows, and
        links that cannot move against each other or what they stand on. Bodies that stand still
        are compared: no monitor watches them, and who put them there may not have looked."""
        if a not in self.body or b not in self.body:
            return False
        (cell, one), (other, two) = self.body[a], self.body[b]
        if cell is not other:
            return False
        if one == two:
            return True
        why = cell.pairs.reason(one, two)
        bodies = one in cell.bodies and two in cell.bodies
        if why == RIGID and bodies and cell.model.frame_of(one) == 0:
            return tuple(sorted((one, two))) in cell.user_pairs
        return why is not None

    @property
    def unwatched(self) -> list[str]:
        """Links of the cells that have no collision geometry."""
        cells = {id(cell): cell for cell, _ in self.body.values()}
        return [name for cell in cells.values() for name in cell.unwatched]

    def add(self, name: str, part: Part) -> str:
        """Take a part in under a name that no other has: ``bolt.stl``, ``bolt.stl (2)``."""
        taken = {known.name for known in self.parts}
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name} ({number})"
        self.parts.append(Part(free, part.shape, part.pose))
        return free


def gather(sources: Sequence[str], scale: float, q: str | None) -> Assembly:
    """The parts of all arguments, in their order. All that cannot be read is told at once."""
    found = Assembly()
    cells: list[Cell] = []
    wrong: list[Error] = []
    for source in sources:
        try:
            if _is_cell(source):
                cells.append(open_cell(source))
                _add_cell(found, cells[-1], source, q, prefix=len(sources) > 1)
            else:
                path, factor = _unit(source, scale)
                mesh = Mesh.load(path, factor)
                found.given[found.add(path.name, Part("", mesh, np.eye(4)))] = source
        except Error as error:
            wrong.append(error)
    if len(wrong) == 1:
        raise wrong[0]
    if wrong:
        listed = "".join(f"\n  {error}" for error in wrong)
        raise InterferenceError(f"{len(wrong)} of {len(sources)} files cannot be used:{listed}")
    if q is not None and sum(len(cell.joints) > 0 for cell in cells) != 1:
        raise InterferenceError(
            "joint values, but not for one cell with joints", element="--q", value=q,
            allowed="with one cell that has joints",
        )  # fmt: skip
    if len(found.parts) < 2:
        raise InterferenceError(
            "nothing to compare", value=list(sources), allowed="two parts, or a cell of two bodies"
        )
    if all(found.may_touch(a.name, b.name) for a, b in combinations(found.parts, 2)):
        raise InterferenceError(
            "nothing to compare: every pair of parts is allowed to touch", value=list(sources),
            allowed="at least one pair that is not",
        )  # fmt: skip
    return found


def _is_cell(source: str) -> bool:
    """A cell's or robot's file, a shipped cell by its name, or a shipped model."""
    suffix = Path(source).suffix.lower()
    if source.startswith(BUILTIN) or suffix in _CELLS:
        return True
    return not suffix and not Path(source).exists() and "@" not in source


def _unit(source: str, scale: float) -> tuple[Path, float]:
    """The file and its factor: ``bolt.stl@mm`` and ``bolt.stl@0.001`` have their own."""
    path = Path(source)
    match = re.fullmatch(r"(.+)@([^@/\\]+)", source)
    if match is not None and not path.exists():
        path, unit = Path(match[1]), match[2]
        scale = UNITS[unit] if unit in UNITS else as_scale(unit, source)
    if path.suffix.lower() not in READERS:
        raise MeshError("not a part", file=path, value=path.suffix or source, allowed=_KINDS)
    return path, scale


def as_scale(text: str, element: str) -> float:
    """A factor as one types it."""
    allowed = f"a number above 0, or {', '.join(UNITS)}"
    try:
        value = float(text)
    except ValueError as error:
        raise InterferenceError(
            "not a scale", element=element, value=text, allowed=allowed
        ) from error
    if not 0.0 < value < np.inf:
        raise InterferenceError("not a scale", element=element, value=text, allowed=allowed)
    return value


def _add_cell(found: Assembly, cell: Cell, source: str, q: str | None, *, prefix: bool) -> None:
    """All links and bodies at the configuration, a part for each shape."""
    values = cell.q
    if q is not None and cell.joints:
        every = np.arange(len(cell.joints))
        values = given_start(q, cell, every, limits=True, option="--q").values[0]
    state = cell.state(values)
    start = f"{Path(source).stem}:" if prefix else ""
    for name in cell.model.names:
        shapes = state.placed(name)
        for k, (shape, pose) in enumerate(shapes):
            full = f"{start}{name}" + (f" #{k + 1}" if len(shapes) > 1 else "")
            full = found.add(full, Part("", shape, pose))
            found.body[full] = (cell, name)
