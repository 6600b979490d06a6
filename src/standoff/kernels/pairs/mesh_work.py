"""Where the mesh kernels keep what they work on: offsets into ``work`` and ``iwork``."""

from __future__ import annotations

from standoff.kernels.pairs.convex import CONVEX_IWORK, CONVEX_WORK
from standoff.kernels.pairs.triangle_triangle import TRIANGLE_WORK
from standoff.kernels.rss import NODE_COLUMNS
from standoff.kernels.rss_tree import TREE_DEPTH

#: A walk splits one node at a time and keeps the other child for later, so that no more than one
#: pair a level waits; two trees have 2 TREE_DEPTH levels between them.
STACK = 2 * TREE_DEPTH + 2

#: Corners of two triangles and their nearest points; see `triangle_triangle`.
TRIANGLES = 0
#: Pose of b in a's frame: R row-major, then t.
REL = TRIANGLES + TRIANGLE_WORK
#: The nearest points so far, on a and on b, and their normal, in a's frame.
BEST = REL + 12
#: Two nodes for triangles and convex bodies, which have no node of their own.
LEAF = BEST + 9
#: Lower bounds of the pairs that wait.
BOUNDS = LEAF + 2 * NODE_COLUMNS
#: Half extents of a convex body about its own origin, and the centre of that box.
EXTENT = BOUNDS + STACK
#: Rows of the two bodies given to `convex_pair`, and its answer.
ROWS = EXTENT + 6
ANSWER = ROWS + 32
CONVEX = ANSWER + 11
MESH_WORK = CONVEX + CONVEX_WORK

#: The pairs that wait, two numbers each.
PAIRS = 0
#: The triangles of the nearest points so far.
NEAREST = PAIRS + 2 * STACK
#: ``refs`` of the two bodies given to `convex_pair`.
REFS = NEAREST + 2
ICONVEX = REFS + 16
MESH_IWORK = ICONVEX + CONVEX_IWORK
