"""How much of paper 003's experiments is run, and the clock over a step."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from standoff.contact import Body, Scene
from standoff.contact.features import Features
from standoff.geometry.pose import Array
from standoff.papers.kernels.contact_as_printed import COUNTS, printed_steps

K = TypeVar("K", bound=Hashable)

#: The paper's Table 1 has so many.
LEVELS = (0, 1, 2, 3, 4)


class Bench:
    """How much is run.

    Attributes:
        quick: fewer ways and rounds.
        ways, steps: on which one body is pushed into another, and steps on each.
        rounds: how often each time is taken.
        vertices: of the prisms of Figs. 4 and 5.
        hand: steps of the scripted hand.
        told: what was measured already, by name.
        tell: told what is under way, and how far it is: 0 to 1.
    """

    def __init__(self, *, quick: bool = False) -> None:
        self.quick = quick
        self.ways = 12 if quick else 80
        self.steps = 12
        self.rounds = 3 if quick else 12
        self.vertices: tuple[int, ...] = (8, 20, 40, 100) if quick else (8, 20, 40, 100, 200, 400)
        self.hand = 500 if quick else 4000
        self.told: dict[str, object] = {}
        self.tell: Callable[[str, float], None] = lambda what, part: None


class Pushes:
    """One body pushed into another that stands at the origin, way by way.

    The step's compiled call is timed, and not what leads to it from Python.
    """

    def __init__(self, still: Body, moved: Body, ways: Array) -> None:
        self.scene = Scene(continuous=False)
        self.scene.add("still", still, moving=False)
        self.scene.add("moved", moved)
        self.ways = ways
        self.contacts = 0
        for way in ways:
            self.scene.forget()
            for pose in way:
                # Once as anybody would: tables that are too short grow.
                self.contacts += len(self.scene.step({"moved": pose}))

    def run(self) -> Array:
        """The time of each step, (ways, steps), [µs]."""
        scene, clock = self.scene, time.perf_counter_ns
        times = np.empty(self.ways.shape[:2])
        for way, row in zip(self.ways, times):
            scene.forget()
            for k, pose in enumerate(way):
                scene._take({"moved": pose}, None)
                start = clock()
                scene._run()
                row[k] = clock() - start
        return times / 1e3


class Printed:
    """The same poses, both stages as printed; see `papers.kernels.contact_as_printed`."""

    def __init__(self, still: Body, moved: Body, ways: Array) -> None:
        self.scene = Scene(continuous=False)
        self.scene.add("moved", moved)
        self.scene.add("still", still)
        (a,), (b,) = moved.pieces, still.pieces
        assert isinstance(a, Features) and isinstance(b, Features)
        assert still.trees[0] is not None and moved.trees[0] is not None
        self._marks = tuple(
            np.zeros(size, dtype=np.int64)
            for size in (
                (len(a.vertices), len(b.planes)),
                (len(b.vertices), len(a.planes)),
                (len(a.edges), len(b.edges)),
            )
        )
        rows = max(len(still.trees[0]), len(moved.trees[0]))
        self._stack = np.zeros((rows, 2), dtype=np.int64)
        poses = ways.reshape(-1, 4, 4)
        place = poses[:, :3, 3] + poses[:, :3, :3] @ moved.centroid - still.centroid
        turn = poses[:, :3, :3]
        self._there = np.concatenate([turn.reshape(-1, 9), place], axis=1)
        back = turn.transpose(0, 2, 1)
        home = -np.einsum("kij,kj->ki", back, place)
        self._back = np.concatenate([back.reshape(-1, 9), home], axis=1)
        self.counts = np.zeros(COUNTS, dtype=np.int64)

    def run(self) -> Array:
        """The mean time of a step, (1,), [µs]; `counts` are of all steps."""
        address = self.scene._scene.address
        for marks in self._marks:
            marks[:] = 0
        self.counts[:] = 0
        start = time.perf_counter_ns()
        printed_steps(address, self._there, self._back, *self._marks, self._stack, self.counts)
        return np.array([(time.perf_counter_ns() - start) / 1e3 / len(self._there)])


class Clocked:
    """A scene whose steps are timed part by part."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def run(self, poses: Sequence[Mapping[str, Array]], dt: float) -> dict[str, Array]:
        """The parts of each step, [µs]: poses into the tables, the compiled call, results out."""
        scene, clock = self.scene, time.perf_counter_ns
        scene.step(poses[0])
        times = np.empty((len(poses), 3))
        for row, given in zip(times, poses):
            begin = clock()
            scene._take(given, None, dt)
            placed = clock()
            scene._run()
            done = clock()
            scene._result()
            row[:] = placed - begin, done - placed, clock() - done
        names = ("  poses into tables", "  compiled: both stages, forces", "  results out")
        return dict(zip(names, times.T / 1e3))


def lowest(runners: Mapping[K, Pushes | Printed], rounds: int) -> dict[K, float]:
    """Mean time of a step of each, [µs]; in turn, the lowest of all rounds of each step."""
    best: dict[K, Array] = {}
    for _ in range(rounds):
        for key, runner in runners.items():
            times = runner.run()
            best[key] = np.minimum(best[key], times) if key in best else times
    return {key: float(times.mean()) for key, times in best.items()}
