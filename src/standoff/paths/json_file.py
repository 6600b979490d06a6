"""Paths as JSON: rows of numbers, rows by joint name, or a trajectory as ROS writes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from standoff.errors import PathError
from standoff.paths.file_table import PathTable

#: Keys of a path that is written as an object.
KEYS = ("joints", "waypoints", "times")

_FORMS = (
    "a list of rows, {'joints': […], 'waypoints': [[…], …], 'times': […]}, "
    "{'waypoints': [{joint: value, …}, …]}, or a ROS JointTrajectory"
)


def parse_json(data: bytes, file: Path) -> Any:
    """The content of a JSON file; a key that stands twice in one object is an error."""
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise PathError(
            f"not UTF-8 text: {error.reason} at byte {error.start}", file=file, allowed="JSON"
        ) from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise PathError(f"not JSON: {error.msg}", file=file, element=place) from error
    except _TwiceError as error:
        raise PathError(
            "a key stands twice in one object", file=file, value=str(error), allowed="once"
        ) from error
    except (RecursionError, ValueError) as error:
        raise PathError(f"not JSON that can be read: {error}", file=file) from error


def table_of_json(content: Any, file: Path) -> PathTable:
    """The table of a path in one of the plain forms."""
    names: Sequence[str] | None = None
    times: Sequence[Any] | None = None
    rows, where = content, ""
    if isinstance(content, dict):
        for key in content:
            if key not in KEYS:
                raise PathError("unknown key", file=file, value=key, allowed=", ".join(KEYS))
        if "waypoints" not in content:
            raise PathError("no waypoints", file=file, value=list(content), allowed=_FORMS)
        rows, where = content["waypoints"], "waypoints"
        names, times = content.get("joints"), content.get("times")
        if names is not None:
            names = _names(names, file)
    if not isinstance(rows, list):
        raise PathError(
            "not a path", file=file, element=where or None, value=content, allowed=_FORMS
        )
    if times is not None and not (isinstance(times, list) and len(times) == len(rows)):
        raise PathError(
            "as many times as waypoints are wanted",
            file=file,
            element="times",
            value=times,
            allowed=f"a list of {len(rows)} numbers [s]",
        )
    places = [f"{where}[{k}]" for k in range(len(rows))]
    if rows and all(isinstance(row, dict) for row in rows):
        if names is not None:
            raise PathError(
                "joints are named twice", file=file, element="joints", allowed="left out here"
            )
        names, rows = _by_name(rows, file, places)
        return PathTable(names, places[0], rows, places, times=times)
    for row, place in zip(rows, places):
        if not isinstance(row, list):
            raise PathError(
                "not a waypoint", file=file, element=place, value=row, allowed="a list of numbers"
            )
    return PathTable(names, "joints", rows, places, times=times)


def _by_name(
    rows: list[dict[str, Any]], file: Path, places: Sequence[str]
) -> tuple[list[str], list[list[Any]]]:
    """Names and rows of waypoints that are objects; all of them have the keys of the first."""
    names = list(rows[0])
    for row, place in zip(rows, places):
        if row.keys() != rows[0].keys():
            raise PathError(
                "not the joints of the first waypoint",
                file=file,
                element=place,
                value=sorted(row.keys() ^ rows[0].keys()),
                allowed=", ".join(map(repr, names)),
            )
    return names, [[row[name] for name in names] for row in rows]


def _names(value: Any, file: Path) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise PathError(
            "not a list of names", file=file, element="joints", value=value, allowed="joint names"
        )
    return value


class _TwiceError(ValueError):
    """A key that stands twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _TwiceError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return found
