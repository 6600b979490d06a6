"""Where the convex kernels keep their state inside the scratch arrays ``work`` and ``iwork``.

``work``, float64
    CORE_A, CORE_B  what the support functions need, see `cores`
    OFFSET          origin of a minus origin of b, world axes
    RESULT          distance of the cores, unit normal from b to a (3), point on a (3), on b (3)
                    (each relative to its body's origin, world axes), lower bound, upper bound,
                    rounding (given beforehand), number of vertices of the last simplex
    SAVED           a RESULT put aside
    TRIAL           of the simplex: distance to the origin, unit direction (3), weights (4)
    WEIGHTS         weights of the accepted simplex (4)
    SIMPLEX         four vertices of nine columns: a - b, a, b (3 each)
    VERTICES        of the expanding polytope, nine columns each as in the simplex
    PLANES          of its faces: unit outward normal (3), signed distance from the origin

``iwork``, int64
    ICORE_A, ICORE_B  tag, number of points, first point of each core
    FACES             of the expanding polytope, seven columns each: three vertices,
                      counter-clockwise from outside, the face beyond each edge (the first edge
                      runs from the first vertex to the second), state
    VISIBLE           faces to remove in one step
    HORIZON           edges around them: start, end, face beyond
    STARTS            by vertex, the horizon edge that starts there, or -1
    SPARE             removed faces, to be used again
"""

from __future__ import annotations

from standoff.tolerances import EPA_STEPS

#: A core of at most this many points is kept in world axes, so that its support is a plain scan.
CACHED_POINTS = 8

CORE_A = 0
CORE_B = CORE_A + 3 * CACHED_POINTS
OFFSET = CORE_B + 3 * CACHED_POINTS
RESULT = OFFSET + 3
SAVED = RESULT + 14
TRIAL = SAVED + 14
WEIGHTS = TRIAL + 8
SIMPLEX = WEIGHTS + 4

#: Columns of RESULT.
R_DISTANCE = RESULT
R_NORMAL = RESULT + 1
R_POINT_A = RESULT + 4
R_POINT_B = RESULT + 7
R_LOWER = RESULT + 10
R_UPPER = RESULT + 11
R_ROUNDING = RESULT + 12
R_COUNT = RESULT + 13

ICORE_A = 0
ICORE_B = ICORE_A + 3

#: A closed triangulated surface of v vertices has 2 v - 4 faces.
MAX_VERTICES = EPA_STEPS + 4
MAX_FACES = 2 * MAX_VERTICES

VERTICES = SIMPLEX + 36
PLANES = VERTICES + 9 * MAX_VERTICES
WORK = PLANES + 4 * MAX_FACES

FACES = ICORE_B + 3
VISIBLE = FACES + 7 * MAX_FACES
HORIZON = VISIBLE + MAX_FACES
STARTS = HORIZON + 3 * MAX_FACES
SPARE = STARTS + MAX_VERTICES
IWORK = SPARE + MAX_FACES
