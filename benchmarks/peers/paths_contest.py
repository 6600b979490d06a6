"""Engines that check edges, taking turns: a block of edges of one kind each, in the same run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

import standoff as so
from peers.paths_hpp import Hpp
from peers.paths_mujoco import MujocoEdges
from peers.paths_scene import PathScene

#: Edges an engine checks before the next has its turn, so that drift of the machine hits all alike;
#: enough of them that an engine does not start each time with caches that others have filled.
BLOCK = 250


class EdgeEngine(Protocol):
    def run(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whether each of these edges of the scene is free, and nanoseconds: of each edge, or, for
        an engine that takes them all in one call, the same share for each."""


class Batch:
    """`checker.segments`: a block in one compiled call, on one thread."""

    def __init__(self, scene: PathScene, checker: so.PathChecker) -> None:
        self.scene, self.checker = scene, checker

    def run(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        starts, ends = self.scene.starts[edges], self.scene.ends[edges]
        begin = time.process_time_ns()
        free = self.checker.segments(starts, ends, threads=1)
        took = time.process_time_ns() - begin
        return free, np.full(len(edges), took / len(edges))


class OneByOne:
    """`checker.segment`, a verdict with its witness for each edge."""

    def __init__(self, scene: PathScene, checker: so.PathChecker) -> None:
        self.scene, self.checker = scene, checker

    def run(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        free, took, clock = [], [], time.process_time_ns
        for start, end in zip(self.scene.starts[edges], self.scene.ends[edges]):
            begin = clock()
            verdict = self.checker.segment(start, end)
            took.append(clock() - begin)
            free.append(verdict.free)
        return np.array(free), np.array(took, dtype=float)


class Sampled:
    """MuJoCo, every 0.01 rad."""

    def __init__(self, scene: PathScene) -> None:
        self.scene, self.engine = scene, MujocoEdges(scene.cell, scene.frozen)

    def run(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        free, took, clock = [], [], time.process_time_ns
        for start, end in zip(self.scene.starts[edges], self.scene.ends[edges]):
            begin = clock()
            found = self.engine.free(start, end)
            took.append(clock() - begin)
            free.append(found)
        return np.array(free), np.array(took, dtype=float)


class Continuous:
    """HPP's `Dichotomy(0)`, in its own process; the clock runs there."""

    def __init__(self, worker: Hpp) -> None:
        self.worker = worker

    def run(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        free, took = self.worker.run(edges)
        return free, took.astype(float)


@dataclass(frozen=True, eq=False)
class EdgeTimes:
    """Microseconds an edge.

    Attributes:
        block: the mean of a block, at the median of the blocks; ratios are taken of these.
        median, late: of single edges, and their 95th percentile; those of blocks where an engine
            takes a block in one call.
    """

    edges: int
    block: float
    median: float
    late: float


def verdicts(engines: Mapping[str, EdgeEngine], count: int) -> dict[str, np.ndarray]:
    """What each engine says of each edge; this also warms them up."""
    everything = np.arange(count)
    return {name: engine.run(everything)[0] for name, engine in engines.items()}


def contest(
    engines: Mapping[str, EdgeEngine], edges: np.ndarray, rounds: int
) -> dict[str, EdgeTimes]:
    """Every engine on the same blocks of these edges, in turns."""
    blocks = [b for b in np.array_split(edges, max(1, len(edges) // BLOCK)) if len(b)]
    means: dict[str, list[float]] = {name: [] for name in engines}
    singles: dict[str, list[np.ndarray]] = {name: [] for name in engines}
    for _ in range(rounds):
        for block in blocks:
            for name, engine in engines.items():
                took = engine.run(block)[1] / 1e3
                means[name].append(float(took.mean()))
                singles[name].append(took)
    return {
        name: EdgeTimes(
            edges=len(edges),
            block=float(np.median(means[name])),
            median=float(np.median(np.concatenate(singles[name]))),
            late=float(np.quantile(np.concatenate(singles[name]), 0.95)),
        )
        for name in engines
    }
