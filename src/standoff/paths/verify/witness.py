"""Verdicts that are not free: the bodies are as near as they say, where they say, on the motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array
from standoff.geometry.primitives import HalfSpace
from standoff.geometry.shape import Shape
from standoff.paths.certificate import Claim
from standoff.paths.verify.cell_model import Ints, NotProvedError
from standoff.paths.verify.cell_scene import WITNESS_TOLERANCE, Scene
from standoff.paths.verify.gjk import deeper_than, distance_at_most, extremes
from standoff.paths.verify.kinematics import frames_at, value
from standoff.paths.verify.meshes import body_gaps
from standoff.paths.verify.support import farthest
from standoff.tolerances import EPS

#: How far apart two bodies may be that a witness shows in contact, and how much nearer than shown,
#: relative to their sizes and the distance of their origins, [-]: two searches for one distance
#: both end before it.
WITNESS_DISTANCE = 1e-6


#: Part of a claimed depth that need not be shown, [-]: directions are tried one cell at a time.
_DEPTH = 0.001


def check_witness(scene: Scene, watched: Ints) -> None:
    """Refuse a witness that is not on the motion, of a pair that is not watched, or not as near as
    its verdict says."""
    claim = scene.certificate.verdict
    assert claim.q is not None and claim.piece is not None and claim.u is not None
    assert claim.pair is not None and claim.parts is not None and claim.distance is not None
    q = np.array(claim.q)
    _check_instant(scene, claim, q)
    a, b = (_find(scene, body, part) for body, part in zip(claim.pair, claim.parts, strict=True))
    if min(a, b) * len(scene.model.parts) + max(a, b) not in watched:
        raise NotProvedError(f"{claim.pair[0]} and {claim.pair[1]} are not watched: they may touch")
    at = value(np.moveaxis(scene.certificate.coefficients[claim.piece], 0, -1), np.array(claim.u))
    now = frames_at(
        scene.model,
        at[None],
        np.zeros((1, len(q))),
        scene.certificate.glides[[claim.piece]],
        np.array([claim.u]),
    )
    first, second = scene.part(a), scene.part(b)
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = now.poses(
        np.zeros(2, dtype=np.int64), scene.frames[[a, b]], scene.model.locals[[a, b]]
    )
    # From the shapes of the cell alone: nothing that is claimed may widen what is allowed.
    sizes = [farthest(part.shape, np.zeros(3)) for part in (first, second) if part.shape.bounded]
    blur = WITNESS_DISTANCE * sum(sizes)
    clearance = float(scene.clearance(np.array([a]), np.array([b]))[0])
    two = (first.shape, poses[0], second.shape, poses[1])
    where = f"{first} and {second} at piece {claim.piece}, u = {claim.u:.9g}"
    if claim.kind == "collision":
        _check_collision(scene, two, claim.distance, clearance, blur, where)
    else:
        limit = clearance + scene.certificate.tolerance
        _check_near(scene, two, claim.distance, limit, blur, where)


#: Two shapes at their poses.
Two = tuple[Shape, Array, Shape, Array]


def _check_collision(
    scene: Scene, two: Two, distance: float, clearance: float, blur: float, where: str
) -> None:
    """Refuse a collision that is none, or that is not as deep as it says."""
    near = _apart(scene, *two, abs(distance) + 10.0 * blur)
    if not near <= blur:
        raise NotProvedError(f"{where}: said to collide, but {near:.3g} m apart")
    free = min(0.0, clearance)
    if distance > free + blur:
        raise NotProvedError(
            f"{where}: said to collide at a distance of {distance:.9g} m, where {free:.9g} m is "
            "still free"
        )
    if clearance < 0.0 and not deeper_than(*two, -clearance - blur):
        raise NotProvedError(
            f"{where}: not shown to be deeper in each other than {-clearance:.9g} m"
        )
    _check_depth(scene, two, distance, blur, where)


def _check_near(
    scene: Scene, two: Two, distance: float, limit: float, blur: float, where: str
) -> None:
    """Refuse bodies that are not nearer than the limit, or not as near as it says."""
    near = _apart(scene, *two, max(limit, abs(distance)) + 10.0 * blur)
    if not near <= limit + blur:
        raise NotProvedError(f"{where}: {near:.9g} m apart, and not nearer than {limit:.9g} m")
    if abs(near - distance) > blur and not (near <= 0.0 and distance <= 0.0):
        raise NotProvedError(f"{where}: {near:.9g} m apart, and not {distance:.9g} m")
    _check_depth(scene, two, distance, blur, where)


def _check_depth(scene: Scene, two: Two, distance: float, blur: float, where: str) -> None:
    """Refuse a distance below 0 that two bodies in contact are not shown to have."""
    depth = (1.0 - _DEPTH) * -distance - blur
    if not (_can_be_so_deep(*two, depth) or _surface_so_far(scene, *two, depth)):
        raise NotProvedError(f"{where}: a penetration depth of {-distance:.9g} m is not shown")


def _check_instant(scene: Scene, claim: Claim, q: Array) -> None:
    certificate, piece, u = scene.certificate, claim.piece, claim.u
    assert piece is not None and u is not None
    powers = np.moveaxis(certificate.coefficients[piece], 0, -1)
    off = np.abs(value(powers, np.full(len(q), u)) - q)
    noise = 16.0 * EPS * np.abs(powers).sum(axis=-1)
    allowed = WITNESS_TOLERANCE + noise
    known = certificate.rounding[piece] + noise <= WITNESS_DISTANCE  # False for what is no number
    if not known.all():
        j = int(np.argmin(known))
        raise NotProvedError(
            f"the position of {certificate.joints[j]!r} in piece {piece} is not known well enough "
            f"for a witness: rounding may be {certificate.rounding[piece, j] + noise[j]:.3g}"
        )
    far = 16.0 * EPS * np.abs(certificate.glides[piece]).sum(axis=-1)
    if not (far <= WITNESS_DISTANCE).all():
        raise NotProvedError(
            f"the pose of {certificate.moving[int(np.argmax(far))]!r} in piece {piece} is not "
            "known well enough for a witness: it is too far away or too fast"
        )
    if (off > allowed).any():
        j = int(np.argmax(off - allowed))
        raise NotProvedError(
            f"the witness is not on the motion: {certificate.joints[j]!r} is {off[j]:.3g} off at "
            f"piece {piece}, u = {u:.9g}"
        )
    start, end = certificate.times[piece : piece + 2]
    for own in (start + u * (end - start), u):  # of the whole motion, or within a segment
        off_by = WITNESS_TOLERANCE * (end - start) + 8.0 * EPS * max(1.0, abs(start), abs(end))
        if claim.t is None or abs(claim.t - own) <= off_by:
            return
    raise NotProvedError(
        f"the witness is at u = {u:.9g} of piece {piece}, which is not t = {claim.t:.9g}"
    )


def _find(scene: Scene, body: str, number: int) -> int:
    for place, part in enumerate(scene.model.parts):
        if (part.body, part.number) == (body, number):
            return place
    raise NotProvedError(
        f"the witness is about part {number} of {body!r}, which the cell does not have"
    )


def _apart(scene: Scene, a: Shape, pose_a: Array, b: Shape, pose_b: Array, wanted: float) -> float:
    """The distance of two parts, [m], or ``wanted`` where a mesh is farther away; 0 or less where
    they meet, and then no depth."""
    if not isinstance(a, Mesh):
        a, pose_a, b, pose_b = b, pose_b, a, pose_a
    if not isinstance(a, Mesh):
        return distance_at_most(a, pose_a, b, pose_b)
    at, there = ((pose[None, :3, :3], pose[None, :3, 3]) for pose in (pose_a, pose_b))
    return float(body_gaps(scene, [a], [b], at, there, np.array([wanted]))[0])


def _can_be_so_deep(a: Shape, pose_a: Array, b: Shape, pose_b: Array, depth: float) -> bool:
    """Whether two convex bodies are shown to be so deep in each other. Of a mesh no depth is known:
    there it is whether the hulls are, along the axes of both."""
    if depth <= 0.0:
        return True
    if a.convex and b.convex:
        return deeper_than(a, pose_a, b, pose_b, depth)
    if isinstance(a, HalfSpace):
        a, pose_a, b, pose_b = b, pose_b, a, pose_a
    if isinstance(b, HalfSpace):
        n = pose_b[None, :3, 2]
        low = extremes(a, pose_a, -n)[0] - n[0] * a.swept_radius - pose_b[:3, 3]
        return bool(-(n[0] @ low) > depth)
    n = np.concatenate([pose_a[:3, :3].T, pose_b[:3, :3].T])
    n = np.concatenate([n, -n])
    x = extremes(a, pose_a, n) - extremes(b, pose_b, -n)
    return bool(((x * n).sum(axis=1) + a.swept_radius + b.swept_radius > depth).all())


def _surface_so_far(
    scene: Scene, a: Shape, pose_a: Array, b: Shape, pose_b: Array, depth: float
) -> bool:
    """Whether the surface of an open mesh that counts as solid is that far from the other body. A
    body that sticks out of the opening has a gap to the surface that is longer than the hulls are
    deep in each other."""
    surfaces = [x.as_surface() if isinstance(x, Mesh) else x for x in (a, b)]
    if surfaces[0] is a and surfaces[1] is b:
        return False
    own = replace(scene, soups={})  # kept by identity, and these surfaces do not last
    return _apart(own, surfaces[0], pose_a, surfaces[1], pose_b, depth) >= depth
