"""Where the convex kernels keep their state inside the scratch arrays ``work`` and ``iwork``.

``work``, float64
    CORE_A, CORE_B  what the support functions need, see `cores`
    OFFSET          origin of a minus origin of b, world axes
    RESULT          distance of the cores, unit normal from b to a (3), point on a (3), on b (3)
                    (each relative to its body's origin, world axes), lower bound, rounding
    TRIAL           of the simplex: distance to the origin, unit direction (3), weights (4)
    WEIGHTS         weights of the accepted simplex (4)
    SIMPLEX         four vertices of nine columns: a - b, a, b (3 each)
"""

from __future__ import annotations

#: A core of at most this many points is kept in world axes, so that its support is a plain scan.
CACHED_POINTS = 8

CORE_A = 0
CORE_B = CORE_A + 3 * CACHED_POINTS
OFFSET = CORE_B + 3 * CACHED_POINTS
RESULT = OFFSET + 3
TRIAL = RESULT + 12
WEIGHTS = TRIAL + 8
SIMPLEX = WEIGHTS + 4
GJK_WORK = SIMPLEX + 36

#: Columns of RESULT.
R_DISTANCE = RESULT
R_NORMAL = RESULT + 1
R_POINT_A = RESULT + 4
R_POINT_B = RESULT + 7
R_LOWER = RESULT + 10
R_ROUNDING = RESULT + 11

#: ``iwork``: tag, number of points, first point; then the same of b.
ICORE_A = 0
ICORE_B = 3
GJK_IWORK = 6
