"""Which column of a path file is which joint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from standoff.errors import PathError, nearest
from standoff.robots.tree import Tree

#: How the column of times may be called, where no joint is called so.
TIMES = ("time", "t", "time_from_start")

#: A unit behind a name: ``elbow [rad]``.
_UNIT = re.compile(r"\s*[\[(]\s*([^\])]*?)\s*[\])]$")


@dataclass(frozen=True)
class Columns:
    """The place among the columns of a file of each joint, in the cell's order, None for those that
    rest; and of the time, None where there is none."""

    joints: tuple[int | None, ...]
    time: int | None


def find_columns(
    names: Sequence[str], tree: Tree, file: Path, header: str, *, rest: bool = False
) -> Columns:
    """Match names to joints: ``left/elbow``, or ``elbow`` where one robot alone has such a joint,
    in any order; a unit may follow in brackets.

    Raises:
        PathError: a name nobody bears, one that several joints bear, a joint twice or (unless it
            may ``rest``) not at all, a unit other than radians, metres and seconds.
    """
    found: dict[int, int] = {}
    time: int | None = None
    for column, written in enumerate(names):
        place = f"{header}, column {column + 1}"
        joint, unit = _match(written, tree, file, place)
        wanted = "s" if joint is None else tree.units[joint]
        if unit is not None and unit != wanted:
            raise PathError(
                f"a unit that is not read, of {written!r}",
                file=file,
                element=place,
                value=unit,
                allowed=wanted,
            )
        before = time if joint is None else found.get(joint)
        if before is not None:
            what = "the time" if joint is None else f"joint {tree.joints[joint]!r}"
            raise PathError(
                f"two columns for {what}",
                file=file,
                element=header,
                value=[names[before], written],
                allowed=f"one of columns {before + 1} and {column + 1}",
            )
        if joint is None:
            time = column
        else:
            found[joint] = column
    missing = [name for k, name in enumerate(tree.joints) if k not in found]
    if missing and not rest:
        raise PathError(
            f"no column for {'joint' if len(missing) == 1 else 'joints'} {_listed(missing)}",
            file=file,
            element=header,
            value=list(names),
            allowed=(
                f"one column for each of {len(tree.joints)} joints, in any order; rest=True or "
                "--rest leaves the others where the cell has them"
            ),
        )
    return Columns(tuple(found.get(k) for k in range(len(tree.joints))), time)


def _match(written: str, tree: Tree, file: Path, place: str) -> tuple[int | None, str | None]:
    """The joint's number, None for the time; and the unit, None where none is written."""
    name, unit = written.strip(), None
    candidates = _candidates(name, tree.joints)
    if not candidates and (bracket := _UNIT.search(name)):
        unit = bracket[1]
        name = name[: bracket.start()]
        candidates = _candidates(name, tree.joints)
    if len(candidates) == 1:
        return tree.joints.index(candidates[0]), unit
    if candidates:
        raise PathError(
            "several robots have such a joint",
            file=file,
            element=place,
            value=name,
            allowed=" or ".join(map(repr, candidates)),
        )
    if name.lower() in TIMES:
        return None, unit
    followers = _candidates(name, [n for n in tree.frame_joint[1:] if n not in tree.joints])
    if followers:
        raise PathError(
            "a mimic joint: it follows another and has no column of its own",
            file=file,
            element=place,
            value=name,
            allowed=_listed(tree.joints),
        )
    short = [joint.partition("/")[2] for joint in tree.joints]
    hints = nearest(name, [*tree.joints, *short, TIMES[0]]) if tree.joints else []
    raise PathError(
        "no joint is called so",
        file=file,
        element=place,
        value=written,
        allowed=f"did you mean {' or '.join(map(repr, hints))}?" if hints else "no joints at all",
    )


def _candidates(name: str, joints: Sequence[str]) -> list[str]:
    """The joints that a name may mean."""
    if name in joints:
        return [name]
    return [joint for joint in joints if joint.partition("/")[2] == name]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
