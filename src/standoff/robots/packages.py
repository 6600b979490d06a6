"""Where a mesh reference of a URDF leads: package://, model://, file:// and plain paths."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from standoff.errors import MeshError, RobotError
from standoff.robots.xml import Node

#: How deep package folders are searched for below a search path, [folders]. Workspaces keep a
#: package at most four folders down (source, repository, group, package).
MAX_PACKAGE_DEPTH = 4


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_MANIFESTS = ("package.xml", "manifest.xml")


@dataclass
class Packages:
    """Where one robot's references are looked for.

    Attributes:
        urdf: absolute path of the URDF.
        search_paths: folders that hold packages, or are one.
    """

    urdf: Path
    search_paths: Sequence[str | Path] = ()
    _below: dict[tuple[Path, str], list[Path]] = field(default_factory=dict)

    def resolve(self, node: Node) -> Path:
        """The file that a ``<mesh filename=…>`` means.

        ``package://name/rest`` (and ``model://``) is looked for, in this order, in the folders
        above the URDF (one named ``name``, or one that contains ``name``), in ``search_paths``, in
        ``ROS_PACKAGE_PATH``, in ``AMENT_PREFIX_PATH``, and last anywhere below the search paths
        where a folder ``name`` has a package manifest. A plain path is taken from the URDF's
        folder. Nothing is ever fetched.

        Raises:
            MeshError: no such file; every place that was looked at is listed.
            RobotError: a scheme that is none of these.
        """
        reference = node.string("filename")
        tried: dict[Path, None] = {}
        for candidate in self._candidates(node, reference):
            if candidate not in tried:
                if _is_file(candidate):
                    return candidate
                tried[candidate] = None
        places = "".join(f"\n  {path}" for path in tried)
        raise MeshError(
            f"collision mesh not found; looked for at{places}\n ",
            file=node.file,
            element=node.where,
            value=reference,
            allowed="an existing file; search_paths, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH add "
            "places for packages",
        )

    def _candidates(self, node: Node, reference: str) -> Iterator[Path]:
        match = _SCHEME.match(reference)
        scheme = match.group(1).lower() if match else ""
        if scheme in ("package", "model"):
            name, _, rest = unquote(reference.split(":", 1)[1].lstrip("/")).partition("/")
            if not name or not rest:
                allowed = f"{scheme}://name/path"
                raise node.error("no package or no path", reference, allowed, part="filename")
            yield from self._in_packages(name, rest)
        elif scheme == "file":
            path = unquote(reference.split(":", 1)[1])
            yield self.urdf.parent / re.sub(r"^//(localhost(?=/))?", "", path)
        elif scheme:
            raise node.error(
                f"meshes are not fetched by {scheme!r}",
                reference,
                "package://, model://, file:// or a path",
                part="filename",
            )
        else:
            yield self.urdf.parent / reference

    def _in_packages(self, name: str, rest: str) -> Iterator[Path]:
        for start in dict.fromkeys((self.urdf, self.urdf.resolve())):
            for folder in start.parents:
                if folder.name == name:
                    yield folder / rest
                yield folder / name / rest
        roots = [Path(path) for path in self.search_paths] + _paths_of("ROS_PACKAGE_PATH")
        for root in roots:
            if root.name == name:
                yield root / rest
            yield root / name / rest
            yield root / "share" / name / rest
        for root in _paths_of("AMENT_PREFIX_PATH"):
            yield root / "share" / name / rest
        for root in roots:
            if (root, name) not in self._below:
                self._below[root, name] = list(_packages_below(root, name))
            for folder in self._below[root, name]:
                yield folder / rest


def a_path(given: Any, what: str) -> Path:
    """A path as text or a path object; bytes, numbers and a null character are refused."""
    try:
        text = os.fspath(given)
    except TypeError:
        text = None
    if not isinstance(text, str) or "\0" in text:
        raise RobotError(
            f"{what} is no path", value=given, allowed="text or a Path, without a null character"
        )
    return Path(text)


def folders(given: Any) -> tuple[Path, ...]:
    """Several folders; one alone is refused, as its letters would be taken for folders."""
    if isinstance(given, (str, bytes, os.PathLike)) or not isinstance(given, Iterable):
        raise RobotError("search_paths is no list", value=given, allowed="a list of folders")
    return tuple(a_path(folder, "a folder of search_paths") for folder in given)


def _packages_below(root: Path, name: str) -> Iterator[Path]:
    """Folders called ``name`` that hold a package manifest; packages are not searched inside."""
    for folder, below, files in os.walk(root):
        if any(manifest in files for manifest in _MANIFESTS):
            below.clear()
            if os.path.basename(folder) == name:
                yield Path(folder)
        elif len(Path(folder).relative_to(root).parts) >= MAX_PACKAGE_DEPTH:
            below.clear()
        else:
            below[:] = sorted(entry for entry in below if not entry.startswith("."))


def _paths_of(variable: str) -> list[Path]:
    entries = os.environ.get(variable, "").split(os.pathsep)
    return [Path(entry) for entry in entries if entry]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with characters no file can have
        return False
