"""JSON of files, read strictly: each key once, and every value of the form that is asked for.

A form is ``str``, ``int`` or ``float`` (finite); ``object`` for anything; ``[form]`` for a list;
a `Row` for a list of so many; ``{"key": form, …}`` for an object with these keys alone, and
``{str: form}`` for one with any; `Maybe` for what may be null, and whose key may be left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import repeat
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from standoff.errors import NOTHING, Error, nearest

Made = TypeVar("Made")

#: Where a value stands: keys, and places in lists.
Place = tuple[str | int, ...]


class Row(NamedTuple):
    """So many values, each of its own form; ``names`` are theirs, for messages."""

    names: str
    forms: tuple[Any, ...]


class Maybe(NamedTuple):
    """Of the form, or null."""

    form: Any


def parse_json(data: bytes, file: str | Path | None, failure: type[Error]) -> Any:
    """The content of a JSON file; a key that stands twice in one object is an error. ``failure`` is
    what is raised for whatever is wrong."""
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise failure(
            f"not UTF-8 text: {error.reason} at byte {error.start}", file=file, allowed="JSON"
        ) from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise failure(f"not JSON: {error.msg}", file=file, element=place) from error
    except _TwiceError as error:
        raise failure(
            "a key stands twice in one object", file=file, value=str(error), allowed="once"
        ) from error
    except (RecursionError, ValueError) as error:
        raise failure(f"not JSON that can be read: {error}", file=file) from error


class _TwiceError(ValueError):
    """A key that stands twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _TwiceError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return found


class Reader:
    """Takes values of a file by their forms; errors name the file, the place in it, the value and
    what is allowed.

    Args:
        failure: what is raised.
    """

    def __init__(self, file: str | Path, failure: type[Error]) -> None:
        self._file, self._failure = file, failure

    def error(
        self, problem: str, place: Place, value: Any = NOTHING, allowed: str | None = None
    ) -> Error:
        """An error at a place."""
        parts = (f"[{at}]" if isinstance(at, int) else f".{at}" for at in place)
        element = "".join(parts).removeprefix(".") or None
        return self._failure(
            problem, file=self._file, element=element, value=value, allowed=allowed
        )

    def read(self, value: Any, form: Any, place: Place = ()) -> Any:
        """The value, if it is of the form; whole numbers as float where that is asked for."""
        if isinstance(form, Maybe):
            return None if value is None else self.read(value, form.form, place)
        if isinstance(form, Row | list):
            if not isinstance(value, list):
                raise self.error("wrong type", place, value, "a list")
            forms = form.forms if isinstance(form, Row) else repeat(form[0], len(value))
            if isinstance(form, Row) and len(value) != len(form.forms):
                raise self.error("wrong type", place, value, form.names)
            # Most of what a file holds are numbers, taken without a call each.
            return [
                x if type(x) is f and (f is not float or isfinite(x))
                else self.read(x, f, (*place, k))
                for k, (x, f) in enumerate(zip(value, forms))
            ]  # fmt: skip
        if isinstance(form, dict):
            return self._object(value, form, place)
        if form is float:
            return self._finite(value, place)
        if form is int and (not isinstance(value, int) or isinstance(value, bool)):
            raise self.error("not a whole number", place, value, "a whole number")
        if form is str and not isinstance(value, str):
            raise self.error("wrong type", place, value, "text")
        return value

    def _object(self, value: Any, form: dict[Any, Any], place: Place) -> dict[str, Any]:
        if not isinstance(value, dict):
            known = "" if str in form else f" with {', '.join(form)}"
            raise self.error("not an object", place, value, f"a JSON object{known}")
        if str in form:
            return {key: self.read(x, form[str], (*place, key)) for key, x in value.items()}
        for key in value:
            if key not in form:
                hint = f"{', '.join(form)} (did you mean {nearest(key, form, 1)[0]!r}?)"
                raise self.error(f"unknown key {key!r}", place, allowed=hint)
        for key, own in form.items():
            if key not in value and not isinstance(own, Maybe):
                raise self.error(f"missing key {key!r}", place, allowed=", ".join(form))
        return {key: self.read(value.get(key), own, (*place, key)) for key, own in form.items()}

    def _finite(self, value: Any, place: Place) -> float:
        try:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                result = float(value)
                if isfinite(result):
                    return result
        except OverflowError:
            pass
        raise self.error("wrong type", place, value, "a finite number")

    def made(self, place: Place, make: Callable[..., Made], *arguments: Any) -> Made:
        """What ``make`` makes of the arguments; what it refuses is an error at the place."""
        try:
            return make(*arguments)
        except Error as error:
            value = error.value if error.given else NOTHING
            raise self.error(error.problem, place, value, error.allowed) from error
