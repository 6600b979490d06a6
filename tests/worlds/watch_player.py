"""A watch that is played to: each call is a cycle, 10 ms after the last."""

import standoff as so
from standoff.streams.engine import WatchEngine
from standoff.streams.messages import BodyPose, Grasp
from standoff.streams.options import WatchOptions
from tests.worlds.watch_worlds import at, sliders

OPTIONS = WatchOptions(period=0.01, max_age=0.1)


class Player:
    """An engine whose time goes on by 10 ms with each cycle."""

    def __init__(self, cell, sources=("arm",), options=OPTIONS):
        self.cell, self.engine, self.time = cell, WatchEngine(cell, options, sources), 100.0

    def __call__(self, *inputs):
        """A cycle with what functions of the time make of it, from the first source or another."""
        self.time += 0.01
        pairs = [i if isinstance(i, tuple) else (0, i) for i in inputs]
        return self.engine.cycle(self.time, [(s, make(self.time)) for s, make in pairs])


def reading(x):
    return lambda t: at(t, a=x)


def pose(x, body="box", z=0.3, stamp=None):
    return lambda t: BodyPose(t if stamp is None else stamp, body, so.pose((x, 0.0, z)))


def grasp(body="box", link="a/hand", stamp=None, touch=()):
    return lambda t: Grasp(t if stamp is None else stamp, body, link, touch)


def with_box(moving=True, x=-1.9, robots=("a",), **more):
    """Robots that slide to a wall, and a box above the first of them."""
    cell = sliders(*robots)
    cell.add_body("box", so.Box((0.1, 0.1, 0.1)), so.pose((x, 0.0, 0.3)), moving=moving)
    return Player(cell, **more)
