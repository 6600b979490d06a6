"""Timed joint trajectories of ROS, as the joint trajectory controller interpolates them; from
messages, dicts, JSON and YAML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import Error, MissingPackageError, PathError, PoseError, UnknownNameError
from standoff.geometry.pose import Array, numbers
from standoff.geometry.regular_file import read_regular
from standoff.motion.pieces import LONGEST_GAP, POWERS, UNDERFLOW, Pieces, at_rest
from standoff.paths.joints import unwrap_columns
from standoff.paths.strict_json import parse_json
from standoff.robots.joint_names import Found
from standoff.scalars import flag, instance, number
from standoff.tolerances import EPS

#: Rounding of a coefficient of a Hermite polynomial, relative to the magnitudes of its terms, [-]:
#: an acceleration times the square of a length is off by 2 units, its weight by a half, and the sum
#: of five terms by 2.
HERMITE_ROUNDING = 5 * EPS

#: By how much a mimic joint in a trajectory may differ from what its master makes of it, [rad] or
#: [m]; as LONGEST_GAP, and counted as a deviation of the master.
LONGEST_MIMIC_GAP = LONGEST_GAP

#: Largest trajectory file that is read, [bytes]: hours at 1 kHz; beyond it, reading on would only
#: fill the memory.
MAX_TRAJECTORY_BYTES = 256 * 2**20


__all__ = ["is_trajectory", "joint_trajectory"]

#: Powers of u (rows) from what is known at both ends (columns): the position at the start, the way
#: to the end, velocities times the length T at both ends, accelerations times T² at both ends.
#: What else may be done about names that several robots have.
ONE_ROBOT = "so.joint_trajectory(cell, message, robot=…), for all joints at once"

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
    instance("cell", cell, PathError, Cell)
    flag("unwrap", unwrap, PathError)
    given = read_message(message)
    found = cell.tree.names.find_all(
        given.joint_names, "joint_names", robot=robot, beside=f"; or {ONE_ROBOT}"
    )
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
            gap = mimic_gap(
                f, cell.joints[f.column], columns[:, :, k], coefficients[:, :, f.column]
            )
            total[:, f.column] += (gap + rounding[:, k]) / abs(f.multiplier)
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


def mimic_gap(mimic: Found, of: str, column: Array, master: Array) -> Array:
    """How far, at most, a mimic joint in the trajectory is from where its master ``of`` puts it:
    the sum of the magnitudes of the difference's coefficients."""
    follows = mimic.multiplier * master
    follows[:, 0] += mimic.offset
    size = np.abs(column) + np.abs(mimic.multiplier * master)
    gap = (np.abs(column - follows) + 2.0 * EPS * (size + abs(mimic.offset))).sum(axis=1)
    if mimic.multiplier == 0.0 or not (gap <= LONGEST_MIMIC_GAP).all():
        raise PathError(
            "a mimic joint that does not follow its master",
            element=f"joint {mimic.name!r}",
            value=float(gap.max()),
            allowed=f"left out, or within {LONGEST_MIMIC_GAP:g} of "
            f"{mimic.multiplier:g} times {of!r} + {mimic.offset:g}",
        )
    return np.asarray(gap)


def _configuration(cell: Cell, value: Any, element: str, words: str) -> Array:
    if isinstance(value, str) and value == "cell":
        return cell.q
    try:
        return cell.configuration(value, element)
    except UnknownNameError as error:
        if not isinstance(value, str):
            raise
        raise PathError(
            "unknown", element=element, value=value,
            allowed=f"{words}, a configuration, or a named state; {error.allowed}",
        ) from error  # fmt: skip


#: What may stand around a trajectory: MoveIt's RobotTrajectory, the goal of an action.
_AROUND = ("joint_trajectory", "trajectory", "goal")

#: How deep it may stand in them.
_DEEPEST = 6

_ALLOWED = "joint_names and points, as in trajectory_msgs/JointTrajectory"


class Message(NamedTuple):
    """A trajectory as it was written, one row a point.

    Attributes:
        joint_names: as written.
        times: (n,) [s].
        positions: (n, names).
        velocities, accelerations: the same, or None, for each point.
    """

    joint_names: tuple[str, ...]
    times: Array
    positions: Array
    velocities: list[Array | None]
    accelerations: list[Array | None]


def is_trajectory(value: Any) -> bool:
    """Whether this looks like a trajectory or like something that holds one."""
    return _has(value, "points") or any(_has(value, name) for name in _AROUND)


def read_message(source: Any) -> Message:
    """The trajectory in a message object, a dict, a text of JSON or YAML, or a file of either.

    Raises:
        PathError: not a trajectory, an unknown kind of file, or numbers that are none.
    """
    if not isinstance(source, (str, Path)):
        return _message(source)
    if isinstance(source, str) and ("\n" in source or source.lstrip()[:1] == "{"):
        return _message(_content(source.encode(), json=source.lstrip()[:1] == "{"))
    path = Path(source)
    if path.suffix.lower() not in (".json", ".yaml", ".yml"):
        raise PathError(
            "not a kind of file that holds a trajectory", file=path, value=path.suffix,
            allowed=".json, .yaml or .yml",
        )  # fmt: skip
    data = read_regular(path, MAX_TRAJECTORY_BYTES, "a trajectory", PathError)
    try:
        return _message(_content(data, json=path.suffix.lower() == ".json"))
    except Error as error:
        raise error.at(path) from error


def _content(data: bytes, *, json: bool) -> Any:
    if json:
        return parse_json(data, None, PathError)
    try:
        yaml = import_module("yaml")
    except ImportError as error:
        raise MissingPackageError("PyYAML", "pyyaml", "YAML (JSON needs nothing)") from error
    try:
        # `ros2 topic echo` ends each message with a line of dashes.
        documents = [d for d in yaml.safe_load_all(data) if d is not None]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PathError(f"not YAML: {error}") from error
    if len(documents) != 1:
        raise PathError("not one message", value=len(documents), allowed="one trajectory")
    return documents[0]


def _message(value: Any) -> Message:
    value = _unpacked(value)
    names = _listed(_get(value, "joint_names"), "joint_names")
    points = _listed(_get(value, "points"), "points")
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise PathError("not a name", element=f"joint_names[{k}]", value=name, allowed="text")
    if not points:
        raise PathError("no point", element="points", allowed="one or more")
    times, positions = np.empty(len(points)), np.empty((len(points), len(names)))
    velocities: list[Array | None] = []
    accelerations: list[Array | None] = []
    for k, point in enumerate(points):
        where = f"points[{k}]"
        times[k] = _seconds(_get(point, "time_from_start"), f"{where}.time_from_start")
        row = _row(point, "positions", len(names), where)
        if row is None:
            raise PathError("no positions", element=where, allowed=f"{len(names)} numbers")
        positions[k] = row
        velocities.append(_row(point, "velocities", len(names), where))
        accelerations.append(_row(point, "accelerations", len(names), where))
        if accelerations[-1] is not None and velocities[-1] is None:
            raise PathError(
                "accelerations without velocities",
                element=where,
                allowed="both, velocities alone, or neither",
            )
    return Message(tuple(names), times, positions, velocities, accelerations)


def _unpacked(value: Any) -> Any:
    """The trajectory inside what may stand around it; what else stands there must not move."""
    for _ in range(_DEEPEST):
        if _has(value, "points"):
            return value
        if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 1:
            value = value[0]
            continue
        inside = [name for name in _AROUND if _has(value, name)]
        if not inside:
            seen = list(value) if isinstance(value, Mapping) else value
            raise PathError("not a trajectory", value=seen, allowed=_ALLOWED)
        other = _get(value, "multi_dof_joint_trajectory")
        if other is not None and len(_listed(_get(other, "points"), "points")):
            raise PathError(
                "joints of several degrees of freedom are not supported",
                element="multi_dof_joint_trajectory",
                allowed="joint_trajectory alone",
            )
        value = _get(value, inside[0])
    raise PathError("not a trajectory", value=value, allowed=_ALLOWED)


def _row(point: Any, name: str, count: int, where: str) -> Array | None:
    value = _get(point, name)
    if value is None or (count > 0 and len(_listed(value, f"{where}.{name}")) == 0):
        return None
    element, allowed = f"{where}.{name}", f"{count} finite numbers, one a joint"
    try:
        row = numbers(value, element)
    except PoseError as error:
        if "..." in list(value):
            allowed += "; this message was cut short when it was printed (ros2: --full-length)"
        raise PathError("not numbers", element=element, value=value, allowed=allowed) from error
    if row.shape != (count,):
        raise PathError("wrong length", element=element, value=row.shape, allowed=allowed)
    if not np.isfinite(row).all():
        raise PathError("not finite", element=element, value=row.tolist(), allowed=allowed)
    return row


def _seconds(value: Any, element: str) -> float:
    """A duration of ROS 1 or 2, of Python, or plain seconds; the nearest float64 of it."""
    nanoseconds = None
    for whole, part in (("sec", "nanosec"), ("secs", "nsecs")):
        if _has(value, whole) and _has(value, part):
            parts = _get(value, whole), _get(value, part)
            if all(isinstance(p, (int, np.integer)) and not isinstance(p, bool) for p in parts):
                nanoseconds = int(parts[0]) * 10**9 + int(parts[1])
    if nanoseconds is None and isinstance(getattr(value, "nanoseconds", None), int):
        nanoseconds = value.nanoseconds
    if nanoseconds is not None:
        return nanoseconds / 10**9
    if hasattr(value, "total_seconds"):
        value = value.total_seconds()
    return number(
        element, value, PathError,
        allowed="sec and nanosec, secs and nsecs, or seconds", problem="not a duration",
    )  # fmt: skip


def _listed(value: Any, element: str) -> Any:
    """A list, a tuple, or an array of one of the ROS libraries."""
    if value is None:
        raise PathError("missing", element=element, allowed=_ALLOWED)
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__"):
        raise PathError("not a list", element=element, value=value, allowed="a list")
    return value


def _has(value: Any, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
