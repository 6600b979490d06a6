"""The motion between two readings as an outside opinion sees it: many instants, each pair by Coal.

The poses of free bodies come from SciPy's rotations."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from tests.oracles.coal import CoalCell, Placed, transform


class Sampler:
    """Distances of the watched pairs of a cell at instants between two readings.

    Attributes:
        pairs: names, as ``cell.allowed.watched()`` lists them.
    """

    def __init__(self, cell):
        self.cell = cell
        self.coal = CoalCell(cell)
        self.pairs = self.coal.pairs

    def poses(self, qa, qb, pa, pb, times):
        """Frames (times, frames, 4, 4): the tree's, then those of the moving bodies."""
        Q = qa + times[:, None] * (np.asarray(qb) - qa)
        frames = [self.cell.tree.forward_batch(Q)]
        for a, b in zip(pa, pb):
            turn = Rotation.from_matrix(b[:3, :3] @ a[:3, :3].T).as_rotvec()
            at = np.broadcast_to(np.eye(4), (len(times), 4, 4)).copy()
            at[:, :3, :3] = Rotation.from_rotvec(times[:, None] * turn).as_matrix() @ a[:3, :3]
            at[:, :3, 3] = a[:3, 3] + times[:, None] * (b[:3, 3] - a[:3, 3])
            frames.append(at[:, None])
        return np.concatenate(frames, axis=1)

    def nearest(self, qa, qb, pa=(), pb=(), *, within=np.inf, samples=401):
        """The smallest distance of each pair and its instant; pairs that balls around the bodies
        prove to stay farther apart than ``within`` are left out."""
        times = np.linspace(0.0, 1.0, samples)
        frames = self.poses(qa, qb, pa, pb, times)
        found = {}
        moved = {
            name: [(part, frames[:, self.coal.frame[name]] @ part[1]) for part in parts]
            for name, parts in self.coal.parts.items()
        }

        def placed(part, poses, k):
            return Placed(part[0], poses[k], part[2], transform(poses[k]), part[3])

        for a, b in self.pairs:
            best = np.inf, 0.0
            for x, at in moved[a]:
                for y, there in moved[b]:
                    apart = np.linalg.norm(at[:, :3, 3] - there[:, :3, 3], axis=1) - x[3] - y[3]
                    for k in np.flatnonzero(~(apart > min(within, best[0]))):
                        value = self.coal.distance(placed(x, at, k), placed(y, there, k))
                        best = min(best, (value, times[k]))
            if best[0] < np.inf:
                found[a, b] = best
        return found
