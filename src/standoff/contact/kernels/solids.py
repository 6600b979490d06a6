"""Pieces as solids: where they are, how far they reach, what they hold; and bodies of several.

Pieces of one body overlap or lie side by side: where two of them meet, the body has no surface, and
nothing leaves through it.
"""

from __future__ import annotations

import math

from standoff.compiled.jit import kernel
from standoff.geometry.narrowphase.rows import unrotate
from standoff.geometry.narrowphase.scratch import CACHED_POINTS
from standoff.geometry.narrowphase.support import farthest, grouped
from standoff.geometry.narrowphase.vectors import unturn
from standoff.tolerances import CONTACT_CONE, CONTACT_MERGE, CONTACT_SEAM


@kernel
def to_world(poses, i, x, y, z):
    """A point of body ``i`` in the world."""
    X = poses
    return (
        X[i, 0] * x + X[i, 1] * y + X[i, 2] * z + X[i, 3],
        X[i, 4] * x + X[i, 5] * y + X[i, 6] * z + X[i, 7],
        X[i, 8] * x + X[i, 9] * y + X[i, 10] * z + X[i, 11],
    )


@kernel
def ball_centre(scene, poses, p):
    """The centre of the sphere about piece ``p``, in the world."""
    c = scene.pieces[p].centre
    return to_world(poses, scene.pieces[p].body, c[0], c[1], c[2])


@kernel
def reach(piece):
    """How far a piece reaches from the centroid of its body, at most."""
    c = piece.centre
    return math.sqrt(c[0] ** 2 + c[1] ** 2 + c[2] ** 2) + piece.radius


@kernel
def highest(scene, p, n0, n1, n2):
    """The row of the cloud of the vertex of piece ``p`` farthest along ``n``, in the frame of its
    body."""
    cloud, first, count = scene.cloud, scene.pieces[p].cloud0, scene.pieces[p].vertices
    if count > CACHED_POINTS:
        return grouped(cloud, first, count, n0, n1, n2)
    return farthest(cloud, first, count, n0, n1, n2)


@kernel
def overlap_along(scene, rel, p, q, n0, n1, n2):
    """How far p has to move along the unit vector ``n`` (in the frame of q) to be beyond q; not
    positive where they are apart along it."""
    cloud = scene.cloud
    m0, m1, m2 = unturn(rel, n0, n1, n2)
    low, top = highest(scene, p, -m0, -m1, -m2), highest(scene, q, n0, n1, n2)
    lowest = cloud[low, 0] * m0 + cloud[low, 1] * m1 + cloud[low, 2] * m2
    lowest += rel[9] * n0 + rel[10] * n1 + rel[11] * n2
    return cloud[top, 0] * n0 + cloud[top, 1] * n1 + cloud[top, 2] * n2 - lowest


@kernel
def gap_along(scene, rows, p, q, nx, ny, nz):
    """How far apart two pieces, balls or polyhedra, are along the world unit vector from q to p, at
    the places in ``rows``; negative where they overlap along it."""
    return -height_along(scene, rows, p, -nx, -ny, -nz) - height_along(scene, rows, q, nx, ny, nz)


@kernel
def height_along(scene, rows, p, nx, ny, nz):
    """How high a piece at its place in ``rows`` reaches along a world unit vector."""
    height = rows[p, 3] * nx + rows[p, 7] * ny + rows[p, 11] * nz
    if scene.pieces[p].is_ball == 1:
        return height + scene.pieces[p].radius
    cloud = scene.cloud
    x, y, z = unrotate(rows, p, nx, ny, nz)
    k = highest(scene, p, x, y, z)
    return height + cloud[k, 0] * x + cloud[k, 1] * y + cloud[k, 2] * z


@kernel
def contains(scene, q, x, y, z, slack):
    """Whether a point, in the frame of polyhedron ``q``, is not beyond any of its faces."""
    planes, first = scene.planes, scene.pieces[q].face0
    for f in range(first, first + scene.pieces[q].faces):
        n = planes[f]
        if n.x * x + n.y * y + n.z * z - n.offset > slack:
            return False
    return True


@kernel
def holds(scene, o, x, y, z, near):
    """Whether a point of the body is in its piece ``o``, or within ``near`` of it."""
    if scene.pieces[o].is_ball == 0:
        return contains(scene, o, x, y, z, near)
    c = scene.pieces[o].centre
    u, v, w = x - c[0], y - c[1], z - c[2]
    return u * u + v * v + w * w <= (scene.pieces[o].radius + near) ** 2


@kernel
def alone(scene, p):
    """Whether a piece is the only one of its body."""
    return scene.bodies[scene.pieces[p].body].pieces == 1


@kernel
def hidden(scene, s, at, n, side):
    """Whether another piece of the body holds the point ``at`` of piece ``s`` and goes on beyond it
    along the unit vector ``n``: then the body has no surface there that looks that way. With a
    ``side`` of 1 its surface holds points, with -1 only what is inside."""
    pieces, cloud = scene.pieces, scene.cloud
    body = scene.bodies[pieces[s].body]
    near, beyond = CONTACT_SEAM * body.radius, CONTACT_MERGE * body.radius
    (x, y, z), (n0, n1, n2) = at, n
    height = x * n0 + y * n1 + z * n2
    for o in range(body.piece0, body.piece0 + body.pieces):
        if o == s or not holds(scene, o, x, y, z, side * near):
            continue
        if pieces[o].is_ball == 1:
            c = pieces[o].centre
            top = c[0] * n0 + c[1] * n1 + c[2] * n2 + pieces[o].radius
        else:
            k = highest(scene, o, n0, n1, n2)
            top = cloud[k, 0] * n0 + cloud[k, 1] * n1 + cloud[k, 2] * n2
        if top > height + beyond:
            return True
    return False


@kernel
def goes_on(scene, s, at, n):
    """Whether the point ``at`` of an edge of piece ``s`` is on a face of another piece of the body
    that looks along ``n`` (within CONTACT_CONE): two flat pieces side by side have no edge."""
    pieces, planes, (x, y, z) = scene.pieces, scene.planes, at
    body = scene.bodies[pieces[s].body]
    near = CONTACT_SEAM * body.radius
    for o in range(body.piece0, body.piece0 + body.pieces):
        if o == s or pieces[o].is_ball == 1 or not contains(scene, o, x, y, z, near):
            continue
        for f in range(pieces[o].face0, pieces[o].face0 + pieces[o].faces):
            face = planes[f]
            a, b, c = face.x - n[0], face.y - n[1], face.z - n[2]
            behind = face.offset - face.x * x - face.y * y - face.z * z
            if a * a + b * b + c * c <= CONTACT_CONE**2 and behind <= near:
                return True
    return False
