"""Time the cycles of several engines, taking turns."""

from __future__ import annotations

import gc
import math
import resource
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
    """Of a cycle, in microseconds; ``late`` is the 99.9th percentile.

    Cycles in which the system took the processor away for another process are left out and
    counted in ``preempted``: they tell of the machine, and more of the quick engines than of the
    slow ones.
    """

    cycles: int
    preempted: int
    median: float
    late: float
    worst: float

    @property
    def tail(self) -> float:
        return self.late / self.median


class Runner:
    """An engine on its way round a scene's loop."""

    def __init__(self, engine: Engine, loop: int) -> None:
        self.cycle, self.loop, self.at = engine.cycle, loop, 0
        self.nanoseconds: list[int] = []
        self.preempted = 0

    def run(self, count: int) -> None:
        """Time the next cycles. An answer is dropped within its cycle's time."""
        cycle, clock, keep = self.cycle, time.perf_counter_ns, self.nanoseconds.append
        before = preemptions()
        for i in range(self.at, self.at + count):
            k = i % self.loop
            start = clock()
            cycle(k)
            end = clock()
            now = preemptions()
            if now == before:
                keep(end - start)
            else:
                self.preempted += 1
                before = now
        self.at += count

    def warm(self, count: int) -> None:
        """Run the next cycles without counting them."""
        for i in range(self.at, self.at + count):
            self.cycle(i % self.loop)
        self.at += count

    def times(self) -> Times:
        us = np.array(self.nanoseconds) / 1e3
        if not len(us):  # a busy machine interrupts every cycle of milliseconds
            return Times(0, self.preempted, math.nan, math.nan, math.nan)
        late = float(np.quantile(us, 0.999))
        return Times(len(us), self.preempted, float(np.median(us)), late, float(us.max()))


def preemptions() -> int:
    """How often this thread has lost the processor; always 0 where the system does not tell."""
    who = getattr(resource, "RUSAGE_THREAD", None)
    return 0 if who is None else resource.getrusage(who).ru_nivcsw


def contest(engines: Mapping[str, tuple[Engine, int]], cycles: int) -> dict[str, Times]:
    """Let engines, each with the length of its scene's loop, take turns until they have had their
    cycles; one whose blocks are shortened has had fewer."""
    runners = {name: Runner(*engine) for name, engine in engines.items()}
    block = {name: block_length(runner) for name, runner in runners.items()}
    gc.collect()
    gc.freeze()
    assert gc.isenabled()
    for _ in range(-(-cycles // BLOCK)):
        for name, runner in runners.items():
            runner.warm(COLD)
            runner.run(block[name])
    gc.unfreeze()
    return {name: runner.times() for name, runner in runners.items()}


def block_length(runner: Runner) -> int:
    """How many cycles of this engine make a block; finding out takes it once round its loop."""
    start = time.perf_counter()
    runner.warm(runner.loop)
    each = (time.perf_counter() - start) / runner.loop
    return int(min(BLOCK, max(LEAST, BLOCK_SECONDS / each)))
