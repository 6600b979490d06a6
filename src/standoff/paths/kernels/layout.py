"""The tables of the path check, and their columns. They lie in two arenas (`compiled.arena`): one
that a checker fills once and all its threads read, and one of scratch that each thread has.

A *mover* is a primitive that a joint carries or that glides on its own; movers stand first among
the primitives, each carried by one frame. After them comes a ball around all movers of each frame
(a *crowd*), which moves as they do and stands for them in first tests. *Statics* follow, in the
order of the leaves of the tree of boxes around them; those without bounds (half spaces) come last
and are in no leaf.

A *motion* runs over u from 0 to 1 and is a piece of a path: each joint a polynomial of u, each
gliding body on a straight line with a constant spin. A *node* is an interval [start, end] of one
piece with the pairs that are still open on it; it is the heap entry of `heap`. A node that
has not found its pairs yet is *fresh*.
"""

from __future__ import annotations

#: The arguments that most kernels here begin with: the address of `pair_distance`, both arenas.
ARENAS = "int64, float64[::1], int64[::1], float64[::1], int64[::1]"

#: Highest power of u in a piece, and with it the number of coefficients.
DEGREE = 5
POWERS = DEGREE + 1

# float64 tables of the first arena
C_TREE = 0  #: (frames, 16), see `robots.kernels.kinematics`
C_LOCAL = 1  #: (movers, 12) pose of each mover in its frame
C_ROWS = (
    2  #: (primitives, 16), see `geometry.narrowphase.layout`; poses are right for statics alone
)
C_POINTS = 3  #: geometry of all shapes
C_SOLIDS = 4  #: nodes of all meshes
C_BALLS = 5  #: (primitives, 4) ball around each: centre in its frame, radius
C_CORES = 6  #: (k, 3) points of all movers in their frames, see `motion.kernels.bound`
C_REACH = 7  #: (1, m) reach of each chain entry
C_EXTENT = 8  #: (movers, 2) farthest from the world's origin [m], farthest core point from its own
C_BOXES = 9  #: (box nodes, 6) low and high corner
C_LINK_CLEARANCE = 10  #: (links, 1)
C_DEVIATION = 11  #: (1, joints)
C_SETTINGS = 12  #: (1, SETTINGS)
C_ACROSS = 13  #: (4, statics) their balls once more, coordinate by coordinate
C_RANGES = 14  #: (2, joints) within which all maps hold; infinite where a joint is in none
C_SCALES = 15  #: (maps, 2 * MAP_JOINTS) where each joint of a map begins, its cells per rad or m

# int64 tables of the first arena
C_LINKAGE = 16  #: (frames, 4), see `robots.kernels.kinematics`
C_REFS = 17  #: (primitives, 8), see `geometry.narrowphase.layout`
C_FACES = 18
C_INTS = 19
C_MOVERS = 20  #: (movers, MOVER_COLUMNS)
C_CHAIN = 21  #: (m, 2), see `motion.kernels.bound`
C_LEAVES = 22  #: (box nodes, 3): two children and -1; or -1, first static, past the last
C_LINKS = 23  #: (links, 4): two primitives, the last frame that carries both, its depth
C_SKIPPED = 24  #: (n, 1) statics that a mover does not test here: allowed, or one of the links
C_SKIPS = 25  #: (movers, 2) first and past the last of each mover's
C_COUNTS = 26  #: (1, COUNT_COLUMNS)
C_CARRIED = 27  #: (n, 4) rows of `motion.kernels.bound` of all movers that joints carry
C_TEAMS = 28  #: (teams, 7): two crowds, common frame, its depth, its links, whether of a mesh
C_MAPS = 29  #: (maps, MAP_COLUMNS) see `paths.kernels.links`
C_SUMS = 30  #: (1, n) how many marked cells there are before each corner of each map

# columns of C_SETTINGS
CLEARANCE = 0
TOLERANCE = 1
CURVED = 2  #: 1: second-order bound counts
STRAIGHT = 3  #: 1: first-order bound counts
SETTINGS = 4

# columns of C_MOVERS
# The first four are those of `motion.kernels.bound`; the row after the last mover is the world's.
FRAME = 0
CHAIN0 = 1
POINT0 = 2
POINTS = 3
JOINTS = 4  #: of its chain; 0 for one that glides
MEMBER0 = 5  #: of a crowd, first and past the last of its movers; of a mover itself
MEMBERS = 6
MESHED = 7  #: 1: one of them is a mesh
MOVER_COLUMNS = 8

# columns of C_COUNTS
MOVERS = 0
STATICS = 1
BOUNDED = 2  #: statics that are in the tree of boxes
FRAMES = 3  #: of the joint tree
DEEPEST = 4  #: longest chain of joints
SLIDES = 5  #: 1: there are prismatic joints
SINGLE = 6  #: movers without the crowds
WALKER = 7  #: addresses of `mesh_walk` and `nested_pair`; 0 where there are no meshes
NESTER = 8
MEETING = 9  #: movers that are tested against statics, the first ones
UNMAPPED = 10  #: teams that no map rules out wherever it holds, the first ones
SPARING = 11  #: 1: all movers that lead, and those of all teams, are crowds
OPENED = 12  #: 1: there are open meshes that count as solid
COUNT_COLUMNS = 13

#: Joints that a map can have.
MAP_JOINTS = 4

# columns of C_MAPS
TEAM = 0
MAPPED = 1  #: how many joints it has
SUM0 = 2  #: its first number in C_SUMS
SIDE = 3  #: cells along each joint
JOINT0 = 4  #: its joints
MAP_COLUMNS = JOINT0 + MAP_JOINTS

# float64 tables of the second arena
S_COEFFICIENTS = 0  #: (POWERS, joints) of the present piece
S_JOINTS = 1  #: (JOINT_ROWS, joints)
S_PACES = 2  #: (4, frames and gliding bodies): speed, acceleration, deviation, size of the position
S_POSES = 3  #: (frames and gliding bodies, 12)
S_TWISTS = 4  #: (the same, 6)
S_TURNS = 5
S_WIDE = 6  #: (1, m) reach of each chain entry for this piece
S_TAILS = 7  #: (movers * (DEEPEST + 1), 4): of the chain from each depth on
S_MARGIN = 8  #: (movers, 1) what rounding can hide of its place and way, [m]
S_CENTRES = 9  #: (movers, CENTRE_COLUMNS) of its ball: place and velocity
S_ROWS = 10  #: (movers, 16) where each is
S_OUT = 11  #: (2, 11) distances
S_NODES = 12  #: (nodes, 3)
S_RESULT = 13  #: (1, RESULT_COLUMNS)
S_PROOFS = 14  #: (proofs, PROOF_COLUMNS)
S_GLIDES = 15  #: (gliding bodies, 18) of the present piece
S_WORK = 16
S_BEYOND = 17  #: (1, leaf) how far beyond reach each static of a leaf is, squared
S_FIELDS = 18  #: (1, 12) how the two bodies of a mesh test move
S_ENDS = 19  #: (movers, 12) of spheres and capsules: place and velocity of both ends
S_LEFT = 20  #: (CHUNK, 2) what the balls of the asked pairs leave uncovered back and ahead
S_PRESSING = (
    21  #: (2, 2) the most that is uncovered back and ahead: of all open pairs, of the asked
)
S_LONGEST = 22  #: (1, 1) the longest way of a mover over the whole piece, [m]

# int64 tables of the second arena
S_LINKED = 23  #: (nodes, NODE_COLUMNS)
S_POOL = 24  #: (n, 1) the pairs of all nodes
S_STAMPS = 25  #: (movers, STAMPS)
S_PIECES = 26  #: (pieces, PIECE_COLUMNS)
S_QUEUE = 27  #: (1, pieces) heap of the pieces, the most pressing first
S_HEADER = 28  #: (1, HEADER_COLUMNS)
S_IWORK = 29
S_ASKED = 30  #: (CHUNK, 1) pairs whose shapes are to be asked
S_SETTLED = 31  #: (1, teams) 1: the present piece passes through no cell where they may touch
S_CORNERS = 32  #: (2, MAP_JOINTS) first cell of a piece along each joint, and past the last

#: Pairs that get their first look in one go.
CHUNK = 256

# columns of S_STAMPS
BALL_AT = 0  #: the INSTANT at which its ball was placed
ROW_AT = 1  #: its row
ENDS_AT = 2  #: its ends
MEMBERS_OF = 3  #: of a crowd: the LOADS for which the ways of its members were bounded
STAMPS = 4

# columns of S_CENTRES after place and velocity
STAYS = 6  #: radius about the centre that a crowd's ball stays within, where `near_teams` wants it
CENTRE_COLUMNS = 7

# rows of S_JOINTS
Q = 0
DQ = 1
LOW = 2
HIGH = 3
LARGEST = 4
SAMPLES = 5  #: resolutions in a radian or a metre, for `sample_step` alone
JOINT_ROWS = 8

# rows of S_PACES
SPEED = 0
ACCELERATION = 1
STRAY = 2
SIZE_OF = 3

# columns of S_TAILS
LENGTH = 0  #: λ, infinite where first-order bounds do not count
BEND = 1  #: M, infinite where second-order bounds do not count
SWAY = 2  #: what deviations add
WAY = 3  #: λ
TAIL_COLUMNS = 4

# columns of S_NODES
START = 0
END = 1
PRESSING = 2

# columns of S_LINKED
FIRST = 0  #: of its pairs in the pool; -1: fresh
COUNT = 1
STANDING = 2  #: how many of them, the first ones, are with statics; links follow
LEFT = 3
RIGHT = 4
RANK = 5
NODE_COLUMNS = 6

# columns of S_PIECES
ROOT = 0  #: of its heap; -1: nothing open
PLACE = 1  #: in the queue of pieces; -1: not in it
PIECE_COLUMNS = 2

# columns of S_HEADER
NODES_USED = 0
POOL_USED = 1
QUEUED = 2
LOADED = 3  #: piece whose motion is loaded; -1: none
INSTANT = 4  #: counts the configurations looked at
DISTANCES = 5  #: exact distances measured
INTERVALS = 6
BUDGET = 7  #: distances and intervals that may still be spent
EARLIEST = 8  #: 1: look for the earliest contact
PROVING = 9  #: 1: note what proves it
PROOFS_USED = 10
TOP_DEGREE = 11  #: of the present piece
HASTY = 12  #: 1: end at the first instant at which strays alone rule a proof out
WIDENED = 13  #: 1: S_WIDE is not C_REACH
NESTING = 14  #: 1: it has to be asked whether one body is inside another
SETTLED = 15  #: 1: S_SETTLED is of the present piece
LOADS = 16  #: counts the motions that were loaded
HEADER_COLUMNS = 17

# columns of S_RESULT
KIND = 0
PIECE = 1
WHEN = 2
DISTANCE = 3  #: and the ten numbers of `geometry.narrowphase.layout`'s results after it
BODY_A = 14
BODY_B = 15
PRECISION = 16  #: to which the earliest is asked for, in u; set by who starts the search
REQUIRED = 17  #: the clearance of the pair that was found
RESULT_COLUMNS = 18

# columns of S_PROOFS: piece, start, end, at, method, a, b, distance, normal
PROOF_COLUMNS = 11
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
