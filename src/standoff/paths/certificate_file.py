"""Certificates in and out, as JSON: strictly, and with every float64 to the bit."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from standoff.cell.files import cell_text, write_whole
from standoff.errors import CertificateError, nearest
from standoff.paths.certificate import METHODS, PROOF, Certificate, Claim, Group, Primitive

if TYPE_CHECKING:
    from standoff.cell import Cell

#: Largest certificate that is read, [bytes]: about two million proofs. Beyond it, reading on would
#: only fill the memory.
MAX_CERTIFICATE_BYTES = 512 * 2**20


FORMAT = "standoff-certificate"
VERSION = 1

_HEAD = ("format", "version")
_FIELDS = (
    "joints", "moving", "clearance", "tolerance", "clearances", "deviation", "times",
    "coefficients", "rounding", "glides", "verdict", "primitives", "groups", "proofs",
)  # fmt: skip
_CLAIM = ("kind", "piece", "u", "t", "q", "pair", "parts", "distance")
_GLIDE = ("pose", "linear", "angular")
_PROOF = "piece, start, end, at, method, a, b, distance, nx, ny, nz"


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
    try:
        return _certificate(_parse(path))
    except CertificateError as error:
        raise error.at(path) from error


def _parse(path: Path) -> dict[str, Any]:
    try:
        if not path.is_file():
            path.stat()  # says why, where it is not there at all
            raise CertificateError("not a regular file", allowed="a certificate, JSON")
        size = path.stat().st_size
        if size > MAX_CERTIFICATE_BYTES:
            allowed = f"{MAX_CERTIFICATE_BYTES} bytes at most"
            raise CertificateError("file too large", value=f"{size} bytes", allowed=allowed)
        text = path.read_bytes().decode("utf-8")
        content = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except OSError as error:
        raise CertificateError(f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise CertificateError(f"not UTF-8 text: {error.reason} at byte {error.start}") from error
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        raise CertificateError(f"not a JSON file: {error}") from error
    if not isinstance(content, dict):
        raise CertificateError("not a certificate", value=content, allowed="a JSON object")
    return content


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CertificateError("a key occurs twice", value=twice)
    return result


def _constant(word: str) -> NoReturn:
    raise CertificateError("not a finite number", value=word)


def _certificate(content: dict[str, Any]) -> Certificate:
    found = content.get("format"), content.get("version")
    if found != (FORMAT, VERSION) or isinstance(found[1], bool):
        raise CertificateError(
            "a format this version cannot read", element="format, version", value=found,
            allowed=f"{FORMAT!r}, {VERSION}",
        )  # fmt: skip
    _keys(content, "", (*_HEAD, *_FIELDS), ("cell",))
    names = _rows(content["clearances"], "clearances", 3, "two names and metres")
    pieces = _list(content["glides"], "glides")
    moving = _texts(content["moving"], "moving")
    return Certificate(
        joints=_texts(content["joints"], "joints"),
        moving=moving,
        clearance=_number(content["clearance"], "clearance"),
        tolerance=_number(content["tolerance"], "tolerance"),
        clearances={
            (_text(a, f"clearances[{i}]"), _text(b, f"clearances[{i}]")):
                _number(metres, f"clearances[{i}]")
            for i, (a, b, metres) in enumerate(names)
        },
        deviation=_numbers(content["deviation"], "deviation", 1),
        times=_numbers(content["times"], "times", 1),
        coefficients=_numbers(content["coefficients"], "coefficients", 3),
        rounding=_numbers(content["rounding"], "rounding", 2),
        glides=np.array(
            [
                [_glide(row, f"glides[{k}][{b}]") for b, row in enumerate(_list(piece, "glides"))]
                for k, piece in enumerate(pieces)
            ]
        ),
        verdict=_claim(content["verdict"]),
        primitives=tuple(
            _primitive(row, f"primitives[{i}]")
            for i, row in enumerate(_rows(content["primitives"], "primitives", 6, _PRIMITIVE))
        ),
        groups=tuple(
            _group(row, f"groups[{i}]")
            for i, row in enumerate(_rows(content["groups"], "groups", 3, _GROUP))
        ),
        proofs=_proofs(_rows(content["proofs"], "proofs", 11, _PROOF)),
        cell=None if content.get("cell") is None else _text(content["cell"], "cell"),
    )  # fmt: skip


_PRIMITIVE = "body, part, x, y, z, radius"
_GROUP = "lower corner, upper corner, members"


def _claim(value: Any) -> Claim:
    table = _table(value, "verdict")
    _keys(table, "verdict", _CLAIM)
    pair, parts, q = table["pair"], table["parts"], table["q"]
    if pair is not None:
        pair = tuple(_text(x, "verdict.pair") for x in _sized(pair, "verdict.pair", 2, "two names"))
    if parts is not None:
        two = _sized(parts, "verdict.parts", 2, "two whole numbers")
        parts = tuple(_whole(x, "verdict.parts") for x in two)
    if q is not None:
        q = tuple(_number(x, "verdict.q") for x in _list(q, "verdict.q"))
    return Claim(
        kind=_text(table["kind"], "verdict.kind"),
        piece=None if table["piece"] is None else _whole(table["piece"], "verdict.piece"),
        q=q,
        pair=pair,
        parts=parts,
        **{
            name: None if table[name] is None else _number(table[name], f"verdict.{name}")
            for name in ("u", "t", "distance")
        },
    )


def _glide(value: Any, place: str) -> list[float]:
    table = _table(value, place)
    _keys(table, place, _GLIDE)
    rows = _sized(table["pose"], f"{place}.pose", 4, "4 x 4 numbers")
    pose = [_vector(row, f"{place}.pose[{i}]", 4) for i, row in enumerate(rows)]
    if pose[3] != [0.0, 0.0, 0.0, 1.0]:
        raise CertificateError(
            "last row is not that of a pose", element=f"{place}.pose", value=pose[3],
            allowed="0 0 0 1",
        )  # fmt: skip
    velocities = [_vector(table[name], f"{place}.{name}", 3) for name in ("linear", "angular")]
    return [x for row in (*pose[:3], *velocities) for x in row]


def _primitive(row: list[Any], place: str) -> Primitive:
    x, y, z = (_number(x, place) for x in row[2:5])
    radius = math.inf if row[5] is None else _number(row[5], f"{place}.radius")
    return Primitive(_text(row[0], place), _whole(row[1], place), (x, y, z), radius)


def _group(row: list[Any], place: str) -> Group:
    lower, upper = (_vector(corner, place, 3) for corner in row[:2])
    members = tuple(_whole(x, f"{place}.members") for x in _list(row[2], f"{place}.members"))
    return Group((lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]), members)


def _proofs(rows: list[list[Any]]) -> Any:
    result = np.zeros(len(rows), dtype=PROOF)
    numbers = {name: i for i, name in enumerate(METHODS)}
    for k, row in enumerate(rows):
        place = f"proofs[{k}]"
        method = numbers.get(row[4]) if isinstance(row[4], str) else None
        if method is None:
            raise CertificateError(
                "unknown method", element=place, value=row[4], allowed=", ".join(METHODS)
            )
        piece, a, b = (_whole(row[i], place) for i in (0, 5, 6))
        start, end, at, distance, x, y, z = (_number(row[i], place) for i in (1, 2, 3, 7, 8, 9, 10))
        result[k] = (piece, start, end, at, method, a, b, distance, (x, y, z))
    return result


def _keys(
    table: dict[str, Any], place: str, needed: tuple[str, ...], optional: tuple[str, ...] = ()
) -> None:
    known = (*needed, *optional)
    for name in table:
        if name not in known:
            raise CertificateError(
                f"unknown key {name!r}", element=place or None,
                allowed=f"did you mean {nearest(name, known, 1)[0]!r}?",
            )  # fmt: skip
    for name in needed:
        if name not in table:
            raise CertificateError(
                f"missing key {name!r}", element=place or None, allowed=", ".join(known)
            )


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise CertificateError("not a list", element=place, value=value)
    return value


def _sized(value: Any, place: str, length: int, allowed: str) -> list[Any]:
    if not isinstance(value, list) or len(value) != length:
        raise CertificateError("wrong type", element=place, value=value, allowed=allowed)
    return value


def _rows(value: Any, place: str, length: int, allowed: str) -> list[list[Any]]:
    rows = _list(value, place)
    return [_sized(row, f"{place}[{i}]", length, allowed) for i, row in enumerate(rows)]


def _table(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CertificateError("wrong type", element=place, value=value, allowed="an object")
    return value


def _texts(value: Any, place: str) -> tuple[str, ...]:
    return tuple(_text(x, f"{place}[{i}]") for i, x in enumerate(_list(value, place)))


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise CertificateError("wrong type", element=place, value=value, allowed="text")
    return value


def _number(value: Any, place: str) -> float:
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError("not a number")
        result = float(value)
        if not math.isfinite(result):
            raise ValueError("beyond float64")
    except (OverflowError, ValueError) as error:
        raise CertificateError(
            "wrong type", element=place, value=value, allowed="a finite number"
        ) from error
    return result


def _whole(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**62:
        raise CertificateError("wrong type", element=place, value=value, allowed="a whole number")
    return value


def _vector(value: Any, place: str, length: int) -> list[float]:
    return [_number(x, place) for x in _sized(value, place, length, f"{length} numbers")]


def _numbers(value: Any, place: str, dimensions: int) -> Any:
    """Nested lists of numbers, as an array; `Certificate` checks its shape."""
    if dimensions == 0:
        return _number(value, place)
    rows = [_numbers(x, f"{place}[{i}]", dimensions - 1) for i, x in enumerate(_list(value, place))]
    return rows
