"""One search from Python: tables that grow, a budget in slices, what was found; and what is
remembered of segments.

Paper 001, section 3.4: a path that is rejected leaves segments behind that are neither proved nor
found to collide. Their queues are kept, so that the work is not repeated when the segment turns up
in another path.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.pose import Array
from standoff.paths.glide import Glide, Glides
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.search import begin, put_back, search
from standoff.paths.tables import LEAF, Tables
from standoff.paths.verdict import Kind

#: Tests between two looks at the outside world, for progress and for an interrupt: some 20 ms.
_SLICE = 50_000

#: Rows of a table of proofs at first.
_PROOFS = 1024

#: Rows that most segments do with.
_NODES = 256
_POOL = 4096

#: Pieces that most paths have no more of, so that one scratch does for segments and for paths.
_PIECES = 64

Progress = Callable[[float], object]

#: What is said of a motion by the kind of what was found on it.
KINDS: dict[int, Kind] = {p.DOUBT: "undecided", p.NEAR: "too_close", p.CONTACT: "collision"}


def kind_of(status: int, found: Any) -> Kind:
    """What is said of a motion that is not free."""
    return KINDS.get(int(found["kind"]), "undecided") if status == p.FOUND else "undecided"


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion: (n, POWERS, joints), (n, bodies), (n, joints)."""

    pieces: Array
    glides: Glides
    rounding: Array

    @cached_property
    def tables(self) -> p.Motion:
        """As kernels take it; they share the numbers."""
        return p.Motion(pieces=self._rows, glides=self.glides.reshape(-1), rounding=self.rounding)

    @property
    def _rows(self) -> Array:
        count, powers, joints = self.pieces.shape
        return self.pieces.reshape(count * powers, joints)

    def copied(self, room: p.Motion) -> p.Motion:
        """As kernels take it, in the ``room`` of another motion if that is large enough: copying
        few numbers is faster than making tables."""
        count, joints = self.rounding.shape
        kept = room.rounding
        if count > len(kept) or joints != kept.shape[1]:
            return self.tables
        rows, glides = self._rows, self.glides.reshape(-1)
        room.pieces[: len(rows)], kept[:count] = rows, self.rounding
        if len(glides):
            room.glides[: len(glides)] = glides
        return room

    def piece(self, k: int) -> Motion:
        """One piece of it."""
        own = slice(k, k + 1)
        return Motion(self.pieces[own].copy(), self.glides[own].copy(), self.rounding[own].copy())

    def start(self) -> Motion:
        """At rest where it begins."""
        rest = self.piece(0)
        rest.pieces[:, 1:] = 0.0
        rest.glides["linear"] = rest.glides["angular"] = 0.0
        return rest

    def ends(self) -> Motion:
        """At rest where each piece begins, and where the last one ends."""
        last = len(self.pieces) - 1
        pieces = np.zeros((last + 2, *self.pieces.shape[1:]))
        pieces[:-1, 0], pieces[-1, 0] = self.pieces[:, 0], self.at(last, 1.0)
        glides = np.concatenate([self.glides, self.glides[-1:]])
        for row in glides[-1]:
            start = np.concatenate([row["pose"].reshape(3, 4), [[0.0, 0.0, 0.0, 1.0]]])
            row["pose"] = Glide(start, row["linear"], row["angular"]).at(1.0)[:3].ravel()
        glides["linear"] = glides["angular"] = 0.0
        return Motion(pieces, glides, np.concatenate([self.rounding, self.rounding[-1:]]))

    def at(self, piece: int, u: float) -> Array:
        """The configuration at ``u`` of a piece."""
        q = np.zeros(self.pieces.shape[2])
        for coefficients in self.pieces[piece][::-1]:
            q = q * u + coefficients
        return q


class Scratch(p.Search):
    """Scratch of one thread, and what Python looks at often, as plain records: attributes of those
    of a set take ten times as long.

    Attributes:
        known, found: `Search.header` and `Search.result`.
        motion: room for short ones.
        room_for: pieces.
    """

    def __init__(self, pieces: int, motion: p.Motion, **given: Any) -> None:
        super().__init__(pieces=pieces, **given)
        self.room_for, self.motion = pieces, motion
        self.known = self.arrays["header"].view(np.ndarray).view(p.HEADER)[0]
        self.found = self.arrays["result"].view(np.ndarray).view(p.RESULT)[0]


class Search:
    """A search of one motion; `run` may be called once.

    Args:
        earliest: look for the earliest contact, to ``precision`` in u.
        proving: keep what proves each interval.
        resumed: for some pieces what is open of them; the others are searched whole.
    """

    def __init__(
        self,
        tables: Tables,
        motion: Motion,
        budget: int,
        *,
        earliest: bool = False,
        precision: float = 0.0,
        proving: bool = False,
        resumed: Mapping[int, p.OpenNodes] | None = None,
        scratch: Scratch | None = None,
    ) -> None:
        self.tables = tables
        self.motion = motion
        self._budget = budget
        if scratch is None or scratch.room_for < len(motion.pieces):
            scratch = new_scratch(tables, len(motion.pieces))
        if proving and len(scratch.proofs) < _PROOFS:
            scratch.grow("proofs", _PROOFS)
        self.scratch = scratch
        begin(tables.cell.address, scratch.address, tables.stepper, earliest, proving, precision)
        self._fresh = len(motion.pieces) if resumed is None else 0
        if resumed is not None:
            self._resume(resumed)

    def _resume(self, resumed: Mapping[int, p.OpenNodes]) -> None:
        whole = p.OpenNodes(nodes=1)
        whole.nodes.end, whole.nodes.priority, whole.nodes.first = 1.0, np.inf, -1
        entries = [resumed.get(k, whole) for k in range(len(self.motion.pieces))]
        nodes, pairs = sum(len(e.nodes) for e in entries), sum(len(e.codes) for e in entries)
        for name, rows in (("nodes", 2 * nodes + 2), ("pool", 4 * pairs)):
            if rows > len(self.scratch.arrays[name]):
                self.scratch.grow(name, rows)
        for k, e in enumerate(entries):
            put_back(self.scratch.address, k, e.address)

    def run(self, progress: Progress | None = None) -> int:
        """FREE, FOUND or SPENT. ``progress`` gets the share of pieces that are done."""
        cell, scratch, used = self.tables.cell, self.scratch, 0
        header, motion = scratch.known, self.motion.copied(scratch.motion)
        while True:
            slice_ = header["budget"] = min(self._budget, used + _SLICE)
            status = search(cell.address, scratch.address, motion.address, self._fresh)
            self._fresh = 0
            used = int(header["distances"] + header["intervals"])
            if status in _FULL:
                name = _FULL[status]
                scratch.grow(name, 2 * len(scratch.arrays[name]))
                continue
            # It may have stopped for another reason than the slice: an interval without a middle.
            if status != p.SPENT or slice_ >= self._budget or slice_ > used:
                return int(status)
            if progress is not None:
                progress(1.0 - int(header["queued"]) / len(self.motion.pieces))

    @property
    def proofs(self) -> Any:
        """The rows of proofs that were written."""
        return self.scratch.proofs[: int(self.scratch.known["proofs_used"])]

    @property
    def start(self) -> float:
        """Piece plus u up to which all is proved free, after a search for the earliest contact:
        where the most urgent node starts, and not later than what was found."""
        end, found = float(len(self.motion.pieces)), self.scratch.found
        if found["kind"] != p.NOTHING:
            end = float(found["piece"] + found["u"])
        if self.scratch.known["queued"] == 0:
            return end
        piece = int(self.scratch.queue[0])
        node = int(self.scratch.pieces.root[piece])
        return min(end, piece + float(self.scratch.nodes.start[node]))

    @property
    def result(self) -> Any:
        """A copy of the result, a record of `path_tables.RESULT`."""
        return self.scratch.found.copy()

    @property
    def counts(self) -> tuple[int, int]:
        """Intervals and distances."""
        header = self.scratch.known
        return int(header["intervals"]), int(header["distances"])

    def learned(self, status: int, piece: int) -> Known:
        """What it knows of a piece now."""
        found = self.scratch.found
        if status == p.FOUND and found["piece"] == piece and found["kind"] != p.DOUBT:
            return Found(self.result)
        return open_nodes(self.scratch, piece)


#: Tables that can be full, by the status that says so.
_FULL = {p.NODES_FULL: "nodes", p.POOL_FULL: "pool", p.PROOFS_FULL: "proofs"}


def new_scratch(tables: Tables, pieces: int) -> Scratch:
    """Scratch for a search of so many pieces, or of some more."""
    pieces = max(pieces, _PIECES)
    cell, movers, frames, joints = tables.cell, tables.movers, tables.frames, tables.joints
    nodes, turns = max(_NODES, 2 * pieces + 2), tables.tree.scratch()
    by_joint = dict.fromkeys(("low", "high", "largest", "samples", "q", "dq"), joints)
    by_frame = dict.fromkeys(
        ("speed", "acceleration", "position_error", "position_size", "poses", "twists"), frames
    )
    bodies = Bodies(
        rows=cell.bodies.rows[:movers].copy(), refs=cell.bodies.refs, solids=cell.bodies.solids
    )
    motion = p.Motion(
        pieces=(_PIECES * p.POWERS, joints), glides=_PIECES * len(tables.gliding),
        rounding=(_PIECES, joints),
    )  # fmt: skip
    scratch = Scratch(
        pieces, motion, **by_joint, **by_frame, coefficients=(p.POWERS, joints),
        glides=len(tables.gliding),
        wide=cell.reach.copy(), tails=movers * (int(cell.counts.deepest) + 1), margin=movers,
        settled=len(cell.sphere_pairs), first_cell=p.MAP_JOINTS, past_cell=p.MAP_JOINTS,
        exact=(1, joints), turns=turns, centres=movers, bodies=bodies, ends=2 * movers,
        stamps=movers, nodes=nodes, pool=max(_POOL, 4 * len(cell.links)),
        queue=pieces, answer=1, room=PairScratch(), beyond=LEAF, velocity_fields=2, asked=p.CHUNK,
        priorities=2,
    )  # fmt: skip
    scratch.poses[:, [0, 5, 10]] = 1.0
    begin(cell.address, scratch.address, tables.stepper, False, False, 0.0)
    return scratch


def grow_room(scratch: Scratch) -> None:
    """Twice the room for what a segment leaves open."""
    for name in ("nodes", "pool"):
        scratch.grow(name, 2 * len(scratch.arrays[name]))


def open_nodes(scratch: Scratch, piece: int) -> p.OpenNodes:
    """What is still open of a piece; no node where it is proved."""
    waiting, found = [int(scratch.pieces.root[piece])], list[int]()
    codes = [np.zeros(0, dtype=np.int64)]
    nodes, pool = scratch.nodes, scratch.pool
    while waiting:
        k = waiting.pop()
        if k < 0:
            continue
        found.append(k)
        first = int(nodes.first[k])
        if first >= 0:
            codes.append(pool[first : first + int(nodes.count[k])])
        waiting += [int(nodes.left[k]), int(nodes.right[k])]
    return p.OpenNodes(nodes=np.array(nodes[found]), codes=np.concatenate(codes))


Key = tuple[bytes, bytes, bytes]


@dataclass(frozen=True, eq=False)
class Found:
    """Not free: the result that says why."""

    result: Any


#: What is open, nothing where it is proved; or why it is not free.
Known = p.OpenNodes | Found


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
            known = back if isinstance(back, p.OpenNodes) and not len(back.nodes) else None
        elif known is not None:
            self._known.move_to_end(key)
        return known

    def known(self, keys: Sequence[Key]) -> dict[int, Known]:
        """What is known of some segments, by their places."""
        found = {k: self.get(key) for k, key in enumerate(keys)}
        return {k: known for k, known in found.items() if known is not None}

    def put(self, key: Key, known: Known) -> None:
        """Remember a segment, and forget the one that was not used for the longest time."""
        self._known[key] = known
        self._known.move_to_end(key)
        if len(self._known) > self._size:
            self._known.popitem(last=False)
