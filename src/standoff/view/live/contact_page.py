"""Paper 003's virtual scene on a page: the follower on a handle, contact arrows, the force."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from standoff.contact import Scene
from standoff.shapes.pose import Array
from standoff.shapes.shape import Shape
from standoff.view.live.camera import set_stage
from standoff.view.live.curves import Curve
from standoff.view.live.handles import Handle
from standoff.view.live.palette import ALARM, BRAND
from standoff.view.live.quaternions import quaternions
from standoff.view.live.sign import Sign, sign_html
from standoff.view.live.solid import solid
from standoff.view.live.ticking import TICK

if TYPE_CHECKING:
    import viser

    from standoff.contact.result import Contact, ContactStep

#: Colours of the obstacles and of the follower.
_COLOURS = ((140, 166, 217), (153, 199, 158), (230, 184, 128), (204, 158, 204), (219, 209, 133))
_HAND = (70, 78, 92)

#: How long the arrow of a contact is, and the arrow of a newton of the sum, [m].
_ARROW, _NEWTON = 0.09, 0.02

#: Steps of the scene in one tick: contact is felt at 400 a second.
_STEPS = 20

#: Plots are sent every so many ticks.
_SLOW = 4


class HandScene(Protocol):
    """Obstacles at their places, and a hand's way among them.

    Attributes:
        shapes: by name; the one without a place is the follower.
        places: poses of the obstacles, by name.
        duration: of the hand's tour, [s].
    """

    @property
    def shapes(self) -> Mapping[str, Shape]: ...
    @property
    def places(self) -> Mapping[str, Array]: ...
    @property
    def duration(self) -> float: ...
    def hand(self, time: float) -> Array:
        """The pose of the follower at a time of the tour."""
        ...


class ContactPage:
    """The scene with a hand in it: whoever drags the handle, and the tour of the paper until then.

    The scene is stepped on a straight way from where the follower was to where it is to be, so that
    it has a velocity, and with it damping and friction.
    """

    def __init__(self, server: viser.ViserServer, stage: HandScene, scene: Scene) -> None:
        self._server = server
        self.stage, self.scene = stage, scene
        (self._name,) = stage.shapes.keys() - stage.places.keys()
        set_stage(server, np.array([-0.5, -0.5, -0.12]), np.array([0.5, 0.5, 0.2]), ground=True)
        for k, (name, place) in enumerate(stage.places.items()):
            self._body(f"/obstacles/{name}", name, _COLOURS[k % len(_COLOURS)], place, 1.0)
            server.scene.add_label(
                f"/names/{name}", name, position=place[:3, 3] + (0.0, 0.0, 0.16),
                anchor="bottom-center",
            )  # fmt: skip
        self._time = 0.0
        self.pose = self.stage.hand(0.0)
        self._follower = self._body("/follower", self._name, _HAND, self.pose, 0.55)
        self._lock = threading.Lock()
        self._wanted = self.pose.copy()
        self._sign = Sign(server.gui, _sign(0, np.zeros(3), 0.0))
        self._tour = server.gui.add_checkbox("Tour of the paper", True)
        self._handle = Handle(server.scene, 0, self._name, 0.2, self._dragged)
        self._handle.visible = True
        server.gui.add_markdown("Drag the handle to push the follower into an obstacle.")
        self._force = Curve(server.gui, "force", "N", "#266ebe", 140)
        self._cost = Curve(server.gui, "step", "µs", "#b5651d", 120, log=True)
        self._arrows: list[viser.ArrowsHandle] = []
        self._ticks = 0
        self.last: ContactStep | None = None

    def step(self) -> ContactStep:
        """One tick."""
        if self._tour.value:
            self._time = (self._time + TICK) % self.stage.duration
            goal = self.stage.hand(self._time)
        else:
            with self._lock:
                goal = self._wanted.copy()
        start, spent = self.pose, 0.0
        found: ContactStep | None = None
        for k in range(1, _STEPS + 1):
            before, self.pose = self.pose, _between(start, goal, k / _STEPS)
            velocity = np.zeros(6)
            velocity[:3] = (self.pose[:3, 3] - before[:3, 3]) * (_STEPS / TICK)
            begun = time.perf_counter_ns()
            found = self.scene.step({self._name: self.pose}, {self._name: velocity})
            spent += (time.perf_counter_ns() - begun) / 1e3
        assert found is not None
        self.last = found
        self._show(found, spent / _STEPS)
        return found

    def fail(self, error: Exception) -> None:
        """A step failed."""
        self._sign.fail(error)

    def _show(self, step: ContactStep, spent: float) -> None:
        force = step.forces[self._name]
        with self._server.atomic():
            self._follower.wxyz = quaternions(self.pose[None, :3, :3])[0]
            self._follower.position = self.pose[:3, 3]
            self._draw(step.contacts, force)
        self._handle.follow(self.pose)
        self._sign.show(_sign(len(step), force, step.deepest))
        self._ticks += 1
        moment = self._ticks * TICK
        self._force.add(moment, float(np.linalg.norm(force)))
        if self._ticks > 1:  # the first includes the compiler's time, or the disk's
            self._cost.add(moment, spent)
        if self._ticks % _SLOW == 0:
            self._force.send()
            self._cost.send()

    def _draw(self, contacts: tuple[Contact, ...], force: Array) -> None:
        """An arrow for each contact, along its normal and on the follower, and one for the sum."""
        for old in self._arrows:
            old.remove()
        self._arrows = []
        if contacts:
            pushes = [c.normal if c.a == self._name else -c.normal for c in contacts]
            ends = [[c.point, c.point + _ARROW * n] for c, n in zip(contacts, pushes, strict=True)]
            self._arrows.append(self._arrow("/contacts", np.array(ends), ALARM, 0.003))
        if np.linalg.norm(force) > 0.0:
            middle = self.pose[:3, 3]
            ends = [[middle, middle + _NEWTON * force]]
            self._arrows.append(self._arrow("/force", np.array(ends), BRAND, 0.006))

    def _arrow(
        self, node: str, ends: Array, colour: tuple[int, int, int], radius: float
    ) -> viser.ArrowsHandle:
        return self._server.scene.add_arrows(
            node, ends, colour, shaft_radius=radius, head_radius=2.4 * radius,
            head_length=6.0 * radius,
        )  # fmt: skip

    def _body(
        self, node: str, name: str, colour: tuple[int, int, int], place: Array, opacity: float
    ) -> viser.MeshHandle:
        made = solid(self.stage.shapes[name])
        return self._server.scene.add_mesh_simple(
            node, made.vertices, made.faces, color=colour, flat_shading=made.flat,
            opacity=None if opacity == 1.0 else opacity, wxyz=quaternions(place[None, :3, :3])[0],
            position=place[:3, 3],
        )  # fmt: skip

    def _dragged(self, pose: Array) -> None:
        with self._lock:
            self._wanted = pose
        self._tour.value = False


def _between(start: Array, goal: Array, share: float) -> Array:
    """A pose on the way: straight, turned at the first step."""
    result = goal.copy()
    result[:3, 3] = start[:3, 3] + share * (goal[:3, 3] - start[:3, 3])
    return result


def _sign(contacts: int, force: Array, deepest: float) -> str:
    colour = "#c92a2a" if contacts else "#1d8a4a"
    size = float(np.linalg.norm(force))
    word = f"{contacts} contact{'s' * (contacts != 1)}" if contacts else "no contact"
    return sign_html(
        f'data-contacts="{contacts}"', colour,
        f'<div style="font-size:1.4em;font-weight:700">{word}</div>'
        f'<div style="font-size:0.9em">force on the follower: {size:.2f} N · '
        f"deepest: {1e3 * deepest:.2f} mm</div>",
    )  # fmt: skip
