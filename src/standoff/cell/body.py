"""`Body`: what is in a cell beside its robots. `moving_poses`: the poses of moving bodies as a user
gives them, as an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from standoff.errors import ConfigurationError, UnknownNameError
from standoff.geometry.pose import Array, as_pose, numbers
from standoff.geometry.shape import Shape


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
        since: the revision of the cell from which on it is as it is, but for poses of a moving body
            that `Cell.set_state` gave.
    """

    name: str
    shape: Shape
    pose: Array
    moving: bool = False
    attachment: Attachment | None = None
    since: int = 0


def moving_poses(names: Sequence[str], known: Sequence[Array], poses: Any) -> Array:
    """Poses (m, 4, 4) in the order of ``names``; from None (the known ones), an array, or a dict
    by name that may leave some out."""
    if poses is None:
        return np.array(known).reshape(-1, 4, 4)
    if isinstance(poses, Mapping):
        for name in poses:
            if name not in names:
                raise UnknownNameError(str(name), names, what="moving body")
        given = [poses.get(name, pose) for name, pose in zip(names, known, strict=True)]
    else:
        array = numbers(poses, "poses")
        if array.shape != (len(names), 4, 4):
            raise ConfigurationError(
                "wrong shape of poses",
                value=array.shape,
                allowed=f"({len(names)}, 4, 4), for {', '.join(names) or 'no moving body'}",
            )
        given = list(array)
    for name, pose in zip(names, given, strict=True):
        if pose is None:
            raise ConfigurationError(f"no pose of {name!r}", value=None, allowed="a 4 x 4 pose")
    checked = [as_pose(p, f"pose of {name!r}") for name, p in zip(names, given, strict=True)]
    return np.array(checked).reshape(-1, 4, 4)
