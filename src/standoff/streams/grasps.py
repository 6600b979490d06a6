"""Bodies that streams take and let go: what becomes of the cell, and whether it is known where they
are then.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Set
from dataclasses import dataclass

from standoff.cell.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import inverse
from standoff.streams.faults import Found, Ongoing
from standoff.streams.limits import MOST_PUBLISHERS
from standoff.streams.messages import Grasp
from standoff.streams.publishers import ANY, NOBODY, Clock, Subject, delay, none, of_source
from standoff.streams.received import Received

#: Events that wait to be carried out, [-]; none may be left out.
MOST_EVENTS = 1024


@dataclass(frozen=True, slots=True)
class _Event:
    """Attributes:
    came: when, [s].
    doubt: why it is not known where the body was then; empty where it is.
    """

    source: int
    message: Grasp
    came: float
    doubt: str


@dataclass(frozen=True, slots=True)
class _Done:
    """An event that was carried out in this cycle.

    Attributes:
        link: which took the body or let it go.
        subjects: what has to be known for it to be known where the body is.
    """

    body: str
    link: str
    taken: bool
    subjects: frozenset[Subject]


class Grasps:
    """Events in their order, each carried out as soon as the joints and the body that it is about
    are known.

    A body that is held goes with its link from where both were at that instant. So an event whose
    joints or whose body are not known just then leaves the cell as it says, and a fault: the pose
    of the body has to come before anybody relies on it. An event that is refused is such a fault as
    well, until another one is carried out: the stream and the cell are of two minds on who has it.

    Args:
        names: of the sources.
    """

    def __init__(
        self, cell: Cell, received: Received, held: Ongoing, names: tuple[str, ...]
    ) -> None:
        self._cell, self._received, self._ongoing, self._names = cell, received, held, names
        self._waiting: deque[_Event] = deque()
        #: By source and body: the stamp of the last event, and the links that it came with. A
        #: body may go from hand to hand in one instant.
        self._last_event: dict[tuple[int, str], tuple[float, frozenset[str | None]]] = {}
        self._touch: dict[str, tuple[str, ...]] = {}
        self._freed: set[str] = set()
        self._taken: set[str] = set()
        self._done: list[_Done] = []

    def __bool__(self) -> bool:
        """Whether an event waits."""
        return bool(self._waiting)

    def start(self) -> None:
        """A cycle begins. What was wrong with the poses of a body that a link took in good order
        does not matter any more: it needs no more poses."""
        for body in self._taken:
            self._ongoing.forget(body)
        self._taken.clear()

    def take(self, now: float, source: int, message: Grasp, found: Found) -> None:
        """An event came."""
        name, doubt = self._names[source], ""
        if message.body in self._cell.bodies:
            kind, words = self._received.grasp_stamp(now, source, message)
            again = self._again(source, message)
            text = f"{name}: {message.body}: {words}"
            if kind == "doubled" and again and self._will_be_so(message):
                found.add("doubled", name, text, {of_source(source)})
                return
            if kind == "backwards" or (kind == "doubled" and again):
                found.add("grasp", message.body, text, {message.body, NOBODY})
                return
            # Its own clock tells the order; how late it is, that of the readings of its source.
            late = _behind(self._received, now, source, self._link(message), message)
            if late is None:
                doubt = words if kind == "late" else ""
            elif late[0] > late[1]:
                doubt = f"it arrived {late[0]:.3f} s late"
        if len(self._waiting) >= MOST_EVENTS:
            found.add("grasp", name, f"{name}: too many events at once", {NOBODY})
            return
        self._waiting.append(_Event(source, message, now, doubt))
        self._received.useful(source)

    def carry_out(self, now: float, found: Found) -> bool:
        """All events that can be, at what is known now; whether any changed the cell."""
        waiting, self._waiting, changed = self._waiting, deque(), False
        kept: set[str] = set()
        for event in waiting:
            body = event.message.body
            if body in kept or not self._ready(event.message):
                kept.add(body)
                self._waiting.append(event)
            else:
                changed |= self._carry_out(now, event, found)
        return changed

    def settle(self, found: Found, good: Set[Subject]) -> None:
        """The monitor has been asked, too: whatever is wrong with the joints or the body of an
        event that was carried out in this cycle, and no good reading has put right since, leaves it
        open where the body is."""
        for done in self._done:
            wrong = [subject for subject in done.subjects if self._wrong(subject, found, good)]
            if wrong:
                self._open(done, "what was received just then is wrong", found)
            elif done.taken:
                self._taken.add(done.body)
        self._done.clear()

    def _wrong(self, subject: Subject, found: Found, good: Set[Subject]) -> bool:
        now = any(subject in about for key, about in found.subjects.items() if key[0] != "grasp")
        return now or (subject not in good and self._ongoing.unsettled(subject))

    def _open(self, done: _Done, why: str, found: Found) -> None:
        words = f"taken by {done.link}" if done.taken else f"let go by {done.link}"
        text = f"{done.body} is {words}, and its pose is unknown: {why}"
        found.add("grasp", done.body, text, {done.body})

    def _again(self, source: int, message: Grasp) -> bool:
        """Whether the same came with the same stamp."""
        stamp, links = self._last_event.get((source, message.body), (0.0, frozenset()))
        if stamp != message.stamp:
            links = frozenset()
        again = message.link in links
        if len(links) < MOST_PUBLISHERS:  # names that are made up take no memory
            links |= {message.link}
        self._last_event[source, message.body] = message.stamp, links
        return again

    def _will_be_so(self, message: Grasp) -> bool:
        """Whether the cell is as an event wants it, once those that wait are carried out."""
        for event in reversed(self._waiting):
            if event.message.body == message.body:
                same = {*event.message.touch} == {*message.touch}
                return event.message.link == message.link and same
        return self._is_so(message)

    def _is_so(self, message: Grasp) -> bool:
        """Whether the cell is as an event wants it. One that lets go a body which nobody took
        contradicts it."""
        body = self._cell.bodies[message.body]
        if body.attachment is None:
            return message.link is None and message.body in self._freed
        touch = self._touch.get(message.body, body.attachment.touch)
        return body.attachment.link == message.link and {*touch} == {*message.touch}

    def _link(self, message: Grasp) -> str:
        """Which one takes it or has it; empty where there is none."""
        body = self._cell.bodies.get(message.body)
        if message.link is not None or body is None or body.attachment is None:
            return message.link or ""
        return body.attachment.link

    def _ready(self, message: Grasp) -> bool:
        """Whether all it needs is known. What nobody knows is not waited for."""
        if message.body not in self._cell.bodies:
            return True
        link = self._link(message)
        return self._received.knows(link) and message.body not in self._received.bodies.missing()

    def _carry_out(self, now: float, event: _Event, found: Found) -> bool:
        cell, received, message = self._cell, self._received, event.message
        body = message.body
        try:
            cell.set_state(received.q, received.bodies.good_poses())
            if body in cell.bodies and self._is_so(message):
                return False
            link, doubt = self._link(message), self._doubt(now, event)
            subjects: set[Subject] = {ANY, *received.joints_of(link)}
            if message.link is None:
                cell.detach(body, q=received.q)
                received.bodies.let_go(now, event.source, body)
                self._freed.add(body)
            else:
                self._attach(body, message.link, message.touch)
                self._touch[body] = message.touch
                received.bodies.taken_up(body)
                subjects.add(body)
        except Error as error:
            self._refuse(message, str(error), found)
            return False
        self._ongoing.agree(body)
        done = _Done(body, link, message.link is not None, frozenset(subjects))
        if doubt:
            self._open(done, doubt, found)
        else:
            self._done.append(done)
        return True

    def _attach(self, body: str, link: str, touch: tuple[str, ...]) -> None:
        """The same link may be given anew what its load may touch."""
        before = self._cell.bodies[body].attachment if body in self._cell.bodies else None
        if before is None or before.link != link:
            at = inverse(self._cell.pose(link)) @ self._cell.pose(body)
            self._cell.attach(body, link, pose=at, touch=touch)
            return
        self._cell.detach(body, q=self._received.q)
        try:
            self._cell.attach(body, link, pose=before.pose, touch=touch)
        except Error:
            self._cell.attach(body, link, pose=before.pose, touch=before.touch)
            raise

    def _doubt(self, now: float, event: _Event) -> str:
        """Why it is not known where link and body are at the instant of an event."""
        received, body = self._received, event.message.body
        link = self._link(event.message)
        if event.doubt:
            return event.doubt
        ages = [received.options.age_of(received.joints[j]) for j in received.joints_of(link)]
        if now - event.came > max(ages, default=math.inf):
            return f"the first pose of {link} was known {now - event.came:.3f} s after it"
        if not received.fresh(link, now):
            return f"nothing recent is known of {link}"
        tracked = event.message.link is not None and body in received.bodies.moving
        if tracked and not received.bodies.fresh(body, now):
            return f"nothing recent is known of {body}"
        return ""

    def _refuse(self, message: Grasp, why: str, found: Found) -> None:
        body, key = message.body, ("grasp", message.body)
        if body in self._cell.bodies:
            found.add("grasp", body, why, {body, NOBODY})
        elif message.link is None and (key in self._ongoing or key in found.reasons):
            # The cell has no such body: it was taken, and now it is as before.
            self._ongoing.end("grasp", body)
            found.drop("grasp", body)
        else:
            found.add("grasp", self._listed(body), why, {NOBODY})

    def _listed(self, body: str) -> str:
        """The body, or that there are more: names that are made up take no memory."""
        known = ("grasp", body) in self._ongoing
        return body if known or self._ongoing.count("grasp") < MOST_PUBLISHERS else "others"


def _behind(
    received: Received, now: float, source: int, link: str, message: Grasp
) -> tuple[float, float] | None:
    """How much longer an event of a source took than its readings do, and how much longer these
    may, [s]; None where it has none to compare with. Those of its robot and its body count, or all
    where there are none."""
    if none(message.stamp):
        return None
    owner, clocks = received.owner[source], received.publishers[source].clocks
    near: list[Clock | None] = [owner[j] for j in received.joints_of(link)]
    near.append(clocks.get(("pose", message.body)))
    every = [*owner, *(clock for (what, _), clock in clocks.items() if what == "pose")]
    took = float(delay(now, message.stamp))  # type: ignore[arg-type]
    for those in (near, every):
        known = [c for c in those if c is not None and math.isfinite(c.quickest)]
        if known:
            late = [(took - clock.quickest, clock.age) for clock in known]
            return max(late, key=lambda one: one[0] - one[1])
    return None
