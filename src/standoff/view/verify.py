"""What came of checking a certificate, on a terminal."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from standoff.cell.cell import Cell
from standoff.cell.files import load_text
from standoff.errors import CertificateError, Error
from standoff.paths.certificate import Certificate
from standoff.paths.verify import Verification, verify
from standoff.paths.verify.verification import EngineName
from standoff.view.files import open_cell, warn_open_meshes
from standoff.view.progress import waiting
from standoff.view.words import counted, marked, not_watched, plain

#: Clearances of single pairs that are shown one by one.
_SHOWN = 8


def cell_of(certificate: Certificate, file: Path, cell: str | None) -> Cell:
    """The cell that was named, or the one that the certificate brings along."""
    if cell is not None:
        return open_cell(cell)
    if certificate.cell is None:
        raise CertificateError(
            "brings no cell along", file=file, element="cell", allowed="--cell CELL"
        )
    try:
        return warn_open_meshes(load_text(certificate.cell, str(file), file.parent))
    except Error as error:
        raise error.at(file, "cell") from error


def run(
    file: Path,
    cell: str | None,
    engine: EngineName,
    clearance: float | None,
    out: Console,
    notes: Console,
) -> bool:
    """Check a certificate's file and print what came of it; True where it holds."""
    certificate = Certificate.load(file)
    scene = cell_of(certificate, file, cell)
    start = time.perf_counter()
    with waiting(notes, "Checking") as done:
        found = verify(
            scene, certificate, engine=engine, clearance=clearance,
            progress=lambda k, total: done(k / max(total, 1)),
        )  # fmt: skip
    show(certificate, found, time.perf_counter() - start, out)
    for name, value in not_watched(scene).items():
        plain(out, f"{name}: {value}")
    return found.verified


def show(certificate: Certificate, found: Verification, spent: float, out: Console) -> None:
    """The claim, whether it holds, and what stands behind it."""
    marked(out, f"Claim: {escape(claim(certificate))}")
    if not found.verified:
        marked(out, f"[bold red]refused[/bold red]: {escape(str(found.reason))}")
        return
    marked(out, f"[bold green]verified[/bold green] in {spent:.1f} s, distances by {found.engine}")
    if found.kind == "free":
        marked(
            out,
            f"{found.pairs} pairs of primitives are covered over "
            f"{counted(found.pieces, 'piece')} by {found.proofs} proofs",
        )
        if found.room is not None:
            marked(out, f"The tightest proof holds by {1e3 * found.room:.3g} mm")
        if found.asked:
            marked(out, f"Coal agrees on {found.asked} distances")


def claim(certificate: Certificate) -> str:
    """What a certificate says, in words."""
    verdict = certificate.verdict
    pieces = counted(len(certificate.times) - 1, "piece")
    motion = f"the motion of {len(certificate.joints)} joints over {pieces}"
    if certificate.moving:
        motion += f" and of {', '.join(certificate.moving)}"
    if verdict.kind == "free":
        text = f"{motion} is free at every instant"
        if certificate.clearance:
            text += f", with a clearance of {1e3 * certificate.clearance:g} mm"
        if certificate.clearances:
            text += f" ({_own(certificate)})"
        if certificate.deviation.any():
            text += ", for all motions within the deviations given"
        return text
    if verdict.kind == "undecided":
        return f"{motion} is undecided"
    assert verdict.pair is not None and verdict.distance is not None
    what = "collide" if verdict.kind == "collision" else "come too close"
    text = (
        f"{verdict.pair[0]} and {verdict.pair[1]} {what} in piece {verdict.piece} at u = "
        f"{verdict.u:.6g}, at a distance of {1e3 * verdict.distance:.3g} mm"
    )
    if verdict.kind == "collision":
        return text
    # Given in both orders, the larger one counts.
    two = (verdict.pair, verdict.pair[::-1])
    own = [certificate.clearances[pair] for pair in two if pair in certificate.clearances]
    clearance = max(own, default=certificate.clearance)
    return (
        f"{text}; the clearance is {1e3 * clearance:g} mm, the tolerance "
        f"{1e3 * certificate.tolerance:g} mm"
    )


def _own(certificate: Certificate) -> str:
    """The clearances of single pairs, the smallest first: those are what the claim leaves out."""
    rows = sorted(certificate.clearances.items(), key=lambda item: item[1])
    shown = [f"{a} – {b} {1e3 * metres:g} mm" for (a, b), metres in rows[:_SHOWN]]
    more = len(rows) - len(shown)
    if more:
        shown.append(f"and {more} more, {1e3 * rows[_SHOWN][1]:g} mm or above")
    lower = sum(metres < certificate.clearance for _, metres in rows)
    counted = f"{lower} of them less" if lower else "none of them less"
    pairs = "1 pair has its own" if len(rows) == 1 else f"{len(rows)} pairs have their own"
    return f"{pairs}, {counted}: {', '.join(shown)}"
