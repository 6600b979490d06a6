"""Whether a mesh that is not closed goes round a point all the same."""

from __future__ import annotations

import math

from standoff.compiled.jit import entry, kernel
from standoff.compiled.tables import Reals, Tables, Wholes, viewer
from standoff.geometry.narrowphase.mesh_inside import half_angle
from standoff.geometry.narrowphase.vectors import cross, dot, minus, point

#: An open mesh may be meant as a solid. A part of which more than this part of all directions, seen
#: from one of its points, ends at the mesh may be inside what was meant, [-]. One flat sheet ends
#: half of them at most, however near, so a part on one side of a sheet is no doubt; a point inside
#: a convex solid that lacks some of one face has more than half, wherever it is.
ENCLOSING_PART = 0.5


class Look(Tables):
    """A look round from points at an open mesh."""

    vertices = Reals(3)
    faces = Wholes(3)
    points = Reals(3)
    directions = Reals(3, "of lines, both ways")
    hits = Wholes(2, "scratch: how many triangles each line meets, that way and the other")


look_at = viewer(Look)


@entry("int64(int64)")
def first_enclosed(look):
    """The number of the first point that the mesh goes round, or -1.

    A point is enclosed if most rays from it, taken both ways along each direction, cross the mesh
    an odd number of times, whichever way its triangles face; or if most of them cross it at all,
    and the winding number is above a half, however often a triangle is repeated. One flat sheet is
    crossed by half of the rays at most: of the two along a line one points away from it.
    """
    look = look_at(look)
    hits = look.hits
    most = ENCLOSING_PART * 2.0 * len(hits)
    for p in range(len(look.points)):
        winding = _look_around(look, p)
        covered, odd = 0, 0
        for k in range(len(hits)):
            for way in range(2):
                covered += hits[k, way] > 0
                odd += hits[k, way] & 1
        if odd > most or (covered > most and abs(winding) > ENCLOSING_PART):
            return p
    return -1


@kernel
def _look_around(look, p):
    """The winding number at point ``p``; ``hits`` becomes how many triangles the ray along each
    direction meets, and the ray against it."""
    V, F, directions, hits = look.vertices, look.faces, look.directions, look.hits
    hits[:] = 0
    x0, x1, x2 = point(look.points, p)
    angle = 0.0
    for t in range(len(F)):
        a0, a1, a2 = minus(*point(V, F[t, 0]), x0, x1, x2)
        b0, b1, b2 = minus(*point(V, F[t, 1]), x0, x1, x2)
        c0, c1, c2 = minus(*point(V, F[t, 2]), x0, x1, x2)
        m0, m1, m2 = cross(b0, b1, b2, c0, c1, c2)
        height = dot(a0, a1, a2, m0, m1, m2)
        if height == 0.0:
            continue  # seen edge on
        angle += half_angle((a0, a1, a2), (b0, b1, b2), (c0, c1, c2))
        n0, n1, n2 = cross(c0, c1, c2, a0, a1, a2)
        o0, o1, o2 = cross(a0, a1, a2, b0, b1, b2)
        for k in range(len(directions)):
            d0, d1, d2 = point(directions, k)
            # On which side of the three planes through the point and an edge the line runs.
            one = dot(d0, d1, d2, m0, m1, m2) > 0.0
            two = dot(d0, d1, d2, n0, n1, n2) > 0.0
            three = dot(d0, d1, d2, o0, o1, o2) > 0.0
            if one == two and two == three:
                hits[k, 0 if one == (height > 0.0) else 1] += 1
    return angle / (2.0 * math.pi)
