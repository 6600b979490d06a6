"""The engine says what the table says, and as many cycles at once say what each would.

`make soak` takes many more streams than the suite."""

import os

import numpy as np
import pytest

from standoff.streams.engine import WatchEngine
from standoff.streams.report import State
from tests.watch_model import OPTIONS, SOURCES, Model, cell, stream
from tests.watch_worlds import kinds

SOAK = bool(os.environ.get("STANDOFF_SOAK"))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
def test_the_engine_says_what_the_table_says(part):
    count, seen = 2000 if SOAK else 60, set()
    for seed in range(part * count, (part + 1) * count):
        watch, model = WatchEngine(cell(), OPTIONS, SOURCES), Model()
        for k, (now, inputs) in enumerate(stream(seed)):
            report, (state, why) = watch.cycle(now, inputs), model.cycle(now, inputs)
            assert (report.state, kinds(report)) == (state, why), (seed, k, now)
            assert np.array_equal(report.q, [model.value[n] or 0.0 for n in watch.cell.joints])
            seen |= why | {state}
    assert seen >= {*State, "warning", "waiting", "silent", "lost", "late", "missing", "non-finite",
                    "limits", "pose", "backwards", "doubled", "garbled", "names", "flood"}  # fmt: skip
