"""Coal: a dynamic AABB tree of the movers, against itself and against one of the boxes."""

from __future__ import annotations

from collections.abc import Iterable

import coal
import numpy as np

from peers.engine import Pairs
from peers.scene import BUFFER, LENGTH, RADIUS, Scene

VERSION = f"Coal {coal.__version__}"


class Coal:
    """The movers are fattened by the buffer: a security margin does not reach the broad phase.

    Poses come as arrays, so forward kinematics costs Coal nothing. Its callback knows no excluded
    pairs and cannot be replaced from Python: they are tested, and left out of the answer later.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.movers = [
            coal.CollisionObject(coal.Capsule(RADIUS + BUFFER, LENGTH), transform(pose))
            for pose in scene.movers[0]
        ]
        self.boxes = [
            coal.CollisionObject(coal.Box(*size), transform(pose))
            for size, pose in zip(scene.sizes, scene.boxes)
        ]
        self.moving, self.standing = manager(self.movers), manager(self.boxes)
        # A contact knows its geometries alone, so each object has one of its own.
        everything = [*self.movers, *self.boxes]
        self.number = {o.collisionGeometry().id(): i for i, o in enumerate(everything)}
        self.turns = np.ascontiguousarray(scene.movers[..., :3, :3])
        self.places = np.ascontiguousarray(scene.movers[..., :3, 3])

    def cycle(self, k: int) -> list[tuple[int, int, float]]:
        Transform = coal.Transform3s
        for mover, turn, place in zip(self.movers, self.turns[k], self.places[k]):
            mover.setTransform(Transform(turn, place))
            mover.computeAABB()
        return self.near()

    def near(self) -> list[tuple[int, int, float]]:
        self.moving.update()
        # A manager's `collide` empties the callback it is given: each has one of its own.
        callback = fresh_callback()
        self.moving.collide(callback)
        found = contacts(callback)
        if self.boxes:
            callback = fresh_callback()
            self.moving.collide(self.standing, callback)
            found += contacts(callback)
        return found

    def pairs(self, answer: list[tuple[int, int, float]]) -> Pairs:
        found: Pairs = {}
        for a, b, fattened in answer:
            i, j = sorted((self.number[a], self.number[b]))
            if (i, j) not in self.scene.excluded:
                distance = fattened + self.scene.threshold(i, j)
                found[i, j] = min(distance, found.get((i, j), np.inf))
        return found


class ReadyCoal(Coal):
    """Coal with its transforms made before the clock starts: the least that setting poses costs."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.steps = [[transform(pose) for pose in poses] for poses in scene.movers]

    def cycle(self, k: int) -> list[tuple[int, int, float]]:
        for mover, at in zip(self.movers, self.steps[k]):
            mover.setTransform(at)
            mover.computeAABB()
        return self.near()


def fresh_callback() -> coal.CollisionCallBackDefault:
    callback = coal.CollisionCallBackDefault()
    callback.data.request.num_max_contacts = 1_000_000
    callback.init()
    return callback


def contacts(callback: coal.CollisionCallBackDefault) -> list[tuple[int, int, float]]:
    return [
        (contact.o1.id(), contact.o2.id(), contact.penetration_depth)
        for contact in callback.data.result.getContacts()
    ]


def transform(pose: np.ndarray) -> coal.Transform3s:
    return coal.Transform3s(np.array(pose[:3, :3]), np.array(pose[:3, 3]))


def manager(objects: Iterable[coal.CollisionObject]) -> coal.DynamicAABBTreeCollisionManager:
    tree = coal.DynamicAABBTreeCollisionManager()
    for item in objects:
        item.computeAABB()
        tree.registerObject(item)
    tree.setup()
    return tree
