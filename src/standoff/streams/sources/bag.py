"""Bags: of ROS 1, and of ROS 2 in SQLite and MCAP. Log time is the clock, the header has the stamp.

``rosbags`` reads them too; it needs some 16 µs for a reading of 14 joints, and a file that was
closed in order. Here a file is read from front to back, some 4 µs a reading, as far as it goes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from standoff.errors import MissingPackageError, StreamError, reason_of
from standoff.names import MAX_NAME_LENGTH
from standoff.streams.decoders import (
    JOINT_STATE,
    OWN_ENCODING,
    TYPES,
    WORLD,
    Decode,
    Topic,
    decoder_of,
)
from standoff.streams.limits import MAX_STREAM_MESSAGE
from standoff.streams.messages import Message, Trouble
from standoff.streams.shown import shown
from standoff.streams.sources.bag_file import (
    ZSTD,
    BagFile,
    Budget,
    Channel,
    in_order,
    unpacked_message,
)
from standoff.streams.sources.mcap_file import MAGIC as MCAP_MAGIC
from standoff.streams.sources.mcap_file import McapFile
from standoff.streams.sources.rosbag1_file import MAGIC as ROS1_MAGIC
from standoff.streams.sources.rosbag1_file import Rosbag1File
from standoff.streams.sources.sqlite_file import MAGIC as SQLITE_MAGIC
from standoff.streams.sources.sqlite_file import SqliteFile
from standoff.streams.wire import GarbledError

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
    others = [name for name in found if name not in names]
    if missing:
        why = "files of the recording are missing"
        allowed = "all files that it lists; or give a single file instead of the folder"
    elif others:
        why = "does not list all files of its folder"
        allowed = "the files of one recording; `ros2 bag reindex` writes the list again"
    else:
        return
    raise StreamError(why, file=metadata, value=(missing or others)[:20], allowed=allowed)


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


#: Formats by how a file begins.
_FORMATS: Final[dict[bytes, Callable[[Path], BagFile]]] = {
    MCAP_MAGIC: McapFile,
    ROS1_MAGIC: Rosbag1File,
    SQLITE_MAGIC: SqliteFile,
}


class Bag:
    """A bag, `Recorded`.

    Args:
        path: a file, or the folder that ``ros2 bag record`` made.
        topics: those to read, of the types in `TYPES` (and any that is written in JSON). Without
            any it is the only topic of joint states.
        world: the frame that is the world.

    Raises:
        StreamError: it cannot be read, has no such topic, or is a record of a watch.
    """

    def __init__(
        self, path: str | Path, topics: Sequence[str] = (), world: str = WORLD, name: str = ""
    ) -> None:
        self.name = name or f"bag:{path}"
        self._world = world
        self._files: list[BagFile] = []
        try:
            files, self._counts = _folder(Path(path))
            for file in files:
                self._files.append(_opened(file))
            self._share_budget()
            found: dict[str, Topic] = {}
            for bag in self._files:
                for topic in bag.topics():
                    found.setdefault(topic.name, topic)
            _check_not_ours(found, Path(path))
            self._wanted = _chosen(found, topics, Path(path))
        except BaseException as error:
            self.close()
            if isinstance(error, (OSError, ValueError)):
                raise StreamError(f"cannot be read: {reason_of(error)}", file=path) from error
            raise

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that are read."""
        return tuple(sorted(self._wanted))

    def close(self) -> None:
        for bag in self._files:
            bag.close()

    def progress(self) -> float:
        size = sum(bag.size for bag in self._files)
        return min(1.0, sum(bag.read for bag in self._files) / size) if size else 1.0

    def messages(self) -> Iterator[tuple[float, Message]]:
        time = 0.0
        came: Counter[str] = Counter()
        self._share_budget()
        for bag in self._files:
            try:
                for nano, channel, data in in_order(bag.blocks(self._choose)):
                    time = nano / 1e9
                    if channel is None:
                        yield time, Trouble("garbled", f"the file {data}")
                        continue
                    came[channel.topic] += 1
                    try:
                        found = _decoded(channel.decode, data, bag.budget)
                    except GarbledError as error:
                        yield time, Trouble("garbled", f"{channel.topic}: {error}")
                        continue
                    if type(found) is not tuple:
                        yield time, found  # type: ignore[misc]
                        continue
                    for message in found:
                        yield time, message
            except (OSError, ValueError) as error:  # ValueError: somebody closed it meanwhile
                yield time, Trouble("lost", f"cannot be read any further: {reason_of(error)}")
        for text in self._not_as_recorded(came):
            yield time, Trouble("garbled", text)

    def _share_budget(self) -> None:
        """One for all files: each of many small ones would otherwise cost what one may."""
        budget = Budget(sum(bag.size for bag in self._files))
        for bag in self._files:
            bag.budget = budget

    def _not_as_recorded(self, came: Counter[str]) -> Iterator[str]:
        """Where the messages that were read differ from the metadata of the folder."""
        if self._counts is None:
            yield "the folder has no metadata.yaml: missing files cannot be detected"
            return
        for name in sorted(self._wanted if self._counts else ()):
            count, topic = self._counts.get(name, 0), name[:MAX_NAME_LENGTH]
            if count != came[topic]:
                yield f"{topic}: {came[topic]} messages were read, metadata.yaml lists {count}"

    def _choose(self, topic: Topic) -> Channel | None:
        if topic.name not in self._wanted:
            return None
        decode = decoder_of(topic, self._world)
        return None if decode is None else Channel(topic.name[:MAX_NAME_LENGTH], decode)


def _decoded(decode: Decode, data: bytes, budget: Budget) -> Message | tuple[Message, ...]:
    """A message; one that the recorder compressed by itself (rosbag2 in its mode ``message``) is
    none at first sight."""
    try:
        return decode(data)
    except GarbledError:
        if data[:4] != ZSTD:
            raise
    return decode(unpacked_message(data, budget))


def _folder(path: Path) -> Folder:
    """The files of a bag, in the order in which they were written."""
    if path.is_dir():
        return folder_of(path)
    if path.exists() and not path.is_file():
        raise StreamError("not a regular file", file=path, allowed="a bag")
    return Folder([path], {})


def _opened(path: Path) -> BagFile:
    with path.open("rb") as file:
        begin = file.read(max(map(len, _FORMATS)))
    for magic, opened in _FORMATS.items():
        if begin.startswith(magic):
            return opened(path)
    raise StreamError(
        "empty" if not begin else "not a bag",
        file=path,
        value=begin,
        allowed="a bag of ROS 1 (#ROSBAG V2.0), or of ROS 2 in SQLite or MCAP",
    )


def _check_not_ours(found: dict[str, Topic], path: Path) -> None:
    """Refuse the record of a watch: its joint states are some of many, for people to look at, and
    what lies between them would be missed."""
    if any(topic.encoding.startswith(OWN_ENCODING) for topic in found.values()):
        raise StreamError(
            "the record of a watch: its joint states are for display, and not all that came",
            file=path,
            allowed="`standoff replay` for the record, or the sources that it was made from",
        )


def _chosen(found: dict[str, Topic], topics: Sequence[str], path: Path) -> frozenset[str]:
    """The names of the topics to read."""
    readable = [t for t in found.values() if t.kind in TYPES or t.encoding == "json"]
    if not topics:
        return frozenset([_only_joints(found, readable, path)])
    listed = ", ".join(shown(name) for name in sorted(found)[:20])
    wanted = []
    for name in topics:
        topic = found.get(name) or found.get("/" + name.strip("/"))
        if topic is None:
            raise StreamError(f"no topic {name!r}", file=path, allowed=listed or "none")
        if topic not in readable:
            raise StreamError(
                f"topic {name!r} has messages that are not read",
                file=path,
                value=topic.kind,
                allowed=", ".join(TYPES),
            )
        wanted.append(topic.name)
    return frozenset(wanted)


def _only_joints(found: dict[str, Topic], readable: list[Topic], path: Path) -> str:
    """The one topic of joint states."""
    joints = [topic.name for topic in readable if topic.kind == JOINT_STATE]
    if len(joints) == 1:
        return joints[0]
    others = joints or [topic.name for topic in readable]
    raise StreamError(
        f"{len(joints) or 'no'} topics of joint states"
        + ("" if joints or not others else ", but others that can be read"),
        file=path,
        value=sorted(others or found)[:20],
        allowed="one or more of them: bag:FILE?topic=/joint_states",
    )
