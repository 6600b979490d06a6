"""python-fcl: a dynamic AABB tree of the movers, against itself and against one of the boxes."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

import fcl
import numpy as np

from peers.engine import Pairs
from peers.scene import BUFFER, LENGTH, RADIUS, Scene

VERSION = f"python-fcl {version('python-fcl')}"


class Fcl:
    """Fattened movers, poses as arrays and excluded pairs left out of the answer later, as for
    Coal. A contact knows its geometries alone, so each object has one of its own."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        capsules = [fcl.Capsule(RADIUS + BUFFER, LENGTH) for _ in range(scene.count)]
        boxes = [fcl.Box(*size) for size in scene.sizes]
        self.movers, self.boxes = placed(capsules, scene.movers[0]), placed(boxes, scene.boxes)
        self.moving, self.standing = manager(self.movers), manager(self.boxes)
        self.number = {id(shape): i for i, shape in enumerate([*capsules, *boxes])}
        self.request = fcl.CollisionRequest(num_max_contacts=1_000_000, enable_contact=True)
        self.turns = np.ascontiguousarray(scene.movers[..., :3, :3])
        self.places = np.ascontiguousarray(scene.movers[..., :3, 3])

    def cycle(self, k: int) -> list[tuple[int, int, float]]:
        Transform = fcl.Transform
        for mover, turn, place in zip(self.movers, self.turns[k], self.places[k]):
            mover.setTransform(Transform(turn, place))
        self.moving.update()
        data = fcl.CollisionData(request=self.request)
        self.moving.collide(data, fcl.defaultCollisionCallback)
        if self.boxes:
            self.moving.collide(self.standing, data, fcl.defaultCollisionCallback)
        return [(id(c.o1), id(c.o2), c.penetration_depth) for c in data.result.contacts]

    def pairs(self, answer: list[tuple[int, int, float]]) -> Pairs:
        found: Pairs = {}
        for a, b, depth in answer:
            i, j = sorted((self.number[a], self.number[b]))
            if (i, j) not in self.scene.excluded:
                distance = self.scene.threshold(i, j) - depth
                found[i, j] = min(distance, found.get((i, j), np.inf))
        return found


def placed(shapes: list[fcl.CollisionGeometry], poses: np.ndarray) -> list[fcl.CollisionObject]:
    return [
        fcl.CollisionObject(shape, fcl.Transform(pose[:3, :3], pose[:3, 3]))
        for shape, pose in zip(shapes, poses)
    ]


def manager(objects: Iterable[fcl.CollisionObject]) -> fcl.DynamicAABBTreeCollisionManager:
    tree = fcl.DynamicAABBTreeCollisionManager()
    tree.registerObjects(list(objects))
    tree.setup()
    return tree
