"""Numbers of paper 004, and how much of its experiments is run."""

from __future__ import annotations

from collections.abc import Callable

from standoff.papers.worlds004 import Cube

SPHERES = (5, 10, 15, 20, 30, 40)
ITERATIONS = (25, 35, 50, 65, 75)

#: Δt of Table 2, [s]: of DUA and of select-all, each the time of its own step.
OWN_DUA = {5: 0.2, 10: 0.31, 15: 0.37, 20: 0.44, 30: 0.52, 40: 0.66}
OWN_ALL = {5: 0.48, 10: 2.23, 15: 5.33, 20: 10.12, 30: 25.31, 40: 53.75}


def buckets(count: int) -> int:
    """How many buckets the pairs of ``count`` spheres make, and so looks in a step of DUA."""
    return (count * (count - 1) // 2).bit_length()


class Bench:
    """How much is run.

    Attributes:
        quick: fewer worlds and rounds.
        cube: what the paper leaves open.
        worlds: random worlds for each count.
        beliefs: random worlds for each number of iterations of Table 3; the paper has 10.
        rounds: how often each time is taken.
        readings: steps that are timed in one go.
        steps: times of steps that were taken, by number of spheres and way, [µs].
        tell: told what is under way, and how far it is: 0 to 1.
    """

    def __init__(self, *, quick: bool = False) -> None:
        self.quick = quick
        self.cube = Cube()
        self.worlds = 2 if quick else 20
        self.beliefs = 5 if quick else 100
        self.rounds = 5 if quick else 60
        self.readings = 100 if quick else 400
        self.steps: dict[int, dict[str, float]] = {}
        self.tell: Callable[[str, float], None] = lambda what, part: None
