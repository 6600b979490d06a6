"""How long from a joint state to its warning, and how fast is a replay?

    python benchmarks/watch.py [--quick]

Latency: `standoff watch` runs in a process of its own; this one publishes the joints of two 7-joint
arms over Zenoh on loopback, as `sensor_msgs/JointState` in CDR, and hears the warnings. The arms
are too close all the time, so that every reading has its warning; each reading has a distance of
its own, which tells the warning that it is of. An echo, a process that sends back at once what it
hears, is measured in the same way just before: what Zenoh, Python and the machine take by
themselves.

Throughput: the same arms, moving and safe, replayed as fast as it goes from a ROS 2 bag (MCAP and
SQLite) and from our own record, answers compared bit by bit.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain, cycle, islice
from pathlib import Path

import numpy as np
from peers.watch_arms import BUFFER, RUNGS, Ladder
from peers.watch_traffic import STATES, WARNINGS, Traffic, WatchProcess, sleep_until
from rich.console import Console
from rich.table import Table

from standoff.streams.open_stream import open_sink, open_source
from standoff.streams.options import WatchOptions
from standoff.streams.record.replay import Replay
from standoff.streams.ros_messages import JointStateEncoder
from standoff.streams.runner import Watch

ECHO = Path(__file__).parent / "peers" / "watch_echo.py"

#: Hz, and seconds of each: 30,000 readings at least, of which 30 are beyond the 99.9th percentile.
RATES = {100: 300.0, 1000: 60.0}

#: How long a thread of ours may hold on to the interpreter while another waits for it, [s].
TURN = 0.0001

#: Median and 99.9th percentile that are claimed of a watch in real time, [s].
CLAIMED = (0.001, 0.005)

#: Readings a second that are claimed of a replay.
FLOORS = {"ROS 2 bag, MCAP": 20_000, "ROS 2 bag, SQLite": 20_000, "our own record": 50_000}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    share = 0.1 if parser.parse_args().quick else 1.0
    console = Console(width=120)
    console.print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
                  f"Python {platform.python_version()}", highlight=False)  # fmt: skip
    ladder = Ladder()
    # What is measured is the watch, and not the collector or the threads of this process.
    sys.setswitchinterval(TURN)
    gc.freeze()
    gc.disable()
    with tempfile.TemporaryDirectory(prefix="standoff-") as folder:
        missed = latencies(ladder, Path(folder), share, console)
        missed += throughput(ladder, Path(folder), share, console)
    for text in missed:
        console.print(f"MISSED: {text}", markup=False, highlight=False)
    sys.exit(bool(missed))


def latencies(ladder: Ladder, folder: Path, share: float, console: Console) -> list[str]:
    """Both rates, one after the other; what misses its claim."""
    table = Table(
        "", r"rate \[Hz]", "readings", r"median \[ms]", "99 %", "99.9 %", "worst", "lost", "× echo"
    )
    missed = []
    ladder.cell.save(folder / "cell.toml")
    for rate, seconds in RATES.items():
        cell, length = folder / "cell.toml", share * seconds
        bare = echo(ladder, rate, length / 4.0)
        measured = {
            "echo": bare,
            "watch": latency(ladder, cell, rate, length / 4.0),
            "watch --realtime": latency(ladder, cell, rate, length, "--realtime"),
        }
        for name, times in measured.items():
            cut = np.percentile(times, [50.0, 99.0, 99.9], method="higher")
            lost = int(np.isinf(times).sum())
            figures = [f"{1e3 * value:.2f}" for value in (*cut, times.max())]
            ratio = f"{cut[0] / np.median(bare):.2f}"
            table.add_row(name, str(rate), f"{len(times):,}", *figures, str(lost), ratio)
        if lost or cut[0] > CLAIMED[0] or cut[2] > CLAIMED[1]:
            missed.append(f"latency at {rate} Hz")
    console.print(table)
    return missed


def latency(ladder: Ladder, cell: Path, rate: int, seconds: float, *more: str) -> np.ndarray:
    """From publishing each reading to its warning, [s]."""
    traffic = Traffic(ladder)
    options = ("--buffer", str(BUFFER), "--period", str(1.0 / rate), *more)
    watch = WatchProcess(cell, traffic, *options)
    try:
        traffic.until_watched(ladder.near + 1)
        traffic.run(islice(to_and_fro(ladder), rate), 1.0 / rate)  # a second to warm up
        time.sleep(0.5)
        traffic.sent.clear()
        traffic.heard.clear()
        traffic.run(islice(to_and_fro(ladder), round(seconds * rate)), 1.0 / rate)
        time.sleep(0.5)
    finally:
        watch.end()
        traffic.close()
    for line in watch.lines:
        if line.startswith("--realtime:"):
            print(line, end="")
    return traffic.latencies()[0]


def echo(ladder: Ladder, rate: int, seconds: float) -> np.ndarray:
    """From publishing each reading to having it back, [s]."""
    traffic = Traffic(ladder)
    command = [ECHO, traffic.address, STATES, f"{WARNINGS}/warnings"]
    process = subprocess.Popen([sys.executable, *map(str, command)])
    try:
        while len(traffic.heard) < rate:  # as many as are worth a second warm it up
            traffic.send(b"?")
            time.sleep(0.001)
        sent = {}
        start = time.monotonic()
        for k, rung in enumerate(islice(to_and_fro(ladder), round(seconds * rate))):
            sleep_until(start + k / rate)
            data = traffic.bytes_of(rung, time.time())
            sent[data] = time.monotonic_ns()
            traffic.send(data)
        time.sleep(0.5)
    finally:
        process.terminate()
        process.wait(30.0)
        traffic.close()
    back = {data: at for at, data in traffic.heard}
    return np.array([(back.get(data, np.inf) - at) / 1e9 for data, at in sent.items()])


def to_and_fro(ladder: Ladder) -> Iterator[int]:
    """Rungs that all warn, one step at a time, for ever."""
    up = range(ladder.near, RUNGS - 1)
    return cycle(chain(up, range(RUNGS - 1, ladder.near, -1)))


def throughput(ladder: Ladder, folder: Path, share: float, console: Console) -> list[str]:
    """Cycles a second from each kind of file; what misses its floor."""
    count = round(400_000 * share)
    speeds = {}
    options = WatchOptions(buffer=BUFFER, period=0.001)
    for kind, name in (("mcap", "MCAP"), ("sqlite", "SQLite")):
        bag = folder / kind
        write_bag(ladder, bag, kind, count)
        for _ in range(2):  # the first one compiles
            watch = Watch(ladder.cell, [open_source(f"bag:{bag}")], [], options)
            start = time.perf_counter()
            summary = watch.run()
            speeds[f"ROS 2 bag, {name}"] = summary.cycles / (time.perf_counter() - start)
        assert summary.cycles == count and summary.status == 0, summary
    record = folder / "record.mcap"
    Watch(ladder.cell, [open_source(f"bag:{bag}")], [open_sink(f"mcap:{record}")], options).run()
    start = time.perf_counter()
    replayed = Replay(record).run(verify=True)
    speeds["our own record"] = replayed.compared / (time.perf_counter() - start)
    assert replayed.difference is None and replayed.compared == count, replayed
    table = Table("replay as fast as it goes", "cycles a second", "floor")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.0f}", f"{FLOORS[name]:,}")
    console.print(table)
    return [f"replay from {name}" for name, speed in speeds.items() if speed < FLOORS[name]]


def write_bag(ladder: Ladder, folder: Path, kind: str, count: int) -> None:
    """Both arms in motion, all of it safe, a reading a millisecond."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    storage = StoragePlugin.MCAP if kind == "mcap" else StoragePlugin.SQLITE3
    message = "sensor_msgs/msg/JointState"
    encode = JointStateEncoder(ladder.cell.joints)
    rungs = cycle(chain(range(ladder.near // 2), range(ladder.near // 2, 0, -1)))
    with Writer(folder, version=8, storage_plugin=storage) as writer:
        store = get_typestore(Stores.ROS2_HUMBLE)
        link = writer.add_connection("/joint_states", message, typestore=store)
        for k, rung in enumerate(islice(rungs, count)):
            nano = 1_700_000_000_000_000_000 + 1_000_000 * k
            writer.write(link, nano, encode(1e-9 * nano, ladder.q[rung]))


if __name__ == "__main__":
    main()
