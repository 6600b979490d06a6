"""Certificates checked again, by code that shares nothing with what made them.

Forward kinematics, reaches, bounds and distances are all worked out anew here, in plain numpy. What
counts is that the inequality of each proof holds with the numbers found here, and that the proofs
leave out no watched pair and no instant; the certificate only says where to look.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import CertificateError
from standoff.geometry.pose import Array
from standoff.paths.certificate import GROUP, MESH, METHODS, SHAPE, SPHERE, Certificate
from standoff.paths.verify.cell_model import Ints, NotProvedError
from standoff.paths.verify.cell_scene import Scene, match, measured
from standoff.paths.verify.coal import Opinion, installed
from standoff.paths.verify.convex import check_convex, check_groups
from standoff.paths.verify.coverage import check_coverage, watched_parts
from standoff.paths.verify.meshes import check_ends, check_meshes
from standoff.paths.verify.rows import Rows, describe, select
from standoff.paths.verify.witness import check_witness
from standoff.scalars import choice, function, instance, number

EngineName = Literal["auto", "plain", "coal"]
Progress = Callable[[int, int], None]

#: Proofs looked at together.
_CHUNK = 4096


@dataclass(frozen=True)
class Verification:
    """What came of checking a certificate again. True where it is `verified`.

    Attributes:
        verified: whether it proves what it claims; that may be a collision, see ``kind``.
        reason: why not, in words; None where it does.
        kind: the verdict claimed, such as ``free``.
        proofs: how many proofs were checked and hold.
        pairs: how many pairs of primitives are watched, each covered over all pieces where the
            verdict is free.
        pieces: of the motion.
        engine: who measured the distances: ``plain``, or ``plain and Coal``.
        asked: how many distances Coal gave.
        room: by how much the tightest inequality holds, [m]; None without proofs.
    """

    verified: bool
    reason: str | None
    kind: str
    proofs: int
    pairs: int
    pieces: int
    engine: str
    asked: int = 0
    room: float | None = None

    def __bool__(self) -> bool:
        return self.verified


def verify(
    cell: Cell,
    certificate: Certificate | str | Path,
    *,
    engine: EngineName = "auto",
    clearance: float | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check a certificate, or the file of one, against a cell.

    A certificate that does not hold is an answer and no exception: ``verified`` is False then,
    and ``reason`` the first thing wrong. One whose verdict is ``undecided`` proves nothing.

    Args:
        engine: ``plain`` measures distances by support functions and triangles alone; ``coal`` asks
            Coal as well, and ``auto`` does so where it is installed.
        clearance: what the certificate must claim at least for every watched pair, [m]. Without it
            a certificate is taken at its own clearance, which is part of its claim.
        progress: called with the number of proofs checked so far, and of all.

    Raises:
        CertificateError: a file that cannot be read, or an engine that is not there.
    """
    instance("cell", cell, CertificateError, Cell)
    cell.check_watched()
    report = function("progress", progress, CertificateError, "(done, total)")
    choice("engine", engine, CertificateError, ("auto", "plain", "coal"))
    if engine == "coal" and not installed():
        raise CertificateError("Coal is not installed", value=engine, allowed="auto or plain")
    if clearance is not None:
        clearance = number("clearance", clearance, CertificateError, unit="m")
    if not isinstance(certificate, (Certificate, str, PathLike)):
        raise CertificateError(
            "not a certificate", value=certificate, allowed="a Certificate, or the path of a file"
        )
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(certificate)
    opinion = Opinion() if engine != "plain" and installed() else None
    check = _Check(cell, certificate, opinion, clearance, report)
    reason = None
    try:
        with np.errstate(all="ignore"):  # what is no number is refused, whatever it came from
            check.run()
    except NotProvedError as refused:
        reason = str(refused)
    return Verification(
        verified=reason is None,
        reason=reason,
        kind=certificate.verdict.kind,
        proofs=check.checked,
        pairs=check.pairs,
        pieces=len(certificate.times) - 1,
        engine="plain" if opinion is None else "plain and Coal",
        asked=0 if opinion is None else opinion.asked,
        room=check.room,
    )


class _Check:
    """One run over a certificate, and how far it got."""

    def __init__(
        self,
        cell: Cell,
        certificate: Certificate,
        opinion: Opinion | None,
        clearance: float | None,
        progress: Progress,
    ) -> None:
        self.cell, self.certificate = cell, certificate
        self.opinion, self.clearance, self.progress = opinion, clearance, progress
        self.checked = 0
        self.pairs = 0
        self.room: float | None = None

    def run(self) -> None:
        kind = self.certificate.verdict.kind
        if kind == "undecided":
            raise NotProvedError("the verdict is undecided, so there is nothing to prove")
        scene = match(self.cell, self.certificate)
        watched = watched_parts(self.cell, scene)
        self.pairs = len(watched)
        self._check_clearance(scene, watched)
        if kind != "free":
            check_witness(scene, watched)
            return
        check_coverage(scene, watched)
        check_ends(scene, watched)
        self._check_proofs(measured(scene))

    def _check_clearance(self, scene: Scene, watched: Ints) -> None:
        if self.clearance is None or len(watched) == 0:
            return
        a, b = np.divmod(watched, len(scene.model.parts))
        own = scene.clearance(a, b)
        if (own < self.clearance).any():
            k = int(np.argmin(own))
            raise NotProvedError(
                f"claims a clearance of {own[k]:.9g} m between {scene.part(int(a[k]))} and "
                f"{scene.part(int(b[k]))}, where {self.clearance:.9g} m is asked for"
            )

    def _check_proofs(self, scene: Scene) -> None:
        proofs = self.certificate.proofs
        for method in range(len(METHODS)):
            numbers = np.flatnonzero(proofs["method"] == method)
            # By piece and instant, so that few instants are worked out at a time.
            numbers = numbers[np.lexsort((proofs["at"][numbers], proofs["piece"][numbers]))]
            for first in range(0, len(numbers), _CHUNK):
                some = numbers[first : first + _CHUNK]
                rows = select(scene, some, groups=method == GROUP)
                self._check_room(rows, self._room(rows, method))
                self.checked += len(some)
                self.progress(self.checked, len(proofs))

    def _room(self, rows: Rows, method: int) -> Array:
        if method == GROUP:
            return check_groups(rows)
        found = (
            check_meshes(rows) if method == MESH else check_convex(rows, spheres=method == SPHERE)
        )
        if method in (SHAPE, MESH) and self.opinion is not None:
            self.opinion.check(rows)
        return found

    def _check_room(self, rows: Rows, room: Array) -> None:
        if not (room > 0.0).all():
            k = int(np.argmin(room > 0.0))
            raise NotProvedError(
                f"{describe(rows, k)}: falls short of its clearance by {-room[k]:.3g} m"
            )
        if len(room):
            least = float(room.min())
            self.room = least if self.room is None else min(self.room, least)
