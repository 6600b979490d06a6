"""Is the stop itself free? Braking from a configuration and velocities: how the joints go when the
brakes act, and its certificate. One stop, exactly as it is said to be: `paths.end_stops` refuses
one that runs into an end stop; `paths.stop_check` looks at all that may follow a reading.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell.cell import Cell
from standoff.errors import PathError
from standoff.geometry.pose import Array
from standoff.motion.pieces import Pieces, at_rest
from standoff.paths.checker import PathChecker
from standoff.paths.end_stops import overruns
from standoff.paths.verdict import Verdict
from standoff.robots.tree import Tree
from standoff.scalars import number
from standoff.tolerances import EPS

#: Braking times that are nearer than this are one, relative to themselves, [-]: each is a quotient,
#: so equal ones are within 1 unit.
STANDSTILL_MERGING = 4 * EPS

#: Rounding of a braking motion, relative to the joint's position and its speed times the time to
#: standstill, [-]: 2 units from times that were merged, 1 from the sum of reaction and braking
#: time, 3 from the final position, 6 from the coefficients; half as much again for room.
BRAKING_ROUNDING = 18 * EPS


__all__ = ["braking_curve", "check_stop"]


def check_stop(
    checker: Cell | PathChecker,
    q: Values,
    dq: Values,
    deceleration: float | Values,
    reaction: float = 0.0,
    *,
    synchronised: bool = False,
    moving: Mapping[str, Any] | None = None,
    first: bool = False,
    limits: bool = True,
    **settings: Any,
) -> Verdict:
    """Whether the robots, at ``q`` and moving at ``dq``, come to a stop without touching anything:
    each joint goes on for the ``reaction`` time and then brakes at its ``deceleration``; see
    `braking_curve`. The `Verdict`'s times are seconds from now.

    Args:
        checker: a `PathChecker`, or a cell to make one for with ``settings`` (``clearance``,
            ``tolerance``, …). Whoever asks often keeps the checker.
        moving: what the moving bodies do meanwhile, as `PathChecker.curve` takes it, velocities in
            [m/s] and [rad/s]; those left out stand still.
        first: the earliest contact rather than any.
        limits: False lets joints pass their position limits, for robots that have no end stops
            there.

    Raises:
        PathError: a joint would run into its end stop before it stands. What happens then is not
            this motion, and nothing is certified.
        ConfigurationError: values that do not fit the cell.
    """
    if isinstance(checker, Cell):
        by = PathChecker(checker, **settings)
    elif settings:
        raise PathError(
            "settings belong to the checker",
            value=sorted(settings),
            allowed="none beside a PathChecker",
        )
    else:
        by = checker
    motion = braking_curve(by.cell, q, dq, deceleration, reaction, synchronised=synchronised)
    if limits:
        for beyond in overruns(by.cell, motion):
            raise PathError(
                "runs into its end stop before it stands",
                element=f"joint {beyond.joint!r}",
                value=beyond.position,
                allowed=f"up to {beyond.limit:g}"
                if beyond.position > beyond.limit
                else f"down to {beyond.limit:g}",
            )
    return by.curve(motion, moving=moving, first=first)


Values = ArrayLike | Mapping[str, float]


def braking_curve(
    cell: Cell,
    q: Values,
    dq: Values,
    deceleration: float | Values,
    reaction: float = 0.0,
    *,
    synchronised: bool = False,
) -> Pieces:
    """From ``q`` at velocities ``dq`` each joint goes on as it is for the reaction time and then
    brakes at its own limit until it stands: ``v r + v |v| / (2 a)`` further on, after
    ``r + |v| / a`` seconds. Mimic joints follow theirs. Where nothing moves, one piece stands from
    0 to 1 s.

    Position limits are not looked at here; `stopping` does.

    Args:
        q: joint positions, [rad] or [m].
        dq: joint velocities, [rad/s] or [m/s].
        deceleration: what each joint's brake holds, more than 0 for every joint that moves,
            [rad/s²] or [m/s²]: one number, an array, or a dict that may leave out joints at rest,
            by the name of a joint, of a robot, and ``"default"`` for the rest.
        reaction: how long the motion goes on before the brakes act, [s].
        synchronised: all joints stop together, on a straight line from the moment the brakes act;
            none brakes harder than its limit, and the slowest decides.

    Raises:
        ConfigurationError: values that do not fit the cell.
        PathError: a joint that moves without a brake, a reaction time that is none, or a stop that
            takes longer than float64 has numbers for.
    """
    joints = cell.joints
    at, v = cell.configuration(q), cell.tree.values(dq, "dq", kind="velocity")
    a = _limits(deceleration, cell.tree, v)
    r = number("reaction", reaction, PathError, least=0.0, unit="s", problem="not a possible time")
    moving = v != 0.0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        braking = np.where(moving, np.abs(v) / a, 0.0)
        if synchronised:
            braking = np.where(moving, braking.max(initial=0.0), 0.0)
        # The way under the brake: |v| braking / 2, which is v² / (2 a) for the joint's own limit.
        final = at + v * r + 0.5 * v * braking
        braking = _merged(braking)
        still = np.where(moving, r + braking, 0.0)
    if not (np.isfinite(final) & np.isfinite(still)).all():
        j = int(np.argmin(np.isfinite(final) & np.isfinite(still)))
        raise PathError(
            "a stop without end", element=f"joint {joints[j]!r}", value=(float(v[j]), float(a[j]))
        )
    times = _breakpoints(r, still[moving])
    coefficients, rounding = at_rest(final, len(times) - 1)
    rounding += np.where(moving, BRAKING_ROUNDING * (np.abs(at) + np.abs(v) * still), 0.0)
    for piece, (start, end) in zip(coefficients, pairwise(times)):
        length = end - start
        if start < r:
            piece[0], piece[1] = at, v * length
        else:
            _brake(piece, v, braking, np.maximum(still - start, 0.0), length)
    return Pieces.make(times, coefficients, rounding, joints)


def _brake(piece: Array, v: Array, braking: Array, left: Array, length: float) -> None:
    """Coefficients of a piece under the brakes, where joints stand after ``left``; the first ones
    are where they stand in the end, and from there ``final - d (still - t)² / 2``."""
    d = np.divide(v, braking, out=np.zeros_like(v), where=left > 0.0)
    piece[0] -= 0.5 * d * left * left
    piece[1] = d * left * length
    piece[2] = -0.5 * d * length * length


def _merged(braking: Array) -> Array:
    """Braking times that differ by rounding alone made one, the longest of them."""
    result = braking.copy()
    longest = math.inf
    for j in np.argsort(braking)[::-1]:
        if braking[j] < longest * (1.0 - STANDSTILL_MERGING):
            longest = braking[j]
        result[j] = longest
    return result


def _breakpoints(reaction: float, still: Array) -> Array:
    """0, the moment the brakes act, and each joint's standstill."""
    times = np.unique([0.0, reaction, *still]) if len(still) else np.zeros(1)
    return times if len(times) > 1 else np.array([0.0, 1.0])


def _limits(value: Any, tree: Tree, v: Array) -> Array:
    """One deceleration a joint, above 0 where the joint moves."""
    joints = tree.joints
    if isinstance(value, Mapping):
        resting = {name: math.inf for name, speed in zip(joints, v, strict=True) if speed == 0.0}
        value = {**resting, **tree.names.spread(value, "deceleration")}
    elif np.ndim(value) == 0:
        value = np.full(len(joints), value)
    a = tree.values(value, "deceleration", infinite=True)
    bad = (v != 0.0) & ~((a > 0.0) & np.isfinite(a))
    if bad.any():
        j = int(np.argmax(bad))
        raise PathError(
            "a joint that moves without a brake",
            element=f"deceleration of joint {joints[j]!r}",
            value=float(a[j]),
            allowed="a finite number above 0",
        )
    return a
