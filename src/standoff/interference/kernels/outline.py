"""The outlines of parts on planes: the convex hull of each projection, with its envelopes."""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Reals, Record, Records, Tables, fields, viewer
from standoff.tolerances import EPS

#: Rounding of a projected point and of all that is measured on it, relative to the part's reach:
#: its farthest point from the scene's origin, [-]. In units of EPS: the product of basis and
#: rotation 3, the point by it and the position 5, both for two coordinates; a basis that is 8 off
#: orthonormal, a pose that is 45 off a rotation (ROTATION_EXACT); 8 of the height by which the hull
#: may leave out a point unseen (`planar_hull.left_out`); 8 for circles, directions and differences.
#: Together 85.
PROJECTION_ROUNDING = 128 * EPS

#: Rounding of twice the area of a triangle, relative to the square of its larger extent, [-]: two
#: products of two differences each, less than 2 units of either, and as much again for room.
INNER_ROUNDING = 8 * EPS

#: How far the normal of a half space may be from lying in a plane for its projection to be a half
#: plane, [-]: what turned walls leave by rounding. Nothing is lost by it, as the tilt is taken off
#: what is proved; beyond, the half space covers the plane.
HALF_SPACE_TILT = 1e-12


#: Kinds of bodies, and of their outlines: a half space is a half plane where the plane holds its
#: normal, and otherwise the whole plane.
BOUNDED, HALF, WHOLE = range(3)

#: A part: its pose, the position counted from the scene's origin; by how much the hull of its
#: points is grown, [m] (the radius of a sphere or a capsule, and the distance a moving part is
#: grown by); its reach, [m]: no point of it is farther from the scene's origin, rounding is
#: measured by it (of a half space the distance of its own origin); its kind, and its points.
BODY = fields(pose=(float, 12), grown=float, reach=float, kind=int, first=int, count=int)

#: A plane: the two unit vectors that span it, one after the other, and its normal.
PLANE = fields(axes=(float, 6), normal=(float, 3))

#: An outline: the rectangle around its corners, the circle around them, how far the projection may
#: reach beyond the hull of the corners at most, its area and the reach of the part; its kind and
#: corners. A half plane has instead the direction of its normal, how far it reaches along it, and
#: by how much its normal is off the plane. Corners run counter-clockwise, but whatever they are,
#: their convex hull is meant. The true outline is the union of its pieces, outlines themselves, of
#: which rectangle and corners are used; of most it is the hull, their one piece.
OUTLINE = fields(
    low_x=float, low_y=float, high_x=float, high_y=float,
    centre_x=float, centre_y=float, radius=float,
    grown=float, area=float, reach=float,
    normal_x=float, normal_y=float, along=float, tilt=float,
    kind=int, first=int, count=int, piece=int, pieces=int,
)  # fmt: skip

#: How many planes were looked at for a pair, and how many tests were made.
COUNTS = fields(planes=int, rectangles=int, circles=int, polygons=int)


class Scene(Tables):
    """Parts on planes, in metres."""

    bodies = Records(BODY)
    points = Reals(3, "of bounded bodies, each in its body's frame")
    planes = Records(PLANE)
    outlines = Records(OUTLINE, "a row for each part on each plane, then those of pieces")
    corners = Reals(2, "of hulls, room for every point on every plane; then those of pieces")
    counts = Record(COUNTS)
    flat = Reals(2, "scratch, as many as a body has points: where they are on a plane")
    lower = Reals(2, "the same: the lower part of the hull")
    upper = Reals(2, "the same: the upper part")
    spare = Reals(2, "the same")


scene_at = viewer(Scene)


@entry("void(int64, int64[::1])")
def project(scene, which):
    """The outlines of the bodies ``which`` on all planes."""
    scene = scene_at(scene)
    for i in which:
        body = scene.bodies[i]
        for k in range(len(scene.planes)):
            row = k * len(scene.bodies) + i
            outline = scene.outlines[row]
            outline.reach = body.reach
            outline.grown = body.grown + PROJECTION_ROUNDING * body.reach
            outline.piece, outline.pieces = row, 1
            if body.kind == BOUNDED:
                hull_on_plane(scene, body, k, outline)
            else:
                half_plane(body, scene.planes[k], outline)


@kernel
def half_plane(body, plane, outline):
    """All x with m·x <= m·t project to the whole plane, unless m lies in it. What m is off by, its
    tilt, counts as doubt about each point that is compared with the half plane."""
    axes, normal, pose = plane.axes, plane.normal, body.pose
    mx, my, mz = pose[2], pose[6], pose[10]
    tilt = abs(normal[0] * mx + normal[1] * my + normal[2] * mz)
    outline.kind = HALF if tilt <= HALF_SPACE_TILT else WHOLE
    outline.normal_x = axes[0] * mx + axes[1] * my + axes[2] * mz
    outline.normal_y = axes[3] * mx + axes[4] * my + axes[5] * mz
    outline.along = mx * pose[3] + my * pose[7] + mz * pose[11]
    outline.tilt = tilt + PROJECTION_ROUNDING
    outline.area = 0.0


@kernel
def hull_on_plane(scene, body, k, outline):
    """The hull of the projected points of a bounded body, with rectangle, circle and area."""
    flat, lower, upper, corners = scene.flat, scene.lower, scene.upper, scene.corners
    place(scene, body, scene.planes[k])
    n = drop_inner(flat, body.count, lower, upper)
    sort_points(flat, n, scene.spare)
    n = distinct(flat, n)
    below = chain(flat, n, 1.0, lower)
    above = chain(flat, n, -1.0, upper)
    missed = max(left_out(flat, n, 1.0, lower, below), left_out(flat, n, -1.0, upper, above))
    outline.grown += missed
    outline.kind = BOUNDED
    outline.first = k * len(scene.points) + body.first
    for c in range(below):
        at = outline.first + c
        corners[at, 0], corners[at, 1] = lower[c, 0], lower[c, 1]
    end = outline.first + below
    for c in range(above - 2, 0, -1):  # without the two ends, which the lower chain has
        corners[end, 0], corners[end, 1] = upper[c, 0], upper[c, 1]
        end += 1
    outline.count = end - outline.first
    envelope(corners, outline)


@kernel
def place(scene, body, plane):
    """The points of a body on a plane: one product of basis and rotation, then two sums a point."""
    flat, points, pose = scene.flat, scene.points, body.pose
    for r in range(2):
        bx, by, bz = plane.axes[3 * r], plane.axes[3 * r + 1], plane.axes[3 * r + 2]
        x = bx * pose[0] + by * pose[4] + bz * pose[8]
        y = bx * pose[1] + by * pose[5] + bz * pose[9]
        z = bx * pose[2] + by * pose[6] + bz * pose[10]
        s = bx * pose[3] + by * pose[7] + bz * pose[11]
        for p in range(body.count):
            q = body.first + p
            flat[p, r] = x * points[q, 0] + y * points[q, 1] + z * points[q, 2] + s


@kernel
def envelope(corners, outline):
    """Rectangle, circle and area of a convex polygon that is grown: area, perimeter times growth
    and a full disc."""
    start, end = outline.first, outline.first + outline.count
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    for c in range(start, end):
        x, y = corners[c, 0], corners[c, 1]
        low_x, low_y = min(low_x, x), min(low_y, y)
        high_x, high_y = max(high_x, x), max(high_y, y)
    cx, cy = 0.5 * (low_x + high_x), 0.5 * (low_y + high_y)
    radius = twice = around = 0.0
    before = end - 1
    for c in range(start, end):
        x, y = corners[c, 0] - cx, corners[c, 1] - cy
        bx, by = corners[before, 0] - cx, corners[before, 1] - cy
        radius = max(radius, x * x + y * y)
        twice += bx * y - by * x
        around += math.sqrt((x - bx) * (x - bx) + (y - by) * (y - by))
        before = c
    outline.low_x, outline.low_y, outline.high_x, outline.high_y = low_x, low_y, high_x, high_y
    outline.centre_x, outline.centre_y, outline.radius = cx, cy, math.sqrt(radius)
    outline.area = 0.5 * twice + outline.grown * (around + math.pi * outline.grown)


#: Points that are put into order one by one before such runs are merged.
RUN = 8

#: Points from which on it pays to look for those that are surely inside; at least eight.
MANY = 16

#: The directions that are looked along for that, both ways: with those against them they run
#: counter-clockwise.
OCTAGON = ((1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (-1.0, 1.0))


@kernel
def drop_inner(points, n, eight, deep):
    """Leave out points that are inside the octagon of the points farthest along the axes and the
    diagonals; how many remain. Two thirds of the corners of a body go, before the sort, and without
    a branch to guess.

    A point strictly to the left of every edge is circled by them, so it is in their hull. Its turn
    is off by less than INNER_ROUNDING of the larger extent's square, which it has to exceed: no
    point of the hull is lost, whatever rounding does."""
    if n < MANY:
        return n
    for d in range(4):
        dx, dy = OCTAGON[d]
        low, high = math.inf, -math.inf
        for k in range(n):
            x, y = points[k, 0], points[k, 1]
            along = dx * x + dy * y
            if along > high:
                high = along
                eight[d, 0], eight[d, 1] = x, y
            if along < low:
                low = along
                eight[d + 4, 0], eight[d + 4, 1] = x, y
    wide = max(eight[0, 0] - eight[4, 0], eight[2, 1] - eight[6, 1])
    margin = INNER_ROUNDING * wide * wide
    if not margin > 0.0:
        return n
    for k in range(n):
        deep[k, 0] = math.inf
    for d in range(8):
        ax, ay = eight[d, 0], eight[d, 1]
        ex, ey = eight[(d + 1) % 8, 0] - ax, eight[(d + 1) % 8, 1] - ay
        if ex != 0.0 or ey != 0.0:
            for k in range(n):
                left = ex * (points[k, 1] - ay) - ey * (points[k, 0] - ax)
                deep[k, 0] = min(deep[k, 0], left)
    kept = 0
    for k in range(n):
        points[kept, 0], points[kept, 1] = points[k, 0], points[k, 1]
        kept += 0 if deep[k, 0] > margin else 1
    return kept


@kernel
def sort_points(points, n, spare):
    """Put the first ``n`` points into the order of x, then y; by merging, so n log n at worst."""
    for k in range(n):
        x, y = points[k, 0], points[k, 1]
        at = k
        while at % RUN > 0 and (
            x < points[at - 1, 0] or (x == points[at - 1, 0] and y < points[at - 1, 1])
        ):
            points[at, 0], points[at, 1] = points[at - 1, 0], points[at - 1, 1]
            at -= 1
        points[at, 0], points[at, 1] = x, y
    width = RUN
    while width < n:
        for start in range(0, n, 2 * width):
            a = start
            middle = min(start + width, n)
            b = middle
            end = min(start + 2 * width, n)
            for k in range(start, end):
                first = b >= end or (a < middle and not before(points, b, points, a))
                if first:
                    spare[k, 0], spare[k, 1] = points[a, 0], points[a, 1]
                    a += 1
                else:
                    spare[k, 0], spare[k, 1] = points[b, 0], points[b, 1]
                    b += 1
        for k in range(n):
            points[k, 0], points[k, 1] = spare[k, 0], spare[k, 1]
        width *= 2


@kernel
def before(A, a, B, b):
    return A[a, 0] < B[b, 0] or (A[a, 0] == B[b, 0] and A[a, 1] < B[b, 1])


@kernel
def distinct(points, n):
    """Leave out the doubles among the first ``n`` sorted points; how many remain."""
    kept = min(n, 1)
    for k in range(1, n):
        if before(points, kept - 1, points, k):
            points[kept, 0], points[kept, 1] = points[k, 0], points[k, 1]
            kept += 1
    return kept


@kernel
def turn(A, a, b, B, c):
    """Twice the area of the triangle of two points of ``A`` and one of ``B``: positive where it
    runs counter-clockwise."""
    x, y = A[a, 0], A[a, 1]
    return (A[b, 0] - x) * (B[c, 1] - y) - (A[b, 1] - y) * (B[c, 0] - x)


@kernel
def chain(points, n, side, out):
    """The lower (``side`` 1) or the upper (-1) part of the hull of ``n`` sorted, distinct points,
    from left to right; how many points it has (A. M. Andrew, 1979)."""
    kept = 0
    for k in range(n):
        while kept >= 2 and side * turn(out, kept - 2, kept - 1, points, k) <= 0.0:
            kept -= 1
        out[kept, 0], out[kept, 1] = points[k, 0], points[k, 1]
        kept += 1
    return kept


@kernel
def left_out(points, n, side, chain, kept):
    """How far, along y, any of the points is seen to be on the wrong side of the chain.

    A point between the ends of an edge in the order of x is as far from the hull as it is below
    the edge, at most: ``-turn / dx``. The turn is off by less than 4 units of rounding of its two
    products, and as the point's dx is at most the edge's, that is less than 8 units of the height
    of the points along y, which the outline is grown by in any case (`PROJECTION_ROUNDING`)."""
    worst = 0.0
    e = 0
    for k in range(n):
        while e + 2 < kept and before(chain, e + 1, points, k):
            e += 1
        if kept >= 2:
            t = side * turn(chain, e, e + 1, points, k)
            if t < 0.0:
                worst = max(worst, -t / (chain[e + 1, 0] - chain[e, 0]))
    return worst
