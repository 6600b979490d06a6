"""Whether the proofs leave no pair and no instant out."""

from __future__ import annotations

import numpy as np

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.paths.certificate import GROUP
from standoff.paths.verify.cell_model import Ints, NotProvedError
from standoff.paths.verify.cell_scene import Scene


def watched_parts(cell: Cell, scene: Scene) -> Ints:
    """Keys (n,), sorted, of all pairs of parts that must be proved apart; see `_key`."""
    by_body: dict[str, list[int]] = {}
    for number, part in enumerate(scene.model.parts):
        by_body.setdefault(part.body, []).append(number)
    found = [(i, j) for a, b in cell.pairs.watched() for i in by_body[a] for j in by_body[b]]
    i, j = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return np.unique(_key(i, j, len(scene.model.parts)))


def _key(a: Ints, b: Ints, count: int) -> Ints:
    """One number for two parts in either order."""
    return np.asarray(np.minimum(a, b) * count + np.maximum(a, b))


def check_coverage(scene: Scene, needed: Ints) -> None:
    """Refuse where a watched pair is without proof for a part of a piece."""
    proofs = scene.certificate.proofs
    order = np.argsort(proofs["piece"], kind="stable")
    ends = np.searchsorted(proofs["piece"][order], np.arange(len(scene.certificate.times)))
    for piece in range(len(scene.certificate.times) - 1):
        own = order[ends[piece] : ends[piece + 1]]
        key, start, end = _intervals(scene, own)
        kept = np.isin(key, needed)
        _check_piece(scene, piece, needed, key[kept], start[kept], end[kept])


def _intervals(scene: Scene, rows: Ints) -> tuple[Ints, Array, Array]:
    """The pairs that proofs speak of, with their intervals; a group's proof once a member, but for
    those that must keep more than the clearance that it shows."""
    proofs, count = scene.certificate.proofs[rows], len(scene.model.parts)
    grouped = proofs["method"] == GROUP
    single, many = proofs[~grouped], proofs[grouped]
    sizes = np.array([len(m) for m in scene.members], dtype=np.int64)[many["b"]]
    members = [scene.members[g] for g in many["b"]]
    a = np.concatenate(
        [scene.part_of[single["a"]], np.repeat(scene.part_of[many["a"]], sizes)]
    ).astype(np.int64)
    b = np.concatenate([scene.part_of[single["b"]], *members]).astype(np.int64)
    start = np.concatenate([single["start"], np.repeat(many["start"], sizes)])
    end = np.concatenate([single["end"], np.repeat(many["end"], sizes)])
    shown = np.ones(len(a), dtype=bool)
    of_group = slice(len(single), None)
    needed = scene.clearance(a[of_group], b[of_group])
    shown[of_group] = needed <= scene.usual_clearance(a[of_group], b[of_group])
    return _key(a, b, count)[shown], start[shown], end[shown]


def _check_piece(
    scene: Scene, piece: int, needed: Ints, key: Ints, start: Array, end: Array
) -> None:
    """Sorted by pair and start, no interval begins beyond all before it, the first begins at 0 and
    the last reaches 1. Ends are compared by rank, so that what was reached can be kept pair by
    pair in whole numbers."""
    if len(needed) == 0:
        return
    marks, ranks = np.unique(np.concatenate([start, end, [0.0, 1.0]]), return_inverse=True)
    n = len(key)
    pair = np.searchsorted(needed, key)
    # An empty interval at 0 opens each pair, and one at 1 closes it.
    every = np.arange(len(needed))
    zero, one = int(ranks[2 * n]), int(ranks[2 * n + 1])
    pair = np.concatenate([pair, every, every])
    low = np.concatenate([ranks[:n], np.full(len(needed), zero), np.full(len(needed), one)])
    high = np.concatenate([ranks[n : 2 * n], np.full(len(needed), zero), np.full(len(needed), one)])
    order = np.lexsort((high, low, pair))
    pair, low, high = pair[order], low[order], high[order]
    reached = np.maximum.accumulate(high + pair * len(marks)) - pair * len(marks)
    gap = (pair[1:] == pair[:-1]) & (low[1:] > reached[:-1])
    if gap.any():
        k = int(np.argmax(gap))
        a, b = divmod(int(needed[pair[k]]), len(scene.model.parts))
        raise NotProvedError(
            f"{scene.part(a)} and {scene.part(b)} are watched, but nothing proves them apart in "
            f"piece {piece} for u from {marks[reached[k]]:.9g} to {marks[low[k + 1]]:.9g}"
        )
