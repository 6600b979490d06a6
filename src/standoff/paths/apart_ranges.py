"""Which values the joints between two bodies can take, as far as it matters to them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from standoff.constants import JOINT_BOX_ROUNDING
from standoff.kernels import kinematics
from standoff.robots.tree import Tree


def joint_range(tree: Tree, index: int, frames: Sequence[int]) -> tuple[float, float] | str:
    """The range of entry ``index`` of ``q`` that shows all that the joints of ``frames``, which
    follow it, can do; or why there is none.

    It is the joint's limits. Where only revolute joints follow it, and the multipliers of all are
    whole multiples of the smallest, ``m``, everything repeats after a turn of ``2 pi / m``: no more
    than that is needed, and a continuous joint has no other range. A multiplier of 0 follows
    nothing.
    """
    low, high = float(tree.lower[index]), float(tree.upper[index])
    times = [abs(float(tree.reals[f, kinematics.MULTIPLIER])) for f in frames]
    moved = [f for f, m in zip(frames, times) if m != 0.0]
    slides = [f for f in moved if tree.ints[f, kinematics.JOINT_KIND] == kinematics.PRISMATIC]
    if not moved:
        middle = min(max(0.0, low), high)
        return middle, middle
    if not slides:
        least = min(m for m in times if m != 0.0)
        turn = 2.0 * math.pi / least * (1.0 + 2.0 * JOINT_BOX_ROUNDING)
        if math.isfinite(turn) and all(math.fmod(m, least) == 0.0 for m in times):
            if math.isfinite(low):
                return low, min(high, low + turn)
            return (high - turn, high) if math.isfinite(high) else (-0.5 * turn, 0.5 * turn)
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    name = tree.joints[index]
    if slides:
        return f"joint {name} has no limits"
    return f"joint {name} has no limits, and the joints that mimic it never stand as before"
