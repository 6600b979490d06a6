"""Two robots at work, and a watch beside them.

A Panda and an IRB 2400 stand face to face. This program plays both of them: it publishes their
joint states over Zenoh, each at its own rate, and starts `standoff watch` beside itself, which
knows nothing of it but the cell and the two topics. Every few seconds both reach into the middle
and come too close; the watch says so on a topic of its own, and this program listens. Needs the
extra `streams`. Run it:

    python examples/09_watch_two_robots.py [folder] [seconds]

It leaves cell.toml, the recording run.mcap and the page near-misses.html in the folder (a temporary
one by default). Once more, and bit by bit the same:

    standoff replay run.mcap --verify
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import standoff as so
from standoff.streams.zenoh_session import Link, open_session

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="standoff-"))
folder.mkdir(parents=True, exist_ok=True)
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 12.0

# Everything stays on this machine: an address of the loopback, and no scouting.
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    address = f"tcp/127.0.0.1:{s.getsockname()[1]}"
try:
    session = open_session(Link(listen=(address,)))
except so.Error as error:  # Zenoh is of the extra `streams`
    sys.exit(str(error))

# The cell. Some neighbours within an arm are always near each other and can never touch: this is
# proved, and they are allowed, so that what is left to see is the two robots.
cell = so.Cell()
cell.add_robot("builtin:panda", name="panda")
cell.add_robot("builtin:irb2400", name="irb", base=so.pose((1.6, 0.0, 0.0), rpy=(0.0, 0.0, np.pi)))
rest = np.array([0, -0.5, 0, -2.2, 0, 1.8, 0.785, 0.02, 0, -0.3, 0, 0, 0.3, 0])
reach = np.array([0, 0.45, 0, -1.4, 0, 1.9, 0.785, 0.02, 0, 0.4, 0.1, 0, 0.3, 0])
near = sorted((a, b) for a, b, _ in so.Monitor(cell, buffer=0.1).update(rest).pairs)
cell.prove_apart(near).allow(cell)
cell.save(folder / "cell.toml")

warned: list[dict] = []
states: list[str] = []


def on_warning(sample) -> None:
    warned.append(json.loads(sample.payload.to_bytes()))


def on_state(sample) -> None:
    state = json.loads(sample.payload.to_bytes())["state"]
    if not states or states[-1] != state:
        states.append(state)


listening = [
    session.declare_subscriber("cell/standoff/warnings", on_warning),
    session.declare_subscriber("cell/standoff/state", on_state),
]
watch = subprocess.Popen(
    [
        Path(sys.executable).parent / "standoff", "watch", folder / "cell.toml",
        "--from", f"zenoh:cell/panda?connect={address}",
        "--from", f"zenoh:cell/irb?connect={address}",
        "--to", f"zenoh:cell/standoff?connect={address}",
        "--to", f"mcap:{folder / 'run.mcap'}",
        "--report", folder / "near-misses.html",
        "--buffer", "0.08", "--self", "0.001", "--period", "0.02",
    ]
)  # fmt: skip


def say(robot: str, t: float) -> None:
    """A joint state as JSON; a `sensor_msgs/JointState` in CDR would do as well."""
    share = np.sin(np.pi * t / (2.0 if robot == "panda" else 4.0)) ** 2
    q = rest + share * (reach - rest)
    joints = {n: x for n, x in zip(cell.joints, q.tolist()) if n.startswith(f"{robot}/")}
    session.put(f"cell/{robot}", json.dumps({"time": time.time(), "joints": joints}))


# The robots stand still until the watch is there, and then work: the Panda is read 100 times a
# second, the larger robot 50 times.
while "SAFE" not in states and watch.poll() is None:
    say("panda", 0.0)
    say("irb", 0.0)
    time.sleep(0.01)
start = time.monotonic()
for k in range(round(100 * seconds)):
    t = 0.01 * k
    time.sleep(max(0.0, start + t - time.monotonic()))
    say("panda", t)
    if k % 2 == 0:
        say("irb", t)
time.sleep(0.05)
watch.send_signal(signal.SIGINT)
status = watch.wait()
for subscriber in listening:
    subscriber.undeclare()
session.close()

print(f"states: {' -> '.join(states)}; exit status {status}")
if "STALE" in states[1:]:
    print("STALE in between is right where a busy machine kept the readings back for too long")
if warned:
    closest = min(warned, key=lambda said: said["warnings"][0]["distance"])
    pair = closest["warnings"][0]
    print(f"{len(warned)} cycles with warnings; the closest: {pair['a']} and {pair['b']}, "
          f"{1e3 * pair['distance']:.1f} mm, speed scale {closest['scale']:.2f}")  # fmt: skip
print(f"files: {folder}")
