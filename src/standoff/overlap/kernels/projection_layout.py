"""The tables of planar projections: what each column of a row means.

Bodies: ``bodies``, float64 (n, 14)
    0-11 the pose as in `geometry.narrowphase.layout`, its position counted from the scene's origin;
    12 by how much the hull of the points is grown (the radius of a sphere or a capsule, and the
    distance a moving part is grown by); 13 the reach: no point of the body is farther from the
    scene's origin, rounding is measured by it; of a half space the distance of its own origin

Where their points are: ``ranges``, int64 (n, 3): kind, first point, number of points

Planes: ``bases``, float64 (k, 9): two unit vectors that span the plane, then its normal

Outlines: ``table``, float64 (k, n, 11), one row for each part on each plane
    0-3 the rectangle around the corners (low x, low y, high x, high y); 4-6 centre and radius of
    the circle around them; 7 how far the true outline may reach beyond the hull of the corners, at
    most; 8 area; 9 tilt, 10 reach.
    A half plane has its direction in 0 and 1 and how far it reaches along it in 2.

Where their corners are: ``spans``, int64 (k, n, 5)
    kind, first corner and number of corners of the hull, first piece and number of pieces of the
    true outline; no pieces: the hull is all that is known

Pieces: ``pieces``, float64 (p, 4), the rectangle of each; ``piece_spans``, int64 (p, 2), its first
corner and their number. Corners run counter-clockwise, but whatever they are, their convex hull is
meant.
"""

from __future__ import annotations

#: Kinds of bodies, and of their outlines: a half space is a half plane where the plane holds its
#: normal, and otherwise the whole plane.
BOUNDED = 0
HALF = 1
WHOLE = 2

BODY_GROWN = 12
BODY_REACH = 13
BODY_COLUMNS = 14

NORMAL = 6
BASIS_COLUMNS = 9

CIRCLE = 4
GROWN = 7
AREA = 8
TILT = 9
REACH = 10
OUTLINE_COLUMNS = 11

KIND = 0
FIRST = 1
COUNT = 2
PIECE0 = 3
PIECES = 4
SPAN_COLUMNS = 5

#: Columns of ``counts``: how many planes were looked at for a pair, and how many tests were made.
PLANES = 0
RECTANGLES = 1
CIRCLES = 2
POLYGONS = 3
COUNTS = 4
