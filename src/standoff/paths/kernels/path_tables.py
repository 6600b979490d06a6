"""The tables of the path check: `PathCell`, which all threads read, and `Search`, which each thread
has for itself.

A *mover* is a primitive that a joint carries or that glides on its own; movers stand first among
the primitives, each carried by one frame. After them comes a bounding sphere of all movers of each
frame (a *link sphere*), which moves as they do and stands for them in first tests. *Statics*
follow, in the order of the leaves of the tree of boxes around them; those without bounds (half
spaces) come last and are in no leaf.

A *motion* runs over u from 0 to 1 and is a piece of a path: each joint a polynomial of u, each
gliding body on a straight line with a constant spin. A *node* is an interval [start, end] of one
piece with the pairs that are still open on it; it is the heap entry of `heap`. A node that
has not found its pairs yet is *fresh*.
"""

from __future__ import annotations

from standoff.compiled.tables import (
    ANY,
    Nested,
    Reals,
    Record,
    Records,
    Tables,
    Wholes,
    fields,
    viewer,
)
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.narrowphase.layout import DISTANCE as DISTANCE
from standoff.geometry.narrowphase.layout import NORMAL as NORMAL
from standoff.geometry.narrowphase.layout import OUT_COLUMNS
from standoff.geometry.narrowphase.layout import POINT_A as POINT_A
from standoff.geometry.narrowphase.layout import POINT_B as POINT_B

#: Highest power of u in a piece, and with it the number of coefficients.
DEGREE = 5
POWERS = DEGREE + 1

#: Joints that a map can have.
MAP_JOINTS = 4

#: Pairs that get their first look in one go.
CHUNK = 256

SETTINGS = fields(clearance=float, tolerance=float)

COUNTS = fields(
    movers=int,  #: link spheres included
    statics=int,
    bounded=int,  #: statics that are in the tree of boxes
    frames=int,  #: of the joint tree
    deepest=int,  #: longest chain of joints
    slides=int,  #: 1: there are prismatic joints
    single=int,  #: movers without the link spheres
    meeting=int,  #: movers that are tested against statics, the first ones
    unmapped=int,  #: sphere pairs that no map rules out wherever it holds, the first ones
    sparing=int,  #: 1: all movers that lead, and those of all sphere pairs, are link spheres
    opened=int,  #: 1: there are open meshes that count as solid
    general=int,  #: address of `pair_distance`, 0 where every pair has a closed form
    walker=int,  #: addresses of `mesh_walk` and `nested_pair`, 0 where there are no meshes
    nester=int,
)

MOVER = fields(
    frame=int,
    joints=int,  #: of its chain; 0 for one that glides
    first_member=int,  #: of a link sphere, first and past the last of its movers; else itself
    past_members=int,
    meshed=int,  #: 1: one of them is a mesh
    first_skip=int,  #: in `skipped`, of a mover that is no link sphere
    past_skips=int,
    farthest=float,  #: that it gets from the world's origin, [m]
    core=float,  #: farthest core point from the origin of its frame, [m]
)

BALL = fields(x=float, y=float, z=float, radius=float)

#: A node of the tree of boxes: two children, or -1 and the statics from first to past the last.
BOX = fields(
    x0=float, y0=float, z0=float, x1=float, y1=float, z1=float,
    left=int, right=int, first=int, past=int,
)  # fmt: skip

#: Two primitives, the last frame that carries both, its depth, and what they are to keep.
LINK = fields(a=int, b=int, common=int, depth=int, clearance=float)

#: The spheres, or primitives, that stand for the links ``first`` to ``past``.
SPHERE_PAIR = fields(a=int, b=int, common=int, depth=int, first=int, past=int, meshed=int)

MAP = fields(
    pair=int,  #: which of the sphere pairs
    mapped=int,  #: how many joints it has
    first_sum=int,
    side=int,  #: cells along each joint
    joints=(int, MAP_JOINTS),
    low=(float, MAP_JOINTS),  #: where each joint of it begins
    scale=(float, MAP_JOINTS),  #: its cells per rad or m
)


class PathCell(Tables):
    """A cell as the path check takes it: what stays the same from motion to motion."""

    settings = Record(SETTINGS)
    counts = Record(COUNTS)
    tree = Reals(ANY, "frames, see `robots.kernels.kinematics`")
    linkage = Wholes(ANY, "the same")
    movers = Records(MOVER, "movers and link spheres")
    motion_bodies = Wholes(
        4, "rows of `motion.kernels.bound`: movers, and the world after the last"
    )
    carried = Wholes(4, "the same of the movers that joints carry, the world first")
    chain = Wholes(2, "see `motion.kernels.bound`")
    reach = Reals(doc="beside `chain`")
    cores = Reals(3, "points of all movers in their frames, see `motion.kernels.bound`")
    local = Reals(12, "pose of each mover in its frame")
    bodies = Nested(Bodies, "all primitives; poses are right for statics alone")
    balls = Records(BALL, "around each primitive, in its frame")
    static_x = Reals(doc="the balls of the statics once more, coordinate by coordinate")
    static_y = Reals()
    static_z = Reals()
    static_radius = Reals()
    boxes = Records(BOX, "the tree of boxes")
    links = Records(LINK, "pairs that are listed one by one, see `links`")
    sphere_pairs = Records(SPHERE_PAIR)
    skipped = Wholes(doc="statics that a mover does not test: allowed, or one of the links")
    deviation = Reals(doc="by joint")
    maps = Records(MAP, "see `links`")
    sums = Wholes(doc="how many marked cells there are before each corner of each map")
    map_low = Reals(doc="by joint: where all maps hold; infinite where a joint is in none")
    map_high = Reals()


#: A body's way through one piece: its pose at u = 0 (R | t row-major), and the velocity of its
#: origin and its angular velocity per unit of u, along the world's axes.
GLIDE = fields(pose=(float, 12), linear=(float, 3), angular=(float, 3))

HEADER = fields(
    stepper=int,  #: address of what looks at one interval: `step`, or another in its place
    nodes_used=int,
    pool_used=int,
    queued=int,
    loaded=int,  #: piece whose motion is loaded; -1: none
    instant=int,  #: counts the configurations looked at
    distances=int,  #: exact distances measured
    intervals=int,
    budget=int,  #: distances and intervals that may still be spent
    earliest=int,  #: 1: look for the earliest contact
    proving=int,  #: 1: note what proves it
    proofs_used=int,
    top_degree=int,  #: of the present piece
    hasty=int,  #: 1: end at the first instant at which position errors alone rule a proof out
    widened=int,  #: 1: `wide` is not the cell's `reach`
    nesting=int,  #: 1: it has to be asked whether one body is inside another
    settled=int,  #: 1: `settled` is of the present piece
    loads=int,  #: counts the motions that were loaded
    longest=float,  #: the longest way of a mover over the whole piece, [m]
    precision=float,  #: to which the earliest contact is asked for, in u
)

#: The interval that is looked at: everything is placed at ``t``, ``half`` from either end. What is
#: open back lies in the pool from ``bottom`` to ``low``, first ``still_back`` pairs with statics;
#: what is open ahead from the pool's end down to ``high``. ``back`` and ``ahead`` say how much is
#: uncovered at most.
NOW = fields(
    piece=int, t=float, half=float, bottom=int, low=int, high=int, still_back=int, still_ahead=int,
    back=float, ahead=float,
)  # fmt: skip

#: The pair whose shapes are asked, seen from frame ``common`` at ``depth``: what they are to keep
#: and what is uncovered back and ahead.
PAIR = fields(
    a=int, b=int, common=int, depth=int, clearance=float, back=float, ahead=float
)  # fmt: skip

#: What `mesh_walk` is given and what it found of a pair.
WALK = fields(
    length=float,  #: λ of both
    bend=float,  #: M of both
    taken=float,  #: all that is taken off a distance but rounding
    back=float,  #: uncovered; negative: free
    ahead=float,
    least=float,  #: the least ``D`` of two leaves that was found
    general=int,  #: address of `pair_distance`
)

TAIL = fields(
    length=float,  #: λ
    bend=float,  #: M
    error=float,  #: what deviations add
)

#: A point and its velocity.
MOVING_POINT = fields(x=float, y=float, z=float, vx=float, vy=float, vz=float)

#: The centre of a mover's ball; ``stays``: radius about it that the ball of a link sphere stays
#: within, where `near_sphere_pairs` wants it.
CENTRE = fields(x=float, y=float, z=float, vx=float, vy=float, vz=float, stays=float)

#: Instants at which what is known of a mover was worked out, and for a link sphere the load for
#: which the ways of its members were bounded.
STAMP = fields(ball=int, row=int, ends=int, members=int)

NODE = fields(
    start=float, end=float,
    priority=float,  #: how much is uncovered; the most goes first
    first=int,  #: of its pairs in the pool; -1: fresh
    count=int,
    standing=int,  #: how many of them, the first ones, are with statics; links follow
    left=int, right=int, rank=int,
)  # fmt: skip

PIECE = fields(
    root=int,  #: of its heap; -1: nothing open
    place=int,  #: in the queue of pieces; -1: not in it
)

#: Pairs whose shapes are to be asked, and what their balls leave uncovered.
ASKED = fields(code=int, back=float, ahead=float)

OPEN = fields(back=float, ahead=float)

RESULT = fields(
    kind=int, piece=int, u=float, a=int, b=int,
    required=float,  #: the clearance of the pair
    distance=float, point_a=(float, 3), point_b=(float, 3), normal=(float, 3), slack=float,
)  # fmt: skip

PROOF = fields(
    piece=int, start=float, end=float, at=float, method=int, a=int, b=int, distance=float,
    normal=(float, 3),
)  # fmt: skip


class Search(Tables):
    """State and scratch of a search."""

    header = Record(HEADER)
    now = Record(NOW)
    result = Record(RESULT)
    pair = Record(PAIR)
    walk = Record(WALK)
    # The present piece.
    coefficients = Reals(ANY, "(POWERS, joints)")
    glides = Records(GLIDE, "gliding bodies")
    low = Reals(doc="by joint, deviations included")
    high = Reals()
    largest = Reals(doc="scale of rounding of the position and the speed")
    samples = Reals(doc="resolutions in a radian or a metre, for a step that samples alone")
    speed = Reals(doc="by frame: the largest of its joint")
    acceleration = Reals()
    position_error = Reals()
    position_size = Reals()
    wide = Reals(doc="reach of each chain entry for this piece")
    tails = Records(TAIL, "(movers * (deepest + 1)): of the chain from each depth on")
    margin = Reals(doc="by mover: what rounding can hide of its place and way, [m]")
    settled = Wholes(doc="by sphere pair: 1: the piece passes no cell where they may touch")
    first_cell = Wholes(doc="(MAP_JOINTS) of a piece along each joint of a map")
    past_cell = Wholes()
    exact = Reals(ANY, "(1, joints) zeros: the rounding of a motion that is exact")
    # The present instant.
    q = Reals()
    dq = Reals()
    poses = Reals(12, "frames and gliding bodies")
    twists = Reals(6, "the same")
    turns = Reals(ANY, "scratch of `place_frames`")
    centres = Records(CENTRE, "of each mover's ball")
    bodies = Nested(Bodies, "where each mover is")
    ends = Records(MOVING_POINT, "of spheres and capsules: both ends, one after the other")
    stamps = Records(STAMP)
    # The nodes of all pieces.
    nodes = Records(NODE)
    pool = Wholes(doc="the pairs of all nodes")
    pieces = Records(PIECE)
    queue = Wholes(doc="heap of the pieces, the most urgent first")
    proofs = Records(PROOF)
    # Scratch.
    answer = Reals(OUT_COLUMNS, "(1) a distance")
    room = Nested(PairScratch)
    beyond = Reals(doc="how far beyond reach each static of a leaf is, squared")
    velocity_fields = Records(MOVING_POINT, "(2) how the bodies of a mesh test move: v, and w as x")
    asked = Records(ASKED, "(CHUNK)")
    priorities = Records(OPEN, "(2) the most that is uncovered: of all open pairs, of the asked")


class OpenNodes(Tables):
    """What is open of a piece, kept for later."""

    nodes = Records(NODE)
    codes = Wholes(doc="the pairs of all that are not fresh, one after another")


class Motion(Tables):
    """A motion of several pieces."""

    pieces = Reals(ANY, "(pieces * POWERS, joints)")
    glides = Records(GLIDE, "(pieces * gliding bodies)")
    rounding = Reals(ANY, "(pieces, joints, or joints and gliding bodies)")


cell_at, search_at, motion_at = viewer(PathCell), viewer(Search), viewer(Motion)
open_nodes_at = viewer(OpenNodes)

# methods of a proof
BY_SHAPE = 0
BY_BALL = 1
BY_MESH = 2
BY_GROUP = 3

# kinds of result, the worse the larger
NOTHING = 0
DOUBT = 1
NEAR = 2
CONTACT = 3

# what a search ended with
FREE = 0
FOUND = 1
SPENT = 2
NODES_FULL = 3
POOL_FULL = 4
PROOFS_FULL = 5
