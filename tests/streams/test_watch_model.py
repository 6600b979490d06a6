"""The engine says what the table says, and as many cycles at once say what each would.

`make soak` takes many more streams than the suite."""

import os

import numpy as np
import pytest

from standoff.streams.batch import gathered
from standoff.streams.engine import WatchEngine
from standoff.streams.messages import Joints
from standoff.streams.options import WatchOptions
from standoff.streams.report import State
from tests.oracles.watch_model import BUFFER, OPTIONS, SOURCES, Model, cell, stream
from tests.worlds.watch_worlds import kinds

SOAK = bool(os.environ.get("STANDOFF_SOAK"))
#: Streams that were once told differently: a publisher that says NaN of one joint from the start; a
#: new list of names that comes with too few values, and shares a joint with an earlier one.
FOUND = (507, 1728, 3114, 3996, 4381, 5291, 6459)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
def test_the_engine_says_what_the_table_says(part):
    count, seen = 2000 if SOAK else 60, set()
    for seed in (*range(part * count, (part + 1) * count), *FOUND):
        watch, model = WatchEngine(cell(), OPTIONS, SOURCES), Model()
        for k, (now, inputs) in enumerate(stream(seed, shared=seed % 7 == 6)):
            report, (state, why) = watch.cycle(now, inputs), model.cycle(now, inputs)
            assert (report.state, kinds(report)) == (state, why), (seed, k, now)
            assert np.array_equal(report.q, [model.value[n] or 0.0 for n in watch.cell.joints])
            seen |= why | {state}
    assert seen >= {*State, "warning", "waiting", "silent", "lost", "late", "missing", "non-finite",
                    "limits", "pose", "backwards", "doubled", "garbled", "names",
                    "flood"}  # fmt: skip


#: How often each speaks is measured here, as a watch of files has it.
MEASURED = WatchOptions(
    buffer=BUFFER, period=0.09, periods={"a/x": 0.09, "b/x": 0.02, "c/x": 0.05, "cart": 0.3},
    max_speed=1e6,
)  # fmt: skip


def numbers(cycle):
    return None if cycle is None else (cycle.number, cycle.clearance)


def same(report, other):
    """Whether two reports say the same, but for how long they took."""
    return (
        (report.number, report.time, report.state, report.changed, report.reasons)
        == (other.number, other.time, other.state, other.changed, other.reasons)
        and (report.scale, report.ages) == (other.scale, other.ages)
        and numbers(report.cycle) == numbers(other.cycle)
        and np.array_equal(report.q, other.q)
    )


def plain(inputs):
    """Whether a cycle may be one of many at once: one reading and nothing else."""
    if len(inputs) != 1 or type(inputs[0][1]) is not Joints:
        return False
    return len(inputs[0][1].names) == len(inputs[0][1].positions)


def at_once(watch, waiting, told):
    """Hand over readings together, and hold what comes of it against what was told one by one.
    Returns how many were quiet."""
    count = 0
    while waiting:
        batch = gathered([(now, *inputs[0]) for now, inputs in waiting])
        stretch, report = watch.stretch(batch)
        for k in range(len(stretch)):
            one = told[k]
            assert (one.state, one.changed, one.scale) == (State.SAFE, False, 1.0), one
            assert one.cycle.clearance == stretch.clearances[k]
            assert np.array_equal(one.q, stretch.Q[k])
        done = len(stretch)
        count += done
        if report is None and done < len(waiting):
            report = watch.cycle(*waiting[done])
        if report is not None:
            assert same(report, told[done]), (report, told[done])
            done += 1
        waiting, told = waiting[done:], told[done:]
    return count


@pytest.mark.soak
@pytest.mark.parametrize("options", [OPTIONS, MEASURED])
def test_many_cycles_at_once_say_what_each_would(options):
    quiet = 0
    for seed in range(2000 if SOAK else 40):
        one, many = (WatchEngine(cell(), options, SOURCES) for _ in range(2))
        waiting, told = [], []
        for now, inputs in stream(seed, steps=300, faulty=0.01 * (seed % 4), shared=seed % 7 == 6):
            report = one.cycle(now, inputs)
            if plain(inputs) and len(waiting) < 200:
                waiting.append((now, inputs))
                told.append(report)
                continue
            quiet += at_once(many, waiting, told)
            waiting, told = [], []
            assert same(many.cycle(now, inputs), report), (seed, now)
            assert many.due() == one.due()
        quiet += at_once(many, waiting, told)
    assert quiet > 1000
