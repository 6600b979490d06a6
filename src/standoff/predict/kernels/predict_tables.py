"""The tables of a predictor.

Of a pair the smaller body comes first: ``a < b``. In the pairs of a schedule, which take 16 bytes
each, kernels write ``~a`` where the pair was alarmed when it was last looked at. Times of pairs are
counted in units of 1 / UNIT of a period.
"""

from __future__ import annotations

import numpy as np

from standoff.compiled.tables import ANY, Reals, Record, Records, Tables, Wholes, fields, viewer

#: Kinds of faults: not finite or gone, too fast, velocity changed too much, moved too far.
MISSING = 0
TOO_FAST = 1
ACCELERATED = 2
JUMPED = 3

#: What a step says at once; how many there are of everything is in the `STATE`. ALARMS: alarms and
#: nothing else; MORE: faults or bodies without a promise, too.
QUIET = 0
ALARMS = 1
MORE = 2

#: A period in units of a deadline, and a deadline that never comes.
UNIT = 1 << 20
NEVER = 1 << 60

#: No pair, or no body, comes next; and a pair that is in no slot of the wheel: switched off.
END = -1
OUT = -2

#: Pairs that are worked out together: those of a step of DUA fit into one block.
WIDTH = 128

#: Levels of the grid, each with cells twice as wide as the one before.
LEVELS = 32

#: A body: its bounds, and the last reading that was looked at. ``radius`` includes half the margin,
#: ``speed`` is infinite where no bound was given, ``seen_at`` is the time of that reading,
#: ``seen_in`` the number of its step (-1: none yet), ``fault_in`` that of the last step with a
#: fault of this body (-1: none).
BODY = fields(
    radius=float, acceleration=float, speed=float,
    x=float, y=float, z=float, vx=float, vy=float, vz=float,
    seen_at=float, seen_in=int, fault_in=int,
)  # fmt: skip

FAULT = fields(kind=int, body=int, value=float, allowed=float)

#: An alarm: no contact for so many ``units``, and the next look done after so many ``periods``;
#: ``new``: it is no repetition.
ALARM = fields(a=np.int32, b=np.int32, units=int, periods=int, new=int)

#: What all schedules keep from step to step. ``blur``: by how much stamps may be off from each
#: other, in units of CLOCK_INSTANT; ``judged``: alarms go to an exact stage, which may rule them
#: out until the next look; ``late_in``: the last step that came late. Of the last step: its time
#: and the number of periods' units until then, alarms ``found``, how many of them are ``new``,
#: pairs looked at, faults, pairs that it found without a promise (``voids``), and bodies whose ball
#: may not have held any longer (``expired``). ``wait``: see `wheel_void` and `dua_void`.
#: ``queued``: pairs in the block. ``work_out``: the address of that kernel.
STATE = fields(
    period=float, urgency=int, work_out=int, blur=int, judged=int, late_in=int,
    step=int, now=float, clock=int, found=int, new=int, tests=int, faults=int, voids=int,
    expired=int, wait=int, queued=int,
)  # fmt: skip


class Watched(Tables):
    """What every schedule works on."""

    bodies = Records(BODY)
    off = Wholes(2, "pairs that are switched off, sorted")
    block = Reals(ANY, "pairs that are worked out together; rows: `kernels.time_to_contact`")
    alarms = Records(ALARM, "of the last step, as many as have room")
    faults = Records(FAULT, "of the last step, as many as have room")
    state = Record(STATE)


#: The first of a list, or END.
LIST = fields(first=np.int32)

#: A pair in the wheel. ``next``: after it in its slot, END, or OUT. With all pairs, ``seen`` is the
#: step of its last look; with a horizon, ``beside`` is the next one in its list, at the same place:
#: 16 bytes a pair.
DUE = np.dtype(
    {
        "names": ["a", "b", "next", "seen", "beside"],
        "formats": [np.int32] * 5,
        "offsets": [0, 4, 8, 12, 12],
        "itemsize": 16,
        "aligned": True,
    }
)

#: A pair in a block of the wheel: its entry, and whether both its bodies can be believed.
QUEUED = fields(entry=int, good=int)
VOID = fields(a=np.int32, b=np.int32)

#: A ball that a body cannot leave for a horizon, the body's own radius and half the margin
#: included; ``since`` when, [s].
BALL = fields(x=float, y=float, z=float, reach=float, since=float)

#: Where a body is in the grid: its list, the body after it there, its level.
PLACE = fields(cell=np.int32, after=np.int32, level=np.int32)

#: The wheel itself: ``budget`` of tests in a step, the slot it stands at, the first and the last
#: pair that are overdue, the first unused entry and how many are used. With a ``horizon``: the body
#: to be registered next, and the ``edge`` of a cell on level 0.
WHEEL = fields(
    budget=int, tick=int, overdue=int, overdue_last=int, unused=int, live=int, next_body=int,
    horizon=float, edge=float,
)  # fmt: skip


class Wheel(Watched):
    """Pairs in a wheel of deadlines. Lists, balls and grid are there only with a horizon."""

    pairs = Records(DUE)
    slots = Records(LIST, "pairs due in each period, a power of two of them")
    lists = Records(LIST, "pairs by their bodies, a power of two of them")
    queue = Records(QUEUED, "what the block is of")
    voids = Records(VOID, "pairs that the last step found without a promise, as many as have room")
    balls = Records(BALL)
    cells = Records(LIST, "bodies by their cells, a power of two of them")
    places = Records(PLACE)
    counts = Wholes(doc="balls on each level of the grid")
    wheel = Record(WHEEL)


#: A pair in a bucket, or looked at: no contact before its deadline, since the first step, rounded
#: down.
RANKED = fields(a=np.int32, b=np.int32, deadline=int)

#: ``cursor``: which of its places has its turn next.
BUCKET = fields(first=int, length=int, cursor=int)

#: A place whose turn it is, and in how many steps it has its next one.
SEAT = fields(place=int, wait=int)
DUA = fields(woken=int, partial=int)


class Buckets(Watched):
    """Pairs in buckets of growing size."""

    pairs = Records(RANKED, "bucket after bucket")
    buckets = Records(BUCKET)
    seats = Records(SEAT, "places of this step; behind one for each bucket those that were woken")
    rows = Records(RANKED, "the pairs at those places")
    marks = Wholes(doc="of each of them: CLEAR, DOUBTED or SWITCHED_OFF")
    dua = Record(DUA)


wheel_at = viewer(Wheel)
buckets_at = viewer(Buckets)
