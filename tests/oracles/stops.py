"""Stops as they may go, simulated from their definition; and Coal on who touches whom then."""

from __future__ import annotations

import numpy as np

import standoff as so
from tests.oracles import coal as coal_oracle


class Ride:
    """One joint: pieces of constant acceleration, one after another, then rest or an even motion.

    ``add`` appends a piece; ``at`` is where the joint is, at one time or many.
    """

    def __init__(self, q: float, v: float) -> None:
        self.times, self.rows = [0.0], [(q, v, 0.0)]
        self._end = 0.0

    def add(self, length: float, acceleration: float) -> None:
        q, v = self._state(self._end)
        self.rows[-1] = (*self.rows[-1][:2], self.rows[-1][2])
        if self._end == self.times[-1]:
            self.rows[-1] = (q, v, acceleration)
        else:
            self.times.append(self._end)
            self.rows.append((q, v, acceleration))
        self._end += length
        q, v = self._state(self._end)
        self.times.append(self._end)
        self.rows.append((q, v, 0.0))

    def _state(self, t: float) -> tuple[float, float]:
        q, v, a = self.rows[-1]
        s = t - self.times[-1]
        return q + v * s + 0.5 * a * s * s, v + a * s

    @property
    def velocity(self) -> float:
        return self._state(self._end)[1]

    def stop(self) -> None:
        """Rest from here on."""
        q, _, _ = self.rows[-1]
        self.rows[-1] = (q, 0.0, 0.0)

    def at(self, t: np.ndarray) -> np.ndarray:
        t = np.asarray(t, dtype=float)
        k = np.searchsorted(self.times, t, side="right") - 1
        rows = np.array(self.rows)[k]
        s = t - np.array(self.times)[k]
        return rows[..., 0] + rows[..., 1] * s + 0.5 * rows[..., 2] * s * s


def brake(ride: Ride, rng, least: float, most: float) -> None:
    """Slow down at changing rates from ``least`` to ``most`` until it stands."""
    for _ in range(int(rng.integers(1, 4))):
        v = ride.velocity
        if v == 0.0:
            break
        rate = rng.choice([least, most, rng.uniform(least, most)])
        length = abs(v) / rate * rng.choice([1.0, rng.uniform(0, 1)])
        ride.add(length, -np.sign(v) * rate)
    if ride.velocity != 0.0:
        v = ride.velocity
        rate = rng.uniform(least, most)
        ride.add(abs(v) / rate, -np.sign(v) * rate)
    ride.stop()


def drift(ride: Ride, rng, length: float, gain: float) -> None:
    """Go on for a while, speeding up and slowing down by up to ``gain``."""
    cuts = np.sort(rng.uniform(0, length, int(rng.integers(0, 3))))
    for piece in np.diff([0.0, *cuts, length]):
        ride.add(float(piece), gain * float(rng.choice([-1, 0, 1, rng.uniform(-1, 1)])))


class CoalWorld:
    """The pairs of a cell that a joint is between, by Coal."""

    def __init__(self, cell: so.Cell) -> None:
        model, self.tree = cell.model, cell.tree
        self.parts = []
        for frame, parts in zip(model.frame, model.parts, strict=True):
            rows = []
            for shape, local in parts:
                points, radius = shape.core()
                reach = np.inf if not shape.bounded else np.linalg.norm(points, axis=1).max()
                rows.append((frame, local, coal_oracle.geometry(shape), reach + radius))
            self.parts.append(rows)
        jointed = [0 < frame < self.tree.frames for frame in model.frame]
        self.pairs = [
            (model.index[a], model.index[b])
            for a, b in cell.pairs.watched()
            if jointed[model.index[a]] or jointed[model.index[b]]
        ]
        self.names = model.names

    def nearest(self, q, poses=()) -> tuple[float, tuple[str, str]]:
        """The smallest distance of those nearer than 5 cm or so, and whose it is."""
        frames = [*self.tree.forward(np.asarray(q, dtype=float)), *poses]
        placed = [
            [(frames[frame] @ local, shape, reach) for frame, local, shape, reach in parts]
            for parts in self.parts
        ]
        best = (np.inf, ("", ""))
        for a, b in self.pairs:
            for pose_a, shape_a, reach_a in placed[a]:
                for pose_b, shape_b, reach_b in placed[b]:
                    apart = np.linalg.norm(pose_a[:3, 3] - pose_b[:3, 3]) - reach_a - reach_b
                    if apart < 0.05:
                        value = coal_oracle.distance(shape_a, pose_a, shape_b, pose_b)[0]
                        best = min(best, (value, (self.names[a], self.names[b])))
        return best
