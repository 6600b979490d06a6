"""Where moving bodies are, from whom that is known, and since when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array, as_pose
from standoff.geometry.shape import Shape
from standoff.streams.faults import Found
from standoff.streams.mapping import IGNORED
from standoff.streams.messages import BodyPose
from standoff.streams.publishers import Clock, Subject, of_source

if TYPE_CHECKING:
    from standoff.streams.received import Received


@dataclass(slots=True)
class _Body:
    """Attributes:
    given: the pose as it came; good: the last that is a rigid motion.
    deadlines: of all who publish it, when each has been silent for too long, [s].
    left: whether a link has left it there, and no pose of it was received since.
    """

    given: Array
    good: Array
    deadlines: dict[Clock, float]
    left: bool = False


class MovingBodies:
    """The poses of the bodies of a cell that move by themselves, and of those that links hold.

    Attributes:
        revision: of the cell, when its moving bodies were looked at last.
    """

    def __init__(self, cell: Cell, received: Received) -> None:
        self._cell, self._received = cell, received
        self._bodies: dict[str, _Body] = {}
        self._moving: tuple[str, ...] = ()
        self.revision = -1

    def __contains__(self, body: str) -> bool:
        """Whether a pose of it is known."""
        return body in self._bodies

    def start(self) -> None:
        """A cycle begins: what was no pose in the last is the last good one again."""
        for body in self._bodies.values():
            body.given = body.good

    def take(self, now: float, source: int, message: BodyPose, found: Found) -> None:
        """A pose; those of bodies that are not in the cell are noted, and do not matter."""
        received = self._received
        name, whole = received.sources[source], {of_source(source)}
        if message.pose.shape != (4, 4):
            found.add("garbled", name, f"{name}: a pose is not 4 x 4", whole)
            return
        mapping = received.publishers[source].mapping
        problem = mapping.body_problem(message.body)
        if problem:
            found.add("names", name, f"{name}: {problem}", whole)
            return
        message = mapping.body(message)
        body = message.body
        known = self._cell.bodies.get(body)
        if known is None:
            received.valid.add(source)
            if body != IGNORED:
                received.publishers[source].note_unknown(body)
            return
        clock = received.publishers[source].clock("pose", body, received.options.age_of(body))
        if known.attachment is not None:
            self._take_held(now, clock, known.attachment.link, message, found)
            return
        if body not in self.moving:
            text = f"{body}: {name} moves it, and the cell has it as static; allowed: moving = true"
            found.add("pose", body, text, {body})
            return
        self._take_moving(now, clock, message, found)

    def _take_moving(self, now: float, clock: Clock, message: BodyPose, found: Found) -> None:
        """The pose of a body that moves by itself."""
        received = self._received
        body, name = message.body, received.sources[clock.source]
        others = [other for other in received.updated if body in other.subjects]
        before = self._bodies.get(body)
        same = before is not None and np.array_equal(before.given, message.pose)
        if clock in others or (others and not same):
            found.add("doubled", name, f"{name}: two poses of {body} at one time", clock.subjects)
            return
        if not received.timely(now, clock, message.stamp, found):
            return
        clock.beat(now)
        try:
            good = as_pose(message.pose, body)
        except Error as error:
            # The monitor says so, too, once everything has been received.
            found.add("pose", body, str(error), clock.subjects)
            if before is not None:
                before.given = message.pose
        else:
            until = {} if before is None or before.left else before.deadlines
            until[clock] = now + clock.age
            self._bodies[body] = _Body(message.pose, good, until)
        received.useful(clock.source)
        received.updated.append(clock)

    def _take_held(
        self, now: float, clock: Clock, link: str, message: BodyPose, found: Found
    ) -> None:
        """A body is where its link has it, and needs no poses; but if one comes, and is said to be
        elsewhere, it may have slipped. Where the link is has to be known for that."""
        received, body = self._received, message.body
        name = received.sources[clock.source]
        if clock in received.updated:
            found.add("doubled", name, f"{name}: two poses of {body} at one time", clock.subjects)
            return
        if not received.timely(now, clock, message.stamp, found):
            return
        received.useful(clock.source)
        try:
            pose = as_pose(message.pose, body)
        except Error as error:
            found.add("pose", body, str(error), clock.subjects)
            return
        if not (received.knows(link) and received.fresh(link, now)):
            return
        off = _apart(self._cell.bodies[body].shape, pose, self._cell.pose(body, received.q))
        if off > received.options.slip:
            text = (
                f"{body}: {name} has it {off:.3f} m from where {link} holds it; "
                f"allowed: {received.options.slip:g} m"
            )
            found.add("pose", body, text, clock.subjects)
        received.updated.append(clock)

    def fresh(self, body: str, now: float) -> bool:
        """Whether a recent pose of a moving body is known."""
        known = self._bodies.get(body)
        return known is not None and max(known.deadlines.values()) > now

    def missing(self) -> set[str]:
        """Moving bodies without a pose so far."""
        return {name for name in self.moving if name not in self._bodies}

    def taken_up(self, body: str) -> None:
        """A link carries it: where it was does not count any more."""
        self._bodies.pop(body, None)

    def let_go(self, now: float, source: int, body: str) -> None:
        """It is where the link left it, until a pose of it comes."""
        if body in self.moving:
            clock = self._received.publishers[source].clock(
                "pose", body, self._received.options.age_of(body)
            )
            here = self._cell.pose(body)
            self._bodies[body] = _Body(here, here, {clock: now + clock.age}, left=True)

    @property
    def moving(self) -> tuple[str, ...]:
        """The moving bodies whose poses are given."""
        if self._cell.revision != self.revision:
            self._moving, self.revision = self._cell.moving, self._cell.revision
        return self._moving

    def poses(self) -> Array | None:
        """Of all moving bodies."""
        if not self.moving:
            return None
        return np.array([self._bodies[name].given for name in self._moving], dtype=np.float64)

    def good_poses(self) -> dict[str, Array]:
        """Of all moving bodies with a pose, the last that was a rigid motion."""
        return {name: self._bodies[name].good for name in self.moving if name in self._bodies}

    def published(self) -> Iterator[tuple[str, Clock, float]]:
        """Each moving body with its publishers, and when each has been silent for too long."""
        for name in self.moving:
            if name in self._bodies:
                for clock, until in self._bodies[name].deadlines.items():
                    yield name, clock, until

    def deadlines(self) -> list[float]:
        """When each publisher of a moving body will have been silent for too long."""
        return [until for _, _, until in self.published()]

    def published_by(self, source: int) -> set[Subject]:
        """Those that a source has to go on publishing; of what a link has left nobody has to."""
        bodies = self._bodies
        own = (name for name, clock, _ in self.published() if clock.source == source)
        return {name for name in own if not bodies[name].left}

    def back_to(self, now: float) -> None:
        """The clock ran back: nothing was received later than now."""
        for body in self._bodies.values():
            body.deadlines = {c: min(until, now + c.age) for c, until in body.deadlines.items()}


def _apart(shape: Shape, a: Array, b: Array) -> float:
    """How far a corner of the box around a shape is from itself at two poses, at most, [m]."""
    low, high = shape.bounds()
    corners = np.array([[x, y, z, 1.0] for x, y, z in product(*zip(low, high))])
    return float(np.linalg.norm(corners @ (a - b).T, axis=1).max())
