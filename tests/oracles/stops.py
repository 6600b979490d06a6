"""Stops as they may go, simulated from their definition; and Coal on who touches whom then."""

from __future__ import annotations

import numpy as np

import standoff as so
from tests.oracles.coal import CoalCell


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


class StopDistances:
    """The pairs of a cell that a joint is between, by Coal."""

    def __init__(self, cell: so.Cell) -> None:
        self.coal = CoalCell(cell)
        jointed = {n for n, f in self.coal.frame.items() if 0 < f < cell.tree.frames}
        self.pairs = [pair for pair in self.coal.pairs if jointed & {*pair}]

    def nearest(self, q, poses=()) -> tuple[float, tuple[str, str]]:
        """The smallest distance of those nearer than 5 cm or so, and whose it is."""
        placed = self.coal.placed(self.coal.frames(q, poses))
        best = (np.inf, ("", ""))
        for a, b in self.pairs:
            best = min(best, (self.coal.nearest(placed[a], placed[b], within=0.05), (a, b)))
        return best
