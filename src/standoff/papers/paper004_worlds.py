"""The worlds of paper 004, and its algorithms as it prints them, to count with.

Its worlds are spheres in a cube, with random bounded accelerations. The paper gives their number,
the length Δt of a step and the number of steps, and nothing else. Two kinds of walls are told apart
here.

`Bouncing`: an acceleration is drawn for each step, and a sphere that would leave the cube is
thrown back with a part of its speed. A wall turns it round in no time, which no bound on
acceleration allows. It is what the paper's counts ask for, as docs/paper-004.md derives.

`Braking`: a sphere that could not stop any more brakes instead, so that the bounds hold at all
times. It is the world for whatever is promised.

`Printed` is its DUA to the letter. It differs from `so.Predictor` in the last bucket, which is as
large as the rule says and filled up with dummies: its pairs have their turn seldom, and in many
steps none has. There the last bucket is as large as what is left for it, so that each step looks at
a pair of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import standoff as so
from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.papers import toolkit


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


Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]

#: In the place of a pair.
DUMMY = -1


class Pairs:
    """All pairs of ``count`` spheres, by number; ``a`` and ``b`` are theirs."""

    def __init__(self, cube: Cube, count: int) -> None:
        self.cube = cube
        self.a, self.b = np.triu_indices(count, 1)

    def __len__(self) -> int:
        return len(self.a)

    def number(self, a: Numbers, b: Numbers) -> Numbers:
        """The numbers of pairs with a < b."""
        count = int(self.b[-1]) + 1
        number: Numbers = a * (2 * count - a - 1) // 2 + b - a - 1
        return number

    def gap(self, x: Array) -> Array:
        """How far all pairs are from contact, [m]; 0 or less: they touch."""
        gap: Array = np.linalg.norm(x[self.b] - x[self.a], axis=1) - self.cube.contact
        return gap

    def urgency(self, x: Array, v: Array, which: Numbers | None = None) -> Array:
        """τ of some pairs, or of all, [s]; infinity for dummies."""
        a, b = (self.a, self.b) if which is None else (self.a[which], self.b[which])
        most, near = 2.0 * self.cube.acceleration, self.cube.contact
        tau: Array = so.predict.urgency(x[b] - x[a], v[b] - v[a], most, margin=near)
        return tau if which is None else np.where(which == DUMMY, np.inf, tau)


class SelectAll:
    """Looks at all pairs in each step, and alarms what can touch within so many of its periods: in
    the paper one; two, if a step may take as long as a period itself.

    Attributes:
        marks: which pairs the last step alarmed.
        looks: pairs that it looked at.
    """

    def __init__(
        self, pairs: Pairs, period: float, periods: int = 1, *, by_distance: bool = False
    ) -> None:
        self.pairs, self.within, self.by_distance = pairs, periods * period, by_distance
        self.marks: Marks = np.zeros(len(pairs), dtype=bool)
        self.looks = len(pairs)

    def step(self, x: Array, v: Array) -> tuple[int, int]:
        """How many alarms there are, and how many of them are no repetitions."""
        if self.by_distance:
            tau = self.pairs.gap(x) / (2.0 * self.pairs.cube.fastest)
        else:
            tau = self.pairs.urgency(x, v)
        alarms = tau <= self.within
        new = alarms & ~self.marks
        self.marks = alarms
        return int(alarms.sum()), int(new.sum())


class Printed:
    """DUA; attributes beyond those of `SelectAll`:

    ``places``: the array of pairs, bucket after bucket.
    """

    def __init__(self, pairs: Pairs, period: float) -> None:
        self.pairs, self.period = pairs, period
        self.sizes = 2 ** np.arange(len(pairs).bit_length())
        self.places: Numbers = np.full(int(self.sizes.sum()), DUMMY)
        self.marks: Marks = np.zeros(len(pairs), dtype=bool)
        self.number = -1
        self.looks = 0

    def step(self, x: Array, v: Array) -> tuple[int, int]:
        """As that of `SelectAll`; the first one is the start, which looks at all pairs."""
        self.number += 1
        if self.number == 0:
            tau = self.pairs.urgency(x, v)
            chosen = np.argsort(tau, kind="stable")
            self.places[: len(tau)] = chosen
            wait = np.repeat(self.sizes, self.sizes)[: len(tau)]
            return self._alarm(chosen, tau[chosen], wait)
        turn = self.sizes - 1 + self.number % self.sizes  # (24)
        chosen = self.places[turn]
        tau = self.pairs.urgency(x, v, chosen)
        order = np.argsort(tau, kind="stable")
        self.places[turn] = chosen[order]
        return self._alarm(chosen[order], tau[order], self.sizes)

    def _alarm(self, chosen: Numbers, tau: Array, wait: Numbers) -> tuple[int, int]:
        real = chosen != DUMMY
        chosen, late = chosen[real], (tau <= (wait + 1) * self.period)[real]  # (26)
        new = late & ~self.marks[chosen]
        self.marks[chosen] = late
        self.looks = len(chosen)
        return int(late.sum()), int(new.sum())


SPHERES = (5, 10, 15, 20, 30, 40)
ITERATIONS = (25, 35, 50, 65, 75)

#: Δt of Table 2, [s]: of DUA and of select-all, each the time of its own step.
OWN_DUA = {5: 0.2, 10: 0.31, 15: 0.37, 20: 0.44, 30: 0.52, 40: 0.66}
OWN_ALL = {5: 0.48, 10: 2.23, 15: 5.33, 20: 10.12, 30: 25.31, 40: 53.75}


def buckets(count: int) -> int:
    """How many buckets the pairs of ``count`` spheres make, and so looks in a step of DUA."""
    return (count * (count - 1) // 2).bit_length()


class Bench(toolkit.Bench):
    """How much is run.

    Attributes:
        cube: what the paper leaves open.
        worlds: random worlds for each count.
        beliefs: random worlds for each number of iterations of Table 3; the paper has 10.
        readings: steps that are timed in one go.
    """

    def __init__(self, *, quick: bool = False) -> None:
        super().__init__(quick=quick, rounds=(5, 60))
        self.cube = Cube()
        self.worlds = 2 if quick else 20
        self.beliefs = 5 if quick else 100
        self.readings = 100 if quick else 400


#: The room that the live page shows: balls of 8 cm in a cube of 4 m, steered at up to 2 m/s².
ROOM = Cube(side=4.0, radius=0.04, margin=0.01, acceleration=2.0, speed=1.0)


def swarm(count: int, seed: int = 0) -> Braking:
    """Balls that fly about in the room of the live page, and keep within their bounds."""
    if count < 2:
        raise Error("too few for a swarm", element="count", value=count, allowed="2 or more")
    return Braking(ROOM, count, np.random.default_rng(seed))
