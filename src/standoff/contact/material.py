"""What a body is made of, as far as contacts feel it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from standoff.errors import CellError


@dataclass(frozen=True)
class Material:
    """Stiffness [N/m], damping and viscous friction [N s/m], Coulomb's coefficient [-] or None."""

    stiffness: float
    damping: float
    friction: float
    coulomb: float | None

    @classmethod
    def checked(
        cls, name: str, stiffness: Any, damping: Any, friction: Any, coulomb: Any
    ) -> Material:
        hard = _amount(stiffness, f"{name}.stiffness", "[N/m], above 0; infinite: rigid")
        if not hard > 0.0:
            raise CellError("no stiffness", element=f"{name}.stiffness", value=stiffness)
        soft = [
            _finite(value, f"{name}.{what}", "[N s/m], not negative")
            for value, what in ((damping, "damping"), (friction, "friction"))
        ]
        if coulomb is not None:
            coulomb = _finite(coulomb, f"{name}.coulomb", "not negative; None: no limit")
        return cls(hard, soft[0], soft[1], coulomb)

    @property
    def row(self) -> tuple[float, float, float, float]:
        """As in MATERIAL of `contact.kernels.layout`."""
        coulomb = -1.0 if self.coulomb is None else self.coulomb
        return self.stiffness, self.damping, self.friction, coulomb


def _finite(value: Any, element: str, allowed: str) -> float:
    result = _amount(value, element, allowed)
    if math.isinf(result):
        raise CellError("not finite", element=element, value=value, allowed=allowed)
    return result


def _amount(value: Any, element: str, allowed: str) -> float:
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError("not a number")
        result = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise CellError("not a number", element=element, value=value, allowed=allowed) from error
    if not result >= 0.0:
        raise CellError("not a possible amount", element=element, value=value, allowed=allowed)
    return result
