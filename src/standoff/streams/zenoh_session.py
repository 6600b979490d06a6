"""Sessions of Zenoh that are closed to the network unless told otherwise."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from standoff.constants import MAX_NAME_LENGTH
from standoff.errors import StreamError

#: Hosts that stay on this machine.
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Link:
    """How a session reaches others.

    Attributes:
        listen: addresses to be reached at, ``tcp/127.0.0.1:7447``; port 0 is a free one.
        connect: addresses of others; one that is not there yet is tried again and again.
        scouting: look for others in the local network by multicast, and let those found tell of
            more.
        remote: whether addresses may be other than of this machine.
    """

    listen: tuple[str, ...] = ()
    connect: tuple[str, ...] = ()
    scouting: bool = False
    remote: bool = False


def open_session(link: Link) -> Any:
    """A peer of its own, that no file and no variable of the environment configures.

    Raises:
        StreamError: an address that is none or not of this machine, or Zenoh is not installed.
    """
    try:
        import zenoh
    except ImportError as error:
        raise StreamError(
            "Zenoh is not installed; get it with  pip install 'standoff[streams]'"
        ) from error
    for address in (*link.listen, *link.connect):
        _check_address(address, link.remote)
    config = zenoh.Config()
    for key, value in {
        "mode": "peer",
        "listen/endpoints": list(link.listen),
        "connect/endpoints": list(link.connect),
        "connect/exit_on_failure": False,
        "connect/timeout_ms": 0,
        "scouting/multicast/enabled": link.scouting,
        "scouting/gossip/enabled": link.scouting,
    }.items():
        config.insert_json5(key, json.dumps(value))
    try:
        return zenoh.open(config)
    except Exception as error:  # Zenoh raises a class of its own, derived from Exception
        raise StreamError(
            f"Zenoh cannot be opened: {error}", value=", ".join((*link.listen, *link.connect))
        ) from error


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
