"""Paths as NumPy writes them: an array in ``.npy``, named arrays in ``.npz``. No pickles."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from standoff.errors import PathError
from standoff.paths.file_table import PathTable

#: Arrays of an ``.npz``; all but the first may be left out.
KEYS = ("waypoints", "joints", "times")


def parse_npy(data: bytes, file: Path) -> PathTable:
    """The table of an array (waypoints, joints) in the cell's order."""
    return _table(_load(data, file), None, None, file)


def parse_npz(data: bytes, file: Path, limit: int) -> PathTable:
    """The table of ``waypoints``, with the names in ``joints`` and the ``times`` where they are
    there; unpacked they hold at most ``limit`` bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            for name in members:
                if name not in KEYS:
                    raise PathError("unknown array", file=file, value=name, allowed=", ".join(KEYS))
            if "waypoints" not in members:
                raise PathError(
                    "no waypoints", file=file, value=list(members), allowed="an array 'waypoints'"
                )
            if sum(info.file_size for info in members.values()) > limit:
                raise PathError("too large unpacked", file=file, allowed=f"at most {limit} bytes")
            loaded = {n: _load(archive.read(i), file, n) for n, i in members.items()}
    except PathError:
        raise
    except Exception as error:  # what zipfile, and the decompressors behind it, make of damage
        raise PathError(f"not an .npz file: {error}", file=file) from error
    names = None
    if "joints" in loaded:
        if loaded["joints"].dtype.kind != "U" or loaded["joints"].ndim != 1:
            raise PathError(
                "not a list of names",
                file=file,
                element="joints",
                value=f"{loaded['joints'].dtype}, {loaded['joints'].shape}",
                allowed="an array of texts",
            )
        names = [str(name) for name in loaded["joints"]]
    return _table(loaded["waypoints"], names, loaded.get("times"), file)


def _load(data: bytes, file: Path, name: str | None = None) -> Any:
    try:
        return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception as error:  # what numpy makes of bytes that are no array, and of huge shapes
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PathError(
            f"not an array that can be read: {reason}", file=file, element=name
        ) from error


def _table(rows: Any, names: list[str] | None, times: Any, file: Path) -> PathTable:
    for array, name, wanted in ((rows, "waypoints", 2), (times, "times", 1)):
        if array is None:
            continue
        if array.dtype.kind not in "iuf":
            raise PathError(
                "not numbers", file=file, element=name, value=str(array.dtype), allowed="float64"
            )
        if array.ndim != wanted:
            shape = "(waypoints, joints)" if wanted == 2 else "(waypoints,)"
            raise PathError(
                "wrong shape", file=file, element=name, value=array.shape, allowed=shape
            )
    if times is not None and len(times) != len(rows):
        raise PathError(
            "as many times as waypoints are wanted",
            file=file,
            element="times",
            value=len(times),
            allowed=str(len(rows)),
        )
    places = [f"waypoints[{k}]" for k in range(len(rows))]
    return PathTable(names, "joints", rows.astype(np.float64), places, times=times)
