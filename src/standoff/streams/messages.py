"""What comes in, whatever it came through."""

from __future__ import annotations

import math
from dataclasses import dataclass

from standoff.geometry.pose import Array


def as_stamp(time: float) -> float:
    """The time of a recording as the stamp of its messages, where they have none: a recording may
    begin before 0, which no stamp does."""
    return time if time > 0.0 else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """A reading of some joints.

    Attributes:
        stamp: when it was taken, by the clock of whoever took it, [s]; NaN or 0 where it
            does not say.
        names: of the joints, as the stream has them. A source hands out the same tuple for as long
            as the names stay the same, so that a look-up is needed only when it changes.
        positions: one for each name, in the units of the stream.
        velocities: the same, or None where there are none.
        partial: whether it has some joints only, and means to: a row of a table with empty
            cells. Names that are not in it are not left out.
    """

    stamp: float
    names: tuple[str, ...]
    positions: Array
    velocities: Array | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BodyPose:
    """Where a moving body is: 4 x 4, world frame, metres."""

    stamp: float
    body: str
    pose: Array


@dataclass(frozen=True, slots=True)
class Grasp:
    """A body is taken by a link; ``link`` None where it is let go."""

    stamp: float
    body: str
    link: str | None
    touch: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something arrived that is no message (``garbled``), more than is taken in (``flood``), or the
    source itself is in trouble (``lost``; ``back`` once it is over)."""

    kind: str
    text: str


#: The end of a source that has one: a file, a pipe.
@dataclass(frozen=True, slots=True)
class End:
    text: str = ""


Message = Joints | BodyPose | Grasp | Trouble | End
