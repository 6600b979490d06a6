"""Balls that move within bounds, exactly, and the instants at which they touch."""

import numpy as np


class World:
    """Accelerations are constant from step to step, so that motion is known exactly: a speed limit
    is kept by choosing the velocity at the end of a step within it, and whatever lies between two
    velocities within a ball is within it, too.

    ``hostile``: every body races towards another one, at full acceleration; otherwise they wander.
    """

    def __init__(self, rng, n, *, hostile, period, speed=None, crowd=0.7):
        self.rng, self.n, self.hostile, self.period, self.speed = rng, n, hostile, period, speed
        self.radii = rng.uniform(0.02, 0.1, n)
        self.most = rng.uniform(0.5, 3.0, n)
        self.limit = None if speed is None else rng.uniform(0.5, 1.0, n) * speed
        self.side = crowd * 0.6 * n ** (1 / 3) + 0.3
        self.x = rng.uniform(0.0, self.side, (n, 3))
        self.v = self._limited(rng.normal(size=(n, 3)) * 0.3)
        self.a = np.zeros((n, 3))
        self.prey = rng.permutation(n)
        self.wish = rng.normal(size=(n, 3))

    def _limited(self, v):
        if self.limit is None:
            return v
        length = np.linalg.norm(v, axis=1)
        return v * np.minimum(1.0, self.limit / np.maximum(length, 1e-12))[:, None]

    def choose(self, dt):
        """Accelerations until the next reading."""
        rng, n = self.rng, self.n
        if rng.random() < 0.05:
            self.prey = rng.permutation(n)
            self.wish = rng.normal(size=(n, 3))
        if self.hostile:
            aim = self.x[self.prey] - self.x + 0.3 * (self.v[self.prey] - self.v)
            aim[self.prey == np.arange(n)] = 1.0
        else:
            aim = self.wish - (self.x - 0.5 * self.side) / self.side - 0.5 * self.v
        a = aim / np.maximum(np.linalg.norm(aim, axis=1), 1e-12)[:, None]
        a *= (self.most * (1.0 if self.hostile else rng.uniform(0.0, 1.0, n)))[:, None]
        self.a = (self._limited(self.v + a * dt) - self.v) / dt

    def advance(self, dt):
        self.x = self.x + dt * self.v + 0.5 * dt * dt * self.a
        self.v = self.v + dt * self.a

    def touches(self, dt, margin):
        """Pairs that are apart now and touch within ``dt``: (a, b, time of the first contact)."""
        reach = self.radii[:, None] + 0.5 * margin
        swept = np.linalg.norm(self.v, axis=1) * dt + self.most * dt * dt + reach[:, 0]
        found = []
        for a, b in near_pairs(self.x, swept):
            x, v, u = self.x[b] - self.x[a], self.v[b] - self.v[a], 0.5 * (self.a[b] - self.a[a])
            gap = self.radii[a] + self.radii[b] + margin
            if x @ x <= gap * gap:
                continue
            # |x + v t + u t²|² = gap²
            quartic = [u @ u, 2 * u @ v, v @ v + 2 * u @ x, 2 * x @ v, x @ x - gap * gap]
            roots = np.roots(quartic)
            real = roots.real[(abs(roots.imag) < 1e-9) & (roots.real > 0.0) & (roots.real <= dt)]
            if len(real):
                found.append((int(a), int(b), float(real.min())))
        return found


def pairs_of(predictor):
    """The pairs in the tables of a predictor, in their order, (k, 2)."""
    pairs = predictor._schedule.tables.pairs
    return np.column_stack((np.maximum(pairs["a"], ~pairs["a"]), pairs["b"]))


def near_pairs(x, swept):
    """All pairs whose balls overlap, by a sweep along one axis."""
    order = np.argsort(x[:, 0] - swept, kind="stable")
    low, high = (x[:, 0] - swept)[order], (x[:, 0] + swept)[order]
    last = np.searchsorted(low, high, side="right")
    for i in range(len(order)):
        a = order[i]
        others = order[i + 1 : last[i]]
        gap = x[others] - x[a]
        close = (gap * gap).sum(axis=1) <= (swept[others] + swept[a]) ** 2
        for b in others[close]:
            yield min(a, b), max(a, b)
