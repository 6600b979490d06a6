"""How many urgencies a second? Ours, the quartic (13) solved in closed form, and by NumPy's roots.

    python benchmarks/urgency.py [--pairs 200000] [--repeats 7]

All see the same pairs: balls of 0.2 m in a cube of 20 m, velocities of about 1 m/s. Processor time
of one thread, the best round of each. The closed form is Ferrari's with Viète's angle, compiled as
ours is; it says how far off it is, as nothing in it keeps to the safe side.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

from standoff.predict.kernels.time_to_contact import (
    BLOCK_ROWS,
    BOUNDED,
    FREE,
    urgency_many,
)
from standoff.predict.pair_bounds import URGENCY_BLOCK
from tests.oracles.tau_as_printed import tau_paper_many


@numba.njit(error_model="numpy")
def closed_form(x, v, acceleration, radius, tau):
    """t⁴ + p t² + q t + r = 0 as two quadratics t² ± m t + …, with m² a root of the resolvent."""
    for i in range(len(tau)):
        a = 4.0 / acceleration[i] ** 2
        xx = x[i, 0] ** 2 + x[i, 1] ** 2 + x[i, 2] ** 2
        vv = v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2
        xv = x[i, 0] * v[i, 0] + x[i, 1] * v[i, 1] + x[i, 2] * v[i, 2]
        p = -a * (vv - radius[i] * acceleration[i])
        q, r = -2.0 * a * xv, -a * (xx - radius[i] ** 2)
        # z³ + 2 p z² + (p² - 4 r) z - q² = 0, its largest root.
        b, c, d = 2.0 * p, p * p - 4.0 * r, -q * q
        f, g = c - b * b / 3.0, 2.0 * b**3 / 27.0 - b * c / 3.0 + d
        h = g * g / 4.0 + f**3 / 27.0
        if h > 0.0:
            w = math.sqrt(h)
            z = np.cbrt(-g / 2.0 + w) + np.cbrt(-g / 2.0 - w) - b / 3.0
        else:
            k = math.sqrt(-f / 3.0)
            z = 2.0 * k * math.cos(math.acos(-g / (2.0 * k**3)) / 3.0) - b / 3.0
        m = math.sqrt(max(z, 0.0))
        best = math.inf
        for sign in (1.0, -1.0):
            half = 0.5 * (p + z - sign * q / m)
            inner = m * m - 4.0 * half
            if inner >= 0.0:
                for side in (1.0, -1.0):
                    t = 0.5 * (-sign * m + side * math.sqrt(inner))
                    if 0.0 < t < best:
                        best = t
        tau[i] = best


def numpy_roots(x, v, acceleration, radius, tau):
    """As one would write it, one pair after another; only the first thousand."""
    for i in range(min(1000, len(tau))):
        a, e = acceleration[i], radius[i]
        found = np.roots(
            [-a * a / 4, 0.0, v[i] @ v[i] - e * a, 2 * x[i] @ v[i], x[i] @ x[i] - e * e]
        )
        real = found.real[(abs(found.imag) < 1e-9) & (found.real > 0.0)]
        tau[i] = real.min() if len(real) else math.inf


def best_of(run: Callable[[], None], repeats: int) -> float:
    run()
    took = []
    for _ in range(repeats):
        start = time.thread_time()
        run()
        took.append(time.thread_time() - start)
    return min(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    n = given.pairs
    x, v = rng.uniform(-10.0, 10.0, (n, 3)), rng.normal(size=(n, 3))
    acceleration, radius = np.full(n, 1.0), np.full(n, 0.4)
    block, column = np.empty((BLOCK_ROWS, URGENCY_BLOCK)), np.empty((BLOCK_ROWS, 1))
    speed = np.full(n, 4.0)
    truth, tau = np.empty(n), np.empty(n)
    urgency_many(FREE, x, v, acceleration, speed, radius, block, truth)
    table = Table("urgency", "million a second", "ns each", "farthest beyond ours")

    def show(name: str, run: Callable[[], None], count: int, free: bool) -> None:
        took = best_of(run, given.repeats) / count
        good = np.flatnonzero(truth[:count] > 0.0)
        late = float((tau[good] / truth[good] - 1.0).max())
        beyond = f"{late:.1e}" if free else ""
        table.add_row(name, f"{1e-6 / took:.2f}", f"{took * 1e9:.0f}", beyond)

    def ours(kind: int, block: np.ndarray) -> Callable[[], None]:
        return lambda: urgency_many(kind, x, v, acceleration, speed, radius, block, tau)

    show("free, a batch", ours(FREE, block), n, True)
    for kind, name, limit in (
        (FREE, "free, one by one", 4.0),
        (BOUNDED, "bounded, 4 m/s", 4.0),
        (BOUNDED, "bounded, 1.6 m/s, most at full speed", 1.6),
    ):
        speed[:] = limit
        show(name, ours(kind, column), n, kind == FREE)
    speed[:] = 4.0
    run = lambda: tau_paper_many(x, v, acceleration, speed, radius, tau)  # noqa: E731
    show("the paper's, 4 m/s", run, n, False)
    show("closed form", lambda: closed_form(x, v, acceleration, radius, tau), n, True)
    count = min(1000, n)
    show("numpy.roots", lambda: numpy_roots(x, v, acceleration, radius, tau), count, True)
    Console().print(table)


if __name__ == "__main__":
    main()
