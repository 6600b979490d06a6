"""What a checker remembers of segments: proved, found in collision, or how far it came.

Paper 001, section 3.4: a path that is rejected leaves segments behind that are neither proved nor
found to collide. Their queues are kept, so that the work is not repeated when the segment turns up
in another path.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from standoff.compiled.arenas import Arena
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.paths.kernels import layout as p

Key = tuple[bytes, bytes, bytes]


@dataclass(frozen=True, eq=False)
class Open:
    """The open intervals of a segment, as `paths.kernels.heap.put_back` takes them.

    Attributes:
        spans: (n, 3) start, end, how pressing.
        lists: (n, 2) how many pairs, and how many of them are links.
        codes: the pairs of all.
    """

    spans: Array
    lists: IntArray
    codes: IntArray


@dataclass(frozen=True, eq=False)
class Proved:
    """Free."""


@dataclass(frozen=True, eq=False)
class Found:
    """Not free: the row of S_RESULT that says why."""

    row: Array


Known = Open | Proved | Found


class Memory:
    """The segments used last, up to a number of them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._known: OrderedDict[Key, Known] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        """Forget all: the cell has changed."""
        self._known.clear()

    def get(self, key: Key) -> Known | None:
        """What is known of a segment. One that was proved is so in the other direction, too."""
        known = self._known.get(key)
        if known is None and not key[2]:
            back = self._known.get((key[1], key[0], b""))
            known = back if isinstance(back, Proved) else None
        elif known is not None:
            self._known.move_to_end(key)
        return known

    def put(self, key: Key, known: Known) -> None:
        """Remember a segment, and forget the one that was not used for the longest time."""
        self._known[key] = known
        self._known.move_to_end(key)
        if len(self._known) > self._size:
            self._known.popitem(last=False)


def open_nodes(scratch: Arena, piece: int) -> Open | None:
    """What is still open of a piece; None where nothing is."""
    waiting = [int(scratch["pieces"][piece, p.ROOT])]
    spans: list[Array] = []
    lists: list[tuple[int, int]] = []
    codes: list[Array] = []
    nodes, linked, pool = scratch["nodes"], scratch["linked"], scratch["pool"]
    while waiting:
        k = waiting.pop()
        if k < 0:
            continue
        row = linked[k]
        spans.append(nodes[k].copy())
        first, count = int(row[p.FIRST]), int(row[p.COUNT])
        lists.append((-1 if first < 0 else count, int(row[p.STANDING])))
        codes.append(pool[first : first + count, 0] if first >= 0 else pool[:0, 0])
        waiting += [int(row[p.LEFT]), int(row[p.RIGHT])]
    if not spans:
        return None
    return Open(
        np.array(spans), np.array(lists, dtype=np.int64), np.concatenate(codes).astype(np.int64)
    )
