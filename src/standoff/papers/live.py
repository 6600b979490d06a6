"""Worlds of the papers, as the live page shows them: `standoff view contact` and `swarm`."""

from __future__ import annotations

import numpy as np

from standoff.contact import Scene
from standoff.errors import Error
from standoff.papers.scene003 import Stage, scene, stage
from standoff.papers.worlds004 import Braking, Cube

#: The room of the swarm: balls of 8 cm in a cube of 4 m, steered at up to 2 m/s².
ROOM = Cube(side=4.0, radius=0.04, margin=0.01, acceleration=2.0, speed=1.0)


def hand_scene() -> tuple[Stage, Scene]:
    """Paper 003's virtual scene, and where everything is in it."""
    where = stage()
    return where, scene(where)


def swarm(count: int, seed: int = 0) -> Braking:
    """Balls that fly about, as in paper 004, and keep within their bounds."""
    if count < 2:
        raise Error("too few for a swarm", element="count", value=count, allowed="2 or more")
    return Braking(ROOM, count, np.random.default_rng(seed))
