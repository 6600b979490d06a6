"""The test bed's monitors on a clock.

A shared machine is now twice as fast, now half: variants take turns, round after round, so that
this hits all alike, and of all rounds the lowest counts, in which the machine was left in peace;
of each stretch of cycles for itself, as peace lasts for milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from standoff.broadphase import IndexFigures
from standoff.broadphase.kernels import tables as x
from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.monitor.kernels.cycle import test_again
from standoff.monitor.monitor import Monitor
from standoff.papers import toolkit
from standoff.papers.kernels import monitor_replay as stage
from standoff.papers.kernels import monitor_variants as variant
from standoff.papers.testbed import TASKS, testbed_cell, testbed_monitor
from standoff.papers.toolkit import K

#: The options of the paper's own algorithm: every mover that moved is brought up to date in the
#: tree and tested in each cycle. By default a mover is registered with a reserve around it, and
#: the near pairs are kept until it leaves that.
AS_PUBLISHED: dict[str, Any] = {"follow": "neighbours", "reserve": 0.0}

#: What most experiments compare.
KINDS: Mapping[str, dict[str, Any]] = {"as published": AS_PUBLISHED, "default": {}}

#: Cycles in a stretch that is timed for itself, [-]: about half a millisecond.
_STRETCH = 150

#: How often a loop over all pairs is run through at once, [-].
_LOOPS = 8

_NO_POSES = np.zeros((0, 4, 4))


class Bench(toolkit.Bench):
    """The test bed, its three tasks, and a clock.

    Attributes:
        cell: the test bed.
        tasks: joint angles of the three tasks, (cycles, 14) each.
        cycles: of the three tasks together.
    """

    def __init__(self, *, quick: bool = False) -> None:
        super().__init__(quick=quick, rounds=(3, 25))
        self.cell = testbed_cell()
        self.tasks = [np.ascontiguousarray(task.joints(self.cell)) for task in TASKS]
        self.cycles = sum(map(len, self.tasks))

    def monitor(self, cell: Cell | None = None, **options: Any) -> Monitor:
        """A monitor of the test bed, or of another cell with the same arms."""
        return testbed_monitor(self.cell if cell is None else cell, **options)

    def lowest(
        self,
        monitors: Mapping[K, Monitor],
        joints: Mapping[K, Sequence[Array]] | None = None,
        stages: Mapping[K, int] | None = None,
        variants: Mapping[K, int] | None = None,
    ) -> dict[K, float]:
        """Mean time of a cycle of each monitor, [µs], over the tasks or the ``joints`` given for
        it, in compiled code alone; the lowest of all rounds. ``stages``: how far each cycle goes,
        by default to its end; ``variants``: which of `monitor_variants` it is."""
        given = {k: _stretches(self.tasks if joints is None else joints[k]) for k in monitors}
        timed = {}
        for k, monitor in monitors.items():
            upto = stage.WHOLE if stages is None else stages[k]
            how = None if variants is None else variants[k]
            settle(monitor, given[k], how)
            timed[k] = partial(_timed, [partial(run, monitor, s, upto, how) for s in given[k]])
        best = toolkit.lowest(timed, self.rounds)
        return {k: float(best[k].sum() / 1e3 / sum(map(len, given[k]))) for k in monitors}

    def sweep(
        self, cases: Iterable[dict[str, Any]], kinds: Mapping[str, dict[str, Any]] = KINDS
    ) -> dict[str, list[float]]:
        """Cycle times of each kind in each case, [µs], all in turn; a case is options, and a
        ``cell`` if it is another."""
        cases = list(cases)
        spent = self.lowest({
            (kind, k): self.monitor(**case, **options)
            for kind, options in kinds.items()
            for k, case in enumerate(cases)
        })  # fmt: skip
        return {kind: [spent[kind, k] for k in range(len(cases))] for kind in kinds}


def prepare(bench: Bench, chosen: Sequence[str]) -> None:
    """Call every kernel that the experiments need."""
    monitor = bench.monitor()
    settle(monitor, [bench.tasks[1][:2]])
    bench.cell.tree.forward(bench.tasks[0][0])
    bench.cell.tree.forward_batch(bench.tasks[0][:1])
    which = np.zeros((1, 2), dtype=np.int64)
    stage.repeat(stage.BOX_TEST, monitor._address, which, 0, 1)
    test_again(monitor._address, monitor.period)


def _timed(calls: Iterable[Callable[[], object]]) -> Array:
    """The time of each of some calls, one after the other, [ns]."""
    times, clock = [], time.perf_counter_ns
    for call in calls:
        start = clock()
        call()
        times.append(clock() - start)
    return np.array(times, float)


def _stretches(recordings: Sequence[Array]) -> list[Array]:
    return [
        np.ascontiguousarray(recording[k : k + _STRETCH])
        for recording in recordings
        for k in range(0, len(recording), _STRETCH)
    ]


def settle(monitor: Monitor, recordings: Sequence[Array], how: int | None = None) -> None:
    """Every cycle once from Python, where tables that are too short are enlarged; then in one call,
    so that nothing is compiled under the clock."""
    for recording in recordings:
        for q in recording:
            monitor.update(q)
        if how is not None:  # it finds all pairs itself, also of links that stand still
            monitor.index.tables.items[: monitor.scene.tables.plan.movers, x.MOVED] = 1
        run(monitor, recording, how=how)


def run(
    monitor: Monitor, recording: Array, stages: int = stage.WHOLE, how: int | None = None
) -> float | None:
    """A recording through a monitor in one compiled call, on the monitor's own tables. ``how``: as
    one of `monitor_variants`, and to the end; it is the smallest clearance that is returned."""
    if how is None:
        stage.replay(monitor._address, recording, _NO_POSES, monitor.period, stages)
        return None
    tables = monitor.scene.tables
    # Who finds a pair once for each node has room for as much as there can be.
    most = len(tables.index.links) + len(tables.index.items)
    if len(tables.found) < most:
        tables.grow("found", most)
        tables.grow("pairs", max(len(tables.pairs), most * int(tables.plan.movers)))
    found: float = variant.replay_variant(
        monitor._address, recording, _NO_POSES, monitor.period, how
    )
    return found


class Upkeep(NamedTuple):
    """What the tree took during the tasks: splits and merges, and tests against nodes."""

    changes: int
    node_tests: int


def upkeep(bench: Bench, options: Mapping[str, Any], how: int | None = None) -> Upkeep:
    """Each task by a monitor of its own, from its first cycle on: no jump from task to task."""
    found = []
    for task in bench.tasks:
        monitor = bench.monitor(**options)
        monitor.update(task[0])
        found.append(counted(monitor, [task], how))
    return Upkeep(sum(f.splits + f.merges for f in found), sum(f.node_tests for f in found))


def counted(monitor: Monitor, recordings: Sequence[Array], how: int | None = None) -> IndexFigures:
    """What the index does in one run over the recordings; the monitor has settled."""
    for name in x.COUNTERS:
        monitor.index.tables.state[name] = 0
    for recording in recordings:
        run(monitor, recording, how=how)
    return monitor.figures()


def test_costs(bench: Bench, monitor: Monitor) -> dict[str, float]:
    """Of one test of each kind, [µs]."""
    moments = np.concatenate(bench.tasks)[:: 450 if bench.quick else 150]
    kinds = {
        "node test": stage.NODE_TEST,
        "neighbour": stage.NEIGHBOUR,
        "box test": stage.BOX_TEST,
        "pair test": stage.PAIR_TEST,
    }
    spent = []
    for q in moments:
        monitor.update(q)
        nodes, pairs = _in_nodes(monitor), _all_pairs(monitor)
        calls, tests = {}, {}
        for name, kind in kinds.items():
            which = nodes if kind in (stage.NODE_TEST, stage.NEIGHBOUR) else pairs
            call = partial(stage.repeat, kind, monitor._address, which, 0, _LOOPS)
            calls[name], tests[name] = partial(_timed, [call]), 1e3 * _LOOPS * len(which)
        best = toolkit.lowest(calls, bench.rounds)
        spent.append([float(best[name][0]) / tests[name] for name in kinds])
    return dict(zip(kinds, np.mean(spent, axis=0).tolist()))


def _items(monitor: Monitor) -> IntArray:
    return np.flatnonzero(monitor.index.tables.items[:, x.STATE] != x.ABSENT)


def _in_nodes(monitor: Monitor) -> IntArray:
    """Every item with every node."""
    both = np.meshgrid(_items(monitor), monitor.index._live_nodes())
    return np.ascontiguousarray(np.stack(both, axis=-1).reshape(-1, 2))


def _all_pairs(monitor: Monitor) -> IntArray:
    """Every item that moves with every other."""
    there = _items(monitor)
    movers = there[there < int(monitor.scene.tables.plan.movers)]
    a, b = np.meshgrid(movers, there, indexing="ij")
    return np.ascontiguousarray(np.stack([a, b], axis=-1)[a < b])
