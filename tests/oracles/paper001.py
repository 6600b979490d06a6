"""What a checker of paper 001 says of one segment, in words, with the distance that it shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.geometry.distance import distance
from standoff.papers.kernels.sampled import FREE, HIT


@dataclass(frozen=True, eq=False)
class Checked:
    """``kind`` is ``free``; ``collision``, where ``q`` shows two bodies that touch or overlap;
    ``too_close``, where it shows two that are apart, but by no more than was asked; ``undecided``,
    where the budget ran out. Then for how many instants bodies were placed, how many pairs were
    asked for their distance, and where it is shown, at ``t`` of the segment, and whose."""

    kind: str
    configurations: int
    distances: int
    t: float | None = None
    q: np.ndarray | None = None
    pair: tuple[str, str] | None = None
    distance: float | None = None

    @property
    def free(self) -> bool:
        return self.kind == "free"


def segment(checker, qa, qb) -> Checked:
    """The segment from ``qa`` to ``qb``."""
    qa, qb = np.array(qa, dtype=float), np.array(qb, dtype=float)
    (found,) = checker.run(qa[None], qb[None])
    counts = int(found.configurations), int(found.distances)
    if found.status != HIT:
        return Checked("free" if found.status == FREE else "undecided", *counts)
    watched, t = checker.watched, float(found.t)
    q = qb.copy() if t == 1.0 else qa + t * (qb - qa)
    pair, frames = watched.tables.pairs[found.pair], watched.tree.forward(q)
    (a, name), (b, other) = watched.shapes[pair.a], watched.shapes[pair.b]
    here, there = (frames[watched.frame[k]] @ watched.places[k] for k in (pair.a, pair.b))
    gap = distance(a, here, b, there).distance
    return Checked("too_close" if gap > 0.0 else "collision", *counts, t, q, (name, other), gap)
