"""A proof one can carry away: everything that shows a motion free, as plain data.

A certificate states a motion, a verdict about it, and (for a free one) a list of proofs: each says
that two primitives, or one and a box of static ones, keep their clearance over an interval of one
piece, and from which distance at which instant that follows. `standoff.paths.verify` re-checks it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from standoff.errors import CertificateError
from standoff.geometry.pose import Array
from standoff.names import as_path
from standoff.scalars import instance, number, whole

if TYPE_CHECKING:
    from standoff.cell.cell import Cell


#: How a proof argues; a proof's ``method`` is a place in here.
METHODS = ("shape", "sphere", "mesh", "group")
SHAPE, SPHERE, MESH, GROUP = range(len(METHODS))

KINDS = ("free", "collision", "too_close", "undecided")

#: One proof: ``u`` runs from ``start`` to ``end`` in a piece; ``distance`` is a lower bound of the
#: signed distance at ``at``, one of the two; ``normal`` is a unit vector from b to a along the
#: world's axes, or 0 where a method needs none.
PROOF = np.dtype(
    [
        ("piece", np.int64),
        ("start", np.float64),
        ("end", np.float64),
        ("at", np.float64),
        ("method", np.int64),
        ("a", np.int64),
        ("b", np.int64),
        ("distance", np.float64),
        ("normal", np.float64, (3,)),
    ]
)

#: Numbers that describe a glide: the pose at u = 0 (three rows of four), the velocity of the
#: origin, the angular velocity, both along the world's axes and per unit of u.
GLIDE_COLUMNS = 18

POWERS = 6


@dataclass(frozen=True)
class Primitive:
    """One part of a body, and a sphere that holds it.

    Attributes:
        body: name of the body or link; part: its number within ``cell.model.parts``.
        centre: of the sphere, in the frame that the body moves with (`standoff.cell.model`); of
            what stands still, in the world.
        radius: infinite for a half space, which no sphere holds.
    """

    body: str
    part: int
    centre: tuple[float, float, float]
    radius: float


@dataclass(frozen=True)
class Group:
    """A box in the world that holds static primitives, by their numbers."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    members: tuple[int, ...]


@dataclass(frozen=True)
class Claim:
    """What is said of the motion. Everything but ``kind`` is None where it is free.

    Attributes:
        kind: ``free``, ``collision``, ``too_close`` or ``undecided``.
        piece, u, t, q: the instant of the witness, and the joints there.
        pair, parts: the two bodies, and the number of the part in each.
        distance: of the two parts there, negative where they overlap, [m].
    """

    kind: str
    piece: int | None = None
    u: float | None = None
    t: float | None = None
    q: tuple[float, ...] | None = None
    pair: tuple[str, str] | None = None
    parts: tuple[int, int] | None = None
    distance: float | None = None


@dataclass(frozen=True, eq=False)
class Certificate:
    """A motion, what is claimed of it, and why it is so. Arrays are read-only copies.

    Attributes:
        joints, moving: names, in the order of the cell.
        clearance, tolerance: as the checker was given them, [m].
        clearances: clearances of single pairs, by two names of bodies, [m].
        deviation: (joints,) how far each joint may be from the motion, [rad] or [m].
        times: (n + 1,), increasing: when each piece begins and the last one ends.
        coefficients: (n, 6, joints): ``q = Σ_p coefficients[k, p] u**p``, u from 0 to 1.
        rounding: (n, joints): how far that may be from the motion given, [rad] or [m].
        glides: (n, moving, 18), rows as GLIDE_COLUMNS says.
        verdict: the claim.
        primitives: every part of every body of the cell.
        groups: boxes around static primitives.
        proofs: records of PROOF.
        cell: the cell as TOML, where the certificate brings it along; paths in it are relative to
            the certificate's file.

    Raises:
        CertificateError: a wrong shape, a number that is not finite, an index of nothing.
    """

    joints: tuple[str, ...]
    moving: tuple[str, ...]
    clearance: float
    tolerance: float
    clearances: Mapping[tuple[str, str], float]
    deviation: Array
    times: Array
    coefficients: Array
    rounding: Array
    glides: Array
    verdict: Claim
    primitives: tuple[Primitive, ...]
    groups: tuple[Group, ...]
    proofs: NDArray[np.void]
    cell: str | None = None

    def __post_init__(self) -> None:
        n, joints = max(len(self.times) - 1, 1), len(self.joints)
        shapes = {
            "deviation": (joints,),
            "times": (n + 1,),
            "coefficients": (n, POWERS, joints),
            "rounding": (n, joints),
            "glides": (n, len(self.moving), GLIDE_COLUMNS),
        }
        for name, shape in shapes.items():
            object.__setattr__(self, name, _array(getattr(self, name), name, shape))
        for name in ("deviation", "rounding"):
            _refuse_any(getattr(self, name) < 0.0, getattr(self, name), name, ">= 0")
        steps = np.concatenate([[1.0], np.diff(self.times)])
        _refuse_any(~(steps > 0.0), self.times, "times", "increasing")
        object.__setattr__(self, "clearance", _finite(self.clearance, "clearance"))
        tolerance = number("tolerance", self.tolerance, CertificateError, least=0.0, unit="m")
        object.__setattr__(self, "tolerance", tolerance)
        own = {pair: _finite(m, f"clearances{list(pair)}") for pair, m in self.clearances.items()}
        object.__setattr__(self, "clearances", own)
        _check_claim(self.verdict, n, joints)
        _check_primitives(self.primitives)
        _check_groups(self.groups, len(self.primitives))
        rows = _check_proofs(self.proofs, n, len(self.primitives), len(self.groups))
        object.__setattr__(self, "proofs", rows)

    @staticmethod
    def load(path: str | Path) -> Certificate:
        """Read a file; whatever is wrong with it is a `CertificateError`."""
        from standoff.paths.certificate_file import read

        return read(as_path(path, "certificate"))

    def save(self, path: str | Path, cell: Cell | None = None) -> None:
        """Write a JSON file that `load` reads back to the bit, whole or not at all.

        Args:
            cell: brought along in the file, so that `standoff verify` needs nothing else; files
                that the cell refers to (robots, meshes) stay where they are.
        """
        from standoff.cell.cell import Cell
        from standoff.paths.certificate_file import write

        if cell is not None:
            instance("cell", cell, CertificateError, Cell)
        write(self, as_path(path, "certificate"), cell)


def _array(value: Any, name: str, shape: tuple[int, ...]) -> Array:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise CertificateError("not numbers", element=name, value=value) from error
    if array.size == 0 == math.prod(shape):
        array = array.reshape(shape)
    if array.shape != shape:
        raise CertificateError("wrong shape", element=name, value=array.shape, allowed=str(shape))
    _refuse_any(~np.isfinite(array), array, name, "finite numbers")
    array.setflags(write=False)
    return array


def _refuse_any(bad: NDArray[np.bool_], array: Array, name: str, allowed: str) -> None:
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise CertificateError(
            "not a possible value", element=f"{name}{list(at)}", value=float(array[at]),
            allowed=allowed,
        )  # fmt: skip


def _finite(value: float, name: str) -> float:
    return number(name, value, CertificateError, problem="not a finite number")


def _check_claim(claim: Claim, pieces: int, joints: int) -> None:
    if claim.kind not in KINDS:
        raise CertificateError(
            "unknown verdict", element="verdict.kind", value=claim.kind, allowed=", ".join(KINDS)
        )
    if claim.kind in ("free", "undecided"):
        return
    for name in ("piece", "u", "q", "pair", "parts", "distance"):
        if getattr(claim, name) is None:
            raise CertificateError(
                f"a {claim.kind} without its witness", element=f"verdict.{name}", value=None
            )
    assert claim.piece is not None and claim.u is not None
    assert claim.q is not None and claim.distance is not None and claim.parts is not None
    _index(claim.piece, pieces, "verdict.piece")
    if not 0.0 <= claim.u <= 1.0:
        raise CertificateError("no instant", element="verdict.u", value=claim.u, allowed="0 to 1")
    if len(claim.q) != joints:
        raise CertificateError(
            "wrong length", element="verdict.q", value=len(claim.q), allowed=f"{joints} joints"
        )
    for k, x in enumerate(claim.q):
        _finite(x, f"verdict.q[{k}]")
    _finite(claim.distance, "verdict.distance")
    if claim.t is not None:
        _finite(claim.t, "verdict.t")


def _check_primitives(primitives: tuple[Primitive, ...]) -> None:
    for k, row in enumerate(primitives):
        for x in row.centre:
            _finite(x, f"primitives[{k}].centre")
        number(
            f"primitives[{k}].radius", row.radius, CertificateError, least=0.0, most=math.inf,
            allowed=">= 0; infinite for a half space",
        )  # fmt: skip


def _check_groups(groups: tuple[Group, ...], primitives: int) -> None:
    for k, group in enumerate(groups):
        for x in (*group.lower, *group.upper):
            _finite(x, f"groups[{k}]")
        if any(high < low for low, high in zip(group.lower, group.upper, strict=True)):
            raise CertificateError(
                "lower above upper", element=f"groups[{k}]", value=(group.lower, group.upper)
            )
        for member in group.members:
            _index(member, primitives, f"groups[{k}].members")


def _check_proofs(
    proofs: NDArray[np.void], pieces: int, primitives: int, groups: int
) -> NDArray[np.void]:
    rows = np.array(proofs, dtype=PROOF).reshape(-1)
    for name in ("start", "end", "at", "distance", "normal"):
        fine = np.isfinite(rows[name])
        _refuse_rows(~(fine.all(axis=1) if fine.ndim > 1 else fine), rows, name)
    _refuse_rows(~((rows["start"] >= 0.0) & (rows["start"] <= rows["end"])), rows, "start")
    _refuse_rows(~(rows["end"] <= 1.0), rows, "end")
    _refuse_rows((rows["at"] != rows["start"]) & (rows["at"] != rows["end"]), rows, "at")
    grouped = rows["method"] == GROUP
    limits = {
        "piece": pieces,
        "method": len(METHODS),
        "a": primitives,
        "b": np.where(grouped, groups, primitives),
    }
    for name, limit in limits.items():
        _refuse_rows((rows[name] < 0) | (rows[name] >= limit), rows, name)
    _refuse_rows(~grouped & (rows["a"] == rows["b"]), rows, "b")
    rows.setflags(write=False)
    return rows


_ALLOWED = {
    "piece": "the number of a piece",
    "start": "from 0 to the end of the interval",
    "end": "from the start of the interval to 1",
    "at": "the start or the end of the interval",
    "method": ", ".join(METHODS),
    "a": "the number of a primitive",
    "b": "the number of another primitive, or of a group",
    "distance": "a finite number",
    "normal": "finite numbers",
}


def _refuse_rows(bad: NDArray[np.bool_], rows: NDArray[np.void], name: str) -> None:
    if bad.any():
        k = int(np.argmax(bad))
        raise CertificateError(
            "not a possible value", element=f"proofs[{k}].{name}", value=rows[name][k].tolist(),
            allowed=_ALLOWED[name],
        )  # fmt: skip


def _index(value: int, limit: int, name: str) -> None:
    whole(name, value, CertificateError, 0, limit - 1, problem="no such number")
