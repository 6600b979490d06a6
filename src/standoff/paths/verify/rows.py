"""Proofs of one method, checked together: the instants they argue from, and the inequality."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.pose import Array
from standoff.paths.certificate import GROUP, METHODS
from standoff.paths.verify.bounds import Bound
from standoff.paths.verify.cell_model import Ints
from standoff.paths.verify.cell_scene import Scene
from standoff.paths.verify.kinematics import Instants, instants
from standoff.paths.verify.triangles import cross


@dataclass(frozen=True, eq=False)
class Rows:
    """Proofs, with where everything is at the instants they argue from.

    Attributes:
        proofs: records of the certificate; number: the place of each in it.
        a, b: places of the primitives in ``scene.model.parts``; b of a group's number.
        frames, at: the instants, and for each row its own.
        forward: (n,) +1 where the interval follows the instant, -1 where it comes before.
    """

    scene: Scene
    number: Ints
    proofs: NDArray[np.void]
    a: Ints
    b: Ints
    frames: Instants
    at: Ints
    forward: Array

    def some(self, which: Ints) -> Rows:
        """A part of the rows."""
        return replace(
            self,
            number=self.number[which],
            proofs=self.proofs[which],
            a=self.a[which],
            b=self.b[which],
            at=self.at[which],
            forward=self.forward[which],
        )

    @property
    def span(self) -> Array:
        """How long each interval is."""
        return np.asarray(self.proofs["end"] - self.proofs["start"])

    def placed(self, part: int, rows: Ints) -> tuple[Array, Array]:
        """Poses of one part in the world at the instants of some rows: (k, 3, 3) and (k, 3)."""
        p = self.scene.part(part)
        return self.frames.poses(self.at[rows], p.frame, p.local)

    def poses(self, parts: Ints) -> tuple[Array, Array]:
        """Pose of each row's own part in the world: (n, 3, 3) and (n, 3)."""
        scene = self.scene
        return self.frames.poses(self.at, scene.frames[parts], scene.model.locals[parts])

    def centre(self, parts: Ints) -> Array:
        """Centres (n, 3) of the bounding spheres in the world."""
        f = self.scene.frames[parts]
        turn, place = self.frames.turn[self.at, f], self.frames.place[self.at, f]
        return np.asarray(np.einsum("nij,nj->ni", turn, self.scene.centres[parts]) + place)

    def common(self) -> Ints:
        """The last frame that carries both primitives of each row."""
        carried = self.scene.model.carried
        both = carried[self.scene.frames[self.a]] & carried[self.scene.frames[self.b]]
        last = both.shape[1] - 1 - np.argmax(both[:, ::-1], axis=1)
        return np.where(both.any(axis=1), last, 0).astype(np.int64)

    def relative(self, parts: Ints, common: Ints) -> tuple[Array, Array, Array]:
        """The motion of each part's frame seen from ``common``, along the world's axes: angular
        velocity, velocity of its origin, and where its origin is; each (n, 3)."""
        f, now, at = self.scene.frames[parts], self.frames, self.at
        spin = now.spin[at, common]
        lever = now.place[at, f] - now.place[at, common]
        speed = now.speed[at, f] - now.speed[at, common] - cross(spin, lever)
        return now.spin[at, f] - spin, speed, now.place[at, f]

    def clearance(self) -> Array:
        return self.scene.clearance(self.a, self.b)


def select(scene: Scene, numbers: Ints, *, groups: bool) -> Rows:
    """The proofs of these numbers, with their instants."""
    proofs = scene.certificate.proofs[numbers]
    keys = np.stack([proofs["piece"].astype(float), proofs["at"]], axis=1)
    unique, at = np.unique(keys, axis=0, return_inverse=True)
    piece = unique[:, 0].astype(np.int64)
    c = scene.certificate
    return Rows(
        scene=scene,
        number=numbers,
        proofs=proofs,
        a=scene.part_of[proofs["a"]].astype(np.int64),
        b=(proofs["b"] if groups else scene.part_of[proofs["b"]]).astype(np.int64),
        frames=instants(scene.model, c.coefficients[piece], c.glides[piece], unique[:, 1]),
        at=at.reshape(-1),
        forward=np.where(proofs["at"] == proofs["start"], 1.0, -1.0),
    )


def by_part(parts: Ints) -> list[tuple[int, Ints]]:
    """Each part that occurs, and the rows it occurs in."""
    order = np.argsort(parts, kind="stable")
    unique, first = np.unique(parts[order], return_index=True)
    return list(zip(unique.tolist(), np.split(order, first[1:]), strict=True))


def describe(rows: Rows, k: int) -> str:
    """``proof 12 (shape), left/link3 and table, piece 0, u from 0.25 to 0.5``."""
    row = rows.proofs[k]
    a = rows.scene.part(int(rows.a[k]))
    b = f"group {row['b']}" if row["method"] == GROUP else str(rows.scene.part(int(rows.b[k])))
    return (
        f"proof {rows.number[k]} ({METHODS[row['method']]}), {a} and {b}, "
        f"piece {row['piece']}, u from {row['start']:.9g} to {row['end']:.9g}"
    )


def room(d: Array, nearing: Array, bound: Bound, span: Array) -> Array:
    """By how much the inequality holds, [m]; not more than 0 where it does not.

    ``d`` is the distance left after everything that is subtracted once. Free where ``d > 0`` and
    ``d > h nearing + h² M / 2``, or ``d > h λ``. With the first form the distance left after ``s``
    is ``d - s nearing - s² M / 2``, concave in ``s``, so least at an end of the interval."""
    second = d - span * (nearing + bound.haste) - 0.5 * span * span * bound.curvature
    first = d - span * bound.length
    return np.asarray(np.minimum(d, np.maximum(first, second)))
