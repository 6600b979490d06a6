"""Paper 000: how long a cycle takes, where the time goes, what one test costs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from standoff.broadphase.kernels import tables as x
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray
from standoff.monitor.monitor import Monitor
from standoff.papers.kernels import monitor_replay as stage
from standoff.papers.result import UNSAID, Result
from standoff.papers.timing import AS_PUBLISHED, Bench, counted, settle
from standoff.view.plots import bars_plot

#: What the paper measured on an 80386 at 20 MHz, [µs].
PAPER_MEAN = 30_000.0
PAPER_NODE_TEST = 70.0
PAPER_PAIR_TEST = 150.0

#: The paper's shares of a cycle, [%]; what is left is overhead.
PAPER_SHARES = {
    "kinematics": 28,
    "angles and boxes": 7,
    "primitive against node": 13,
    "neighbours": 7,
    "primitive pairs": 27,
    "the rest": 18,
}


def cycle(bench: Bench) -> Result:
    """Mean and worst cycle."""
    kinds = {"as published": AS_PUBLISHED, "default": {}}
    inner = bench.lowest({k: bench.monitor(**options) for k, options in kinds.items()})
    outer = {k: _from_python(bench, options) for k, options in kinds.items()}
    lowest = {k: runs.min(axis=0) for k, runs in outer.items()}

    def row(name: str, paper: str, value: dict[str, float]) -> tuple[str, ...]:
        return name, paper, *(f"{value[k]:.2f}" for k in kinds)

    rows = (
        row("mean, compiled code alone", "30 000", inner),
        row("mean, called from Python", UNSAID, {k: v.mean() for k, v in lowest.items()}),
        row("median", UNSAID, {k: float(np.median(v)) for k, v in lowest.items()}),
        row(
            "99.9th percentile", UNSAID,
            {k: float(np.percentile(v, 99.9)) for k, v in lowest.items()},
        ),
        row("worst", "under 60 000", {k: v.max() for k, v in lowest.items()}),
        row("worst of all rounds", UNSAID, {k: v.max() for k, v in outer.items()}),
    )  # fmt: skip
    faster = PAPER_MEAN / inner["default"]
    return Result(
        "Time of a cycle [µs], all three tasks",
        ("", "paper", "as published", "default"),
        rows,
        (
            f"From Python each cycle counts with its lowest of {bench.rounds} rounds, the last row "
            "with its highest, whatever else the machine did.",
            f"{faster:,.0f} times as fast as the 80386 at 20 MHz. The published algorithm looks at "
            "the tree in each cycle; by default a mover is registered with a reserve and near "
            "pairs are kept until it leaves that.",
        ),
        {"inner": inner, "worst": {k: v.max() for k, v in lowest.items()}},
    )


def _from_python(bench: Bench, options: dict[str, Any]) -> Array:
    """Times of ``monitor.update``, (rounds, cycles), [µs]; each task with a monitor of its own."""
    spent = np.zeros((bench.rounds, bench.cycles))
    clock = time.perf_counter_ns
    for r in range(bench.rounds):
        k = 0
        for task in bench.tasks:
            monitor = bench.monitor(**options)
            monitor.update(task[0])
            for q in task:
                start = clock()
                monitor.update(q)
                spent[r, k] = clock() - start
                k += 1
    return spent / 1e3


def shares(bench: Bench) -> Result:
    """Shares of the cycle by part."""
    found = {"as published": _shares(bench, AS_PUBLISHED), "default": _shares(bench, {})}
    rows = tuple(
        (part, f"{PAPER_SHARES[part]} %", *(f"{100 * v[part]:.0f} %" for v in found.values()))
        for part in PAPER_SHARES
    )
    ours = found["as published"]
    most = max(ours, key=lambda part: ours[part])
    paper = {part: value / 100 for part, value in PAPER_SHARES.items()}

    def plot(path: Path) -> None:
        series = {"paper": paper, **found}
        bars_plot(series, "share of a cycle [%]", path, scale=100.0)

    return Result(
        "Shares of a cycle",
        ("", "paper", "as published", "default"),
        rows,
        (
            "Method: the first k stages of all cycles, less the first k - 1; within the update of "
            "the tree, tests counted times the cost of one (see costs). Box tests count with the "
            "pairs.",
            f"Different today: kinematics take {100 * ours['kinematics']:.0f} % and not 28 % (all "
            "sines and cosines in one vector loop), node tests "
            f"{100 * ours['primitive against node']:.0f} % and not 13 % (six comparisons of "
            f"boxes); the largest part is now: {most}. The paper sums it up as a third each for "
            "kinematics, intersection tests and the tree.",
        ),
        {"shares": found},
        plot,
    )


def _shares(bench: Bench, options: dict[str, Any]) -> dict[str, float]:
    monitor = bench.monitor(**options)
    settle(monitor, bench.tasks)
    parts_of = range(stage.WHOLE + 1)
    times = bench.lowest(dict.fromkeys(parts_of, monitor), stages={k: k for k in parts_of})
    upto = np.array([times[k] for k in parts_of])
    spent = np.maximum(np.diff(upto), 0.0)
    counts = counted(monitor, bench.tasks)
    cost = test_costs(bench, monitor)
    node = counts.node_tests / bench.cycles * cost["node test"]
    neighbours = counts.neighbours / bench.cycles * cost["neighbour"]
    update = spent[stage.INDEXING - 1]
    parts = {
        "kinematics": spent[stage.KINEMATICS - 1],
        "angles and boxes": spent[stage.PLACING - 1],
        "primitive against node": min(node, update),
        "neighbours": min(neighbours, max(update - node, 0.0)),
        "primitive pairs": spent[stage.PAIRING - 1] + spent[stage.WHOLE - 1],
    }
    total = upto[stage.WHOLE]
    parts["the rest"] = max(total - sum(parts.values()), 0.0)
    return {part: float(value / sum(parts.values())) for part, value in parts.items()}


def costs(bench: Bench) -> Result:
    """Cost of one node test and one pair test."""
    monitor = bench.monitor(**AS_PUBLISHED)
    settle(monitor, bench.tasks)
    found = test_costs(bench, monitor)
    paper = {"node test": PAPER_NODE_TEST, "pair test": PAPER_PAIR_TEST}
    names = {
        "node test": "primitive against node",
        "pair test": "primitive against primitive, exact distance",
        "box test": "two bounding boxes",
        "neighbour": "one neighbour of a node",
    }
    rows = tuple(
        (
            names[k],
            f"{1e3 * paper[k]:,.0f}".replace(",", " ") if k in paper else UNSAID,
            f"{1e3 * found[k]:.1f}",
        )
        for k in names
    )
    then, now = PAPER_PAIR_TEST / PAPER_NODE_TEST, found["pair test"] / found["node test"]
    more = "dearer" if now > then else "cheaper"
    return Result(
        "Cost of one test [ns]",
        ("", "paper", "ours"),
        rows,
        (
            "Method: the test alone, over all pairs at poses throughout the tasks, the loop "
            "included.",
            f"A pair test costs {now:.0f} node tests, in the paper {then:.1f}: {more} than then "
            "beside a node test. The paper's warning tells whether two primitives overlap; ours "
            "also gives the distance, both witness points and the normal.",
        ),
        {"costs": found},
    )


def test_costs(bench: Bench, monitor: Monitor) -> dict[str, float]:
    """Of one test of each kind, [µs]."""
    moments = np.concatenate(bench.tasks)[:: 450 if bench.quick else 150]
    kinds = {
        "node test": stage.NODE_TEST,
        "neighbour": stage.NEIGHBOUR,
        "box test": stage.BOX_TEST,
        "pair test": stage.PAIR_TEST,
    }
    spent = {name: np.full(len(moments), np.inf) for name in kinds}
    for k, q in enumerate(moments):
        monitor.update(q)
        nodes, pairs = _in_nodes(monitor), _all_pairs(monitor)
        for _ in range(bench.rounds):
            for name, kind in kinds.items():
                which = nodes if kind in (stage.NODE_TEST, stage.NEIGHBOUR) else pairs
                once = _repeat(monitor, kind, which) / len(which)
                spent[name][k] = min(spent[name][k], once)
    return {name: float(values.mean()) for name, values in spent.items()}


#: How often a loop over all pairs is run through at once, [-].
_LOOPS = 8


def _repeat(monitor: Monitor, kind: int, which: IntArray) -> float:
    """Time of one pass over ``which``, [µs]."""
    start = time.perf_counter_ns()
    stage.repeat(kind, monitor._address, which, 0, _LOOPS)
    return (time.perf_counter_ns() - start) / 1e3 / _LOOPS


def _in_nodes(monitor: Monitor) -> IntArray:
    """Every item with every node."""
    there = np.flatnonzero(monitor.index.tables.items[:, x.STATE] != x.ABSENT)
    nodes = monitor.index._live_nodes()
    return np.ascontiguousarray(np.stack(np.meshgrid(there, nodes), axis=-1).reshape(-1, 2))


def _all_pairs(monitor: Monitor) -> IntArray:
    """Every item that moves with every other."""
    there = np.flatnonzero(monitor.index.tables.items[:, x.STATE] != x.ABSENT)
    movers = there[there < int(monitor.scene.tables.plan.movers)]
    a, b = np.meshgrid(movers, there, indexing="ij")
    return np.ascontiguousarray(np.stack([a, b], axis=-1)[a < b])
