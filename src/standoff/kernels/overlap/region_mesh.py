"""The region octree of a triangle mesh: a solid where it is closed, a surface otherwise.

Each node has the list of the triangles that may come as near as the growth, cut out of its
parent's. A node without any is wholly inside or wholly outside; which of the two is carried along
segments from the parent, see `region_side`. A node that a single grown triangle covers is black.
"""

from __future__ import annotations

import math

from standoff.kernels.jit import entry, inlined, kernel
from standoff.kernels.overlap.region_codes import FULL, SCRATCH_FULL, SURE, emit, push_children
from standoff.kernels.overlap.region_side import GRAZED, crossings
from standoff.kernels.overlap.region_triangle import triangle_away, triangle_distance

_DIAGONAL = math.sqrt(3.0)

#: Points of a node that are tried before its side is in doubt.
_TRIES = 6

#: Columns of a row of the stack: code, x, y, z, level, and the run of the parent's triangles.
STACK_COLUMNS = 7


@entry(
    "int64(float64[:,::1], int64[:,::1], int64, float64[::1], int64, float64, float64, float64, "
    "int64[:,::1], int64[::1], float64[:,::1], int64[::1], uint8[::1])"
)
def mesh_leaves(V, F, closed, root, deepest, grow, slack, near, stack, lists, known, codes, levels):
    """Write the leaves of the mesh with the vertices ``V`` in the world, grown by ``grow``, and
    return how many; FULL or SCRATCH_FULL where there is no room for leaves or in ``lists``.

    ``known`` (deepest + 2, 4): for each level a point of the node at hand and the winding number
    there, GRAZED where it is in doubt; row 0 is a point outside of all, for the root."""
    cell = root[3] / (1 << deepest)
    for t in range(len(F)):
        lists[t] = t
    known[0, 3] = 0.0
    count = 0
    stack[0, 0] = stack[0, 1] = stack[0, 2] = stack[0, 3] = stack[0, 4] = stack[0, 5] = 0
    stack[0, 6] = len(F)
    top = 1
    while top > 0:
        top -= 1
        code, level = stack[top, 0], stack[top, 4]
        x, y, z = stack[top, 1], stack[top, 2], stack[top, 3]
        first, last = stack[top, 5], stack[top, 6]
        size = 1 << (deepest - level)
        h = 0.5 * size * cell
        cx = root[0] + (x + 0.5 * size) * cell
        cy = root[1] + (y + 0.5 * size) * cell
        cz = root[2] + (z + 0.5 * size) * cell
        if len(lists) < 2 * last - first:
            return SCRATCH_FULL
        finest = level == deepest
        end = last
        covered = False
        for k in range(first, last):
            t = lists[k]
            if triangle_away(V, F, t, cx, cy, cz, h, grow + slack, 0 if grow == 0.0 else 1):
                continue
            lists[end] = t
            end += 1
            if grow > _DIAGONAL * h and _covers(V, F, t, cx, cy, cz, h, grow - slack):
                covered = True
                break
            if finest and grow == 0.0:
                break
        if covered:
            mark = level | SURE
        elif end > last and finest:
            mark = level
        else:
            inside = 0
            if closed != 0:
                inside = _find_side(V, F, lists, first, last, cx, cy, cz, h, level, known, near)
            if end > last:
                top = push_children(stack, top, code, x, y, z, level, deepest)
                for row in range(top - 8, top):
                    stack[row, 5], stack[row, 6] = last, end
                continue
            if inside == 0:
                continue
            mark = level | (0 if inside == GRAZED else SURE)
        count = emit(codes, levels, count, code, mark, deepest)
        if count == FULL:
            return FULL
    return count


@inlined
def _covers(V, F, t, cx, cy, cz, h, reach):
    """Whether all of the cube is within ``reach`` of a triangle."""
    return triangle_distance(V, F, t, cx, cy, cz) + _DIAGONAL * h <= reach


@kernel
def _find_side(V, F, lists, first, last, cx, cy, cz, h, level, known, near):
    """The winding number at a point of the node, GRAZED where no point of it tells; the point
    stands in row ``level + 1`` of ``known`` then. From the parent's point, or from outside over all
    triangles where the parent has none."""
    for attempt in range(2 * _TRIES):
        start = level
        if attempt >= _TRIES or known[level, 3] == GRAZED:
            start, first, last = 0, 0, len(F)
        # Odd places, so that no segment runs along a face or an edge of a part made in a grid.
        px = cx + h * _odd(attempt, 0.137)
        py = cy + h * _odd(attempt, 0.291)
        pz = cz + h * _odd(attempt, 0.443)
        change = crossings(
            V, F, lists, first, last, known[start, 0], known[start, 1], known[start, 2],
            px, py, pz, near,
        )  # fmt: skip
        if change != GRAZED:
            known[level + 1, 0], known[level + 1, 1], known[level + 1, 2] = px, py, pz
            known[level + 1, 3] = known[start, 3] + change
            return int(known[level + 1, 3])
    known[level + 1, 3] = GRAZED
    return GRAZED


@inlined
def _odd(attempt, seed):
    """A number between -0.6 and 0.6 that repeats for no two attempts."""
    return 1.2 * ((0.618034 * attempt + seed) % 1.0) - 0.6
