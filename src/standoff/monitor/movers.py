"""What a monitor has to know of each primitive that moves: its buffer, how fast it can be and how
far it reaches; from the options, the shape, and the joints' own limits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from standoff.cell.model import Primitive
from standoff.defaults import USUAL_BUFFER
from standoff.errors import MonitorError
from standoff.monitor.buffers import DEFAULT, by_name, coefficients, speed_limit
from standoff.monitor.kernels import tables as m
from standoff.monitor.options import Options
from standoff.monitor.separation import Coefficients, SeparationDistance
from standoff.motion.kernels import bound as kernels
from standoff.motion.motion_bound import Carried, MovingBody, carried, extents
from standoff.robots.kernels.kinematics import DEPTH
from standoff.robots.tree import Tree
from standoff.tolerances import AHEAD

#: How much wider than extended a mover is registered, as a part of the half extents of its box,
#: [-]. Wider: registered anew less often, but more pairs near each other; flat between 0.5 and 1.
RESERVE_FRACTION = 0.6

#: What is known of each primitive that joints carry; it belongs to one tree, as its frame does.
_CARRIED: WeakKeyDictionary[Primitive, Carried] = WeakKeyDictionary()


class Movers:
    """Makes the records of movers on one joint tree.

    Attributes:
        depth: joints that carry a link, at most.
    """

    def __init__(self, tree: Tree, options: Options, names: set[str]) -> None:
        self._tree, self._options = tree, options
        self._buffers = by_name(options.buffer, "buffer", names)
        self._speeds = by_name(options.max_speed, "max_speed", names)
        for name in {DEFAULT, *self._buffers, *self._speeds}:
            self._limits(name, name, 0.0)  # or it would be found out when the first such body moves
        self._joint_speed = np.empty(tree.frames)
        velocity = tree.velocity.copy()
        kernels.joint_magnitudes(tree.reals, tree.ints, velocity, self._joint_speed)
        self.depth = int(tree.ints[:, DEPTH].max(initial=0))

    def carried(self, p: Primitive) -> Carried | None:
        """What the motion bound knows of a primitive; None where no joint moves it."""
        if not 0 < p.frame < self._tree.frames:
            return None
        known = _CARRIED.get(p)
        if known is None:
            body = MovingBody.of_shape(f"{p.body}.{p.part}", p.frame, p.shape, p.pose)
            known = _CARRIED[p] = carried(self._tree, body)
        return known

    def record(self, p: Primitive, owner: str, whole: float) -> Any:
        """A MOVER that was not seen yet; ``owner``: the robot or body that its options are for,
        ``whole``: see there. What depends on other bodies, ``least`` and what is held, is left 0.
        """
        (c0, c1, c2), gain, limit = self._limits(p.body, owner, self._fastest(p))
        centre, half, reach = p.own_box
        reserve, period = self._options.index.margin, self._options.period
        record = np.zeros((), m.MOVER)
        if reserve is None:
            reserve = RESERVE_FRACTION * float(half.mean())
        record[()] = (
            p.frame, 0, c0, c1, c2, 0.0, limit, gain, reserve, reach, *centre, *half, whole,
            0.0, 0.0, 0.0, limit * period,
        )  # fmt: skip
        return record

    def _limits(self, name: str, owner: str, fastest: float) -> tuple[Coefficients, float, float]:
        """Coefficients and gain of a body's buffer, and its highest speed; ``fastest``: by its
        joints."""
        buffers, speeds, period = self._buffers, self._speeds, self._options.period
        given = buffers.get(name, buffers.get(owner, buffers.get(DEFAULT, USUAL_BUFFER)))
        asked = speeds.get(name, speeds.get(owner, speeds.get(DEFAULT)))
        gain = 0.0
        if isinstance(given, SeparationDistance):
            gain = given.gain
            if period > given.period_time:
                raise MonitorError(
                    "readings come less often than the separation allows",
                    element=f"buffer of {owner}",
                    value=period,
                    allowed=f"a period of up to {given.period_time:g} s",
                )
        limit = speed_limit(asked, given, fastest, owner)
        return coefficients(given, f"buffer of {owner}"), gain, limit

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


def farthest_step(movers: Any, period: float) -> float:
    """No face of a registered box moves as far outwards in a cycle at a steady buffer, [m]: the
    farthest move, and the reserve put on anew."""
    steps = movers.limit * period + AHEAD * movers.reserve
    return float(steps.max(initial=0.0))
