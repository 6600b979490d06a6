"""The folder of a ROS 2 bag: its files, and what its ``metadata.yaml`` says of them."""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path
from typing import Any, Final, NamedTuple

from standoff.errors import MissingPackageError, StreamError
from standoff.streams.limits import MAX_STREAM_MESSAGE

_SUFFIXES: Final = (".mcap", ".db3")
_METADATA: Final = "metadata.yaml"


class Folder(NamedTuple):
    """Attributes:
    files: in the order in which they were written.
    counts: messages of each topic in all files together; None where no metadata says so, and empty
        for a file alone.
    """

    files: list[Path]
    counts: dict[str, int] | None


def folder_of(path: Path) -> Folder:
    """The files of a bag that is a folder.

    Files and metadata have to agree: a recording with a part missing reads like one that ended
    early, and a part that is not listed may be of another one.

    Raises:
        StreamError: no files, metadata without topics or that cannot be read, a file that it lists
            and that is missing, or one that it does not list.
        MissingPackageError: there is metadata, and PyYAML is not installed.
    """
    there = {file.name: file for file in path.iterdir() if file.is_file()}
    found = sorted((f for f in there.values() if f.suffix in _SUFFIXES), key=_natural)
    if not found:
        packed = sorted(name for name in there if name.endswith(".zstd"))
        raise StreamError(
            "a folder without a bag in it",
            file=path,
            value=packed,
            allowed=".db3 or .mcap files" + (", unpacked by zstd -d" if packed else ""),
        )
    metadata = path / _METADATA
    if not metadata.exists():  # whoever recorded it was killed
        return Folder(found, None)
    names, counts = _listed(metadata)
    _check_listed(metadata, names, there, [file.name for file in found])
    if not counts:
        raise StreamError("metadata without topics", file=metadata, allowed="what ros2 bag wrote")
    return Folder([there[name] for name in names], counts)


def _check_listed(
    metadata: Path, names: list[str], there: Container[str], found: list[str]
) -> None:
    """Files and metadata agree."""
    missing = [name for name in names if name not in there]
    if missing:
        raise StreamError(
            "files of the recording are missing",
            file=metadata,
            value=missing[:20],
            allowed="all files that it lists; or give a single file instead of the folder",
        )
    others = [name for name in found if name not in names]
    if others:
        raise StreamError(
            "does not list all files of its folder",
            file=metadata,
            value=others[:20],
            allowed="the files of one recording; `ros2 bag reindex` writes the list again",
        )


def _listed(metadata: Path) -> tuple[list[str], dict[str, int]]:
    """The files that the metadata lists, and how many messages of each topic."""
    # Up to version 3 of the format, names have the folder before them. A file that was unpacked
    # keeps its packed name in the list.
    try:
        about = _parsed(metadata)["rosbag2_bagfile_information"]
        names = [Path(_text(n)).name.removesuffix(".zstd") for n in about["relative_file_paths"]]
        counts: dict[str, int] = {}
        for topic in about["topics_with_message_count"]:
            name = _text(topic["topic_metadata"]["name"])
            counts[name] = counts.get(name, 0) + int(topic["message_count"])
    except (LookupError, TypeError, ValueError) as error:
        raise StreamError(
            "metadata without files or topics", file=metadata, allowed="as ros2 bag writes it"
        ) from error
    return names, counts


def _parsed(path: Path) -> Any:
    """Texts, lists and dictionaries of texts: nothing in the file is taken for more."""
    try:
        import yaml
    except ImportError as error:
        raise MissingPackageError("PyYAML", "standoff[streams]", "folders of ROS 2 bags") from error
    with path.open("rb") as file:
        data = file.read(MAX_STREAM_MESSAGE + 1)
    if len(data) > MAX_STREAM_MESSAGE:
        raise StreamError(f"more than {MAX_STREAM_MESSAGE} bytes", file=path)
    try:
        return yaml.load(data, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise StreamError(f"not YAML: {str(error)[:200]}", file=path) from error


def _text(value: Any) -> str:
    """A text that is one. Of a list that is in itself ten times, and again, `str` has no end."""
    if type(value) is not str:
        raise TypeError
    return value


def _natural(file: Path) -> list[tuple[int, str]]:
    """``run_2`` comes before ``run_10``."""
    parts = re.split(r"(\d+)", file.name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
