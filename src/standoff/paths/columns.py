"""Which column of a path file is which joint."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from standoff.cell import Cell
from standoff.errors import Error, PathError
from standoff.paths.joint_names import Found, find_joints

#: How the column of times may be called, where no joint is called so.
TIMES = ("time", "t", "time_from_start")

#: A unit behind a name: ``elbow [rad]``.
_UNIT = re.compile(r"\s*[\[(]\s*([^\])]*?)\s*[\])]$")


@dataclass(frozen=True)
class Columns:
    """The place among the columns of a file of each joint, in the cell's order, None for those that
    rest; of the time, None where there is none; and of mimic joints, which follow others."""

    joints: tuple[int | None, ...]
    time: int | None
    mimics: tuple[tuple[int, Found], ...] = ()


def find_columns(
    names: Sequence[str], cell: Cell, file: Path, header: str, *, rest: bool = False
) -> Columns:
    """Match names to joints: ``left/elbow``, or ``elbow`` where one robot alone has such a joint,
    in any order; a unit may follow in brackets.

    Raises:
        PathError: a name nobody bears, one that several joints bear, a joint twice or (unless it
            may ``rest``) not at all, a unit other than radians, metres and seconds.
    """
    tree = cell.tree
    found: dict[int, int] = {}
    mimics: dict[str, tuple[int, Found]] = {}
    time: int | None = None
    for column, written in enumerate(names):
        place = f"{header}, column {column + 1}"
        joint, unit = _match(written, cell, file, place)
        wanted = "s" if joint is None else tree.units[joint.column]
        if unit is not None and unit != wanted:
            raise PathError(
                f"a unit that is not read, of {written!r}",
                file=file,
                element=place,
                value=unit,
                allowed=wanted,
            )
        before = time
        if joint is not None:
            other = mimics.get(joint.name, (None,))[0]
            before = other if joint.mimic else found.get(joint.column)
        if before is not None:
            what = "the time" if joint is None else f"joint {joint.name!r}"
            raise PathError(
                f"two columns for {what}",
                file=file,
                element=header,
                value=[names[before], written],
                allowed=f"one of columns {before + 1} and {column + 1}",
            )
        if joint is None:
            time = column
        elif joint.mimic:
            mimics[joint.name] = column, joint
        else:
            found[joint.column] = column
    if not rest:
        check_complete(cell, found, file, header)
    joints = tuple(found.get(k) for k in range(len(tree.joints)))
    return Columns(joints, time, tuple(mimics.values()))


def check_complete(cell: Cell, named: Container[int], file: Path, element: str) -> None:
    """Refuse joints whose numbers are not among those ``named``."""
    missing = [repr(name) for k, name in enumerate(cell.joints) if k not in named]
    if missing:
        raise PathError(
            f"nothing for {'joint' if len(missing) == 1 else 'joints'} {', '.join(missing)}",
            file=file,
            element=element,
            allowed=(
                f"all {len(cell.joints)} joints, in any order; rest=True or --rest leaves the "
                "others where the cell has them"
            ),
        )


def _match(written: str, cell: Cell, file: Path, place: str) -> tuple[Found | None, str | None]:
    """The joint, None for the time; and the unit, None where none is written."""
    name, unit = written.strip(), None
    known = {*cell.joints, *(joint.partition("/")[2] for joint in cell.joints)}
    if name not in known and (bracket := _UNIT.search(name)):
        name, unit = name[: bracket.start()], bracket[1]
    if name not in known and name.lower() in TIMES:
        return None, unit
    try:
        (found,) = find_joints(cell, [name])
    except Error as error:
        raise PathError(
            error.problem, file=file, element=place, value=written, allowed=error.allowed
        ) from error
    return found, unit
