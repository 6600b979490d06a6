"""The engine of a watch: messages and the time go in, a report comes out; there is no other input.

`Received` (`streams.received`) turns the messages of a cycle into one reading: joint values, and
poses of moving bodies. `WatchEngine` passes it to ``monitor.update``, and makes the state of the
cell from the answer and from the faults of the streams.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import replace

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import StreamError
from standoff.geometry.pose import Array
from standoff.monitor.report import Cycle, Fault, QuietCycle
from standoff.names import listed
from standoff.scalars import instance
from standoff.streams.batch import Batch, Stretch, check_ahead, skip
from standoff.streams.faults import RULES, Found, Ongoing
from standoff.streams.grasps import Grasps
from standoff.streams.limits import TIME_LIMIT
from standoff.streams.messages import BodyPose, Grasp, Joints, Message, Trouble
from standoff.streams.options import WatchOptions
from standoff.streams.other_units import OtherUnits
from standoff.streams.publishers import ANY, NOBODY, Clock, Subject, of_source
from standoff.streams.received import Received
from standoff.streams.report import Reason, Report, State

#: What came in, and from which source; sinks that are in trouble come after the sources.
Input = tuple[int, Message]

#: Kinds of the monitor that have another name here; its ``late`` is our ``silent``, found before.
_KINDS = {"time": "backwards", "length": "missing", "unknown": "names", "late": ""}

_NO_REASONS: tuple[Reason, ...] = ()


class WatchEngine:
    """Decides, cycle by cycle, by the table `RULES`. Same input, same bits: the time is an input,
    and no clock is read here.

    Args:
        cell: what is watched. Bodies that streams attach and detach change it.
        options: of the watch.
        sources: their names; an input has the number of its source.
        sinks: theirs, counted on from the sources, for the trouble they have.

    Attributes:
        monitor: the one that is asked.
        number: of the last cycle; time: of it, -inf before the first.
        state: of the cell.
    """

    def __init__(
        self,
        cell: Cell,
        options: WatchOptions | None = None,
        sources: Sequence[str] = ("source",),
        sinks: Sequence[str] = (),
    ) -> None:
        sources, sinks = listed(sources, "sources"), listed(sinks, "sinks")
        options = WatchOptions() if options is None else options
        instance("options", options, StreamError, WatchOptions)
        self.options = options = replace(options, between=bool(options.between))
        self.cell = cell
        self.monitor = options.monitor(cell)
        self.received = Received(cell, sources, options)
        self.scale = options.speed_scale()
        self.number = 0
        self.time = self._newest = -math.inf
        self.state = State.STALE
        self._names = (*sources, *sinks)
        self._ongoing = Ongoing(options.recover)
        self._grasps = Grasps(cell, self.received, self._ongoing, self._names)
        self._other_units = OtherUnits(self.received, self._ongoing)
        self._cycle: Cycle | None = None
        self._poses: Array | None = None
        self._warnings: tuple[Reason, ...] = ()
        self._contacts: frozenset[tuple[str, str]] = frozenset()
        self._last_keys: frozenset[tuple[str, str]] | None = None

    @property
    def quiet(self) -> bool:
        """Nothing is wrong, nothing is left over from before."""
        return (
            self.state is State.SAFE
            and not self._ongoing
            and not self._grasps
            and self.scale.value == 1.0
        )

    @property
    def asked(self) -> int:
        """How often the monitor has been."""
        return 0 if self._cycle is None else self._cycle.number

    def due(self) -> float:
        """When something will be silent for too long if nothing comes: the time for a tick."""
        return self.received.due(self.time)

    def tick(self, now: float) -> Report:
        """A cycle in which nothing came."""
        return self.cycle(now, ())

    def cycle(
        self, now: float, inputs: Sequence[Input], arrived: int = 0, *, answer: Cycle | None = None
    ) -> Report:
        """One instant: all that came in at ``now``, which is later than in all cycles before (a
        clock that is not gets a fault). ``answer``: the monitor's, where it has been asked."""
        found = Found()
        received = self.received
        self.number += 1
        now, usable = self._advance(float(now), found)
        received.check_ages(now, found)
        received.start()
        self._grasps.start()
        for source, message in inputs:
            if type(message) is Grasp:
                self._grasp(now, source, message, found)
            elif type(message) is Trouble:
                self._trouble(source, message, found)
            elif usable and type(message) is Joints:
                received.take(now, source, message, found)
            elif usable and type(message) is BodyPose:
                received.bodies.take(now, source, message, found)
        for source in received.valid:
            received.last_message[source] = now
        changed = bool(self._grasps) and self._grasps.carry_out(now, found)
        if received.updated or changed or self._cycle is None:
            self._ask(now, found, answer)
        if changed:
            self._grasps.settle(found, self._good(found))
        return self._report(now, found, arrived)

    def _advance(self, now: float, found: Found) -> tuple[float, bool]:
        """The time of the cycle, and whether readings can be taken at it. A clock that does not go
        on is a fault."""
        last, usable = self.time, abs(now) <= TIME_LIMIT
        if not (usable and now > self._newest):
            text = f"time {now:.6f} s is not later than {self._newest:.6f} s"
            found.add("backwards", "clock", text, {ANY})
            if not usable:
                now = last if math.isfinite(last) else 0.0
            elif not now > last:
                self.received.back_to(now)
        if usable:
            self.time, self._newest = now, max(now, self._newest)
        return now, usable

    def _grasp(self, now: float, source: int, message: Grasp, found: Found) -> None:
        event = self.received.publishers[source].mapping.grasp(message)
        if event is None:
            self.received.valid.add(source)
        else:
            self._grasps.take(now, source, event, found)

    def stretch(self, batch: Batch) -> tuple[Stretch, Report | None]:
        """Many cycles, as `cycle` answers them, up to the first that is not quiet.

        Returns:
            Those that were: as many as there are of the batch's first readings; and the report of
            the next, where the monitor has been asked for it. Nothing at all where this engine is
            not `quiet`.
        """
        received, n, quiet = self.received, 0, 0
        Q, poses, answer = received.q[None], None, None
        if self.quiet and not received.not_received():
            n, Q = check_ahead(received, batch, self.time)
            poses = received.bodies.poses()
        clearances = np.empty(n)
        if n:
            quiet, answer = self.monitor.update_many(Q[:n], batch.now[:n], clearances, poses)
        stretch = Stretch(
            batch, self.number + 1, self.asked + 1,
            [*zip(received.sources, received.last_message)], self.cell.revision,
            clearances[:quiet], Q[:quiet], poses,
        )  # fmt: skip
        if quiet:
            skip(received, batch, quiet, Q)
            self.number += quiet
            self.time = self._newest = float(batch.now[quiet - 1])
            self._adopt(QuietCycle(self.asked + quiet, self.time, float(clearances[quiet - 1])))
        if answer is None:
            return stretch, None
        now, source, message = batch.reading(quiet)
        return stretch, self.cycle(now, ((source, message),), answer=answer)

    def _ask(self, now: float, found: Found, answer: Cycle | None) -> None:
        """The monitor, once everything has been received."""
        received = self.received
        if received.not_received():
            return
        cycle, self._poses = answer, received.bodies.poses()
        if cycle is None:
            cycle = self.monitor.update(received.given, self._poses, now)
        self._adopt(cycle)
        for fault in cycle.faults:
            kind = _KINDS.get(fault.kind, fault.kind)
            if kind:
                found.add(
                    kind, fault.element, _fault_text(fault), received.subjects_of(fault.element)
                )
        if cycle.faults:
            self._other_units.merge(cycle.faults, found)

    def _adopt(self, cycle: Cycle) -> None:
        """The answer that counts until there is another."""
        self._cycle = cycle
        self._warnings, self._contacts = _NO_REASONS, frozenset()
        if not cycle.safe:
            self._contacts = frozenset(
                ("contact", f"{w.a} – {w.b}") for w in cycle.warnings if w.distance <= 0.0
            )
            self._warnings = tuple(
                Reason(State.WARNING, "warning", f"{w.a} – {w.b}", str(w)) for w in cycle.warnings
            )

    def _trouble(self, source: int, message: Trouble, found: Found) -> None:
        name = self._names[source]
        subjects: set[Subject] = {of_source(source)}
        own: set[Subject] = set()
        if source < len(self.received.sources):
            own = self.received.published_by(source)
        if message.kind == "back":
            self._ongoing.end("sink", name)
            # A peer is there again, whichever that is: who published a robot has to do so again.
            if not own:
                self._ongoing.end("lost", name)
        else:
            kind = message.kind if message.kind in RULES else "garbled"
            if kind == "grasp":
                # Events that were lost cannot be made good.
                subjects = {NOBODY}
            elif kind == "lost":
                # The pose of a body the source itself has to send: a link may hold it by then.
                subjects |= {subject for subject in own if isinstance(subject, int)}
            found.add(kind, name, f"{name}: {message.text}", subjects)

    def _good(self, found: Found) -> set[Subject]:
        """What valid messages were about in this cycle."""
        received, blamed = self.received, found.blamed
        good: set[Subject] = set()
        for clock in received.updated:
            if blamed.isdisjoint(clock.subjects) and not self._hand_in_doubt(clock, blamed):
                good |= clock.subjects
        if good:
            good.add(ANY)
        good.update(of_source(k) for k in received.valid if of_source(k) not in blamed)
        return good

    def _hand_in_doubt(self, clock: Clock, blamed: Set[Subject]) -> bool:
        """That a body is where its link has it says nothing while there is a fault of the link."""
        for subject in clock.subjects:
            body = self.cell.bodies.get(subject) if isinstance(subject, str) else None
            if body is not None and body.attachment is not None:
                joints = self.received.joints_of(body.attachment.link)
                return not blamed.isdisjoint(joints) or self._ongoing.troubled(joints)
        return False

    def _report(self, now: float, found: Found, arrived: int) -> Report:
        received = self.received
        not_received = received.not_received()
        cycle = None if not_received else self._cycle
        if cycle is None:
            # SAFE is what a monitor has said, never what nobody was asked.
            found.add("waiting", *received.awaited(), set())
        misnamed = received.misnamed()
        if misnamed:
            found.add("names", "--rest", misnamed, set())
        if found.reasons or self._ongoing:
            self._ongoing.take(found, self._good(found))
        reasons = self._warnings
        state = State.WARNING if reasons else State.SAFE
        if self._ongoing:
            reasons = (*sorted(self._ongoing, key=_badness), *reasons)
            state = max(state, reasons[0].state)
        keys = self._contacts.union((r.kind, r.element) for r in reasons)
        if self._other_units:
            keys = self._other_units.told(keys)
        changed = keys != self._last_keys
        self._last_keys, self.state = keys, state
        return Report(
            self.number,
            now,
            state,
            changed,
            reasons,
            cycle,
            self.scale.update(state, cycle),
            dict(zip(received.sources, [now - time for time in received.last_message])),
            arrived,
            q=received.q.copy(),
            poses=None if not_received else self._poses,
            revision=self.cell.revision,
        )


def _badness(reason: Reason) -> tuple[int, str, str]:
    return -reason.state, reason.kind, reason.element


def _fault_text(fault: Fault) -> str:
    if fault.kind == "jump":
        return f"{fault.element} moved by {fault.value:.4g} m; allowed: {fault.allowed}"
    return str(fault)
