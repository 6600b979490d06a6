"""Bodies that stand in a cell beside its robots."""

from __future__ import annotations

from dataclasses import dataclass

from standoff.shapes.pose import Array
from standoff.shapes.shape import Shape


@dataclass(frozen=True, eq=False)
class Attachment:
    """A body held by a link.

    Attributes:
        link: full name of the link, e.g. ``left/hand``.
        pose: 4 x 4 pose of the body in the link's frame, [m].
        touch: names the body may touch for as long as it is held.
    """

    link: str
    pose: Array
    touch: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Body:
    """A static, moving or attached body.

    Attributes:
        pose: 4 x 4 pose in the world, [m]; of a moving body its last known one; of an attached
            one the pose at which it was taken.
        moving: its pose is given each cycle (unless it is attached).
    """

    name: str
    shape: Shape
    pose: Array
    moving: bool = False
    attachment: Attachment | None = None
