"""Sends back at once what it hears: the floor of what any watch in Python over Zenoh can take.

python benchmarks/peers/watch_echo.py ADDRESS FROM TO
"""

from __future__ import annotations

import sys
import threading

import zenoh

from standoff.streams.zenoh_session import Link, open_session


def main(address: str, heard: str, said: str) -> None:
    session = open_session(Link(connect=(address,)))
    publisher = session.declare_publisher(
        said, congestion_control=zenoh.CongestionControl.BLOCK, express=True
    )
    _kept = session.declare_subscriber(heard, lambda sample: publisher.put(sample.payload))
    threading.Event().wait()  # until it is terminated


if __name__ == "__main__":
    main(*sys.argv[1:])
