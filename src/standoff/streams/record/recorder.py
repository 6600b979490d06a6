"""The sink that keeps everything: what came in, and what was said of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import standoff
from standoff.geometry.pose import Array
from standoff.streams.batch import Stretch
from standoff.streams.decoders import OWN_ENCODING
from standoff.streams.engine import Input
from standoff.streams.limits import RECORD_BLOCK, TIME_LIMIT
from standoff.streams.record.blocks import ANSWER, InputBlock, answer
from standoff.streams.record.mcap import McapWriter
from standoff.streams.report import Report, State
from standoff.streams.report_json import (
    SCHEMAS,
    one_line,
    scene_update,
    state_line,
    warnings_line,
)
from standoff.streams.ros_messages import DEFINITION, JointStateEncoder

#: Seconds between two pictures of the cell in a record, [s]: its joints and its state for people,
#: where nothing changes. All readings are in it besides.
RECORD_SHOWN = 0.02


#: Seconds that a time of ROS has room for.
_ROS_TIME = 2.0**31 - 1.0

#: The topics that only a replay reads.
INPUT, ANSWERS = "/standoff/input", "/standoff/answers"


class Recorder:
    """Writes one MCAP file. Until `about` has told what is recorded, nothing can be.

    Args:
        path: of the file; one that is there is replaced, but not before `about`.

    Raises:
        StreamError: it cannot be made.
    """

    def __init__(self, path: str | Path) -> None:
        self.name = f"mcap:{path}"
        self.path = Path(path)
        self._mcap = McapWriter(path, f"standoff {standoff.__version__}")
        self._inputs = InputBlock()
        self._answers: list[tuple[Any, ...]] = []
        self._time = 0
        self._shown = -math.inf
        self._lost = 0
        self._warned = False
        self._begun = False

    def about(self, texts: Mapping[str, str], joints: tuple[str, ...]) -> None:
        """What a replay needs to know, and the joints in their order. Now the recording begins, and
        with it what was in the file before is gone.

        Raises:
            OSError: it stays.
        """
        mcap = self._mcap
        mcap.metadata("standoff", texts)
        self._input = mcap.channel(INPUT, f"{OWN_ENCODING}input-1")
        self._answer = mcap.channel(ANSWERS, f"{OWN_ENCODING}answers-1")
        self._state = self._json("/standoff/state", "standoff.State")
        self._warnings = self._json("/standoff/warnings", "standoff.Warnings")
        self._markers = self._json("/standoff/markers", "foxglove.SceneUpdate")
        schema = mcap.schema("sensor_msgs/msg/JointState", "ros2msg", DEFINITION.encode())
        self._joint_states = mcap.channel("/joint_states", "cdr", schema)
        short = [name.partition("/")[2] for name in joints]
        alone = len({*short}) == len(short) and len({n.partition("/")[0] for n in joints}) == 1
        self._joints = JointStateEncoder(short if alone else joints)
        mcap.spool.begin()
        self._begun = True

    def _json(self, topic: str, schema: str) -> int:
        number = self._mcap.schema(schema, "jsonschema", json.dumps(SCHEMAS[schema]).encode())
        return self._mcap.channel(topic, "json", number)

    def put(self, report: Report) -> None:
        """A report without its inputs cannot be replayed; see `take`."""
        self.take(report, ())

    def take(self, report: Report, inputs: tuple[Input, ...]) -> None:
        """One cycle: what came in, what was said, and where the joints are.

        Raises:
            OSError: the disk is full, and has been for so long that nothing is kept any more.
        """
        if self._full(report.time, 1):
            raise OSError("the disk is full: cycles are missing from the recording")
        said = answer(report)  # before anything is kept: a cycle has both or neither
        self._inputs.add(report.time, inputs)
        self._answers.append(said)
        self._show(report)
        if len(self._inputs) >= RECORD_BLOCK:
            self._pack()

    def take_stretch(self, stretch: Stretch) -> None:
        """Quiet cycles.

        Raises:
            OSError: as `take`.
        """
        if self._full(float(stretch.times[0]), len(stretch)):
            raise OSError("the disk is full: cycles are missing from the recording")
        for k, clearance in enumerate(stretch.clearances.tolist()):
            now, source, message = stretch.batch.reading(k)
            self._inputs.add(now, ((source, message),))
            self._answers.append((stretch.number + k, now, clearance, 1.0, int(State.SAFE), 0))
            if len(self._inputs) >= RECORD_BLOCK:
                self._pack()
        self._joint_state(float(stretch.times[-1]), stretch.Q[-1])

    def skipped(self, cycles: int) -> None:
        """So many cycles never came here."""
        self._lost += cycles

    def _full(self, now: float, cycles: int) -> bool:
        """Whether there is no room for more; how much is not there is written once there is."""
        if self._mcap.spool.full:
            self._lost += cycles
            return True
        if self._lost:
            self._inputs.gap(now, self._lost)
            self._lost = 0
        return False

    def _show(self, report: Report) -> None:
        """For people: each change and each warning, and some of what lies between."""
        time = self._time = _nanoseconds(report.time)
        warned = report.cycle is not None and bool(report.cycle.bits)
        since = report.time - self._shown
        if report.changed or not 0.0 <= since < RECORD_SHOWN:
            self._shown = report.time
            self._mcap.message(self._state, time, state_line(report))
            if report.q is not None:
                self._joint_state(report.time, report.q)
        if warned:
            self._mcap.message(self._warnings, time, warnings_line(report))
        if warned or self._warned:
            self._mcap.message(self._markers, time, one_line(scene_update(report)))
        self._warned = warned

    def _joint_state(self, now: float, q: Array) -> None:
        self._time = _nanoseconds(now)
        if abs(now) < _ROS_TIME:
            self._mcap.message(self._joint_states, self._time, self._joints(now, q))

    def _pack(self) -> None:
        if self._answers or len(self._inputs):
            rows = np.array(self._answers, dtype=ANSWER)
            self._mcap.message(self._input, self._time, self._inputs.pack())
            self._mcap.message(self._answer, self._time, rows.tobytes())
            self._inputs.clear()
            self._answers = []

    def flush(self) -> None:
        """All but a torn end is on the disk.

        Raises:
            OSError: it is full. What it did not take waits for the next time.
        """
        self._pack()
        self._mcap.flush()

    def close(self) -> None:
        """The end of the file, and what is missing before it; nothing where it never began."""
        if not self._begun:
            self._mcap.spool.close()
            return
        if self._lost:
            self._inputs.gap(self._time / 1e9, self._lost)
            self._lost = 0
        self._pack()
        self._mcap.close()


def _nanoseconds(time: float) -> int:
    """Of an MCAP file: from 0 on."""
    return max(0, int(time * 1e9)) if abs(time) <= TIME_LIMIT else 0
