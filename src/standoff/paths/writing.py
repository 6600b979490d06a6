"""Path files out, as `read_path` takes them in again, to the bit."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from standoff.cell import Cell
from standoff.cell.names import as_path
from standoff.cell.write import write_whole
from standoff.errors import PathError
from standoff.robots.joint_values import joint_rows

#: Suffixes of path files that can be written.
SUFFIXES = (".csv", ".json")


def write_path(file: str | Path, cell: Cell, waypoints: Any) -> None:
    """Write waypoints (n, joints) with the names of their joints, as CSV or JSON by the suffix; the
    file whole or not at all.

    Raises:
        PathError: another suffix, or a file that cannot be written.
        ConfigurationError: waypoints that do not fit the cell.
    """
    path = as_path(file, "path file")
    rows = joint_rows(waypoints, cell.joints, "waypoints").tolist()
    suffix = path.suffix.lower()
    if suffix == ".csv":
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(cell.joints)
        lines.writerows([[repr(value) for value in row] for row in rows])
        content = text.getvalue()
    elif suffix == ".json":
        body = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        names = json.dumps(cell.joints, ensure_ascii=False)
        content = f'{{"joints": {names},\n"waypoints": [\n{body}]}}\n'
    else:
        raise PathError(
            "no kind of path file to write", file=path, value=suffix, allowed=", ".join(SUFFIXES)
        )
    try:
        write_whole(path, content)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise PathError(f"cannot be written: {why}", file=path) from error
