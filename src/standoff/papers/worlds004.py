"""The worlds of paper 004: spheres in a cube, with random bounded accelerations.

The paper gives their number, the length Δt of a step and the number of steps, and nothing else. Two
kinds of walls are told apart here.

`Bouncing`: an acceleration is drawn for each step, and a sphere that would leave the cube is
thrown back with a part of its speed. A wall turns it round in no time, which no bound on
acceleration allows. It is what the paper's counts ask for: by Table 2 a fifth of the pairs of 40
spheres cannot touch within 53.75 s. With A for the relative acceleration, such a pair separates at
A · 27 s, as |x| + v t > A t² / 2. A sphere of that pair that could stop before the wall, at A / 2,
would need some A · 180 s² of room. But of 10 spheres one pair in ten or twenty can touch within
2.23 s, so that it is aimed at within A · 2.5 s². No one cube is as large and as small as that.

`Braking`: a sphere that could not stop any more brakes instead, so that the bounds hold at all
times. It is the world for whatever is promised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from standoff.geometry.pose import Array


@dataclass(frozen=True)
class Cube:
    """What the paper leaves open, chosen so that its counts come out.

    Only ratios of lengths matter: the acceleration is the unit.

    Attributes:
        side: of the cube, [m].
        radius: of each sphere, [m].
        margin: how near they may come, [m].
        acceleration: the bound for each sphere, [m/s²]; each component is drawn evenly from within
            this over √3.
        speed: each component of the first velocity is drawn evenly from within this, [m/s].
        restitution: speed after a wall over speed before.
    """

    side: float = 15.0
    radius: float = 0.02
    margin: float = 0.01
    acceleration: float = 1.0
    speed: float = 2.0
    restitution: float = 0.72

    @property
    def component(self) -> float:
        """Bound on each component of an acceleration, [m/s²]."""
        return self.acceleration / math.sqrt(3.0)

    @property
    def contact(self) -> float:
        """Distance of two centres that counts as contact, [m]."""
        return 2.0 * self.radius + self.margin

    @property
    def fastest(self) -> float:
        """What no sphere that can stop before the walls exceeds, [m/s]: in each component v² / 2b
        is no more than the side."""
        return math.sqrt(3.0) * math.sqrt(2.0 * self.component * self.side)


class Bouncing:
    """``count`` spheres that walls throw back.

    Attributes:
        x, v: positions and velocities, (count, 3), [m] and [m/s].
    """

    def __init__(self, cube: Cube, count: int, rng: np.random.Generator) -> None:
        self.cube, self.rng = cube, rng
        shape = (count, 3)
        self.x: Array = rng.uniform(0.0, cube.side, shape)
        self.v: Array = rng.uniform(-cube.speed, cube.speed, shape)

    def advance(self, dt: float) -> None:
        """Go on for ``dt`` [s] with new accelerations. However many walls a sphere would meet on
        its way, it loses speed once."""
        side, b = self.cube.side, self.cube.component
        a = self.rng.uniform(-b, b, self.x.shape)
        x = self.x + dt * self.v + 0.5 * dt * dt * a
        v = self.v + dt * a
        crossed = np.floor(x / side)
        back = crossed % 2.0 == 1.0
        x = np.where(back, (crossed + 1.0) * side - x, x - crossed * side)
        self.x = np.clip(x, 0.0, side)
        self.v = np.where(crossed == 0.0, v, self.cube.restitution * np.where(back, -v, v))


class Braking:
    """``count`` spheres that stay in the cube by braking, and never break a bound; see
    `Bouncing`."""

    def __init__(self, cube: Cube, count: int, rng: np.random.Generator) -> None:
        self.cube, self.rng = cube, rng
        shape = (count, 3)
        self.x: Array = rng.uniform(0.0, cube.side, shape)
        # Slow enough to stop: v² <= 2 b times the way to the wall ahead.
        v = rng.uniform(-cube.speed, cube.speed, shape)
        ahead = np.where(v > 0.0, cube.side - self.x, self.x)
        most = np.sqrt(2.0 * cube.component * ahead)
        self.v: Array = np.clip(v, -most, most)
        self.a: Array = np.zeros(shape)

    def advance(self, dt: float, *, draw: bool = True) -> None:
        """Go on for ``dt`` [s] with new accelerations, or those of the last step, as long as each
        sphere can stop after it."""
        side, b = self.cube.side, self.cube.component
        if draw:
            self.a = self.rng.uniform(-b, b, self.x.shape)
        # Looked at along its motion, so that there is one wall ahead, at ``ahead``.
        sign = np.where(self.v >= 0.0, 1.0, -1.0)
        ahead = np.where(sign > 0.0, side - self.x, self.x)
        speed, push = np.abs(self.v), self.a * sign
        ending = speed + dt * push
        way = speed * dt + 0.5 * dt * dt * push
        # It turns on its way, where the end is no longer the farthest point.
        with np.errstate(divide="ignore", invalid="ignore"):
            farthest = np.where(ending < 0.0, -0.5 * speed * speed / push, way)
        behind = side - ahead + way
        room = np.where(ending < 0.0, behind, ahead - way)
        good = (farthest <= ahead) & (0.5 * ending * ending <= b * room) & (behind >= 0.0)
        # From where it could stop in time at the full b: stop, and stay for the rest of the step.
        stop = speed / b
        rest = stop < dt
        halt = np.where(rest, 0.5 * speed * stop, speed * dt - 0.5 * b * dt * dt)
        self.x = np.clip(self.x + sign * np.where(good, way, halt), 0.0, side)
        self.v = sign * np.where(good, ending, np.where(rest, 0.0, speed - b * dt))


World = Bouncing | Braking
