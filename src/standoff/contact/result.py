"""What a step of a contact scene gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from standoff.contact.kernels import layout
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray


class FeatureKind(IntEnum):
    """What of a body is in contact."""

    VERTEX = layout.VERTEX
    EDGE = layout.EDGE
    FACE = layout.FACE
    SPHERE = layout.BALL
    #: The piece as a whole: no vertex that is inside and no two edges that cross tell how far it
    #: has to go, as with a nail that goes through a board.
    WHOLE = layout.WHOLE


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
        pair_tests: pairs of bodies looked at.
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
    """The result of `Scene.step`. What is not asked for is not made.

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
    _contacts = _found = _passed = b""

    def __init__(
        self,
        owners: Owners,
        cost: bytes,
        touching: tuple[Array, bytes, bytes, bytes] | None = None,
    ) -> None:
        """Tables of the kernel as they were: of COST, and unless nothing touches of FORCES,
        CONTACTS, FOUND and PASSED."""
        self._owners = owners
        self._cost = cost
        if touching is not None:
            self._forces, self._contacts, self._found, self._passed = touching

    def __len__(self) -> int:
        """How many contacts there are."""
        return len(self._found) // FOUND_BYTES

    @property
    def _rows(self) -> Array:
        return np.frombuffer(bytearray(self._contacts)).reshape(-1, _COLUMNS)

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        return tuple(self._each())

    def _each(self) -> Iterator[Contact]:
        names, bodies = self._owners.names, self._owners.bodies.tolist()
        first = {body: k for k, body in reversed(list(enumerate(bodies)))}
        for row, found in zip(self._rows, _whole(self._found, _FOUND_COLUMNS), strict=True):
            p, q, kind_a, a, kind_b, b, kept = found
            i, j = bodies[p], bodies[q]
            yield Contact(
                names[i],
                names[j],
                Feature(p - first[i], FeatureKind(kind_a), a),
                Feature(q - first[j], FeatureKind(kind_b), b),
                row[0:3],
                row[3:6],
                float(row[6]),
                row[7:10],
                row[10:13],
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
        pairs = {(bodies[p], bodies[q]): None for p, q in _whole(self._passed, 2)}
        return tuple((names[i], names[j]) for i, j in pairs)

    @cached_property
    def cost(self) -> Cost:
        return Cost(*np.frombuffer(self._cost, dtype=np.int64).tolist())

    @property
    def deepest(self) -> float:
        """The largest penetration, [m]; 0 without contacts."""
        return float(np.max(self._rows[:, 6], initial=0.0))


_COLUMNS, _FOUND_COLUMNS = layout.REAL_TABLES["contacts"], layout.WHOLE_TABLES["found"]
#: Of one contact, in either table.
CONTACT_BYTES, FOUND_BYTES = 8 * _COLUMNS, 8 * _FOUND_COLUMNS


def _whole(table: bytes, columns: int) -> list[list[int]]:
    """The rows of a table of whole numbers."""
    rows: list[list[int]] = np.frombuffer(table, dtype=np.int64).reshape(-1, columns).tolist()
    return rows
