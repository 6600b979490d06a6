"""A small prover of motions: bisects until `standoff.paths.verify` is content with each interval.

Distances and normals come from `so.distance` at poses of the compiled kinematics, so that a
certificate made here and the plain code that checks it have nothing in common but the cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

import standoff as so
from standoff.paths.certificate import (
    GROUP,
    MESH,
    PROOF,
    SHAPE,
    SPHERE,
    Certificate,
    Claim,
    Group,
    Primitive,
)
from standoff.paths.verify.cell_scene import match, measured
from standoff.paths.verify.convex import check_convex, check_groups
from standoff.paths.verify.coverage import watched_parts
from standoff.paths.verify.meshes import check_meshes
from standoff.paths.verify.rows import select
from standoff.paths.verify.support import core_points, core_support, farthest


def path_coefficients(waypoints):
    """(pieces, 6, joints) of straight segments."""
    q = np.asarray(waypoints, dtype=float)
    coefficients = np.zeros((len(q) - 1, 6, q.shape[1]))
    coefficients[:, 0], coefficients[:, 1] = q[:-1], np.diff(q, axis=0)
    return coefficients


def glide_rows(pose, linear=(0, 0, 0), angular=(0, 0, 0), pieces=1):
    """(pieces, 18): one glide cut into equal pieces."""
    rows = np.zeros((pieces, 18))
    for k in range(pieces):
        at = np.array(pose, dtype=float)
        turned = Rotation.from_rotvec(k / pieces * np.array(angular, float)).as_matrix()
        at[:3, :3] = turned @ at[:3, :3]
        at[:3, 3] += k / pieces * np.array(linear, float)
        rows[k] = np.concatenate(
            [at[:3].ravel(), np.array(linear, float) / pieces, np.array(angular, float) / pieces]
        )
    return rows


class Prover:
    """Makes certificates for one cell and one motion."""

    def __init__(
        self, cell, coefficients, *, glides=None, clearance=0.0, tolerance=1e-3, clearances=None,
        deviation=0.0, rounding=None, grouped=False, spheres=True,
    ):  # fmt: skip
        self.cell, self.spheres = cell, spheres
        coefficients = np.asarray(coefficients, dtype=float)
        n, _, joints = coefficients.shape
        if rounding is None:
            rounding = 8 * 2.3e-16 * np.abs(coefficients).sum(axis=1)
        model = cell.model
        self.static = [
            (name, i)
            for name, frame, parts in zip(model.names, model.frame, model.parts)
            for i, (shape, _) in enumerate(parts)
            if frame == 0 and shape.bounded
        ]
        primitives = tuple(
            Primitive(name, i, *_sphere(shape, local))
            for name, parts in zip(model.names, model.parts)
            for i, (shape, local) in enumerate(parts)
        )
        self.number = {(p.body, p.part): k for k, p in enumerate(primitives)}
        if glides is None:
            still = [glide_rows(cell.bodies[m].pose, pieces=n) for m in cell.moving]
            glides = np.stack(still, axis=1) if still else np.zeros((n, 0, 18))
        self.certificate = Certificate(
            joints=cell.joints,
            moving=cell.moving,
            clearance=clearance,
            tolerance=tolerance,
            clearances=clearances or {},
            deviation=np.broadcast_to(deviation, (joints,)),
            times=np.arange(n + 1.0),
            coefficients=coefficients,
            rounding=rounding,
            glides=glides,
            verdict=Claim("free"),
            primitives=primitives,
            groups=self._groups(primitives) if grouped else (),
            proofs=np.zeros(0, dtype=PROOF),
        )
        self.scene = measured(match(cell, self.certificate))

    def free(self, most=20000):
        """A certificate that the motion is free, or None where it takes too many proofs."""
        scene, parts = self.scene, self.scene.model.parts
        pairs = [divmod(int(k), len(parts)) for k in watched_parts(self.cell, scene)]
        place = {int(p): k for k, p in enumerate(scene.part_of)}
        pieces = range(len(self.certificate.times) - 1)
        kept = []
        grouped = set(scene.members[0].tolist()) if scene.members else set()
        movers = sorted({a for pair in pairs for a in pair if a not in grouped})
        open_ = [(k, 0.0, 1.0, SPHERE, place[a], place[b]) for k in pieces for a, b in pairs]
        if grouped:
            watched = set(pairs)
            open_ = [
                (k, 0.0, 1.0, GROUP, place[a], 0)
                for k in pieces
                for a in movers
                if any((min(a, b), max(a, b)) in watched for b in grouped)
            ] + [row for row in open_ if not {int(scene.part_of[x]) for x in row[4:]} & grouped]
        while open_:
            rows = self._rows(open_)
            held = self._held(rows)
            kept.append(rows[held])
            if sum(map(len, kept)) + len(open_) > most or min(r[2] - r[1] for r in open_) < 1e-6:
                return None
            again = []
            for row in [open_[k] for k in np.flatnonzero(~held)]:
                again += self._next(row, place, grouped, set(pairs))
            open_ = again
        proofs = np.concatenate(kept) if kept else np.zeros(0, dtype=PROOF)
        return replace(self.certificate, proofs=proofs)

    def _next(self, row, place, grouped, watched):
        """What to try where a proof did not hold: a sharper method, then a shorter interval."""
        piece, start, end, method, a, b = row
        scene = self.scene
        if method == GROUP and end - start <= 0.25:
            mine = int(scene.part_of[a])
            return [
                (piece, start, end, SPHERE, a, place[other])
                for other in grouped
                if (min(mine, other), max(mine, other)) in watched
            ]
        if method == SPHERE:
            shapes = [scene.part(int(scene.part_of[x])).shape for x in (a, b)]
            sharper = SHAPE if all(s.convex for s in shapes) else MESH
            return [(piece, start, end, sharper, a, b)]
        middle = 0.5 * (start + end)
        return [(piece, start, middle, method, a, b), (piece, middle, end, method, a, b)]

    def _rows(self, open_):
        rows = np.zeros(len(open_), dtype=PROOF)
        for row, (piece, start, end, method, a, b) in zip(rows, open_):
            # The instant is at the start for even pieces of the bisection, at the end for odd ones.
            width = end - start
            at = end if width < 1.0 and round(start / width) % 2 == 0 else start
            row["piece"], row["start"], row["end"], row["at"] = piece, start, end, at
            row["method"], row["a"], row["b"] = method, a, b
            if method != GROUP:
                row["distance"], row["normal"] = self._measured(row)
        return rows

    def _measured(self, row):
        parts = [self.scene.part(int(self.scene.part_of[row[x]])) for x in ("a", "b")]
        frames = self.frames(int(row["piece"]), float(row["at"]))
        if row["method"] == SPHERE:
            a, b = (
                frames[p.frame][:3, :3] @ np.array(self.certificate.primitives[row[x]].centre)
                + frames[p.frame][:3, 3]
                for p, x in zip(parts, ("a", "b"))
            )
            radii = sum(self.certificate.primitives[row[x]].radius for x in ("a", "b"))
            apart = np.linalg.norm(a - b)
            if not (apart > 0.0 and np.isfinite(radii)):
                return -9.0, (0.0, 0.0, 1.0)
            return apart - radii, (a - b) / apart
        (a, b), (pa, pb) = parts, (frames[p.frame] @ p.local for p in parts)
        found = so.distance(a.shape, pa, b.shape, pb)
        return found.distance, found.normal

    def frames(self, piece, u):
        """Poses of all frames, by the compiled kinematics and SciPy's rotations."""
        c = self.certificate
        q = sum(c.coefficients[piece, p] * u**p for p in range(6))
        frames = list(self.cell.tree.forward(q))
        for row in c.glides[piece]:
            pose = np.eye(4)
            pose[:3] = row[:12].reshape(3, 4)
            pose[:3, :3] = Rotation.from_rotvec(u * row[15:]).as_matrix() @ pose[:3, :3]
            pose[:3, 3] += u * row[12:15]
            frames.append(pose)
        return frames

    def _held(self, rows):
        held = np.zeros(len(rows), dtype=bool)
        for method in (SPHERE, SHAPE, MESH, GROUP):
            which = np.flatnonzero((rows["method"] == method) & (rows["distance"] > -9.0))
            if len(which) and (method != SPHERE or self.spheres):
                held[which] = self._room(rows[which], method) > 0.0
        return held

    def _room(self, rows, method):
        scene = replace(self.scene, certificate=replace(self.certificate, proofs=rows))
        some = select(scene, np.arange(len(rows)), groups=method == GROUP)
        if method == GROUP:
            return check_groups(some)
        if method == MESH:
            return check_meshes(some)
        return check_convex(some, spheres=method == SPHERE)

    def _groups(self, primitives):
        members = tuple(self.number[key] for key in self.static)
        if not members:
            return ()
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        model = self.cell.model
        for name, i in self.static:
            shape, local = model.parts[model.index[name]][i]
            axes = np.concatenate([np.eye(3), -np.eye(3)])
            reach = (
                core_support(shape, axes @ local[:3, :3]) + axes @ local[:3, 3] + shape.swept_radius
            )
            low, high = np.minimum(low, -reach[3:]), np.maximum(high, reach[:3])
        return (Group(tuple(low.tolist()), tuple(high.tolist()), members),)


def _sphere(shape, local):
    if not shape.bounded:
        return (0.0, 0.0, 0.0), np.inf
    points = core_points(shape)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return tuple((local[:3, :3] @ middle + local[:3, 3]).tolist()), farthest(shape, middle)
