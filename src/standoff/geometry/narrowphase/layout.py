"""The tables that kernels share: what each column of a row means.

Placed bodies: ``rows``, float64 (n, 16), C order
    0-11  the pose as three rows of four, ``[R | t]`` row-major: ``R[r, c]`` at ``4 r + c``,
          ``t[r]`` at ``4 r + 3``; the upper three rows of a 4 x 4 pose matrix
    12-15 the size: sphere (radius), capsule (radius, half length), box (half x, half y, half z),
          cylinder (radius, half length), others as `support.support_point` reads it; unused is 0

What they are: ``refs``, int64 (n, 8), C order; offsets point into the geometry
    0 kind, 1 first point, 2 number of points, 3 first face, 4 number of faces,
    5 first node, 6 first integer, 7 flags (CLOSED, OPEN_SOLID or neither)

Geometry, for polyhedra and meshes, in the body's own frame
    ``points`` float64 (m, 3), ``faces`` int64 (f, 3) counted from the body's first point,
    ``nodes`` float64 (k, 16) and ``ints`` int64 (l,), both as the owner of the kind lays them out,
    with indices counted from the body's own first entry, so that geometries can be concatenated

Results: ``out``, float64 (n, 11), C order
    DISTANCE signed, POINT_A and POINT_B the witness points, NORMAL the unit vector from b to a,
    SLACK: the true distance is at least ``value - slack`` (for meshes that overlap, the value
    is no distance but minus a lower bound on the depth, and the slack says nothing)

A pair kernel is called ``kernel(A, i, B, j, out, k)`` (analytic pairs) and writes row ``k``.
"""

from __future__ import annotations

from standoff.compiled.jit import shared

#: The kinds of shapes. What their order means is asked of the functions below and nowhere else.
#: Those behind MESH are convex primitives that have a support function and no code of their own
#: besides: whatever kernels need of them follows from it.
KINDS = 7
SPHERE, CAPSULE, BOX, CYLINDER, HALFSPACE, POLYHEDRON, MESH = range(KINDS)


@shared
def is_round(kind):
    """Whether it is a core grown by a radius, for which triangles have a closed form."""
    return kind <= CAPSULE


@shared
def is_analytic(kind):
    """Whether it has a closed form against all others of which that is true."""
    return kind <= BOX


@shared
def is_primitive(kind):
    """Whether it is bounded, and the sizes in its row say all."""
    return kind <= CYLINDER or kind > MESH


@shared
def is_general(kind):
    """Whether it is known by its support function alone."""
    return kind > MESH


#: Bits of ``refs[:, FLAGS]``: a closed mesh; an open one that counts as solid where its winding
#: number is at least a half. A mesh with neither is a sheet, with nothing inside.
CLOSED = 1
OPEN_SOLID = 2

ROW_COLUMNS = 16
SIZE = 12

KIND = 0
POINT0 = 1
POINTS = 2
FACE0 = 3
FACES = 4
NODE0 = 5
INT0 = 6
FLAGS = 7
REF_COLUMNS = 8

#: Columns of a result, or the first of three.
DISTANCE, POINT_A, POINT_B, NORMAL, SLACK = 0, 1, 4, 7, 10
OUT_COLUMNS = 11
