"""Cell files: the keys of each table, and how shapes and poses are written.

Reading is strict: an unknown key is an error, and nothing is half read. Reading a file that was
written here gives the same cell again, to the bit.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from standoff.cell.allowed import USER, Pair
from standoff.cell.body import Body
from standoff.cell.cell import Cell
from standoff.cell.stream import StreamRule
from standoff.errors import NOTHING, CellError, Error, nearest
from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array, as_pose, pose
from standoff.geometry.primitives import PRIMITIVES
from standoff.geometry.shape import Shape, arguments
from standoff.robots.mounted import BUILTIN, MountedRobot

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
    kind = SHAPES[words[0]]
    keys = arguments(kind)
    place = f"{outer.place}.{words[0]}"
    value = outer.get(words[0], dict, "a table")
    if kind is Mesh and "file" in value:
        inner = Table(value, table.file, place, MESH_FILE)
        scale = inner.get("scale", list, "three numbers", [1.0, 1.0, 1.0])
        sheet = inner.get("sheet", bool, "true or false", False)
        file = folder / inner.text("file")
        loaded: Shape = inner.wrapped(place, Mesh.load, file, scale, sheet=sheet)
        return loaded
    inner = Table(value, table.file, place, tuple(keys))
    for key, needed in keys.items():
        if needed and not inner.has(key):
            raise inner.error(f"missing key {key!r}", allowed=", ".join(keys))
    made: Shape = inner.wrapped(place, kind, **value)
    return made


def _set_state(cell: Cell, top: Table) -> None:
    given = top.get("state", (dict, str), "joint values by name, or a named state", None)
    if given is not None:
        q = top.wrapped("state", cell.tree.configuration, given, "", cell.q)
        cell.set_state(q)


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


#: The version of the format; a file of another one is refused.
VERSION = 1

TOP = ("standoff", "robot", "body", "allow", "state", "stream", "unwatched")
ROBOT = (
    "name",
    "urdf",
    "srdf",
    "base",
    "geometry",
    "capsules_per_link",
    "search_paths",
    "swap",
)
SWAP = ("link", "geometry", "capsules_per_link")
BODY = ("name", "shape", "pose", "moving", "attached")
ATTACHED = ("link", "pose", "touch")
ALLOW = ("pair", "reason", "proof")
STREAM = ("source", "robot", "rename", "ignore", "angles", "lengths", "scale", "offset")
POSE = ("position", "quaternion", "rpy", "matrix")

#: Shapes by the word that names them in a file; the keys of each are its constructor's arguments.
SHAPES = {kind.__name__.lower(): kind for kind in (*PRIMITIVES, Polyhedron, Mesh)}
MESH_FILE = ("file", "scale", "sheet")


class Table:
    """One table of a cell file, read key by key; errors name the file and the place."""

    def __init__(self, value: Any, file: str, place: str, keys: tuple[str, ...]) -> None:
        self.file, self.place = file, place
        if not isinstance(value, dict):
            raise self.error("not a table", value=value, allowed="a table with " + ", ".join(keys))
        for key in value:
            if key not in keys:
                hint = nearest(key, keys)
                raise self.error(
                    f"unknown key {key!r}",
                    allowed=", ".join(keys) + (f" (did you mean {hint[0]!r}?)" if hint else ""),
                )
        self._value = value

    def error(self, problem: str, *, value: Any = NOTHING, allowed: str | None = None) -> CellError:
        return CellError(problem, file=self.file, element=self.place, value=value, allowed=allowed)

    def has(self, key: str) -> bool:
        return key in self._value

    def get(self, key: str, kind: type | tuple[type, ...], what: str, default: Any = ...) -> Any:
        """The value of a key, of the right type; without a default it must be there."""
        if key not in self._value:
            if default is ...:
                raise self.error(f"missing key {key!r}", allowed=what)
            return default
        value = self._value[key]
        wrong_bool = isinstance(value, bool) and kind is not bool
        if wrong_bool or not isinstance(value, kind):
            at = self._at(key)
            raise CellError("wrong type", file=self.file, element=at, value=value, allowed=what)
        return value

    def text(self, key: str, default: Any = ...) -> Any:
        return self.get(key, str, "text in quotes", default)

    def tables(self, key: str, keys: tuple[str, ...]) -> list[Table]:
        """The tables of a list, each with its number in messages."""
        rows = self.get(key, list, f"a list of tables, [[{key}]]", [])
        return [Table(r, self.file, f"{self._at(key)}[{i}]", keys) for i, r in enumerate(rows)]

    def texts(self, key: str) -> list[str]:
        values = self.get(key, list, "a list of texts", [])
        for value in values:
            if not isinstance(value, str):
                raise self.error(f"{key} holds something that is not text", value=value)
        return list(values)

    def pose(self, key: str) -> Array:
        """A pose: a table of position with quaternion or rpy, or a matrix; identity if absent."""
        if key not in self._value:
            return np.eye(4)
        table = Table(self._value[key], self.file, self._at(key), POSE)
        given = table._value
        if "matrix" in given:
            if len(given) > 1:
                raise table.error("a matrix stands alone", value=sorted(given))
            found: Array = self.wrapped(table.place, as_pose, given["matrix"])
        else:
            found = self.wrapped(table.place, pose, **given)
        return found

    def wrapped(self, place: str, make: Any, *args: Any, **kwargs: Any) -> Any:
        """Call ``make``; an error of ours gets the file and the place."""
        try:
            return make(*args, **kwargs)
        except Error as error:
            raise error.at(self.file, place) from error

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key


def write_pose(value: Array) -> dict[str, Any]:
    """A pose so that reading gives the same bits: by position alone where it is not turned."""
    if np.array_equal(value[:3, :3], np.eye(3)):
        return {"position": value[:3, 3].tolist()}
    return {"matrix": value.tolist()}


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
        "shape": _shape_table(body.shape, folder),
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


def _shape_table(shape: Shape, folder: Path) -> dict[str, Any]:
    word = type(shape).__name__.lower()
    if SHAPES.get(word) is not type(shape):
        raise CellError("a shape that cell files have no word for", value=shape)
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
