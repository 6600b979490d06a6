"""What a monitor has to know of each primitive that moves: its buffer, how fast it can be and how
far it reaches; from the options, the shape, and the joints' own limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from standoff.cell import Cell
from standoff.cell.model import Primitive
from standoff.defaults import USUAL_BUFFER
from standoff.errors import MonitorError
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.monitor.buffers import DEFAULT, by_name, coefficients, speed_limit
from standoff.monitor.kernels import tables as m
from standoff.monitor.options import Options
from standoff.monitor.separation import Coefficients, Separation
from standoff.motion.bound import Carried, MovingBody, carried, extents
from standoff.motion.kernels import bound as kernels
from standoff.robots.kernels.kinematics import DEPTH
from standoff.robots.tree import Tree
from standoff.tolerances import AHEAD

#: How much wider than extended a mover is registered, as a part of the half extents of its box,
#: [-]. Wider: registered anew less often, but more pairs near each other; flat between 0.5 and 1.
RESERVE_FRACTION = 0.6


class Movers:
    """Makes the records of movers on one joint tree.

    Attributes:
        depth: joints that carry a link, at most.
    """

    def __init__(self, tree: Tree, options: Options, names: set[str]) -> None:
        self._tree, self._options = tree, options
        self._buffers = by_name(options.buffer, "buffer", names)
        self._speeds = by_name(options.max_speed, "max_speed", names)
        self._joint_speed = np.empty(tree.frames)
        velocity = tree.velocity.copy()
        kernels.joint_magnitudes(tree.reals, tree.ints, velocity, self._joint_speed)
        self.depth = int(tree.ints[:, DEPTH].max(initial=0))

    def carried(self, p: Primitive) -> Carried | None:
        """What the motion bound knows of a primitive; None where no joint moves it."""
        if not 0 < p.frame < self._tree.frames:
            return None
        name = f"{p.body}.{p.part}"
        return carried(self._tree, MovingBody.of_shape(name, p.frame, p.shape, p.pose))

    def record(self, p: Primitive, owner: str, whole: float) -> Any:
        """A MOVER that was not seen yet; ``owner``: the robot or body that its options are for,
        ``whole``: see there. What depends on other bodies, ``least`` and what is held, is left 0.
        """
        buffers, speeds, options = self._buffers, self._speeds, self._options
        given = buffers.get(p.body, buffers.get(owner, buffers.get(DEFAULT, USUAL_BUFFER)))
        c0, c1, c2 = _coefficients(given, owner, options.period)
        asked = speeds.get(p.body, speeds.get(owner, speeds.get(DEFAULT)))
        limit = speed_limit(asked, given, self._fastest(p), owner)
        centre, half, reach = own_box(p.shape)
        reserve = options.index.margin
        record = np.zeros((), m.MOVER)
        gain = given.gain if isinstance(given, Separation) else 0.0
        if reserve is None:
            reserve = RESERVE_FRACTION * float(half.mean())
        record[()] = (
            p.frame, 0, c0, c1, c2, 0.0, limit, gain, reserve, reach, *centre, *half, whole,
            0.0, 0.0, 0.0, limit * options.period,
        )  # fmt: skip
        return record

    def _fastest(self, p: Primitive) -> float:
        """The highest speed of any of its points, every joint at its highest, [m/s]; 0 where no
        joint moves it, infinite where a joint has no limit."""
        known = self.carried(p)
        if known is None:
            return 0.0
        chain, reach = known.chain, known.reach
        return float(kernels.path_length(chain, reach, 0, len(chain), self._joint_speed))

    def farthest(self, primitives: Iterable[Primitive]) -> float:
        """How far any point of them gets from the world's origin, [m]; without those that have no
        bound."""
        reached, found = extents(self._tree), 0.0
        for p in primitives:
            known = self.carried(p)
            if known is not None:
                radius = float(p.shape.core()[1]) if p.shape.bounded else 0.0
                far = float(reached[p.frame] + known.size + radius)
                found = max(found, far if np.isfinite(far) else 0.0)
        return found


def own_box(shape: Shape) -> tuple[Array, Array, float]:
    """Centre and half extents of a bounded shape in its own axes, and its farthest point from its
    origin; somewhat wide for cylinders, [m]."""
    points, radius = shape.core()
    low, high = points.min(axis=0) - radius, points.max(axis=0) + radius
    reach = float(np.sqrt((points**2).sum(axis=1)).max()) + radius
    return 0.5 * (low + high), 0.5 * (high - low), reach


def whole_sizes(primitives: Sequence[Primitive]) -> list[float]:
    """For each primitive of one body, the farthest point of the body from its own origin."""
    reach = np.array([own_box(p.shape)[2] for p in primitives])
    if len(primitives) == 1:
        return [float(reach[0])]
    origins = np.array([p.pose[:3, 3] for p in primitives])
    return [float((np.linalg.norm(origins - o, axis=1) + reach).max()) for o in origins]


def farthest_step(movers: Any, period: float) -> float:
    """No face of a registered box moves as far outwards in a cycle at a steady buffer, [m]: the
    farthest move, and the reserve put on anew."""
    steps = movers.limit * period + AHEAD * movers.reserve
    return float(steps.max(initial=0.0))


def check_names(cell: Cell, options: Options) -> None:
    """Refuse now what would only be found out when the first body moves that it is for."""
    names = {*cell.robots, *cell.bodies}
    buffers = by_name(options.buffer, "buffer", names)
    speeds = by_name(options.max_speed, "max_speed", names)
    for name in {DEFAULT, *buffers, *speeds}:
        given = buffers.get(name, buffers.get(DEFAULT, USUAL_BUFFER))
        _coefficients(given, name, options.period)
        speed_limit(speeds.get(name, speeds.get(DEFAULT)), given, 0.0, name)


def _coefficients(given: Any, owner: str, period: float) -> Coefficients:
    if isinstance(given, Separation) and period > given.period_time:
        raise MonitorError(
            "readings come less often than the separation allows",
            element=f"buffer of {owner}",
            value=period,
            allowed=f"a period of up to {given.period_time:g} s",
        )
    return coefficients(given, f"buffer of {owner}")
