"""Warnings and the state as topics of Zenoh."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Any

from standoff.errors import StreamError
from standoff.streams.limits import OUTBOX_DEPTH, SINK_PATIENCE
from standoff.streams.report import Report, State
from standoff.streams.report_json import report_line, state_line
from standoff.streams.zenoh_session import (
    OFFER_WAIT,
    QUEUED,
    STATE_PERIOD,
    Lease,
    Link,
    open_session,
    used_link,
    valid_key,
)

#: How long a new sink waits for whom it is to connect to, [s]: who is there answers sooner.
_CONNECTING = 1.0

#: How often in a row nothing may be unread before all counts as read, [-].
_QUIET = 2


def topics_of(key: str) -> tuple[str, str]:
    """The keys below ``key`` that are published: of the warnings, and of the state."""
    return f"{key}/warnings", f"{key}/state"


class ZenohTopics:
    """``KEY/warnings`` and ``KEY/state``, each with JSON as its payload: `docs/watch-outputs.md`.

    No state is told again by a clock of its own: each is what a cycle found.
    Nothing is batched. A report is offered first: Zenoh waits a moment for slow subscribers
    (OFFER_WAIT) and would drop it then. An offer that took that long may have been dropped, and the
    report is put: that waits for as long as it takes, the queue before this sink fills up, and the
    watch says so. So nothing is lost, and somebody slow may hear the same number twice.

    Where a link is closed while reports wait for it, or one that was closed is there again, whoever
    is at its other end may have missed some: that is an error of the next `put`, which publishes
    its report all the same. A sink that was told whom to connect to, and has nobody, raises in
    every `put`: what is published then reaches no one.

    Args:
        key: a key without wildcards.
        link: where to listen and connect; at the usual port of this machine by default. No
            scouting and nothing beyond this machine unless it says so.

    Raises:
        StreamError: no such key, no such address, or Zenoh is not installed.
    """

    def __init__(self, key: str, link: Link | None = None) -> None:
        self.name = f"zenoh:{key}"
        valid_key(key, wild=False)
        used = used_link(link)
        self._session: Lease | None = open_session(used)
        session = self._session
        import zenoh

        def publisher(topic: str, control: zenoh.CongestionControl) -> Any:
            return session.declare_publisher(
                topic,
                encoding=zenoh.Encoding.APPLICATION_JSON,
                congestion_control=control,
                priority=zenoh.Priority.REAL_TIME,
                express=True,
            )

        block, drop = zenoh.CongestionControl.BLOCK, zenoh.CongestionControl.DROP
        warnings, state = topics_of(key)
        self._waiting = publisher(warnings, block), publisher(state, block)
        self._offering = publisher(warnings, drop), publisher(state, drop)
        self._due = -math.inf
        self._scale = math.nan
        self._last: list[bytes | None] = [None, None]
        self._away: dict[str, None] = {}
        self._missed: deque[str] = deque()
        self._peers: set[str] = set()
        self._connect = ", ".join(used.connect)
        self._links = session.info.declare_transport_events_listener(
            self._link_changed, history=True
        )
        end = time.monotonic() + _CONNECTING
        while self._alone and time.monotonic() < end:
            time.sleep(STATE_PERIOD)

    def put(self, report: Report) -> None:
        """Publish it, or leave it out where nothing happened.

        Raises:
            StreamError: it cannot be published, or somebody may have missed others.
        """
        if not self._left_out(report):
            with self._opened().waiting():
                self._publish(report, *self._waiting)
            self._said(report)
        self._raise_missed()

    @property
    def _alone(self) -> bool:
        """Whether there should be somebody at the other end of a link, and is not."""
        return bool(self._connect) and not self._peers

    def offer(self, report: Report) -> bool:
        """The same without waiting for anybody who is slow; whether it surely went out."""
        if self._missed or self._alone:
            return False
        if self._left_out(report):
            return True
        session = self._opened()
        if session.congested:
            return False
        begun = time.monotonic()
        self._publish(report, *self._offering)
        if time.monotonic() - begun > OFFER_WAIT / 2.0:
            session.dropped()
            return False
        self._said(report)
        return True

    def _opened(self) -> Lease:
        if self._session is None:
            raise StreamError("is closed", file=self.name)
        return self._session

    def _left_out(self, report: Report) -> bool:
        """Whether nothing happened, and that it lives has just been said."""
        quiet = report.state is State.SAFE and not report.changed and report.scale == self._scale
        return quiet and self._due - STATE_PERIOD <= report.time < self._due

    def _said(self, report: Report) -> None:
        self._due, self._scale = report.time + STATE_PERIOD, report.scale

    def _publish(self, report: Report, warnings: Any, state: Any) -> None:
        try:
            if report.cycle is not None and report.cycle.warnings:
                self._last[0] = report_line(report)
                warnings.put(self._last[0])
            self._last[1] = state_line(report)
            state.put(self._last[1])
        except Exception as error:  # Zenoh raises a class of its own, derived from Exception
            raise StreamError(f"cannot be published: {error}", file=self.name) from error

    def _link_changed(self, event: Any) -> None:
        """Called by Zenoh, on a thread of its own. Whoever leaves in good order closes its link
        like one that is cut off, and is missed by nobody unless something waited for it."""
        import zenoh

        session, peer = self._session, str(event.transport.zid)
        if session is None:
            return
        if event.kind == zenoh.SampleKind.DELETE:
            self._peers.discard(peer)
            self._away[peer] = None
            if len(self._away) > OUTBOX_DEPTH:
                del self._away[next(iter(self._away))]
            if session.behind or self._alone:
                while_it = " while reports waited for it" if session.behind else ""
                self._missed.append(f"{peer} went away{while_it}, and may have missed some")
            return
        self._peers.add(peer)
        if session.too_late(event.transport):
            self._missed.append(
                "a router answers that did not at the start: peers behind it may miss what is"
                " published; start this again"
            )
        if peer in self._away:
            del self._away[peer]
            self._missed.append(f"{peer} is back, and may have missed reports while it was away")

    def _raise_missed(self) -> None:
        """Raise what happened to links since it was last told."""
        told = [self._missed.popleft() for _ in range(len(self._missed))]
        if self._alone:
            told.append(f"nobody answers at {self._connect}: what is published is lost")
        if told:
            raise StreamError("; ".join(told), file=self.name)

    def flush(self) -> None:
        """Nothing is held back.

        Raises:
            StreamError: somebody may have missed reports.
        """
        self._raise_missed()

    def close(self) -> None:
        """Leave the network, once whoever is connected has read all that was published: what is
        still on its way to somebody slow is lost as soon as a session is closed.

        Raises:
            StreamError: not everything was read within SINK_PATIENCE, or a link closed meanwhile.
        """
        session = self._session
        if session is None:
            return
        try:
            self._settle(session)
            self._raise_missed()
        finally:
            self._session = None
            session.close()

    def _settle(self, session: Lease) -> None:
        """The last messages once more, and one more often than Zenoh holds back: the first of these
        has then left, too, and who has read that had taken all before it."""

        def again() -> None:
            with session.waiting(), suppress(Exception):
                for _ in range(QUEUED + 1):
                    for publisher, line in zip(self._waiting, self._last, strict=True):
                        if line is not None:
                            publisher.put(line)

        links, quiet = session.links, 0
        end = time.monotonic() + SINK_PATIENCE
        thread = threading.Thread(target=again, name=self.name, daemon=True)
        thread.start()
        thread.join(SINK_PATIENCE)
        # The table of the system is not read in one piece: a line may be left out once.
        while quiet < _QUIET:
            quiet = 0 if thread.is_alive() or session.unread else quiet + 1
            if quiet == 0 and time.monotonic() > end:
                raise StreamError("not everything that was published was taken", file=self.name)
            time.sleep(STATE_PERIOD)
        # The event of a link that was closed may come later than this.
        if links - session.links:
            self._missed.append("somebody went away at the end, and may have missed some")
