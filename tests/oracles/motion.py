"""The motion between two readings as an outside opinion sees it: many instants, each pair by Coal.

The poses of free bodies come from SciPy's rotations."""

from __future__ import annotations

import coal
import numpy as np
from scipy.spatial.transform import Rotation

from tests.oracles import coal as coal_oracle


class Sampler:
    """Distances of the watched pairs of a cell at instants between two readings.

    Attributes:
        pairs: names, as ``cell.allowed.watched()`` lists them.
    """

    def __init__(self, cell):
        self.cell = cell
        self.world = cell.model
        self.pairs = list(cell.pairs.watched())
        self.shapes = [
            [(coal_oracle.geometry(shape), pose, radius(shape)) for shape, pose in parts]
            for parts in self.world.parts
        ]

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
        index, frame = self.world.index, self.world.frame
        request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
        found = {}
        placed = [
            [frames[:, f] @ pose for _, pose, _ in parts] for f, parts in zip(frame, self.shapes)
        ]
        for a, b in self.pairs:
            i, j = index[a], index[b]
            best = np.inf, 0.0
            for (shape, _, r), at in zip(self.shapes[i], placed[i]):
                for (other, _, s), there in zip(self.shapes[j], placed[j]):
                    apart = np.linalg.norm(at[:, :3, 3] - there[:, :3, 3], axis=1) - r - s
                    for k in np.flatnonzero(~(apart > min(within, best[0]))):
                        result.clear()
                        value = coal.distance(
                            shape, coal_oracle.transform(at[k]),
                            other, coal_oracle.transform(there[k]), request, result,
                        )  # fmt: skip
                        best = min(best, (value, times[k]))
            if best[0] < np.inf:
                found[a, b] = best
        return found


def radius(shape):
    """The farthest point of a shape from its origin; infinite for half spaces."""
    if not shape.bounded:
        return np.inf
    points, more = shape.core()
    return float(np.linalg.norm(points, axis=1).max()) + more
