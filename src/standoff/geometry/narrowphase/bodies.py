"""Bodies as kernels take them; `geometry.narrowphase.layout` says what the columns mean.

A pair kernel is given each body as a set of `Bodies` and a row of it. Two sets may share their
`Solids`: what stands still and what moves have rows of their own and the same geometry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.compiled.tables import (
    ANY,
    Nested,
    Reals,
    Record,
    Tables,
    Wholes,
    fields,
    viewer,
)
from standoff.geometry.narrowphase.bvh import TREE_DEPTH
from standoff.geometry.narrowphase.layout import (
    KIND,
    OUT_COLUMNS,
    POINTS,
    POLYHEDRON,
    REF_COLUMNS,
    ROW_COLUMNS,
)
from standoff.geometry.narrowphase.rss import NODE_COLUMNS
from standoff.geometry.narrowphase.scratch import IWORK, WORK
from standoff.geometry.narrowphase.triangle import CORNERS_B, TRIANGLE_WORK


class Solids(Tables):
    """Geometry of polyhedra and meshes, each in its own frame."""

    points = Reals(ANY, "vertices, [m]; four columns for points in groups, see `support`")
    faces = Wholes(3, "counted from the first point of their body")
    nodes = Reals(NODE_COLUMNS, "bounding volumes of trees")
    ints = Wholes(doc="children of the nodes, then what else a kind keeps")


class Bodies(Tables):
    """Placed bodies, a row each."""

    rows = Reals(ROW_COLUMNS, "pose and size")
    refs = Wholes(REF_COLUMNS, "kind, and where in the solids its geometry is")
    solids = Nested(Solids)


#: A walk splits one node at a time and keeps the other child for later, so that no more than one
#: pair a level waits; two trees have 2 TREE_DEPTH levels between them.
WAITING = 2 * TREE_DEPTH + 2

#: Rows of the two bodies, kind of the second; what rounding may do to their distance [m]. Of a walk
#: for the distance: the least one so far, with its triangles, the distance from which on pairs are
#: let be, and what the least one is uncertain by.
MESH_PAIR = fields(
    i=int, j=int, kind=int, margin=float,
    best=float, triangle_a=int, triangle_b=int, reach=float, slack=float,
)  # fmt: skip


class MeshPair(Tables):
    """A mesh ``a`` and a mesh or convex body ``b``, as `bvh_walk.begin` lays them out; coordinates
    are those of a."""

    state = Record(MESH_PAIR)
    a = Nested(Bodies)
    b = Nested(Bodies)
    pose = Reals(doc="of b: R row-major, then t")
    corners = Reals(doc="of two triangles, and their nearest points; see `triangle`")
    near = Reals(doc="the nearest points of a and of b, and the normal")
    own = Reals(NODE_COLUMNS, "nodes of a triangle of each, or of b, if they have none")
    box = Reals(doc="half extents of a convex b along its own axes, and the centre")
    keys = Reals(doc="of the pairs of nodes that wait")
    waiting = Wholes(2, "nodes of a and b; ~t for triangle t, ~0 for a convex b")
    triangle = Nested(Bodies, "the one in the first corners")
    point = Nested(Bodies, "the nearest one of a")
    convex = Nested(Bodies, "b")
    answer = Reals(OUT_COLUMNS, "of a triangle and a convex b")

    def __init__(self) -> None:
        corners, near = np.zeros(TRIANGLE_WORK), np.zeros(9)
        super().__init__(
            pose=12, corners=corners, near=near, own=2, box=6, keys=WAITING, waiting=WAITING,
            triangle=_points(corners[:CORNERS_B]), point=_points(near[:3]),
            convex=Bodies(rows=1, refs=1), answer=1,
        )  # fmt: skip


def _points(corners: Any) -> Bodies:
    """The hull of points, in place."""
    points = corners.reshape(-1, 3)
    bodies = Bodies(rows=1, refs=1, solids=Solids(points=points))
    bodies.rows[0, [0, 5, 10]] = 1.0
    bodies.refs[0, [KIND, POINTS]] = POLYHEDRON, len(points)
    return bodies


class PairScratch(Tables):
    """Room that any one pair needs."""

    work = Reals(doc="of GJK and the expanding polytope, see `scratch`")
    iwork = Wholes(doc="likewise")
    mesh = Nested(MeshPair)

    def __init__(self) -> None:
        super().__init__(work=WORK, iwork=IWORK, mesh=MeshPair())


bodies_at = viewer(Bodies)
scratch_at = viewer(PairScratch)
