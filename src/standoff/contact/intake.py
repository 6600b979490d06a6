"""Poses and velocities of all bodies into their tables, as a step is given them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.errors import PoseError, UnknownNameError
from standoff.shapes.pose import Array, numbers

#: One for each body: by name, or all of them at once in the order of the scene's names.
Given = Mapping[str, ArrayLike] | ArrayLike

_FLOAT = np.dtype(np.float64)


class Intake:
    """A table with a row for each body.

    A scene of six bodies takes a microsecond, and so would one call of NumPy for each mapping. A
    mapping that has all bodies, each with an array that is right already, is therefore copied as
    bytes, which takes a fifth of that; whether a number in it makes sense the kernel finds out.

    Args:
        table: (n, ...), float64, C-contiguous.
        names: of the bodies, in the order of the rows.
        argument: what the caller named it.
        checked: the value of one body as an array, or what is wrong with it.
    """

    def __init__(
        self,
        table: Array,
        names: Sequence[str],
        argument: str,
        checked: Callable[[Any, str], Array],
    ) -> None:
        self.table = table
        self._names, self._argument, self._checked = names, argument, checked
        self._numbers = {name: number for number, name in enumerate(names)}
        self._shape, self._row = table.shape, table.shape[1:]
        self._bytes = bytes_of(table)
        # Of one name alone an itemgetter makes no tuple.
        self._count = len(names) if len(names) > 1 else -1
        self._pick = itemgetter(*names)

    def take(self, given: Given, clear: bool = False) -> None:
        """Writes what is given; what a mapping leaves out stays, or becomes 0 with ``clear``. Where
        it raises, some rows may be written."""
        if given.__class__ is dict and len(given) == self._count:
            try:
                rows = self._pick(given)
                for row in rows:
                    if row.dtype is not _FLOAT or row.shape != self._row:
                        break
                else:
                    self._bytes[:] = b"".join(rows)
                    return
            except (KeyError, AttributeError, BufferError, TypeError):
                pass  # an unknown name, a list, an array that is not in order: with care
        elif given.__class__ is np.ndarray and given.dtype is _FLOAT and given.shape == self._shape:
            self.table[...] = given
            return
        self._take_with_care(given, clear)

    def _take_with_care(self, given: Given, clear: bool) -> None:
        if given.__class__ is not dict and not isinstance(given, Mapping):
            values = numbers(given, self._argument)
            if values.shape != self._shape:
                raise PoseError(
                    "wrong shape",
                    element=self._argument,
                    value=values.shape,
                    allowed=f"{self._shape} in the order {self._names}, or a mapping by name",
                )
            self.table[...] = values
            return
        if clear:
            self.table.fill(0.0)
        for name, value in given.items():
            number = self._numbers.get(name)
            if number is None:
                raise UnknownNameError(name, self._names, what="body")
            if value.__class__ is np.ndarray and value.dtype is _FLOAT and value.shape == self._row:
                self.table[number] = value
            else:
                self.table[number] = self._checked(value, f"{self._argument}[{name!r}]")


def bytes_of(table: Array) -> memoryview:
    """A table as the bytes it is made of."""
    return table.reshape(-1).data.cast("B")
