"""A certificate beside the cell it is about: what its numbers refer to, checked first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape
from standoff.paths.certificate import Certificate
from standoff.paths.verify.bounds import Bound, Reaches, bound, measure
from standoff.paths.verify.cell_model import Ints, Model, NotProvedError, Part, read_model
from standoff.paths.verify.kinematics import extremes, rotations
from standoff.paths.verify.soup import Soup, soup_of
from standoff.paths.verify.support import core_support, farthest
from standoff.tolerances import EPS, ROTATION_EXACT

#: How far a part may stand out of the bounding sphere or box that a certificate gives, relative to
#: sizes and coordinates, [-]; the sphere or box is grown by as much as is missing. For rounding
#: alone: what stands out farther is not held.
HOLDING_TOLERANCE = 1e-12

#: By how far the pose of a gliding body at the end of a piece may miss that at the start of the
#: next, relative to its coordinates and angle, [-]: a turn by an angle is off by some roundings.
GLIDE_GAP = 1e-12

#: How far from its motion the configuration of a witness may be, relative to the motion's
#: coefficients, [-]: it is evaluated in two ways, at an instant that was itself rounded.
WITNESS_TOLERANCE = 1e-9


_AXES = np.concatenate([np.eye(3), -np.eye(3)])


@dataclass(frozen=True, eq=False)
class Scene:
    """Attributes:
    part_of: (primitives,) the place in ``model.parts`` of each primitive of the certificate.
    centres, radii: (parts, 3) and (parts,): the spheres, large enough for their parts.
    frames: (parts,) the frame of each part.
    lower, upper: (groups, 3) the boxes, large enough for their members.
    members: by group, places in ``model.parts``.
    bodies: (parts,) the number of each part's body.
    own_clearances: of pairs of bodies, by their numbers, the lower one first, [m].
    reach: see `measured`.
    soups: the triangles of shapes, by their identity.
    """

    model: Model
    certificate: Certificate
    part_of: Ints
    centres: Array
    radii: Array
    frames: Ints
    lower: Array
    upper: Array
    members: tuple[Ints, ...]
    bodies: Ints
    own_clearances: dict[tuple[int, int], float]
    reach: Reaches | None = None
    soups: dict[int, Soup] = field(default_factory=dict)

    def clearance(self, a: Ints, b: Ints) -> Array:
        """What parts a and b must keep between them, [m]; those of a mesh may not overlap at all,
        whatever the clearance."""
        result = np.full(len(a), self.certificate.clearance)
        if self.own_clearances:
            pairs = zip(self.bodies[a].tolist(), self.bodies[b].tolist(), strict=True)
            for k, (i, j) in enumerate(pairs):
                own = self.own_clearances.get((min(i, j), max(i, j)))
                result[k] = result[k] if own is None else own
        return self._of_meshes(a, b, result)

    def usual_clearance(self, a: Ints, b: Ints) -> Array:
        """The same without clearances of single pairs: what a proof of a group shows."""
        return self._of_meshes(a, b, np.full(len(a), self.certificate.clearance))

    def _of_meshes(self, a: Ints, b: Ints, clearance: Array) -> Array:
        hollow = np.array([not part.shape.convex for part in self.model.parts], dtype=bool)
        return np.where(hollow[a] | hollow[b], np.maximum(clearance, 0.0), clearance)

    def part(self, number: int) -> Part:
        return self.model.parts[number]

    def bound(
        self, proofs: NDArray[np.void], parts: tuple[Ints, Ints | None], *, centres: bool
    ) -> Bound:
        """How far and fast the parts of proofs can move against each other; see `bounds`."""
        assert self.reach is not None
        return bound(self.model, self.certificate, self.reach, proofs, parts, centres=centres)

    def soup(self, shape: Shape) -> Soup:
        """The triangles of one of the cell's shapes, sorted once."""
        if id(shape) not in self.soups:
            self.soups[id(shape)] = soup_of(shape)
        return self.soups[id(shape)]


def match(cell: Cell, certificate: Certificate) -> Scene:
    """The certificate laid against the cell; nothing is measured yet.

    Raises:
        NotProvedError: it is about another cell, or its spheres and boxes do not hold what they
            should.
    """
    model = read_model(cell)
    if certificate.joints != model.names:
        raise NotProvedError(_differ("joints", certificate.joints, model.names))
    if certificate.moving != model.moving:
        raise NotProvedError(_differ("moving bodies", certificate.moving, model.moving))
    _check_motion(certificate)
    _check_limits(cell, certificate)
    place = {(part.body, part.number): i for i, part in enumerate(model.parts)}
    part_of = np.full(len(certificate.primitives), -1)
    for number, row in enumerate(certificate.primitives):
        at = place.pop((row.body, row.part), None)
        if at is None:
            raise NotProvedError(
                f"primitive {number} is part {row.part} of {row.body!r}, which the cell does not "
                "have, or which stands twice in the certificate"
            )
        part_of[number] = at
    if place:
        body, part = next(iter(place))
        raise NotProvedError(f"part {part} of {body!r} is not among the certificate's primitives")
    centres, radii = _spheres(model, certificate, part_of)
    lower, upper, members = _boxes(model, certificate, part_of)
    names = {name: i for i, name in enumerate(cell.model.names)}
    own: dict[tuple[int, int], float] = {}
    for (a, b), metres in certificate.clearances.items():
        if a not in names or b not in names:
            raise NotProvedError(f"a clearance for {a!r} and {b!r}, which the cell does not have")
        key = (min(names[a], names[b]), max(names[a], names[b]))
        own[key] = max(metres, own.get(key, metres))
    return Scene(
        model=model,
        certificate=certificate,
        part_of=part_of,
        centres=centres,
        radii=radii,
        frames=np.array([part.frame for part in model.parts], dtype=np.int64),
        lower=lower,
        upper=upper,
        members=members,
        bodies=np.array([names[part.body] for part in model.parts], dtype=np.int64),
        own_clearances=own,
    )


def measured(scene: Scene) -> Scene:
    """With the reaches of all parts, which bounds on their motion need."""
    return replace(scene, reach=measure(scene.model, scene.certificate, scene.centres))


def _differ(what: str, given: tuple[str, ...], known: tuple[str, ...]) -> str:
    for i in range(max(len(given), len(known))):
        mine = known[i] if i < len(known) else "none"
        theirs = given[i] if i < len(given) else "none"
        if mine != theirs:
            return f"other {what} than the cell's: number {i} is {theirs!r}, the cell has {mine!r}"
    raise AssertionError("they are the same")


def _check_motion(certificate: Certificate) -> None:
    """Pieces follow one another without a jump; poses are rigid."""
    c = certificate.coefficients
    ends, starts = c[:-1].sum(axis=1), c[1:, 0]
    blur = 8.0 * EPS * np.abs(c).sum(axis=1)
    allowed = certificate.rounding[:-1] + certificate.rounding[1:] + blur[:-1] + blur[1:]
    gap = np.abs(ends - starts)
    if (gap > allowed).any():
        k, j = map(int, np.argwhere(gap > allowed)[0])
        raise NotProvedError(
            f"the motion jumps by {gap[k, j]:.3g} from piece {k} to piece {k + 1} in joint "
            f"{certificate.joints[j]!r}; its rounding accounts for {allowed[k, j]:.3g}"
        )
    poses = certificate.glides[:, :, :12].reshape(*certificate.glides.shape[:2], 3, 4)
    turn, place = poses[..., :3], poses[..., 3]
    skew = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    if (skew > ROTATION_EXACT).any() or (np.linalg.det(turn) < 0.0).any():
        raise NotProvedError("a gliding body starts a piece at a pose that is not rigid")
    linear, angular = certificate.glides[..., 12:15], certificate.glides[..., 15:]
    turned = rotations(angular.reshape(-1, 3)).reshape(turn.shape) @ turn
    size = 1.0 + np.abs(place[:-1]).max(axis=-1, initial=0.0)
    size = size + np.abs(linear[:-1]).max(axis=-1, initial=0.0)
    size = size + np.abs(angular[:-1]).max(axis=-1, initial=0.0)
    allowed_gap = np.minimum(GLIDE_GAP * size, WITNESS_TOLERANCE)  # however far or fast it is
    step = np.abs(place[:-1] + linear[:-1] - place[1:]).max(axis=-1, initial=0.0)
    twist = np.abs(turned[:-1] - turn[1:]).max(axis=(-1, -2), initial=0.0)
    if (np.maximum(step, twist) > allowed_gap).any():
        k, b = map(int, np.argwhere(np.maximum(step, twist) > allowed_gap)[0])
        raise NotProvedError(f"{certificate.moving[b]!r} jumps from piece {k} to piece {k + 1}")


def _check_limits(cell: Cell, certificate: Certificate) -> None:
    """Pairs that are allowed because they were proved apart are so within their joints' limits."""
    low, high = cell.proof_limits
    c = np.moveaxis(certificate.coefficients, 1, -1)
    least, most = extremes(c, np.zeros(()), np.ones(()))
    off = certificate.rounding + certificate.deviation
    beyond = (least - off < low) | (most + off > high)
    if beyond.any():
        k, j = map(int, np.argwhere(beyond)[0])
        raise NotProvedError(
            f"joint {certificate.joints[j]!r} leaves the limits in piece {k} within which pairs "
            "that are allowed were proved apart"
        )


def _spheres(model: Model, certificate: Certificate, part_of: Ints) -> tuple[Array, Array]:
    """The spheres by part. One that falls short by a rounding is grown; one that falls short by
    more is refused."""
    centres, radii = np.zeros((len(model.parts), 3)), np.zeros(len(model.parts))
    for number, row in enumerate(certificate.primitives):
        part = model.parts[part_of[number]]
        centre = np.array(row.centre)
        turn, place = part.local[:3, :3], part.local[:3, 3]
        needed = farthest(part.shape, turn.T @ (centre - place))
        size = row.radius + float(np.abs(centre).max()) + float(np.abs(place).max())
        if needed > row.radius + HOLDING_TOLERANCE * size:
            raise NotProvedError(
                f"the sphere of primitive {number} does not hold {part}: its radius is "
                f"{row.radius:.9g} m and would have to be {needed:.9g} m"
            )
        centres[part_of[number]], radii[part_of[number]] = centre, max(row.radius, needed)
    return centres, radii


def _boxes(
    model: Model, certificate: Certificate, part_of: Ints
) -> tuple[Array, Array, tuple[Ints, ...]]:
    lower, upper, members = [], [], []
    for number, group in enumerate(certificate.groups):
        low, high = np.array(group.lower), np.array(group.upper)
        inside = part_of[list(group.members)].astype(np.int64)
        for place in inside:
            part = model.parts[place]
            if part.frame != 0 or not part.shape.bounded:
                raise NotProvedError(
                    f"group {number} holds {part}, which is not a static, bounded part"
                )
            reach = core_support(part.shape, _AXES @ part.local[:3, :3])
            reach = reach + _AXES @ part.local[:3, 3] + part.shape.swept_radius
            out = max(float((reach[:3] - high).max()), float((low + reach[3:]).max()))
            size = float(np.abs([low, high]).max())
            if out > HOLDING_TOLERANCE * size:
                raise NotProvedError(
                    f"{part} stands out of the box of group {number} by {out:.3g} m"
                )
            low, high = np.minimum(low, -reach[3:]), np.maximum(high, reach[:3])
        lower.append(low)
        upper.append(high)
        members.append(inside)
    shape = (len(members), 3)
    return np.reshape(lower, shape), np.reshape(upper, shape), tuple(members)
