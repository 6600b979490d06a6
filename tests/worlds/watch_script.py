"""What a soak of the watch sends: two arms that rest, near each other now and then for some cycles,
and every fault that a stream can have in between and in the middle of it."""

import time
from dataclasses import dataclass, field

import numpy as np

from standoff.streams.ros_messages import JointStateEncoder

#: Rungs from where the arms rest to where they are too close, and how many a second they take.
REST, SPEED = 60, 2000

#: Faults, and the kind that the watch is to call each by.
FAULTS = {
    "nan": "non-finite",
    "garbled": "garbled",
    "cut": "garbled",
    "back": "backwards",
    "doubled": "doubled",
    "missing": "missing",
    "limits": "limits",
    "jump": "jump",
    "silence": "silent",
    "gone": "silent",
    "flood": "",  # a watch that is fast enough takes them all
    "extra": "",  # joints that the cell does not have do no harm
}


@dataclass
class Violation:
    """Good readings, when each was sent (`time.time`), and its rung."""

    sent: list[tuple[float, int]] = field(default_factory=list)


class Script:
    """Sends through a `Traffic`, at ``rate`` readings a second."""

    def __init__(self, traffic, rate, seed):
        self.traffic, self.period = traffic, 1.0 / rate
        self.rng = np.random.default_rng(seed)
        self.near = traffic.ladder.near
        self.rung = self.near - REST
        self.violations = []
        self.faults = set()
        self.readings = 0
        joints = traffic.ladder.cell.joints
        self._short = JointStateEncoder(joints[:-1])
        self._long = JointStateEncoder((*joints, "camera/tilt"))
        self._clock = time.monotonic()
        self._last = b""

    def run(self, seconds, tick=lambda: None):
        """Until then; ``tick`` is called after each violation."""
        end = time.monotonic() + seconds
        kinds = []
        while time.monotonic() < end or kinds or not FAULTS.keys() <= self.faults:
            if not kinds:
                kinds = self.rng.permutation([k for k in FAULTS if k != "gone"]).tolist()
                if "gone" not in self.faults or self.rng.random() < 0.02:
                    kinds.append("gone")  # seldom: it takes a second to come back
            self.rest(self.rng.uniform(0.15, 0.25))
            self.fault(kinds.pop())
            self.rest(self.rng.uniform(0.15, 0.25))
            self.violate()
            tick()
        self.rest(0.2)

    def rest(self, seconds):
        for _ in range(round(seconds / self.period)):
            self.send(self.near - REST + int(self.rng.integers(0, 5)))

    def violate(self):
        """To a rung that is too close, for two cycles at least, and back; at times with a bad
        message in the middle."""
        planted = Violation()
        depth, stay = int(self.rng.integers(0, 150)), int(self.rng.integers(2, 40))
        up = range(self.near - REST, self.near + depth, round(SPEED * self.period))
        for rung in (*up, *[self.near + depth] * stay, *reversed(up)):
            self.send(rung, planted)
            if self.rng.random() < 0.01:
                self.fault(str(self.rng.choice(["nan", "garbled", "cut", "doubled"])))
        self.violations.append(planted)

    def send(self, rung, planted=None):
        self._wait()
        self.rung = rung
        self._last = self.traffic.bytes_of(rung, time.time())
        if planted is not None and rung >= self.near:
            planted.sent.append((time.time(), rung))
        self.traffic.send(self._last, rung)
        self.readings += 1

    def _wait(self):
        """For the next turn; one that was missed is not made up for."""
        now = time.monotonic()
        self._clock = max(self._clock + self.period, now)
        time.sleep(self._clock - now)

    def fault(self, kind):
        self.faults.add(kind)
        traffic, rng, q = self.traffic, self.rng, self.traffic.ladder.q[self.rung].copy()
        now = time.time()
        if kind in ("nan", "limits", "jump"):
            joint = int(rng.integers(2, 7))
            q[joint] = {"nan": np.nan, "limits": 9.0, "jump": q[joint] + 1.0}[kind]
            self._put(traffic._encode(now, q))
        elif kind == "garbled":
            self._put(rng.bytes(int(rng.integers(0, 300))))
        elif kind == "cut":
            data = traffic._encode(now, q)
            self._put(data[: int(rng.integers(5, len(data) - 5))])
        elif kind == "back":
            self._put(traffic._encode(now - 5.0, q))
        elif kind == "doubled":
            self._put(self._last)
        elif kind == "missing":
            self._put(self._short(now, q[:-1]))
        elif kind == "extra":
            self._put(self._long(now, [*q, 0.3]))
        elif kind == "silence":
            time.sleep(0.3)
        elif kind == "flood":
            for _ in range(400):
                traffic.send(traffic.bytes_of(self.rung, time.time()))
        elif kind == "gone":
            traffic.close()
            time.sleep(0.3)
            traffic.open()
            traffic.until_watched(self.rung)

    def _put(self, data):
        self._wait()
        self.traffic.send(data)
