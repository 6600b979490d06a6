"""One search from Python: tables that grow, a budget in slices, what was found.

The second arena of `paths.kernels.layout`: what one thread writes while it searches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from standoff.compiled.arenas import Arena
from standoff.geometry.narrowphase import layout
from standoff.geometry.narrowphase.dispatch import IWORK, WORK
from standoff.geometry.pose import Array
from standoff.paths.kernels import layout as p
from standoff.paths.kernels.heap import put_back
from standoff.paths.kernels.search import search
from standoff.paths.memory import Open
from standoff.paths.tables import LEAF, Tables

#: Tests between two looks at the outside world, for progress and for an interrupt: some 20 ms.
_SLICE = 50_000

#: Rows of a table of proofs at first.
_PROOFS = 1024

Progress = Callable[[float], object]


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion as kernels take it: (n, POWERS, joints), (n, bodies, 18), (n, joints)."""

    pieces: Array
    glides: Array
    rounding: Array

    def piece(self, k: int) -> Motion:
        """One piece of it."""
        return Motion(
            *(rows[k : k + 1].copy() for rows in (self.pieces, self.glides, self.rounding))
        )

    def start(self) -> Motion:
        """At rest where it begins."""
        rest = self.piece(0)
        rest.pieces[:, 1:] = 0.0
        rest.glides[:, :, 12:] = 0.0
        return rest


class Search:
    """A search of one motion; `run` may be called once.

    Args:
        earliest: look for the earliest contact, to ``precision`` in u.
        proving: keep what proves each interval.
        resumed: for some pieces what is open of them (nothing, where they are proved); the others
            are searched whole.
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
        resumed: dict[int, Open | None] | None = None,
        scratch: Arena | None = None,
    ) -> None:
        self.tables = tables
        self.motion = motion
        self._budget = budget
        if scratch is None or len(scratch["pieces"]) < len(motion.pieces):
            scratch = new_scratch(tables, len(motion.pieces))
        if proving:
            scratch = scratch.grown({"proofs": _PROOFS})
        self.scratch = scratch
        self._setup(earliest, proving)
        self.scratch["result"][0, p.PRECISION] = precision
        self._fresh = 1 if resumed is None else 0
        if resumed is not None:
            self._resume(resumed)

    def _setup(self, earliest: bool, proving: bool) -> None:
        header = self.scratch["header"][0]
        header[:] = 0
        header[p.LOADED] = -1
        self.scratch["wide"][:] = self.tables.arena["reach"]
        header[p.EARLIEST], header[p.PROVING] = earliest, proving
        self.scratch["pieces"][:] = -1
        self.scratch["result"][0, p.KIND] = p.NOTHING
        self.scratch["stamps"][:] = -1

    def _resume(self, resumed: dict[int, Open | None]) -> None:
        whole = Open(
            np.array([[0.0, 1.0, np.inf]]),
            np.array([[-1, 0]], dtype=np.int64),
            np.zeros(0, np.int64),
        )
        entries = [(k, resumed.get(k, whole)) for k in range(len(self.motion.pieces))]
        nodes = sum(len(e.spans) for _, e in entries if e is not None)
        pairs = sum(len(e.codes) for _, e in entries if e is not None)
        room = {"nodes": 2 * nodes + 2, "linked": 2 * nodes + 2, "pool": 4 * pairs}
        if any(rows > len(self.scratch[name]) for name, rows in room.items()):
            self.scratch = self.scratch.grown(room)
        for k, e in entries:
            if e is not None:
                put_back(self.scratch.F, self.scratch.W, k, e.spans, e.lists, e.codes)

    def run(self, progress: Progress | None = None) -> int:
        """FREE, FOUND or SPENT. ``progress`` is told the share of pieces that are done."""
        header = self.scratch["header"]
        total = len(self.motion.pieces)
        while True:
            used = int(header[0, p.DISTANCES] + header[0, p.INTERVALS])
            header[0, p.BUDGET] = min(self._budget, used + _SLICE)
            status = search(
                self.tables.stepper, self.tables.general, self.tables.arena.F, self.tables.arena.W,
                self.scratch.F, self.scratch.W,
                self.motion.pieces, self.motion.glides, self.motion.rounding, self._fresh,
            )  # fmt: skip
            self._fresh = 0
            if status in (p.NODES_FULL, p.POOL_FULL, p.PROOFS_FULL):
                self._grow(status)
                header = self.scratch["header"]
                continue
            if status != p.SPENT or header[0, p.BUDGET] >= self._budget or self._stuck(header):
                return int(status)
            if progress is not None:
                progress(1.0 - int(header[0, p.QUEUED]) / total)

    @staticmethod
    def _stuck(header: Array) -> bool:
        """Whether it stopped for another reason than the slice: an interval without a middle."""
        return bool(header[0, p.BUDGET] > header[0, p.DISTANCES] + header[0, p.INTERVALS])

    def _grow(self, status: int) -> None:
        names = {
            p.NODES_FULL: ("nodes", "linked"),
            p.POOL_FULL: ("pool",),
            p.PROOFS_FULL: ("proofs",),
        }[status]
        self.scratch = self.scratch.grown({name: 2 * len(self.scratch[name]) for name in names})

    @property
    def proofs(self) -> Array:
        """The rows of S_PROOFS that were written."""
        used = int(self.scratch["header"][0, p.PROOFS_USED])
        return np.asarray(self.scratch["proofs"][:used])

    @property
    def start(self) -> float:
        """Piece plus u up to which all is proved free, after a search for the earliest contact:
        where the most pressing node starts, and not later than what was found."""
        end = float(len(self.motion.pieces))
        if self.result[p.KIND] != p.NOTHING:
            end = float(self.result[p.PIECE] + self.result[p.WHEN])
        if self.scratch["header"][0, p.QUEUED] == 0:
            return end
        piece = int(self.scratch["queue"][0, 0])
        node = int(self.scratch["pieces"][piece, p.ROOT])
        return min(end, piece + float(self.scratch["nodes"][node, p.START]))

    @property
    def result(self) -> Array:
        """The row of S_RESULT."""
        return np.asarray(self.scratch["result"][0].copy())

    @property
    def counts(self) -> tuple[int, int]:
        """Intervals and distances."""
        header = self.scratch["header"][0]
        return int(header[p.INTERVALS]), int(header[p.DISTANCES])


#: Rows that most segments do with.
_NODES = 256
_POOL = 4096

#: Pieces that most paths have no more of, so that one scratch does for segments and for paths.
_PIECES = 64

#: Nodes of the tree of boxes that wait while others are looked at; a tree of 2^60 leaves needs 61.
_WAITING = 64


def new_scratch(tables: Tables, pieces: int) -> Arena:
    """Scratch for a search of so many pieces, or of some more."""
    pieces = max(pieces, _PIECES)
    tree, movers, frames = tables.tree, tables.movers, tables.frames
    deepest = int(tables.arena["counts"][0, p.DEEPEST])
    joints = tables.joints
    turns = tree.scratch().shape
    arena = Arena(
        {
            "coefficients": (p.POWERS, joints),
            "joints": (p.JOINT_ROWS, joints),
            "paces": (4, frames),
            "poses": (frames, 12),
            "twists": (frames, 6),
            "turns": (turns[0], turns[1]),
            "wide": (1, len(tables.bound.reach)),
            "tails": (movers * (deepest + 1), p.TAIL_COLUMNS),
            "margin": (movers, 1),
            "centres": (movers, p.CENTRE_COLUMNS),
            "rows": (movers, layout.ROW_COLUMNS),
            "out": (2, layout.OUT_COLUMNS),
            "nodes": (max(_NODES, 2 * pieces + 2), 3),
            "result": (1, p.RESULT_COLUMNS),
            "proofs": (0, p.PROOF_COLUMNS),
            "glides": (len(tables.gliding), 18),
            "work": (1, WORK),
            "beyond": (1, LEAF),
            "fields": (1, 12),
            "ends": (movers, 12),
            "left": (p.CHUNK, 2),
            "pressing": (2, 2),
            "longest": (1, 1),
        },
        {
            "linked": (max(_NODES, 2 * pieces + 2), p.NODE_COLUMNS),
            "pool": (max(_POOL, 4 * len(tables.arena["links"])), 1),
            "stamps": (movers, p.STAMPS),
            "pieces": (pieces, p.PIECE_COLUMNS),
            "queue": (1, pieces),
            "header": (1, p.HEADER_COLUMNS),
            "iwork": (1, max(IWORK, _WAITING)),
            "asked": (p.CHUNK, 1),
            "settled": (1, len(tables.arena["teams"])),
            "corners": (2, p.MAP_JOINTS),
        },
    )
    arena["rows"][:] = tables.arena["rows"][:movers]
    arena["wide"][:] = tables.arena["reach"]
    arena["poses"][:, [0, 5, 10]] = 1.0
    arena["stamps"][:] = -1
    arena["pieces"][:] = -1
    arena["header"][0, p.LOADED] = -1
    return arena
