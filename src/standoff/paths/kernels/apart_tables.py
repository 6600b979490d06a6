"""The tables of a proof that two bodies can never touch: `ApartTables`.

A proof is about two bodies, each of one or more *parts* (primitives), and about the joints between
them alone: the tree of joints is cut at the last frame that carries both, which is its frame 0, the
*root*, and its joints are numbered anew. A *box* holds an interval of each joint; the intervals
arise by halving, so that one number stands for each: 1 is the whole range, and the halves of ``k``
are ``2 k`` and ``2 k + 1``. A *node* is a box that is still open for one pair of parts.
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
from standoff.geometry.narrowphase.layout import OUT_COLUMNS

HEADER = fields(
    general=int,  #: address of `pair_distance`, 0 where every pair of parts has a closed form
    clearance=float,
    budget=int,  #: boxes that may be looked at
    boxes=int,  #: looked at
    started=int,  #: pairs whose first box was looked at
    queued=int,
    separation=float,  #: the smallest that was proved of any box
    nearest=float,  #: the smallest distance found at any configuration
    nearest_centre=float,  #: the smallest distance found at the centre of a box
    pair=int,  #: of the present box
    halved=int,  #: the joint along which it is to be halved; -1: it is too small
    sloped=int,  #: 1: the better bound on it was that by slopes
    length=float,  #: how far its parts can get towards each other and apart at most
)

JOINT = fields(
    lower=float,
    upper=float,
    width=float,
    pad=float,  #: what a box is wider at either side, for rounding and for joints at their limits
    half=float,  #: half the width of the present box
    slope=float,  #: steepest slope of the distance
    first_gain=float,  #: what halving gains the bounds of first and of second order, [m]
    second_gain=float,
    nearest=float,  #: the nearest configuration found
    start=float,  #: where a step downhill started
)

PART = fields(
    frame=int,
    first_link=int,  #: of its chain
    links=int,
    first_point=int,
    points=int,
    x=float, y=float, z=float, ball=float,  #: ball around it: centre in its frame, radius
    radius=float,  #: the part is the hull of its points grown by this, or inside that
    margin=float,  #: what rounding can hide of where it is and gets, [m]
)  # fmt: skip

LINK = fields(
    frame=int,  #: that the joint moves
    kind=int,
    reach=float,  #: over all the joints' ranges, see `motion.kernels.reach`
    near_reach=float,  #: within the box
)

#: ``n·v(p)`` for a unit of one joint as ``s + x p_x + y p_y + z p_z``, ``p`` in the part's frame.
SLOPE = fields(s=float, x=float, y=float, z=float)

PAIR = fields(a=int, b=int)

NODE = fields(
    key=float,  #: how near the parts are at the centre
    pair=int,
    halved=int,
    place=int,  #: in the heap
)


class ApartTables(Tables):
    """Two bodies, the joints between them, and the state of a search."""

    header = Record(HEADER)
    tree = Reals(ANY, "frames, see `robots.kernels.kinematics`")
    linkage = Wholes(ANY, "the same")
    joints = Records(JOINT)
    parts = Records(PART)
    links = Records(LINK, "the chains of all parts, each from the root outwards")
    cores = Reals(3, "points of all parts in their frames, see `motion.kernels.bound`")
    local = Reals(12, "pose of each part in its frame")
    bodies = Nested(Bodies, "the parts, placed at the present configuration when asked for")
    pairs = Records(PAIR, "a part of the one body and one of the other")
    # The present box.
    intervals = Wholes(doc="by joint")
    q = Reals(doc="its centre, or a configuration on the way downhill")
    paces = Reals(doc="by frame: how far its joint gets from the centre")
    poses = Reals(12, "frames")
    turns = Reals(ANY, "scratch of `place_frames`")
    slopes = Records(SLOPE, "by joint, of the one part and then of the other")
    answer = Reals(OUT_COLUMNS, "(1) a distance")
    room = Nested(PairScratch, "made where a pair of parts has no closed form")
    # The open boxes.
    nodes = Records(NODE)
    node_intervals = Wholes(ANY, "(nodes, joints)")
    heap = Wholes(doc="rows of nodes: a heap, nearest first; after `queued`, those not in use")


apart_at = viewer(ApartTables)

# what a search ended with
APART = 0
TOUCHING = 1  #: the nearest configuration is not farther apart than the clearance
SPENT = 2
FULL = 3  #: no room for more nodes
STUCK = 4  #: a box that is too small to be halved

#: Numbers of intervals from here on are too small to be halved, [-]: parts of 2^-48 of a range,
#: whose centres still have exact fractions.
SMALLEST_BOX = 2**48
