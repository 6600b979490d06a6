"""Is the stop itself free? Braking from a configuration and velocities, certified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standoff.cell import Cell
from standoff.errors import PathError
from standoff.paths.braking import Values, braking_curve
from standoff.paths.checker import PathChecker
from standoff.paths.end_stops import overruns
from standoff.paths.verdict import Verdict

__all__ = ["braking_curve", "stopping"]


def stopping(
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
