"""Certificates in and out, as JSON: strictly, and with every float64 to the bit."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from standoff.cell.files import cell_text, write_whole
from standoff.errors import CertificateError
from standoff.geometry.regular_file import read_regular
from standoff.paths.certificate import METHODS, PROOF, Certificate, Claim, Group, Primitive
from standoff.paths.strict_json import Maybe, Place, Reader, Row, parse_json

if TYPE_CHECKING:
    from standoff.cell.cell import Cell

#: Largest certificate that is read, [bytes]: about two million proofs. Beyond it, reading on would
#: only fill the memory.
MAX_CERTIFICATE_BYTES = 512 * 2**20


FORMAT = "standoff-certificate"
VERSION = 1

_VECTOR = Row("3 numbers", (float,) * 3)
_POSE = Row("4 x 4 numbers", (Row("4 numbers", (float,) * 4),) * 4)
_PAIR, _PARTS = Row("two names", (str,) * 2), Row("two whole numbers", (int,) * 2)
_CLAIM = {
    "kind": str, "piece": Maybe(int), "u": Maybe(float), "t": Maybe(float), "q": Maybe([float]),
    "pair": Maybe(_PAIR), "parts": Maybe(_PARTS), "distance": Maybe(float),
}  # fmt: skip
_PROOF = (int, float, float, float, str, int, int, *(float,) * 4)

#: What a certificate's file holds, in its order.
_FORM = {
    "format": object,
    "version": object,
    "joints": [str],
    "moving": [str],
    "clearance": float,
    "tolerance": float,
    "clearances": [Row("two names and metres", (str, str, float))],
    "deviation": [float],
    "times": [float],
    "coefficients": [[[float]]],
    "rounding": [[float]],
    "glides": [[{"pose": _POSE, "linear": _VECTOR, "angular": _VECTOR}]],
    "verdict": _CLAIM,
    "primitives": [Row("body, part, x, y, z, radius", (str, int, *(float,) * 3, Maybe(float)))],
    "groups": [Row("lower corner, upper corner, members", (_VECTOR, _VECTOR, [int]))],
    "cell": Maybe(str),
    "proofs": [Row("piece, start, end, at, method, a, b, distance, nx, ny, nz", _PROOF)],
}


def write(certificate: Certificate, path: Path, cell: Cell | None) -> None:
    """The file whole or not at all."""
    text = None if cell is None else cell_text(cell, Path(os.path.abspath(path)).parent)
    try:
        write_whole(path, "".join(_lines(certificate, certificate.cell if text is None else text)))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise CertificateError(f"cannot be written: {why}", file=path) from error


def _lines(c: Certificate, cell: str | None) -> Iterator[str]:
    """The text, one proof a line."""
    pose = np.array([[0.0, 0.0, 0.0, 1.0]])
    fields: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "joints": c.joints,
        "moving": c.moving,
        "clearance": c.clearance,
        "tolerance": c.tolerance,
        "clearances": [[a, b, metres] for (a, b), metres in c.clearances.items()],
        "deviation": c.deviation.tolist(),
        "times": c.times.tolist(),
        "coefficients": c.coefficients.tolist(),
        "rounding": c.rounding.tolist(),
        "glides": [
            [
                {
                    "pose": np.concatenate([row[:12].reshape(3, 4), pose]).tolist(),
                    "linear": row[12:15].tolist(),
                    "angular": row[15:].tolist(),
                }
                for row in piece
            ]
            for piece in c.glides
        ],
        "verdict": {name: getattr(c.verdict, name) for name in _CLAIM},
        "primitives": [
            [p.body, p.part, *p.centre, p.radius if math.isfinite(p.radius) else None]
            for p in c.primitives
        ],
        "groups": [[g.lower, g.upper, g.members] for g in c.groups],
    }
    if cell is not None:
        fields["cell"] = cell
    yield "{\n"
    for name, value in fields.items():
        yield f'"{name}": {json.dumps(value, allow_nan=False)},\n'
    yield '"proofs": ['
    for number, row in enumerate(c.proofs.tolist()):
        piece, start, end, at, method, a, b, distance, normal = row
        values = [piece, start, end, at, METHODS[method], a, b, distance, *normal]
        yield (",\n" if number else "\n") + json.dumps(values, allow_nan=False)
    yield "]\n}\n"


def read(path: Path) -> Certificate:
    """The certificate of a file; errors name the file, the place, the value and what is allowed."""
    data = read_regular(path, MAX_CERTIFICATE_BYTES, "a certificate", CertificateError)
    content, reader = parse_json(data, path, CertificateError), Reader(path, CertificateError)
    if isinstance(content, dict):
        found = content.get("format"), content.get("version")
        if found != (FORMAT, VERSION) or isinstance(found[1], bool):
            raise reader.error(
                "a format this version cannot read", ("format, version",), found,
                f"{FORMAT!r}, {VERSION}",
            )  # fmt: skip
    return _certificate(reader.read(content, _FORM), reader, path)


def _certificate(given: dict[str, Any], reader: Reader, path: Path) -> Certificate:
    names = ("clearance", "tolerance", "deviation", "times", "coefficients", "rounding", "cell")
    claim: dict[str, Any] = {
        name: tuple(x) if isinstance(x, list) else x for name, x in given["verdict"].items()
    }
    pairs = set[frozenset[str]]()
    for k, (a, b, _) in enumerate(given["clearances"]):
        if {a, b} in pairs:
            raise reader.error("a pair stands twice", ("clearances", k), [a, b], "once")
        pairs.add(frozenset((a, b)))
    methods = {name: k for k, name in enumerate(METHODS)}
    rows = []
    for k, (*row, x, y, z) in enumerate(given["proofs"]):
        if row[4] not in methods:
            raise reader.error("unknown method", ("proofs", k), row[4], ", ".join(METHODS))
        row[4] = methods[row[4]]
        rows.append((*row, (x, y, z)))
    try:
        proofs = np.array(rows, dtype=PROOF)
    except OverflowError as error:
        raise reader.error("a number beyond int64", ("proofs",)) from error
    try:
        return Certificate(
            **{name: given[name] for name in names},
            joints=tuple(given["joints"]),
            moving=tuple(given["moving"]),
            clearances={(a, b): metres for a, b, metres in given["clearances"]},
            glides=np.array(
                [
                    [_glide(glide, reader, ("glides", k, b)) for b, glide in enumerate(piece)]
                    for k, piece in enumerate(given["glides"])
                ]
            ),
            verdict=Claim(**claim),
            primitives=tuple(
                Primitive(body, part, (x, y, z), math.inf if radius is None else radius)
                for body, part, x, y, z, radius in given["primitives"]
            ),
            groups=tuple(
                Group(tuple(lower), tuple(upper), tuple(members))
                for lower, upper, members in given["groups"]
            ),
            proofs=proofs,
        )
    except CertificateError as error:
        raise error.at(path) from error


def _glide(glide: dict[str, Any], reader: Reader, place: Place) -> list[float]:
    *rows, last = glide["pose"]
    if last != [0.0, 0.0, 0.0, 1.0]:
        raise reader.error("last row is not that of a pose", (*place, "pose"), last, "0 0 0 1")
    return [x for row in (*rows, glide["linear"], glide["angular"]) for x in row]
