"""Proofs that a bounding sphere stays clear of a box around static primitives."""

from __future__ import annotations

import numpy as np

from standoff.paths.verify.rows import Rows
from standoff.paths.verify.triangles import cross
from standoff.shapes.pose import Array


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
    d = np.maximum(swept, near) - limits.blur - limits.stray
    return np.asarray(np.minimum(d, d - scene.radii[rows.a] - _clearance(rows)))


def _clearance(rows: Rows) -> Array:
    """The largest clearance that the sphere's part must keep from a member of the group."""
    scene = rows.scene
    clearance = scene.certificate.clearance
    result = np.full(len(rows.a), clearance)
    if scene.own_clearances or clearance < 0.0:
        for k, (a, group) in enumerate(zip(rows.a, rows.b, strict=True)):
            members = scene.members[group]
            if len(members):
                result[k] = scene.clearance(np.full(len(members), a), members).max()
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
