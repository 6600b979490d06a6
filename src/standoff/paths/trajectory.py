"""Timed joint trajectories of ROS, as the joint trajectory controller interpolates them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from standoff.cell import Cell
from standoff.constants import (
    EPS,
    HERMITE_ROUNDING,
    LONGEST_GAP,
    LONGEST_MIMIC_GAP,
    UNDERFLOW,
)
from standoff.errors import PathError
from standoff.paths.joint_names import Found, find_joints
from standoff.paths.pieces import POWERS, Pieces, at_rest
from standoff.paths.trajectory_message import Message, is_trajectory, read_message
from standoff.paths.unwrap import unwrap_columns
from standoff.shapes.pose import Array

__all__ = ["is_trajectory", "joint_trajectory"]

#: Powers of u (rows) from what is known at both ends (columns): the position at the start, the way
#: to the end, velocities times the length T at both ends, accelerations times T² at both ends.
_LINEAR = np.zeros((POWERS, 6))
_LINEAR[0, 0] = _LINEAR[1, 1] = 1.0
_CUBIC = np.zeros((POWERS, 6))
_CUBIC[:4, :4] = [[1, 0, 0, 0], [0, 0, 1, 0], [0, 3, -2, -1], [0, -2, 1, 1]]
_QUINTIC = np.array(
    [
        [1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 0, 0, 0, 0.5, 0],
        [0, 10, -6, -4, -1.5, 0.5],
        [0, -15, 8, 7, 1.5, -1],
        [0, 6, -3, -3, -0.5, 0.5],
    ]
)


def joint_trajectory(
    cell: Cell,
    message: Any,
    *,
    robot: str | None = None,
    rest: Any = None,
    start: Any = None,
    unwrap: bool = False,
) -> Pieces:
    """A ``trajectory_msgs/JointTrajectory`` as ``joint_trajectory_controller`` of ROS executes it.

    Between two points the joints move evenly where one of them has positions alone, on the cubic
    that has both velocities where both have them, and on the quintic that has both accelerations as
    well where both have those. Times are seconds from the start of the trajectory, in float64.

    Angles are taken as given: from 3 to -3 is 6 rad back, also for continuous joints.

    Args:
        message: an object of ROS 1 or 2, a dict, a text of JSON or YAML, or a ``.json``, ``.yaml``
            or ``.yml`` file (YAML where PyYAML is installed); also with a MoveIt
            ``RobotTrajectory`` or an action's goal around it. Joints are named with their robot
            (``left/elbow``) or, where only one robot has such a joint, without. A mimic joint may
            be among them if it moves as its master says.
        robot: whose joints the names are, where several robots have the same.
        rest: where the joints stay that the trajectory leaves out: ``"cell"``, where the cell has
            them, or a configuration. None: leaving one out is an error.
        start: where the motion starts if the first point comes later than 0: ``"cell"``, where the
            cell has the joints; a configuration; both at rest. ``"first"``: at the first point,
            whatever happens before it. None: a first point later than 0 is an error, as its way
            there is not known.
        unwrap: take the shorter way from point to point for continuous joints.

    Raises:
        PathError: what is no trajectory; times that do not increase; a joint missing, or ambiguous.
        UnknownNameError: a joint that the cell does not have.
    """
    given = read_message(message)
    found = find_joints(cell, given.joint_names, robot=robot, element="joint_names")
    base = _resting(cell, found, rest)
    given = _from_start(cell, given, found, start)
    if unwrap:
        given = _unwrapped(cell, given, found)
    _check_times(given.times)
    columns, rounding = _hermite(given)
    coefficients, total = at_rest(base, len(columns))
    for k, f in enumerate(found):
        if not f.mimic:
            coefficients[:, :, f.column], total[:, f.column] = columns[:, :, k], rounding[:, k]
    for k, f in enumerate(found):
        if f.mimic:
            stray = _mimic_gap(f, columns[:, :, k], coefficients[:, :, f.column])
            total[:, f.column] += (stray + rounding[:, k]) / abs(f.multiplier)
    return Pieces.make(given.times, coefficients, total, cell.joints)


def _resting(cell: Cell, found: Sequence[Found], rest: Any) -> Array:
    """Where the joints stay that the trajectory does not name."""
    named = {f.column for f in found if not f.mimic}
    missing = [name for j, name in enumerate(cell.joints) if j not in named]
    if rest is None and missing:
        raise PathError(
            "joints are missing",
            element="joint_names",
            value=missing,
            allowed='all joints of the cell; so.joint_trajectory(cell, message, rest="cell") '
            "leaves the others where the cell has them",
        )
    return cell.q if rest is None else _configuration(cell, rest, "rest", '"cell"')


def _from_start(cell: Cell, given: Message, found: Sequence[Found], start: Any) -> Message:
    """The message with a point at rest at time 0 before its first, if that comes later."""
    first = float(given.times[0])
    if first < 0.0:
        raise PathError("before the start", element="points[0].time_from_start", value=first)
    if start is None and first > 0.0:
        raise PathError(
            "the way to the first point is not known",
            element="points[0].time_from_start",
            value=first,
            allowed='0, or start="cell", a configuration, or "first" to begin there',
        )
    if start is None or (isinstance(start, str) and start == "first"):
        return given
    whole = _configuration(cell, start, "start", '"cell" or "first"')
    q = np.array([f.multiplier * whole[f.column] + f.offset for f in found])
    if first == 0.0:
        gap = np.abs(q - given.positions[0])
        if not (gap <= LONGEST_GAP).all():
            at = int(np.argmax(gap))
            raise PathError(
                "the trajectory does not begin at its start",
                element=f"joint {found[at].name!r}",
                value=float(given.positions[0, at]),
                allowed=f"{float(q[at])!r} within {LONGEST_GAP:g}",
            )
        return given
    still = np.zeros(len(q))
    has_v, has_a = given.velocities[0] is not None, given.accelerations[0] is not None
    return given._replace(
        times=np.concatenate([[0.0], given.times]),
        positions=np.concatenate([q[None], given.positions]),
        velocities=[still if has_v else None, *given.velocities],
        accelerations=[still if has_a else None, *given.accelerations],
    )


def _unwrapped(cell: Cell, given: Message, found: Sequence[Found]) -> Message:
    kinds = cell.tree.kinds
    turning = [k for k, f in enumerate(found) if kinds[f.column] == "continuous" and not f.mimic]
    names = tuple(f.name for f in found)
    return given._replace(positions=unwrap_columns(given.positions, turning, names))


def _check_times(times: Array) -> None:
    if len(times) < 2:
        raise PathError("one point is no motion", element="points", allowed="two or more")
    good = np.diff(times) > 0.0
    if not good.all():
        k = int(np.argmin(good))
        raise PathError(
            "times do not increase",
            element="time_from_start",
            value=(float(times[k]), float(times[k + 1])),
            allowed="each point later than the one before",
        )


def _hermite(given: Message) -> tuple[Array, Array]:
    """Coefficients (n, 6, names), and how far rounding has them from the controller's polynomials:
    HERMITE_ROUNDING of every term but the position at the start, which is exact."""
    length = np.diff(given.times)[:, None]
    n, names = len(length), given.positions.shape[1]
    known = np.zeros((n, 6, names))
    weights = np.empty((n, POWERS, 6))
    known[:, 0] = given.positions[:-1]
    with np.errstate(over="ignore", invalid="ignore"):
        known[:, 1] = np.diff(given.positions, axis=0)
        for k in range(n):
            v0, v1 = given.velocities[k : k + 2]
            a0, a1 = given.accelerations[k : k + 2]
            weights[k] = _LINEAR
            if v0 is not None and v1 is not None:
                weights[k] = _CUBIC
                known[k, 2:4] = v0 * length[k], v1 * length[k]
                if a0 is not None and a1 is not None:
                    weights[k] = _QUINTIC
                    known[k, 4:6] = a0 * length[k] * length[k], a1 * length[k] * length[k]
        coefficients = np.einsum("npc,ncj->npj", weights, known)
        terms = np.einsum("npc,ncj->nj", np.abs(weights[:, 1:]), np.abs(known))
    return coefficients, HERMITE_ROUNDING * terms + UNDERFLOW


def _mimic_gap(mimic: Found, column: Array, master: Array) -> Array:
    """How far, at most, a mimic joint in the trajectory is from where its master puts it: the sum
    of the magnitudes of the difference's coefficients."""
    follows = mimic.multiplier * master
    follows[:, 0] += mimic.offset
    size = np.abs(column) + np.abs(mimic.multiplier * master)
    stray = (np.abs(column - follows) + 2.0 * EPS * (size + abs(mimic.offset))).sum(axis=1)
    if mimic.multiplier == 0.0 or not (stray <= LONGEST_MIMIC_GAP).all():
        raise PathError(
            "a mimic joint that does not follow its master",
            element=f"joint {mimic.name!r}",
            value=float(stray.max()),
            allowed=f"left out, or within {LONGEST_MIMIC_GAP:g} of "
            f"{mimic.multiplier:g} times its master + {mimic.offset:g}",
        )
    return np.asarray(stray)


def _configuration(cell: Cell, value: Any, element: str, words: str) -> Array:
    if isinstance(value, str):
        if value != "cell":
            raise PathError(
                "unknown", element=element, value=value, allowed=f"{words}, or a configuration"
            )
        return cell.q
    return cell.tree.configuration(value, element)
