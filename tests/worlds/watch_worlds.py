"""Streams made up in memory, for the tests of the watch."""

import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import standoff as so
from standoff.papers.testbed import BUFFER, TASKS
from standoff.papers.testbed import testbed_cell as new_cell
from standoff.streams.engine import WatchEngine
from standoff.streams.messages import Joints
from standoff.streams.options import WatchOptions
from standoff.streams.report import State

PERIOD = 0.05
OPTIONS = WatchOptions(buffer=BUFFER, period=PERIOD, max_age=0.2)


def task(number):
    """Joint angles of a task of paper 000: the second ends too close to a table."""
    return TASKS[number - 1].joints(new_cell())


def readings(Q, start=100.0, names=None, period=PERIOD, latency=0.0):
    """Times and messages."""
    names = new_cell().joints if names is None else names
    return [
        (start + period * k + latency, Joints(start + period * k, names, q))
        for k, q in enumerate(Q)
    ]


def engine(options=OPTIONS, sources=("arms",), sinks=()):
    return WatchEngine(new_cell(), options, sources, sinks)


def run(watch, messages, source=0):
    """All reports of an engine on messages one by one."""
    return [watch.cycle(now, ((source, message),)) for now, message in messages]


def kinds(report):
    return {reason.kind for reason in report.reasons}


def states(reports):
    return [report.state for report in reports]


def only_safe(reports):
    return all(report.state is State.SAFE for report in reports)


class Memory:
    """A recording in memory."""

    def __init__(self, messages, name="memory"):
        self.name, self._all, self.closed = name, list(messages), 0

    def messages(self):
        yield from self._all

    def progress(self):
        return 1.0

    def close(self):
        self.closed += 1


class Pipe:
    """A live source: hands its messages over from a thread, each after a pause."""

    def __init__(self, script, name="pipe"):
        self.name, self._script = name, script
        self._thread = None

    def start(self, put):
        def work():
            for pause, message in self._script:
                if pause:
                    time.sleep(pause)
                put(message)

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def close(self):
        pass


class Kept:
    """A sink that keeps reports; `slow` seconds for each, raises while `broken`."""

    def __init__(self, name="kept", slow=0.0):
        self.name, self.slow, self.broken = name, slow, None
        self.reports = []
        self.closed = False

    def put(self, report):
        if self.slow:
            time.sleep(self.slow)
        if self.broken is not None:
            raise self.broken
        self.reports.append(report)

    def flush(self):
        if self.broken is not None:
            raise self.broken

    def close(self):
        self.closed = True


def with_value(message, joint, value):
    """The same reading with one joint changed."""
    positions = np.array(message.positions)
    positions[joint] = value
    return Joints(message.stamp, message.names, positions)


_SLIDER = """<robot name="slider"><link name="base"/>
<link name="hand"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="hand"/><axis xyz="1 0 0"/>
<limit lower="-5" upper="5" velocity="2" effort="1"/></joint></robot>"""


#: Records refer to the robot in it.
_FOLDER = tempfile.TemporaryDirectory()


def sliders(*robots):
    """Hands that slide along x, 3 m from each other, to a wall whose face is at 1.95 m."""
    cell, urdf = so.Cell(), Path(_FOLDER.name) / "slider.urdf"
    urdf.write_text(_SLIDER)
    for k, name in enumerate(robots):
        cell.add_robot(urdf, name=name, base=so.pose((0.0, 3.0 * k, 0.0)))
    cell.add_body("wall", so.Box((0.1, 10.0, 1.0)), so.pose((2.0, 0.0, 0.0)))
    return cell


def at(stamp, **robots):
    """A reading of sliders."""
    names = tuple(f"{name}/x" for name in robots)
    return Joints(stamp, names, np.array([*robots.values()], dtype=np.float64))
