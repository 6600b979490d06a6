"""The tables of a monitor: what each column means.

A *slot* is a primitive. Those that can move have the slots below ``movers``; the rest stands still,
and its rows and boxes are written once. Slots are the items of the index.

``motion``, float64 (movers, MOTION_COLUMNS)
    C0, C1, C2: the buffer is C0 + v (C1 + v C2) at a speed of v, [m]
    LEAST: the extension that thresholds of its own pairs ask for, [m]
    LIMIT: the fastest it can be, [m/s]
    BUFFER, MOVE, SPEED: its buffer, how far its farthest point moved and how fast, as of this cycle
    KNOWN: 1 when it was seen for the first time, 2 from then on: it has a speed
    RESERVE: how much wider than extended it is registered, [m]; see
    `monitor.kernels.register.widen`
    REACH: farthest point from its own origin, [m]; CX, CY, CZ, HX, HY, HZ: centre and half extents
    of its box in its own axes
    BANK: how far it may still move beyond what its LIMIT gives it from now on, [m]
    GAIN: the acceleration that its buffer is made for, 0 where it does not follow a speed, [m/s²]
    WHOLE: the farthest point of its whole body from its own origin, [m]

``extended``, float64 (movers, 6): the box of each, extended by its buffer, low x y z, high x y z;
``basis``, likewise: what it was when it was last registered, infinite before. ``fresh``, float64
(1, 6): room for a box.

``bodies``, int64 (bodies, 4): FRAME; ROBOT: which robot's, NO_ROBOT for the scene; EXCEPTIONS0 and
EXCEPTIONS1: its stretch of ``exceptions``, int64 (e, 2): other body, rule; ascending

A *rule* says when a pair is too close: BUFFERS: at the sum of both buffers; ALLOWED: never; from 0
on: at ``thresholds[rule]``. The first three thresholds are for links of one robot, of two, and of
a robot against the scene, NaN where the buffers decide.

``pairs``, int64 (p, 3): a slot that moves, another one, their rule. Those whose registered boxes
meet.

``hits``, float64 (h, HIT_COLUMNS): a row of results as the pair kernels write it, then the
threshold, the closing speed, the time as a part of the way from the last reading to this one,
whether it PARTS (APPROACHES, PRIMITIVES_PART or BODIES_PART, see `monitor.kernels.judge`), and the
numbers of
the two bodies, the smaller first: these two as int64, bit for bit, as Python reads them so.

``limits``, float64 (joints, 3): lowest and highest position of each joint, and the LAST good one.

``faults``, float64 (f, 4): kind, which joint or slot, value, allowed.

``counts``, int64 (1, COUNT_COLUMNS); ``scales``, float64 (1, SCALE_COLUMNS), of which REGISTERED is
how many movers are registered anew in a usual cycle.

The rest has rows only where the motion between two readings is certified, as the counts SWEEP_STEP
and JUDGE_STEP, addresses of `sweep_movers` and `judge_between`, are not 0 there; see
`monitor.kernels.sweep`.

``way``, float64 (WAY_ROWS, joints): FROM and TO: the joints at the last reading (NaN before the
first) and at this one; LOW, HIGH: of the two; CHANGE: how far they are apart; SIZE_OF: the sum of
their magnitudes; AT: room for an instant between them
``joint_sums``, float64 (2, frames): CHANGE and SIZE_OF handed on to mimic joints
``start``, float64 (movers, 16): as ``rows``, at the last reading
``start_frames``, ``at_frames``, float64 (frames, 12): the tree at the last reading, and at INSTANT
``sway``, float64 (movers, SWAY_COLUMNS)
    LENGTH: no point of it moves along a longer path, [m]; SWEEP: nor gets farther from where it is
    now; BEND: the largest acceleration of a point, [m a squared unit of the motion's own time];
    STRAY: how far rounding can move it at an instant, [m]
    AXIS: three numbers, and ANGLE: how a body whose pose is given turns; DOUBT: 1 where it may turn
    either way
``chain``, ``reach`` and ``wide_reach``: of `motion.kernels.bound`, the last for this motion;
``carried``, int64 (movers, 4): rows of ``bodies`` there
``two``, float64 (2, 16) and ``two_refs``, int64 (2, 8): the pair at one instant, for its kernel
``stops``, float64 (STOP_ROWS, STOP_COLUMNS): instants that were looked at: a row of results, then
    TIME; TURN: the rotation of the frame that carries both; POSE_A, POSE_B
"""

from __future__ import annotations

(
    C0, C1, C2, LEAST, LIMIT, BUFFER, MOVE, SPEED, KNOWN, RESERVE, REACH, CX, CY, CZ, HX, HY, HZ,
    BANK, GAIN, WHOLE,
) = range(20)  # fmt: skip
MOTION_COLUMNS = 20

FRAME, ROBOT, EXCEPTIONS0, EXCEPTIONS1 = range(4)
NO_ROBOT = -1

BUFFERS = -1
ALLOWED = -2
SELF, ROBOT_ROBOT, ROBOT_SCENE = range(3)

THRESHOLD, CLOSING, WHEN, PARTS, BODY_A, BODY_B = range(11, 17)
HIT_COLUMNS = 17
APPROACHES, PRIMITIVES_PART, BODIES_PART = range(3)
#: Up to so many hits are sorted by the cycle itself.
FEW_HITS = 8

LAST = 2

LIMITS_FAULT, JUMP_FAULT = range(2)

(
    MOVERS, TREE_FRAMES, PAIRS_USED, HITS_USED, FAULTS_USED, UPDATE_MODE, DICE, SWEEP_STEP,
    JUDGE_STEP,
) = range(9)  # fmt: skip
COUNT_COLUMNS = 9

NEIGHBOURS, REINSERT, REBUILD = range(3)

SMALLEST, INSTANT, REGISTERED = range(3)
SCALE_COLUMNS = 3

FROM, TO, LOW, HIGH, CHANGE, SIZE_OF, AT = range(7)
WAY_ROWS = 7

LENGTH, SWEEP, BEND, STRAY, AXIS, ANGLE, DOUBT = 0, 1, 2, 3, 4, 7, 8
SWAY_COLUMNS = 9

TIME, TURN, POSE_A, POSE_B = 11, 12, 21, 33
STOP_COLUMNS = 45

#: What `cycle` returns: bits, 0 when there is nothing to tell.
HITS_FOUND = 1
FAULTS_FOUND = 2
INDEX_FULL = 4
#: Added once for each hit.
EACH_HIT = 256
#: The tables of pairs or hits are too short: enlarge them and ask again; nothing is lost.
PAIRS_FULL = 8
HITS_FULL = 16
#: The input cannot be used and nothing was changed.
BAD_JOINT = 32
BAD_POSE = 64

#: Numbers of the tables in a monitor's arena; the float64 ones first.
(
    T_ROWS, T_LOCAL, T_BEFORE, T_MOTION, T_EXTENDED, T_FRAMES, T_LIMITS, T_TREE, T_TURNS, T_POINTS,
    T_SOLIDS, T_THRESHOLDS, T_HITS, T_FAULTS, T_WORK, T_FRESH, T_BASIS, T_SCALES,
    T_WAY, T_JOINT_SUMS, T_START, T_START_FRAMES, T_AT_FRAMES, T_SWAY, T_REACH, T_WIDE_REACH,
    T_TWO, T_STOPS,
    T_REFS, T_FRAME, T_OWNER, T_BODIES, T_EXCEPTIONS, T_LINKAGE, T_FACES, T_INTS, T_PAIRS,
    T_FOUND, T_IWORK, T_COUNTS, T_CHAIN, T_CARRIED, T_TWO_REFS,
) = range(43)  # fmt: skip
