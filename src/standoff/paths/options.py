"""The parameters of a path checker, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from standoff.cell.allowed import Pair, ordered
from standoff.cell.cell import Cell
from standoff.errors import PathError, UnknownNameError
from standoff.geometry.pose import Array
from standoff.scalars import number, whole
from standoff.tolerances import COORDINATE_LIMIT

#: More than anybody can wait for, and what a counter holds.
LARGEST_BUDGET = 10**15


@dataclass(frozen=True, eq=False)
class Options:
    """See `PathChecker`; clearances by ordered names, deviation a number a joint."""

    clearance: float
    tolerance: float
    clearances: Mapping[Pair, float]
    deviation: float | Mapping[str, float] | Array | None
    budget: int

    def with_budget(self, budget: Any) -> Options:
        """The same with another budget."""
        return replace(self, budget=_budget(budget))

    def deviations(self, cell: Cell) -> Array:
        """One number a joint of the cell as it is now."""
        given = self.deviation
        if given is None:
            return np.zeros(len(cell.joints))
        if isinstance(given, float):
            return np.full(len(cell.joints), given)
        zeros = np.zeros(len(cell.joints))
        return cell.tree.values(given, "deviation", others=zeros, negative=False)


def checked(
    cell: Any,
    clearance: Any,
    tolerance: Any,
    clearances: Any,
    deviation: Any,
    budget: Any,
) -> Options:
    """Raises PathError or ConfigurationError for what makes no sense."""
    if not isinstance(cell, Cell):
        raise PathError("not a cell", element="cell", value=cell, allowed="a Cell")
    cell.check_watched()
    if deviation is not None and not isinstance(deviation, Mapping) and np.ndim(deviation) == 0:
        deviation = length(deviation, "deviation", least=0.0)
    elif deviation is not None and not isinstance(deviation, Mapping):
        deviation = cell.tree.values(deviation, "deviation", negative=False)
    options = Options(
        clearance=length(clearance, "clearance"),
        tolerance=length(tolerance, "tolerance", above=0.0),
        clearances=_clearances(cell, clearances),
        deviation=dict(deviation) if isinstance(deviation, Mapping) else deviation,
        budget=_budget(budget),
    )
    options.deviations(cell)
    return options


def _budget(value: Any) -> int:
    return whole("budget", value, PathError, 1, LARGEST_BUDGET)


def length(
    value: Any, name: str, *, least: float = -COORDINATE_LIMIT, above: float = -math.inf
) -> float:
    """A finite length, of either sign unless there is a bound."""
    return number(name, value, PathError, least=least, above=above, most=COORDINATE_LIMIT, unit="m")


def _clearances(cell: Cell, given: Any) -> dict[Pair, float]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise PathError(
            "not by pair", element="clearances", value=given, allowed='{("a", "b"): metres}'
        )
    found: dict[Pair, float] = {}
    for pair, value in given.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and pair[0] != pair[1]):
            raise PathError(
                "not a pair of names", element="clearances", value=pair, allowed='("a", "b")'
            )
        for name in pair:
            if name not in cell.model.index:
                raise UnknownNameError(str(name), cell.model.names, what="name")
        found[ordered(*pair)] = length(value, f"clearances[{pair!r}]")
    return found
