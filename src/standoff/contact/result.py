"""What a step of a contact scene gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from standoff.contact.kernels import scene_tables as tables
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray


class FeatureKind(IntEnum):
    """What of a body is in contact."""

    VERTEX = tables.VERTEX
    EDGE = tables.EDGE
    FACE = tables.FACE
    SPHERE = tables.BALL
    #: The piece as a whole: no vertex that is inside and no two edges that cross tell how far it
    #: has to go, as with a nail that goes through a board.
    WHOLE = tables.WHOLE


@dataclass(frozen=True)
class Feature:
    """A feature: of which piece of the body (from 0 on), of what kind, and its number there."""

    piece: int
    kind: FeatureKind
    number: int


@dataclass(frozen=True, eq=False)
class Contact:
    """An elemental contact of two bodies; world frame, [m], [m/s], [N].

    Attributes:
        a, b: the bodies, in the order in which they were added.
        feature_a, feature_b: what of them touches.
        point: half way between the two features along the normal.
        normal: the unit vector from b to a, along which a is pushed.
        depth: how deep one feature is behind the other along the normal, above 0.
        velocity: of a relative to b at the point.
        force: on a; that on b is its opposite.
        kept: whether the same two features were in contact at the last step.
    """

    a: str
    b: str
    feature_a: Feature
    feature_b: Feature
    point: Array
    normal: Array
    depth: float
    velocity: Array
    force: Array
    kept: bool

    @property
    def kind(self) -> str:
        """``"VF"``, ``"FV"`` or ``"EE"`` (a's feature first), ``"SF"``, ``"ES"`` and so on with
        spheres, ``"WW"`` for pieces as a whole."""
        return self.feature_a.kind.name[0] + self.feature_b.kind.name[0]


@dataclass(frozen=True)
class Cost:
    """What a step took, by stage: how often each was done.

    Attributes:
        pair_tests: pairs of bodies whose bounding boxes were compared.
        node_tests: nodes of octrees tested against others (phase 1-1).
        leaf_pairs: pairs of leaves that meet.
        edge_checks: edges that the leaves named, tested against the other piece (phase 1-2).
        crossing_checks: pairs of edges tested for a crossing (second stage).
        sphere_checks: features tested against spheres.
        distances: searches for the shortest way out, or for a distance between two steps.
        kept, new: contacts that were there at the last step, and others.
    """

    pair_tests: int
    node_tests: int
    leaf_pairs: int
    edge_checks: int
    crossing_checks: int
    sphere_checks: int
    distances: int
    kept: int
    new: int


@dataclass(frozen=True, eq=False)
class Owners:
    """The names of the bodies, by piece (p,) the number of its body, and by name that of a body."""

    names: tuple[str, ...]
    bodies: IntArray
    numbers: Mapping[str, int]


class ByName(Mapping[str, Array]):
    """The rows of a table from ``first`` on, by the name of the body. Of a hundred bodies often one
    is asked for."""

    __slots__ = ("_first", "_numbers", "_table")

    def __init__(self, numbers: Mapping[str, int], table: Array, first: int) -> None:
        self._numbers = numbers
        self._table = table
        self._first = first

    def __getitem__(self, name: str) -> Array:
        row: Array = self._table[self._first + self._numbers[name]]
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return repr(dict(self))


class ContactStep:
    """The result of `Scene.step`. True where the bodies are `apart`. What is not asked for is not
    made.

    Attributes:
        contacts: all `Contact` of the step, ordered by bodies and features.
        forces, moments: by the name of a body the sum of its contacts' forces [N] and their moment
            about its centroid [N m]; world axes, zero where nothing touches.
        passed: pairs of bodies with pieces that are apart now and touched since the last step: they
            went through each other, or nearly; or were in contact then, and did not leave along the
            normal of this contact. In doubt they did.
        cost: what it took.
    """

    _forces: Array | None = None
    _contacts = _passed = b""

    def __init__(
        self,
        owners: Owners,
        cost: bytes,
        touching: tuple[Array, bytes, bytes] | None = None,
    ) -> None:
        """Tables of the kernel as they were: the cost, and unless nothing touches forces, contacts
        and passed pieces."""
        self._owners = owners
        self._cost = cost
        if touching is not None:
            self._forces, self._contacts, self._passed = touching

    def __len__(self) -> int:
        """How many contacts there are."""
        return len(self._contacts) // CONTACT_BYTES

    @property
    def apart(self) -> bool:
        """Whether nothing touches, and nothing touched since the last step."""
        return not self._contacts and not self._passed

    def __bool__(self) -> bool:
        return self.apart

    @property
    def _rows(self) -> Any:
        return np.frombuffer(bytearray(self._contacts), dtype=tables.CONTACT)

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        return tuple(self._each())

    def _each(self) -> Iterator[Contact]:
        names, bodies, rows = self._owners.names, self._owners.bodies.tolist(), self._rows
        first = {body: k for k, body in reversed(list(enumerate(bodies)))}
        vectors = zip(*(rows[field] for field in ("point", "normal", "velocity", "force")))
        features = rows[["a", "b", "kind_a", "feature_a", "kind_b", "feature_b"]].tolist()
        others = zip(rows["depth"].tolist(), rows["kept"].tolist())
        for (p, q, kind_a, a, kind_b, b), (point, normal, velocity, force), (depth, kept) in zip(
            features, vectors, others, strict=True
        ):
            i, j = bodies[p], bodies[q]
            yield Contact(
                names[i],
                names[j],
                Feature(p - first[i], FeatureKind(kind_a), a),
                Feature(q - first[j], FeatureKind(kind_b), b),
                point,
                normal,
                depth,
                velocity,
                force,
                kept == 1,
            )

    @property
    def forces(self) -> Mapping[str, Array]:
        return ByName(self._owners.numbers, self._sums(), 0)

    @property
    def moments(self) -> Mapping[str, Array]:
        return ByName(self._owners.numbers, self._sums(), len(self._owners.names))

    def _sums(self) -> Array:
        """Forces, then moments."""
        if self._forces is None:
            self._forces = np.zeros((2 * len(self._owners.names), 3))
        return self._forces

    @cached_property
    def passed(self) -> tuple[tuple[str, str], ...]:
        names, bodies = self._owners.names, self._owners.bodies.tolist()
        pieces = np.frombuffer(self._passed, dtype=np.int64).reshape(-1, 2).tolist()
        pairs = {(bodies[p], bodies[q]): None for p, q in pieces}
        return tuple((names[i], names[j]) for i, j in pairs)

    @cached_property
    def cost(self) -> Cost:
        return Cost(*np.frombuffer(self._cost, dtype=np.int64).tolist())

    @property
    def deepest(self) -> float:
        """The largest penetration, [m]; 0 without contacts."""
        return float(np.max(self._rows["depth"], initial=0.0))


#: Of one contact.
CONTACT_BYTES = tables.CONTACT.itemsize
