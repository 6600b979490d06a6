"""What may stand in a cell file: the keys of each table and how shapes and poses are written."""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.errors import NOTHING, CellError, Error, nearest
from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron
from standoff.shapes.pose import Array, as_pose, pose
from standoff.shapes.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.shapes.shape import Shape

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

#: Shapes by the word that names them in a file, and the keys each takes.
SHAPES: dict[str, tuple[type[Shape], tuple[str, ...]]] = {
    "sphere": (Sphere, ("radius",)),
    "capsule": (Capsule, ("radius", "length")),
    "box": (Box, ("size",)),
    "cylinder": (Cylinder, ("radius", "length")),
    "halfspace": (HalfSpace, ()),
    "polyhedron": (Polyhedron, ("vertices", "faces")),
    "mesh": (Mesh, ("vertices", "faces", "sheet")),
}
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
