"""The tables of a proof that two bodies can never touch, and their columns; they lie in one arena
(`compiled.arena`).

A proof is about two bodies, each of one or more *parts* (primitives), and about the joints between
them alone: the tree of joints is cut at the last frame that carries both, which is its frame 0, the
*root*, and its joints are numbered anew. A *box* holds an interval of each joint; the intervals
arise by halving, so that one number stands for each: 1 is the whole range, and the halves of ``k``
are ``2 k`` and ``2 k + 1``. A *node* is a box that is still open for one pair of parts.
"""

from __future__ import annotations

# float64 tables
A_TREE = 0  #: (frames, 16), see `robots.kernels.kinematics`
A_JOINTS = 1  #: (JOINT_ROWS, joints)
A_LOCAL = 2  #: (parts, 12) pose of each in its frame
A_ROWS = 3  #: (parts, 16), placed at the centre of the present box
A_POINTS = 4  #: geometry of all shapes
A_SOLIDS = 5  #: nodes of all meshes
A_BALLS = 6  #: (parts, 4) ball around each: centre in its frame, radius
A_CORES = 7  #: (k, 3) points of all parts in their frames, see `motion.kernels.bound`
A_REACH = 8  #: (1, m) reach of each chain entry, over all the joints' ranges
A_SIZES = 9  #: (parts, SIZE_COLUMNS)
A_POSES = 10  #: (frames, 12)
A_TURNS = 11
A_PACES = 12  #: (1, frames) how far each frame's joint gets from the centre of the box
A_NEAR_REACH = 13  #: (1, m) reach of each chain entry within the box
A_SLOPES = 14  #: (2 * joints, 4) see `paths.apart_bounds`
A_TOPS = 15  #: (1, joints) steepest slope of each joint
A_GAINS = 16  #: (2, joints) what halving it gains the bounds of first and of second order, [m]
A_OUT = 17  #: (1, 11) distance
A_KEYS = 18  #: (nodes, 1) how near the parts are at the centre
A_RESULT = 19  #: (1, RESULT_COLUMNS)
A_NEAREST = 20  #: (1, joints) the nearest configuration found
A_START = 21  #: (1, joints) where a step downhill started
A_WORK = 22

# int64 tables
A_LINKAGE = 23  #: (frames, 4), see `robots.kernels.kinematics`
A_REFS = 24  #: (parts, 8), see `geometry.narrowphase.layout`
A_FACES = 25
A_INTS = 26
A_PARTS = 27  #: (parts, PART_COLUMNS)
A_CHAIN = 28  #: (m, 2), see `motion.kernels.bound`
A_PAIRS = 29  #: (pairs, 2) parts of the one body and of the other
A_NODES = 30  #: (nodes, joints + 2) a number each; then the pair, and the joint to halve
A_HEAP = 31  #: (nodes, 1) rows of A_NODES: a heap, nearest first; beyond it those that are unused
A_BOX = 32  #: (1, joints + 2) the present box
A_HEADER = 33  #: (1, HEADER_COLUMNS)
A_IWORK = 34

# rows of A_JOINTS
LOWER = 0
UPPER = 1
WIDTH = 2
PAD = 3  #: what a box is wider at either side, for rounding and for joints at their limits
Q = 4  #: centre of the present box
HALF = 5  #: half its width
JOINT_ROWS = 6

# columns of A_SIZES
RADIUS = 0  #: the part is the hull of its points grown by this, or inside that
MARGIN = 1  #: what rounding can hide of where it is and gets, [m]
SIZE_COLUMNS = 2

# columns of A_PARTS
# The first four are those of `motion.kernels.bound`.
FRAME = 0
CHAIN0 = 1
POINT0 = 2
POINTS = 3
JOINTS = 4  #: of its chain
PART_COLUMNS = 5

# columns of A_RESULT
CLEARANCE = 0  #: set by who starts the search
SEPARATION = 1  #: the smallest that was proved of any box
NEAREST = 2  #: the smallest distance found at any configuration
NEAREST_CENTRE = 3  #: the smallest distance found at the centre of a box
RESULT_COLUMNS = 4

# columns of A_HEADER
QUEUED = 0
BOXES = 1  #: looked at
BUDGET = 2  #: boxes that may be looked at
STARTED = 3  #: pairs whose first box was looked at
HEADER_COLUMNS = 4

# what a search ended with
APART = 0
TOUCHING = 1  #: A_NEAREST is a configuration that is not farther apart than the clearance
SPENT = 2
FULL = 3  #: no room for more nodes
STUCK = 4  #: a box that is too small to be halved

#: Numbers of intervals from here on are too small to be halved, [-]: parts of 2^-48 of a range,
#: whose centres still have exact fractions.
SMALLEST_BOX = 2**48
