"""Do the engines report the same pairs? Compared with every pair tried, at the exact distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import standoff as so
from peers.engine import Engine, Pairs
from peers.scene import BUFFER, LENGTH, RADIUS, Scene

#: Pairs nearer to their threshold than this, in metres, may fall on either side of it.
TIE = 1e-6


@dataclass
class Agreement:
    """Over the cycles compared: pairs that count, pairs an engine missed, pairs it reported that
    do not count, and how far its distance was off at worst where the shapes do not overlap, [m]."""

    cycles: int = 0
    pairs: int = 0
    missed: int = 0
    false: int = 0
    off: float = 0.0

    def add(self, scene: Scene, truth: Pairs, answer: Pairs) -> None:
        self.cycles += 1
        for pair, distance in truth.items():
            counts = distance <= scene.threshold(*pair) - TIE
            self.pairs += counts
            self.missed += counts and pair not in answer
            if pair in answer and distance > 0.0:
                self.off = max(self.off, abs(answer[pair] - distance))
        self.false += sum(pair not in truth for pair in answer)


def compare(scene: Scene, engines: Mapping[str, Engine]) -> dict[str, Agreement]:
    """Take all engines once round the scene's loop. They are compared at every cycle; where there
    are many movers, and so many pairs to try, at every so many cycles."""
    truth = Truth(scene)
    every = max(1, scene.count // 50)
    found = {name: Agreement() for name in engines}
    for k in range(scene.loop):
        near = truth.near(k) if k % every == 0 else None
        for name, engine in engines.items():
            answer = engine.cycle(k)
            if near is not None:
                found[name].add(scene, near, engine.pairs(answer))
    return found


class Truth:
    """All pairs by brute force: bounding spheres first, then `so.distance`."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.shapes: list[so.Shape] = [so.Capsule(RADIUS, LENGTH)] * scene.count
        self.shapes += [so.Box(size) for size in scene.sizes]
        capsules = np.full(scene.count, RADIUS + LENGTH / 2)
        self.reach = np.concatenate([capsules, np.linalg.norm(scene.sizes, axis=1) / 2])

    def near(self, k: int) -> Pairs:
        """Distances of all watched pairs within their threshold, and a tie's width beyond."""
        scene, shapes, reach = self.scene, self.shapes, self.reach
        poses = np.concatenate([scene.movers[k], scene.boxes])
        found = {}
        for i in range(scene.count):
            away = np.linalg.norm(poses[i + 1 :, :3, 3] - poses[i, :3, 3], axis=1)
            close = away <= reach[i] + reach[i + 1 :] + 2 * BUFFER + TIE
            for j in (np.flatnonzero(close) + i + 1).tolist():
                if (i, j) not in scene.excluded:
                    value = so.distance(shapes[i], poses[i], shapes[j], poses[j]).distance
                    if value <= scene.threshold(i, j) + TIE:
                        found[i, j] = value
        return found
