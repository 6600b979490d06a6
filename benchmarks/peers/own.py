"""An engine's own tail: what is left of it when the machine's interruptions are taken away.

A machine interrupts every engine alike, for as long, and so the quicker the engine, the larger its
tail looks beside its median. Here every round does the very same work: it begins with engines built
anew (ours keeps an index that depends on where it has been, and a monitor gives the same output for
the same input), goes once round the scene's loop, and times the cycles after that. A cycle counts
with its lowest time over the rounds: whatever the engine itself does in it is in all of them, and
an interruption is not.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from peers.engine import Engine
from peers.scene import Scene

#: Cycles of a round, at least; a shorter loop is gone round several times. To an engine with a
#: history they differ; to one without, the 99.9th percentile is then near the worst of the loop.
LEAST_CYCLES = 1000
#: Rounds of every engine, but for those whose usual cycles would make one longer than the seconds.
ROUNDS, SLOW_ROUNDS, SLOW_SECONDS = 20, 5, 1.5


@dataclass(frozen=True)
class OwnTimes:
    """Of a cycle at its lowest over the rounds, in microseconds; ``late`` is the 99.9th
    percentile."""

    cycles: int
    rounds: int
    median: float
    late: float
    worst: float

    @property
    def tail(self) -> float:
        return self.late / self.median


def own_times(
    engines: Mapping[str, type[Engine]], scene: Scene, rounds: int = ROUNDS
) -> dict[str, OwnTimes]:
    """Engines take turns, a round each."""
    lowest: dict[str, np.ndarray] = {}
    done = dict.fromkeys(engines, 0)
    wanted = dict.fromkeys(engines, rounds)
    for _ in range(rounds):
        for name, make in engines.items():
            if done[name] == wanted[name]:
                continue
            times = one_round(make(scene), scene.loop)
            if np.median(times) * len(times) > 1e6 * SLOW_SECONDS:
                wanted[name] = min(rounds, SLOW_ROUNDS)
            lowest[name] = np.minimum(lowest.get(name, np.inf), times)
            done[name] += 1
    return {name: summary(us, done[name]) for name, us in lowest.items()}


def one_round(engine: Engine, loop: int) -> np.ndarray:
    """The time of each cycle, [µs], garbage collection on, what was built before frozen."""
    cycle, clock = engine.cycle, time.perf_counter_ns
    nanoseconds: list[int] = []
    keep = nanoseconds.append
    gc.collect()
    gc.freeze()
    assert gc.isenabled()
    for k in range(loop):
        cycle(k)
    # The first few get this loop itself under way.
    for i in range(-10, -(-LEAST_CYCLES // loop) * loop):
        k = i % loop
        start = clock()
        cycle(k)
        end = clock()
        keep(end - start)
    gc.unfreeze()
    return np.array(nanoseconds[10:]) / 1e3


def summary(us: np.ndarray, rounds: int) -> OwnTimes:
    late = float(np.quantile(us, 0.999))
    return OwnTimes(len(us), rounds, float(np.median(us)), late, float(us.max()))
