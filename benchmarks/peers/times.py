"""Time the cycles of several engines, taking turns."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from peers.engine import Engine

#: Cycles of one engine before the next has its turn; fewer, down to the least, where they would
#: take longer than the seconds.
BLOCK, LEAST, BLOCK_SECONDS = 200, 20, 0.1
#: Cycles at the start of a block that do not count: the engine before has emptied the caches.
COLD = 5


@dataclass(frozen=True)
class Times:
    """Of a cycle, in microseconds; ``late`` is the 99.9th percentile."""

    cycles: int
    median: float
    late: float
    worst: float

    @property
    def tail(self) -> float:
        return self.late / self.median


@dataclass
class Runner:
    """An engine on its way round a scene's loop, and the nanoseconds of its cycles."""

    engine: Engine
    loop: int
    at: int = 0

    def run(self, count: int) -> list[int]:
        """Nanoseconds of each of the next cycles. An answer is dropped within its cycle's time."""
        cycle, clock = self.engine.cycle, time.perf_counter_ns
        times = []
        for i in range(self.at, self.at + count):
            k = i % self.loop
            start = clock()
            cycle(k)
            times.append(clock() - start)
        self.at += count
        return times


def contest(engines: Mapping[str, tuple[Engine, int]], cycles: int) -> dict[str, Times]:
    """Let engines, each with the length of its scene's loop, take turns until they have had their
    cycles; one whose blocks are shortened has had fewer."""
    runners = {name: Runner(*engine) for name, engine in engines.items()}
    # Once round the loop, from where it begins to where it begins: this warms the engines up too.
    block = {name: block_length(r.run(r.loop)) for name, r in runners.items()}
    times: dict[str, list[int]] = {name: [] for name in engines}
    gc.collect()
    gc.freeze()
    assert gc.isenabled()
    for _ in range(-(-cycles // BLOCK)):
        for name, runner in runners.items():
            runner.run(COLD)
            times[name] += runner.run(block[name])
    gc.unfreeze()
    return {name: summary(values) for name, values in times.items()}


def block_length(nanoseconds: list[int]) -> int:
    seconds = float(np.median(nanoseconds)) / 1e9
    return int(min(BLOCK, max(LEAST, BLOCK_SECONDS / seconds)))


def summary(nanoseconds: list[int]) -> Times:
    us = np.array(nanoseconds) / 1e3
    return Times(len(us), float(np.median(us)), float(np.quantile(us, 0.999)), float(us.max()))
