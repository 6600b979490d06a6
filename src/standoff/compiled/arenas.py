"""Many tables in two arrays, as `compiled.arena` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standoff.compiled.arena import HEAD


class Arena:
    """Named tables, float64 ones first, each a view of ``F`` or ``W``.

    Attributes:
        F: all float64 tables, one after the other.
        W: the head (three numbers a table), then all int64 tables.
    """

    def __init__(
        self, reals: Mapping[str, tuple[int, int]], wholes: Mapping[str, tuple[int, int]]
    ) -> None:
        self._reals, self._wholes = dict(reals), dict(wholes)
        head: list[int] = []
        end = 0
        for rows, columns in self._reals.values():
            head += [end, rows, columns]
            end += rows * columns
        self.F: NDArray[np.float64] = np.zeros(max(end, 1))
        end = HEAD * (len(self._reals) + len(self._wholes))
        for rows, columns in self._wholes.values():
            head += [end, rows, columns]
            end += rows * columns
        self.W: NDArray[np.int64] = np.zeros(max(end, 1), dtype=np.int64)
        self.W[: len(head)] = head
        self._views: dict[str, Any] = {}
        names = [*self._reals, *self._wholes]
        for k, name in enumerate(names):
            first, rows, columns = head[HEAD * k : HEAD * (k + 1)]
            data = self.F if name in self._reals else self.W
            self._views[name] = data[first : first + rows * columns].reshape(rows, columns)

    def __getitem__(self, name: str) -> Any:
        return self._views[name]

    @property
    def nbytes(self) -> int:
        """Bytes of all tables."""
        return int(self.F.nbytes + self.W.nbytes)

    def grown(self, rows: Mapping[str, int]) -> Arena:
        """A copy with more rows in some tables; the rows there are kept, the others are 0."""

        def sizes(tables: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
            return {k: (max(rows.get(k, 0), r), c) for k, (r, c) in tables.items()}

        result = Arena(sizes(self._reals), sizes(self._wholes))
        for name, view in self._views.items():
            result[name][: len(view)] = view
        return result
