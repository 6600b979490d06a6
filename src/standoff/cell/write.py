"""Cell files out: reading one gives the same cell again, to the bit."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from standoff.cell.allowed import USER, Pair
from standoff.cell.body import Body
from standoff.cell.schema import SHAPES, STREAM, VERSION, write_pose
from standoff.cell.stream import StreamRule
from standoff.errors import CellError
from standoff.robots.mounted import BUILTIN, MountedRobot
from standoff.shapes.mesh import Mesh
from standoff.shapes.shape import Shape

if TYPE_CHECKING:
    from standoff.cell.cell import Cell

_HEADER = "# A Standoff cell: metres, radians, seconds; quaternions w, x, y, z.\n"


def save(cell: Cell, path: Path) -> None:
    """Write the file whole or not at all."""
    text = cell_text(cell, Path(os.path.abspath(path)).parent)
    try:
        write_whole(path, text)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise CellError(f"cannot be written: {why}", file=path) from error


def cell_text(cell: Cell, folder: Path) -> str:
    """The cell as TOML, its paths relative to ``folder``."""
    content: dict[str, Any] = {
        "standoff": VERSION,
        "unwatched": "allow" if cell.allows_unwatched else "",
        "state": dict(zip(cell.joints, cell.q.tolist(), strict=True)),
        "robot": [_robot(name, robot, folder) for name, robot in cell.robots.items()],
        "body": [_body(body, folder) for body in cell.bodies.values()],
        "allow": [_allowed(cell, pair, why) for pair, why in cell.user_pairs.items()],
        "stream": [_stream(rule) for rule in cell.streams],
    }
    kept = {key: value for key, value in content.items() if value}
    bare = "".join(f"# no collision geometry, not watched: {name}\n" for name in cell.unwatched)
    return _HEADER + bare + tomli_w.dumps(kept)


def _allowed(cell: Cell, pair: Pair, why: str) -> dict[str, Any]:
    table: dict[str, Any] = {"pair": list(pair)}
    if why != USER:
        table["reason"] = why
    if pair in cell.proofs:
        table["proof"] = cell.proofs[pair]
    return table


def _stream(rule: StreamRule) -> dict[str, Any]:
    """A rule without what says nothing."""
    plain = StreamRule()
    values = {key: getattr(rule, key) for key in STREAM}
    said = {key: value for key, value in values.items() if value != getattr(plain, key)}
    return {"source": rule.source, **said}


def write_whole(path: Path, text: str) -> None:
    """Through a file beside it, so that a full disk never leaves half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _robot(name: str, mounted: MountedRobot, folder: Path) -> dict[str, Any]:
    builtin = mounted.source.startswith(BUILTIN)
    table: dict[str, Any] = {
        "name": name,
        "urdf": mounted.source if builtin else _relative(mounted.source, folder),
    }
    if mounted.srdf is not None:
        table["srdf"] = _relative(mounted.srdf, folder)
    table["base"] = write_pose(mounted.base)
    table["geometry"] = mounted.choice.geometry
    table["capsules_per_link"] = mounted.choice.capsules_per_link
    if mounted.search_paths:
        table["search_paths"] = [_relative(p, folder) for p in mounted.search_paths]
    if mounted.swaps:
        table["swap"] = [
            {"link": k, "geometry": c.geometry, "capsules_per_link": c.capsules_per_link}
            for k, c in mounted.swaps.items()
        ]
    return table


def _body(body: Body, folder: Path) -> dict[str, Any]:
    table: dict[str, Any] = {
        "name": body.name,
        "shape": _shape(body.shape, folder),
        "pose": write_pose(body.pose),
    }
    if body.moving:
        table["moving"] = True
    if body.attachment is not None:
        table["attached"] = {
            "link": body.attachment.link,
            "pose": write_pose(body.attachment.pose),
        }
        if body.attachment.touch:
            table["attached"]["touch"] = list(body.attachment.touch)
    return table


def _shape(shape: Shape, folder: Path) -> dict[str, Any]:
    word = next(word for word, (kind, _) in SHAPES.items() if kind is type(shape))
    if isinstance(shape, Mesh) and shape.source is not None:
        return {word: {**shape.parameters(), "file": _relative(shape.source, folder)}}
    return {word: shape.parameters()}


def _relative(path: str | Path, folder: Path) -> str:
    """A path as the file gives it: relative where there is a way, with forward slashes. Symbolic
    links stay: what lies beside the link need not lie beside its target."""
    try:
        return Path(os.path.relpath(os.path.abspath(path), folder)).as_posix()
    except ValueError:  # another drive
        return Path(os.path.abspath(path)).as_posix()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
