"""Reports as a watch would make them, without a watch."""

import math
import struct

from standoff.monitor.kernels import tables as m
from standoff.monitor.report import Cycle, QuietCycle
from standoff.streams.report import Reason, Report, State

ROW = struct.Struct(f"={m.PARTS}dqqq")


def hit(distance, a, b, *, threshold=0.1, closing=0.1):
    """One row of a cycle: bodies by number, the witness points on the x axis."""
    row = [0.0] * m.PARTS
    row[0] = distance
    row[1] = distance
    row[7] = 1.0
    row[m.THRESHOLD], row[m.CLOSING], row[m.WHEN] = threshold, closing, 1.0
    return ROW.pack(*row, m.BODIES_PART if closing < 0.0 else m.APPROACHES, a, b)


def cycle(*hits, number=1, time=0.0, names=("a", "b", "c", "d"), clearance=None):
    """A cycle with these hits, the nearest first."""
    if not hits:
        return QuietCycle(number, time, math.inf if clearance is None else clearance)
    hits = sorted(hits, key=lambda h: ROW.unpack(h)[0])
    near = min(ROW.unpack(h)[0] for h in hits) if clearance is None else clearance
    return Cycle(number, time, near, (), b"".join(hits), (names, True))


def report(number, time, *hits, state=None, changed=False, reasons=None, **more):
    """A report; WARNING where there are hits, and the reasons that go with it."""
    names = more.pop("names", ("a", "b", "c", "d"))
    seen = cycle(
        *hits, number=number, time=time, names=names, clearance=more.pop("clearance", None)
    )
    if state is None:
        state = State.WARNING if hits else State.SAFE
    if reasons is None:
        reasons = tuple(
            Reason(State.WARNING, "warning", f"{w.a} – {w.b}", str(w)) for w in seen.warnings
        )
    fields = {"scale": 1.0 if state is State.SAFE else 0.0, "ages": {"csv:x": 0.01}, **more}
    if fields.pop("no_cycle", False):
        seen = None
    return Report(number, time, state, changed, tuple(reasons), seen, **fields)
