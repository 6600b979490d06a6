"""What names of joints, groups and named states mean in a cell: one place for all who are given
names, in lists, in dicts, in files and on the command line.

A name may leave out the robot (``elbow`` for ``left/elbow``) where one robot alone has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from standoff.errors import ConfigurationError, UnknownNameError
from standoff.geometry.pose import Array
from standoff.robots.description import Robot
from standoff.robots.joint_values import joint_values
from standoff.tolerances import ENCODER_TOLERANCE

#: What stands for all joints that a table does not name.
DEFAULT = "default"

#: Joints of a robot that are named one by one, at most.
_FEW = 3

#: What the numbers given by joint are: those of a mimic joint follow from its master's, those of
#: any other kind it has none of its own.
Kind = Literal["position", "velocity", "other"]


class Found(NamedTuple):
    """A joint of the cell: ``multiplier q[column] + offset``, which is ``q[column]`` itself but for
    mimic joints."""

    name: str
    column: int
    multiplier: float = 1.0
    offset: float = 0.0
    mimic: bool = False


class JointNames:
    """The names of several robots.

    Args:
        joints: names of those that ``q`` sets, in its order.
        mimics: the others that move.
        robots: by name.

    Attributes:
        joints: as given.
        known: all moving joints by full name.
        unique: the same, and under their short names those that one robot alone has.
        groups: the moving joints of each group, by its full name, ``left/arm``.
        states: named states by full name: ``left/ready``, or ``left/arm/ready`` where several
            groups of a robot have a state of one name; values by full names of joints.
    """

    def __init__(
        self, joints: Sequence[str], mimics: Iterable[Found], robots: Mapping[str, Robot]
    ) -> None:
        self.joints, self.robots = tuple(joints), tuple(robots)
        self.known = {name: Found(name, column) for column, name in enumerate(joints)}
        self.known.update((found.name, found) for found in mimics)
        self._short = _by_short(self.known)
        self.unique = {s: self.known[full[0]] for s, full in self._short.items() if len(full) == 1}
        self.unique.update(self.known)
        self.groups = {
            f"{r}/{group}": tuple(f"{r}/{joint}" for joint in members)
            for r, robot in robots.items()
            for group, members in robot.groups.items()
        }
        self._short_groups = _by_short(self.groups)
        self.states: dict[str, dict[str, float]] = {}
        self._called: dict[str, list[str]] = {}
        for r, robot in robots.items():
            several = [state.name for state in robot.states]
            for state in robot.states:
                grouped = f"{state.group}/{state.name}" if state.group else state.name
                short = state.name if several.count(state.name) == 1 else grouped
                full = f"{r}/{short}"
                self.states[full] = {f"{r}/{joint}": at for joint, at in state.values.items()}
                for call in {state.name, grouped, f"{r}/{state.name}", f"{r}/{grouped}"}:
                    self._called.setdefault(call, []).append(full)

    def could_be(self, name: Any, robot: str | None = None) -> list[Found]:
        """The joints that a name could mean, of one robot where that is given."""
        if not isinstance(name, str):
            return []
        if name in self.known and robot in (None, name.partition("/")[0]):
            return [self.known[name]]
        full = self._short.get(name, [])
        return [self.known[f] for f in full if robot in (None, f.partition("/")[0])]

    def find(self, name: Any, element: str, *, robot: str | None = None, beside: str = "") -> Found:
        """The joint of a name.

        Args:
            robot: look at this one alone.
            beside: what else may be done about a name that several robots have.

        Raises:
            UnknownNameError: a name that no joint bears, with the nearest ones.
            ConfigurationError: a name that several robots have.
        """
        found = self.could_be(name, robot)
        if len(found) == 1:
            return found[0]
        if not found:
            known = [f for f in self.known if robot in (None, f.partition("/")[0])]
            raise UnknownNameError(str(name), known, what="joint", element=element)
        raise self._several("a joint", name, [f.name for f in found], element, beside)

    def find_all(
        self, names: Iterable[Any], element: str, *, robot: str | None = None, beside: str = ""
    ) -> list[Found]:
        """The joint of each name; `find` says what it raises.

        Raises:
            ConfigurationError: a joint twice, be it under two names.
        """
        if robot is not None and not (isinstance(robot, str) and robot in self.robots):
            raise UnknownNameError(str(robot), self.robots, what="robot")
        result: dict[str, Found] = {}
        for k, name in enumerate(names):
            place = f"{element}[{k}]"
            found = self.find(name, place, robot=robot, beside=beside)
            if found.name in result:
                raise ConfigurationError("a joint twice", element=place, value=name, allowed="once")
            result[found.name] = found
        return list(result.values())

    def members(self, names: Any, element: str = "joints") -> list[Found]:
        """The joints behind a name or a list of names, each once: joints, and groups and robots,
        which stand for all their joints but the mimic ones. Of a name with several meanings
        a robot comes before a joint, and a joint before a group.

        Raises:
            UnknownNameError: a name that nothing bears, with what there is.
            ConfigurationError: no name, or one that several robots have.
        """
        if isinstance(names, str):
            names = [names]
        if isinstance(names, (bytes, Mapping)) or not isinstance(names, Iterable):
            raise ConfigurationError(
                "not names of joints", element=element, value=names,
                allowed="names of joints, groups or robots",
            )  # fmt: skip
        found: dict[str, Found] = {}
        for name in names:
            found.update((f.name, f) for f in self._behind(name, element))
        return list(found.values())

    def _behind(self, name: Any, element: str) -> list[Found]:
        if not isinstance(name, str):
            raise ConfigurationError(
                "not a name", element=element, value=name,
                allowed="names of joints, groups or robots",
            )  # fmt: skip
        if name in self.robots:
            return [self.known[joint] for joint in self.joints if joint.startswith(f"{name}/")]
        if self.could_be(name):
            return [self.find(name, element)]
        full = [name] if name in self.groups else self._short_groups.get(name, [])
        if len(full) > 1:
            raise self._several("a group", name, full, element)
        if full:
            return [f for joint in self.groups[full[0]] if not (f := self.known[joint]).mimic]
        known = [*self.known, *self.groups, *self.robots]
        there = f"groups: {', '.join(self.groups) or 'none'}; robots: {', '.join(self.robots)}"
        raise UnknownNameError(
            str(name), known, what="joint, group or robot", there=there, element=element
        )

    def columns(self, names: Any, element: str = "joints") -> list[int]:
        """The places in ``q`` of what `members` finds, in order; a mimic joint has that of the
        joint that it follows."""
        return sorted({found.column for found in self.members(names, element)})

    def state(self, name: str, element: str) -> Mapping[str, float]:
        """The values of a named state: ``ready``, ``arm/ready`` with its group, ``left/ready`` or
        ``left/arm/ready`` with its robot.

        Raises:
            UnknownNameError: a name that no state bears, with those there are.
            ConfigurationError: a name that several states have.
        """
        full = [name] if name in self.states else self._called.get(name, [])
        if len(full) > 1:
            raise self._several("a named state", name, full, element)
        if not full:
            there = ", ".join(self.states) or "none: they come from <group_state> in an SRDF"
            raise UnknownNameError(
                name, self.states, what="named state", there=f"named states: {there}",
                element=element,
            )  # fmt: skip
        return self.states[full[0]]

    def values(
        self,
        given: Mapping[Any, Any],
        element: str,
        *,
        kind: Kind = "other",
        others: Sequence[float] | Array | None = None,
        negative: bool = True,
        infinite: bool = False,
    ) -> Array:
        """One number a joint, from numbers by name; `joint_values` says how they are checked. The
        position or velocity of a mimic joint may be among them if it is what that of its master
        gives, within ENCODER_TOLERANCE.

        Args:
            others: the numbers of joints that are left out. None: leaving one out is an error.

        Raises:
            UnknownNameError, ConfigurationError: see `find_all`; a joint that is left out; a mimic
                joint that does not follow, or has no number of its own.
        """
        found = self._by_key(given, element)
        numbers: list[Any] = [None] * len(self.joints) if others is None else [*others]
        for name, joint in found.items():
            if not joint.mimic:
                numbers[joint.column] = given[name]
        named = {joint.column for joint in found.values() if not joint.mimic}
        missing = [name for k, name in enumerate(self.joints) if k not in named]
        if missing and others is None:
            raise ConfigurationError(
                "joints are missing", element=element, value=missing, allowed="all joints by name"
            )
        result = joint_values(numbers, self.joints, element, negative=negative, infinite=infinite)
        for name, joint in found.items():
            if joint.mimic:
                self._check_mimic(joint, given[name], result, element, kind)
        return result

    def _by_key(self, given: Iterable[Any], element: str) -> dict[Any, Found]:
        """The joint of each key of a table."""
        found = {name: self.find(name, element) for name in given}
        first: dict[str, Any] = {}
        for name, joint in found.items():
            if joint.name in first:
                raise ConfigurationError(
                    f"joint {joint.name!r} is there twice", element=element,
                    value=[first[joint.name], name], allowed="once",
                )  # fmt: skip
            first[joint.name] = name
        return found

    def _check_mimic(self, joint: Found, given: Any, q: Array, element: str, kind: Kind) -> None:
        if kind == "other":
            raise self._no_value(joint, given, element)
        value = float(joint_values([given], [joint.name], element)[0])
        at = float(q[joint.column])
        follows = joint.multiplier * at + (joint.offset if kind == "position" else 0.0)
        if not abs(value - follows) <= ENCODER_TOLERANCE:
            raise ConfigurationError(
                f"mimic joint {joint.name!r} does not follow {self.joints[joint.column]!r}, "
                f"which has {at:g}",
                element=element, value=value,
                allowed=f"{follows:.6g} within {ENCODER_TOLERANCE:g}, or leave it out",
            )  # fmt: skip

    def _no_value(self, joint: Found, given: Any, element: str) -> ConfigurationError:
        return ConfigurationError(
            f"mimic joint {joint.name!r} has no value of its own", element=element, value=given,
            allowed=f"leave it out; it follows {self.joints[joint.column]!r}",
        )  # fmt: skip

    def spread(
        self, given: Mapping[Any, Any], element: str, *, strict: bool = True
    ) -> dict[str, Any]:
        """What is given by joint, by robot and as ``"default"``, each before the next, for each
        joint of ``q`` that any of them says something of.

        Args:
            strict: whether a name that nothing bears is an error.

        Raises:
            UnknownNameError, ConfigurationError: see `find`; a joint twice; a mimic joint.
        """
        result = dict.fromkeys(self.joints, given[DEFAULT]) if DEFAULT in given else {}
        single = {name: value for name, value in given.items() if name != DEFAULT}
        for robot in self.robots:
            if robot in single:
                value = single.pop(robot)
                result.update((j, value) for j in self.joints if j.startswith(f"{robot}/"))
        strange = [name for name in single if not self.could_be(name)]
        if strange and strict:
            known = [DEFAULT, *self.robots, *self.known]
            raise UnknownNameError(str(strange[0]), known, what="name", element=element)
        for name, joint in self._by_key((n for n in single if n not in strange), element).items():
            if joint.mimic:
                raise self._no_value(joint, single[name], element)
            result[joint.name] = single[name]
        return result

    def words(self, joints: Iterable[str]) -> str:
        """Some joints of ``q`` for whoever reads: as a group where they are one, by their names
        where they are few, else how many of which robot."""
        chosen = {*joints}
        parts = []
        for robot in self.robots:
            own = [joint for joint in self.joints if joint.startswith(f"{robot}/")]
            some = [joint for joint in own if joint in chosen]
            groups = (g for g, m in self.groups.items() if {*m} & {*self.joints} == {*some})
            if len(some) <= _FEW:
                parts += some
            elif group := next(groups, None):
                parts.append(f"{group} ({len(some)} joints)")
            else:
                parts.append(f"{len(some)} of {len(own)} joints of {robot}")
        return ", ".join(parts) or "no joint"

    def _several(
        self, what: str, name: Any, full: Sequence[str], element: str, beside: str = ""
    ) -> ConfigurationError:
        robots = {f.partition("/")[0] for f in full}
        return ConfigurationError(
            f"{what} of several {'robots' if len(robots) > 1 else 'groups'}", element=element,
            value=name, allowed=f"{' or '.join(full)}{beside}",
        )  # fmt: skip


def _by_short(full: Iterable[str]) -> dict[str, list[str]]:
    """Full names by what stands behind the robot."""
    result: dict[str, list[str]] = {}
    for name in full:
        result.setdefault(name.partition("/")[2], []).append(name)
    return result
