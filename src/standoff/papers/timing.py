"""Cycle times of several monitors over the same recordings, measured in turn.

A shared machine is now twice as fast, now half: variants take turns, round after round, so that
this hits all alike, and of all rounds the lowest counts, in which the machine was left in peace;
of each stretch of cycles for itself, as peace lasts for milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from standoff.broadphase import IndexFigures
from standoff.cell import Cell
from standoff.geometry.pose import Array
from standoff.monitor.kernels.cycle import test_again
from standoff.monitor.monitor import Monitor
from standoff.papers.kernels.monitor_replay import BOX_TEST, WHOLE, repeat, replay
from standoff.papers.testbed import TASKS, testbed_cell, testbed_monitor

K = TypeVar("K", bound=Hashable)

#: The options of the paper's own algorithm: every mover that moved is brought up to date in the
#: tree and tested in each cycle. By default a mover is registered with a reserve around it, and
#: the near pairs are kept until it leaves that.
AS_PUBLISHED: dict[str, Any] = {"follow": "neighbours", "reserve": 0.0}

#: Cycles in a stretch that is timed for itself, [-]: about half a millisecond.
_STRETCH = 150

_NO_POSES = np.zeros((0, 4, 4))


class Bench:
    """The test bed, its three tasks, and a clock.

    Attributes:
        quick: fewer rounds and fewer points in a sweep.
        rounds: how often each measurement is taken.
        cell: the test bed.
        tasks: joint angles of the three tasks, (cycles, 14) each.
    """

    def __init__(self, *, quick: bool = False) -> None:
        self.quick = quick
        self.rounds = 3 if quick else 25
        self.cell = testbed_cell()
        self.tasks = [np.ascontiguousarray(task.joints(self.cell)) for task in TASKS]

    @property
    def cycles(self) -> int:
        """Of the three tasks together."""
        return sum(map(len, self.tasks))

    def points(self, all_of_them: Sequence[K], few: Sequence[K]) -> Sequence[K]:
        """The points of a sweep."""
        return few if self.quick else all_of_them

    def monitor(self, cell: Cell | None = None, **options: Any) -> Monitor:
        """A monitor of the test bed, or of another cell with the same arms."""
        return testbed_monitor(self.cell if cell is None else cell, **options)

    def lowest(
        self,
        monitors: Mapping[K, Monitor],
        joints: Mapping[K, Sequence[Array]] | None = None,
        stages: Mapping[K, int] | None = None,
    ) -> dict[K, float]:
        """Mean time of a cycle of each monitor, [µs], over the tasks or the ``joints`` given for
        it, in compiled code alone; the lowest of all rounds. ``stages``: how far each cycle goes,
        by default to its end."""
        given = {k: _stretches(self.tasks if joints is None else joints[k]) for k in monitors}
        for k, monitor in monitors.items():
            settle(monitor, given[k])
        best = {k: np.full(len(parts), np.inf) for k, parts in given.items()}
        clock = time.perf_counter_ns
        for _ in range(self.rounds):
            for k, monitor in monitors.items():
                upto = WHOLE if stages is None else stages[k]
                for s, stretch in enumerate(given[k]):
                    start = clock()
                    run(monitor, stretch, upto)
                    best[k][s] = min(best[k][s], clock() - start)
        return {k: float(best[k].sum() / 1e3 / sum(map(len, given[k]))) for k in monitors}


def warm_up(bench: Bench) -> None:
    """Call every kernel that the experiments need, so that none is compiled later on."""
    monitor = bench.monitor()
    settle(monitor, [bench.tasks[1][:2]])
    bench.cell.tree.forward(bench.tasks[0][0])
    bench.cell.tree.forward_batch(bench.tasks[0][:1])
    which = np.zeros((1, 2), dtype=np.int64)
    repeat(BOX_TEST, monitor._address, which, 0, 1)
    test_again(monitor._address, monitor.period)


def _stretches(recordings: Sequence[Array]) -> list[Array]:
    return [
        np.ascontiguousarray(recording[k : k + _STRETCH])
        for recording in recordings
        for k in range(0, len(recording), _STRETCH)
    ]


def settle(monitor: Monitor, recordings: Sequence[Array]) -> None:
    """Every cycle once from Python, where tables that are too short are enlarged; then in one call,
    so that nothing is compiled under the clock."""
    for recording in recordings:
        for q in recording:
            monitor.update(q)
        run(monitor, recording)


def run(monitor: Monitor, recording: Array, stages: int = WHOLE) -> None:
    """A recording through a monitor in one compiled call, on the monitor's own tables."""
    replay(monitor._address, recording, _NO_POSES, monitor.period, stages)


@dataclass(frozen=True)
class Upkeep:
    """What the tree took during the tasks: splits and merges, and tests against nodes."""

    changes: int
    node_tests: int


def upkeep(bench: Bench, options: Mapping[str, Any]) -> Upkeep:
    """Each task by a monitor of its own, from its first cycle on: no jump from task to task."""
    changes = node_tests = 0
    for task in bench.tasks:
        monitor = bench.monitor(**options)
        monitor.update(task[0])
        monitor.index.clear_counters()
        run(monitor, task)
        found = monitor.figures()
        changes += found.splits + found.merges
        node_tests += found.node_tests
    return Upkeep(changes, node_tests)


def counted(monitor: Monitor, recordings: Sequence[Array]) -> IndexFigures:
    """What the index does in one run over the recordings; the monitor has settled."""
    monitor.index.clear_counters()
    for recording in recordings:
        run(monitor, recording)
    return monitor.figures()
