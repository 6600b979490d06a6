"""The scenes of the monitor's benchmark: capsules that move, boxes that stand.

Lengths in metres, angles in radians. Capsules lie along z about their own origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RADIUS, LENGTH = 0.06, 0.27
#: What each mover is extended by; a box is not. So a pair counts from 0.015 with a box, and from
#: 0.03 between two movers.
BUFFER = 0.015

LINKS = 7
BASES = (-0.6, 0.6)
#: Cycles until the arms are back where they began; 10 s at 100 Hz.
ARM_LOOP = 1000
#: 21 boxes in a cube of 3 m; the cube grows with their number, the density stays.
FIRST_BOXES, FIRST_CUBE = 21, 3.0

#: A mover swings 0.3 m to either side of its middle, once in 200 cycles.
SWING, SWING_LOOP = 0.3, 200
#: The room each mover has, as the edge of a cube.
MOVER_ROOM = 0.6


@dataclass(frozen=True, eq=False)
class Scene:
    """Movers are numbered from 0 and boxes after them.

    Attributes:
        movers: poses (loop, m, 4, 4) of the capsules, cycle by cycle; the last leads to the first.
        joints: the joint angles (loop, 14) behind them; None where the capsules move freely.
        sizes, boxes: full extents (n, 3) and poses (n, 4, 4) of the boxes.
        excluded: pairs of movers that may touch.
    """

    name: str
    movers: np.ndarray
    joints: np.ndarray | None
    sizes: np.ndarray
    boxes: np.ndarray
    excluded: frozenset[tuple[int, int]]

    @property
    def loop(self) -> int:
        return len(self.movers)

    @property
    def count(self) -> int:
        """How many movers there are."""
        return self.movers.shape[1]

    def threshold(self, i: int, j: int) -> float:
        """The distance at which the pair counts."""
        return BUFFER * ((i < self.count) + (j < self.count))


def arms(boxes: int) -> Scene:
    """Two arms of seven capsules among boxes; links that share a joint may touch."""
    joints = arm_motion(np.random.default_rng(17))
    movers = np.concatenate(
        [arm_poses(joints[:, k * LINKS : (k + 1) * LINKS], x) for k, x in enumerate(BASES)], axis=1
    )
    sizes, poses = standing(boxes)
    pairs = ((k * LINKS + i, k * LINKS + i + 1) for k in range(2) for i in range(LINKS - 1))
    return Scene(f"{boxes:,} boxes", movers, joints, sizes, poses, frozenset(pairs))


def swinging(count: int) -> Scene:
    """Capsules that each swing along a line of their own, turned at random; none excluded."""
    rng = np.random.default_rng(count)
    edge = MOVER_ROOM * count ** (1 / 3)
    middle, line = rng.uniform(-edge / 2, edge / 2, (count, 3)), rng.normal(size=(count, 3))
    line /= np.linalg.norm(line, axis=1, keepdims=True)
    angle = 2 * np.pi * np.arange(SWING_LOOP)[:, None] / SWING_LOOP
    way = SWING * np.sin(angle + rng.uniform(0, 2 * np.pi, count))
    poses = np.tile(placed(rotations(rng, count), middle), (SWING_LOOP, 1, 1, 1))
    poses[..., :3, 3] += way[..., None] * line
    name = f"{count:,} movers"
    return Scene(name, poses, None, np.zeros((0, 3)), np.zeros((0, 4, 4)), frozenset())


def arm_motion(rng: np.random.Generator) -> np.ndarray:
    """Both arms raised and bent towards +y; each joint swings in a sine of its own phase, one to
    three times a loop, at no more than 0.95 rad/s and 100 Hz."""
    middle = np.tile([np.pi / 2, 0.6, 0.0, 0.8, 0.0, 0.6, 0.0], 2)
    times = rng.integers(1, 4, 2 * LINKS)
    phase = rng.uniform(0, 2 * np.pi, 2 * LINKS)
    swing = rng.uniform(0.25, 0.5, 2 * LINKS)
    turn = 2 * np.pi * np.arange(ARM_LOOP)[:, None] / ARM_LOOP
    return middle + swing * np.sin(times * turn + phase)


def arm_poses(angles: np.ndarray, base: float) -> np.ndarray:
    """Poses (n, 7, 4, 4) of an arm's capsules. The joints turn about z and y by turns; each
    capsule reaches from its joint to the next."""
    frame = np.tile(np.eye(4), (len(angles), 1, 1))
    frame[:, 0, 3] = base
    along, half = np.eye(4), np.eye(4)
    along[2, 3], half[2, 3] = LENGTH, LENGTH / 2
    found = []
    for j in range(LINKS):
        c, s = np.cos(angles[:, j]), np.sin(angles[:, j])
        turn = np.tile(np.eye(4), (len(angles), 1, 1))
        a, b = (0, 1) if j % 2 == 0 else (2, 0)
        turn[:, a, a], turn[:, a, b], turn[:, b, a], turn[:, b, b] = c, -s, s, c
        frame = frame @ turn
        found.append(frame @ half)
        frame = frame @ along
    return np.stack(found, axis=1)


def standing(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Boxes of 0.1 to 0.5 m, nested: a larger scene is the smaller one with a shell around it.

    So the arms have the same neighbours in all of them, and the scenes differ by what is far away.
    A box that would reach into the fixed first link of an arm is drawn again.
    """
    rng = np.random.default_rng(0)
    sizes, places, inner = np.zeros((0, 3)), np.zeros((0, 3)), 0.0
    for n in sorted({FIRST_BOXES, count} | {m for m in (100, 1000) if m < count}):
        outer = FIRST_CUBE * (n / FIRST_BOXES) ** (1 / 3)
        while len(places) < n:
            place, size = rng.uniform(-outer / 2, outer / 2, 3), rng.uniform(0.1, 0.5, 3)
            if np.abs(place).max() >= inner / 2 and clear_of_bases(place, size):
                places, sizes = np.vstack([places, place]), np.vstack([sizes, size])
        inner = outer
    return sizes, placed(rotations(np.random.default_rng(2), count), places)


def clear_of_bases(place: np.ndarray, size: np.ndarray) -> bool:
    """The box's bounding sphere stays away from the arms' first capsules."""
    for x in BASES:
        nearest = np.array([x, 0.0, np.clip(place[2], 0.0, LENGTH)])
        if np.linalg.norm(place - nearest) <= np.linalg.norm(size) / 2 + RADIUS + BUFFER:
            return False
    return True


def rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    """Rotations (count, 3, 3), uniform."""
    q = rng.normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def placed(turns: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Poses (n, 4, 4)."""
    poses = np.tile(np.eye(4), (len(places), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = turns, places
    return poses


SCENES = {
    **{f"boxes-{n}": (arms, n) for n in (21, 100, 1000, 10_000)},
    **{f"movers-{n}": (swinging, n) for n in (10, 100, 1000)},
}


def build(name: str) -> Scene:
    make, count = SCENES[name]
    return make(count)
