"""The tables of a predictor.

Bodies: ``bodies``, float64 (n, 12): bounds, and the last reading that was looked at
    0 radius and half the margin, 1 largest acceleration, 2 largest speed (infinite: none given),
    3-5 position, 6-8 velocity, 9 time of that reading, 10 number of its step (-1: none yet),
    11 number of the last step with a fault of this body (-1: none)

Faults: ``faults``, float64 (k, 4): kind, body, value, what is allowed

Pairs of DUA: ``pairs``, int64 (m, 2)
    0 the pair, ``a << 31 | b`` with a < b; bit 62: alarmed when it was looked at last
    1 deadline: no contact before, in units of 1 / UNIT of a period since the first step, rounded
      down; at most NEVER

Pairs of the wheel: ``pairs``, int32 (m, 4)
    0 a, or ~a: alarmed when it was looked at last, 1 b,
    2 the next pair in its slot of the wheel, END, or OUT of the wheel: switched off,
    3 with all pairs: the step of the last look; with a horizon: the next pair in its list, or END

Lists of pairs, with a horizon: ``firsts``, int32, a power of two: the first pair of each, or END;
    which list a pair is in follows from its bodies

Balls that bodies cannot leave for a horizon: ``balls``, float64 (n, 5)
    0-2 centre, 3 radius, the body's own and half the margin included, 4 from when on, [s]

Pairs that are switched off: ``off``, int64, sorted pairs.
"""

from __future__ import annotations

RADIUS = 0
ACCELERATION = 1
SPEED = 2
POSITION = 3
VELOCITY = 6
SEEN_AT = 9
SEEN_IN = 10
FAULT_IN = 11
BODY_COLUMNS = 12

#: Urgencies: which function says how early a pair can touch; GAP is the distance itself, [m], which
#: orders pairs and promises nothing.
FREE = 0
BOUNDED = 1
DISTANCE = 2
GAP = 3

#: Kinds of faults: not finite or gone, too fast, velocity changed too much, moved too far.
MISSING = 0
TOO_FAST = 1
ACCELERATED = 2
JUMPED = 3
FAULT_COLUMNS = 4

#: Bits of a body in a pair, and the pair itself without its marks.
BODY_BITS = 31
BODY_MASK = (1 << BODY_BITS) - 1
PAIR_MASK = (1 << 62) - 1
ALARMED = 1 << 62

#: A period in units of a deadline, and a deadline that never comes.
UNIT = 1 << 20
NEVER = 1 << 60

END = -1
OUT = -2

#: Columns of ``balls``.
REACH = 3
SINCE = 4
BALL_COLUMNS = 5

#: Numbers that are kept from step to step: ``state``, int64. JUDGED: alarms go to an exact stage,
#: which may rule them out until the next look; LATE_IN: the last step that came late; BLUR: by how
#: much stamps may be off from each other, in units of CLOCK_INSTANT.
STEP = 0
FAULTS = 1
WOKEN = 2
TESTS = 3
CLOCK = 4
WAIT = 5
TICK = 6
OVERDUE = 7
OVERDUE_LAST = 8
UNUSED = 9
LIVE = 10
VOIDS = 11
FOUND = 12
NEXT_BODY = 13
EXPIRED = 14
UNTESTED = 15
NEW = 16
QUEUED = 17
JUDGED = 18
LATE_IN = 19
BLUR = 20
STATE = 21

#: A step says how many alarms there are, and this times the number of faults; as many faults as
#: there never are where it is not keeping up.
FAULT = 1 << 32
NOT_KEPT = FAULT << 29

#: Pairs to a block: those of a step of DUA fit into one.
WIDTH = 128

#: Columns of ``buckets``, int64: first place, number of places, which of them is next.
FIRST = 0
SIZE = 1
CURSOR = 2
