"""Where a mesh reference of a URDF leads: package://, model://, file:// and plain paths."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from standoff.constants import MAX_PACKAGE_DEPTH
from standoff.errors import MeshError
from standoff.robots.node import Node

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_MANIFESTS = ("package.xml", "manifest.xml")


def resolve(node: Node, urdf: Path, search_paths: Sequence[str | Path] = ()) -> Path:
    """The file that a ``<mesh filename=…>`` means.

    ``package://name/rest`` (and ``model://``) is looked for, in this order, in the folders above
    the URDF (one named ``name``, or one that contains ``name``), in ``search_paths``, in
    ``ROS_PACKAGE_PATH`` and in ``AMENT_PREFIX_PATH``. A plain path is taken from the URDF's
    folder. Nothing is ever fetched.

    Raises:
        MeshError: no such file; every place that was looked at is listed.
        RobotError: a scheme that is none of these.
    """
    reference = node.string("filename")
    tried: dict[Path, None] = {}
    for candidate in _candidates(node, reference, urdf, search_paths):
        if candidate not in tried:
            if _is_file(candidate):
                return candidate
            tried[candidate] = None
    places = "".join(f"\n  {path}" for path in tried) or " nowhere: no folder is known"
    raise MeshError(
        f"collision mesh not found; looked for at{places}\n ",
        file=node.file,
        element=node.where,
        value=reference,
        allowed="an existing file; search_paths, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH add places",
    )


def _candidates(
    node: Node, reference: str, urdf: Path, search_paths: Sequence[str | Path]
) -> Iterator[Path]:
    match = _SCHEME.match(reference)
    scheme = match.group(1).lower() if match else ""
    if scheme in ("package", "model"):
        name, _, rest = unquote(reference.split(":", 1)[1].lstrip("/")).partition("/")
        if not name or not rest:
            raise node.error(
                "no package or no path in it", reference, f"{scheme}://name/path", part="filename"
            )
        yield from _in_packages(name, rest, urdf, [Path(p) for p in search_paths])
    elif scheme == "file":
        path = unquote(reference.split(":", 1)[1])
        path = re.sub(r"^//(localhost(?=/))?", "", path)
        yield urdf.parent / path
    elif scheme:
        raise node.error(
            f"meshes are not fetched by {scheme!r}",
            reference,
            "package://, model://, file:// or a path",
            part="filename",
        )
    else:
        yield urdf.parent / reference


def _in_packages(name: str, rest: str, urdf: Path, search_paths: list[Path]) -> Iterator[Path]:
    for start in dict.fromkeys((urdf, urdf.resolve())):
        for folder in start.parents:
            if folder.name == name:
                yield folder / rest
            yield folder / name / rest
    roots = search_paths + _paths_of("ROS_PACKAGE_PATH")
    for root in roots:
        if root.name == name:
            yield root / rest
        yield root / name / rest
        yield root / "share" / name / rest
    for root in _paths_of("AMENT_PREFIX_PATH"):
        yield root / "share" / name / rest
    for root in roots:
        for folder in _packages_below(root, name):
            yield folder / rest


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
    entries: Iterable[str] = os.environ.get(variable, "").split(os.pathsep)
    return [Path(entry) for entry in entries if entry]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with characters no file can have
        return False
