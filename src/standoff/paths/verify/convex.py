"""Proofs by a direction that separates convex shapes or bounding spheres, and proofs that a
bounding sphere stays clear of a box around static primitives.
"""

from __future__ import annotations

import numpy as np

from standoff.geometry.pose import NORMAL_TOLERANCE, Array
from standoff.geometry.primitives import HalfSpace
from standoff.paths.verify.cell_model import Ints, NotProvedError
from standoff.paths.verify.rows import Rows, by_part, describe, room
from standoff.paths.verify.support import core_support
from standoff.paths.verify.triangles import cross

#: By how much a distance that a certificate claims may exceed the one found by `verify`, relative
#: to the sizes and the distance of the two bodies, [-]. It decides nothing, as the smaller of the
#: two is used; a claim beyond it is another one than the checker's, whose search for the distance
#: of cylinders ends at `GJK_TOLERANCE`.
CLAIM_TOLERANCE = 1e-8


def check_convex(rows: Rows, *, spheres: bool) -> Array:
    """By how much each proof holds, [m].

    Raises:
        NotProvedError: a shape that is not convex, a normal that is none, a distance that the
            direction does not give.
    """
    for part in np.unique(np.concatenate([rows.a, rows.b])).tolist():
        shape = rows.scene.part(part).shape
        if not (shape.bounded if spheres else shape.convex):
            where = np.flatnonzero((rows.a == part) | (rows.b == part))[0]
            kind = type(shape).__name__
            what = "no sphere holds a" if spheres else "no direction need separate a"
            raise NotProvedError(f"{describe(rows, where)}: {what} {kind}")
    n = _normals(rows)
    found = _sphere_gap(rows, n) if spheres else _shape_gap(rows, n)
    claimed = rows.proofs["distance"]
    check_claim(rows, claimed, found)
    limits = rows.scene.bound(rows.proofs, (rows.a, rows.b), centres=spheres)
    common = rows.common()
    nearing = _approach(rows, rows.a, common, -n * rows.forward[:, None], spheres)
    nearing += _approach(rows, rows.b, common, n * rows.forward[:, None], spheres)
    d = np.minimum(claimed, found) - limits.blur - limits.position_error - rows.clearance()
    return room(d, nearing, limits, rows.span)


def check_claim(rows: Rows, claimed: Array, found: Array) -> None:
    """Refuse a distance that is longer than the one found by more than rounding."""
    radii = rows.scene.radii
    sizes = np.where(np.isinf(radii), 0.0, radii)
    apart = rows.centre(rows.a) - rows.centre(rows.b)
    scale = sizes[rows.a] + sizes[rows.b] + np.abs(apart).max(axis=1)
    fine = claimed <= found + CLAIM_TOLERANCE * scale
    if not fine.all():
        k = int(np.argmin(fine))
        raise NotProvedError(
            f"{describe(rows, k)}: claims a distance of {claimed[k]:.9g} m where only "
            f"{found[k]:.9g} m is found"
        )


def _normals(rows: Rows) -> Array:
    """Unit normals (n, 3); that of a half space itself where it is one of the two."""
    given = rows.proofs["normal"]
    length = np.sqrt((given * given).sum(axis=1))
    bad = ~(np.abs(length - 1.0) <= NORMAL_TOLERANCE)
    if bad.any():
        k = int(np.argmax(bad))
        raise NotProvedError(
            f"{describe(rows, k)}: a normal of length {length[k]:.9g} instead of 1"
        )
    n: Array = given / length[:, None]
    for side, sign in ((rows.a, -1.0), (rows.b, 1.0)):
        for part, which in by_part(side):
            if isinstance(rows.scene.part(part).shape, HalfSpace):
                own = sign * rows.placed(part, which)[0][:, :, 2]
                off = np.abs(own - n[which]).max(axis=1) > NORMAL_TOLERANCE
                if off.any():
                    k = int(which[np.argmax(off)])
                    raise NotProvedError(
                        f"{describe(rows, k)}: the normal is not that of the half space"
                    )
                n[which] = own
    return n


def _shape_gap(rows: Rows, n: Array) -> Array:
    """``-h_a(-n) - h_b(n)``: how far ``n`` separates the two shapes."""
    total = np.zeros(len(n))
    for side, d in ((rows.a, -n), (rows.b, n)):
        for part, which in by_part(side):
            turn, place = rows.placed(part, which)
            shape = rows.scene.part(part).shape
            along = np.einsum("ni,ni->n", d[which], place)
            if not isinstance(shape, HalfSpace):  # whose plane goes through its origin
                along += core_support(shape, np.einsum("ni,nij->nj", d[which], turn))
                along += shape.swept_radius
            total[which] -= along
    return total


def _sphere_gap(rows: Rows, n: Array) -> Array:
    apart = np.einsum("ni,ni->n", n, rows.centre(rows.a) - rows.centre(rows.b))
    return np.asarray(apart - rows.scene.radii[rows.a] - rows.scene.radii[rows.b])


def _approach(rows: Rows, parts: Ints, common: Ints, g: Array, spheres: bool) -> Array:
    """The largest ``g·v`` over the points of each part, seen from ``common``.

    ``g·(w x r) = (g x w)·r``, which is largest where the support function of ``g x w`` is; a
    radius around a core does not move against it, so it does not count."""
    spin, speed, origin = rows.relative(parts, common)
    push = cross(g, spin)
    result = np.einsum("ni,ni->n", g, speed)
    moves = rows.scene.frames[parts] != common
    if spheres:
        result += np.einsum("ni,ni->n", push, rows.centre(parts) - origin)
        return np.where(moves, result, 0.0)
    for part, which in by_part(parts):
        which = which[moves[which]]
        if len(which):
            turn, place = rows.placed(part, which)
            result[which] += np.einsum("ni,ni->n", push[which], place - origin[which])
            inward = np.einsum("ni,nij->nj", push[which], turn)
            result[which] += core_support(rows.scene.part(part).shape, inward)
    return np.where(moves, result, 0.0)


def check_groups(rows: Rows) -> Array:
    """By how much each proof holds, [m].

    The centre moves along ``c + s v`` within ``s² M / 2``, or stays within ``s λ`` of where it is.
    Either way it must stay outside the box by more than the sphere's radius and the clearance; and
    outside in any case, since nothing is known of how deep in it would be."""
    scene = rows.scene
    limits = rows.scene.bound(rows.proofs, (rows.a, None), centres=True)
    f = scene.frames[rows.a]
    centre = rows.centre(rows.a)
    lever = centre - rows.frames.place[rows.at, f]
    v = rows.frames.speed[rows.at, f] + cross(rows.frames.spin[rows.at, f], lever)
    lower, upper = scene.lower[rows.b], scene.upper[rows.b]
    way = (rows.span * rows.forward)[:, None] * v
    swept = segment_to_box(centre, way, lower, upper)
    swept -= rows.span * limits.haste + 0.5 * rows.span**2 * limits.curvature
    near = segment_to_box(centre, np.zeros_like(way), lower, upper) - rows.span * limits.length
    d = np.maximum(swept, near) - limits.blur - limits.position_error
    return np.asarray(np.minimum(d, d - scene.radii[rows.a] - _clearance(rows)))


def _clearance(rows: Rows) -> Array:
    """The clearance that the sphere's part must keep from the group, those of single pairs left
    out: `coverage` asks for other proofs of them."""
    scene = rows.scene
    clearance = scene.certificate.clearance
    result = np.full(len(rows.a), clearance)
    if clearance < 0.0:
        for k, (a, group) in enumerate(zip(rows.a, rows.b, strict=True)):
            members = scene.members[group]
            if len(members):
                result[k] = scene.usual_clearance(np.full(len(members), a), members).max()
    return result


def segment_to_box(start: Array, way: Array, lower: Array, upper: Array) -> Array:
    """Distances (n,) of the segments from ``start`` to ``start + way`` from boxes; all (n, 3).

    Along the segment the squared distance is convex and, between the places where it crosses the
    planes of the faces, a quadratic; its least value is at such a place or where a quadratic is
    least."""
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.concatenate([(lower - start) / way, (upper - start) / way], axis=1)
    crossings = np.where(np.isfinite(crossings), np.clip(crossings, 0.0, 1.0), 0.0)
    ends = np.broadcast_to([0.0, 1.0], (len(start), 2))
    t = np.sort(np.concatenate([crossings, ends], axis=1), axis=1)
    middle = 0.5 * (t[:, 1:] + t[:, :-1])
    x = start[:, None] + middle[:, :, None] * way[:, None]
    face = np.where(x < lower[:, None], lower[:, None], upper[:, None])
    outside = (x < lower[:, None]) | (x > upper[:, None])
    a = np.where(outside, start[:, None] - face, 0.0)
    b = np.where(outside, np.broadcast_to(way[:, None], a.shape), 0.0)
    square = (b * b).sum(axis=2)
    best = -(a * b).sum(axis=2) / np.where(square > 0.0, square, 1.0)
    least = np.clip(best, t[:, :-1], t[:, 1:])
    places = np.concatenate([t, least], axis=1)
    at = start[:, None] + places[:, :, None] * way[:, None]
    out = np.maximum(0.0, np.maximum(lower[:, None] - at, at - upper[:, None]))
    return np.asarray(np.sqrt((out * out).sum(axis=2).min(axis=1)))
