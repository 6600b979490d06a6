"""The tables of a monitor: what each of them means.

A *slot* is a primitive. Those that can move have the slots below ``plan.movers``; the rest stands
still, and its rows and boxes are written once. Slots are the items of the index.

A *rule* says when a pair is too close: BUFFERS: at the sum of both buffers; ALLOWED: never; from 0
on: at ``thresholds[rule]``. The first three thresholds are for links of one robot, of two, and of
a robot against the scene, NaN where the buffers decide.
"""

from __future__ import annotations

from typing import Any

from standoff.broadphase.kernels.tables import IndexTables
from standoff.compiled.by_address import called
from standoff.compiled.tables import Nested, Reals, Record, Records, Tables, Wholes, fields, viewer
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.narrowphase.layout import OUT_COLUMNS, ROW_COLUMNS

BUFFERS = -1
ALLOWED = -2
SELF, ROBOT_ROBOT, ROBOT_SCENE = range(3)

NO_ROBOT = -1


def columns(record: Any, *names: str) -> tuple[int, list[int]]:
    """How many numbers of 8 bytes a record has, and at which of them fields of it begin: for where
    it is read as a row of numbers."""
    return record.itemsize // 8, [record.fields[name][1] // 8 for name in names]


#: What moves.
#: ``frame``: that carries it; ``known``: 1 when it was seen for the first time, 2 from then on: it
#: has a speed. The buffer is ``c0 + v (c1 + v c2)`` at a speed of v, [m]; ``least``: the extension
#: that thresholds of its own pairs ask for, [m]; ``limit``: the fastest it can be, [m/s]; ``gain``:
#: the acceleration that its buffer is made for, 0 where it does not follow a speed, [m/s²];
#: ``reserve``: how much wider than extended it is registered, [m], see `register.widen`; ``reach``:
#: farthest point from its own origin, [m]; c and h: centre and half extents of its box in its own
#: axes; ``whole``: the farthest point of its whole body from its own origin, [m].
#: As of this cycle: ``buffer``; ``move`` and ``speed``: how far its farthest point moved and how
#: fast; ``bank``: how far it may still move beyond what its limit gives it from now on, [m].
MOVER = fields(
    frame=int, known=int, c0=float, c1=float, c2=float, least=float, limit=float, gain=float,
    reserve=float, reach=float, cx=float, cy=float, cz=float, hx=float, hy=float, hz=float,
    whole=float, buffer=float, move=float, speed=float, bank=float,
)  # fmt: skip

#: A body: its frame, which robot's it is (NO_ROBOT for the scene), and its stretch of exceptions.
BODY = fields(frame=int, robot=int, first=int, last=int)

OTHER, RULE = range(2)

#: A slot that moves, another one, their rule.
PAIR = fields(a=int, b=int, rule=int)

#: Two primitives that are too close, as `Cycle` reads it: distance, witness points, normal and
#: slack as pair kernels have them; then the threshold, the closing speed, the time as a part of the
#: way from the last reading to this one, whether it ``parts`` (see `judge`), and the numbers of the
#: two bodies, the smaller first.
HIT = fields(
    distance=float, ax=float, ay=float, az=float, bx=float, by=float, bz=float, nx=float, ny=float,
    nz=float, slack=float, threshold=float, closing=float, when=float, parts=int, a=int, b=int,
)  # fmt: skip
HIT_COLUMNS, (THRESHOLD, CLOSING, WHEN, PARTS, BODY_A, BODY_B) = columns(
    HIT, "threshold", "closing", "when", "parts", "a", "b"
)
APPROACHES, PRIMITIVES_PART, BODIES_PART = range(3)
#: Up to so many hits are sorted by the cycle itself.
FEW_HITS = 8

#: Lowest and highest position of a joint, and the last good one.
LIMITS = fields(lower=float, upper=float, last=float)

FAULT = fields(kind=int, which=int, value=float, allowed=float)
LIMITS_FAULT, JUMP_FAULT = range(2)

#: What does not change from cycle to cycle. ``general``: address of `pair_distance`, 0 where all
#: pairs have a closed form; ``sweep`` and ``judge``: addresses of `sweep_movers` and
#: `judge_between`, 0 where the instant of each reading is enough; ``smallest``: no node is smaller.
PLAN = fields(movers=int, tree_frames=int, general=int, sweep=int, judge=int, smallest=float)

#: ``registered``: how many movers are registered anew in a usual cycle.
PACE = fields(dice=int, registered=float)

#: What a cycle found: how many hits, pairs and faults; and which tables were too short (1).
ANSWER = fields(
    hits=int, pairs=int, faults=int, pairs_full=int, hits_full=int, index_full=int,
)  # fmt: skip

#: What `cycle` returns. QUIET: there is nothing to tell. HITS: nothing but hits. EVENTS: see the
#: answer. UNUSABLE: input that cannot be used, and nothing was changed.
QUIET, HITS, EVENTS, UNUSABLE = range(4)

#: How a mover goes from the last reading to this one. ``length``: no point of it moves along a
#: longer path, [m]; ``sweep``: nor gets farther from where it is now; ``bend``: the largest
#: acceleration of a point, [m a squared unit of the motion's own time]; ``position_error``: how far
#: rounding can move it at an instant, [m]; x, y, z and ``angle``: how a body whose pose is given
#: turns; ``doubt``: 1 where it may turn either way.
MOTION = fields(
    length=float, sweep=float, bend=float, position_error=float, x=float, y=float, z=float,
    angle=float, doubt=int,
)  # fmt: skip

#: An instant that was looked at: the result of the pair's kernel, which writes a row of numbers;
#: when it is; the rotation of the frame that carries both; and their poses.
INSTANT = fields(
    result=(float, OUT_COLUMNS), time=float, turn=(float, 9), pose_a=(float, 12),
    pose_b=(float, 12),
)  # fmt: skip
INSTANT_COLUMNS, (TIME, TURN, POSE_A, POSE_B) = columns(INSTANT, "time", "turn", "pose_a", "pose_b")


class BetweenTables(Tables):
    """What certifies the motion between two readings; all empty where nobody asks for that."""

    before = Reals(doc="the joints at the last reading; NaN before the first")
    now = Reals(doc="and at this one")
    low = Reals(doc="the lower of both")
    high = Reals()
    change = Reals(doc="how far they are apart")
    size = Reals(doc="the sum of their magnitudes")
    joints = Reals(doc="the joints at the time of the header")
    frame_change = Reals(doc="change, handed on to the joint of each frame, mimic joints included")
    frame_size = Reals()
    rows = Reals(ROW_COLUMNS, "the movers at the last reading")
    start_frames = Reals(12, "the tree at the last reading")
    frames = Reals(12, "the tree at the time of the header")
    motions = Records(MOTION)
    carried = Wholes(4, "rows of `bodies` of `motion.kernels.bound`")
    chain = Wholes(2, "see there")
    reach = Reals(doc="see there")
    wide = Reals(doc="the reaches for this motion")
    two = Nested(Bodies, "the pair at one instant, for its kernel")
    instants = Reals(INSTANT_COLUMNS)
    header = Record(fields(time=float))


class MonitorTables(Tables):
    """What a monitor knows."""

    plan = Record(PLAN)
    answer = Record(ANSWER)
    pace = Record(PACE)
    index = Nested(IndexTables)
    placed = Nested(Bodies, "the primitives by slot")
    scratch = Nested(PairScratch)
    owner = Wholes(doc="body of each slot")
    movers = Records(MOVER)
    local = Reals(12, "pose of each mover in its frame")
    before = Reals(12, "pose of each mover at the last reading")
    extended = Reals(6, "box of each, extended by its buffer, low x y z, high x y z")
    basis = Reals(6, "what that was when it was last registered, infinite before")
    fresh = Reals(6, "room for one box")
    bodies = Records(BODY)
    exceptions = Wholes(2, "other body, rule; ascending in the stretch of each body")
    thresholds = Reals()
    pairs = Records(PAIR, "those whose registered boxes meet")
    found = Wholes(doc="room for what the index finds")
    out = Reals(OUT_COLUMNS, "room for the result of one pair")
    hits = Records(HIT)
    hit_words = Wholes(HIT_COLUMNS, "the same memory, to be moved about")
    faults = Records(FAULT)
    limits = Records(LIMITS, "of each joint")
    tree = Reals(16, "see `robots.kernels.kinematics`")
    linkage = Wholes(4)
    turns = Reals(-1)
    frames = Reals(12, "the tree, then the bodies whose poses are given")
    between = Nested(BetweenTables)


monitor_at = viewer(MonitorTables)

#: The one signature of steps of a cycle that are called by their address: the tables, and the time
#: since the last reading. What certifies the motion between two readings would make up half of the
#: time that a cycle takes to compile; so it costs nothing to a monitor that looks at the instants
#: alone.
STEP = "float64(int64, float64)"

#: ``take_step(address, ...)``: the step at an address with the remaining arguments.
take_step = called(STEP)
