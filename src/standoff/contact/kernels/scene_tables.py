"""The tables of a contact scene: its bodies, what a step knows and finds, and room to work in.

Pieces, vertices, edges, faces and nodes are numbered through over all bodies; only the features of
a contact count from 0 in each piece. Geometry is in the frame of its body, about the centroid.

An *epoch* is one look at two pieces. What it marks carries its number, so nothing is ever cleared.
"""

from __future__ import annotations

from standoff.broadphase.kernels.sort_and_sweep import Sweep
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

# What of a piece is in contact.
VERTEX = 0
EDGE = 1
FACE = 2
BALL = 3
#: The whole piece, where no elemental contact tells how two bodies overlap.
WHOLE = 4

#: Of an edge in a scratch table: nobody asked yet where it enters or leaves the other piece.
UNCUT = -1.0

#: ``centroid`` is in the frame of the body's own shape; ``radius`` that of a sphere about it;
#: ``coulomb`` is negative where there is no coefficient.
BODY = fields(
    piece0=int, pieces=int, moves=int, radius=float, centroid=(float, 3),
    stiffness=float, damping=float, friction=float, coulomb=float,
)  # fmt: skip

#: ``centre`` and ``radius`` are of a sphere that holds the piece, or that it is; ``inner`` is how
#: far its faces are from its middle at least; ``root`` the root of its octree.
PIECE = fields(
    body=int, is_ball=int, centre=(float, 3), radius=float, inner=float, root=int, cloud0=int,
    vertex0=int, vertices=int, edge0=int, edges=int, face0=int, faces=int,
)  # fmt: skip

EDGE_ENDS = fields(tail=int, head=int, left=int, right=int)

#: A half-space x n <= offset, n the outward unit normal.
PLANE = fields(x=float, y=float, z=float, offset=float)

#: Some entries of a list, one after the other.
RUN = fields(first=int, count=int)

#: Of a contact octree: a sphere, children, and which features it names, as runs of ``items``.
NODE = fields(
    x=float, y=float, z=float, radius=float, child0=int, children=int,
    vertices=RUN, edges=RUN, faces=RUN,
)  # fmt: skip


class SceneTables(Tables):
    """The bodies of a scene: what no step changes."""

    bodies = Records(BODY)
    pieces = Records(PIECE)
    vertices = Reals(3, "[m]")
    edges = Records(EDGE_ENDS)
    planes = Records(PLANE, "of the faces")
    rings = Records(RUN, "by face its corners, in ring_vertices")
    ring_vertices = Wholes()
    spokes = Records(RUN, "by vertex its edges, in spoke_edges")
    spoke_edges = Wholes()
    covered = Wholes(doc="of a face: 1 where another piece of its body lies on all of it")
    nodes = Records(NODE, "of the octrees")
    items = Wholes(doc="features that nodes name")
    cloud = Reals(
        4,
        "the vertices of a piece, those near each other in a row; before them, where they are many,"
        " balls about clusters and groups (`geometry.narrowphase.support`): centre and radius",
    )
    cloud_vertices = Wholes(doc="by row of the cloud which vertex of the piece it is")


#: World frame. ``normal`` points from b to a; ``velocity`` is of a relative to b, ``force`` on a;
#: ``stretch`` how far the spring across is stretched, a from b. ``a`` and ``b`` are pieces, then
#: kind and number of their features. ``kept``: 1 where it was there at the last step;
#: ``left_out``: 1 where another contact stands for it, and it pushes nobody.
CONTACT = fields(
    point=(float, 3), normal=(float, 3), depth=float, velocity=(float, 3), force=(float, 3),
    stretch=(float, 3), a=int, b=int, kind_a=int, feature_a=int, kind_b=int, feature_b=int,
    kept=int, left_out=int,
)  # fmt: skip

#: How often each was done in a step, see `contact.Cost`.
COST = fields(
    pair_tests=int, node_tests=int, leaf_pairs=int, edge_checks=int, crossing_checks=int,
    sphere_checks=int, distances=int, kept=int, new=int,
)  # fmt: skip

#: Numbers of contacts now and at the last step and of pieces that passed each other; the body that
#: was refused, if any; whether there was a last step; the options of the scene.
STEP = fields(
    contacts=int, passed=int, refused=int, old=int, has_before=int, continuous=int, pulls=int
)

#: A direction along which two pieces were apart, in the frame of the second. ``pair`` is the number
#: of the first times that of all pieces, plus the second; pairs may share a row.
PARTED = fields(pair=int, x=float, y=float, z=float)


class StateTables(Tables):
    """Where the bodies are and were, and what is between them. Poses are of the centroid frames,
    rows [R | t] of twelve numbers; those given and held are 4 x 4 of the shapes' own frames."""

    given = Reals(16)
    held = Reals(16, "the same at the last step: what is left out stays there")
    poses = Reals(12)
    before = Reals(12, "at the last step")
    was_there = Wholes(doc="1 where the body was placed at the last step")
    twists = Reals(6, "velocity of the centroid, angular velocity; world axes")
    contacts = Records(CONTACT)
    old = Records(CONTACT, "those of the last step, with those left out")
    forces = Reals(3, "on each body, then the moment of each about its centroid")
    passed = Wholes(2, "pieces that went through each other")
    parted = Records(PARTED)
    cost = Record(COST)
    step = Record(STEP)


#: What is looked at: the pieces ``p`` and ``q``, the rows of their contacts at the last step, how
#: far outside one of them a point still counts as inside; of the faces in NEAR where those of p
#: and those of q end; of their bodies the first contact now and at the last step; the next contact
#: of the last step; and where the machine code of `piece_pair.touch_pair` and of
#: `dispatch.pair_distance` is.
PAIR = fields(
    epoch=int, p=int, q=int, first_old=int, end_old=int, slack=float, near_p=int, near_q=int,
    body_first=int, body_old=int, cursor=int, touch_at=int, distance_at=int,
)  # fmt: skip

#: The epochs at which a vertex was found to be inside the other piece, outside of it (``ruled`` is
#: the row of NEAR of a face it is beyond), high enough to touch it; its face at the last step.
VERTEX_MARK = fields(inside=int, outside=int, ruled=int, high=int, hint=int)

#: The epochs at which an edge was named by a leaf or reached from another edge, was found high
#: enough, and was not found to be outside; the part inside, as shares of its length, or UNCUT.
EDGE_MARK = fields(named=int, high=int, inside=int, start=float, end=float)

#: A face that reaches into the slab, its plane, and how much it looks along the way out.
NEAR = fields(face=int, x=float, y=float, z=float, offset=float, along=float)

#: An edge inside the other piece, for the search of crossings, in the frame of q: its tail, head -
#: tail, the directions into its left and right face, the part inside, 1 / length; sum of its
#: shares, and their difference with a margin, of the whole edge where it is UNCUT.
CROSSER = fields(
    edge=int, tail=(float, 3), along=(float, 3), left=(float, 3), right=(float, 3),
    start=float, end=float, scale=float, twice_middle=float, width=float,
)  # fmt: skip

#: Where two edges cross: the shares of either, the depth along the normal (in the frame of q).
CROSSING = fields(share_p=float, share_q=float, depth=float, x=float, y=float, z=float)

#: The distance of two pieces, negative where they overlap, witness points and normal from q to p,
#: world frame; or another direction that parts them.
APART = fields(distance=float, point_p=(float, 3), point_q=(float, 3), normal=(float, 3))


class ScratchTables(Tables):
    """Room to work in. Nothing in it is needed after a step but the marks, for their numbers."""

    rel = Reals(doc="the pose of p's body in q's: R row-major, then t")
    pair = Record(PAIR)
    apart = Record(APART)
    crossing = Record(CROSSING)
    stack = Wholes(2, "pairs of nodes that wait")
    vertices = Records(VERTEX_MARK)
    edges = Records(EDGE_MARK)
    faces_high = Wholes(doc="the epoch at which a face was found high enough")
    nodes_seen = Wholes(doc="the epoch at which a leaf met another")
    climbed = Wholes(doc="vertices in the slab of one piece")
    slab = Wholes(doc="edges in that of both")
    near = Records(NEAR, "faces in it, first those of p")
    queue = Wholes(doc="edges that wait")
    crossers = Records(CROSSER, "first those of p")
    sides = Reals(
        ANY, "of q's crossers: x, y, z of the normals of their left faces, then of the right ones"
    )
    facing = Wholes(doc="1 where q's crosser may cross a given edge")
    placed = Nested(Bodies, "the pieces where they are now, or were, for their distance")
    out = Reals(OUT_COLUMNS)
    room = Nested(PairScratch)
    sweep = Nested(Sweep)


scene_at = viewer(SceneTables)
state_at = viewer(StateTables)
scratch_at = viewer(ScratchTables)
