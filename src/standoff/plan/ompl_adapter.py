"""OMPL on the exact checker: any of its planners then gives paths that are proved.

OMPL is optional, the extra ``plan``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from standoff.errors import MissingPackageError, PlanError, UnknownNameError
from standoff.geometry.pose import Array
from standoff.paths.checker import PathChecker
from standoff.paths.joints import LIMIT_ROUNDING
from standoff.paths.verdict import Verdict
from standoff.plan.query import chosen_joints, listed


def have_ompl() -> bool:
    """Whether OMPL can be used."""
    return find_spec("ompl") is not None


class OmplSpace:
    """Joints of a cell as a state space of OMPL, whose states and motions the checker judges.

    A state is valid where the robot at rest there is free, and within the bounds; a motion, where
    the straight line in joint space is proved free at every instant. OMPL's resolution has no
    meaning here. It follows the cell: what is valid is so in the cell as it is when OMPL asks.

    Args:
        checker: with the clearance and tolerance that are to be kept.
        joints: names of the joints to plan, or of robots, as for `Planner.plan`; all of them by
            default.
        still: the configuration that the other joints keep, as an array or a dict by name; the
            cell's own by default.
        bounds: of single joints by name, lowest and highest value, before their limits. A joint
            without limits needs them.

    Attributes:
        space: `ompl.base.RealVectorStateSpace`, joints in the order of ``cell.joints``.
        information: `ompl.base.SpaceInformation`, set up, for planners and simplifiers.
        states, motions: the state checker and the motion validator that it uses.

    Raises:
        MissingPackageError: OMPL is not installed.
        PlanError: bounds that make no sense.
    """

    def __init__(
        self,
        checker: PathChecker,
        joints: Sequence[str] | None = None,
        still: Any = None,
        bounds: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        if not have_ompl():
            raise MissingPackageError("OMPL", "standoff[plan]", "its planners")
        from ompl import base

        from standoff.plan.ompl_validators import Motions, Reading, States

        cell = checker.cell
        self.checker = checker
        self.columns = chosen_joints(cell, joints)
        if bounds is not None and not isinstance(bounds, Mapping):
            raise PlanError("not bounds", element="bounds", value=bounds, allowed="pairs by name")
        low, high = self._bounds(dict(bounds or {}))
        rest = cell.q if still is None else cell.configuration(still)
        self._reading = Reading(rest, self.columns)
        box = base.RealVectorBounds(len(self.columns))
        for k in range(len(self.columns)):
            box.setLow(k, float(low[k]))
            box.setHigh(k, float(high[k]))
        self.space = base.RealVectorStateSpace(len(self.columns))
        self.space.setBounds(box)
        self.information = base.SpaceInformation(self.space)
        self.states = States(self.information, checker, self._reading)
        self.motions = Motions(self.information, self.space, checker, self._reading)
        self.information.setStateValidityChecker(self.states)
        self.information.setMotionValidator(self.motions)
        self.information.setup()

    @property
    def cuts_short(self) -> bool:
        """Whether this OMPL asks a motion validator written in Python for the last valid state of a
        motion (`Motions.checkMotionWithLastValid`). 2.0.1 does not: a planner that goes on from
        there takes such a motion as blocked from its start, which loses some speed and no proof."""
        from ompl import base

        return hasattr(base.MotionValidator, "checkMotionWithLastValid")

    def state(self, q: Any) -> Any:
        """A configuration of the cell as a new state of the space.

        Raises:
            PlanError: a joint that is not planned is not where it is to stay.
        """
        given = self.checker.cell.configuration(q)
        kept = self._reading.at(given[self.columns])
        away = np.flatnonzero(np.abs(given - kept) > LIMIT_ROUNDING)
        if len(away):
            joint = int(away[0])
            raise PlanError(
                f"joint {self.checker.cell.joints[joint]!r} is not planned, and not where it stays",
                value=float(given[joint]),
                allowed=f"{kept[joint]:g}, another still=, or to have it among the joints",
            )
        state = self.space.allocState()
        state[0 : len(self.columns)] = given[self.columns].tolist()
        return state

    def problem(self, start: Any, goals: Any) -> Any:
        """An `ompl.base.ProblemDefinition` from a configuration to any of one or more."""
        from ompl import base

        definition = base.ProblemDefinition(self.information)
        definition.addStartState(self.state(start))
        wanted = base.GoalStates(self.information)
        for goal in listed(goals):
            wanted.addState(self.state(goal))
        definition.setGoal(wanted)
        return definition

    def waypoints(self, path: Any) -> Array:
        """(n, joints of the cell): the states of an `ompl.geometric.PathGeometric`."""
        rows = [self._reading(state) for state in path.getStates()]
        return np.array(rows).reshape(-1, len(self.checker.cell.joints))

    def verdict(self, path: Any) -> Verdict:
        """Whether a path of OMPL is free as a whole; its certificate proves it."""
        return self.checker.path(self.waypoints(path))

    def _bounds(self, given: dict[str, tuple[float, float]]) -> tuple[Array, Array]:
        tree = self.checker.cell.tree
        low, high = tree.lower.copy(), tree.upper.copy()
        names = [self.checker.cell.joints[k] for k in self.columns]
        for name, pair in given.items():
            k = tree.names.find(name, "bounds").column
            if k not in self.columns:
                raise UnknownNameError(str(name), names, what="planned joint")
            try:
                low[k], high[k] = map(float, pair)
            except (TypeError, ValueError) as error:
                raise PlanError(
                    f"no bounds for joint {name!r}", element="bounds", value=pair,
                    allowed="lowest and highest value",
                ) from error  # fmt: skip
        low, high = low[self.columns], high[self.columns]
        for name, first, last in zip(names, low.tolist(), high.tolist()):
            if not (np.isfinite(first) and np.isfinite(last) and first < last):
                raise PlanError(
                    f"no bounds for joint {name!r}",
                    element="bounds",
                    value=(first, last),
                    allowed="lowest and highest value, both finite, given by name",
                )
        return low, high
