"""Cell files in, strictly: an unknown key is an error, and nothing is half read."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from standoff.cell.cell import Cell
from standoff.cell.schema import (
    ALLOW,
    ATTACHED,
    BODY,
    MESH_FILE,
    ROBOT,
    SHAPES,
    STREAM,
    SWAP,
    TOP,
    VERSION,
    Table,
)
from standoff.errors import CellError
from standoff.robots.mounted import BUILTIN
from standoff.shapes.mesh import Mesh
from standoff.shapes.shape import Shape

#: Largest cell file that is read, [bytes]; a cell with 100,000 boxes is about 15 MB.
LARGEST_FILE = 64 * 2**20


def load(path: Path) -> Cell:
    """The cell of a TOML file. Paths in it are relative to the file."""
    return _cell(_parse(path), str(path), path.parent)


def load_text(text: str, file: str, folder: Path) -> Cell:
    """The cell of a TOML text that stands in another file; its paths are relative to ``folder``."""
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise CellError(f"not a TOML text: {error}", file=file) from error
    return _cell(content, file, folder)


def _cell(content: dict[str, Any], file: str, folder: Path) -> Cell:
    top = Table(content, file, "", TOP)
    version = top.get("standoff", int, f"the format's version, {VERSION}")
    if version != VERSION:
        raise top.error("a format this version cannot read", value=version, allowed=str(VERSION))
    cell: Cell = top.wrapped("unwatched", Cell, top.text("unwatched", "refuse"))
    for table in top.tables("robot", ROBOT):
        _add_robot(cell, table, folder)
    bodies = top.tables("body", BODY)
    for table in bodies:
        _add_body(cell, table, folder)
    _set_state(cell, top)
    for table in bodies:
        _attach(cell, table)
    for table in top.tables("allow", ALLOW):
        pair = table.texts("pair")
        if len(pair) != 2:
            raise table.error("a pair is two names", value=pair, allowed='pair = ["a", "b"]')
        reason = (table.text("reason"),) if table.has("reason") else ()
        table.wrapped(table.place, cell.allow, *pair, *reason, proof=table.text("proof", None))
    for table in top.tables("stream", STREAM):
        table.wrapped(
            table.place,
            cell.map_stream,
            table.text("source", "*"),
            table.text("robot", None),
            table.get("rename", dict, "a table of names", None),
            table.texts("ignore"),
            angles=table.text("angles", "rad"),
            lengths=table.text("lengths", "m"),
            scale=table.get("scale", dict, "a table of numbers by name", None),
            offset=table.get("offset", dict, "a table of numbers by name", None),
        )
    return cell


def _parse(path: Path) -> dict[str, Any]:
    try:
        if not path.is_file():
            path.stat()  # says why, where it is not there at all
            raise CellError("not a regular file", file=path, allowed="a TOML file")
        if path.stat().st_size > LARGEST_FILE:
            raise CellError(
                "file too large",
                file=path,
                value=f"{path.stat().st_size} bytes",
                allowed=f"{LARGEST_FILE} bytes at most",
            )
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise CellError(f"cannot be read: {error.strerror or error}", file=path) from error
    except UnicodeDecodeError as error:
        raise CellError(
            f"not UTF-8 text: {error.reason} at byte {error.start}", file=path
        ) from error
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise CellError(f"not a TOML file: {error}", file=path) from error


def _add_robot(cell: Cell, table: Table, folder: Path) -> None:
    urdf = table.text("urdf")
    srdf = table.text("srdf", None)
    base = table.pose("base")
    name = table.wrapped(
        table.place,
        cell.add_robot,
        urdf if urdf.startswith(BUILTIN) else folder / urdf,
        table.text("name", None),
        base,
        None if srdf is None else folder / srdf,
        table.text("geometry", "auto"),
        capsules_per_link=table.get("capsules_per_link", int, "1 to 16", 2),
        search_paths=[folder / p for p in table.texts("search_paths")],
    )
    for swap in table.tables("swap", SWAP):
        swap.wrapped(
            swap.place,
            cell.swap_geometry,
            f"{name}/{swap.text('link')}",
            swap.text("geometry"),
            capsules_per_link=swap.get("capsules_per_link", int, "1 to 16", 2),
        )


def _add_body(cell: Cell, table: Table, folder: Path) -> None:
    table.wrapped(
        table.place,
        cell.add_body,
        table.text("name"),
        _shape(table, folder),
        table.pose("pose"),
        moving=table.get("moving", bool, "true or false", False),
    )


def _shape(table: Table, folder: Path) -> Shape:
    """The shape of a body: ``shape = { box = { size = [...] } }``."""
    outer = Table(
        table.get("shape", dict, "a table with one of " + ", ".join(SHAPES)),
        table.file,
        f"{table.place}.shape",
        tuple(SHAPES),
    )
    words = [word for word in SHAPES if outer.has(word)]
    if len(words) != 1:
        raise outer.error("a body has one shape", value=words, allowed=", ".join(SHAPES))
    kind, keys = SHAPES[words[0]]
    place = f"{outer.place}.{words[0]}"
    value = outer.get(words[0], dict, "a table")
    if kind is Mesh and "file" in value:
        inner = Table(value, table.file, place, MESH_FILE)
        scale = inner.get("scale", list, "three numbers", [1.0, 1.0, 1.0])
        sheet = inner.get("sheet", bool, "true or false", False)
        file = folder / inner.text("file")
        loaded: Shape = inner.wrapped(place, Mesh.load, file, scale, sheet=sheet)
        return loaded
    inner = Table(value, table.file, place, keys)
    needed = keys[:1] if kind.__name__ == "Polyhedron" else keys
    for key in needed:
        if key != "sheet" and not inner.has(key):
            raise inner.error(f"missing key {key!r}", allowed=", ".join(keys))
    made: Shape = inner.wrapped(place, kind, **value)
    return made


def _set_state(cell: Cell, top: Table) -> None:
    joints = top.get("state", dict, "a table of joint values by name", None)
    if joints is None:
        return
    full = dict(zip(cell.joints, cell.q.tolist(), strict=True))
    top.wrapped("state", cell.set_state, {**full, **joints})


def _attach(cell: Cell, table: Table) -> None:
    if not table.has("attached"):
        return
    grip = Table(
        table.get("attached", dict, "a table"), table.file, f"{table.place}.attached", ATTACHED
    )
    if not grip.has("pose"):
        raise grip.error("missing key 'pose'", allowed="the body's pose in the link's frame")
    grip.wrapped(
        grip.place,
        cell.attach,
        table.text("name"),
        grip.text("link"),
        touch=grip.texts("touch"),
        pose=grip.pose("pose"),
    )
