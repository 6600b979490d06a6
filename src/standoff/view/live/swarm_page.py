"""A swarm on a page, coloured by urgency: how soon each ball can touch another."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Protocol

import numpy as np

from standoff.geometry.pose import Array
from standoff.geometry.primitives import Sphere
from standoff.predict.pair_bounds import urgency
from standoff.predict.predictor import Predictor
from standoff.view.live.camera import set_stage
from standoff.view.live.curves import Curve
from standoff.view.live.nodes import solid
from standoff.view.live.octree_cells import edges
from standoff.view.live.sign import Sign, sign_html
from standoff.view.live.style import AMBER, STATES, ramp
from standoff.view.live.ticking import TICK

if TYPE_CHECKING:
    import viser


#: From calm to urgent, [s]: redder is sooner.
CALM, URGENT = 1.0, 0.05

#: Steps of the predictor in a tick.
_STEPS = 5

#: Plots are sent every so many ticks.
_SLOW = 4


class Cube(Protocol):
    """A cube with balls in it, all alike; [m], [m/s²]. ``contact``: distance of two centres that
    counts as contact."""

    @property
    def side(self) -> float: ...
    @property
    def radius(self) -> float: ...
    @property
    def margin(self) -> float: ...
    @property
    def acceleration(self) -> float: ...
    @property
    def contact(self) -> float: ...


class Swarm(Protocol):
    """Balls at ``x`` with velocities ``v``, (n, 3), that fly on."""

    x: Array
    v: Array

    @property
    def cube(self) -> Cube: ...
    def advance(self, dt: float, *, draw: bool = True) -> None:
        """Go on for ``dt`` [s], with new accelerations where ``draw``."""
        ...


def urgencies(cube: Cube, x: Array, v: Array) -> Array:
    """For each ball the earliest time at which it can touch another, [s]."""
    a, b = np.triu_indices(len(x), 1)
    tau = urgency(x[a] - x[b], v[a] - v[b], 2.0 * cube.acceleration, margin=cube.contact)
    least = np.full(len(x), np.inf)
    np.minimum.at(least, a, tau)
    np.minimum.at(least, b, tau)
    return least


def urgency_colours(tau: Array) -> np.ndarray:
    """(n, 3): blue from CALM on, red from URGENT down, evenly in the logarithm of time."""
    share = np.log(np.maximum(tau, URGENT) / CALM) / np.log(URGENT / CALM)
    return ramp(share)


class SwarmPage:
    """Balls that fly about, and a predictor that watches them.

    Attributes:
        steps: of the predictor, up to now.
        alarms: the most pairs that a step of the last tick alarmed.
        keeping_up: whether all steps of the last tick kept their promise.
    """

    def __init__(self, server: viser.ViserServer, world: Swarm) -> None:
        self._server, self.world = server, world
        room, count = world.cube, len(world.x)
        period = TICK / _STEPS
        bounds = np.full(count, room.acceleration)
        self.predictor = Predictor(
            np.full(count, room.radius), bounds, margin=room.margin, period=period
        )
        side = room.side
        set_stage(server, np.zeros(3), np.full(3, side), ground=True)
        server.scene.add_line_segments(
            "/room", edges(np.array([[0.0, 0.0, 0.0, side, side, side]])), (150, 156, 166),
            thickness=1.5, thickness_units="screen",
        )  # fmt: skip
        ball = solid(Sphere(room.radius))
        still = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        self._balls = server.scene.add_batched_meshes_simple(
            "/swarm", ball.vertices, ball.faces, still, self.world.x, lod="off",
            batched_colors=np.zeros((count, 3), dtype=np.uint8), cast_shadow=False,
        )  # fmt: skip
        self._sign = Sign(server.gui, _sign(0, math.inf, False))
        server.gui.add_html(_legend())
        self._running = server.gui.add_checkbox("Running", True)
        self._soonest = Curve(server.gui, "soonest contact", "ms", "#266ebe", 140)
        self._tests = Curve(server.gui, "pairs looked at a step", "-", "#1d8a4a", 120)
        self._spent = Curve(server.gui, "step", "µs", "#b5651d", 120, log=True)
        self.steps = 0
        self.alarms = 0
        self.keeping_up = False

    def fail(self, error: Exception) -> None:
        """A step failed."""
        self._sign.fail(error)

    def step(self) -> None:
        """One tick."""
        if not self._running.value:
            self._sign.renew()
            return
        spent = tests = 0.0
        alarms, keeping_up = 0, True
        dt = TICK / _STEPS
        for _ in range(_STEPS):
            # A new will every tick, so that flight is smooth to the eye.
            self.world.advance(dt, draw=self.steps % (4 * _STEPS) == 0)
            begun = time.perf_counter_ns()
            found = self.predictor.step(self.world.x, self.world.v, time=self.steps * dt)
            spent += (time.perf_counter_ns() - begun) / 1e3
            tests += found.tests
            alarms, keeping_up = max(alarms, found.count), keeping_up and found.keeping_up
            self.steps += 1
        self.alarms, self.keeping_up = alarms, keeping_up
        tau = urgencies(self.world.cube, self.world.x, self.world.v)
        with self._server.atomic():
            self._balls.batched_positions = self.world.x
            self._balls.batched_colors = urgency_colours(tau)
        soonest = float(tau.min())
        self._sign.show(_sign(alarms, soonest, keeping_up))
        moment = self.steps * dt
        self._soonest.add(moment, 1e3 * soonest)
        if self.steps > _STEPS:  # the first includes the compiler's time, or the disk's
            self._tests.add(moment, tests / _STEPS)
            self._spent.add(moment, spent / _STEPS)
        if self.steps // _STEPS % _SLOW == 0:
            for curve in (self._soonest, self._tests, self._spent):
                curve.send()


def _sign(alarms: int, soonest: float, keeping_up: bool) -> str:
    # A predictor that does not keep up has pairs that it did not look at in time.
    colour = STATES["WARNING"] if alarms else STATES["SAFE"] if keeping_up else AMBER
    word = f"{alarms} pair{'s' * (alarms != 1)} alarmed" if alarms else "no pair alarmed"
    promise = "keeping up" if keeping_up else "not keeping up"
    soon = f"{1e3 * soonest:.0f} ms" if math.isfinite(soonest) else "–"
    return sign_html(
        f'data-alarms="{alarms}" data-keeping="{int(keeping_up)}"', colour,
        f'<div style="font-size:1.4em;font-weight:700">{word}</div><div style="font-size:0.9em">'
        f"soonest possible contact: {soon} · {promise}</div>",
    )  # fmt: skip


def _legend() -> str:
    stops = ", ".join("rgb({},{},{})".format(*c) for c in ramp(np.linspace(0.0, 1.0, 6)).tolist())
    return (
        '<div style="margin:0.4em 0.8em;font-size:0.8em;color:#556">'
        f'<div style="height:0.8em;border-radius:3px;background:linear-gradient(90deg,{stops})">'
        f'</div><div style="display:flex;justify-content:space-between"><span>{CALM:g} s or more'
        f"</span><span>can touch within</span><span>{1e3 * URGENT:g} ms</span></div></div>"
    )
