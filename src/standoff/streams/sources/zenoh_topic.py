"""Topics of Zenoh, live: JSON, and messages of ROS 2 in CDR as ``rmw_zenoh`` sends them."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, Final

from standoff.errors import StreamError
from standoff.streams.decoders import (
    JOINT_STATE,
    TYPES,
    WORLD,
    Decode,
    Topic,
    decoder_of,
    plain_type,
)
from standoff.streams.limits import MAX_STREAM_MESSAGE, MAX_STREAM_TOPICS
from standoff.streams.live_run import INBOX_DEPTH
from standoff.streams.messages import Grasp, Message, Trouble
from standoff.streams.protocols import Put
from standoff.streams.wire import GarbledError
from standoff.streams.zenoh_session import Lease, Link, open_session, used_link, valid_key

#: How long closing waits for a listener that is still handing on what it took, [s].
LISTENER_PATIENCE: Final = 10.0

_BRACES: Final = (b"{", b" ", b"\n", b"\t", b"\r", b"\xef")


class ZenohTopic:
    """Subscribers to one key or several, `Live`.

    A payload that begins with a brace is an object of `json_message`, any other a message in CDR.
    Its type is that which a key of ``rmw_zenoh`` has in it (``0/joint_states/sensor_msgs::msg::
    dds_::JointState_/…``), else ``kind``. When the last peer goes it says ``lost``, and ``back``
    when there is one again; a peer that is given by its address is looked for all the while.

    Args:
        keys: key expressions, wildcards allowed: ``cell/joint_states``, ``0/joint_states/**``.
        link: where to listen and connect; at the usual port of this machine by default.
        kind: type of messages whose key does not tell.
        world: the frame that is the world.
    """

    def __init__(
        self,
        keys: Sequence[str],
        link: Link | None = None,
        kind: str = JOINT_STATE,
        world: str = WORLD,
        name: str = "",
    ) -> None:
        self.name = name or f"zenoh:{','.join(keys)}"
        if not keys:
            raise StreamError("no key", element="zenoh", allowed="such as cell/joint_states")
        for key in keys:
            valid_key(key, wild=True)
        self._kind = plain_type(kind)
        if self._kind not in TYPES:
            raise StreamError(
                "messages that are not read", element="type", value=kind, allowed=", ".join(TYPES)
            )
        self._keys, self._world = tuple(keys), world
        self._decoders: dict[tuple[str, bool], Decode | None] = {}
        self._peers: set[str] = set()
        self._lost = False
        self._lock = threading.Lock()
        self._declared: list[Any] = []
        self._listeners: list[threading.Thread] = []
        self._put: Put = _nowhere
        self._events = False
        self._session: Lease | None = open_session(used_link(link))

    def start(self, put: Put) -> None:
        import zenoh

        if self._session is None:
            raise StreamError("is closed", file=self.name)
        self._put = put
        info = self._session.info
        self._declared.append(info.declare_transport_events_listener(self._event, history=True))
        for key in self._keys:
            # A ring keeps the newest; a callback would have a queue without end before it.
            ring: Any = zenoh.handlers.RingChannel(INBOX_DEPTH)
            subscriber = self._session.declare_subscriber(key, ring)
            self._declared.append(subscriber)
            name = f"{self.name} {key}"
            listener = threading.Thread(
                target=self._listen, args=(subscriber.handler, key), name=name, daemon=True
            )
            self._listeners.append(listener)
            listener.start()

    def close(self) -> None:
        self._put = _nowhere
        declared, self._declared = self._declared, []
        for one in declared:
            one.undeclare()
        # A thread that returns from Zenoh while Python is shutting down aborts the process.
        for listener in self._listeners:
            listener.join(LISTENER_PATIENCE)
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _event(self, event: Any) -> None:
        """A peer came or went."""
        peer = str(event.transport.zid)
        with self._lock:
            before = bool(self._peers)
            if str(event.kind).upper().endswith("PUT"):
                self._peers.add(peer)
            else:
                self._peers.discard(peer)
            after = bool(self._peers)
            lost, was_lost = before and not after, self._lost
            self._lost = lost or (was_lost and not after)
        if lost:
            self._put(Trouble("lost", "the last peer is gone"))
        elif was_lost and after:
            self._put(Trouble("back", "a peer is there again"))

    def _listen(self, subscriber: Any, key: str) -> None:
        """Take what comes, on a thread of its own, until the subscriber is undeclared. All of it
        came after the ring was last found empty. Where as much was taken since as the ring holds,
        it may have been full, and some left out."""
        empty, taken = time.monotonic_ns(), 0
        while True:
            looked = time.monotonic_ns()
            try:
                sample = subscriber.try_recv()
                if sample is None:
                    empty, taken = looked, 0
                    sample = subscriber.recv()
                    empty = time.monotonic_ns()
            except Exception:  # Zenoh's own class: it was undeclared
                return
            taken += 1
            if taken % INBOX_DEPTH == 0:
                text = "messages may have been dropped: more arrived than could be processed"
                self._put(Trouble("flood", text), empty)
                if self._events:
                    self._put(Trouble("grasp", "events may have been lost"), empty)
            self._sample(sample, str(sample.key_expr) if "*" in key else key, empty)

    def _sample(self, sample: Any, key: str, arrived: int) -> None:
        """One message: whatever is wrong with it ends here."""
        try:
            found = self._decoded(sample, key)
        except GarbledError as error:
            self._put(Trouble("garbled", f"{key[:100]}: {error}"), arrived)
            return
        for message in found if type(found) is tuple else (found,):
            self._events = self._events or type(message) is Grasp
            self._put(message, arrived)  # type: ignore[arg-type]

    def _decoded(self, sample: Any, key: str) -> Message | tuple[Message, ...]:
        payload = sample.payload
        if len(payload) > MAX_STREAM_MESSAGE:
            raise GarbledError(f"{len(payload)} bytes; at most {MAX_STREAM_MESSAGE} are read")
        data = payload.to_bytes()
        # Anybody can make up keys, so there is an end to how many are remembered.
        if len(self._decoders) > MAX_STREAM_TOPICS:
            self._decoders.clear()
        which = key, data[:1] in _BRACES
        if which not in self._decoders:
            topic = Topic(key, "", "json") if which[1] else self._topic(key)
            self._decoders[which] = decoder_of(topic, self._world)
        decode = self._decoders[which]
        if decode is None:
            raise GarbledError("messages of this type are not read")
        return decode(data)

    def _topic(self, key: str) -> Topic:
        """The topic behind a key. ``rmw_zenoh`` writes domain/topic/type/hash."""
        parts = key.split("/")
        if len(parts) >= 4 and "::msg::" in parts[-2]:
            return Topic("/".join(parts[1:-2]), plain_type(parts[-2]), "cdr")
        return Topic(key, self._kind, "cdr")


def _nowhere(message: Message, arrived: int | None = None) -> None:
    """Where messages go while nobody listens."""
