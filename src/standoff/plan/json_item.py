"""One object of a problem file, read key by key."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from standoff.errors import NOTHING, Error, PlanError, nearest
from standoff.names import NAME_RULE, is_name
from standoff.shapes.pose import Array, pose

Made = TypeVar("Made")

#: What a configuration looks like.
_CONFIGURATION = "positions by joint name, one or more, finite, [rad] or [m]"


class JsonItem:
    """An object with known keys; errors name the file, the place in it and what is allowed.

    Args:
        place: where it stands, such as ``problems[3].obstacles[0]``.
        keys: those it must have.
        more: those it may have; any other is an error.
    """

    def __init__(
        self, value: Any, file: str, place: str, keys: Sequence[str], more: Sequence[str] = ()
    ) -> None:
        self.file, self.place = file, place
        known = (*keys, *more)
        if not isinstance(value, dict):
            raise self.error("not an object", "", value, "an object with " + ", ".join(known))
        for key in value:
            if key not in known:
                hint = ", ".join(map(repr, nearest(key, known, 1)))
                allowed = f"{', '.join(known)} (did you mean {hint}?)"
                raise self.error(f"unknown key {key!r}", "", NOTHING, allowed)
        for key in keys:
            if key not in value:
                raise self.error(f"missing key {key!r}", "", NOTHING, ", ".join(known))
        self._value: dict[str, Any] = value

    def error(self, problem: str, key: str, value: Any, allowed: str | None) -> PlanError:
        """An error at a key, or of the whole object where it is empty."""
        place = ".".join(part for part in (self.place, key) if part)
        return PlanError(
            problem, file=self.file, element=place or None, value=value, allowed=allowed
        )

    def value(self, key: str, default: Any = None) -> Any:
        """Whatever stands at a key."""
        return self._value.get(key, default)

    def text(self, key: str, default: str | None = None) -> str:
        """A text."""
        value = self.value(key, default)
        if not isinstance(value, str):
            raise self.error("not text", key, value, "text")
        return value

    def name(self, key: str) -> str:
        """A text that can name a robot or a body."""
        value = self.text(key)
        if "/" in value or not is_name(value):
            raise self.error("not a name", key, value, f"text without '/', {NAME_RULE}")
        return value

    def whole(self, key: str) -> int:
        """A whole number."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error("not a whole number", key, value, "a whole number")
        return value

    def rows(self, key: str) -> list[Any]:
        """A list."""
        value = self.value(key)
        if not isinstance(value, list):
            raise self.error("not a list", key, value, "a list")
        return value

    def items(self, key: str, keys: Sequence[str], more: Sequence[str] = ()) -> list[JsonItem]:
        """A list of objects."""
        place = f"{self.place}.{key}" if self.place else key
        return [
            JsonItem(row, self.file, f"{place}[{k}]", keys, more)
            for k, row in enumerate(self.rows(key))
        ]

    def joints(self, key: str, given: Any = NOTHING) -> dict[str, float]:
        """Positions by joint name; of ``given``, where they do not stand at the key itself."""
        value = self.value(key) if given is NOTHING else given
        if not isinstance(value, dict) or not value or not all(map(_finite, value.values())):
            raise self.error("not a configuration", key, value, _CONFIGURATION)
        return {name: float(position) for name, position in value.items()}

    def numbers(self, key: str, count: int, what: str) -> list[float]:
        """So many finite numbers."""
        value = self.value(key)
        if not isinstance(value, list) or len(value) != count or not all(map(_finite, value)):
            raise self.error(f"not {count} finite numbers", key, value, what)
        return [float(number) for number in value]

    def pose(self, keys: Sequence[str] = ("pos", "quat")) -> Array:
        """The pose of a position and a quaternion at these keys."""
        at, turned = keys
        position = self.numbers(at, 3, "x, y, z [m]")
        x, y, z, w = self.numbers(turned, 4, "x, y, z, w")
        return self.made(turned, pose, position, (w, x, y, z))

    def made(self, key: str, make: Callable[..., Made], *arguments: Any) -> Made:
        """What ``make`` makes of the arguments; what it refuses is an error of this key."""
        try:
            return make(*arguments)
        except Error as error:
            value = error.value if error.given else NOTHING
            raise self.error(error.problem, key, value, error.allowed) from error


def _finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
