"""The second arena of `kernels.paths.layout`: what one thread writes while it searches."""

from __future__ import annotations

from standoff.index.arena import Arena
from standoff.kernels import layout
from standoff.kernels.pairs.dispatch import IWORK, WORK
from standoff.kernels.paths import layout as p
from standoff.paths.boxes import LEAF
from standoff.paths.tables import Tables

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
