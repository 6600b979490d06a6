"""Whatever describes a joint motion, made into `Pieces`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import PathError
from standoff.motion.pieces import Pieces, at_rest
from standoff.motion.splines import Polynomials, read_spline, spline_kind
from standoff.paths.trajectory import is_trajectory, joint_trajectory, mimic_gap
from standoff.scalars import instance

_TAKEN = (
    "so.paths.Pieces; PPoly (CubicSpline, PchipInterpolator, …), BPoly or BSpline of SciPy up to "
    "degree 5; a ROS JointTrajectory or MoveIt RobotTrajectory as an object, a dict or a file"
)


def as_pieces(cell: Cell, motion: Any, joints: str | Sequence[str] | None = None) -> Pieces:
    """A motion of the cell's joints as polynomials, exact but for `Pieces.rounding`.

    Args:
        motion: one of

            - `Pieces`;
            - a piecewise polynomial or B-spline of SciPy, degree 5 at most, with one value a joint:
              ``PPoly`` and what derives from it (``CubicSpline``, ``CubicHermiteSpline``,
              ``PchipInterpolator``, ``Akima1DInterpolator``), ``BPoly``, ``BSpline``
              (``make_interp_spline``). It is taken over its own range, from its first breakpoint to
              its last, whatever its ``extrapolate`` says; one that repeats itself (``"periodic"``)
              over one period, whose end has to meet its start;
            - a `Plan` or what `smooth` gives back, one unit of time a segment;
            - a ROS trajectory as `joint_trajectory` takes it, with that function's defaults.
        joints: names of the joints that ``motion`` has values for, in its order, or of groups of
            them; the others stay where the cell has them. A mimic joint may be among them if it
            moves as its master says. All joints of the cell by default, in its order.

    Raises:
        PathError: anything else, and motions that make no sense; see there.
        UnknownNameError: a joint that the cell does not have.
    """
    instance("cell", cell, PathError, Cell)
    if isinstance(motion, Pieces):
        given = Polynomials(motion.times, motion.coefficients, motion.rounding)
        return motion if joints is None and _fits(cell, given) else _placed(cell, given, joints)
    if isinstance(getattr(motion, "waypoints", None), np.ndarray):
        return as_pieces(cell, Pieces.path(motion), joints)
    if spline_kind(motion) is not None:
        read = read_spline(motion)
        if getattr(motion, "extrapolate", None) == "periodic":
            _check_period(read)
        return _placed(cell, read, joints)
    if isinstance(motion, (str, Path, Mapping)) or is_trajectory(motion):
        if joints is not None:
            raise PathError("a trajectory names its joints itself", element="joints", value=joints)
        return joint_trajectory(cell, motion)
    hint = ""
    if isinstance(motion, (np.ndarray, list, tuple)):
        hint = "; waypoints without times go to so.paths.Pieces.path or PathChecker.path"
    raise PathError("not a motion", value=motion, allowed=_TAKEN + hint)


def _fits(cell: Cell, motion: Polynomials) -> bool:
    return bool(motion.coefficients.shape[2] == len(cell.joints))


def _placed(cell: Cell, motion: Polynomials, joints: Sequence[str] | None) -> Pieces:
    """The motion's columns put where the cell has their joints."""
    found = cell.tree.names.members(cell.joints if joints is None else joints)
    names = [joint.name for joint in found]
    if motion.coefficients.shape[2] != len(names):
        hint = "" if joints is not None else "; name the joints of fewer columns with joints=[…]"
        raise PathError(
            "wrong number of columns",
            value=motion.coefficients.shape[2],
            allowed=f"{len(names)}, one a joint: {', '.join(map(str, names)) or 'none'}{hint}",
        )
    if joints is None:
        return Pieces.make(*motion, cell.joints)
    coefficients, rounding = at_rest(cell.q, len(motion.coefficients))
    for k, f in enumerate(found):
        if not f.mimic:
            coefficients[:, :, f.column] = motion.coefficients[:, :, k]
            rounding[:, f.column] = motion.rounding[:, k]
    for k, f in enumerate(found):
        if f.mimic:
            gap = mimic_gap(
                f, cell.joints[f.column], motion.coefficients[:, :, k], coefficients[:, :, f.column]
            )
            rounding[:, f.column] += (gap + motion.rounding[:, k]) / abs(f.multiplier)
    return Pieces.make(motion.times, coefficients, rounding, cell.joints)


def _check_period(motion: Polynomials) -> None:
    """A motion that repeats itself runs from its end to its start in no time."""
    twice = [0.0, 1.0, 2.0], motion.coefficients[[-1, 0]], motion.rounding[[-1, 0]]
    try:
        Pieces.make(*twice)
    except PathError as error:
        raise PathError(
            "a periodic motion jumps from its end to its start",
            element=f"t = {float(motion.times[-1])!r}",
            value=error.value,
            allowed=error.allowed,
        ) from error
