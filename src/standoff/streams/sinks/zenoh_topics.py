"""Warnings and the state as topics of Zenoh."""

from __future__ import annotations

import math
from typing import Any

from standoff.constants import STATE_PERIOD
from standoff.errors import StreamError
from standoff.streams.as_json import report_line, state_line
from standoff.streams.report import Report, State
from standoff.streams.zenoh_session import Lease, Link, open_session, used_link, valid_key


class ZenohTopics:
    """Two keys below the one given, each with JSON as its payload:

    - ``KEY/warnings``: for every cycle in which pairs are too close, the state and all of them.
    - ``KEY/state``: the state without them, whenever it, a reason or the speed scale changes, in
      every cycle that is not SAFE, and otherwise every STATE_PERIOD: who hears nothing for several
      of these, or reads the same number twice, is to take it for STALE.

    Whatever is not quiet is sent without batching and never dropped where a subscriber is slow: the
    call waits then, the queue before this sink fills up, and the watch tells. Quiet states may be
    dropped on the way.

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
        self._session: Lease | None = open_session(used_link(link))
        session = self._session
        import zenoh

        def publisher(end: str, control: zenoh.CongestionControl) -> Any:
            return session.declare_publisher(
                f"{key}/{end}",
                encoding=zenoh.Encoding.APPLICATION_JSON,
                congestion_control=control,
                priority=zenoh.Priority.REAL_TIME,
                express=True,
            )

        self._warnings = publisher("warnings", zenoh.CongestionControl.BLOCK)
        self._state = publisher("state", zenoh.CongestionControl.BLOCK)
        self._quiet = publisher("state", zenoh.CongestionControl.DROP)
        self._due = -math.inf
        self._scale = math.nan

    def put(self, report: Report) -> None:
        """Publish it, or leave it out where nothing happened."""
        quiet = report.state is State.SAFE and not report.changed and report.scale == self._scale
        if quiet and self._due - STATE_PERIOD <= report.time < self._due:
            return
        if self._session is None:
            raise StreamError("is closed", file=self.name)
        warned = not quiet and report.cycle is not None and bool(report.cycle.warnings)
        try:
            if warned:
                self._warnings.put(report_line(report))
            (self._quiet if quiet else self._state).put(state_line(report))
        except Exception as error:  # Zenoh raises a class of its own, derived from Exception
            raise StreamError(f"cannot be published: {error}", file=self.name) from error
        self._due = report.time + STATE_PERIOD
        self._scale = report.scale

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Leave the network."""
        session, self._session = self._session, None
        if session is not None:
            session.close()
