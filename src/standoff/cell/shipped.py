"""Cells that come with the package."""

from __future__ import annotations

from pathlib import Path

from standoff.errors import UnknownNameError
from standoff.robots.builtin import MODELS

#: Inside the package in a wheel, at the top of a checkout. The first that is there counts alone:
#: what lies above an installed package is not ours.
_PLACES = (Path(__file__).parents[1] / "cells", Path(__file__).parents[3] / "cells")


def shipped_cell(name: str) -> Path:
    """The file of a cell that ships with Standoff, such as ``testbed`` or ``two_arms``.

    Raises:
        UnknownNameError: there is none of that name; the message offers the nearest, robots too.
    """
    folder = next((place for place in _PLACES if place.is_dir()), _PLACES[0])
    known = {file.stem: file for file in sorted(folder.glob("*.toml"))}
    if name not in known:
        robots = [f"builtin:{robot}" for robot in MODELS]
        raise UnknownNameError(name, [*known, *robots], what="shipped cell")
    return known[name]
