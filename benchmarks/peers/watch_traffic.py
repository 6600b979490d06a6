"""Joint states out over Zenoh at an even rate, warnings in, and which is of which."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from peers.watch_arms import Ladder
from standoff.streams.ros_messages import JointStateEncoder
from standoff.streams.zenoh_session import Link, open_session

STANDOFF = Path(sys.executable).parent / "standoff"
STATES, WARNINGS = "cell/joint_states", "cell/standoff"


def free_address() -> str:
    """One of this machine that nobody listens at."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return f"tcp/127.0.0.1:{s.getsockname()[1]}"


class Traffic:
    """A session that publishes joint states and hears warnings.

    Attributes:
        sent: when each reading was published, by `time.monotonic_ns`, and its rung.
        heard: when each message of warnings arrived, and what it says.
        states: how many messages about the state arrived.
    """

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        self.address = free_address()
        self.sent: list[tuple[int, int]] = []
        self.heard: list[tuple[int, bytes]] = []
        self.states = 0
        self._encode = JointStateEncoder(ladder.cell.joints)
        self.open()

    def open(self) -> None:
        """Be there, as at first and after `close`."""
        self._session = open_session(Link(listen=(self.address,)))
        import zenoh

        self._publisher = self._session.declare_publisher(
            STATES, congestion_control=zenoh.CongestionControl.BLOCK, express=True
        )
        self._subscribers = [
            self._session.declare_subscriber(f"{WARNINGS}/warnings", self._warned),
            self._session.declare_subscriber(f"{WARNINGS}/state", self._stated),
        ]

    def _warned(self, sample: Any) -> None:
        self.heard.append((time.monotonic_ns(), sample.payload.to_bytes()))

    def _stated(self, sample: Any) -> None:
        self.states += 1

    def bytes_of(self, rung: int, stamp: float) -> bytes:
        """A joint state."""
        return self._encode(stamp, self.ladder.q[rung])

    def send(self, data: bytes, rung: int = -1) -> None:
        """Publish; ``rung`` -1 for what is no good reading."""
        if rung >= 0:
            self.sent.append((time.monotonic_ns(), rung))
        self._publisher.put(data)

    def run(self, rungs: Iterable[int], period: float) -> None:
        """One reading after the other, each at its time."""
        start = time.monotonic()
        for k, rung in enumerate(rungs):
            sleep_until(start + k * period)
            self.send(self.bytes_of(rung, time.time()), rung)

    def until_watched(self, rung: int, seconds: float = 120.0) -> None:
        """Publish until the watch answers; none of that counts as sent."""
        end, enough = time.monotonic() + seconds, self.states + 20
        while self.states < enough:
            if time.monotonic() > end:
                raise RuntimeError("the watch does not answer")
            self.send(self.bytes_of(rung, time.time()))
            time.sleep(0.01)

    def latencies(self) -> tuple[NDArray[np.float64], int]:
        """From publishing a reading to its warning, [s], for each that should warn; infinite where
        there was none. And how many warnings are of no reading."""
        when: dict[int, list[int]] = {}
        strays = 0
        for at, data in self.heard:
            rung = self.ladder.rung_of(json.loads(data)["warnings"][0]["distance"])
            if rung is None:
                strays += 1
            else:
                when.setdefault(rung, []).append(at)
        found, used = [], dict.fromkeys(when, 0)
        for at, rung in self.sent:
            if rung < self.ladder.near:
                continue
            times = when.get(rung, [])
            k = used.get(rung, 0)
            while k < len(times) and times[k] < at:
                k += 1
            used[rung] = k + 1
            found.append((times[k] - at) / 1e9 if k < len(times) else np.inf)
        return np.array(found), strays

    def close(self) -> None:
        """Be gone."""
        for subscriber in self._subscribers:
            subscriber.undeclare()
        self._session.close()


class WatchProcess:
    """`standoff watch` in a process of its own, connected to the traffic."""

    command: ClassVar = (STANDOFF, "watch")

    def __init__(self, cell: Path, traffic: Traffic, *options: str) -> None:
        self.lines: list[str] = []
        link = f"?connect={traffic.address}"
        command = [
            *self.command, cell, "--from", f"zenoh:{STATES}{link}",
            "--to", f"zenoh:{WARNINGS}{link}", *options,
        ]  # fmt: skip
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            del self.lines[:-200]

    def memory(self) -> int | None:
        """Resident, [bytes]; None where the system does not tell or it has ended."""
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return None
        return 4096 * int(pages)

    def end(self) -> int:
        """As Ctrl-C does; its exit status."""
        import signal

        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(60.0)


def sleep_until(when: float) -> None:
    """Until a time of `time.monotonic`."""
    left = when - time.monotonic()
    if left > 0.0:
        time.sleep(left)
