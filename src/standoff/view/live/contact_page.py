"""Paper 003's virtual scene on a page: the follower on a handle, contact arrows, the force."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from standoff.contact import Scene
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.view.live.camera import set_stage
from standoff.view.live.curves import Curve
from standoff.view.live.handles import Handle
from standoff.view.live.nodes import solid
from standoff.view.live.poses import between, quaternions, towards
from standoff.view.live.sign import Sign, sign_html
from standoff.view.live.style import ALARM, BRAND, Colour
from standoff.view.live.ticking import TICK

if TYPE_CHECKING:
    import viser

    from standoff.contact.result import Contact, ContactStep


class Arrows:
    """Arrows of one colour; ``radius`` is that of their shafts, [m].

    Attributes:
        ends: starts and tips of those that are shown, (n, 2, 3).
    """

    def __init__(self, scene: viser.SceneApi, node: str, colour: Colour, radius: float) -> None:
        self._scene, self._node, self._colour, self._radius = scene, node, colour, radius
        self._made: viser.ArrowsHandle | None = None
        self.ends: Array = np.zeros((0, 2, 3))

    def show(self, ends: Array) -> None:
        """These and no others."""
        self.ends = ends
        # Made anew where there were none: a page shows what was hidden a frame before it moves it,
        # so that hidden arrows would flash up where they were last.
        if not len(ends):
            if self._made is not None:
                self._made.remove()
            self._made = None
        elif self._made is not None:
            self._made.points = ends
        else:
            self._made = self._scene.add_arrows(
                self._node, ends, self._colour, shaft_radius=self._radius,
                head_radius=2.4 * self._radius, head_length=6.0 * self._radius,
            )  # fmt: skip


#: Colours of the obstacles and of the follower.
_COLOURS = ((140, 166, 217), (153, 199, 158), (230, 184, 128), (204, 158, 204), (219, 209, 133))
_HAND = (128, 138, 156)

#: Corners of what is looked at, [m]: the obstacles, and room on the side that the panel covers.
_LOW, _HIGH = np.array([-0.37, -0.32, -0.12]), np.array([0.63, 0.68, 0.2])

#: How long the arrow of a contact is, the arrow of a newton of the sum, and the longest of these,
#: [m]: the scene is a metre wide, and a hand may push with hundreds of newtons.
_ARROW, _NEWTON, _LONGEST = 0.11, 0.02, 0.3

#: How much of what is behind the follower and what it touches they hide: arrows are within.
_GLASS = 0.36

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
    it has a velocity, and with it damping and friction. Whoever asks, it goes no faster than a hand
    does; the tour waits for it where it was left.
    """

    def __init__(self, server: viser.ViserServer, stage: HandScene, scene: Scene) -> None:
        self._server = server
        self.stage, self.scene = stage, scene
        (self._name,) = stage.shapes.keys() - stage.places.keys()
        set_stage(server, _LOW, _HIGH, ground=True)
        self._obstacles = {}
        for k, (name, place) in enumerate(stage.places.items()):
            colour = _COLOURS[k % len(_COLOURS)]
            self._obstacles[name] = self._body(f"/obstacles/{name}", name, colour, place)
            server.scene.add_label(
                f"/names/{name}", name, position=place[:3, 3] + (0.0, 0.0, 0.16),
                anchor="bottom-center",
            )  # fmt: skip
        self._time = 0.0
        self.pose = self.stage.hand(0.0)
        self._follower = self._body("/follower", self._name, _HAND, self.pose)
        self._follower.opacity = _GLASS
        self._lock = threading.Lock()
        self._wanted = self.pose.copy()
        self._sign = Sign(server.gui, _sign(0, np.zeros(3), 0.0))
        self._tour = server.gui.add_checkbox("Tour of the paper", True)
        self._handle = Handle(server.scene, 0, self._name, 0.2, self._dragged)
        self._handle.visible = True
        server.gui.add_markdown("Drag the handle to push the follower into an obstacle.")
        self._force = Curve(server.gui, "force", "N", "#266ebe", 140)
        self._cost = Curve(server.gui, "step", "µs", "#b5651d", 120, log=True)
        self._pushes = Arrows(server.scene, "/contacts", ALARM, 0.005)
        self._sum = Arrows(server.scene, "/force", BRAND, 0.008)
        self._newtons = server.scene.add_label(
            "/newtons", "", anchor="bottom-center", visible=False, font_screen_scale=1.1
        )
        self._ticks = 0
        self.last: ContactStep | None = None

    def step(self) -> ContactStep:
        """One tick."""
        start, goal, spent = self.pose, self._next(), 0.0
        found: ContactStep | None = None
        touched = False
        for k in range(1, _STEPS + 1):
            self.pose = between(start, goal, k / _STEPS)
            begun = time.perf_counter_ns()
            found = self.scene.step({self._name: self.pose}, dt=TICK / _STEPS)
            spent += (time.perf_counter_ns() - begun) / 1e3
            touched = touched or len(found) > 0 or bool(found.passed)
        assert found is not None
        self.last = found
        self._show(found, touched, spent / _STEPS)
        return found

    def _next(self) -> Array:
        """Where the follower is at the end of this tick."""
        with self._lock:
            if not self._tour.value:
                return towards(self.pose, self._wanted, TICK)
            ahead = (self._time + TICK) % self.stage.duration
            goal = self.stage.hand(ahead)
            reached = towards(self.pose, goal, TICK)
            if np.array_equal(reached, goal):
                self._time = ahead
            self._wanted = reached.copy()  # who ends the tour finds the follower where it is
            return reached

    def fail(self, error: Exception) -> None:
        """A step failed."""
        self._sign.fail(error)

    def _show(self, step: ContactStep, touched: bool, spent: float) -> None:
        force = step.forces[self._name]
        with self._server.atomic():
            self._follower.wxyz = quaternions(self.pose[None, :3, :3])[0]
            self._follower.position = self.pose[:3, 3]
            self._draw(step.contacts, force)
        self._handle.follow(self.pose)
        self._sign.show(_sign(len(step), force, step.deepest, touched))
        self._ticks += 1
        moment = self._ticks * TICK
        self._force.add(moment, float(np.linalg.norm(force)))
        if self._ticks > 1:  # the first includes the compiler's time, or the disk's
            self._cost.add(moment, spent)
        if self._ticks % _SLOW == 0:
            self._force.send()
            self._cost.send()

    def _draw(self, contacts: tuple[Contact, ...], force: Array) -> None:
        """An arrow for each contact, from the obstacle's surface along the normal on the follower,
        and one for the sum with its size. What is touched is seen through, as contacts may be
        behind it."""
        touched = {name for c in contacts for name in (c.a, c.b)}
        for name, mesh in self._obstacles.items():
            opacity = _GLASS if name in touched else None
            if mesh.opacity != opacity:
                mesh.opacity = opacity
        arrows = [push_arrow(c, self._name) for c in contacts]
        self._pushes.show(np.array(arrows).reshape(-1, 2, 3))
        size = float(np.linalg.norm(force))
        self._newtons.visible = size > 0.0
        if size > 0.0:
            middle = self.pose[:3, 3]
            tip = middle + force * min(_NEWTON, _LONGEST / size)
            self._sum.show(np.array([[middle, tip]]))
            self._newtons.position = tip
            self._newtons.text = f"{size:.1f} N" if size < 100.0 else f"{size:.0f} N"
        else:
            self._sum.show(np.zeros((0, 2, 3)))

    def _body(
        self, node: str, name: str, colour: tuple[int, int, int], place: Array
    ) -> viser.MeshHandle:
        made = solid(self.stage.shapes[name])
        return self._server.scene.add_mesh_simple(
            node, made.vertices, made.faces, color=colour, flat_shading=made.flat,
            wxyz=quaternions(place[None, :3, :3])[0], position=place[:3, 3],
        )  # fmt: skip

    def _dragged(self, pose: Array) -> None:
        with self._lock:
            self._wanted = pose
            self._tour.value = False


def push_arrow(contact: Contact, follower: str) -> tuple[Array, Array]:
    """Start and tip of what shows that a contact pushes the follower."""
    push = contact.normal if contact.a == follower else -contact.normal
    # The point is half way between the features: half the depth on is the obstacle's surface.
    start = contact.point + 0.5 * contact.depth * push
    return start, start + _ARROW * push


def _sign(contacts: int, force: Array, deepest: float, touched: bool = False) -> str:
    """``touched``: there was a contact since the last picture, however short."""
    colour = "#c92a2a" if contacts or touched else "#1d8a4a"
    size = float(np.linalg.norm(force))
    word = "touched and apart again" if touched else "no contact"
    if contacts:
        word = f"{contacts} contact{'s' * (contacts != 1)}"
    return sign_html(
        f'data-contacts="{contacts}"', colour,
        f'<div style="font-size:1.4em;font-weight:700">{word}</div>'
        f'<div style="font-size:0.9em">force on the follower: {size:.2f} N · '
        f"deepest: {1e3 * deepest:.2f} mm</div>",
    )  # fmt: skip
