"""The tables of a contact scene, all in one arena (see `compiled.arena`): what each row means.

float64
    VERTICES  in the frame of the body, about its centroid (3)
    PLANES    of a face: outward unit normal (3), offset
    SPHERES   of an octree's node: centre (3), radius
    BALLS     of a piece: centre (3) and radius of a sphere that holds it, or that it is; how far
              its faces are from its middle at least
    MATERIAL  of a body: radius about the centroid, stiffness, damping, friction, Coulomb's
              coefficient (negative: none), 1 where it may move
    POSES     of a body: R and t of its centroid frame, row-major as [R | t] (12)
    BEFORE    the same at the last step
    GIVEN     of a body: the pose of its shape's own frame as it was given, 4 x 4 (16)
    HELD      the same at the last step: what is left out stays there
    CENTROIDS of a body, in its shape's own frame (3)
    TWISTS    of a body: velocity of the centroid (3), angular velocity (3), both in world axes
    CONTACTS  point (3), normal from b to a (3), penetration, relative velocity a - b (3), force on
              a (3), how far the spring across is stretched, a from b (3)
    OLD       the contacts of the last step
    FORCES    on each body (3), then the moment of each about its centroid (3)
    CLIPS     of an edge: the part of it inside the other piece, as two shares of its length, or
              UNCUT
    CROSSING  of an edge inside the other piece, for the search of crossings: tail (3), head - tail
              (3), the directions into its left and right face (3 each), the two shares, 1 / length;
              sum of the shares, and their difference with a margin, of the whole edge where it is
              UNCUT
    SIDES     of b's edges in CROSSING: all x, all y and all z of the normals of their left faces,
              then those of the right ones
    ROWS, OUT of pieces, for the distance of two of them (see `geometry.narrowphase.layout`)
    CLOUD     the vertices of a piece, those near each other in a row, as
    `geometry.narrowphase.support`
              has them: first clusters and groups, centre (3) and radius, where there are more
              vertices than in one; then each vertex (3) and its number
    BOUNDS    the planes of the faces in NEAR
    PARTING   a direction along which two pieces were apart, in the frame of the second (3); each
              pair has one row, which others may share: PARTED says whose it is
    ALONG     how much each of these looks along the way out, [-]

int64
    EDGES     tail, head, left face, right face
    RING      of a face: first corner in RINGS, number of corners
    SPOKE     of a vertex: first edge in SPOKES, number of edges
    NODES     of an octree: first child, children, then first and number of its vertices, edges and
              faces in ITEMS
    PIECES    body, whether it is a ball, first and number of vertices, edges, faces; root node;
              first and number of rows in CLOUD
    BODIES    first piece, number of pieces
    FOUND     of a contact: piece a, piece b, kind and number of the feature of a, the same of b,
              1 where it was there at the last step, and 2 more, LEFT_OUT, where it pushes nobody
    EARLIER   the same of the last step, with those left out
    REFS      of pieces (see `geometry.narrowphase.layout`)
    EDGE_MARK, NODE_MARK, VERTEX_MARK  the epoch at which one was reached; HIT the one at which an
              edge was not found to be outside the other piece, OUTER a vertex outside of it;
              VERTEX_HIGH, EDGE_HIGH, FACE_HIGH the one at which one was found to be high enough to
              touch the other piece (see `slab`)
    HINT      of a vertex: its face at the last step, or -1
    CLIMB     vertices in the slab of one piece, SLAB edges in those of both, NEAR faces
    RULED     of a vertex outside: the row of NEAR of a face it is beyond
    QUEUE     edges still to be looked at
    CROSSERS  edges in CROSSING; FACING whether one of b's may cross a given edge
    PARTED    of PARTING: number of the first piece times that of all, plus the second; 0 for none
    STACK     pairs of nodes still to be looked at
    PASSED    pairs of pieces that went through each other
    STATE     see below; COST: see below
    WAS_THERE of a body: 1 where it was placed at the last step
    COVERED   of a face: 1 where another piece of its body lies on all of it

Edges, faces, nodes and so on are numbered through over all pieces, but for FOUND and EARLIER, where
features count from 0 in each piece.
"""

from __future__ import annotations

import numpy as np

VERTICES = np.int64(0)
PLANES = np.int64(1)
SPHERES = np.int64(2)
BALLS = np.int64(3)
MATERIAL = np.int64(4)
POSES = np.int64(5)
BEFORE = np.int64(6)
TWISTS = np.int64(7)
CONTACTS = np.int64(8)
OLD = np.int64(9)
FORCES = np.int64(10)
CLIPS = np.int64(11)
CROSSING = np.int64(12)
ROWS = np.int64(13)
OUT = np.int64(14)
GIVEN = np.int64(15)
HELD = np.int64(16)
CENTROIDS = np.int64(17)
CLOUD = np.int64(18)
BOUNDS = np.int64(19)
SIDES = np.int64(20)
ALONG = np.int64(21)
PARTING = np.int64(22)

EDGES = np.int64(23)
RING = np.int64(24)
RINGS = np.int64(25)
SPOKE = np.int64(26)
SPOKES = np.int64(27)
NODES = np.int64(28)
ITEMS = np.int64(29)
PIECES = np.int64(30)
BODIES = np.int64(31)
FOUND = np.int64(32)
EARLIER = np.int64(33)
REFS = np.int64(34)
EDGE_MARK = np.int64(35)
NODE_MARK = np.int64(36)
VERTEX_MARK = np.int64(37)
HIT = np.int64(38)
VERTEX_HIGH = np.int64(39)
EDGE_HIGH = np.int64(40)
FACE_HIGH = np.int64(41)
HINT = np.int64(42)
CLIMB = np.int64(43)
SLAB = np.int64(44)
NEAR = np.int64(45)
QUEUE = np.int64(46)
CROSSERS = np.int64(47)
STACK = np.int64(48)
PASSED = np.int64(49)
STATE = np.int64(50)
COST = np.int64(51)
RULED = np.int64(52)
OUTER = np.int64(53)
FACING = np.int64(54)
PARTED = np.int64(55)
WAS_THERE = np.int64(56)
COVERED = np.int64(57)

#: Names and columns of the tables, in order: float64, then int64.
REAL_TABLES = {
    "vertices": 3, "planes": 4, "spheres": 4, "balls": 5, "material": 6, "poses": 12, "before": 12,
    "twists": 6, "contacts": 16, "old": 16, "forces": 3, "clips": 2, "crossing": 17, "rows": 16,
    "out": 11, "given": 16, "held": 16, "centroids": 3,
    "cloud": 4, "bounds": 4, "sides": 1, "along": 1, "parting": 3,
}  # fmt: skip
WHOLE_TABLES = {
    "edges": 4, "ring": 2, "rings": 1, "spoke": 2, "spokes": 1, "nodes": 8, "items": 1,
    "pieces": 11, "bodies": 2, "found": 7, "earlier": 7, "refs": 8, "edge_mark": 1, "node_mark": 1,
    "vertex_mark": 1, "hit": 1, "vertex_high": 1, "edge_high": 1, "face_high": 1, "hint": 1,
    "climb": 1, "slab": 1, "near": 1, "queue": 1, "crossers": 1, "stack": 2, "passed": 2,
    "state": 1, "cost": 1, "ruled": 1, "outer": 1, "facing": 1,
    "parted": 1, "was_there": 1, "covered": 1,
}  # fmt: skip

# Columns of MATERIAL.
RADIUS = 0
STIFFNESS = 1
DAMPING = 2
FRICTION = 3
COULOMB = 4
MOVES = 5

# Columns of PIECES.
BODY = 0
IS_BALL = 1
VERTEX0 = 2
VERTEX_COUNT = 3
EDGE0 = 4
EDGE_COUNT = 5
FACE0 = 6
FACE_COUNT = 7
ROOT = 8
CLOUD0 = 9
CLOUD_COUNT = 10

# Kinds of features in FOUND.
VERTEX = np.int64(0)
EDGE = np.int64(1)
FACE = np.int64(2)
BALL = np.int64(3)
#: The whole piece, where no elemental contact tells how two bodies overlap.
WHOLE = np.int64(4)

#: In the last column of FOUND: another contact stands for this one.
LEFT_OUT = 2

#: In CLIPS: nobody asked for it yet.
UNCUT = -1.0

# Rows of STATE: the counter of marks, numbers of contacts now and at the last step, of pairs that
# passed each other, whether there was a last step, whether motions between steps are looked at,
# whether a normal force may pull, the next contact of the last step to be looked at, where in NEAR
# the faces of a end and those of b, and of the two bodies that are looked at the first contact now
# and the first of the last step.
EPOCH = 0
COUNT = 1
OLD_COUNT = 2
PASSED_COUNT = 3
HAS_BEFORE = 4
CONTINUOUS = 5
PULLS = 6
CURSOR = 7
NEAR_A = 8
NEAR_B = 9
PAIR_FIRST = 10
PAIR_OLD = 11
STATE_ROWS = 12

# Rows of COST: how often each was done in the step.
PAIR_TESTS = 0
NODE_TESTS = 1
LEAF_PAIRS = 2
EDGE_CHECKS = 3
CROSSING_CHECKS = 4
BALL_CHECKS = 5
DISTANCES = 6
KEPT = 7
NEW = 8
COST_ROWS = 9
