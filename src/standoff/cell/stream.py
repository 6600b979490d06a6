"""How a stream names the joints and bodies of a cell, and in which units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from standoff.errors import CellError, UnknownNameError
from standoff.names import MAX_NAME_LENGTH, check_text, listed
from standoff.robots.joint_names import JointNames
from standoff.scalars import number

#: One unit of a stream in ours: radians and metres.
ANGLES: Final = {"rad": 1.0, "deg": math.pi / 180.0}
LENGTHS: Final = {"m": 1.0, "mm": 0.001}


@dataclass(frozen=True)
class StreamRule:
    """What holds for the sources whose name fits; of several rules the first that does.

    Attributes:
        source: pattern of a source's name, ``csv:*`` or ``zenoh:left/*``.
        robot: the robot whose joints they are; None: whichever has one of the name.
        rename: names in the stream, and the joint, body or link of the cell that each means.
        ignore: patterns of names in the stream that mean nothing here.
        angles: unit of revolute joints, ``rad`` or ``deg``.
        lengths: unit of prismatic joints and positions of bodies, ``m`` or ``mm``.
        scale: by which the value of a name in the stream is multiplied, in its unit.
        offset: what is added then, [rad] or [m].
    """

    source: str = "*"
    robot: str | None = None
    rename: Mapping[str, str] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    angles: str = "rad"
    lengths: str = "m"
    scale: Mapping[str, float] = field(default_factory=dict)
    offset: Mapping[str, float] = field(default_factory=dict)

    def without(self, gone: Iterable[str]) -> StreamRule:
        """The rule of a cell in which these names are no more."""
        names = set(gone)
        return replace(self, rename={k: v for k, v in self.rename.items() if v not in names})


def checked_rule(
    source: Any, robot: Any, rename: Any, ignore: Any, angles: Any, lengths: Any, scale: Any,
    offset: Any, *, names: JointNames, others: Iterable[str],
) -> StreamRule:  # fmt: skip
    """The rule, if all that it names is there.

    Args:
        names: of the joints.
        others: names that may be meant beside joints: bodies and links.

    Raises:
        CellError: what is wrong, where.
    """
    _pattern(source, "source")
    if robot is not None and robot not in names.robots:
        raise UnknownNameError(str(robot), names.robots, what="robot", element="robot")
    _one_of(angles, ANGLES, "angles")
    _one_of(lengths, LENGTHS, "lengths")
    known = {*names.known, *others}
    renamed: dict[str, str] = {}
    for name, meant in _table(rename, "rename").items():
        full = f"{robot}/{meant}" if robot is not None and f"{robot}/{meant}" in known else meant
        if full not in known:
            if not names.could_be(meant, robot):
                raise UnknownNameError(str(meant), known, element=f"rename.{name}")
            full = names.find(meant, f"rename.{name}", robot=robot).name
        renamed[name] = full
    if len(set(renamed.values())) < len(renamed):
        raise CellError("two names for one joint or body", element="rename", value=renamed)
    return StreamRule(
        source,
        robot,
        renamed,
        tuple(_pattern(pattern, "ignore") for pattern in listed(ignore, "ignore")),
        angles,
        lengths,
        {name: _scale(f"scale.{name}", v) for name, v in _table(scale, "scale").items()},
        {
            name: number(f"offset.{name}", v, CellError, problem="not a number")
            for name, v in _table(offset, "offset").items()
        },
    )


def _pattern(value: Any, element: str) -> str:
    text = check_text(value, "pattern")
    if not 0 < len(text) <= 4 * MAX_NAME_LENGTH:
        raise CellError("not a pattern", element=element, value=value, allowed="text, * for any")
    return text


def _one_of(value: Any, known: Mapping[str, float], element: str) -> None:
    if not isinstance(value, str) or value not in known:
        raise CellError("not a unit", element=element, value=value, allowed=" or ".join(known))


def _table(value: Any, element: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise CellError("not a table by name", element=element, value=value, allowed="{ name = … }")
    for key in value:
        check_text(key, f"name in {element}")
    return value


def _scale(element: str, value: Any) -> float:
    result = number(element, value, CellError, problem="not a number")
    if result == 0.0:
        allowed = "a finite number other than 0"
        raise CellError("not a number", element=element, value=value, allowed=allowed)
    return result
