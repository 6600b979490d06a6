"""Sessions of Zenoh that are closed to the network unless asked for."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from standoff.errors import MissingPackageError, StreamError
from standoff.names import MAX_NAME_LENGTH
from standoff.streams.limits import MAX_STREAM_MESSAGE, OUTBOX_DEPTH, SINK_PATIENCE

#: A message that is offered to slow subscribers waits for them for so long before it is dropped,
#: [s]: one cycle is late by that, once. An offer that took half as long may have been dropped.
OFFER_WAIT = 0.01

#: Seconds between two states on a topic while nothing changes, [s], at least: each is of a cycle.
STATE_PERIOD = 0.01

#: How often a lost connection is tried again, [ms]: first, and at the longest.
RECONNECT_FIRST = 100
RECONNECT_LONGEST = 1000


#: Messages of one priority that Zenoh holds for a link before those who publish wait, [-].
QUEUED = 2

#: Hosts that stay on this machine.
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Link:
    """How a session reaches others.

    Attributes:
        listen: addresses to be reached at, ``tcp/127.0.0.1:7447``; port 0 is a free one.
        connect: addresses of others; one that is not there yet is tried again and again.
        scouting: look for others in the local network by multicast, and let those found name
            more.
        remote: whether addresses may be other than of this machine.
    """

    listen: tuple[str, ...] = ()
    connect: tuple[str, ...] = ()
    scouting: bool = False
    remote: bool = False


#: Where others find us when nobody says otherwise.
USUAL_LINK = Link(listen=("tcp/127.0.0.1:7447",))


def used_link(link: Link | None) -> Link:
    """The link, or the usual address of this machine where it has none to be reached at."""
    if link is None:
        return USUAL_LINK
    return link if link.listen or link.connect else replace(link, listen=USUAL_LINK.listen)


@dataclass(eq=False)
class _Shared:
    """A session, whether it is a client, how many use it, when something was last dropped perhaps,
    when the last one began that then went out for sure, since when those who publish wait for
    subscribers, and when one last had to."""

    session: Any
    client: bool
    users: int = 0
    dropped: float = -math.inf
    cleared: float = 0.0
    waiting: list[float] = field(default_factory=list)
    waited: float = -math.inf


class Lease:
    """A session that is shared by all who ask for the same link: two of them could not listen at
    one address. It is closed when the last of them has closed it."""

    def __init__(self, link: Link, shared: _Shared) -> None:
        self._link, self._shared = link, shared
        self._closed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shared.session, name)

    def too_late(self, transport: Any) -> bool:
        """Whether this is a router that did not answer when the session was opened: a peer is not
        heard by the peers behind it, and does not hear them."""
        peer = not self._shared.client and not self._link.scouting
        return peer and str(transport.whatami) == "router"

    @property
    def congested(self) -> bool:
        """Whether a message that Zenoh may drop might be dropped at once, since one before it was
        and no other that began later has gone out. All publishers of a session share its queues."""
        return self._shared.dropped >= self._shared.cleared

    def dropped(self) -> None:
        """A message that Zenoh may drop has perhaps just been."""
        self._shared.dropped = time.monotonic()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While something is published that waits for whoever is slow."""
        shared, begun = self._shared, time.monotonic()
        shared.waiting.append(begun)
        try:
            yield
        finally:
            now = time.monotonic()
            if now - begun > OFFER_WAIT / 2.0:
                shared.waited = now
            shared.waiting.remove(begun)
        shared.cleared = max(shared.cleared, begun)

    @property
    def behind(self) -> bool:
        """Whether something that was published may not have left this process, or had not just now:
        that a link is closed is reported a moment after those who waited for it were let go."""
        shared, now = self._shared, time.monotonic()
        waits = any(now - begun > OFFER_WAIT / 2.0 for begun in (*shared.waiting,))
        return waits or self.congested or now - shared.waited < SINK_PATIENCE

    @property
    def links(self) -> set[tuple[int, int]]:
        """The links that are open, by the ports of their two ends."""
        return {(_port(link.src), _port(link.dst)) for link in self.info.links()}

    @property
    def unread(self) -> set[tuple[int, int]]:
        """The links on which bytes that left this process have not been read at the other end, or,
        where that is on another machine, have not arrived there. Linux tells, of TCP; else none.

        Links are known by their ports: what others send between two such ports counts, too.
        """
        sent: dict[tuple[int, int], int] = {}
        received: dict[tuple[int, int], int] = {}
        for table in ("tcp", "tcp6"):
            with suppress(OSError):
                for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
                    _, here, there, _, queues, *_ = line.split()
                    ends = int(here.rpartition(":")[2], 16), int(there.rpartition(":")[2], 16)
                    out, back = (int(queue, 16) for queue in queues.split(":"))
                    sent[ends] = sent.get(ends, 0) + out
                    received[ends[::-1]] = received.get(ends[::-1], 0) + back
        return {link for link in self.links if sent.get(link) or received.get(link)}

    def close(self) -> None:
        """More than once does no harm.

        Raises:
            StreamError: somebody did not take what was still on its way.
        """
        with _LOCK:
            if self._closed:
                return
            self._closed = True
            self._shared.users -= 1
            if self._shared.users:
                return
            del _OPEN[self._link]
        try:
            self._shared.session.close()
        except Exception as error:  # Zenoh's own class; nothing holds the process up
            raise StreamError("not everything that was published was taken") from error


def _port(address: str) -> int:
    port = address.partition("?")[0].partition("#")[0].rpartition(":")[2]
    return int(port) if port.isdigit() else -1


_OPEN: dict[Link, _Shared] = {}
_LOCK = threading.Lock()


def open_session(link: Link) -> Lease:
    """A session of its own, that no file and no variable of the environment configures.

    Raises:
        StreamError: an address that is none or not of this machine.
        MissingPackageError: Zenoh is not installed.
    """
    try:
        import zenoh
    except ImportError as error:
        raise MissingPackageError("Zenoh", "standoff[streams]", "live topics") from error
    for address in (*link.listen, *link.connect):
        _check_address(address, link.remote)
    with _LOCK:
        if link not in _OPEN:
            _OPEN[link] = _Shared(*_opened(zenoh, link))
        shared = _OPEN[link]
        shared.users += 1
    return Lease(link, shared)


def _opened(zenoh: Any, link: Link) -> tuple[Any, bool]:
    """A session, and whether it is a client."""
    # Peers behind a router hear of each other by gossip alone; for a client the router forwards.
    # But a client has one address, and cannot be opened unless somebody answers: else it is a peer.
    if len(link.connect) == 1 and not link.listen and not link.scouting:
        with suppress(Exception):
            return zenoh.open(session_config(link, client=True)), True
    try:
        return zenoh.open(session_config(link)), False
    except Exception as error:  # Zenoh raises a class of its own, derived from Exception
        raise StreamError(
            f"Zenoh cannot be opened: {error}", value=", ".join((*link.listen, *link.connect))
        ) from error


def session_config(link: Link, *, client: bool = False) -> Any:
    """The settings of a session, as Zenoh takes them; ``client`` in place of a peer."""
    import zenoh

    retry = {"period_init_ms": RECONNECT_FIRST, "period_max_ms": RECONNECT_LONGEST}
    config = zenoh.Config()
    for key, value in {
        "mode": "client" if client else "peer",
        "listen/endpoints": list(link.listen),
        "connect/endpoints": list(link.connect),
        "connect/exit_on_failure": False,
        # Without an end: with 0, which reads like "do not wait", an address is tried only once. The
        # opening of a client would wait for that.
        "connect/timeout_ms": RECONNECT_LONGEST if client else -1,
        "connect/retry": retry,
        "scouting/multicast/enabled": link.scouting,
        "scouting/gossip/enabled": link.scouting,
        # What comes in pieces is put together in memory before anybody sees its size.
        "transport/link/rx/max_message_size": 4 * MAX_STREAM_MESSAGE,
        "transport/link/tx/queue/size/real_time": QUEUED,
        "transport/link/tx/queue/congestion_control/drop/wait_before_drop": round(1e6 * OFFER_WAIT),
        # Zenoh then closes the link to whoever took nothing. Not without end: as long as something
        # waits for it, a link that is dead is not closed. By then the queue of a sink is full.
        "transport/link/tx/queue/congestion_control/block/wait_before_close": round(
            1e6 * STATE_PERIOD * OUTBOX_DEPTH
        ),
    }.items():
        config.insert_json5(key, json.dumps(value))
    return config


def valid_key(key: str, *, wild: bool) -> None:
    """Refuse what is no key: empty parts, ``#``, ``?``; wildcards where one key is meant.

    Raises:
        StreamError: it says what is allowed.
    """
    parts = key.split("/")
    bad = not key.isprintable() or len(key) > MAX_NAME_LENGTH or any(c in key for c in "#?$")
    if bad or "" in parts or (not wild and "*" in key):
        raise StreamError(
            "not a key of Zenoh", element="zenoh", value=key,
            allowed="words with / between them, such as cell/joint_states",
        )  # fmt: skip


def _check_address(address: str, remote: bool) -> None:
    protocol, _, rest = address.partition("/")
    host, _, port = rest.rpartition(":")
    if protocol not in ("tcp", "udp", "quic", "tls", "ws") or not host or not port.isdigit():
        raise StreamError(
            "not an address of Zenoh", element="zenoh", value=address,
            allowed="such as tcp/127.0.0.1:7447",
        )  # fmt: skip
    if not remote and host not in _LOOPBACK:
        raise StreamError(
            "not an address of this machine", element="zenoh", value=address,
            allowed=f"one of {', '.join(_LOOPBACK)}, unless others are asked for",
        )  # fmt: skip
