"""A first cell file for robots that somebody has: what ``standoff init`` writes.

The robots stand side by side, each with the SRDF that was found beside its URDF. Pairs that are too
close where the cell starts are listed as ``[[allow]]`` lines that count for nothing until somebody
removes the ``#``: which of them are meant to touch, no program can know.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tomli_w

from standoff.cell.cell import Cell
from standoff.errors import CellError, Error, RobotError
from standoff.geometry.pose import pose
from standoff.interference.parts import world_box
from standoff.monitor.monitor import Monitor
from standoff.robots import xml
from standoff.robots.mounted import BUILTIN
from standoff.robots.simplify import GeometryName

#: Free space between two robots where the cell starts, and the grid that bases stand on, [m].
GAP = 0.5
GRID = 0.1

#: Folders, seen from that of a URDF, in which packages keep its SRDF.
SRDF_FOLDERS = (".", "../srdf", "../config", "../robots")

#: Pairs that are written out; of a cell with more, the nearest ones.
MOST_PAIRS = 40


@dataclass(frozen=True)
class Starter:
    """A cell file to begin with.

    Attributes:
        text: the file.
        cell: what it says.
        close: pairs within the buffer where the cell starts: both names and the distance, [m].
        notes: what was found or left out.
    """

    text: str
    cell: Cell
    close: tuple[tuple[str, str, float], ...]
    notes: tuple[str, ...]


def starter(
    robots: Sequence[str],
    folder: Path,
    *,
    buffer: float,
    geometry: GeometryName = "auto",
    search_paths: Sequence[Path] = (),
) -> Starter:
    """The cell file of some robots, to be written into ``folder``: files of URDF or xacro, or
    ``builtin:panda`` and its like.

    Raises:
        RobotError: a file that is no robot.
    """
    cell = Cell()
    notes: list[str] = []
    names: list[str] = []
    edge = 0.0
    for source in robots:
        srdf, note = srdf_beside(source)
        name = _add(cell, source, srdf, geometry, search_paths)
        if note:
            notes.append(f"{name}: {note}")
        low, high = _width(cell, name)
        if names:
            at = np.ceil((edge + GAP - low) / GRID) * GRID
            cell.remove_robot(name)
            base = pose((0.0, float(at), 0.0))
            cell.add_robot(source, name, base, srdf, geometry, search_paths=search_paths)
            high += at
        edge = high
        names.append(name)
    close = tuple(Monitor(cell, buffer=buffer).update(cell.q).pairs)
    return Starter(_text(cell, folder, buffer, close), cell, close, tuple(notes))


def srdf_beside(source: str) -> tuple[Path | None, str]:
    """The SRDF that belongs to a URDF, looked for where packages keep it, and what to say of it: of
    the same file name, else named after the robot, else the only one for a robot of that name."""
    if source.startswith(BUILTIN) or not Path(source).is_file():
        return None, ""
    file = Path(source)
    found = [
        path
        for place in SRDF_FOLDERS
        if (folder := file.parent / place).is_dir()
        for path in sorted(folder.glob("*.srdf"))
    ]
    if not found:
        return None, "no SRDF beside it; links of it that are meant to touch have to be allowed"
    stem = file.name.split(".")[0]
    robot = _robot_name(file)
    alike = [path for path in found if _robot_name(path) == robot]
    for chosen in (
        [path for path in found if path.stem == stem],
        [path for path in found if path.stem == robot],
        alike,
    ):
        if len(chosen) == 1:
            return chosen[0], f"pairs that {chosen[0].name} disables are allowed"
    names = ", ".join(path.name for path in alike or found)
    return None, f"which SRDF is its own is not clear ({names}); name it with srdf = in the file"


def _robot_name(file: Path) -> str:
    """What the root element says, or nothing where the file cannot be read."""
    try:
        return xml.parse(xml.read_bytes(file), str(file), lines=False).attributes.get("name", "")
    except (Error, OSError):
        return ""


def _add(
    cell: Cell, source: str, srdf: Path | None, geometry: GeometryName, folders: Sequence[Path]
) -> str:
    """Add a robot under its own name, or a numbered one where that is taken."""
    first = Cell("allow" if cell.allows_unwatched else "refuse")
    own = first.add_robot(source, srdf=srdf, geometry=geometry, search_paths=folders)
    name, number = own, 2
    while name in cell.robots:
        name, number = f"{own}_{number}", number + 1
    return cell.add_robot(source, name, srdf=srdf, geometry=geometry, search_paths=folders)


def _width(cell: Cell, robot: str) -> tuple[float, float]:
    """From where to where a robot reaches along y where the cell starts, [m]."""
    state = cell.state()
    names = [name for name in cell.model.names if name.startswith(f"{robot}/")]
    boxes = [world_box(shape, at) for name in names for shape, at in state.placed(name)]
    if not boxes:
        raise RobotError(f"robot {robot!r} has no collision geometry")
    return min(box[1] for box in boxes), max(box[4] for box in boxes)


def _text(cell: Cell, folder: Path, buffer: float, close: Sequence[tuple[str, str, float]]) -> str:
    parts = [_HEAD, *(_robot(cell, name, folder) for name in cell.robots)]
    parts += [_BODIES, _allow(buffer, close), _streams(cell), _state(cell)]
    return "\n".join(parts)


_HEAD = """\
# A cell for Standoff, written by `standoff init`. Edit it: it is yours.
# Lengths in metres, angles in radians. All keys: docs/cell-files.md.

standoff = 1  # version of this format
"""

_BODIES = """\
# What stands around the robots: sphere, capsule, box, cylinder, halfspace, polyhedron, mesh.
# [[body]]
# name = "floor"
# shape = { halfspace = {} }       # all below z = 0 of its pose
# pose = { position = [0.0, 0.0, -0.01] }
#
# [[body]]
# name = "table"
# shape = { box = { size = [1.0, 2.0, 0.05] } }
# pose = { position = [0.6, 0.0, 0.2] }
"""


def _robot(cell: Cell, name: str, folder: Path) -> str:
    mounted = cell.robots[name]
    lines = ["[[robot]]", f"name = {_word(name)}", f"urdf = {_word(_seen(mounted.source, folder))}"]
    if mounted.srdf is not None:
        srdf = _word(_seen(mounted.srdf, folder))
        lines.append(f"srdf = {srdf}  # pairs disabled there are allowed")
    if mounted.search_paths:
        folders = [_seen(str(path), folder) for path in mounted.search_paths]
        lines.append(f"search_paths = [{', '.join(map(_word, folders))}]")
    if mounted.choice.geometry != "auto":
        lines.append(f"geometry = {_word(mounted.choice.geometry)}")
    x, y, z = mounted.base[:3, 3].tolist()
    lines.append(f"base = {{ position = [{x}, {y}, {z}] }}  # where it stands: measure it")
    return "\n".join(lines) + "\n"


def _allow(buffer: float, close: Sequence[tuple[str, str, float]]) -> str:
    if not close:
        return (
            "# Pairs that are meant to touch. None is nearer than the buffer of "
            f"{1e3 * buffer:g} mm at the start.\n"
            '# [[allow]]\n# pair = ["a", "b"]\n# reason = "why"\n'
        )
    lines = [
        f"# These pairs are nearer at the start than buffers of {1e3 * buffer:g} mm allow. Remove "
        "the # where they are meant",
        "# to be: such a pair is never reported again. `standoff apart` proves which pairs can "
        "never touch.",
    ]
    for a, b, distance in close[:MOST_PAIRS]:
        how = "overlapping" if distance <= 0.0 else "apart"
        reason = f"{abs(1e3 * distance):.3g} mm {how} at the start"
        lines += [
            "# [[allow]]", f"# pair = [{_word(a)}, {_word(b)}]", f"# reason = {_word(reason)}", "#",
        ]  # fmt: skip
    if len(close) > MOST_PAIRS:
        lines.append(f"# … and {len(close) - MOST_PAIRS} more")
    return "\n".join(lines).removesuffix("\n#") + "\n"


def _streams(cell: Cell) -> str:
    lines = ["# Where joint states come from, if they do not name the joints as the cell does."]
    for name in cell.robots:
        joint = next((j for j in cell.joints if j.startswith(f"{name}/")), "").partition("/")[2]
        lines += [
            "# [[stream]]",
            '# source = "*"                   # a pattern: "csv:*", "zenoh:left/*", "run.bag"',
            f"# robot = {_word(name)}",
            f"# rename = {{ axis_1 = {_word(joint or 'joint')} }}",
            '# angles = "rad"                 # or "deg"',
            "#",
        ]
    return "\n".join(lines[:-1]) + "\n"


def _state(cell: Cell) -> str:
    """Where the joints are at first."""
    values = dict(zip(cell.joints, cell.q.tolist(), strict=True))
    return "# Where the joints are at first, until a reading comes.\n" + tomli_w.dumps(
        {"state": values}
    )


def _word(text: str) -> str:
    """As a string of TOML."""
    return tomli_w.dumps({"a": text}).removeprefix("a = ").rstrip("\n")


def _seen(path: str, folder: Path) -> str:
    """A path as seen from the folder of the cell file."""
    if path.startswith(BUILTIN):
        return path
    try:
        return Path(os.path.relpath(Path(path).resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return Path(path).resolve().as_posix()


def write(made: Starter, file: Path, *, force: bool) -> None:
    """Write the file whole, and read it again.

    Raises:
        CellError: it is there already, and ``force`` is not given.
    """
    if file.exists() and not force:
        raise CellError("is there already", file=file, allowed="another -o, or --force")
    file.write_text(made.text, encoding="utf-8")
    Cell.load(file)
